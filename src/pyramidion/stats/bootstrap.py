"""How sure is a mean over topics? The percentile bootstrap, seeded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Interval", "mean_interval", "percentiles"]


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, samples: int = 10_000, seed: int = 0
) -> Interval | None:
    r"""A confidence interval of the mean of ``values`` (one value a topic), or nothing for fewer than two.

    From n values, n are drawn with replacement, ``samples`` times; the interval spans the central ``confidence`` share
    of the means of those draws (Efron's percentile interval). It assumes that topics are a random sample of the topics
    one wants to speak of; with few topics it is too narrow (by about :math:`\sqrt{(n-1)/n}`), which no resampling can
    repair. The same values in any order give the same interval.

    >>> mean_interval([0.2, 0.4, 0.6, 0.8])
    Interval(low=0.3, high=0.7)
    >>> mean_interval([0.5]) is None
    True
    """
    if len(values) < 2:
        return None
    import numpy as np  # here, because importing it takes longer than everything else that --help needs

    ordered = np.sort(np.asarray(values, dtype=float))
    draws = np.random.default_rng(seed).integers(0, len(ordered), size=(samples, len(ordered)))
    return percentiles(ordered[draws].mean(axis=1), confidence)


def percentiles(drawn: NDArray[np.float64], confidence: float = 0.95) -> Interval | None:
    """The central share of what was drawn, NaN left out; none if half or more is NaN.

    >>> import numpy as np
    >>> percentiles(np.arange(101.0))
    Interval(low=2.5, high=97.5)
    """
    import numpy as np

    defined = drawn[~np.isnan(drawn)]
    if 2 * len(defined) <= len(drawn):
        return None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(round(float(low), 12), round(float(high), 12))
