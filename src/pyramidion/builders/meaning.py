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
from pyramidion.builders.stated import Said, stated_units, write_out
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
"""For candidates: the share of their sentences' cosine that is added to that of statements, and of their distance that
is taken off."""
_SURE = (0.01, 0.97)
"""Probabilities outside of these are taken for these: the last digits of a network mean nothing."""
_WORDS = (4, 16)
"""A label's words."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Near:
    """The cosines and distances of all pairs of statements, known before the network reads any."""

    voice: NDArray[np.int64]
    """The text of each statement."""
    cosine: Floats
    context: Floats
    """The cosine of their sentences."""
    apart: Floats
    """How far apart they stand in their texts, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Compared(Near):
    """The same, with the network's answers: how probably the sentences of rows say columns; NaN where nobody asked."""

    entailed: Floats
    denied: Floats
    alone: Floats
    """The log odds that the statements of rows, read alone, say columns."""

    @property
    def evidence(self) -> Floats:
        """The evidence for each pair, a table for each of a to f: log odds, cosines, the distance, and 1."""
        sentences, alone = _either_way(_log_odds(self.entailed, self.denied)), _either_way(self.alone)
        odds = np.where(np.isnan(alone), sentences, (sentences + alone) / 2)
        return np.stack([*odds, self.cosine, self.context, self.apart, np.ones_like(self.cosine)])

    def chances(self, choice: Sequence[float] = CHOICE) -> Floats:
        """Return p_ij: how probable it is that of all statements of i's text it is i that says what j says."""
        odds = np.nan_to_num(np.exp(np.tensordot(np.array(choice), self.evidence, 1)))
        together = np.zeros_like(odds)
        for text in set(self.voice.tolist()):
            of_text = self.voice == text
            together[of_text] = odds[of_text].sum(axis=0)
        chance: Floats = odds / (1 + together)
        return chance

    def worth(self, threshold: float = THRESHOLD, choice: Sequence[float] = CHOICE) -> Floats:
        """Return what it is worth to put each pair into one group; minus infinity where that is forbidden."""
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
    """Return the topic's pyramid: groups of statements that say the same."""
    if not 0 < threshold < 1:
        raise PyramidionError(f"The threshold is {threshold:g}.", do="give a probability between 0 and 1")
    if nearest < 1:
        raise PyramidionError(f"{nearest} candidates cannot be read for a statement.", do="give nearest=1 or more")
    if not time_limit > 0:
        raise PyramidionError(f"The time limit is {time_limit:g} s.", do="give a number of seconds above 0")
    check("The builder 'meaning'", distributions_of(meaning, {"writer": writer}))
    voices = voices_of(topic, analyser)
    units = stated_units(voices)
    read = compared(units, nearest, embedder)
    found = best_partition(read.worth(threshold), time_limit)
    if found.gap > 1e-6:
        note(
            f"The groups of topic {topic.id!r} are at most {found.gap:.1%} below the best after {time_limit:g} s; "
            "a higher time_limit may prove more."
        )
    groups = [list(group) for group in found.groups]
    joining = seconds(groups, read.worth(threshold) + threshold, read.voice, max(SECOND, threshold))
    pairs = [(group, sorted(group + joined)) for group, joined in zip(groups, joining, strict=True)]
    pairs.sort(key=lambda pair: _sort_key(pair[1], units, read.entailed))
    # Only now: to write is slow, and groups do not depend on it.
    if writer == "network":
        units = write_out(units, voices, unlabelled_members([group for group, _ in pairs], units, WRITTEN))
    scus = (_scu(str(number), [units[place] for place in group], units[_best_label(first, units, read.entailed)])
            for number, (first, group) in enumerate(pairs, 1))  # fmt: skip
    return Pyramid(topic.id, tuple(reference for voice in voices for _, reference in voice.copies), tuple(scus))


def compared(units: Sequence[Said], nearest: int = NEAREST, embedder: str = "static") -> Compared:
    """Return the cosines of statements, and what the network says of the nearest."""
    near = nearness(units, embedder)
    read = _ask_network(units, candidates(near, nearest))
    return Compared(near.voice, near.cosine, near.context, near.apart, *read)


def nearness(units: Sequence[Said], embedder: str = "static") -> Near:
    """Return how near statements are: their cosines, those of their sentences, and their distance in the texts."""
    voice = np.array([unit.voice for unit in units], np.int64)
    of = remembering(embedder)
    texts, sentences = [unit.text for unit in units], [unit.sentence for unit in units]
    cosine, context = _cosines(of(texts)), _cosines(of(sentences))
    return Near(voice, cosine, context, _distances(voice))


def _cosines(vectors: NDArray[np.float32]) -> Floats:
    rows = np.asarray(vectors, np.float64)
    cosine: Floats = np.round(rows @ rows.T, 6)
    return cosine


def _distances(voice: NDArray[np.int64]) -> Floats:
    """Return how far apart statements stand in their texts: the middle of the k-th of n is at (k - 1/2) / n."""
    place = np.zeros(len(voice))
    for text in set(voice.tolist()):
        of_text = np.flatnonzero(voice == text)
        place[of_text] = (np.arange(len(of_text)) + 0.5) / len(of_text)
    apart: Floats = np.abs(place[:, None] - place)
    return apart


