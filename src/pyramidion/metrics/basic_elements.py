"""Basic Elements: how many head-modifier(-relation) triples of the references a candidate has.

E. Hovy, C.-Y. Lin, L. Zhou and J. Fukumoto, 2006, Automated summarization evaluation with basic elements, *LREC*. The
units are those of :mod:`pyramidion.language.parse.basic_elements`; two are the same

- ``hm``: if head and modifier are,
- ``hmr``: if the relation is, too,

and everything else is as in :mod:`~pyramidion.metrics.rouge`, since ROUGE-1.5.5 itself computes BE (its option ``-3``):
a unit counts at most as often as it stands in either text (Hirao et al. 2018, eq. 8), and recall, precision, F and
several references are the same. Every element weighs 1. Texts must be parsed: English, or what the analyser can parse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.basic_elements import basic_elements
from pyramidion.metrics._combine import Combination, RougeScore, check_references, combine

Matching = Literal["hm", "hmr", "be-hm", "be-hmr"]


@check_choices
@dataclass(frozen=True, slots=True)
class BasicElements:
    r"""BE with its settings.

    >>> one, other = "Two Libyans were indicted.", "The court indicted the two Libyans in 1991."
    >>> print(*(" | ".join(unit) for unit in BasicElements("hmr").units(one)), sep="\n")
    libyan | two | nn
    indict | libyan | obj
    >>> BasicElements("hm").score(one, [other])
    RougeScore(recall=0.5, precision=1.0, f=0.6666666666666666)
    >>> print(BasicElements("be-hm"))
    be:hm|analyser:en-minilm|references:average|alpha:0.5
    """

    matching: Matching = "hm"
    """Head and modifier, or these and the relation; ``be-hm`` is read as ``hm``."""
    analyser: str = "en-minilm"
    """The analyser that parses (:func:`pyramidion.language.parse.analysers.analyser`)."""
    references: Combination = "average"
    """The way to combine several references, as for :class:`~pyramidion.metrics.rouge.Rouge`."""
    alpha: float = 0.5
    """1 makes F the precision, 0 the recall."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "matching", self.matching.removeprefix("be-"))
        if not 0 <= self.alpha <= 1:
            raise ModelError(f"Alpha cannot be {self.alpha}", do="use a number from 0 to 1")

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Every setting that the number depends on, for a signature."""
        fields = ("be", self.matching), ("analyser", self.analyser), ("references", self.references)
        return (*fields, ("alpha", str(self.alpha)))

    def __str__(self) -> str:
        return "|".join(f"{name}:{value}" for name, value in self.parameters)

    def units(self, text: str) -> Counter[tuple[str, ...]]:
        """Return the units that are compared, and how often each occurs in the text."""
        return Counter(unit[: len(self.matching)] for unit in _elements(text, self.analyser))

    def score(self, candidate: str, references: Iterable[str]) -> RougeScore:
        """Score one candidate against its references; one without basic elements scores 0."""
        return self.scores([candidate], [references])[0]

    def scores(self, candidates: Sequence[str], references: Sequence[Iterable[str]]) -> list[RougeScore]:
        """Score many candidates, each against its own references; parses are kept for a while."""
        if len(candidates) != len(references):
            raise ModelError(
                f"{len(candidates)} candidates and references for {len(references)}",
                do="give each candidate its own list of references",
            )
        given = [check_references(texts) for texts in references]
        if not given:
            return []
        import numpy as np  # here, because importing it takes longer than everything else that --help needs

        pairs = [
            (self.units(reference), self.units(candidate))
            for candidate, texts in zip(candidates, given, strict=True)
            for reference in texts
        ]
        hits = np.array([(reference & candidate).total() for reference, candidate in pairs])
        theirs, ours = (np.array([pair[side].total() for pair in pairs]) for side in (0, 1))
        return combine(hits, theirs, ours, [len(texts) for texts in given], self.references, self.alpha)


@lru_cache(maxsize=4096)
def _elements(text: str, analyser: str) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (basic_element.head, basic_element.modifier, basic_element.relation)
        for basic_element in basic_elements(analysed(text, analyser))
    )
