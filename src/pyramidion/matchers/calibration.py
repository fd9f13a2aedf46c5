r"""Probabilities that mean what they say on a corpus of its own, from a few labels.

A judge's probabilities are right on the data that it was made with. On another corpus people may find half of what it
expects. With some judgements of people, P the judge's probability and y whether people found the SCU, Platt's curve
(1999, "Probabilistic outputs for support vector machines")

.. math:: P' = \sigma(a \cdot \mathrm{logit} P + b)

puts that right. A few labels must not turn a judge round, so slope and shift are drawn to those that change nothing:
they minimise

.. math:: -\sum_i \big(y_i \log P'_i + (1 - y_i) \log (1 - P'_i)\big) + \tfrac{1}{2} \big((\ln a)^2 + b^2\big),

the posterior's mode for standard normal priors of ln a and b. So a is positive, and the order of a judge's
probabilities stays; no label leaves everything as it was; and a hundred outweigh the prior. A probability of 0 or 1
stays: an empty summary says nothing on any corpus.

An SCU matches where P' reaches the threshold t, which is where P reaches :math:`\sigma((\mathrm{logit}\, t - b) / a)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, isfinite, log
from typing import TYPE_CHECKING

from pyramidion.errors import PyramidionError
from pyramidion.model import Annotation

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECIMALS = 3
"""Of slope and shift, so that a signature repeats them exactly."""
SMALLEST = 1e-4
"""What lies nearer to 0 or 1 counts as so near when a curve is fitted: judges round."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A curve from a judge's probabilities to those of a corpus.

    >>> doubtful = Calibration(shift=-1.0)
    >>> [round(doubtful(p), 2) for p in (0.0, 0.5, 0.9, 1.0)]
    [0.0, 0.27, 0.77, 1.0]
    >>> round(doubtful.inverse(doubtful(0.4)), 6)
    0.4
    """

    slope: float = 1.0
    shift: float = 0.0

    def __post_init__(self) -> None:
        if not (self.slope > 0 and isfinite(self.slope) and isfinite(self.shift)):
            raise PyramidionError(
                f"A calibration has slope {self.slope} and shift {self.shift}",
                do="give a slope above 0 and any shift; 1 and 0 change nothing",
            )

    def __call__(self, probability: float) -> float:
        """Return the corpus's probability for a judge's."""
        if not 0 < probability < 1 or self == SAME:
            return probability
        return _logistic(self.slope * _logit(probability) + self.shift)

    def inverse(self, probability: float) -> float:
        """Return the judge's probability for the corpus's."""
        if not 0 < probability < 1 or self == SAME:
            return probability
        return _logistic((_logit(probability) - self.shift) / self.slope)


SAME = Calibration()
"""The calibration that changes nothing."""


def _logit(probability: float) -> float:
    return log(probability) - log(1 - probability)


def _logistic(value: float) -> float:
    """Return 1 / (1 + exp(-value)), without overflow for values far from 0."""
    return 1 / (1 + exp(-value)) if value >= 0 else exp(value) / (1 + exp(value))


def fit_calibration(probabilities: Sequence[float], said: Sequence[bool]) -> Calibration:
    """Return the calibration for a judge's probabilities by people's judgements of the same SCUs and summaries.

    >>> fit_calibration([0.9, 0.8, 0.7, 0.2] * 10, [True, False, False, False] * 10)   # people find less than the judge
    Calibration(slope=1.544, shift=-2.655)
    >>> fit_calibration([], [])
    Calibration(slope=1.0, shift=0.0)
    """
    import numpy as np  # not above: every command knows methods, and few calibrate
    from scipy.optimize import minimize

    p = np.clip(np.asarray(probabilities, float), SMALLEST, 1 - SMALLEST)
    signs = np.where(np.asarray(said, bool), 1.0, -1.0)
    if len(p) != len(signs):
        raise PyramidionError(
            f"There are {len(p)} probabilities and {len(signs)} labels", do="give a label for each probability"
        )
    evidence = np.log(p) - np.log1p(-p)

    def loss(at: NDArray[np.float64]) -> float:
        margins = signs * (np.exp(at[0]) * evidence + at[1])
        return float(np.logaddexp(0.0, -margins).sum() + 0.5 * at @ at)

    found = minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-8}).x
    slope, shift = round(float(np.exp(found[0])), DECIMALS), round(float(found[1]), DECIMALS)
    return Calibration(max(slope, 10.0**-DECIMALS), shift + 0.0)  # a slope rounded to 0 is invalid; -0.0 becomes 0.0


def calibrated(annotation: Annotation, calibration: Calibration) -> Annotation:
    """Return a judge's annotation with the probabilities of the corpus; the same SCUs match as before."""
    return replace(
        annotation,
        probabilities=tuple((scu, calibration(p)) for scu, p in annotation.probabilities),
        matches=tuple(replace(match, score=calibration(match.score)) for match in annotation.matches),
    )