def candidates(near: Near, nearest: int = NEAREST) -> NDArray[np.bool_]:
    """Return which pairs are compared, as a symmetric table."""
    voice = near.voice
    score = np.round(near.cosine + _CONTEXT * near.context - _ORDER * near.apart, 6)
    proposed = np.zeros(score.shape, np.bool_)
    for place in range(len(score)):
        # A reference gives a few only, so that one that repeats itself does not crowd out the others.
        order = np.argsort(-score[place], kind="stable")
        order = order[voice[order] != voice[place]]
        seen: dict[int, int] = {}
        kept = []
        for candidate in order.tolist():
            seen[int(voice[candidate])] = seen.get(int(voice[candidate]), 0) + 1
            if seen[int(voice[candidate])] <= OF_EACH:
                kept.append(candidate)
        proposed[place, kept[:nearest]] = True
    either: NDArray[np.bool_] = proposed | proposed.T
    return either


def _ask_network(units: Sequence[Said], pairs: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Return the network's answers about these pairs, as :class:`Compared` holds them: entailed, denied, alone."""
    length = np.array([len(unit.text) for unit in units])
    first = np.arange(len(units))
    # Each pair is read in one direction first: the sentence of the longer statement, of equal ones the first.
    longer = (length[:, None] > length) | ((length[:, None] == length) & (first[:, None] < first))
    sentences = [(unit.voice, unit.sentence) for unit in units]
    entailed, denied = _answers(sentences, units, pairs & longer)
    if pairs.sum() > 2 * MANY:  # the table has each pair twice
        return entailed, denied, np.full_like(entailed, np.nan)
    surer = np.nan_to_num(np.fmax(entailed, denied))
    entailed, denied = map(np.fmax, (entailed, denied), _answers(sentences, units, surer.T >= DOUBT))
    alone = [(unit.voice, unit.text) for unit in units]
    return entailed, denied, _log_odds(*_answers(alone, units, np.fmax(surer, surer.T) >= LIKELY))


def _answers(
    texts: Sequence[tuple[int, str]], units: Sequence[Said], asked: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return how probable it is that the text of a row says, and that it contradicts, the unit of a column.

    Each text is read once for all rows that have it; equal texts of two references are two. NaN where nobody asked.
    """
    rows_of: dict[tuple[int, str], list[int]] = {}
    for row, text in enumerate(texts):
        rows_of.setdefault(text, []).append(row)
    columns_of = [np.flatnonzero(asked[rows].any(axis=0)).tolist() for rows in rows_of.values()]
    answers = each([(text, [units[column].text for column in columns])
                    for (_, text), columns in zip(rows_of, columns_of, strict=True)])  # fmt: skip
    entailed, denied = np.full(asked.shape, np.nan), np.full(asked.shape, np.nan)
    for rows, columns, answer in zip(rows_of.values(), columns_of, answers, strict=True):
        entailed[np.ix_(rows, columns)], denied[np.ix_(rows, columns)] = answer[:, 0], answer[:, 1]
    return np.where(asked, entailed, np.nan), np.where(asked, denied, np.nan)


def _log_odds(entailed: Floats, denied: Floats) -> Floats:
    """Return the log odds that something is said, against its not being mentioned: a contradiction is neither."""
    chance = np.clip(entailed / np.maximum(1 - denied, 1e-4), *_SURE)
    odds: Floats = np.log(chance / (1 - chance))
    return odds


def _either_way(odds: Floats) -> Floats:
    """Return the larger and the smaller of the two directions, or the one that was read, twice."""
    return np.stack([np.fmax(odds, odds.T), np.fmin(odds, odds.T)])


def seconds(
    groups: Iterable[Sequence[int]], chance: Floats, voice: NDArray[np.int64], least: float = SECOND
) -> list[list[int]]:
    """Return for each group the statements of other groups, if any, that join it, too."""
    joining = []
    for group in groups:
        members = list(group)
        mean = chance[:, members].mean(axis=1)
        lacking = [np.flatnonzero(voice == text) for text in sorted({*voice.tolist()} - {*voice[members].tolist()})]
        best = [int(places[mean[places].argmax()]) for places in lacking]
        joining.append([place for place in best if mean[place] >= least])
    return joining


def unlabelled_members(groups: Iterable[Sequence[int]], units: Sequence[Said], most: int) -> list[int]:
    """Return the members of groups that have no label, in the order of the groups, from ``most`` sentences at most."""
    found: list[int] = []
    sentences: set[tuple[int, int]] = set()
    for place in (place for group in groups if all(units[place].unclear for place in group) for place in group):
        sentence = units[place].voice, units[place].statement.sentence
        if sentence in sentences or len(sentences) < most:
            sentences.add(sentence)
            found.append(place)
    return found


def _sort_key(group: Sequence[int], units: Sequence[Said], entailed: Floats) -> tuple[int, float, Sequence[int]]:
    """Return a sort key: falling weight, then how surely its members say each other, then the order of the texts."""
    weight = sum(len(units[place].copies) for place in group)
    read = entailed[np.ix_(group, group)]
    return -weight, -round(float(np.nanmean(read)), 6) if np.isfinite(read).any() else 0.0, group


def _scu(id: str, units: Sequence[Said], label: Said) -> SCU:
    contributors = tuple(contributor for unit in units for contributor in unit.contributors())
    return SCU(id, label.text, contributors, unclear=label.unclear)


def _best_label(group: Sequence[int], units: Sequence[Said], entailed: Floats) -> int:
    """Return the label: of the clear members of a label's length the one that the others say most surely."""
    support = np.nan_to_num(entailed[np.ix_(group, group)], nan=0.0).sum(axis=0)

    def rank(place: int) -> tuple[bool, int, float, int]:
        unit = units[group[place]]
        words = len(unit.text.split())
        outside = max(_WORDS[0] - words, words - _WORDS[1], 0)
        return bool(unit.unclear), outside, -round(float(support[place]) + unit.clear, 6), place

    return group[min(range(len(group)), key=rank)]
