r"""Do two summaries express different content? Paired tests over SCUs (Nenkova et al. 2007 §2.3).

Over the N SCUs of a pyramid a summary is a vector S of presences, S[k] = 1 if it expresses the k-th. Two summaries are
two such vectors; for systems on several topics, the SCUs of all topics are joined. Only the SCUs that one summary has
alone tell the two apart: the first has b of them, the second c.

**McNemar**: if both were equally likely to have an SCU alone, b would be binomial with n = b + c and 1/2,

.. math:: p = \min(1, 2 P(B \le \min(b, c))), \qquad mid\text{-}p = p - P(B = b),

(1 for b = c). The exact test never errs more often than its level, and usually less; mid-p is close to the level and
may exceed it slightly.
The odds ratio b / c has the exact (Clopper-Pearson) interval of b / n, turned into odds. All SCUs weigh the same.

**Permutation**: every SCU adds v_k to the difference of scores, v_k = its weight by the topic's maximum and the number
of topics, with the sign of who has it. If an SCU might as well have been the other's, all signs are alike
(:func:`pyramidion.stats.paired.sign_flips`): exact for weights of one pyramid, drawn where topics differ in maximum.

Both assume that SCUs are independent, which the SCUs of one sentence are not, and take the topics as fixed. They say
whether *these summaries* differ, with far more data than topics give. Tests over topics say whether *systems* differ on
other topics (:mod:`pyramidion.stats.paired`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, betaincinv, gammaln

from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import Interval
from pyramidion.stats.paired import sign_flips

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two vectors of presence, counted and tested."""

    both: int
    only_first: int
    only_second: int
    neither: int
    p: float
    mid_p: float
    odds_ratio: float | None
    """b / c; none where the second has nothing alone."""
    interval: Interval | None
    """Of the odds ratio; its upper end is infinite where c = 0. None where nothing tells them apart."""
    left_out: int = 0
    """SCUs that were not judged in both."""


def mcnemar(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> McNemar:
    """Test two vectors of 0 and 1; NaN marks an SCU that was not judged.

    >>> found = mcnemar([1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1, 0])
    >>> found.only_first, found.only_second, found.p, found.mid_p, found.odds_ratio
    (5, 1, 0.21875, 0.125, 5.0)
    """
    ours, theirs = _presences(first), _presences(second)
    if ours.ndim != 1 or ours.shape != theirs.shape:
        raise ModelError("The vectors are not of the same SCUs", do="give two vectors of one length")
    judged = ~(np.isnan(ours) | np.isnan(theirs))
    has, had = ours[judged] > 0, theirs[judged] > 0
    b, c = int((has & ~had).sum()), int((had & ~has).sum())
    exact, mid = (float(found[0]) for found in mcnemar_p([b], [c]))
    return McNemar(
        int((has & had).sum()),
        b,
        c,
        int((~has & ~had).sum()),
        exact,
        mid,
        b / c if c else None,
        _odds(b, c, confidence) if b + c else None,
        int((~judged).sum()),
    )


def mcnemar_p(only_first: ArrayLike, only_second: ArrayLike) -> tuple[Array, Array]:
    """Return the exact and the mid-p values of counts of SCUs that one alone has, many pairs at once.

    >>> exact, mid = mcnemar_p([5, 2, 0], [1, 2, 0])
    >>> exact.tolist(), mid.tolist()
    ([0.21875, 1.0, 1.0], [0.125, 1.0, 1.0])
    """
    b, c = np.asarray(only_first, dtype=np.float64), np.asarray(only_second, dtype=np.float64)
    n, fewer = b + c, np.minimum(b, c)
    exact = np.minimum(1, 2 * bdtr(fewer, n.astype(np.int64), 0.5))
    here = np.exp(gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - n * np.log(2))
    return exact.round(15), np.where(b == c, 1, exact - here).round(15)


def alone(presence: ArrayLike) -> tuple[Array, Array]:
    """Count, for every two systems, the SCUs that the row's has alone, and those on which both were judged.

    Both counts are systems x systems, from SCUs x systems.

    >>> alone([[1, 0], [1, 1], [1, 0]])[0].tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    matrix = _presences(presence)
    there = (~np.isnan(matrix)).astype(np.float64)
    has = (np.nan_to_num(matrix) > 0).astype(np.float64)
    return has.T @ (there - has), there.T @ there


def scu_permutation(
    first: ArrayLike, second: ArrayLike, values: ArrayLike | None = None, *, samples: int = 10_000, seed: int = 0
) -> float:
    """Return the two-sided p-value of exchanging SCUs between summaries; each adds its value (default 1) to a score.

    >>> scu_permutation([1, 1, 1, 0], [0, 0, 0, 0], [4, 2, 1, 1])         # 7 of at most 7: two of 2^3 signs
    0.25
    """
    ours, theirs = _presences(first), _presences(second)
    added = np.ones(len(ours)) if values is None else np.asarray(values, dtype=np.float64)
    if ours.ndim != 1 or ours.shape != theirs.shape or ours.shape != added.shape:
        raise ModelError("The vectors are not of the same SCUs", do="give vectors of one length")
    if not len(ours):
        return 1.0
    return float(sign_flips(((ours - theirs) * added)[:, None], samples, seed)[0])


def _odds(b: int, c: int, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    low = float(betaincinv(b, c + 1, tail)) if b else 0.0
    high = float(betaincinv(b + 1, c, 1 - tail)) if c else 1.0
    return Interval(round(low / (1 - low), 12), round(high / (1 - high), 12) if high < 1 else float("inf"))


def _presences(values: ArrayLike) -> Array:
    presences = np.asarray(values, dtype=np.float64)
    if not (np.isnan(presences) | (presences == 0) | (presences == 1)).all():
        raise ModelError("A presence is neither 0 nor 1", do="give 1 for an SCU that is expressed, else 0")
    return presences
