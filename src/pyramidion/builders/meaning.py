r"""Grouping by meaning (ours): statements belong together when one says what the other says.

*Units* are the references' statements: one fact each, readable by itself, in the words in which a reader understands
it best (:mod:`pyramidion.builders.stated`). A label is, if there is one, a statement that is clear. Where a group has
none, its statements are written out once the groups are made: labels change by that, and groups do not.

*Candidates.* Pairs of statements from different references are proposed by how near they are: the cosine of their
vectors, and half of that of their sentences, less a quarter of how far apart they stand, |x_i - x_j|, with x the middle
of a statement among those of its text, from 0 to 1. Texts on one matter tend to tell it in the same order, and this
costs nothing to know. For each statement it is the :data:`NEAREST` nearest ones, at most :data:`OF_EACH` of a
reference.

*Worth.* The entailment network reads the sentence of each statement, as it stands in its reference, once for its
candidates, and the statement alone for the likely ones. Which statement of another reference, if any, says what j says?
With :math:`\lambda_{ij}` the log odds that the sentence of i says j, against its saying nothing of the kind,
:math:`\mu_{ij}` those that i alone does, and s_ij the cosine of the sentences,

.. math:: p_{ij} = \frac{e^{u_{ij}}}{1 + \sum_{k \in r(i)} e^{u_{kj}}}, \qquad
          u_{ij} = \frac{a}{2} \big(\max(\lambda_{ij}, \lambda_{ji}) + \max(\mu_{ij}, \mu_{ji})\big)
                   + \frac{b}{2} \big(\min(\lambda_{ij}, \lambda_{ji}) + \min(\mu_{ij}, \mu_{ji})\big)
                   + c \cos_{ij} + d\,s_{ij} + e\,|x_i - x_j| + f

is the chance that of all statements of its reference r(i) it is i. Few statements entail each other in full, so a
probability by itself says little; that nothing else in the reference comes near says more, and holds for networks that
are more or less strict. A sentence is read because it has the words around a statement that tell what it is about, and
the statement because a sentence says other things, too. A pair is worth the smaller of :math:`p_{ij}` and
:math:`p_{ji}` less the threshold, and a pair that is not proposed has the chance 0. What one contradicts with
:data:`DENIED` never joins it.

*Groups.* The division of all statements of highest worth, with at most one statement of a reference in a group, is
found exactly (:mod:`~pyramidion.builders.partition`); if time runs out, a warning says how far it may be from the best.

*Further groups.* A statement often says two things (*Five of seven voted for the rise*), of which another reference
makes two statements, and a division allows it one partner of the two. So a statement joins other groups, too, if a
group has none of its reference and the smaller chances with all its members are :data:`SECOND` on average. It is the
label of its own group alone.

``python -m train.meaning`` fits a to f (:data:`CHOICE`) to invented topics that the network was not trained on, and
measures the bundled examples and the open marked topics with them. Of each pair the sentence of the longer statement
is read for the shorter. The other sentence is read where that leaves a doubt (:data:`DOUBT`), and the statements alone,
both ways, where the pair is likely (:data:`LIKELY`). Beyond :data:`MANY` candidate pairs neither is. A direction that
is not read counts as the other one, and a statement that is not read alone as its sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.choices import check_choices
from pyramidion.builders.assemble import voices_of
from pyramidion.builders.partition import best_partition
from pyramidion.builders.stated import Said, said_by_each, written_out
from pyramidion.errors import PyramidionError
from pyramidion.language.entailment.network import each
from pyramidion.language.models.distributions import READER, check, installed
from pyramidion.language.parse.segmented import remembering
from pyramidion.language.statements.written import Writer
from pyramidion.model import SCU, Pyramid, Topic
from pyramidion.notes import note
from pyramidion.parts import declare, distributions_of

NEAREST, OF_EACH = 8, 3
"""Candidates: so many of the nearest statements, of them so many of one reference."""
CHOICE = (0.42, 0.99, 0.88, 1.89, -1.40, 1.61)
"""What speaks for a pair: a to f."""
THRESHOLD = 0.3
"""The chance above which a pair speaks for one group."""
SECOND = 0.45
"""The chance, on average, with which a statement joins a group beside its own."""
DENIED = 0.7
"""The probability from which on a contradiction forbids a group."""
DOUBT = 0.05
"""What a sentence says or contradicts with less is not asked the other way round."""
LIKELY = 0.3
"""What it says or contradicts with less is not asked of the statements alone."""
MANY = 1500
"""Past so many candidate pairs each is read once: a sentence, in one direction."""
WRITTEN = 12
"""So many sentences are written out, at most: those of SCUs without a label, the heaviest first."""
TIME_LIMIT = 15.0
"""Seconds for the division; that of twenty references of 573 words was within 1.4 % of the best after five."""
_CONTEXT, _ORDER = 0.5, 0.25
"""What the cosine of their sentences adds to that of statements, and what their distance takes off, for candidates."""
_SURE = (0.01, 0.97)
"""Probabilities outside of these are taken for these: the last digits of a network mean nothing."""
_WORDS = (4, 16)
"""A label's words."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Near:
    """Statements beside each other: what costs nothing to know of all pairs."""

    voice: NDArray[np.int64]
    """The text of each statement."""
    cosine: Floats
    context: Floats
    """The cosine of their sentences."""
    apart: Floats
    """How far apart they stand in their texts, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Compared(Near):
    """And what the network says: the sentences of rows say columns; NaN where nobody asked."""

    entailed: Floats
    denied: Floats
    alone: Floats
    """The log odds that the statements of rows, read alone, say columns."""

    @property
    def evidence(self) -> Floats:
        """What speaks for each pair, by kind: the network's log odds, cosines, the distance, and 1."""
        sentences, alone = _either_way(_log_odds(self.entailed, self.denied)), _either_way(self.alone)
        odds = np.where(np.isnan(alone), sentences, (sentences + alone) / 2)
        return np.stack([*odds, self.cosine, self.context, self.apart, np.ones_like(self.cosine)])

    def chances(self, choice: Sequence[float] = CHOICE) -> Floats:
        """How probable it is that of all statements of its text it is the one in the row that says the column."""
        odds = np.nan_to_num(np.exp(np.tensordot(np.array(choice), self.evidence, 1)))
        together = np.zeros_like(odds)
        for one in set(self.voice.tolist()):
            own = self.voice == one
            together[own] = odds[own].sum(axis=0)
        chance: Floats = odds / (1 + together)
        return chance

    def worth(self, threshold: float = THRESHOLD, choice: Sequence[float] = CHOICE) -> Floats:
        """What it is worth to put a pair together; minus infinity where that is forbidden."""
        chance = self.chances(choice)
        worth: Floats = (np.fmin(chance, chance.T) - threshold).round(6)
        denied = np.fmax(self.denied, self.denied.T) >= DENIED
        worth[(self.voice[:, None] == self.voice[None, :]) | denied] = -np.inf
        np.fill_diagonal(worth, 0.0)
        return worth


