"""How sure is a number that was computed from a sample? Intervals from seeded draws of that sample.

Two kinds, both of an estimate v and of what B draws made of it. *Percentiles* span the central share of the draws. They
suit means, whose draws lie around v. *Symmetric* intervals are v -+ q, with q the quantile of |draw - v|. They suit
what drawing biases: a bias makes them wider, on both sides, and cannot move them away from v (:func:`reach`; Hall
1988, The Annals of Statistics 16:927-953).

Every interval holds its estimate. Where all draws of a small sample lie on one side of it, percentiles reach to it.

*Too few.* Draws of two topics are the two topics: their spread says nothing of a third. The widest interval that a
sample's own values give reaches from the smallest to the largest; with n topics it misses the median of all topics with
probability 2 / 2^n, which is 6 % with five and 3 % with six. So nobody gets a 95 % interval from fewer than
:data:`FEWEST` of what is drawn, be it topics, systems, summaries or, of a single topic, its peers or statements. Nor
do intervals that take values for normal (Fisher's, Tukey's, Cohen's d), which so few cannot show them to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST = 6
"""The fewest topics (or systems, or summaries) that an interval is made from."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, samples: int = 10_000, seed: int = 0
) -> Interval | None:
    r"""Return a confidence interval of the mean of ``values``, one a topic, or None for fewer than :data:`FEWEST`.

    From n values, n are drawn with replacement, ``samples`` times; the interval spans the central ``confidence`` share
    of the means of those draws (Efron's percentile interval). It assumes that topics are a random sample of the topics
    one wants to speak of; with few topics it is too narrow (by about :math:`\sqrt{(n-1)/n}`), which no resampling can
    repair. The same values in any order give the same interval.

    >>> mean_interval([0.1, 0.3, 0.4, 0.6, 0.7, 0.9])
    Interval(low=0.283333333333, high=0.716666666667)
    >>> mean_interval([0.2, 0.6]) is None
    True
    """
    if len(values) < FEWEST:
        return None
    import numpy as np  # here, because importing it takes longer than everything else that --help needs

    ordered = np.sort(np.asarray(values, dtype=float))
    draws = np.random.default_rng(seed).integers(0, len(ordered), size=(samples, len(ordered)))
    return percentiles(float(ordered.mean()), ordered[draws].mean(axis=1), confidence)


def few_note(units: int, things: str) -> str:
    """Return a sentence that says why there is no interval; empty if there are enough units to draw from.

    >>> few_note(2, "topics"), few_note(6, "topics")
    ('No intervals: it takes 6 topics, and here are 2.', '')
    """
    return f"No intervals: it takes {FEWEST} {things}, and here are {units}." if units < FEWEST else ""


def percentiles(value: float | None, drawn: NDArray[np.float64], confidence: float = 0.95) -> Interval | None:
    """Return the central share of the draws, extended to the estimate; None without an estimate, or if half are NaN.

    >>> import numpy as np
    >>> percentiles(50, np.arange(101.0))
    Interval(low=2.5, high=97.5)
    >>> percentiles(100, np.arange(101.0))
    Interval(low=2.5, high=100.0)
    """
    import numpy as np

    defined = drawn[~np.isnan(drawn)]
    if value is None or np.isnan(value) or 2 * len(defined) <= len(drawn):
        return None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(round(float(min(value, low)), 12), round(float(max(value, high)), 12))


def reach(value: float | None, drawn: NDArray[np.float64], confidence: float = 0.95) -> float | None:
    """Return the distance from the estimate within which the given share of draws lies.

    It is None without an estimate, or if half of the draws or more are NaN.

    >>> import numpy as np
    >>> reach(20, np.arange(101.0), confidence=0.5)                 # half of them are 0 to 50
    30.0
    """
    import numpy as np

    defined = drawn[~np.isnan(drawn)]
    if value is None or np.isnan(value) or 2 * len(defined) <= len(drawn):
        return None
    return float(np.quantile(np.abs(defined - value), confidence))
