r"""Is one system better than another on the same topics? Tests of paired differences over topics.

Two systems have scores x_t and y_t on topics t = 1..n; all tests here see only d_t = x_t - y_t, which takes out how
hard a topic is. They assume that topics are drawn independently from what one wants to speak of.

================  ====================================================================================================
wilcoxon          The signed rank test (Gao et al. 2019 §6). With r_t the rank of |d_t| (equal ones share the mean of
                  their ranks) and S = sum sign(d_t) r_t, S has under the null the distribution of sum s_t r_t with
                  fair signs s_t. Null: the d_t are symmetric around 0.
randomisation     The same with d_t for r_t: how often is \|sum s_t d_t\| as large as \|sum d_t\|, if in every topic
                  the systems might as well be exchanged? Null: they are exchangeable.
bootstrap         Topics are drawn with replacement. With t = mean(d) / se(d) and t* = (mean(d*) - mean(d)) / se(d*) of
                  a draw, p is the share of \|t*\| >= \|t\|, and mean(d) -+ q se(d), q the quantile of \|t*\|, is the
                  interval of the mean difference (the symmetric bootstrap-t). Null: the mean of d is 0. Plain
                  percentiles would be too narrow for few topics; this is not (tests/stats/test_paired.py).
================  ====================================================================================================

All p-values are two-sided; where nothing differs, p = 1. **Zeros.** ``pratt`` (the default) ranks the d_t = 0 with the
others and then drops them, so that many topics on which two systems tie count as evidence that they are alike;
``drop`` ranks only the others, as Wilcoxon did. **Exactness.** Signed ranks: the exact distribution, ties and zeros
included, if at most ``EXACT`` differences are not 0, else the normal one with variance sum r_t^2 (without continuity
correction). Randomisation: exact where all signs can be counted (:func:`sign_flips`), else p = (1 + hits) / (1 +
samples), which is never too small.

**Missing cells** are NaN and leave the topic out for the pairs that they concern (pairwise deletion). Differences count
as equal that agree to nine digits of the largest. The bootstrap and drawn signs depend on the order of topics; sort
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import FEWEST
from pyramidion.stats.correlation import mean_ranks
from pyramidion.stats.ratios import ratios

Array = NDArray[np.float64]
Zeros = Literal["pratt", "drop"]

EXACT = 25
"""Up to so many differences, the signed ranks' distribution is exact."""

_SAME = 1e-12
"""Scores this close, relative to the larger, are equal: means of equal numbers differ in their last digits."""
_DIGITS = 9
_CELLS = 1 << 22
"""The most numbers that one step of resampling holds."""
_SIGNS = 13
"""Up to so many differences, all signs are tried."""
_STEPS = 1 << 22
"""Up to so many additions, all sums of signed lattice points are counted."""


def differences(scores: ArrayLike) -> Array:
    """Return topics x pairs, from topics x systems, in the order of ``numpy.triu_indices``; NaN where one is missing.

    >>> differences([[3, 2, 1], [1, 1, 1]]).tolist()
    [[1.0, 2.0, 1.0], [0.0, 0.0, 0.0]]
    """
    matrix = _matrix(scores, "systems")
    first, second = np.triu_indices(matrix.shape[1], 1)
    differences: Array = matrix[:, first] - matrix[:, second]
    size = np.maximum(np.abs(matrix[:, first]), np.abs(matrix[:, second]))
    differences[np.abs(differences) <= _SAME * size] = 0
    return differences


def square(values: ArrayLike, systems: int, diagonal: float = 1.0) -> Array:
    """Return values of pairs, in the order of :func:`differences`, as a symmetric matrix.

    >>> square([.1, .2, .3], 3).tolist()
    [[1.0, 0.1, 0.2], [0.1, 1.0, 0.3], [0.2, 0.3, 1.0]]
    """
    matrix = np.full((systems, systems), float(diagonal))
    first, second = np.triu_indices(systems, 1)
    matrix[first, second] = matrix[second, first] = values
    return matrix


# Signed ranks


