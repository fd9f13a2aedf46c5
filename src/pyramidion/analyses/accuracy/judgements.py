r"""Does a judge find in a summary what people found? Figures over single judgements, one for each SCU and summary.

With y = 1 where people found the SCU in the summary, d = 1 where the judge did, and p its degree (its probability or,
where it gives none, the score of its match, 0 where it has none):

==========  ===========================================================================================================
accuracy    the share of judgements with d = y
precision   of those with d = 1, the share with y = 1;  *recall*: of those with y = 1, the share with d = 1
f1          the harmonic mean of precision and recall
kappa       Cohen's, of d and y: accuracy beyond what the two shares of 1 give by chance
auc         the probability that of two judgements, one with y = 1 and one with y = 0, the first has the higher p; a tie
            counts half (Mann and Whitney's U over the number of such pairs)
ece         expected calibration error: with ten bins of p of *equal width* ([0, .1), ..., [.9, 1]), n_b judgements in
            bin b, their mean p and share of y = 1: :math:`\sum_b n_b / n\, |\bar p_b - \bar y_b|` (Naeini et al. 2015)
brier       the mean of (p - y)^2
==========  ===========================================================================================================

``ece`` and ``brier`` are of probabilities only, since a score of another kind claims no share. A figure that is
undefined (people found everything, a judge found nothing) is None, never NaN. Where a judge with probabilities has none
for an SCU (``llm``: the model gave no usable answer), it judged nothing: the pair is left out, and is not counted in
``pairs`` either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyramidion.model import Topic
from pyramidion.stats.agreement import cohen_kappa

BINS = 10
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """Judgements with similar probabilities: how many, their mean probability, and the share that people confirm."""

    count: int
    probability: float
    present: float


@dataclass(frozen=True, slots=True)
class Judgements:
    """The figures of one judge."""

    pairs: int
    present: float | None
    """The share of judgements in which people found the SCU."""
    accuracy: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    kappa: float | None
    auc: float | None
    ece: float | None
    brier: float | None
    reliability: tuple[Bin, ...] = ()
    """The points of a reliability diagram; empty if the degrees are not probabilities."""


def figures(labels: ArrayLike, decisions: ArrayLike, degrees: ArrayLike, probabilities: bool = True) -> Judgements:
    """Compute the figures of judgements in one order; ``probabilities`` says whether the degrees are probabilities.

    >>> found = figures([1, 1, 0, 0], [1, 0, 0, 0], [0.9, 0.4, 0.4, 0.1])
    >>> found.accuracy, found.precision, found.recall, found.auc
    (0.75, 1.0, 0.5, 0.875)
    >>> found.ece                                          # (.1 + 2 * |.4 - .5| + .1) / 4
    0.1
    """
    y, d, p = (np.asarray(numbers, np.float64) for numbers in (labels, decisions, degrees))
    hits = float((y * d).sum())
    bins = reliability(y, p) if probabilities else ()
    precision, recall = _ratio(hits, d.sum()), _ratio(hits, y.sum())
    return Judgements(
        len(y),
        _ratio(y.sum(), len(y)),
        _ratio((y == d).sum(), len(y)),
        precision,
        recall,
        _ratio(2 * hits, y.sum() + d.sum()),
        cohen_kappa(y.tolist(), d.tolist()).value if len(y) else None,
        _auc(y, p),
        _ratio(sum(point.count * abs(point.probability - point.present) for point in bins), len(y))
        if probabilities
        else None,
        _ratio(((p - y) ** 2).sum(), len(y)) if probabilities else None,
        bins,
    )


def reliability(labels: ArrayLike, probabilities: ArrayLike, bins: int = BINS) -> tuple[Bin, ...]:
    """Put judgements into bins of equal width, without empty bins: the points of a reliability diagram."""
    y, p = np.asarray(labels, np.float64), np.asarray(probabilities, np.float64)
    # rounded first, lest last digits choose between two bins; 1 belongs to the last bin
    places = np.minimum((np.round(p, 12) * bins).astype(int), bins - 1)
    inside = (places == place for place in range(bins))
    return tuple(
        Bin(int(members.sum()), float(p[members].mean()), float(y[members].mean()))
        for members in inside
        if members.any()
    )


def _auc(labels: Array, degrees: Array) -> float | None:
    positive = int(labels.sum())
    negative = len(labels) - positive
    if not positive or not negative:
        return None
    _, places, counts = np.unique(degrees, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]  # equal degrees share the mean of their ranks
    return _twelve_decimals((ranks[labels == 1].sum() - positive * (positive + 1) / 2) / (positive * negative))


def _ratio(part: float, whole: float) -> float | None:
    return _twelve_decimals(part / whole) if whole else None


def _twelve_decimals(value: float) -> float:
    return round(float(value), 12)


def judgements(human: Iterable[Topic], judged: Iterable[Topic]) -> Judgements:
    """Compute the figures of a judge's annotations against people's annotations of the same topics."""
    labels: list[bool] = []
    decisions: list[bool] = []
    degrees: list[float] = []
    probabilities = True
    for topic, answer in zip(human, judged, strict=True):
        ours = {annotation.summary.id: annotation for annotation in answer.annotations}
        scus: Sequence[str] = [scu.id for scu in topic.pyramid.scus] if topic.pyramid else ()
        for annotation in topic.annotations:
            if annotation.summary.id not in ours:
                continue
            answers = ours[annotation.summary.id]
            if not answers.probabilities:
                probabilities = False
            scores: dict[str, float] = {}
            for match in answers.matches:
                # several matches of an SCU are one judgement, the best of them
                scores[match.scu] = max(match.score, scores.get(match.scu, 0.0))
            degree = dict(answers.probabilities) or scores
            # a judge with probabilities that has none for an SCU judged nothing
            answered = [scu for scu in scus if scu in degree or not answers.probabilities]
            labels += (scu in annotation.expressed for scu in answered)
            decisions += (scu in scores for scu in answered)
            degrees += (degree.get(scu, 0.0) for scu in answered)
    return figures(labels, decisions, degrees, probabilities)
