r"""Grouping by meaning (ours): statements belong together when one says what the other says.

*Units* are the references' statements (:mod:`pyramidion.language.parse.statements`): one fact each, readable by itself.

*Candidates.* Pairs of statements from different references are proposed by how near they are: the cosine of their
vectors, less a quarter of how far apart they stand, |x_i - x_j|, with x the middle of a statement among those of
its text, from 0 to 1. Texts on one matter tend to tell it in the same order, and this costs nothing to know. For each
statement it is the :data:`NEAREST` nearest ones, at most :data:`OF_EACH` of a reference, from :data:`LEAST` on.

*Worth.* The entailment network reads the sentence of each statement, as it stands in its reference, once for the
candidates. Which statement of another reference, if any, says what j says? With :math:`\lambda_{ij}` the log odds that
the sentence of i says j, against its saying nothing of the kind,

.. math:: p_{ij} = \frac{e^{u_{ij}}}{1 + \sum_{k \in r(i)} e^{u_{kj}}}, \qquad
          u_{ij} = a\,(\lambda_{ij} + \lambda_{ji}) + b \cos_{ij} + c\,|x_i - x_j| + d

is the chance that of all statements of its reference r(i) it is i. Few statements entail each other in full, so a
probability by itself says little; that nothing else in the reference comes near says more, and holds for networks that
are more or less strict. A sentence, not a statement, is read because it has the words around a statement that tell what
it is about. A pair is worth the smaller of :math:`p_{ij}` and :math:`p_{ji}` less the threshold, and a pair that is not
proposed has the chance 0. What one contradicts with :data:`DENIED` never joins it.

*Groups.* The division of all statements of highest worth, with at most one statement of a reference in a group, is
found exactly (:mod:`~pyramidion.build.partition`); if time runs out, a warning says how far it may be from the best.

``train/meaning.py`` fits a, b, c and d (:data:`CHOICE`) to the bundled examples and the open hand-made topics, and
measures each topic with what the others gave. Beyond :data:`MANY` candidate pairs only the sentence of the longer
statement of each pair is read for the shorter, which takes half of the time.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyramidion.build.assemble import Voice, voices_of
from pyramidion.build.partition import best_partition
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.language.judges.entailment_network import INSTALL, each, installed_weights
from pyramidion.language.parse.segmented import remembering
from pyramidion.language.parse.statements import Statement, statements
from pyramidion.model import SCU, Contributor, Pyramid, Topic
from pyramidion.parts import declare

NEAREST, OF_EACH, LEAST = 8, 3, 0.22
"""Candidates: so many of the nearest statements, of them so many of one reference, from this nearness on."""
CHOICE = (0.55, 3.32, -2.04, 1.53)
"""What speaks for a pair: a, b, c and d."""
THRESHOLD = 0.175
"""The chance above which a pair speaks for one group."""
DENIED = 0.7
"""The probability from which on a contradiction forbids a group."""
MANY = 1500
"""Past so many candidate pairs each is read in one direction."""
TIME_LIMIT = 30.0
"""Seconds for the division; with made-up weights, twenty references of 500 words came within 2 % of the best."""
_ORDER = 0.25
"""What the distance of two statements in their texts takes off their cosine, where candidates are chosen."""
_SURE = (0.01, 0.97)
"""Probabilities outside of these are taken for these: the last digits of a network mean nothing."""
_WORDS = (4, 16)
"""A label's words."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Said:
    """A statement of a reference, or of several references of the same text."""

    voice: int
    statement: Statement
    sentence: str
    """What it was taken from, as it stands in the text."""
    copies: tuple[str, ...]
    """The ids of the references."""

    @property
    def text(self) -> str:
        """The sentence."""
        return self.statement.text

    def contributors(self) -> list[Contributor]:
        """Its words in every copy of its text; ``reason`` holds the sentence."""
        return [Contributor(id, self.statement.spans, reason=self.text) for id in self.copies]


@dataclass(frozen=True, slots=True)
class Compared:
    """Statements beside each other: the sentences of rows say columns; NaN where nobody asked."""

    voice: NDArray[np.int64]
    """The text of each statement."""
    cosine: Floats
    apart: Floats
    """How far apart they stand in their texts, from 0 to 1."""
    entailed: Floats
    denied: Floats

    @property
    def evidence(self) -> Floats:
        """What speaks for each pair, by kind: what the network says, the cosine, the distance, and 1."""
        odds = _log_odds(self.entailed, 1 - self.entailed - self.denied)
        both = np.fmax(odds, odds.T) + np.fmin(odds, odds.T)
        return np.stack([both, self.cosine, self.apart, np.ones_like(self.cosine)])

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


