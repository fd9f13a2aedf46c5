"""ROUGE: how many units of the references a candidate has, and how many of its own the references have.

C.-Y. Lin, 2004, ROUGE: A package for automatic evaluation of summaries, *Text Summarization Branches Out*. With
``hits`` the units that candidate and reference share, each counted at most as often as it stands in either,

    recall = hits / units of the reference,   precision = hits / units of the candidate,
    F = precision * recall / ((1 - alpha) * precision + alpha * recall).

A unit is an n-gram (ROUGE-N, §2), a word of the longest common subsequence (ROUGE-L, §3), the same with a premium
``f(k) = k^1.2`` on runs of ``k`` words (ROUGE-W, §4), a pair of words with at most ``d`` others between them
(ROUGE-Sd, §5.1), or such a pair or a single word (ROUGE-SUd, §5.2).

The program ROUGE-1.5.5, which made nearly all published figures, departs from the paper. ``variant="rouge155"`` (the
default) does as the program does, ``variant="lin2004"`` as the paper says:

================  ====================================================  ================================
                  rouge155                                              lin2004
================  ====================================================  ================================
SU: words         the last word of a text is no unit                    every word is a unit
W: runs           consecutive in the reference                          consecutive in both texts (eq. 14)
W: recall         ``f^-1(hits / f(sum of f(m_i)))`` over sentences of   ``f^-1(hits / f(m))``: each text
                  ``m_i`` words: ``f`` is taken twice, so that a text   is one sequence of words
                  does not score 1 against itself
W: best           the reference with the greatest                       the reference with the best recall
                  ``hits / sum of f(m_i)``, which need not have the
                  best recall
================  ====================================================  ================================

In both: the union LCS of ROUGE-L (§3.2) is clipped by word counts, as in the program, since precision could exceed 1
otherwise; n-grams and skip-bigrams run across sentence boundaries, as in the program. Scores are not rounded (the
program rounds recall and precision to five decimals before it takes F): :meth:`RougeScore.printed` gives its digits.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.language.text.word_forms import Tokens, split_words
from pyramidion.metrics._combine import Combination, RougeScore, check_references, combine
from pyramidion.metrics._lcs import union_hits, weighted_length, weighted_union_hits

if TYPE_CHECKING:  # numpy takes longer to import than everything else that --help needs
    import numpy as np
    from numpy.typing import NDArray

    from pyramidion.metrics._combine import Numbers
    from pyramidion.metrics._pairs import Pairs

__all__ = ["Combination", "Rouge", "RougeScore", "split_words"]

PORTION = 1 << 21
"""The number of characters that are compared at a time, so that memory is bounded."""

_METRIC = re.compile(r"[1-9][0-9]{0,2}|L|W|SU?[0-9]{1,3}")


@check_choices
@dataclass(frozen=True)
class Rouge:
    """One ROUGE metric with its settings; calling :meth:`score` with equal settings gives equal numbers.

    >>> Rouge("1").score("police killed the gunman", ["the gunman killed police"])
    RougeScore(recall=1.0, precision=1.0, f=1.0)
    >>> Rouge("L").score("police kill the gunman", ["police killed the gunman"]).recall
    0.75
    >>> print(Rouge("rouge-su4", stem=True))
    rouge:SU4|stem:yes|stop:no|words:rouge155|references:average|alpha:0.5|variant:rouge155
    """

    metric: str = "2"
    """``1``, ``2``, ... (n-grams), ``L``, ``W``, ``S4``, ``SU4`` (any distance); ``rouge-2`` is read as ``2``."""
    stem: bool = False
    """Stem words and map irregular forms (ROUGE's ``-m``): :mod:`pyramidion.language.text.porter`."""
    stop_words: frozenset[str] = frozenset()
    """Words in lower case to leave out before stemming (ROUGE's ``-s``, whose list is not shipped)."""
    tokens: Tokens = "rouge155"
    """The definition of a word (:func:`split_words`)."""
    references: Combination = "average"
    """How several references make one score: hits and sizes added up (``-f A``), the reference with the best recall
    (``-f B``), or the mean of the best over all choices of all references but one (Lin 2004, §2)."""
    level: Literal["summary", "sentence"] = "summary"
    """For ``L`` and ``W``: a line is a sentence and LCS are united (§3.2), or the text is one sequence (§3.1)."""
    alpha: float = 0.5
    """1 makes F the precision, 0 the recall."""
    weight: float = 1.2
    """The exponent of ``f`` for ``W``."""
    variant: Literal["rouge155", "lin2004"] = "rouge155"
    """The program or the paper, where they differ."""

    def __post_init__(self) -> None:
        metric = self.metric.upper().removeprefix("ROUGE-")
        if not _METRIC.fullmatch(metric):
            raise ModelError(f"There is no ROUGE metric {self.metric!r}", do="use 1, 2, 3, ..., L, W, S4 or SU4")
        object.__setattr__(self, "metric", metric)
        object.__setattr__(self, "stop_words", frozenset(self.stop_words))
        if not 0 <= self.alpha <= 1:
            raise ModelError(f"Alpha cannot be {self.alpha}", do="use a number from 0 to 1")
        if not 1 <= self.weight <= 10:
            raise ModelError(f"Weight cannot be {self.weight}", do="use a number from 1 to 10")

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Every setting that the number depends on, for a signature; a stop list by its size and a hash."""
        stop = "no"
        if self.stop_words:
            listed = "\n".join(sorted(self.stop_words)).encode("utf-8", "surrogatepass")
            stop = f"{len(self.stop_words)}-{hashlib.sha256(listed).hexdigest()[:8]}"
        fields = [("rouge", self.metric), ("stem", "yes" if self.stem else "no"), ("stop", stop)]
        fields += [("words", self.tokens), ("references", self.references)]
        if self.metric in ("L", "W"):
            fields.append(("level", self.level))
        if self.metric == "W":
            fields.append(("weight", str(self.weight)))
        return (*fields, ("alpha", str(self.alpha)), ("variant", self.variant))

    def __str__(self) -> str:
        return "|".join(f"{name}:{value}" for name, value in self.parameters)

    def score(self, candidate: str, references: Iterable[str]) -> RougeScore:
        """Score one candidate against its references; an empty candidate scores 0.

        >>> Rouge("1", references="best").score("a cat", ["a dog barked", "a cat"]).f
        1.0
        """
        return self.scores([candidate], [references])[0]

    def scores(self, candidates: Sequence[str], references: Sequence[Iterable[str]]) -> list[RougeScore]:
        """Score many candidates, each against its own references, far faster than one by one.

        Prepared texts are kept for a while, so that another metric on the same texts takes less.
        """
        if len(candidates) != len(references):
            raise ModelError(
                f"{len(candidates)} candidates and references for {len(references)}",
                do="give each candidate its own list of references",
            )
        given = [check_references(texts) for texts in references]
        from pyramidion.metrics._pairs import prepared

        found: list[RougeScore] = []
        for start, end in _portions(candidates, given):
            texts, reference_lists = tuple(candidates[start:end]), tuple(given[start:end])
            pairs = prepared(texts, reference_lists, self.tokens, self.stem, self.stop_words)
            sizes = [len(group) for group in reference_lists]
            found += combine(*self._matches(pairs), sizes, self.references, self.alpha, *self._powers)
        return found

    @property
    def _powers(self) -> tuple[float, float]:
        """The powers that undo ``f`` in the quotients, and in the sizes of references when the best is looked for."""
        if self.metric != "W":
            return 1, 1
        return self.weight, self.weight if self.variant == "rouge155" else 1

    def _matches(self, pairs: Pairs) -> tuple[Numbers, Numbers, Numbers]:
        """Return for each pair the hits, and what they are divided by for recall and for precision."""
        import numpy as np

        reference, candidate = pairs.lengths
        if self.metric == "W":
            return self._weighted_matches(pairs)
        if self.metric == "L":
            by_line = self.level == "summary" and pairs.have_lines
            found = [union_hits(*pair) for pair in pairs.sentences(by_line=True)] if by_line else pairs.common_lengths()
            return np.array(found), reference, candidate
        if self.metric.isdigit():
            n = int(self.metric)
            return pairs.n_gram_hits(n), np.maximum(reference - n + 1, 0), np.maximum(candidate - n + 1, 0)
        distance = int(self.metric.lstrip("SU"))
        hits = pairs.skip_bigram_hits(distance)
        sizes = _skip_bigrams(reference, distance), _skip_bigrams(candidate, distance)
        if not self.metric.startswith("SU"):
            return hits, *sizes
        but_last = self.variant == "rouge155"
        hits += pairs.word_hits(but_last=but_last)
        return hits, sizes[0] + np.maximum(reference - but_last, 0), sizes[1] + np.maximum(candidate - but_last, 0)

    def _weighted_matches(self, pairs: Pairs) -> tuple[Numbers, Numbers, Numbers]:
        """Return :meth:`_matches` of ROUGE-W, by the program or by the paper: see the table of the module."""
        import numpy as np

        by_line = self.level == "summary" and self.variant == "rouge155"
        rows = []
        for reference, candidate in pairs.sentences(by_line=by_line):
            size = sum(map(len, candidate)) ** self.weight
            if self.variant == "lin2004":
                hits = weighted_length(reference[0], candidate[0], self.weight)
                rows.append((hits, len(reference[0]) ** self.weight, size))
            else:
                # f twice, of each sentence and of their sum, as the program has it: see the table of the module.
                twice = sum(len(sentence) ** self.weight for sentence in reference) ** self.weight
                rows.append((weighted_union_hits(reference, candidate, self.weight), twice, size))
        columns = np.array(rows, dtype=float).T
        return columns[0], columns[1], columns[2]


def _portions(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Yield ranges of candidates that are compared together."""
    start = size = 0
    for end, (text, of_text) in enumerate(zip(candidates, references, strict=True)):
        if size > PORTION:
            yield start, end
            start, size = end, 0
        size += len(text) * len(of_text) + sum(map(len, of_text))
    if start < len(candidates):
        yield start, len(candidates)


def _skip_bigrams(lengths: NDArray[np.int64], distance: int) -> NDArray[np.int64]:
    """Return how many pairs with at most ``distance`` words between them a text of so many words has."""
    import numpy as np

    steps = np.clip(lengths - 1, 0, distance + 1)
    return steps * lengths - steps * (steps + 1) // 2


def rouge(candidate: str, references: Iterable[str], metric: str = "2", **settings: Any) -> RougeScore:
    """The ROUGE score of one summary, equal to that of ROUGE-1.5.5.

    * ``candidate`` is the summary's text.
    * ``references`` are the texts that it is compared with.
    * ``metric`` is a number of words (``2``), ``L``, ``W``, ``S4`` or ``SU4``.
    * ``settings`` are those of :class:`Rouge`: ``stem``, ``stop_words``, ``references``, ...

    >>> import pyramidion as pm
    >>> pm.rouge("a cat sat", ["the cat sat"])
    RougeScore(recall=0.5, precision=0.5, f=0.5)
    """
    return Rouge(metric, **settings).score(candidate, references)
