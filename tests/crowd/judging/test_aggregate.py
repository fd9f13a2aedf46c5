"""Decisions from votes: majority, mean, and what the registry knows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.crowd.judging.aggregate import AGGREGATIONS, majority, mean
from pyramidion.errors import InputWarning, PyramidionError
from tests.crowd.making import votes_of


def test_majority_with_ties_not_present() -> None:
    votes = votes_of(("anna", "ppnn"), ("ben", "pnpn"), ("cleo", "p?p-"))
    found = majority(votes)
    assert found.value.tolist() == [1, 0, 1, 0]  # 3 of 3, 1 of 2, 2 of 3, 0 of 2
    assert found.probability.tolist() == [1, 0.5, pytest.approx(2 / 3), 0]
    assert found.present.tolist() == [True, False, True, False]


def test_the_mean_is_the_share() -> None:
    found = mean(votes_of(("anna", "pp"), ("ben", "pn"), ("cleo", "pn")))
    assert found.value.tolist() == [1, pytest.approx(1 / 3)]


@pytest.mark.parametrize("name", list(AGGREGATIONS))
def test_every_aggregation_decides_what_is_plain_and_leaves_open_what_nobody_voted_on(name: str) -> None:
    rows = [(worker, "ppnn?") for worker in ("anna", "ben", "cleo")]
    found = AGGREGATIONS[name](votes_of(*rows, ("dan", "ppnn-")))
    assert found.present.tolist() == [True, True, False, False, False]
    assert found.decided.tolist() == [True] * 4 + [False]
    assert np.isnan(found.value[4])
    assert np.isnan(found.probability[4])


@given(st.lists(st.text("pn?-", min_size=4, max_size=4), min_size=1, max_size=6))
@settings(max_examples=40)
def test_no_aggregation_gives_anything_but_shares(answers: list[str]) -> None:
    votes = votes_of(*((f"w{number}", given) for number, given in enumerate(answers)))
    for name in AGGREGATIONS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # where everybody contradicts everybody, that is said
            found = AGGREGATIONS[name](votes)
        voted = votes.counts.sum(axis=1) > 0
        assert np.array_equal(found.decided, voted)
        assert ((found.probability[voted] >= 0) & (found.probability[voted] <= 1)).all()
        assert set(found.value[voted]) <= ({0.0, 1.0} if name != "mean" else set(found.value))
        assert np.array_equal(found.value[voted] > 0.5, found.present[voted])


def test_an_unknown_name_is_said() -> None:
    with pytest.raises(PyramidionError, match="no aggregation 'vote'; choose one of: majority, mean, dawid-skene"):
        AGGREGATIONS["vote"](votes_of(("anna", "p")))
