r"""The agreement of two pyramids of the same references on what belongs together: pair precision, recall and F1.

A given pyramid H and a built one B group words of the references into SCUs. Two pieces of text of different
references belong together in a pyramid if they are in one of its SCUs (Nenkova et al. 2007, section 2.1, where an SCU
is what its contributors share). Counted over SCUs S of the built pyramid and T of the given one,

.. math::
   purity = \frac{\sum_{S \in B} right(S)}{\sum_{S \in B} pairs(S)}, \quad
   completeness = \frac{\sum_{T \in H} found(T)}{\sum_{T \in H} pairs(T)}, \quad
   F_1 = \frac{2 \cdot purity \cdot completeness}{purity + completeness}.

Pieces are of two kinds, and each kind misses what the other sees.

*Contributors.* W(c) are the words of a contributor c, that is the words that its spans touch. A built contributor c and
a given one h say the same if they share half of the shorter:

.. math:: c \sim h \iff 2\, |W(c) \cap W(h)| \ge \min(|W(c)|, |W(h)|) > 0.

pairs(S) are the pairs of contributors of S from different references. A pair (c, c') is right if there is a given
SCU T with h, h' in T, c ~ h and c' ~ h'. A pair (h, h') of T is found if there is a built SCU S with c, c' in S, c ~ h
and c' ~ h'. This asks whether what is put together shares an idea. It forgives contributors that are too long: one SCU
of all whole references is pure and complete.

*Words.* pairs(S) are the pairs of words of different references in S. Only words count that are in some contributor of
the given pyramid, since the others carry no content by its annotator. A pair is right if a given SCU holds both words;
it is found if a built SCU does. This asks whether an SCU is one idea. Where people marked a part of a clause, an SCU of
the whole clause cannot be pure, so the best that a builder of clauses can reach is well below 1.

SCUs of weight 1 have no pairs. A purity or completeness without pairs is None; F1 is 0 where only one of them is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.model import Pyramid

Pieces = Literal["contributors", "words"]

_WORD = re.compile(r"\w+(?:['’-]\w+)*")  # noqa: RUF001


class PairCounts(NamedTuple):
    """The pairs of one SCU, and how many of them the other pyramid puts together, too."""

    shared: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Grouping:
    """The pairs that two pyramids make of the same references, SCU by SCU."""

    built: tuple[PairCounts, ...]
    """For each SCU of the built pyramid, its pairs and those that are right."""
    given: tuple[PairCounts, ...]
    """For each SCU of the given pyramid, its pairs and those that are found."""


@dataclass(frozen=True, slots=True)
class _Marked:
    """The contributors of a pyramid over the words of all references."""

    words: NDArray[np.bool_]
    """A row for each contributor, a column for each word."""
    reference: tuple[str, ...]
    """The reference of each contributor."""
    scus: tuple[tuple[int, ...], ...]
    """The contributors of each SCU."""

    def by_scu(self, of_contributors: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Join rows of contributors to rows of SCUs: true if it is true for one of the SCU's contributors."""
        return np.array([of_contributors[list(scu)].any(axis=0) for scu in self.scus], dtype=bool)

    def pairs(self, scu: Sequence[int]) -> list[tuple[int, int]]:
        """Return the pairs of contributors from different references."""
        return [
            (first, second) for first, second in combinations(scu, 2) if self.reference[first] != self.reference[second]
        ]


