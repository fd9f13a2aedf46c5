r"""One-way analysis of variance: does a factor explain how observations differ?

k groups of n_1, ..., n_k observations x_ij, N in all, with group means m_i and grand mean m:

.. math:: SS_b = \sum_i n_i (m_i - m)^2, \quad SS_w = \sum_i \sum_j (x_{ij} - m_i)^2, \quad
          F = \frac{SS_b / (k - 1)}{SS_w / (N - k)}, \quad \eta^2 = \frac{SS_b}{SS_b + SS_w}.

If the observations are independent and normal with one variance and one mean, F has the F distribution with k - 1 and
N - k degrees of freedom; p is the chance of an F at least as large.

Gao et al. 2019, Table 5, take the cells of a grid for observations and the values of one parameter for groups. Such
cells are scored on the same peers, so they are not independent, and what the other parameters do counts as noise: read
F and the share of variance :math:`\eta^2` as a description of the grid, and p with care.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from pyramidion.errors import ModelError

_NOISE = 1e-12
"""Deviations within groups of this size, relative to the largest observation, are rounding."""


@dataclass(frozen=True, slots=True)
class Anova:
    """Degrees of freedom, F, its p-value, and the share of the variance that the groups explain.

    ``f`` and ``p`` are missing where nothing varies within groups (or no group has two observations): there is nothing
    to measure their differences by. ``eta_squared`` is missing where nothing varies at all.
    """

    df_between: int
    df_within: int
    f: float | None
    p: float | None
    eta_squared: float | None


def one_way(groups: Sequence[Sequence[float]]) -> Anova:
    """Analyse groups of observations; empty groups are left out, and at least two must be left.

    >>> found = one_way([[6, 8, 4, 5, 3, 4], [8, 12, 9, 11, 6, 8], [13, 9, 11, 8, 7, 12]])
    >>> found.df_between, found.df_within, round(found.f, 2), round(found.p, 4), round(found.eta_squared, 2)
    (2, 15, 9.26, 0.0024, 0.55)
    """
    arrays = [np.asarray(group, dtype=float) for group in groups if len(group)]
    if len(arrays) < 2:
        raise ModelError(f"{len(arrays)} group(s) allow no analysis of variance", do="give two groups or more")
    pooled = np.concatenate(arrays)
    if not np.isfinite(pooled).all():
        raise ModelError("An observation is not a finite number", do="leave it out")
    df_between, df_within = len(arrays) - 1, len(pooled) - len(arrays)
    # Sums of squares from the grand mean: F does not change with the origin, and rounding is least there.
    centred = [array - pooled.mean() for array in arrays]
    between = float(sum(len(array) * array.mean() ** 2 for array in centred))
    within = float(sum(((array - array.mean()) ** 2).sum() for array in centred))
    rounding = len(pooled) * (_NOISE * float(np.abs(pooled).max())) ** 2
    if between + within <= rounding:
        return Anova(df_between, df_within, None, None, None)
    if df_within == 0 or within <= rounding:
        return Anova(df_between, df_within, None, None, between / (between + within))
    f = (between / df_between) / (within / df_within)
    return Anova(df_between, df_within, f, float(fdtrc(df_between, df_within, f)), between / (between + within))
