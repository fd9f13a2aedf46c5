r"""Does metric A correlate better with people than metric B? Tests of two dependent correlations.

Both metrics scored the same summaries, so that their correlations r_A and r_B with the human scores depend on each
other, and comparing two intervals is no test. Three tests, each with the two-sided p-value of r_A = r_B and the
one-sided one of r_A <= r_B (``p_better``):

===========  ==========================================================================================================
williams     Williams' t (1959) for correlations that share one variable (Steiger 1980), with r_AB the correlation of
             the metrics, n pairs and K = 1 - r_A^2 - r_B^2 - r_AB^2 + 2 r_A r_B r_AB, on n - 3 degrees of freedom:

             .. math:: t = (r_A - r_B) \sqrt{\frac{(n-1)(1+r_{AB})}
                       {2 K \frac{n-1}{n-3} + \frac{(r_A+r_B)^2}{4} (1-r_{AB})^3}}

             Pairs are taken for independent and normal: true of neither ranks nor summaries of one document.
permutation  If the metrics were as good as each other, their scores could be exchanged. They are put on one scale, then
             exchanged at random and the difference is computed anew (Deutsch, Dror and Roth 2021): whole *documents*
             (PERM-INPUTS), whole *systems* (PERM-SYSTEMS), or single summaries (*both*: PERM-BOTH). p is the share of
             draws with as large a difference, the observed one counted.
bootstrap    Documents, systems or both are drawn with replacement, both metrics and people together. The interval of
             the difference is that of percentiles; p is twice the smaller share of draws on either side of 0.
===========  ==========================================================================================================

**One scale** is what the level sees: less their mean and by their deviation, of the systems' means at system level,
within each document at summary level, of all cells at global level. Deutsch et al. take all cells throughout. At system
level that leaves the means on two scales, and exchanging systems finds little: for ROUGE-2 against ROUGE-1 on REALSumm
p = .33 instead of .02 (Williams .01). Krippendorff's alpha lives on one scale already: nothing is rescaled for it.

**What a test speaks of.** Exchanging or drawing documents, or single summaries, speaks of these systems only. Where two
metrics as good as each other each misjudge systems in their own way, PERM-INPUTS and PERM-BOTH reject in some 40 % of
nulls at 5 % (15 systems, 20 documents, system level), drawing documents in 20 %; exchanging systems, or drawing them or
both, in 7 % or less (tests/stats/test_correlation_tests.py). To test many metrics against one, correct
(:mod:`pyramidion.stats.corrections`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import Interval, percentiles
from pyramidion.stats.correlation import Coefficient
from pyramidion.stats.levels import (
    Draws,
    Level,
    Means,
    cells_needed,
    matrices,
    pick,
    stacked_correlations,
    system_means,
)

SUBSTITUTABLE = 0.95
"""Metrics whose correlation exceeds this are mutually substitutable (Nenkova et al. 2007 §4.2)."""

Array = NDArray[np.float64]
_CLOSE = 1e-12
"""Differences this close are equal."""


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Williams' t, its degrees of freedom and p-values; None with a reason where the test is undefined."""

    t: float | None
    degrees: int
    p: float | None
    p_better: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DifferenceTest:
    """r_A - r_B, and how likely it is by chance; None if a correlation is undefined."""

    difference: float | None
    p: float | None
    """Two-sided: of r_A = r_B."""
    p_better: float | None
    """One-sided: of r_A <= r_B."""
    interval: Interval | None = None
    """Of the difference, where documents or systems are drawn."""
    undefined: int = 0
    """Draws in which a correlation is undefined, which are left out."""


def williams(r_a: float, r_b: float, r_ab: float, n: int) -> WilliamsTest:
    """Test whether r_a exceeds r_b, both correlations with one variable over n pairs.

    >>> found = williams(0.80, 0.72, 0.89, 26)          # Howell, Statistical Methods for Psychology (6th ed., p. 262)
    >>> round(found.t, 3), found.degrees, round(found.p, 3)
    (1.361, 23, 0.187)
    """
    for r in (r_a, r_b, r_ab):
        if not -1 <= r <= 1:
            raise ModelError(f"{r} is not a correlation", do="give numbers from -1 to 1")
    degrees = max(0, n - 3)
    if n < 4:
        return WilliamsTest(None, degrees, None, None, "fewer than four pairs")
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    # a matrix of correlations has no negative determinant, but for rounding
    if determinant < -1e-9:
        raise ModelError("No three variables have these correlations", do="compute all three over the same pairs")
    variance = 2 * max(0.0, determinant) * (n - 1) / degrees + (r_a + r_b) ** 2 / 4 * (1 - r_ab) ** 3
    if variance <= _CLOSE:
        return WilliamsTest(None, degrees, None, None, "the metrics say the same, or one says what people do")
    from scipy.special import stdtr

    t = (r_a - r_b) * sqrt((n - 1) * (1 + r_ab) / variance)
    return WilliamsTest(
        round(t, 12), degrees, round(float(2 * stdtr(degrees, -abs(t))), 12), round(float(stdtr(degrees, -t)), 12)
    )


