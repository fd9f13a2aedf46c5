r"""How many topics do I need? Power of paired comparisons.

The power to find a true mean difference D is the chance that the test is significant. For the paired t-test on n topics
whose differences are normal with deviation sd, t is noncentral with noncentrality D sqrt(n) / sd and n - 1 degrees of
freedom, so that

.. math:: power = P(|T'| > t_{1 - \alpha/2, n-1}).

For the signed rank test there is no such formula: differences are drawn with replacement from those observed, moved so
that their mean is D, and the share of draws with p <= alpha counted. That keeps their shape (skewness, many zeros,
steps), and trusts that the topics at hand show it.

Both take the deviation from the data at hand: from n topics it is known to some 1 / sqrt(2 n). Plan for a difference
that would matter, not for the one observed: the power to find that one says no more than its p-value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import nctdtr, stdtrit

from pyramidion.errors import ModelError
from pyramidion.stats.paired import wilcoxon_columns

MOST = 100_000
"""More topics than these are not counted."""
_MOST_DRAWN = 5_000


def power_t(difference: float, deviation: float, topics: int, alpha: float = 0.05) -> float:
    """Return the chance that a paired t-test on this number of topics finds a true difference.

    >>> round(power_t(.5, 1, 34), 3)
    0.808
    """
    _check(difference, deviation, alpha)
    if topics < 2:
        return 0.0
    df = topics - 1.0
    critical = float(stdtrit(df, 1 - alpha / 2))
    shift = abs(difference) * topics**0.5 / deviation
    if shift > critical + 12:  # 1 to sixteen digits, and beyond what the distribution can be computed for
        return 1.0
    wrong = nctdtr(df, shift, -critical) if shift < 5 else 0  # significant, but the other way
    return float(np.clip(1 - nctdtr(df, shift, critical) + wrong, 0, 1))


def topics_needed(difference: float, deviation: float, power: float = 0.8, alpha: float = 0.05) -> int | None:
    """Return the fewest topics with this power; None if more than ``MOST`` are needed.

    >>> topics_needed(.5, 1)                      # Cohen 1988: 34 pairs for a medium effect
    34
    """
    _check(difference, deviation, alpha, power)
    if power_t(difference, deviation, MOST, alpha) < power:
        return None
    low, high = 1, MOST  # power(low) < wanted <= power(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_t(difference, deviation, middle, alpha) >= power else (middle, high)
    return high


def detectable(deviation: float, topics: int, power: float = 0.8, alpha: float = 0.05) -> float | None:
    """Return the smallest true difference that so many topics find with this power; None for fewer than two topics.

    >>> round(detectable(1, 34), 3)
    0.495
    """
    _check(1.0, deviation, alpha, power)
    if topics < 2:
        return None
    low, high = 0.0, deviation
    while power_t(high, deviation, topics, alpha) < power:
        low, high = high, 2 * high
    # 60 halvings reach the last digits of a float
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if power_t(middle, deviation, topics, alpha) >= power else (middle, high)
    return high


def power_wilcoxon(
    differences: ArrayLike, difference: float, topics: int, alpha: float = 0.05, *, samples: int = 1000, seed: int = 0
) -> float:
    """Return the chance that the signed rank test on this number of topics finds a true mean difference.

    >>> power_wilcoxon([-1, -.5, 0, .2, .4, 1.2], .5, 40) > .8
    True
    """
    row = _observed(differences)
    _check(difference, float(row.std()), alpha)
    draws = np.random.default_rng([seed, topics]).integers(0, len(row), size=(topics, samples))
    return float((wilcoxon_columns((row - row.mean() + difference)[draws]) <= alpha).mean())


def topics_needed_wilcoxon(
    differences: ArrayLike,
    difference: float,
    power: float = 0.8,
    alpha: float = 0.05,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> int | None:
    """Return the fewest topics with this power, by simulation and within its noise; None if 5,000 are not enough."""
    row = _observed(differences)
    high = topics_needed(difference, float(row.std(ddof=1)), power, alpha) or MOST  # near it: where to look first

    def enough(topics: int) -> bool:
        return power_wilcoxon(row, difference, topics, alpha, samples=samples, seed=seed) >= power

    low = 1
    while high <= _MOST_DRAWN and not enough(high):
        low, high = high, 2 * high
    if high > _MOST_DRAWN:
        return None
    # closer than a hundredth would be noise of the simulation
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _observed(differences: ArrayLike) -> NDArray[np.float64]:
    row = np.asarray(differences, dtype=np.float64)
    row = row[~np.isnan(row)] if row.ndim == 1 else row
    if row.ndim != 1 or len(row) < 2 or np.isinf(row).any():
        raise ModelError("The differences cannot be drawn from", do="give two finite numbers or more")
    return np.sort(row)


def _check(difference: float, deviation: float, alpha: float, power: float = 0.5) -> None:
    if not (np.isfinite(difference) and difference != 0):
        raise ModelError(f"{difference:g} is not a difference to find", do="give a number other than 0, such as 0.05")
    if not (np.isfinite(deviation) and deviation > 0):
        raise ModelError("The differences do not vary, so they say nothing about other topics", do="add topics")
    if not 0 < alpha < 1:
        raise ModelError(f"The level of significance is {alpha:g}", do="give a number between 0 and 1, such as 0.05")
    if not 0 < power < 1:
        raise ModelError(f"The power is {power:g}", do="give a number between 0 and 1, such as 0.8")