@check_choices
def grouping(given: Pyramid, built: Pyramid, pieces: Pieces = "contributors") -> Grouping:
    """Compare a built pyramid with a given one of the same references.

    >>> from pyramidion.model import SCU, Contributor, Span, Summary
    >>> a, b = Summary("a", "Rain fell. Cows slept."), Summary("b", "It rained. The cattle rested.")
    >>> rain = SCU("1", "Rain fell", (Contributor("a", (Span(0, 9),)), Contributor("b", (Span(0, 9),))))
    >>> cows = SCU("2", "Cows slept", (Contributor("a", (Span(11, 21),)), Contributor("b", (Span(11, 28),))))
    >>> both = SCU("3", "Rain and cows", (Contributor("a", (Span(0, 21),)), Contributor("b", (Span(0, 28),))))
    >>> given = Pyramid("t", (a, b), (rain, cows))
    >>> grouping(given, Pyramid("t", (a, b), (rain,)))          # one pair of one is right, one of two is found
    Grouping(built=(PairCounts(shared=1, pairs=1),),
             given=(PairCounts(shared=1, pairs=1), PairCounts(shared=0, pairs=1)))
    >>> grouping(given, Pyramid("t", (a, b), (both,)))          # too long, and forgiven
    Grouping(built=(PairCounts(shared=1, pairs=1),),
             given=(PairCounts(shared=1, pairs=1), PairCounts(shared=1, pairs=1)))
    >>> grouping(given, Pyramid("t", (a, b), (both,)), "words").built     # 4 x 5 pairs, 2 x 2 + 2 x 3 right
    (PairCounts(shared=10, pairs=20),)
    """
    words = [(reference.id, *word.span()) for reference in given.references for word in _WORD.finditer(reference.text)]
    theirs, ours = _mark_words(given, words), _mark_words(built, words)
    if not theirs.words.any(axis=1).all():
        raise PyramidionError(
            f"The pyramid of topic {given.topic!r} has contributors without words.",
            do="give every contributor its spans, which are needed to compare builders",
        )
    if pieces == "contributors":
        common = ours.words.astype(int) @ theirs.words.astype(int).T
        shorter = np.minimum.outer(ours.words.sum(axis=1), theirs.words.sum(axis=1))
        alike = (2 * common >= shorter) & (common > 0)
        return Grouping(
            _together(ours, theirs.by_scu(alike.T).T),
            _together(theirs, ours.by_scu(alike).T),
        )
    references = np.array([id for id, _, _ in words])
    apart = references[:, None] != references
    marked = theirs.words.any(axis=0)  # the annotator of the given pyramid found no content in the other words
    return Grouping(
        _word_pairs(ours.by_scu(ours.words) & marked, theirs.by_scu(theirs.words), apart),
        _word_pairs(theirs.by_scu(theirs.words), ours.by_scu(ours.words), apart),
    )


def _mark_words(pyramid: Pyramid, words: Sequence[tuple[str, int, int]]) -> _Marked:
    """Mark the words of every contributor."""
    rows: list[list[bool]] = []
    owners: list[str] = []
    scus: list[tuple[int, ...]] = []
    for scu in pyramid.scus:
        scus.append(tuple(range(len(rows), len(rows) + len(scu.contributors))))
        for contributor in scu.contributors:
            owners.append(contributor.summary)
            rows.append(
                [
                    id == contributor.summary
                    and any(span.start < end and start < span.end for span in contributor.spans)
                    for id, start, end in words
                ]
            )
    return _Marked(np.array(rows, dtype=bool).reshape(len(rows), len(words)), tuple(owners), tuple(scus))


def _together(marked: _Marked, in_other_scus: NDArray[np.bool_]) -> tuple[PairCounts, ...]:
    """Count, for each SCU, its pairs and those in one SCU of the other pyramid (a row per contributor)."""
    counts = []
    for scu in marked.scus:
        pairs = marked.pairs(scu)
        counts.append(
            PairCounts(
                sum(bool((in_other_scus[first] & in_other_scus[second]).any()) for first, second in pairs), len(pairs)
            )
        )
    return tuple(counts)


def _word_pairs(
    scus: NDArray[np.bool_], other_scus: NDArray[np.bool_], apart: NDArray[np.bool_]
) -> tuple[PairCounts, ...]:
    """Count, for each SCU, its pairs of words and those in one SCU of the other pyramid; both are rows over words."""
    held = other_scus.astype(int)
    together = held.T @ held > 0
    counts = []
    for scu in scus:
        (inside,) = scu.nonzero()
        pairs = apart[np.ix_(inside, inside)]
        # each pair is in the matrix twice, in either order
        counts.append(PairCounts(int((pairs & together[np.ix_(inside, inside)]).sum()) // 2, int(pairs.sum()) // 2))
    return tuple(counts)


def share(counts: Iterable[PairCounts]) -> float | None:
    """Return the share of the pairs of all SCUs that the other pyramid has, too."""
    counts = tuple(counts)
    pairs = sum(count.pairs for count in counts)
    return sum(count.shared for count in counts) / pairs if pairs else None


def f1(purity: float | None, completeness: float | None) -> float | None:
    """Return the harmonic mean; 0 if one of the two is 0 or has no pairs, None if neither has pairs.

    >>> f1(0.5, 1.0), f1(None, 0.0), f1(None, None)
    (0.6666666666666666, 0.0, None)
    """
    if purity is None and completeness is None:
        return None
    return 2 * purity * completeness / (purity + completeness) if purity and completeness else 0.0
