r"""How many references does a pyramid need? Errors, rankings and ranges of scores by its size (Nenkova et al. 2007 §3).

The scores of P summaries against pyramids of n references are a matrix, pyramids x summaries; the score against the
*whole* pyramid (nine references in the paper) is taken for the truth. With a threshold t (.06) two summaries are *the
same* if their scores differ by less than t, and *different* otherwise, the better being the one with the higher score.
Each pair of summaries with each pyramid of n references is one observation. Those of n references may err in three
ways, each with a conditional probability estimated by counting, pairs of all topics together:

====  ========================================================================  ==================================
E1    same against the whole, different against n: a difference made up         p1 = P(different_n | same)
E2    different against the whole, same against n: a difference lost            p2 = P(same_n | different)
E3    different both times, but the other way round: the most severe            p3 = P(reversed_n | different)
====  ========================================================================  ==================================

The total probability of error is p = p1 P(same) + (p2 + p3)(1 - P(same)): the share of observations that err. The paper
writes p3 as a sum of two conditional probabilities, one for either order of a pair; with each pair counted once, its
better summary named, that is one. Its "different" is "by more than .06": a difference of exactly t is nowhere in the
paper, and different here.

Two summaries *diverge* at size n if the lowest score of the better, over all pyramids of n references, is higher than
the highest of the worse (Figure 2). Divergence stayed in the paper's data as pyramids grew; here the *point of
divergence* is the smallest size from which they diverge at every size. A weaker condition is that the ranking is
*settled*: from that size on, no pyramid ranks the worse summary first or both as equal.

All of this measures agreement with the whole pyramid, which contains the smaller ones. Near its size they agree by
construction, so the figures are a lower bound on the error against another set of references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import ModelError
from pyramidion.stats.correlation import correlations_by_row

Array = NDArray[np.float64]

THRESHOLD = 0.06
"""Scores that differ by less count as the same: annotators of one pyramid differ by as much (§3)."""
APART = 0.1
"""Pairs that differ by more against the whole pyramid: those whose point of divergence the paper averages (§3)."""
ERROR = 0.1
"""The total probability of error at the five references that the paper concludes with (§3, Table I)."""
RANKING = 0.85
"""Spearman's coefficient at which the paper calls rankings of five summaries dependent (§3, alpha = .05)."""

_DIGITS = 12
_CELLS = 1 << 22
"""The most differences of pairs that are held at once."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The scores of one summary over the pyramids of one size: a mark of Figure 2."""

    size: int
    pyramids: int
    minimum: float
    lower: float
    """The first quartile."""
    median: float
    upper: float
    """The third quartile."""
    maximum: float
    mean: float


@dataclass(frozen=True, slots=True)
class Errors:
    """A row of Table I, as counts of observations (a pair of summaries, a pyramid of that size)."""

    size: int
    same: int
    """Observations of pairs that are the same against the whole pyramid."""
    different: int
    e1: int
    e2: int
    e3: int

    @property
    def observations(self) -> int:
        """The paper's data points."""
        return self.same + self.different

    @property
    def p1(self) -> float | None:
        """P(different_n | same); None if no pair is the same."""
        return self.e1 / self.same if self.same else None

    @property
    def p2(self) -> float | None:
        """P(same_n | different); None if no pair differs."""
        return self.e2 / self.different if self.different else None

    @property
    def p3(self) -> float | None:
        """P(reversed_n | different); None if no pair differs."""
        return self.e3 / self.different if self.different else None

    @property
    def p(self) -> float | None:
        """The total probability of error.

        >>> errors = Errors(size=1, same=2, different=6, e1=1, e2=2, e3=1)
        >>> errors.p1, errors.p2, errors.p
        (0.5, 0.3333333333333333, 0.5)
        """
        return (self.e1 + self.e2 + self.e3) / self.observations if self.observations else None


@dataclass(frozen=True, slots=True)
class Ranking:
    """A row of Table II: the mean Spearman correlation with the whole pyramid's ranking."""

    size: int
    total: float
    pyramids: int
    """Pyramids whose correlation is defined."""
    undefined: int = 0
    """Pyramids without a correlation: they, or the whole pyramid, score all their summaries alike."""

    @property
    def mean(self) -> float | None:
        """The mean over pyramids; None if all are undefined."""
        return self.total / self.pyramids if self.pyramids else None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two summaries that the whole pyramid tells apart, and the size from which smaller pyramids agree."""

    better: str
    worse: str
    difference: float
    divergence: int
    """The smallest size from which the better's lowest score is above the worse's highest, or else the whole size."""
    settled: int
    """The smallest size from which no pyramid ranks them otherwise."""


@dataclass(frozen=True, slots=True)
class Stability:
    """The scores of one topic's summaries by the number of references, with errors and rankings."""

    whole: int
    """The references of the whole pyramid."""
    summaries: tuple[str, ...]
    scores: tuple[float, ...]
    """Against the whole pyramid."""
    spreads: tuple[tuple[Spread, ...], ...]
    """For each summary, by size."""
    errors: tuple[Errors, ...]
    rankings: tuple[Ranking, ...]
    pairs: tuple[Pair, ...] = field(repr=False)