@declare(
    models=installed_weights(),
    english=True,
    installed=bool(installed_weights()),
    install=f"{INSTALL}; or choose a method that goes by words: edua-p+soft, lite+soft",
)
def meaning(
    topic: Topic,
    *,
    threshold: float = THRESHOLD,
    nearest: int = NEAREST,
    embedder: str = "static",
    analyser: str = "en-minilm",
    time_limit: float = TIME_LIMIT,
) -> Pyramid:
    """The topic's pyramid: groups of statements that say the same."""
    if not 0 < threshold < 1:
        raise PyramidionError(f"The threshold is {threshold:g}.", do="give a probability between 0 and 1")
    if nearest < 1:
        raise PyramidionError(f"{nearest} candidates cannot be read for a statement.", do="give nearest=1 or more")
    if not time_limit > 0:
        raise PyramidionError(f"The time limit is {time_limit:g} s.", do="give a number of seconds above 0")
    voices = voices_of(topic, analyser)
    units = said_by_each(voices, analyser)
    read = compared(units, nearest, embedder)
    found = best_partition(read.worth(threshold), time_limit)
    if found.gap > 1e-6:
        warnings.warn(
            f"The groups of topic {topic.id!r} are at most {found.gap:.1%} below the best after {time_limit:g} s; "
            "a higher time_limit may prove more.",
            InputWarning,
            stacklevel=2,
        )
    groups = sorted(found.groups, key=lambda group: _place(group, units, read.entailed))
    made = (_scu(str(number), [units[one] for one in group], read.entailed[np.ix_(group, group)])
            for number, group in enumerate(groups, 1))  # fmt: skip
    return Pyramid(topic.id, tuple(reference for one in voices for _, reference in one.copies), tuple(made))


def said_by_each(voices: Sequence[Voice], analyser: str) -> list[Said]:
    """The statements of each text, in its order."""
    return [
        Said(number, statement, _sentence(voice, statement), tuple(reference.id for _, reference in voice.copies))
        for number, voice in enumerate(voices)
        for statement in statements(voice.segmented.analysis.text, analyser)
    ]


def _sentence(voice: Voice, statement: Statement) -> str:
    analysis = voice.segmented.analysis
    return analysis.span(*analysis.sentences[statement.sentence]).of(analysis.text)


def compared(units: Sequence[Said], nearest: int = NEAREST, embedder: str = "static") -> Compared:
    """Statements with their cosines, and what the network says of the nearest."""
    voice = np.array([unit.voice for unit in units], np.int64)
    cosine = _cosines(remembering(embedder)([unit.text for unit in units]))
    apart = _apart(voice)
    near = np.round(cosine - _ORDER * apart, 6)
    return Compared(voice, cosine, apart, *_read(units, _candidates(near, voice, nearest)))


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


def _candidates(near: Floats, voice: NDArray[np.int64], nearest: int) -> NDArray[np.bool_]:
    """Which pairs are compared: symmetric."""
    proposed = np.zeros(near.shape, np.bool_)
    for one in range(len(near)):
        order = np.argsort(-near[one], kind="stable")
        order = order[(voice[order] != voice[one]) & (near[one, order] >= LEAST)]
        seen: dict[int, int] = {}
        kept = []
        for other in order.tolist():
            seen[int(voice[other])] = seen.get(int(voice[other]), 0) + 1
            if seen[int(voice[other])] <= OF_EACH:
                kept.append(other)
        proposed[one, kept[:nearest]] = True
    either: NDArray[np.bool_] = proposed | proposed.T
    return either


def _read(units: Sequence[Said], pairs: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """How probable it is that a sentence (row) says or contradicts a statement (column); NaN where nobody asked."""
    asked = pairs
    if pairs.sum() > 2 * MANY:
        length = np.array([len(unit.text) for unit in units])
        first = np.arange(len(units))
        longer = (length[:, None] > length) | ((length[:, None] == length) & (first[:, None] < first))
        asked = pairs & longer
    sentences: dict[tuple[int, str], list[int]] = {}
    for one, unit in enumerate(units):
        sentences.setdefault((unit.voice, unit.sentence), []).append(one)
    others = [np.flatnonzero(asked[own].any(axis=0)).tolist() for own in sentences.values()]
    answers = each([(text, [units[other].text for other in asked_of])
                    for (_, text), asked_of in zip(sentences, others, strict=True)])  # fmt: skip
    entailed, denied = np.full(pairs.shape, np.nan), np.full(pairs.shape, np.nan)
    for own, asked_of, rows in zip(sentences.values(), others, answers, strict=True):
        entailed[np.ix_(own, asked_of)], denied[np.ix_(own, asked_of)] = rows[:, 0], rows[:, 1]
    return np.where(asked, entailed, np.nan), np.where(asked, denied, np.nan)


def _log_odds(said: Floats, silent: Floats) -> Floats:
    """Of said against not said; what is contradicted speaks for neither."""
    chance = np.clip(said / np.maximum(said + silent, 1e-4), *_SURE)
    odds: Floats = np.log(chance / (1 - chance))
    return odds


def _place(group: Sequence[int], units: Sequence[Said], entailed: Floats) -> tuple[int, float, Sequence[int]]:
    """By falling weight, then by how surely its members say each other, then in the order of the texts."""
    weight = sum(len(units[one].copies) for one in group)
    read = entailed[np.ix_(group, group)]
    return -weight, -round(float(np.nanmean(read)), 6) if np.isfinite(read).any() else 0.0, group


def _scu(id: str, units: Sequence[Said], entailed: Floats) -> SCU:
    told = units[_best_label(units, entailed)]
    contributors = tuple(contributor for unit in units for contributor in unit.contributors())
    return SCU(id, told.text, contributors, unclear=told.statement.open)


def _best_label(units: Sequence[Said], entailed: Floats) -> int:
    """Of what can be read by itself and has a label's length, the statement that the others say most surely."""
    said = np.nan_to_num(entailed, nan=0.0).sum(axis=0)

    def rank(place: int) -> tuple[bool, int, float, int]:
        words = len(units[place].text.split())
        outside = max(_WORDS[0] - words, words - _WORDS[1], 0)
        return bool(units[place].statement.open), outside, -round(float(said[place]), 6), place

    return min(range(len(units)), key=rank)
