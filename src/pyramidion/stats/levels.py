r"""A metric's correlation with people at three levels, with intervals over documents, systems, or both.

A benchmark of D documents and S systems has a matrix of human scores and one of a metric's. The coefficient
(:mod:`pyramidion.stats.correlation`) is taken

=======  ==============================================================================================================
system   over systems, of their means over documents: the "per-system scenario" of Steinberger et al. 2017 §5
summary  over systems within each document; the mean over the documents where it is defined
global   over all summaries together, whatever document and system they are of: their "per-summary scenario"
=======  ==============================================================================================================

**Resampling** decides what the interval generalises to (Deutsch, Dror and Roth 2021). Drawing *documents* (their
BOOT-INPUTS) generalises to these systems on other documents; drawing *systems* (BOOT-SYSTEMS), to other systems on
these documents; drawing *both* (BOOT-BOTH), to other systems on other documents, which gives the widest interval. Draws
are with replacement, and both sides are drawn together. Single summaries are never drawn, because those of one document
share its references and its difficulty. The interval consists of percentiles at summary level, where a mean has no
bias, and is symmetric otherwise (:mod:`pyramidion.stats.correlation`). Draws in which nothing is defined are left out.
If they are half or more, there is no interval; nor is there one over fewer than
:data:`~pyramidion.stats.bootstrap.FEWEST` documents or systems. With fewer than about twenty to draw, it is too narrow.
Draws depend on the order of documents and systems, so sort them.

**Missing cells** are NaN. At summary and global level, a cell that is missing on one side is left out on both (pairwise
deletion). At system level, ``means="common"`` does the same, and ``means="own"`` averages each column over its own
cells, as published tables of system means do. Systems without a mean are left out.

**Weighted documents.** A bootstrap draws documents, and a fold of a cross-validation leaves some out: in both, a
document counts :math:`w_d \in \{0, 1, 2, \dots\}` times. All such draws are computed from the same comparisons
(:func:`correlations_by_draw`). At the global level, with pairs i of document d(i), Pearson's r is weighted by w; ranks
are :math:`\sum_u w_u b_{iu}`, where b_iu counts what is below i in document u, equals half; and Kendall's tau-b is

.. math:: w^T C w \,/ \sqrt{w^T X w \cdot w^T Y w}, \quad
          C_{du} = \sum_{i \in d, j \in u} s(x_i - x_j) s(y_i - y_j)

with X and Y the same for squares of one side. Two metrics that are drawn together can be compared: :func:`difference`
gives the interval of the difference of their correlations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import FEWEST, Interval, mean_interval, percentiles, reach
from pyramidion.stats.correlation import (
    Coefficient,
    Correlation,
    Statistic,
    angle_interval,
    centre_rows,
    correlation_interval,
    correlations_by_row,
    defined,
)
from pyramidion.stats.ratios import ratios

Level = Literal["system", "summary", "global"]
Resample = Literal["documents", "systems", "both"]
Means = Literal["own", "common"]
Array = NDArray[np.float64]

_DIGITS = 9
_CELLS = 1 << 21
"""The most numbers that one step holds."""


@check_choices
@dataclass(frozen=True, slots=True)
class Draws:
    """The settings of the draws that an interval is made from."""

    resample: Resample = "documents"
    samples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ModelError(f"{self.samples} draws are too few", do="give 1000 or more")
        if not 0 < self.confidence < 1:
            raise ModelError(f"The confidence is {self.confidence}", do="give a number between 0 and 1, such as 0.95")

    def indices(self, documents: int, systems: int, cells: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the documents and systems of draws, in blocks small enough to hold ``cells`` numbers for every draw."""
        random = np.random.default_rng(self.seed)
        step = max(1, _CELLS // max(1, cells))
        for start in range(0, self.samples, step):
            rows = min(step, self.samples - start)
            chosen = []
            for name, count in (("documents", documents), ("systems", systems)):
                if self.resample in (name, "both"):
                    chosen.append(random.integers(0, count, size=(rows, count)))
                else:
                    chosen.append(np.broadcast_to(np.arange(count), (rows, count)))
            yield chosen[0], chosen[1]

    def possible(self, documents: int, systems: int) -> bool:
        """Return whether there are enough documents, systems or both to draw from."""
        return (documents >= FEWEST or self.resample == "systems") and (
            systems >= FEWEST or self.resample == "documents"
        )


@dataclass(frozen=True, slots=True)
class LevelCorrelation:
    """A correlation at one level, its interval, and the data it was computed from."""

    value: float | None
    """None where it is undefined."""
    interval: Interval | None
    n: int
    """The number of systems, of documents with a correlation of their own, or of summaries, by level."""
    cells: int
    """The number of cells that both sides have."""
    undefined: int = 0
    """At summary level: documents whose correlation is undefined and which count nowhere."""


@check_choices
def correlation_at(
    level: Level,
    x: ArrayLike,
    y: ArrayLike,
    statistic: Coefficient = "pearson",
    *,
    means: Means = "own",
    draws: Draws | None = None,
) -> LevelCorrelation:
    """Return the correlation of two matrices of documents x systems; with ``draws``, its interval.

    >>> correlation_at("global", [[1, 2, 3], [3, 4, 5]], [[1, 2, 2], [1, 2, 4]]).value
    0.774596669241
    >>> correlation_at("system", [[1, 2, 3], [3, 4, 5]], [[1, 2, 2], [1, 2, 4]]).value
    1.0
    """
    first, second = matrices(x, y)
    there = ~(np.isnan(first) | np.isnan(second))
    value = defined(stacked_correlations(level, first[None], second[None], statistic, means)[0])
    n, undefined = _count_units(level, first, second, statistic, means)
    interval = None
    if draws and value is not None and draws.possible(first.shape[0], first.shape[1]):
        drawn = _draw_correlations(level, first, second, statistic, means, draws)
        interval = estimate(np.concatenate([[value], drawn]), level, draws.confidence).interval
    return LevelCorrelation(value, interval, n, int(there.sum()), undefined)


@check_choices
def system_level(
    human: ArrayLike,
    metric: ArrayLike,
    statistic: Statistic = "pearson",
    *,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> Correlation:
    """Return the correlation over systems of their means over documents, with an interval from draws of documents.

    A summary that one side lacks counts on neither, and every system needs one that both have. Systems are not drawn:
    the interval speaks of these systems on other documents, not of other systems.

    >>> system_level([[1, 2, 3], [3, 4, 5]] * 3, [[1, 2, 2], [1, 2, 4]] * 3)
    Correlation(value=1.0, interval=Interval(low=0.960768922831, high=1.0), n=6, undefined=0)
    """
    ours, theirs = matrices(human, metric)
    empty = np.flatnonzero((np.isnan(ours) | np.isnan(theirs)).all(axis=0))
    if len(empty):
        raise ModelError(
            f"System {empty[0] + 1} of {ours.shape[1]} has no document with both scores", do="leave the system out"
        )
    draws = Draws("documents", samples, seed, confidence)
    correlation = correlation_at("system", ours, theirs, statistic, means="common", draws=draws)
    return Correlation(correlation.value, correlation.interval, len(ours))


@check_choices
def summary_level(
    human: ArrayLike,
    metric: ArrayLike,
    statistic: Statistic = "pearson",
    *,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> Correlation:
    """Return the mean over documents of the correlation over systems, with an interval from draws of documents.

    Documents whose correlation is undefined (everybody scored alike) are left out and counted. The order of documents
    changes nothing.

    >>> summary_level([[1, 2, 3], [1, 2, 3], [0, 0, 0]] * 3, [[1, 2, 3], [3, 2, 1], [1, 2, 3]] * 3)
    Correlation(value=0.0, interval=Interval(low=-0.666666666667, high=0.666666666667), n=6, undefined=3)
    """
    ours, theirs = matrices(human, metric)
    correlations = [value for value in map(defined, _rows(ours, theirs, statistic)) if value is not None]
    return Correlation(
        defined(np.mean(correlations)) if correlations else None,
        mean_interval(correlations, confidence, samples, seed),
        len(correlations),
        len(ours) - len(correlations),
    )


def correlation_of_peers(
    x: Sequence[float], y: Sequence[float], topics: Sequence[str] = (), *, samples: int = 10_000
) -> Correlation:
    """Return Pearson's r of pairs, with an interval from draws of their topics or, of a single one, of pairs.

    >>> correlation_of_peers([1, 2, 3, 4], [1, 3, 2, 4], "aabb")
    Correlation(value=0.8, interval=None, n=4, undefined=0)
    """
    if len(set(topics)) < 2:
        a, b = ([nan if value is None else value for value in values] for values in (x, y))
        return correlation_interval(a, b, samples=samples)
    places: dict[str, list[int]] = {}
    for place, topic in enumerate(topics):
        places.setdefault(topic, []).append(place)
    sides = np.full((2, len(places), max(map(len, places.values()))), np.nan)
    for row, topic in enumerate(sorted(places)):
        for column, place in enumerate(places[topic]):
            sides[:, row, column] = x[place], y[place]
    found = correlation_at("global", sides[0], sides[1], draws=Draws("documents", samples))
    return Correlation(found.value, found.interval, found.cells)


def _draw_correlations(level: Level, x: Array, y: Array, statistic: Coefficient, means: Means, draws: Draws) -> Array:
    """Return the correlation of every draw; documents alone are counted, since that is quicker."""
    documents, systems = x.shape
    parts = draws.indices(documents, systems, cells_needed(level, x, statistic))
    if draws.resample == "documents" and statistic != "krippendorff":
        drawn = np.concatenate([rows for rows, _ in parts])
        times = np.zeros((len(drawn), documents))
        np.add.at(times, (np.arange(len(drawn))[:, None], drawn), 1)
        return correlations_by_draw(x, y, times, level, statistic, means)
    return np.concatenate(
        [stacked_correlations(level, pick(x, *part), pick(y, *part), statistic, means) for part in parts]
    )


def _count_units(level: Level, x: Array, y: Array, statistic: Coefficient, means: Means) -> tuple[int, int]:
    """Return the number of systems, documents or summaries by level, and of documents without a correlation."""
    if level == "system":
        return int((~np.isnan(system_means(x[None], y[None], means)).any(axis=0)).sum()), 0
    if level == "global":
        return int((~(np.isnan(x) | np.isnan(y))).sum()), 0
    defined = int((~np.isnan(_rows(x, y, statistic))).sum())
    return defined, len(x) - defined


@check_choices
def stacked_correlations(level: Level, x: Array, y: Array, statistic: Coefficient, means: Means = "own") -> Array:
    """Return the correlation at a level of each of B pairs of matrices, x and y being B x documents x systems."""
    if level == "system":
        first, second = system_means(x, y, means)
        return _rows(first, second, statistic)
    if level == "global":
        return _rows(x.reshape(len(x), -1), y.reshape(len(y), -1), statistic)
    documents = x.shape[1]
    by_document = _rows(x.reshape(-1, x.shape[2]), y.reshape(-1, y.shape[2]), statistic).reshape(-1, documents)
    defined = ~np.isnan(by_document)
    return ratios(np.where(defined, by_document, 0).sum(axis=1), defined.sum(axis=1))


@check_choices
def system_means(x: Array, y: Array, means: Means = "own") -> Array:
    """Return the means over documents of both sides: 2 x B x systems, NaN where a system has no cell."""
    sides = np.stack([x, y])
    there = ~np.isnan(sides)
    if means == "common":
        there = np.broadcast_to(there.all(axis=0), sides.shape)
    return ratios(np.where(there, sides, 0).sum(axis=2), there.sum(axis=2))


def _rows(x: Array, y: Array, statistic: Coefficient) -> Array:
    """Return the coefficient of each row, over the places that both sides have."""
    there = ~(np.isnan(x) | np.isnan(y))
    whole = there.all(axis=1)
    coefficients = np.full(len(x), np.nan)
    if whole.any():
        coefficients[whole] = correlations_by_row(x[whole], y[whole], statistic)
    for row in np.flatnonzero(~whole & there.any(axis=1)):
        seen = there[row]
        coefficients[row] = correlations_by_row(x[row][None, seen], y[row][None, seen], statistic)[0]
    return coefficients


def pick(scores: Array, documents: NDArray[np.intp], systems: NDArray[np.intp]) -> Array:
    """Return the scores of each draw: draws x documents x systems."""
    drawn: Array = scores[documents[:, :, None], systems[:, None, :]]
    return drawn


@check_choices
def cells_needed(level: Level, scores: Array, statistic: Coefficient) -> int:
    """Return the most numbers that one draw holds: Kendall's tau compares every two of a row, unless rows are long."""
    row = scores.size if level == "global" else scores.shape[1]
    return scores.size * (min(row, 200) if statistic == "kendall" else 1)


def matrices(*scores: ArrayLike) -> tuple[Array, ...]:
    """Return score matrices, checked to be documents x systems of one shape."""
    try:
        arrays = tuple(np.asarray(matrix, dtype=np.float64) for matrix in scores)
    except (TypeError, ValueError):
        raise ModelError("The scores are not a matrix of numbers", do="give documents x systems") from None
    if len({array.shape for array in arrays}) > 1 or arrays[0].ndim != 2 or not arrays[0].size:
        shown = " and ".join(str(array.shape) for array in arrays)
        raise ModelError(f"Scores of shape {shown} cannot be compared", do="give documents x systems, the same in each")
    if any(np.isinf(array).any() for array in arrays):
        raise ModelError("A score is infinite", do="leave it out: NaN marks a missing score")
    return arrays


@dataclass(frozen=True, slots=True)
class Matrix:
    """The correlation of every two columns; None if it is undefined."""

    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]


@check_choices
def correlation_matrix(
    columns: Mapping[str, ArrayLike],
    level: Level = "system",
    statistic: Coefficient = "pearson",
    *,
    means: Means = "own",
) -> Matrix:
    """Return the correlations of every two columns, each a matrix of documents x systems (001, Table VI).

    >>> correlation_matrix({"a": [[1, 2, 3]], "b": [[3, 2, 1]], "c": [[1, 1, 1]]}).values
    ((1.0, -1.0, None), (-1.0, 1.0, None), (None, None, None))
    """
    names = tuple(columns)
    values: list[list[float | None]] = [[None] * len(names) for _ in names]
    for i, name in enumerate(names):
        for j in range(i + 1):
            value = correlation_at(level, columns[name], columns[names[j]], statistic, means=means).value
            values[i][j] = values[j][i] = value
    return Matrix(names, tuple(map(tuple, values)))


# Documents that count several times


@dataclass(frozen=True, slots=True)
class Estimate:
    """A correlation or a difference of two, with its 95 % interval; None if it is undefined."""

    value: float | None
    interval: Interval | None = None


def times_drawn(documents: int, samples: int = 2_000, seed: int = 0) -> Array:
    """Return how often each document counts: once in the first row, then as drawn with replacement, ``samples`` times.

    From too few documents nothing is drawn, so that :func:`estimate` and :func:`difference` give no interval.

    >>> times_drawn(6, 1)[1].sum().item()
    6.0
    >>> times_drawn(3, 2).tolist()
    [[1.0, 1.0, 1.0]]
    """
    if documents < FEWEST:
        return np.ones((1, documents))
    drawn = np.random.default_rng(seed).multinomial(documents, np.full(documents, 1 / documents), size=samples)
    return np.vstack([np.ones((1, documents)), drawn])


@check_choices
def correlations_by_draw(
    human: Array, metric: Array, times: Array, level: Level, statistic: Statistic, means: Means = "common"
) -> Array:
    """Return, for each row of ``times``, the correlation with documents counted that many times; NaN if undefined.

    ``human`` and ``metric`` are documents x systems.
    """
    match level:
        case "global":
            return _global_correlations(human, metric, times, statistic)
        case "summary":
            by_document = _rows(human, metric, statistic)
            return ratios(times @ np.nan_to_num(by_document), times @ ~np.isnan(by_document))
        case "system":
            steps = _steps(times, human.shape[1] ** 2)
            return np.concatenate([_of_means(part, human, metric, statistic, means) for part in steps])


@check_choices
def estimate(correlations: Array, level: Level, confidence: float = 0.95) -> Estimate:
    """Return the correlation of all documents, which comes first, with the interval that the draws after it give.

    The interval consists of percentiles at summary level; otherwise it is that of :mod:`pyramidion.stats.correlation`.
    """
    value = defined(correlations[0])
    if value is None or len(correlations) < 2:
        return Estimate(value)
    if level == "summary":
        return Estimate(value, percentiles(value, correlations[1:], confidence))
    return Estimate(value, angle_interval(value, correlations[1:], confidence))


@check_choices
def difference(first: Array, second: Array, level: Level, confidence: float = 0.95) -> Estimate:
    """Estimate by how much one metric correlates better than another; both are drawn together (a paired bootstrap).

    The interval consists of percentiles at summary level; at the other levels it is symmetric, within -2 and 2.
    """
    by = first - second
    value = defined(by[0])
    if value is None or len(by) < 2:
        return Estimate(value)
    if level == "summary":
        return Estimate(value, percentiles(value, by[1:], confidence))
    far = reach(value, by[1:], confidence)
    bounds = None if far is None else Interval(round(max(-2, value - far), 12), round(min(2, value + far), 12))
    return Estimate(value, bounds)


def _steps(times: Array, cells: int) -> Iterator[Array]:
    """Yield the rows of ``times`` in blocks, each small enough to hold ``cells`` numbers for every row."""
    step = max(1, _CELLS // max(1, cells))
    for start in range(0, len(times), step):
        yield times[start : start + step]


def _of_means(times: Array, human: Array, metric: Array, statistic: Statistic, means: Means) -> Array:
    """Return, for each row of ``times``, the correlation of the systems' means, documents counted that many times."""
    sides = np.stack([human, metric])
    there = ~np.isnan(sides)
    there = np.broadcast_to(there.all(axis=0), sides.shape) if means == "common" else there
    human_means, metric_means = ratios(times @ np.where(there, sides, 0), times @ there)
    return _rows(human_means, metric_means, statistic)


def _global_correlations(human: Array, metric: Array, times: Array, statistic: Statistic) -> Array:
    """Return, for each row of ``times``, the correlation over all summaries, each counted as often as its document."""
    there = ~(np.isnan(human) | np.isnan(metric))
    document = np.nonzero(there)[0]
    x, y = centre_rows(human[there][None])[0], centre_rows(metric[there][None])[0]
    if statistic == "pearson":
        return np.concatenate([_weighted(x, y, part[:, document]) for part in _steps(times, len(x))])
    x, y = x.round(_DIGITS), y.round(_DIGITS)  # means of equal numbers differ in their last digits: they must tie
    if statistic == "kendall":
        return _concordance(x, y, document, times)
    below = [_below(side, document, times.shape[1]) for side in (x, y)]
    return np.concatenate(
        [_weighted(part @ below[0], part @ below[1], part[:, document]) for part in _steps(times, len(x))]
    )


def _below(values: Array, document: NDArray[np.intp], documents: int) -> Array:
    """Count, for each document (row), its values below each value (column); equal values count half."""
    below = np.zeros((documents, len(values)))
    for number in range(documents):
        sorted_values = np.sort(values[document == number])
        below[number] = (
            np.searchsorted(sorted_values, values, "left") + np.searchsorted(sorted_values, values, "right")
        ) / 2
    return below


def _weighted(x: Array, y: Array, weights: Array) -> Array:
    """Return Pearson's r of weighted pairs, for each row of weights."""
    total = weights.sum(axis=1)
    squares, sides = [], []
    for side in (x, y):
        mean = ratios((weights * side).sum(axis=1), total, 0.0)
        less = side - mean[:, None]
        sides.append(less)
        squares.append(np.einsum("ij,ij->i", weights * less, less))
    varies = np.minimum(*squares) > total * 10.0 ** (-2 * _DIGITS)
    products = np.einsum("ij,ij->i", weights * sides[0], sides[1])
    return np.clip(ratios(products, np.sqrt(squares[0] * squares[1]), where=varies), -1, 1)


def _concordance(x: Array, y: Array, document: NDArray[np.intp], times: Array) -> Array:
    """Compute Kendall's tau-b by the documents' tables of pairs ordered alike and unlike."""
    documents = times.shape[1]
    tables = np.zeros((3, documents, documents))
    for number in range(documents):
        members = document == number
        left, right = _signs(x[members], x), _signs(y[members], y)
        for table, product in zip(tables, (left * right, left * left, right * right), strict=True):
            table[number] = np.bincount(document, product.sum(axis=0, dtype=np.int64), documents)
    concordance, x_pairs, y_pairs = (np.einsum("sd,sd->s", times @ table, times) for table in tables)
    return ratios(concordance, np.sqrt(x_pairs * y_pairs))


def _signs(rows: Array, columns: Array) -> NDArray[np.int8]:
    """Return the sign of each difference of a value in ``rows`` and one in ``columns``."""
    above: NDArray[np.int8] = (rows[:, None] > columns).astype(np.int8)
    return above - (rows[:, None] < columns).astype(np.int8)
