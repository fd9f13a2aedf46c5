r"""The model of Dawid and Skene (1979) for two classes: learns from the votes how far each worker can be trusted.

An item is present with probability :math:`\pi`. Worker j says "present" of an item that is with probability
:math:`\alpha_j` (sensitivity) and "not present" of one that is not with :math:`\beta_j` (specificity), independently.
With votes :math:`x_{ij}`, the log odds that item i is present are

.. math:: \log\frac{\pi}{1-\pi} + \sum_{j: x_{ij}=1} \log\frac{\alpha_j}{1-\beta_j}
                                + \sum_{j: x_{ij}=0} \log\frac{1-\alpha_j}{\beta_j},

a majority in which each worker has as much weight as they earned, none if :math:`\alpha_j + \beta_j = 1`, and a
negative one if they mix up the answers. Parameters come from expectation maximisation: probabilities of items from
parameters, parameters from votes weighted by probabilities, until the objective rises by less than a millionth a vote.
It starts from the shares of votes and has no chance in it.

**Priors.** First all workers are taken for one, which gives the crowd's :math:`\alpha` and :math:`\beta`. Then each is
fitted with priors around them that weigh four votes of either class, so that somebody with few votes is taken for one
of the crowd. Of weights from 2 to 32, four predicted votes of REALSumm that were held back best (QAPyramid, with
hundreds of votes a worker, did not care). The crowd's own priors, and that of :math:`\pi`, are weak: as if the crowd
had been right twice and wrong once of either class, and one item of either had been seen. The objective, log
likelihood plus log priors, never falls.

**Workers without a name** (:attr:`~pyramidion.crowd.judging.votes.Votes.named`) are each their own: with the prior
above, ten votes of somebody unknown tell enough to weigh them. ``unnamed="pooled"`` takes them for one;
``docs/crowd-judging.md`` has both measured.

**Which class is which.** Exchanging the classes, with :math:`\alpha_j` for :math:`1 - \beta_j`, gives the same
likelihood. The start and the priors, which take the crowd for better than chance, decide; :attr:`Fit.informed`, the
mean over votes of :math:`\alpha_j + \beta_j - 1`, says what came out, and where it is not above 0, so that the average
vote would count against itself, there is a warning. No arithmetic notices a crowd that mixes up the answers as one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyramidion.base.choices import check_choices
from pyramidion.crowd.judging.aggregate import Decisions, majority
from pyramidion.crowd.judging.voters import Array, Unnamed, Voted, probability_of
from pyramidion.crowd.judging.votes import Votes
from pyramidion.notes import note

_CROWD = (2 / 3, 2 / 3)
"""The crowd's prior sensitivity and specificity: right twice, wrong once."""
_OF_CROWD = 3.0
"""The number of votes of either class that the prior of the crowd stands for."""
_OF_WORKER = 4.0
"""The number of votes of either class that the prior of a worker stands for."""
_EITHER = 1.0
"""The number of items of either class that the prior stands for."""
_MOST = 2000
"""The most steps."""


@dataclass(frozen=True)
class Fit:
    """The parameters that the model learned."""

    probability: Array
    """The probability of each item that it is present; NaN without a vote."""
    sensitivity: Array
    """The sensitivity of each voter."""
    specificity: Array
    prior: float
    """The share of items that are present."""
    objective: tuple[float, ...]
    """The log likelihood plus log priors, step by step, without constants."""
    converged: bool
    informed: float
    """The mean over votes of sensitivity + specificity - 1: 1 for a perfect crowd, 0 for dice."""


@check_choices
def dawid_skene(votes: Votes, *, unnamed: Unnamed = "own") -> Decisions:
    """Decide by what the model says is more likely; trust is the mean of sensitivity and specificity.

    So trust is the share of right answers if both classes are equally frequent; guessing gives 0.5.
    """
    voted = Voted.of(votes, unnamed)
    model = fit(voted, majority(votes).probability)
    value = np.where(np.isnan(model.probability), np.nan, (model.probability > 0.5).astype(float))
    right = (model.sensitivity + model.specificity) / 2
    name = "dawid-skene" if unnamed == "own" else f"dawid-skene[unnamed={unnamed}]"
    return Decisions(name, value, model.probability, voted.trust(votes, right))


def fit(voted: Voted, start: Array, *, tolerance: float = 1e-6) -> Fit:
    """Fit the crowd as one and then each voter, both by expectation maximisation from probabilities of items."""
    enough = tolerance * max(1, len(voted.item))
    crowd = _climb(voted.as_one(), start, _CROWD, _OF_CROWD, enough)
    model = _climb(voted, start, (float(crowd.sensitivity[0]), float(crowd.specificity[0])), _OF_WORKER, enough)
    if len(voted.item) and model.informed <= 0:
        note(
            "By Dawid-Skene, the average vote is no better than chance; look at the table of workers, "
            "or decide by majority"
        )
    return model


def _climb(voted: Voted, start: Array, centre: tuple[float, float], weight: float, enough: float) -> Fit:
    """Run expectation maximisation with priors of that weight around a sensitivity and a specificity."""
    seen = ~np.isnan(start)
    # items without a vote take no part in the sums, and are NaN again in the result
    probability = np.where(seen, start, 0.0)
    times = voted.times
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < _MOST:
        if_so = voted.by_case(probability[voted.item])
        if_not = times - if_so
        sensitivity = (if_so[:, 1] + weight * centre[0]) / (if_so.sum(axis=1) + weight)
        specificity = (if_not[:, 0] + weight * centre[1]) / (if_not.sum(axis=1) + weight)
        prior = (float(probability.sum()) + _EITHER) / (float(seen.sum()) + 2 * _EITHER)
        of_present = np.stack([np.log1p(-sensitivity), np.log(sensitivity)], axis=1)
        of_absent = np.stack([np.log(specificity), np.log1p(-specificity)], axis=1)
        with_present = np.log(prior) + voted.by_item(of_present)
        with_absent = np.log1p(-prior) + voted.by_item(of_absent)
        probability = np.where(seen, probability_of(with_present - with_absent), 0.0)
        priors = _EITHER * (np.log(prior) + np.log1p(-prior)) + weight * sum(
            float((mean * np.log(rate) + (1 - mean) * np.log1p(-rate)).sum())
            for mean, rate in zip(centre, (sensitivity, specificity), strict=True)
        )
        objective.append(float(np.logaddexp(with_present, with_absent)[seen].sum() + priors))
        converged = len(objective) > 1 and objective[-1] - objective[-2] < enough
    informed = float(times.sum(axis=1) @ (sensitivity + specificity - 1) / max(1.0, float(times.sum())))
    probability = np.where(seen, probability, np.nan)
    return Fit(probability, sensitivity, specificity, float(prior), tuple(objective), converged, informed)
