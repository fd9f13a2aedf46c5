r"""How large is a difference, beyond being significant? Effect sizes of paired differences.

Cohen's d_z is the mean difference by the deviation of the differences, d_z = mean(d) / sd(d): .2 is called small, .5
medium, .8 large. With t = d_z sqrt(n), its interval holds the d_z whose noncentral t distributions (n - 1 degrees of
freedom, noncentrality d_z sqrt(n)) have t between their tails; that assumes normal differences. Beyond t = 1000, where
only the deviation is uncertain, t / noncentrality is taken for sqrt(df / chi^2). With few topics d_z is too large on
average (by some 4 % at n = 20). The rank-based effect, which assumes nothing of the kind, is
:func:`pyramidion.stats.paired.rank_biserial`; that of two vectors of SCUs the odds ratio of
:mod:`pyramidion.stats.scu_tests`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, nctdtrinc

from pyramidion.errors import ModelError
from pyramidion.stats.paired import in_units
from pyramidion.stats.ratios import ratios

Array = NDArray[np.float64]

_LARGE = 1000.0
"""Above this t, the noncentrality is approximated: a search takes longer the larger t is."""


@dataclass(frozen=True, slots=True)
class CohenD:
    """d_z of each pair with its interval; NaN where differences do not vary or are fewer than two."""

    value: Array
    low: Array
    high: Array


def cohen_d(differences: ArrayLike, confidence: float = 0.95) -> CohenD:
    """Return d_z of each column of topics x pairs; NaN marks a missing difference.

    >>> found = cohen_d([[1], [2], [3], [4]])
    >>> found.value.round(3).tolist(), found.low.round(3).tolist(), found.high.round(3).tolist()
    ([1.936], [0.146], [3.672])
    """
    columns = np.asarray(differences, dtype=np.float64)
    if columns.ndim != 2 or np.isinf(columns).any():
        raise ModelError(
            "These are not differences of topics x pairs", do="give finite numbers, NaN where one is missing"
        )
    # d_z has no unit: scaling does not change it
    columns, there = in_units(columns)[0], ~np.isnan(columns)
    n = there.sum(axis=0)
    mean = np.where(there, columns, 0).sum(axis=0) / np.maximum(n, 1)
    squares = np.where(there, columns - mean, 0) ** 2
    deviation = np.sqrt(squares.sum(axis=0) / np.maximum(n - 1, 1))
    varies = (n > 1) & (deviation > 1e-10 * np.abs(mean))
    value = ratios(mean, deviation, where=varies)
    low, high = np.full(len(mean), np.nan), np.full(len(mean), np.nan)
    root, df = np.sqrt(n[varies]), n[varies] - 1.0
    t = np.abs(value[varies]) * root
    nearer, further = (_noncentrality(df, tail, t) / root for tail in ((1 + confidence) / 2, (1 - confidence) / 2))
    positive = value[varies] >= 0
    low[varies] = np.where(positive, nearer, -further)
    high[varies] = np.where(positive, further, -nearer)
    return CohenD(value, np.minimum(low, value), np.maximum(high, value))


def _noncentrality(df: Array, share: float, t: Array) -> Array:
    """Return the noncentrality at which this share of the distribution lies below t."""
    large = t * np.sqrt(chdtri(df, share) / df)
    return np.asarray(np.where(t > _LARGE, large, nctdtrinc(df, share, np.minimum(t, _LARGE))))