@check_choices
@declare(
    models=installed(READER),
    english=True,
    distributions=READER,
    otherwise="choose a method that goes by words: edua-p+soft, lite+soft",
)
def meaning(
    topic: Topic,
    *,
    threshold: float = THRESHOLD,
    nearest: int = NEAREST,
    embedder: str = "static",
    analyser: str = "en-minilm",
    writer: Writer = "network",
    time_limit: float = TIME_LIMIT,
) -> Pyramid:
    """The topic's pyramid: groups of statements that say the same."""
    if not 0 < threshold < 1:
        raise PyramidionError(f"The threshold is {threshold:g}.", do="give a probability between 0 and 1")
    if nearest < 1:
        raise PyramidionError(f"{nearest} candidates cannot be read for a statement.", do="give nearest=1 or more")
    if not time_limit > 0:
        raise PyramidionError(f"The time limit is {time_limit:g} s.", do="give a number of seconds above 0")
    check("The builder 'meaning'", distributions_of(meaning, {"writer": writer}))
    voices = voices_of(topic, analyser)
    units = said_by_each(voices)
    read = compared(units, nearest, embedder)
    found = best_partition(read.worth(threshold), time_limit)
    if found.gap > 1e-6:
        note(
            f"The groups of topic {topic.id!r} are at most {found.gap:.1%} below the best after {time_limit:g} s; "
            "a higher time_limit may prove more."
        )
    own = [list(group) for group in found.groups]
    joining = seconds(own, read.worth(threshold) + threshold, read.voice, max(SECOND, threshold))
    pairs = [(group, sorted(group + others)) for group, others in zip(own, joining, strict=True)]
    pairs.sort(key=lambda pair: _place(pair[1], units, read.entailed))
    if writer == "network":
        units = written_out(units, voices, unlabelled([group for group, _ in pairs], units, WRITTEN))
    made = (_scu(str(number), [units[one] for one in group], units[_best_label(first, units, read.entailed)])
            for number, (first, group) in enumerate(pairs, 1))  # fmt: skip
    return Pyramid(topic.id, tuple(reference for one in voices for _, reference in one.copies), tuple(made))