def stability(by_size: Mapping[int, Array], summaries: Sequence[str], threshold: float = THRESHOLD) -> Stability:
    """Return the stability of the scores of one topic's summaries.

    ``by_size`` has for each number of references a matrix of pyramids x summaries. NaN marks a summary that is itself
    one of the pyramid's references: it is not compared there, and each row of one size must have as many. The largest
    key is the whole pyramid's size: there, each summary has one score.

    >>> import numpy as np
    >>> found = stability({1: np.array([[.5, .1], [.3, .3]]), 2: np.array([[.4, .2]])}, "AB")
    >>> found.errors
    (Errors(size=1, same=0, different=2, e1=0, e2=1, e3=0),)
    >>> found.pairs
    (Pair(better='A', worse='B', difference=0.2, divergence=2, settled=2),)
    """
    scores, sizes = _check_scores(by_size, summaries, threshold)
    truth = np.nanmax(scores[sizes[-1]], axis=0)
    first, second = np.triu_indices(len(truth), 1)
    swapped = truth[first] < truth[second]
    better, worse = np.where(swapped, second, first), np.where(swapped, first, second)
    difference = np.round(truth[better] - truth[worse], _DIGITS)
    errors, rankings, apart, holds = [], [], [], []
    for size in sizes:
        matrix = scores[size]
        size_errors, held = _count_errors(size, matrix, better, worse, difference, threshold)
        holds.append(held)
        apart.append(np.nanmin(matrix, axis=0)[better] > np.nanmax(matrix, axis=0)[worse])
        if size < sizes[-1] and size_errors.observations:  # the whole pyramid would be compared with itself
            errors.append(size_errors)
            rankings.append(_ranking(size, matrix, truth))
    pairs = [
        Pair(
            summaries[better[index]],
            summaries[worse[index]],
            float(difference[index]),
            _since(sizes, [bool(there[index]) for there in apart]) or sizes[-1],
            _since(sizes, [bool(there[index]) for there in holds]) or sizes[-1],
        )
        for index in np.flatnonzero(difference > 0)
    ]
    return Stability(
        sizes[-1],
        tuple(summaries),
        tuple(truth.tolist()),
        tuple(tuple(_spread(size, scores[size][:, summary]) for size in sizes) for summary in range(len(truth))),
        tuple(errors),
        tuple(rankings),
        tuple(pairs),
    )


def _check_scores(
    by_size: Mapping[int, Array], summaries: Sequence[str], threshold: float
) -> tuple[dict[int, Array], list[int]]:
    """Return the scores by size, rounded so that equal scores are equal, and the sizes from small to large."""
    if not (0 < threshold < float("inf")):
        raise ModelError(f"The threshold {threshold} is not a difference of scores", do="give a number above 0")
    if len(summaries) < 2:
        raise ModelError("There is only one summary, so there is no pair to compare", do="give two summaries or more")
    if len(by_size) < 2:
        raise ModelError("A pyramid of one reference has no smaller ones", do="give two references or more")
    scores = {size: np.round(np.asarray(matrix, dtype=float), _DIGITS) for size, matrix in by_size.items()}
    for size, matrix in scores.items():
        there = ~np.isnan(matrix)
        if matrix.ndim != 2 or matrix.shape[1] != len(summaries) or np.isinf(matrix).any() or not there.any(0).all():
            raise ModelError(
                f"The scores against pyramids of {size} are not a matrix of pyramids x {len(summaries)} summaries",
                do="give finite scores, some for every summary",
            )
        if len(set(there.sum(axis=1).tolist())) > 1:
            raise ModelError(f"Pyramids of {size} score different numbers of summaries", do="score the same number")
    sizes = sorted(scores)
    if ((~np.isnan(scores[sizes[-1]])).sum(axis=0) > 1).any():
        raise ModelError("A summary has several scores against the whole pyramid", do="give one for each")
    return scores, sizes


def _spread(size: int, column: Array) -> Spread:
    values = column[~np.isnan(column)]
    lowest, lower, median, upper, highest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).round(_DIGITS).tolist()
    return Spread(
        size, len(values), lowest, lower, median, upper, highest, round(float(np.sort(values).mean()), _DIGITS)
    )


