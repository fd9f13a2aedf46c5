"""How far workers follow the others: by hand, and for those who mix up the answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.judging.following import _difference, following, reversed_workers
from pyramidion.crowd.judging.votes import Votes
from tests.crowd.making import judged, simulated, votes_of


def test_the_difference_of_two_shares_and_newcombes_interval() -> None:
    """Newcombe (1998), table II, example (a): 56/70 - 48/80; method 10 gives .0524 to .3339."""
    found = _difference(56, 70, 48, 80)
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == (pytest.approx(0.0524, abs=5e-5), pytest.approx(0.3339, abs=5e-5))


def test_by_hand() -> None:
    """Dan says present of 2 of the 3 that the others say are, and of 1 of the 4 that they say are not."""
    votes = votes_of(("anna", "pppnnnnp"), ("ben", "pppnnnnn"), ("dan", "ppnpnnnp"))
    dan = following(votes)["dan"]
    assert dan.value == pytest.approx(2 / 3 - 1 / 4)  # of the last statement the others disagree
    assert dan.low < dan.value < dan.high
    assert not dan.is_reversed


@pytest.mark.parametrize(("answers", "value"), [("pppnnnnn", 1), ("nnnppppp", -1), ("pppppppp", 0), ("nnnnnnnn", 0)])
def test_always_never_and_a_constant_answer(answers: str, value: int) -> None:
    votes = votes_of(("anna", "pppnnnnn" * 2), ("ben", "pppnnnnn" * 2), ("zoe", answers * 2))
    assert following(votes)["zoe"].value == value
    assert following(votes)["zoe"].is_reversed == (value == -1)


def test_too_few_answers_tell_nothing() -> None:
    votes = votes_of(("anna", "pppppnnnnn"), ("ben", "pppppnnnnn"), ("zoe", "nnnnnppppp"))
    assert following(votes)["zoe"].value == -1
    assert reversed_workers(votes) == {}


def test_two_who_disagree_say_nothing_of_either() -> None:
    assert following(votes_of(("anna", "ppnn"), ("zoe", "nnpp"))) == {}


def test_missing_answers_and_nameless_workers_are_left_out() -> None:
    votes = Votes.of([judged(name, "ppnn") for name in ("anna", "ben")] + [judged("", "nnpp"), judged("zoe", "n?p-")])
    assert set(following(votes)) == {"anna", "ben", "zoe"}
    assert following(votes)["zoe"].value == -1


@pytest.mark.parametrize("seed", range(5))
def test_dice_and_careful_workers_are_not_said_to_be_reversed(seed: int) -> None:
    assert reversed_workers(simulated(seed, 0.4).votes) == {}


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_the_interval_holds_the_value_and_turns_with_the_answers(
    hits: int, misses: int, alarms: int, rests: int
) -> None:
    if not (hits + misses and alarms + rests):
        return
    found = _difference(hits, hits + misses, alarms, alarms + rests)
    turned = _difference(misses, hits + misses, rests, alarms + rests)
    assert -1 - 1e-9 <= found.low <= found.value <= found.high <= 1 + 1e-9
    assert (turned.low, turned.high) == (pytest.approx(-found.high), pytest.approx(-found.low))
