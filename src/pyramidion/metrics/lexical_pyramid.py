r"""The lexical pyramid: a pyramid whose content units are word stems.

The floor that an automatic pyramid has to beat. Every content stem that a reference uses is a unit, and its weight is
the number of references that use it (Nenkova et al. 2007 §2.1, with stems for SCUs). A peer expresses the units whose
stems it has. With D the sum of their weights, Max(X) the weight of the best X units (§2.2), X the peer's distinct
content stems, those that are in no reference included, and X_a the mean number of distinct content stems of a reference
(§2.3),

    raw = D,   quality = D / Max(X),   coverage = D / Max(X_a),   comprehensive = their harmonic mean,

as in :mod:`pyramidion.scoring`. Nothing here knows what a text says: order, negation and who did what are lost, and a
bag of the references' commonest words has quality 1. It tells only whether a method that claims to understand more does
better.

Words are letters, digits and marks of any script (:func:`~pyramidion.metrics.rouge.split_words`, ``unicode``). In
English, words of the closed classes are left out (:data:`STOP_WORDS`) and the others are stemmed as ROUGE-1.5.5 does
(:mod:`~pyramidion.language.text.porter`); in any other language every word counts as it is, after case folding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pyramidion.errors import ModelError
from pyramidion.language.text.word_forms import split_words
from pyramidion.metrics._combine import check_references
from pyramidion.model import max_weight
from pyramidion.scoring import comprehensive

_CLOSED_CLASSES = """
    a an the this that these those such same other another each every either neither both all any some no none
    i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves one ones oneself who whom whose which what whoever whatever
    whichever someone somebody something anyone anybody anything everyone everybody everything nobody nothing
    and or but nor so yet if unless because since although though while whereas whether until till than as once
    of in on at by to from with without within into onto upon about above below over under between among amongst
    through throughout during before after against toward towards across along around behind beside besides beyond
    near off out up down per via for despite except like unlike
    am is are was were be been being do does did doing done have has had having can could may might must shall should
    will would ought cannot
    not only also too very just even still again ever never always often then there here when where why how however
    therefore thus hence moreover furthermore otherwise instead rather quite almost already perhaps else
    more most much many less least few fewer several enough
    s t d m ll re ve don doesn didn isn aren wasn weren hasn haven hadn couldn shouldn wouldn mustn needn ain
"""

_CODE = re.compile("[a-z]{2,3}")
STOP_WORDS = frozenset(_CLOSED_CLASSES.split())
"""English words of the closed classes: determiners, pronouns, conjunctions, prepositions, auxiliaries, the commonest
adverbs without content, and what contractions leave (*don't* is *don* and *t*). Our own list; homographs that are
oftener content words, such as *mine* and *won*, are not in it."""


class LexicalScore(NamedTuple):
    """The four pyramid scores, with stems for SCUs."""

    raw: int
    quality: float
    coverage: float
    comprehensive: float


@dataclass(frozen=True, slots=True)
class LexicalPyramid:
    """The metric with its settings; :meth:`score` is a function of the texts alone, in any order of the references.

    >>> metric = LexicalPyramid()
    >>> metric.weights(["Pumps cool the reactor.", "A pump failed.", "The reactor was cooled by pumps."])
    {'pump': 3, 'cool': 2, 'reactor': 2, 'fail': 1}
    >>> metric.score("The pump cooled nothing else.", ["Pumps cool the reactor.", "A pump failed."])
    LexicalScore(raw=3, quality=1.0, coverage=0.8571428571428571, comprehensive=0.923076923076923)
    >>> print(metric)
    lexical-pyramid|language:en|words:unicode
    """

    language: str = "en"
    """A code of two or three letters. ``en``: stop words are left out and words stemmed; any other: every word counts
    as it is."""

    def __post_init__(self) -> None:
        # "English" would be another language than "en", and its words counted as they are
        if not _CODE.fullmatch(self.language) or self.language == "eng":
            raise ModelError(
                f"The setting language of LexicalPyramid cannot be {self.language!r}",
                do="write en for English, or the code of another language, such as de",
            )

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Every setting that the number depends on, for a signature."""
        return (("language", self.language), ("words", "unicode"))

    def __str__(self) -> str:
        return "|".join(["lexical-pyramid", *(f"{name}:{value}" for name, value in self.parameters)])

    def stems(self, text: str) -> frozenset[str]:
        """Return the distinct content stems of a text.

        >>> sorted(LexicalPyramid().stems("They don't mine coins; miners do."))
        ['coin', 'mine', 'miner']
        >>> sorted(LexicalPyramid("de").stems("Die Kühe sind die Kühe."))
        ['die', 'kühe', 'sind']
        """
        return _stems(text, self.language == "en")

    def weights(self, references: Iterable[str]) -> dict[str, int]:
        """Return each stem with the number of references that use it, heaviest first, then by the alphabet."""
        counts = Counter(stem for reference in check_references(references) for stem in self.stems(reference))
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def score(self, candidate: str, references: Iterable[str]) -> LexicalScore:
        """Return the scores of one candidate; an empty one scores 0."""
        return self.scores([candidate], [references])[0]

    def scores(self, candidates: Sequence[str], references: Sequence[Iterable[str]]) -> list[LexicalScore]:
        """Return the scores of many candidates, each against its own references."""
        if len(candidates) != len(references):
            raise ModelError(
                f"{len(candidates)} candidates and references for {len(references)}",
                do="give each candidate its own list of references",
            )
        pyramids: dict[tuple[str, ...], tuple[dict[str, int], Counter[int], float]] = {}
        results = []
        for candidate, texts in zip(candidates, references, strict=True):
            given = check_references(texts)
            if given not in pyramids:
                pyramids[given] = self._pyramid(given)
            results.append(_score(self.stems(candidate), *pyramids[given]))
        return results

    def _pyramid(self, references: tuple[str, ...]) -> tuple[dict[str, int], Counter[int], float]:
        """Return the stems' weights, how many stems have each, and Max(X_a)."""
        weights = self.weights(references)
        tiers = Counter(weights.values())
        return weights, tiers, max_weight(tiers, sum(weights.values()) / len(references))


def _score(stems: frozenset[str], weights: dict[str, int], tiers: Counter[int], average: float) -> LexicalScore:
    raw = sum(weights.get(stem, 0) for stem in stems)
    best = max_weight(tiers, len(stems))
    quality, coverage = raw / best if best else 0.0, raw / average if average else 0.0
    return LexicalScore(raw, quality, coverage, comprehensive(quality, coverage))


@lru_cache(maxsize=1024)
def _stems(text: str, english: bool) -> frozenset[str]:
    return frozenset(split_words(text, "unicode", stem=english, stop_words=STOP_WORDS if english else frozenset()))
