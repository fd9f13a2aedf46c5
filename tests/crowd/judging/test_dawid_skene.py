"""Dawid-Skene: what it recovers, and that it cannot go wrong silently."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.crowd.judging.aggregate import majority
from pyramidion.crowd.judging.dawid_skene import _climb, dawid_skene, fit
from pyramidion.crowd.judging.voters import Array, Voted
from pyramidion.crowd.judging.votes import Votes
from pyramidion.errors import InputWarning, PyramidionError
from tests.crowd.making import judged, real_votes, shuffled, simulated, votes_of


def test_the_log_odds_are_those_of_the_formula() -> None:
    votes = votes_of(("anna", "ppnn"), ("ben", "ppnp"), ("cleo", "pnnn"))
    found = fit(Voted.of(votes, "own"), majority(votes).probability, tolerance=1e-15)
    answers = {"anna": "ppnn", "ben": "ppnp", "cleo": "pnnn"}
    for item in range(4):
        odds = math.log(found.prior / (1 - found.prior))
        for worker, name in enumerate(answers):
            alpha, beta = found.sensitivity[worker], found.specificity[worker]
            said = answers[name][item]
            odds += math.log(alpha / (1 - beta)) if said == "p" else math.log((1 - alpha) / beta)
        assert found.probability[item] == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-9)


def test_the_objective_is_the_likelihood_summed_over_all_truths_and_its_summit_is_flat() -> None:
    answers = ("ppnnp-", "ppnpn?", "pn-nnp", "nppnpn")
    votes = votes_of(*((f"w{number}", one) for number, one in enumerate(answers)))
    voted, start = Voted.of(votes, "own"), majority(votes).probability
    crowd = _climb(voted.as_one(), start, (2 / 3, 2 / 3), 3.0, 1e-13)
    centre = float(crowd.sensitivity[0]), float(crowd.specificity[0])
    found = fit(voted, start, tolerance=1e-15)

    def objective(sensitivity: Array, specificity: Array, prior: float) -> float:
        likelihood = 0.0
        for truth in product((0, 1), repeat=6):
            chance = 1.0
            for item, there in enumerate(truth):
                chance *= prior if there else 1 - prior
                for j, row in enumerate(answers):
                    yes = sensitivity[j] if there else 1 - specificity[j]
                    chance *= {"p": yes, "n": 1 - yes}.get(row[item], 1.0)
            likelihood += chance
        rates = ((centre[0], sensitivity), (centre[1], specificity))
        return math.log(likelihood * prior * (1 - prior)) + sum(
            4 * float((mean * np.log(rate) + (1 - mean) * np.log(1 - rate)).sum()) for mean, rate in rates
        )

    at = found.sensitivity, found.specificity, found.prior
    assert objective(*at) == pytest.approx(found.objective[-1], abs=1e-7)
    for place, step in product(range(4), (-1e-3, 1e-3)):
        moved = step * np.eye(4)[place]
        assert objective(at[0] + moved, at[1], at[2]) < found.objective[-1]
        assert objective(at[0], at[1] + moved, at[2]) < found.objective[-1]
        assert objective(at[0], at[1], at[2] + step) < found.objective[-1]


@pytest.mark.parametrize("careless", [0.0, 0.2, 0.4, 0.6])
def test_what_it_recovers_beside_the_majority(careless: float) -> None:
    """600 statements, 5 of 20 workers each; errors of the majority .007 .040 .102 .206, here .008 .019 .039 .080."""
    errors = []
    for seed in range(5):
        crowd = simulated(seed, careless)
        errors.append((crowd.error(majority(crowd.votes).present), crowd.error(dawid_skene(crowd.votes).present)))
    if careless:
        assert all(weighted < plain for plain, weighted in errors)
    plain, weighted = np.mean(errors, axis=0)
    bounds = {0.0: (1.5, 0.01), 0.2: (0.7, 0.03), 0.4: (0.6, 0.06), 0.6: (0.6, 0.12)}
    ratio, most = bounds[careless]
    assert weighted < ratio * plain
    assert weighted < most


@pytest.mark.parametrize("seed", range(4))
def test_trust_tells_the_careless_from_the_careful(seed: int) -> None:
    crowd = simulated(seed, 0.4)
    trust = dawid_skene(crowd.votes).trust
    careful = [value for name, value in trust.items() if name not in crowd.careless]
    assert max(trust[name] for name in crowd.careless) < 0.75 < min(careful)


def test_who_mixes_up_the_answers_is_read_the_other_way_round() -> None:
    crowd = simulated(1, 0.0)
    flipped = str.maketrans("pn", "np")
    mixed = [
        judged(one.worker, one.answers.translate(flipped) if one.worker < "w06" else one.answers, one.summary)
        for one in crowd.votes.assignments
    ]
    votes = Votes.of(mixed)
    found = dawid_skene(votes)
    assert max(found.trust[f"w{number:02}"] for number in range(6)) < 0.2
    assert crowd.error(found.present) < 0.02 < 0.1 < crowd.error(majority(votes).present)


@given(st.integers(0, 100), st.sampled_from([0.0, 0.3, 0.6]))
@settings(max_examples=30)
def test_the_objective_never_falls(seed: int, careless: float) -> None:
    votes = simulated(seed, careless, tasks=12).votes
    found = fit(Voted.of(votes, "own"), majority(votes).probability, tolerance=1e-9)
    assert found.converged
    assert min(np.diff(found.objective)) >= -1e-9 * abs(found.objective[-1])


def test_exchanged_classes_do_not_go_unnoticed() -> None:
    votes = simulated(0, 0.0).votes
    start = majority(votes).probability
    assert fit(Voted.of(votes, "own"), start).informed > 0.7
    with pytest.warns(InputWarning, match="the average vote is no better than chance"):
        assert fit(Voted.of(votes, "own"), 1 - start).informed < 0


def test_who_never_looks_has_a_trust_of_a_half() -> None:
    crowd = simulated(5, 0.0)
    lazy = [judged("zoe", "n" * 10, f"s{number:03}") for number in range(30)]  # right of two in three
    assert dawid_skene(Votes.of([*crowd.votes.assignments, *lazy])).trust["zoe"] == pytest.approx(0.5, abs=0.02)


def test_few_votes_are_taken_for_the_crowd_s() -> None:
    crowd = simulated(2, 0.0)
    newcomer = [*crowd.votes.assignments, judged("zoe", crowd.votes.assignments[0].answers[:1], "s000")]
    trust = dawid_skene(Votes.of(newcomer)).trust
    others = [value for name, value in trust.items() if name != "zoe"]
    assert min(others) < trust["zoe"] < max(others)


def test_a_tie_of_equals_is_not_present() -> None:
    votes = votes_of(("anna", "pnpn"), ("ben", "npnp"))
    found = dawid_skene(votes)
    assert found.probability.tolist() == [0.5] * 4
    assert not found.present.any()
    assert found.value.tolist() == [0] * 4


def test_workers_without_a_name_as_own_and_as_one() -> None:
    named = simulated(4, 0.4)
    nameless = [
        judged("", one.answers, one.summary, id=f"{number:04}") for number, one in enumerate(named.votes.assignments)
    ]
    votes = Votes.of(nameless)
    assert set(dawid_skene(votes).trust) == {"#"}
    pooled = dawid_skene(votes, unnamed="pooled")
    assert pooled.aggregation == "dawid-skene[unnamed=pooled]"
    assert np.array_equal(pooled.present, majority(votes).present)  # of equals, five votes: the majority
    errors = [named.error(one.present) for one in (dawid_skene(named.votes), dawid_skene(votes), pooled)]
    assert errors == sorted(errors)  # knowing who is best, ten votes of each better than nothing
    with pytest.raises(PyramidionError, match="choose one of: pooled, own"):
        dawid_skene(votes, unnamed="both")  # type: ignore[arg-type]


def test_extremes_are_numbers() -> None:
    for rows in ([("anna", "p")], [("anna", "pppp"), ("ben", "pppp")], [("anna", "????")], [("anna", "nn--")]):
        found = dawid_skene(votes_of(*rows))
        voted = found.decided
        assert np.array_equal(found.present[voted], majority(votes_of(*rows)).present[voted])
        assert all(0 < value < 1 for value in found.trust.values())


@given(st.integers(0, 50), st.permutations([f"w{number:02}" for number in range(8)]))
@settings(max_examples=20)
def test_neither_order_nor_names_of_workers_matter(seed: int, names: list[str]) -> None:
    votes = simulated(seed, 0.3, workers=8, tasks=10, per_task=4).votes
    other = {f"w{number:02}": name for number, name in enumerate(names)}
    renamed = [judged(other[one.worker], one.answers, one.summary) for one in shuffled(votes.assignments, seed)]
    one, two = dawid_skene(votes), dawid_skene(Votes.of(renamed))
    assert one.probability == pytest.approx(two.probability, abs=1e-9)
    assert {other[name]: value for name, value in one.trust.items()} == pytest.approx(two.trust, abs=1e-9)


@pytest.mark.data
def test_published_votes(data: Path) -> None:
    """Few decisions differ from the majority's, which are the published labels; who agrees most is trusted most."""
    realsumm, qapyramid = real_votes(data / "realsumm" / "votes"), real_votes(data / "qapyramid")
    found = [dawid_skene(votes) for votes in (realsumm, qapyramid)]
    unlike = [
        int((one.present != majority(votes).present).sum())
        for one, votes in zip(found, (realsumm, qapyramid), strict=True)
    ]
    assert unlike == pytest.approx([203, 63], abs=3)  # of 26,400 and 8,910
    trust = found[1].trust
    assert trust["A2HM35CWB7IIFM"] == pytest.approx(0.9576, abs=1e-3)
    assert min(set(trust) - {"AUTHOR"}, key=trust.__getitem__) == "A14W0AXTJ3R19V"