@check_choices
def wilcoxon_columns(differences: ArrayLike, zeros: Zeros = "pratt") -> Array:
    """Return the two-sided p-value of each column of topics x pairs, in O(topics log topics) a pair unless exact.

    >>> wilcoxon_columns([[.1], [.2], [.3], [.4], [.5]]).tolist()     # all of 2^5 signs, two as extreme: 2/32
    [0.0625]
    """
    columns = _matrix(differences, "pairs")
    ranks, signs = _signed_ranks(columns, zeros)
    total = (signs * ranks).sum(axis=0)
    spread = np.sqrt((ranks**2).sum(axis=0))
    p: Array = 2 * ndtr(-np.abs(total) / np.where(spread > 0, spread, 1))
    p[total == 0] = 1
    small = (np.count_nonzero(ranks, axis=0) <= EXACT) & (total != 0)
    for pair in np.flatnonzero(small):
        # ranks that ties share are halves: doubled, all are whole numbers
        doubled = np.sort(ranks[:, pair][ranks[:, pair] > 0] * 2).astype(np.int64)
        p[pair] = _share_as_large(tuple(doubled.tolist()), round(abs(total[pair]) * 2))
    return p


@check_choices
def rank_biserial(differences: ArrayLike, zeros: Zeros = "pratt") -> Array:
    """Return the matched-pairs rank-biserial correlation of each column: S / sum r_t, from -1 to 1.

    It is the share of rank sums in favour of the first, less that of the second; 0 where nothing differs.

    >>> rank_biserial([[.1], [.2], [-.3]]).tolist()
    [0.0]
    """
    ranks, signs = _signed_ranks(_matrix(differences, "pairs"), zeros)
    most = ranks.sum(axis=0)
    return ratios((signs * ranks).sum(axis=0), most, 0.0)


def _signed_ranks(columns: Array, zeros: Zeros) -> tuple[Array, Array]:
    """Return ranks of sizes by column, 0 for missing and equal, and signs."""
    size = _round_levels(np.abs(columns))
    signs: Array = np.where(np.isnan(size) | (size == 0), 0, np.sign(np.nan_to_num(columns)))
    ranked = np.where(np.isnan(size) | ((size == 0) & (zeros == "drop")), np.inf, size)
    return np.where(signs == 0, 0, mean_ranks(ranked.T).T + 1), signs


def _round_levels(columns: Array) -> Array:
    """Return multiples of each column's largest, to nine digits."""
    levelled: Array = in_units(columns)[0].round(_DIGITS)
    return levelled


def in_units(columns: Array) -> tuple[Array, Array]:
    """Scale each column by its largest number, so that squares neither overflow nor vanish; return both.

    >>> import numpy as np
    >>> in_units(np.array([[1e200, 0], [-5e199, 0]]))[0].tolist()
    [[1.0, 0.0], [-0.5, 0.0]]
    """
    largest = np.max(np.abs(columns), axis=0, initial=0, where=~np.isnan(columns))
    scale: Array = np.where(largest > 0, largest, 1)
    return columns / scale, scale


