"""MACE: the paper's model, and what it recovers."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import digamma

from pyramidion.crowd.judging.aggregate import majority
from pyramidion.crowd.judging.mace import _State, fit, mace
from pyramidion.crowd.judging.voters import Array, Voted
from pyramidion.crowd.judging.votes import Votes
from tests.crowd.making import judged, real_votes, shuffled, simulated, votes_of


def test_the_probabilities_are_those_of_the_model() -> None:
    """P(x = a | T = t) = theta [a = t] + (1 - theta) xi_a with exp E log in place of the parameters (section 2.2)."""
    answers = {"anna": "ppnnpn", "ben": "ppnppn", "cleo": "pnnnnn"}
    found = fit(Voted.of(votes_of(*answers.items()), "own"), restarts=1, tolerance=1e-12)
    # at the fixed point the counts of q follow from what is reported: six votes each on top of the priors
    for item in range(6):
        likelihood = {0: 0.5, 1: 0.5}
        for worker, name in enumerate(answers):
            a = found.earnest[worker] * 7
            spam = 7 - a
            present = found.spams_present[worker] * (20 + spam - 0.5)
            strategy = present if answers[name][item] == "p" else 20 + spam - 0.5 - present
            earnest = math.exp(digamma(a) - digamma(7))
            chance = math.exp(digamma(spam) - digamma(7) + digamma(strategy) - digamma(20 + spam - 0.5))
            for truth in likelihood:
                likelihood[truth] *= earnest * ("np".index(answers[name][item]) == truth) + chance
        expected = likelihood[1] / (likelihood[0] + likelihood[1])
        assert found.probability[item] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("careless", [0.0, 0.2, 0.4, 0.6])
def test_what_it_recovers_beside_the_majority(careless: float) -> None:
    """600 statements, 5 of 20 workers each; errors of the majority .007 .040 .102 .206, here .008 .022 .048 .092."""
    errors = []
    for seed in range(4):
        crowd = simulated(seed, careless)
        errors.append((crowd.error(majority(crowd.votes).present), crowd.error(mace(crowd.votes).present)))
    if careless:
        assert all(weighted < plain for plain, weighted in errors)
    plain, weighted = np.mean(errors, axis=0)
    ratio, most = {0.0: (1.5, 0.01), 0.2: (0.75, 0.035), 0.4: (0.65, 0.07), 0.6: (0.65, 0.13)}[careless]
    assert weighted < ratio * plain
    assert weighted < most


def test_trust_tells_the_careless_from_the_careful() -> None:
    crowd = simulated(0, 0.4)
    trust = mace(crowd.votes).trust
    careful = [value for name, value in trust.items() if name not in crowd.careless]
    assert max(trust[name] for name in crowd.careless) < 0.5 < min(careful)


def test_always_the_same_answer_is_spam() -> None:
    crowd = simulated(5, 0.0)
    lazy = [judged("zoe", "p" * 10, f"s{number:03}") for number in range(30)]
    votes = Votes.of([*crowd.votes.assignments, *lazy])
    voted = Voted.of(votes, "own")
    found = fit(voted)
    assert found.earnest[20] < 0.1
    assert found.spams_present[20] > 0.9
    assert min(found.earnest[:20]) > 0.5


@given(st.integers(0, 100), st.sampled_from([0.0, 0.3, 0.6]))
@settings(max_examples=20)
def test_the_bound_never_falls(seed: int, careless: float) -> None:
    found = fit(Voted.of(simulated(seed, careless, tasks=12).votes, "own"), restarts=3, seed=seed, tolerance=1e-9)
    assert found.converged
    assert min(np.diff(found.bound)) >= -1e-9 * abs(found.bound[-1])


def test_seeded_and_independent_of_order() -> None:
    votes = simulated(6, 0.5).votes
    again = Votes.of(shuffled(votes.assignments, 1))
    assert np.array_equal(mace(votes).probability, mace(again).probability)
    assert mace(votes).trust == mace(again).trust
    one, other = (fit(Voted.of(votes, "own"), seed=seed, tolerance=1e-9) for seed in (0, 1))
    assert one.probability == pytest.approx(other.probability, abs=1e-3)  # other starts, the same summit


@given(st.integers(0, 50), st.permutations(range(8)))
@settings(max_examples=10)
def test_names_of_workers_do_not_matter(seed: int, names: list[int]) -> None:
    """Few votes have many summits: which one is found must not depend on what workers are called."""
    votes = simulated(seed, 0.6, workers=8, tasks=10, per_task=3).votes
    renamed = [judged(f"w{names[int(one.worker[1:])]:02}", one.answers, one.summary) for one in votes.assignments]
    one, other = mace(votes), mace(Votes.of(renamed))
    assert one.probability == pytest.approx(other.probability, abs=1e-9)
    assert sorted(one.trust.values()) == pytest.approx(sorted(other.trust.values()), abs=1e-9)


def test_the_bound_is_that_of_all_truths_and_spams() -> None:
    """By enumeration of what is hidden; and no count of q can be moved to make it higher."""
    answers = ("ppnnp-", "ppnpn?", "pn-nnp", "nppnpn")
    state = _State(Voted.of(votes_of(*((f"w{number}", one) for number, one in enumerate(answers))), "own"), np.ones(4))
    state.climb(1e-13, 2000)

    def bound(meant: Array, spam: Array, strategy: Array) -> float:
        earnest = np.exp(digamma(meant) - digamma(meant + spam))
        strategies = digamma(strategy) - digamma(strategy.sum(axis=1))[:, None]
        chance = np.exp((digamma(spam) - digamma(meant + spam))[:, None] + strategies)
        found = 0.0
        for item in range(6):
            said = [(worker, "np".index(row[item])) for worker, row in enumerate(answers) if row[item] in "pn"]
            found += math.log(
                sum(
                    0.5
                    * math.prod(
                        chance[j, a] if s else earnest[j] * (a == t) for (j, a), s in zip(said, spams, strict=True)
                    )
                    for t in (0, 1)
                    for spams in product((0, 1), repeat=len(said))
                )
            )
        for a, b, prior in ((meant, spam, 0.5), (*strategy.T, 10.0)):
            for j in range(4):
                found -= quad(lambda x, p=a[j], q=b[j], r=prior: divergence(x, p, q, r), 0, 1)[0]
        return found

    def density(x: float, a: float, b: float) -> float:
        normal = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        return normal + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x)

    def divergence(x: float, a: float, b: float, prior: float) -> float:
        return math.exp(density(x, a, b)) * (density(x, a, b) - density(x, prior, prior))

    summit = bound(state.meant, state.spam, state.strategy)
    assert summit == pytest.approx(state.bound[-1], abs=1e-6)
    for change in (0.98, 1.02):
        assert bound(state.meant * change, state.spam, state.strategy) < summit
        assert bound(state.meant, state.spam * change, state.strategy) < summit
        assert bound(state.meant, state.spam, state.strategy * [1, change]) < summit


def test_a_tie_of_equals_is_not_present() -> None:
    found = mace(votes_of(("anna", "pnpn"), ("ben", "npnp")))
    assert found.probability.tolist() == [0.5] * 4
    assert not found.present.any()


def test_extremes_are_numbers() -> None:
    for rows in ([("anna", "p")], [("anna", "pppp"), ("ben", "pppp")], [("anna", "????")], [("anna", "nn--")]):
        found = mace(votes_of(*rows))
        voted = found.decided
        assert np.array_equal(found.present[voted], majority(votes_of(*rows)).present[voted])
        assert all(0 < value < 1 for value in found.trust.values())


@pytest.mark.data
def test_published_votes(data: Path) -> None:
    """Few decisions differ from the majority's, which are the published labels; who agrees most is trusted most."""
    realsumm, qapyramid = real_votes(data / "realsumm" / "votes"), real_votes(data / "qapyramid")
    found = [mace(votes) for votes in (realsumm, qapyramid)]
    unlike = [
        int((one.present != majority(votes).present).sum())
        for one, votes in zip(found, (realsumm, qapyramid), strict=True)
    ]
    assert unlike == pytest.approx([219, 61], abs=3)  # of 26,400 and 8,910
    trust = found[1].trust
    assert trust["A2HM35CWB7IIFM"] == pytest.approx(0.9133, abs=1e-3)
    assert min(set(trust) - {"AUTHOR"}, key=trust.__getitem__) == "A14W0AXTJ3R19V"