def compared(units: Sequence[Said], nearest: int = NEAREST, embedder: str = "static") -> Compared:
    """Statements with their cosines, and what the network says of the nearest."""
    near = nearness(units, embedder)
    read = _read(units, candidates(near, nearest))
    return Compared(near.voice, near.cosine, near.context, near.apart, *read)


def nearness(units: Sequence[Said], embedder: str = "static") -> Near:
    """How near statements are."""
    voice = np.array([unit.voice for unit in units], np.int64)
    of = remembering(embedder)
    cosine, context = (_cosines(of(texts)) for texts in ([one.text for one in units], [one.sentence for one in units]))
    return Near(voice, cosine, context, _apart(voice))


def _cosines(vectors: NDArray[np.float32]) -> Floats:
    rows = np.asarray(vectors, np.float64)
    cosine: Floats = np.round(rows @ rows.T, 6)
    return cosine


def _apart(voice: NDArray[np.int64]) -> Floats:
    """How far apart statements stand: the middle of the k-th of n is at (k - 1/2) / n."""
    place = np.zeros(len(voice))
    for one in set(voice.tolist()):
        own = np.flatnonzero(voice == one)
        place[own] = (np.arange(len(own)) + 0.5) / len(own)
    apart: Floats = np.abs(place[:, None] - place)
    return apart


def candidates(near: Near, nearest: int = NEAREST) -> NDArray[np.bool_]:
    """Which pairs are compared: symmetric."""
    voice = near.voice
    score = np.round(near.cosine + _CONTEXT * near.context - _ORDER * near.apart, 6)
    proposed = np.zeros(score.shape, np.bool_)
    for one in range(len(score)):
        order = np.argsort(-score[one], kind="stable")
        order = order[voice[order] != voice[one]]
        seen: dict[int, int] = {}
        kept = []
        for other in order.tolist():
            seen[int(voice[other])] = seen.get(int(voice[other]), 0) + 1
            if seen[int(voice[other])] <= OF_EACH:
                kept.append(other)
        proposed[one, kept[:nearest]] = True
    either: NDArray[np.bool_] = proposed | proposed.T
    return either