def _count_errors(
    size: int,
    matrix: Array,
    better: NDArray[np.intp],
    worse: NDArray[np.intp],
    difference: Array,
    threshold: float,
) -> tuple[Errors, NDArray[np.bool_]]:
    """Count the errors of all pairs and pyramids of one size; for each pair, whether every pyramid keeps its order."""
    really_same = difference < threshold
    counts = np.zeros(5, dtype=np.int64)
    holds = np.ones(len(difference), dtype=bool)
    step = max(1, _CELLS // max(1, len(difference)))
    for start in range(0, len(matrix), step):
        rows = matrix[start : start + step]
        here = np.round(rows[:, better] - rows[:, worse], _DIGITS)
        there = ~np.isnan(here)
        alike = np.abs(here) < threshold  # false where one is missing
        counts += (
            np.count_nonzero(there & really_same),
            np.count_nonzero(there & ~really_same),
            np.count_nonzero(there & really_same & ~alike),
            np.count_nonzero(~really_same & alike),
            np.count_nonzero(~really_same & (here <= -threshold)),
        )
        holds &= ~(here <= 0).any(axis=0)
    return Errors(size, *counts.tolist()), holds


def _ranking(size: int, matrix: Array, truth: Array) -> Ranking:
    """Correlate each row with the whole pyramid's scores of the same summaries, by Spearman's coefficient."""
    there = ~np.isnan(matrix)
    rows = len(matrix)
    ours = matrix[there].reshape(rows, -1)
    theirs = np.broadcast_to(truth, matrix.shape)[there].reshape(rows, -1)
    values = correlations_by_row(ours, theirs, "spearman")
    defined = np.sort(values[~np.isnan(values)])
    return Ranking(size, round(float(defined.sum()), _DIGITS - 2), len(defined), rows - len(defined))


def _since(sizes: Sequence[int], holds: Sequence[bool]) -> int | None:
    """Return the smallest size at which, and above which, a condition always holds; None if there is none."""
    smallest = None
    for size, there in zip(reversed(sizes), reversed(holds), strict=True):
        if not there:
            break
        smallest = size
    return smallest


# Topics together


def pooled_errors(topics: Iterable[Stability]) -> tuple[Errors, ...]:
    """Sum the counts of errors over topics, by size, as in Table I."""
    rows: dict[int, list[Errors]] = {}
    for topic in topics:
        for row in topic.errors:
            rows.setdefault(row.size, []).append(row)
    return tuple(
        Errors(
            size, *(sum(getattr(row, name) for row in rows[size]) for name in ("same", "different", "e1", "e2", "e3"))
        )
        for size in sorted(rows)
    )


def pooled_rankings(topics: Iterable[Stability]) -> tuple[Ranking, ...]:
    """Return mean Spearman correlations over all topics' pyramids, by size, as in Table II."""
    rows: dict[int, list[Ranking]] = {}
    for topic in topics:
        for row in topic.rankings:
            rows.setdefault(row.size, []).append(row)
    return tuple(
        Ranking(
            size,
            sum(sorted(row.total for row in rows[size])),
            sum(row.pyramids for row in rows[size]),
            sum(row.undefined for row in rows[size]),
        )
        for size in sorted(rows)
    )


def mean_divergence(pairs: Iterable[Pair], apart: float = APART) -> tuple[float | None, int]:
    """Return the mean point of divergence of the pairs that differ by more than ``apart``, and how many those are.

    The paper has 5.5 for 67 pairs of nine references (68 where it counts them first).
    """
    points = [pair.divergence for pair in pairs if pair.difference > apart]
    return (sum(points) / len(points) if points else None), len(points)


@dataclass(frozen=True, slots=True)
class Need:
    """The number of references that is enough."""

    size: int | None
    """The smallest number from which both levels are reached; None if no number below the whole reaches them."""
    error: float
    ranking: float
    largest: int
    """The largest number that was tried."""
    p: float | None
    """The total probability of error at ``size``, or else at ``largest``."""
    spearman: float | None

    def __str__(self) -> str:
        levels = f"probability of error at most {self.error:g}, mean Spearman at least {self.ranking:g}"
        reached = f"{_two_decimals(self.p)} and {_two_decimals(self.spearman)}"
        size = self.largest if self.size is None else self.size
        answer = "too few" if self.size is None else "enough"
        noun = "reference is" if size == 1 else "references are"
        return f"{size} {noun} {answer} for these summaries ({levels}; with {size}: {reached})."


def _two_decimals(number: float | None) -> str:
    return "undefined" if number is None else f"{number:.2f}"


def need(errors: Sequence[Errors], rankings: Sequence[Ranking], error: float = ERROR, ranking: float = RANKING) -> Need:
    """Return the smallest number of references from which pyramids err rarely enough and rank well enough.

    A ranking that is undefined at some size is not good enough. The rows leave out the size of the whole pyramid, which
    would be compared with itself.
    """
    if not 0 <= error <= 1:
        raise ModelError(f"The level {error} is not a probability of error", do="give a number from 0 to 1")
    if not -1 <= ranking <= 1:
        raise ModelError(f"The level {ranking} is not a correlation", do="give a number from -1 to 1")
    if not errors:
        raise ModelError("No size of pyramids was compared", do="give three references or more")
    correlations = {row.size: row.mean for row in rankings}
    sizes = [row.size for row in errors]
    holds = []
    for row in errors:
        rho = correlations.get(row.size)
        holds.append(row.p is not None and row.p <= error and rho is not None and rho >= ranking)
    size = _since(sizes, holds)
    shown = next(row for row in errors if row.size == (sizes[-1] if size is None else size))
    return Need(size, error, ranking, sizes[-1], shown.p, correlations.get(shown.size))
