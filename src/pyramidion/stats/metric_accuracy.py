r"""Does a metric find the same significant differences between systems as people do? Gao et al. 2019 §6, Table 4.

For every two systems, Wilcoxon's signed rank test over topics (:mod:`pyramidion.stats.paired`) has one of three
outcomes: the first is significantly better, the second is, or neither. The test is run once with the gold scores and
once with the metric's. The metric's *accuracy* is the share of all pairs of systems for which both outcomes agree
("how accurately the automated metric leads to the same set of significant differences between all pairs of systems").

Table 4 repeats this on 100 samples of 41 of the 46 topics, each with its own gold outcomes. The paper calls them
bootstrapped, and "selections of 41 topics". Here they are drawn without replacement, because a topic that is drawn
twice would count as independent evidence and make too much significant; ``replacement`` draws with it. The table has

- the mean accuracy of the samples and their standard deviation s,
- the 95 % interval, which in Table 4 is mean -+ 1.96 s / sqrt(samples), here kept within 0 and 1: it says how well so
  many samples give the mean, not how the accuracy would vary with other topics (the samples share most of theirs; s
  says more of that),
- the accuracy on all topics, and delta, its difference from the mean. Fewer topics make fewer differences significant,
  so a delta shows that outcomes depend on the number of topics.

A cell that is missing on one side is left out on both. All pairs of systems count alike. As in the paper, p-values are
not corrected for the number of pairs: about 5 % of the pairs of equal systems are significant on either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import FEWEST, Interval
from pyramidion.stats.levels import matrices
from pyramidion.stats.paired import differences, rank_biserial, wilcoxon_columns

SHARE = 41 / 46
"""The share of topics in a sample of Table 4."""

Array = NDArray[np.float64]
Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes of a metric for all pairs of systems, beside those of the gold scores."""

    pairs: int
    same_difference: int
    """Both find the same system significantly better."""
    same_none: int
    """Neither finds a significant difference."""
    missed: int
    """Only the gold scores find one."""
    made_up: int
    """Only the metric finds one."""
    reversed: int
    """Both find one, the other way round."""

    @property
    def accuracy(self) -> float:
        """The share of pairs with the same outcome."""
        return (self.same_difference + self.same_none) / self.pairs


@dataclass(frozen=True, slots=True)
class MetricAccuracy:
    """A row of Table 4."""

    mean: float
    deviation: float
    """Of the samples' accuracies (n - 1)."""
    interval: Interval | None
    """Of the mean of the samples; None with few topics."""
    on_all: Outcomes
    topics: int
    size: int
    """Topics in a sample."""
    samples: int
    level: float

    @property
    def delta(self) -> float:
        """The accuracy on all topics less the mean."""
        return round(self.on_all.accuracy - self.mean, 12)


def outcomes(scores: ArrayLike, level: float = 0.05) -> Signs:
    """Return 1, -1 or 0 for each pair of systems (as ``numpy.triu_indices`` orders them), from topics x systems.

    >>> outcomes([[2, 1, 1]] * 6).tolist()                      # six of six topics: p = 2 / 64
    [1, 1, 0]
    """
    by = differences(scores)
    signs: Signs = np.where(wilcoxon_columns(by) < level, np.sign(rank_biserial(by)), 0).astype(np.int8)
    return signs


def metric_accuracy(
    gold: ArrayLike,
    metric: ArrayLike,
    *,
    size: int | None = None,
    samples: int = 100,
    replacement: bool = False,
    level: float = 0.05,
    confidence: float = 0.95,
    seed: int = 0,
) -> MetricAccuracy:
    """Return the accuracy of a metric, both being topics x systems; samples of ``size`` topics, or of 41 in 46.

    >>> scores = [[1, 2, 4], [2, 3, 5], [1, 3, 5], [2, 4, 4], [1, 2, 4], [3, 4, 5], [2, 5, 6], [1, 2, 7]]
    >>> found = metric_accuracy(scores, scores)
    >>> found.mean, found.on_all
    (1.0, Outcomes(pairs=3, same_difference=3, same_none=0, missed=0, made_up=0, reversed=0))
    """
    people, ours = matrices(gold, metric)
    topics, systems = people.shape
    size = max(1, round(topics * SHARE)) if size is None else size
    _check(topics, systems, size, samples, replacement, level, confidence)
    there = ~(np.isnan(people) | np.isnan(ours))
    people, ours = np.where(there, people, np.nan), np.where(there, ours, np.nan)
    random = np.random.default_rng(seed)
    accuracies = np.empty(samples)
    for sample in range(samples):
        drawn = np.sort(random.choice(topics, size, replace=replacement))
        accuracies[sample] = (outcomes(people[drawn], level) == outcomes(ours[drawn], level)).mean()
    mean, deviation = float(accuracies.mean()), float(accuracies.std(ddof=1)) if samples > 1 else 0.0
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * deviation / sqrt(samples)
    return MetricAccuracy(
        round(mean, 12),
        round(deviation, 12),
        Interval(round(max(0.0, mean - reach), 12), round(min(1.0, mean + reach), 12)) if topics >= FEWEST else None,
        _compare_outcomes(outcomes(people, level), outcomes(ours, level)),
        topics,
        size,
        samples,
        level,
    )


def _compare_outcomes(gold: Signs, metric: Signs) -> Outcomes:
    return Outcomes(
        len(gold),
        int(((gold == metric) & (gold != 0)).sum()),
        int(((gold == 0) & (metric == 0)).sum()),
        int(((gold != 0) & (metric == 0)).sum()),
        int(((gold == 0) & (metric != 0)).sum()),
        int((gold * metric == -1).sum()),
    )


def _check(
    topics: int, systems: int, size: int, samples: int, replacement: bool, level: float, confidence: float
) -> None:
    """Raise an error if samples cannot be drawn, or if a level is no share."""
    if systems < 2:
        raise ModelError(
            "There is only one system, so there is no pair to compare", do="give the scores of two systems or more"
        )
    if not 1 <= size <= (size if replacement else topics):
        raise ModelError(
            f"Samples of {size} topics cannot be drawn from {topics}", do=f"give a number from 1 to {topics}"
        )
    if samples < 1:
        raise ModelError(f"{samples} samples of topics are too few", do="give 100, as the paper does")
    if not 0 < level < 1:
        raise ModelError(f"The level of significance is {level}", do="give a number between 0 and 1, such as 0.05")
    if not 0 < confidence < 1:
        raise ModelError(f"The confidence is {confidence}", do="give a number between 0 and 1, such as 0.95")