def _read(units: Sequence[Said], pairs: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """What :class:`Compared` holds of the network's answers, of these pairs."""
    length = np.array([len(unit.text) for unit in units])
    first = np.arange(len(units))
    longer = (length[:, None] > length) | ((length[:, None] == length) & (first[:, None] < first))
    sentences = [(unit.voice, unit.sentence) for unit in units]
    entailed, denied = _answers(sentences, units, pairs & longer)
    if pairs.sum() > 2 * MANY:
        return entailed, denied, np.full_like(entailed, np.nan)
    surer = np.nan_to_num(np.fmax(entailed, denied))
    entailed, denied = map(np.fmax, (entailed, denied), _answers(sentences, units, surer.T >= DOUBT))
    alone = [(unit.voice, unit.text) for unit in units]
    return entailed, denied, _log_odds(*_answers(alone, units, np.fmax(surer, surer.T) >= LIKELY))


def _answers(
    texts: Sequence[tuple[int, str]], units: Sequence[Said], asked: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """How probable it is that the text of a row says or contradicts the unit of a column, each text read once.

    A text is known by its reference, too. NaN where nobody asked.
    """
    same: dict[tuple[int, str], list[int]] = {}
    for one, text in enumerate(texts):
        same.setdefault(text, []).append(one)
    others = [np.flatnonzero(asked[own].any(axis=0)).tolist() for own in same.values()]
    answers = each([(text, [units[other].text for other in asked_of])
                    for (_, text), asked_of in zip(same, others, strict=True)])  # fmt: skip
    entailed, denied = np.full(asked.shape, np.nan), np.full(asked.shape, np.nan)
    for own, asked_of, rows in zip(same.values(), others, answers, strict=True):
        entailed[np.ix_(own, asked_of)], denied[np.ix_(own, asked_of)] = rows[:, 0], rows[:, 1]
    return np.where(asked, entailed, np.nan), np.where(asked, denied, np.nan)


def _log_odds(said: Floats, denied: Floats) -> Floats:
    """Of said against not said; what is contradicted speaks for neither."""
    chance = np.clip(said / np.maximum(1 - denied, 1e-4), *_SURE)
    odds: Floats = np.log(chance / (1 - chance))
    return odds


def _either_way(odds: Floats) -> Floats:
    """The larger and the smaller of the two directions, or the one that was read, twice."""
    return np.stack([np.fmax(odds, odds.T), np.fmin(odds, odds.T)])


def seconds(
    groups: Iterable[Sequence[int]], chance: Floats, voice: NDArray[np.int64], least: float = SECOND
) -> list[list[int]]:
    """For each group the statements of other groups, if any, that join it."""
    made = []
    for group in groups:
        own = list(group)
        mean = chance[:, own].mean(axis=1)
        others = [np.flatnonzero(voice == text) for text in sorted({*voice.tolist()} - {*voice[own].tolist()})]
        best = [int(some[mean[some].argmax()]) for some in others]
        made.append([one for one in best if mean[one] >= least])
    return made


def unlabelled(groups: Iterable[Sequence[int]], units: Sequence[Said], most: int) -> list[int]:
    """The members of groups that have no label, in the order of the groups, from so many sentences at most."""
    found: list[int] = []
    sentences: set[tuple[int, int]] = set()
    for one in (one for group in groups if all(units[one].unclear for one in group) for one in group):
        sentence = units[one].voice, units[one].statement.sentence
        if sentence in sentences or len(sentences) < most:
            sentences.add(sentence)
            found.append(one)
    return found


def _place(group: Sequence[int], units: Sequence[Said], entailed: Floats) -> tuple[int, float, Sequence[int]]:
    """By falling weight, then by how surely its members say each other, then in the order of the texts."""
    weight = sum(len(units[one].copies) for one in group)
    read = entailed[np.ix_(group, group)]
    return -weight, -round(float(np.nanmean(read)), 6) if np.isfinite(read).any() else 0.0, group


def _scu(id: str, units: Sequence[Said], label: Said) -> SCU:
    contributors = tuple(contributor for unit in units for contributor in unit.contributors())
    return SCU(id, label.text, contributors, unclear=label.unclear)


def _best_label(group: Sequence[int], units: Sequence[Said], entailed: Floats) -> int:
    """Of what is clear by itself and has a label's length, what the others say most surely and is clearest."""
    said = np.nan_to_num(entailed[np.ix_(group, group)], nan=0.0).sum(axis=0)

    def rank(place: int) -> tuple[bool, int, float, int]:
        unit = units[group[place]]
        words = len(unit.text.split())
        outside = max(_WORDS[0] - words, words - _WORDS[1], 0)
        return bool(unit.unclear), outside, -round(float(said[place]) + unit.clear, 6), place

    return group[min(range(len(group)), key=rank)]