def _share_as_large(points: tuple[int, ...], observed: int) -> float:
    """Return the share of all signed sums of the points that are at least as far from 0 as the one observed.

    With W the sum of those of positive sign and T of all, the signed sum is 2 W - T, symmetric around 0.
    """
    total = sum(points)
    return float(min(1.0, 2 * _upper_tail(points)[(total + abs(observed) + 1) // 2]))


@lru_cache(maxsize=32)
def _upper_tail(points: tuple[int, ...]) -> Array:
    """Return P(W >= w) for w = 0, 1, ...: each point in the sum or not, with equal chance."""
    chance = np.zeros(sum(points) + 1)
    chance[0], reached = 1.0, 0
    for point in points:
        chance[point : reached + point + 1] += chance[: reached + 1].copy()
        chance *= 0.5
        reached += point
    upper: Array = chance[::-1].cumsum()[::-1]
    return upper


# Exchanging


def sign_flips(differences: ArrayLike, samples: int = 10_000, seed: int = 0) -> Array:
    """Return, for each column, how often the sum of its numbers with random signs is as far from 0 as their sum.

    Rows are what may be exchanged: topics, or the SCUs of two summaries (:mod:`pyramidion.stats.scu_tests`). The share
    is exact for at most 13 numbers, or where they are multiples of one small unit (weights of SCUs are); else it is
    that of ``samples`` draws, the observed signs counted as one more. All columns see the same draws.

    >>> sign_flips([[1], [1], [1], [1], [2]]).tolist()                    # 2 of 32
    [0.0625]
    >>> sign_flips([[0, 1], [0, -1]]).tolist()
    [1.0, 1.0]
    """
    _check_samples(samples)
    columns = np.nan_to_num(_matrix(differences, "pairs"), nan=0.0)
    p = np.ones(columns.shape[1])
    drawn = []
    for pair, column in enumerate(columns.T):
        there = column[np.abs(column) > 0]
        points = _lattice(there)
        if points is not None:
            p[pair] = _share_as_large(tuple(sorted(np.abs(points).tolist())), int(points.sum())) if len(points) else 1.0
        elif len(there) <= _SIGNS:
            p[pair] = _try_all_signs(there)
        else:
            drawn.append(pair)
    if drawn:
        rest = columns[:, drawn]
        p[drawn] = (1 + _count_hits(rest, samples, seed)) / (1 + samples)
    return p


def _lattice(values: Array) -> NDArray[np.int64] | None:
    """Return the values as whole multiples of one unit, where their sums are few enough to be counted."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    if len(values) > 60 and len(np.unique(np.abs(values))) > 60:
        return None
    largest = float(np.abs(values).max())
    unit = 1
    for size in np.unique(np.abs(values) / largest):
        fraction = Fraction(float(size)).limit_denominator(1000)
        if abs(float(fraction) - size) > 10.0**-_DIGITS:
            return None
        unit = lcm(unit, fraction.denominator)
        if unit * len(values) * len(values) > _STEPS:
            return None
    points = (values / largest * unit).round().astype(np.int64)
    return points if len(points) * int(np.abs(points).sum()) <= _STEPS else None


def _as_large(sums: Array, observed: Array) -> NDArray[np.bool_]:
    as_large: NDArray[np.bool_] = np.abs(sums) >= np.abs(observed) * (1 - 10.0**-_DIGITS)
    return as_large


def _try_all_signs(values: Array) -> float:
    sums = np.zeros(1)
    for value in values[1:]:  # the first sign is fixed: the distribution is symmetric
        sums = np.concatenate([sums + value, sums - value])
    return float(_as_large(sums + values[0], values.sum()).mean())


def _count_hits(columns: Array, samples: int, seed: int) -> Array:
    units, pairs = columns.shape
    generator = np.random.default_rng(seed)
    observed = columns.sum(axis=0)
    hits = np.zeros(pairs)
    step = max(1, _CELLS // max(units, pairs))
    for start in range(0, samples, step):
        signs = generator.integers(0, 2, size=(min(step, samples - start), units), dtype=np.int8)
        hits += _as_large((2.0 * signs - 1) @ columns, observed).sum(axis=0)
    return hits


# Drawing topics


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """For each pair the two-sided p-value and the interval of the mean difference; NaN where it has no bounds."""

    p: Array
    low: Array
    high: Array


def paired_bootstrap(
    differences: ArrayLike, *, confidence: float = 0.95, samples: int = 10_000, seed: int = 0
) -> Bootstrap:
    """Return the bootstrap-t of the mean of each column of topics x pairs; all pairs see the same draws.

    A draw in which nothing varies has an infinite t*: with two or three topics, or where all differences are equal, p
    is large, since draws cannot tell how the mean would vary. There is no interval then, nor with fewer topics than
    :data:`~pyramidion.stats.bootstrap.FEWEST`.

    >>> found = paired_bootstrap([[.1], [.3], [.2], [.4], [.25], [.15]])
    >>> bool(found.p[0] < .05), bool(found.low[0] > 0)
    (True, True)
    >>> paired_bootstrap([[.1], [.1]]).p.tolist()
    [1.0]
    """
    columns = _matrix(differences, "pairs")
    _check_samples(samples)
    if not 0 < confidence < 1:
        raise ModelError(f"The confidence is {confidence}", do="give a number between 0 and 1, such as 0.95")
    pairs = columns.shape[1]
    bootstrap = Bootstrap(np.ones(pairs), np.full(pairs, np.nan), np.full(pairs, np.nan))
    step = max(1, 4 * _CELLS // samples)
    for start in range(0, pairs, step):
        part = slice(start, start + step)
        bootstrap.p[part], bootstrap.low[part], bootstrap.high[part] = _bootstrap_t(
            columns[:, part], confidence, samples, seed
        )
    return bootstrap


def _bootstrap_t(columns: Array, confidence: float, samples: int, seed: int) -> tuple[Array, Array, Array]:
    """Return the p-values and the bounds of :func:`paired_bootstrap`, for as many columns as fit into memory."""
    there = ~np.isnan(columns)
    n = there.sum(axis=0)
    columns, scale = in_units(columns)
    mean = np.where(there, columns, 0).sum(axis=0) / np.maximum(n, 1)
    centred = np.where(there, columns - mean, 0)
    squares = centred**2
    noise = 1e-20 * np.maximum(squares.max(axis=0, initial=0), np.abs(mean) ** 2)
    error = np.sqrt(squares.sum(axis=0) / np.maximum(n * (n - 1), 1))
    whole = bool(there.all())
    blocks = []
    # counting a topic several times gives the draw's mean and variance without copying columns
    for times in _times_drawn(len(columns), samples, seed):
        drawn = len(columns) if whole else times @ there
        with np.errstate(divide="ignore", invalid="ignore"):
            shift = times @ centred / drawn
            variance = (times @ squares / drawn - shift**2) / (drawn - 1)
            t = np.abs(shift) / np.sqrt(np.maximum(variance, 0))
        blocks.append(np.where(variance > noise, t, np.inf))
    t = np.concatenate(blocks)
    varies = (n > 1) & (error**2 > noise)
    observed = ratios(np.abs(mean), error, 0.0, varies)
    p = (1 + (t >= observed * (1 - 10.0**-_DIGITS)).sum(axis=0)) / (1 + samples)
    # as in p, the observed t counts as one more draw
    place = min(samples - 1, int(np.ceil(confidence * (samples + 1))) - 1)
    reach = np.partition(t, place, axis=0)[place]
    bounded = varies & np.isfinite(reach) & (n >= FEWEST)
    width = np.where(bounded, np.where(np.isfinite(reach), reach, 0) * error, np.nan)
    return p, (mean - width) * scale, (mean + width) * scale


def _times_drawn(topics: int, samples: int, seed: int) -> Iterator[Array]:
    """Yield how often each topic is in each draw: blocks of samples x topics."""
    generator = np.random.default_rng(seed)
    step = max(1, _CELLS // topics)
    for start in range(0, samples, step):
        rows = min(step, samples - start)
        draws = generator.integers(0, topics, size=(rows, topics))
        draws += np.arange(rows)[:, None] * topics  # one range of numbers a draw, so that one bincount serves all
        yield np.bincount(draws.ravel(), minlength=rows * topics).reshape(rows, topics).astype(np.float64)


# Checks


def _check_samples(samples: int) -> None:
    if samples < 1:
        raise ModelError(f"{samples} draws are too few", do="give 1000 or more")


def _matrix(values: ArrayLike, columns: str) -> Array:
    matrix = _numbers(values)
    if matrix.ndim != 2 or not len(matrix):
        raise ModelError(
            f"Values of shape {matrix.shape} are not a matrix of topics x {columns}", do="give one row for each topic"
        )
    return matrix


def _numbers(values: ArrayLike) -> Array:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError("The values are not an array of numbers", do="give numbers") from None
    if np.isinf(numbers).any():
        raise ModelError("A value is infinite", do="leave it out: NaN marks a missing value")
    return numbers
