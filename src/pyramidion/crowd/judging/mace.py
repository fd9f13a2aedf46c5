r"""MACE, a model of workers in which a vote is either meant or spam (Hovy et al. 2013).

Item i has a true answer :math:`T_i`, either one alike likely. Worker j answers it in earnest (:math:`S_{ij} = 0`) with
probability :math:`\theta_j`, and then says :math:`T_i`; else they are spamming, and say what they always say, present
with probability :math:`\xi_j`. So

.. math:: P(x_{ij} = a \mid T_i = t) = \theta_j [a = t] + (1 - \theta_j)\, \xi_{ja}.

Beside Dawid-Skene, a worker has two numbers as well, but cannot be worse than chance: mixing up the answers is spam
here. The two classes can therefore not be exchanged.

Parameters are learned by variational Bayes as in the paper, with its priors: Beta(.5, .5) on :math:`\theta`, which
takes workers for either good or bad, and Dirichlet(10, 10) on :math:`\xi`. With q over parameters fixed, expectations
of their logarithms take their place in the E step; its counts are added to the priors in the M step. The lower bound
of the evidence never falls, and the work ends when it rises by less than a millionth a vote. Of ten starts the best
after 20 steps is followed to the end: the first takes everybody for half earnest, the others draw each worker's share
(seeded, and from what they voted, so that names do not matter) and win only if they are better by more than that
millionth.

Trust is the expected :math:`\theta_j`: how often a worker is in earnest. Workers without a name are each their own, as
in :mod:`~pyramidion.crowd.judging.dawid_skene`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, digamma

from pyramidion.base.choices import check_choices
from pyramidion.crowd.judging.aggregate import Decisions
from pyramidion.crowd.judging.voters import Array, Unnamed, Voted, probability_of
from pyramidion.crowd.judging.votes import Votes

_EARNEST = 0.5
"""The prior of a worker's share of votes in earnest: Beta(.5, .5)."""
_STRATEGY = 10.0
"""The prior of what a worker says when spamming: Dirichlet(10, 10)."""
_TRIAL = 20
"""The steps after which the best start is chosen."""
_MOST = 2000
"""The most steps."""


@dataclass(frozen=True)
class Fit:
    """The parameters that the model learned."""

    probability: Array
    """The probability of each item that it is present; NaN without a vote."""
    earnest: Array
    """For each voter, the expected share of votes in earnest."""
    spams_present: Array
    """For each voter, the expected share of "present" among the other votes."""
    bound: tuple[float, ...]
    """The lower bound of the evidence, step by step from the start that won."""
    converged: bool


@check_choices
def mace(votes: Votes, *, unnamed: Unnamed = "own", restarts: int = 10, seed: int = 0) -> Decisions:
    """Decide by what the model says is more likely; trust is how often it takes a worker to be in earnest."""
    voted = Voted.of(votes, unnamed)
    model = fit(voted, restarts=restarts, seed=seed)
    value = np.where(np.isnan(model.probability), np.nan, (model.probability > 0.5).astype(float))
    name = "mace" if unnamed == "own" else f"mace[unnamed={unnamed}]"
    return Decisions(name, value, model.probability, voted.trust(votes, model.earnest))


def fit(voted: Voted, *, restarts: int = 10, seed: int = 0, tolerance: float = 1e-6) -> Fit:
    """Fit by variational Bayes from several starts."""
    random = np.random.default_rng(seed)
    enough = tolerance * max(1, len(voted.item))
    best: _State | None = None
    for number in range(max(1, restarts)):
        state = _State(voted, _shares(voted, random) if number else np.full(voted.voters, 0.5))
        state.climb(enough, _TRIAL)
        if best is None or state.bound[-1] > best.bound[-1] + enough:
            best = state
    assert best is not None
    best.climb(enough, _MOST)
    seen = np.bincount(voted.item, minlength=voted.items) > 0
    return Fit(
        np.where(seen, best.probability, np.nan),
        best.meant / (best.meant + best.spam),
        best.strategy[:, 1] / best.strategy.sum(axis=1),
        tuple(best.bound),
        best.converged,
    )


def _shares(voted: Voted, random: np.random.Generator) -> Array:
    """Return a random share for each voter: the sum, modulo 1, of random numbers for each item and answer."""
    of_answers = random.integers(1 << 64, size=(voted.items, 2), dtype=np.uint64)
    shares = np.zeros(voted.voters, dtype=np.uint64)
    np.add.at(shares, voted.case // 2, of_answers[voted.item, voted.case % 2])  # wraps around
    return shares / 2.0**64


class _State:
    """q over parameters, as the counts of its Beta distributions, and the bound so far."""

    def __init__(self, voted: Voted, share: Array) -> None:
        """Start where each voter's share of votes is meant."""
        times = voted.times.sum(axis=1)
        self.voted = voted
        self.meant, self.spam = _EARNEST + share * times, _EARNEST + (1 - share) * times
        self.strategy = np.full((voted.voters, 2), _STRATEGY)
        self.probability = np.full(voted.items, 0.5)
        self.bound: list[float] = []
        self.converged = False

    def climb(self, enough: float, most: int) -> None:
        """Take steps until the bound hardly rises or the number of steps is reached."""
        while not self.converged and len(self.bound) < most:
            self.step()
            self.converged = len(self.bound) > 1 and self.bound[-1] - self.bound[-2] < enough

    def step(self) -> None:
        """Compute probabilities of items and the bound from q, and the next q from them."""
        voted = self.voted
        in_all = digamma(self.meant + self.spam)
        earnest = np.exp(digamma(self.meant) - in_all)[:, None]
        chosen = digamma(self.strategy) - digamma(self.strategy.sum(axis=1))[:, None]
        by_chance = np.exp((digamma(self.spam) - in_all)[:, None] + chosen)  # voters x answers
        if_true, if_false = np.log(earnest + by_chance), np.log(by_chance)
        with_present = voted.by_item(np.stack([if_false[:, 0], if_true[:, 1]], axis=1))
        with_absent = voted.by_item(np.stack([if_true[:, 0], if_false[:, 1]], axis=1))
        evidence = float((np.logaddexp(with_present, with_absent) - np.log(2)).sum())
        self.bound.append(evidence - self._divergence())
        self.probability = probability_of(with_present - with_absent)
        right = voted.by_case(self.probability[voted.item])
        # a vote for present is right if the item is present, one against it if the item is not
        right[:, 0] = voted.times[:, 0] - right[:, 0]
        meant = right * earnest / (earnest + by_chance)
        spam = voted.times - meant
        self.meant = _EARNEST + meant.sum(axis=1)
        self.spam = _EARNEST + spam.sum(axis=1)
        self.strategy = _STRATEGY + spam

    def _divergence(self) -> float:
        """Return the Kullback-Leibler divergence of q from the priors."""
        return _beta_divergence(self.meant, self.spam, _EARNEST) + _beta_divergence(
            self.strategy[:, 0], self.strategy[:, 1], _STRATEGY
        )


def _beta_divergence(a: Array, b: Array, prior: float) -> float:
    """Return the sum of KL(Beta(a, b) || Beta(prior, prior))."""
    of_each = (
        betaln(prior, prior)
        - betaln(a, b)
        + (a - prior) * digamma(a)
        + (b - prior) * digamma(b)
        + (2 * prior - a - b) * digamma(a + b)
    )
    return float(of_each.sum())
