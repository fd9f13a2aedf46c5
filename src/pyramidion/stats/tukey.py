r"""Which systems differ, all pairs tested at once? Tukey's honestly significant difference over topics.

Topics are blocks: x_ts = m + topic_t + system_s + e_ts, with e independent and normal, of one variance. For n topics
and k systems, with the mean square of the residuals

.. math:: s^2 = \frac{\sum_{ts} (x_{ts} - \bar x_t - \bar x_s + \bar x)^2}{(n - 1)(k - 1)},

a difference of means is significant if q = \|difference\| / sqrt(s^2 / n) exceeds the upper alpha point of the
studentized range of k means with (n - 1)(k - 1) degrees of freedom; the chance of even one false finding among all
pairs is alpha, without further correction. For two systems it is the paired t-test. As used on DUC by Passonneau et al.
2006 (Shapira et al. 2019 §4). One variance for all pairs is its weak point: pairs of near-copies vary less, unlike
systems more. It needs every score of a topic; topics that lack one are left out as a whole.

The studentized range's distribution is the integral over s (a chi variable by its degrees of freedom) of that of the
range of k normal variables,

.. math:: P(Q \le q) = \int_0^\infty f(s)\, k \int \varphi(z) [\Phi(z) - \Phi(z - q s)]^{k-1} dz\, ds,

by Gauss-Legendre quadrature; up to 25 systems it agrees with ``scipy.stats.studentized_range`` to eight decimals, for
100 to six, and takes a hundredth of its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import chdtri, gammaln, ndtr

from pyramidion.errors import ModelError

Array = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_Z = 8.5
"""Beyond so many deviations, a normal variable's density adds nothing to sixteen digits."""
_ROWS = 64


@dataclass(frozen=True, slots=True)
class Tukey:
    """The p-value of every pair (in the order of ``numpy.triu_indices``) and how far its interval reaches."""

    p: Array
    reach: float
    """Differences of means beyond it are significant; difference -+ reach is the simultaneous interval."""
    error: float
    """s, the residual deviation."""
    df: int
    topics: int
    left_out: int
    """Topics that lack a score."""


def tukey(scores: ArrayLike, alpha: float = 0.05) -> Tukey:
    """Test all pairs of topics x systems; NaN marks a missing score.

    >>> found = tukey([[5, 6, 9], [4, 6, 8], [6, 7, 9], [5, 7, 10]])
    >>> found.p.round(4).tolist(), round(found.reach, 3), found.df
    ([0.0098, 0.0001, 0.0007], 1.023, 6)
    """
    if not 1e-9 <= alpha < 1:
        raise ModelError(f"The level of significance is {alpha:g}", do="give a number from 1e-9 to 1, such as 0.05")
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        raise ModelError("There is only one system, so there is no pair to compare", do="give two systems or more")
    if np.isinf(matrix).any():
        raise ModelError("A score is infinite", do="leave it out: NaN marks a missing score")
    whole = matrix[~np.isnan(matrix).any(axis=1)]
    (n, k), left_out = whole.shape, len(matrix) - len(whole)
    if n < 2:
        raise ModelError(
            f"{n} topic(s) have a score of every system, and Tukey's test needs two",
            do="leave out systems with missing scores, or choose another test",
        )
    size = float(np.abs(whole).max()) or 1.0
    whole = whole / size  # lest squares overflow or vanish
    means = whole.mean(axis=0)
    residuals = whole - whole.mean(axis=1, keepdims=True) - means + whole.mean()
    df = (n - 1) * (k - 1)
    variance = float((residuals**2).sum()) / df
    first, second = np.triu_indices(k, 1)
    apart = np.abs(means[first] - means[second])
    apart[apart <= 1e-12] = 0
    if variance <= 1e-24:
        if apart.any():
            raise ModelError(
                "Every pair of systems differs by the same amount on all topics, so the error cannot be estimated",
                do="check the scores, or choose the test randomisation",
            )
        return Tukey(np.ones(len(apart)), 0.0, 0.0, df, n, left_out)
    unit = float(np.sqrt(variance / n))
    reach = _critical(k, df, alpha) * unit
    p = studentized_range_sf(apart / unit, k, df)
    return Tukey(p, reach * size, float(np.sqrt(variance)) * size, df, n, left_out)


@lru_cache(maxsize=64)
def _critical(k: int, df: int, alpha: float) -> float:
    """Return the upper alpha point of the studentized range."""
    return float(brentq(lambda q: float(studentized_range_sf([q], k, df)[0]) - alpha, 0, 1e6, xtol=1e-9))


def studentized_range_sf(q: ArrayLike, k: int, df: float) -> Array:
    """Return the chance that the studentized range of k means exceeds q.

    >>> studentized_range_sf([3.578], 3, 20).round(4).tolist()       # 3.578 in every printed table
    [0.05]
    """
    values = np.asarray(q, dtype=np.float64)
    low, high = np.sqrt(chdtri(df, [1 - 1e-15, 1e-15]) / df)
    s = (high - low) / 2 * _NODES + (high + low) / 2
    # the density of s = sqrt(chi^2 / df)
    log = np.log(2) + df / 2 * np.log(df / 2) - gammaln(df / 2) + (df - 1) * np.log(s) - df * s**2 / 2
    density = np.exp(log) * _WEIGHTS * (high - low) / 2
    chances = np.empty(len(values))
    for start in range(0, len(values), _ROWS):
        part = values[start : start + _ROWS]
        # by the sum of the density, since its tails are cut off
        chances[start : start + _ROWS] = 1 - _range_cdf(part[:, None] * s, k) @ density / density.sum()
    return np.clip(chances, 0, 1)


def _range_cdf(width: Array, k: int) -> Array:
    """Return the chance that k normal variables lie within so small a range."""
    z = _Z * _NODES
    inner = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * _WEIGHTS * _Z * k
    upper = ndtr(z)
    total: Array = np.zeros_like(width)
    for point, above, weight in zip(z, upper, inner, strict=True):
        total += weight * (above - ndtr(point - width)) ** (k - 1)
    return total