@check_choices
def permutation_test(
    human: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    level: Level = "system",
    statistic: Coefficient = "pearson",
    *,
    means: Means = "own",
    draws: Draws | None = None,
) -> DifferenceTest:
    """Exchange the metrics' scores of documents, of systems, or of single summaries; all are documents x systems.

    A cell that one of the metrics misses counts for neither.

    >>> human = [[1, 2, 3, 4, 5]] * 6
    >>> permutation_test(human, human, [[1, 3, 2, 5, 4]] * 6, draws=Draws("both", 100)).difference
    0.2
    """
    draws = draws or Draws()
    people, first, second = _same_cells(human, a, b)
    if statistic != "krippendorff":
        first, second = _standardise(level, first), _standardise(level, second)
    observed = _difference(level, people[None], first[None], second[None], statistic, means)[0]
    if np.isnan(observed):
        return DifferenceTest(None, None, None)
    blocks = []
    random = np.random.default_rng(draws.seed)
    documents, systems = people.shape
    step = max(1, (1 << 21) // cells_needed(level, people, statistic))
    for start in range(0, draws.samples, step):
        rows = min(step, draws.samples - start)
        shape = {
            "documents": (rows, documents, 1),
            "systems": (rows, 1, systems),
            "both": (rows, documents, systems),
        }[draws.resample]
        swapped = random.integers(0, 2, size=shape, dtype=np.int8).astype(bool)
        people_ = np.broadcast_to(people, (rows, documents, systems))
        blocks.append(
            _difference(
                level, people_, np.where(swapped, second, first), np.where(swapped, first, second), statistic, means
            )
        )
    drawn = np.concatenate(blocks)
    drawn = drawn[~np.isnan(drawn)]
    bar = abs(observed) - _CLOSE
    # the observed difference counts as one more draw, so that p is never 0
    return DifferenceTest(
        round(float(observed), 12) + 0.0,
        (1 + int((np.abs(drawn) >= bar).sum())) / (1 + len(drawn)),
        (1 + int((drawn >= observed - _CLOSE).sum())) / (1 + len(drawn)),
        undefined=draws.samples - len(drawn),
    )


@check_choices
def bootstrap_difference(
    human: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    level: Level = "system",
    statistic: Coefficient = "pearson",
    *,
    means: Means = "own",
    draws: Draws | None = None,
) -> DifferenceTest:
    """Draw documents, systems or both, for people and both metrics together; all are documents x systems."""
    draws = draws or Draws()
    people, first, second = _same_cells(human, a, b)
    observed = _difference(level, people[None], first[None], second[None], statistic, means)[0]
    if np.isnan(observed):
        return DifferenceTest(None, None, None)
    difference = round(float(observed), 12) + 0.0
    if not draws.possible(people.shape[0], people.shape[1]):
        return DifferenceTest(difference, None, None)
    drawn = np.concatenate(
        [
            _difference(level, pick(people, *part), pick(first, *part), pick(second, *part), statistic, means)
            for part in draws.indices(people.shape[0], people.shape[1], cells_needed(level, people, statistic))
        ]
    )
    defined = drawn[~np.isnan(drawn)]
    if 2 * len(defined) <= len(drawn):
        return DifferenceTest(difference, None, None, None, len(drawn) - len(defined))
    below = (1 + int((defined <= _CLOSE).sum())) / (1 + len(defined))
    above = (1 + int((defined >= -_CLOSE).sum())) / (1 + len(defined))
    return DifferenceTest(
        difference,
        min(1.0, 2 * min(below, above)),
        below,
        percentiles(difference, drawn, draws.confidence),
        len(drawn) - len(defined),
    )


def _same_cells(human: ArrayLike, a: ArrayLike, b: ArrayLike) -> tuple[Array, Array, Array]:
    people, first, second = matrices(human, a, b)
    missing = np.isnan(first) | np.isnan(second)
    return people, np.where(missing, np.nan, first), np.where(missing, np.nan, second)


def _standardise(level: Level, scores: Array) -> Array:
    """Take the mean off and divide by the deviation, as the level sees them; only the mean where they do not vary."""
    if level == "system":
        seen = system_means(scores[None], scores[None])[0]
    else:
        seen = scores if level == "summary" else scores.reshape(1, -1)
    there = ~np.isnan(seen)
    count = np.maximum(there.sum(axis=1, keepdims=True), 1)
    mean = np.where(there, seen, 0).sum(axis=1, keepdims=True) / count
    deviation = np.sqrt((np.where(there, seen - mean, 0) ** 2).sum(axis=1, keepdims=True) / count)
    largest = np.abs(np.where(there, seen, 0)).max(axis=1, keepdims=True)
    standardised: Array = (scores - mean) / np.where(deviation > _CLOSE * largest, deviation, 1)
    return standardised


def _difference(level: Level, human: Array, a: Array, b: Array, statistic: Coefficient, means: Means) -> Array:
    first = stacked_correlations(level, a, human, statistic, means)
    return first - stacked_correlations(level, b, human, statistic, means)


@dataclass(frozen=True, slots=True)
class Substitutability:
    """The answer to the question whether one metric can stand for another."""

    by_estimate: bool | None
    """True if the correlation exceeds the threshold, which is all that Nenkova et al. 2007 §4.2 ask."""
    by_interval: Literal["yes", "no", "open"]
    """Yes if the whole interval exceeds it, no if none of it does, and open else."""
    threshold: float = SUBSTITUTABLE


def substitutability(
    value: float | None, interval: Interval | None, threshold: float = SUBSTITUTABLE
) -> Substitutability:
    """Decide whether one metric may stand for the other: if their correlation exceeds .95 (Nenkova et al. 2007 §4.2).

    A few systems cannot show that: the interval may lie on both sides of the threshold, and the matter is open.

    >>> substitutability(0.96, Interval(0.91, 0.98))            # the original and the modified score, 25 systems
    Substitutability(by_estimate=True, by_interval='open', threshold=0.95)
    """
    if not -1 <= threshold <= 1:
        raise ModelError(f"The threshold of a correlation is {threshold}", do="give a number from -1 to 1")
    by_interval: Literal["yes", "no", "open"] = "open"
    if interval is not None and interval.low > threshold:
        by_interval = "yes"
    elif interval is not None and interval.high <= threshold:
        by_interval = "no"
    return Substitutability(None if value is None else value > threshold, by_interval, threshold)
