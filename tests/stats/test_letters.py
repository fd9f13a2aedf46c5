"""Letters say which systems differ, all of it and nothing else."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pyramidion.errors import ModelError
from pyramidion.stats.letters import groups, letters
from tests.operations import steps


@st.composite
def relations(draw: st.DrawFn) -> NDArray[np.bool_]:
    systems = draw(st.integers(1, 9))
    upper = draw(st.lists(st.booleans(), min_size=systems * systems, max_size=systems * systems))
    matrix = np.triu(np.array(upper).reshape(systems, systems), 1)
    found: NDArray[np.bool_] = matrix | matrix.T
    return found


@given(relations())
def test_two_systems_share_a_letter_if_and_only_if_they_do_not_differ(different: NDArray[np.bool_]) -> None:
    named = letters(different)
    for one in range(len(named)):
        assert named[one]
        for other in range(len(named)):
            assert bool(set(named[one]) & set(named[other])) == (not different[one, other])


@given(relations())
def test_groups_are_maximal_and_needed(different: NDArray[np.bool_]) -> None:
    found = [set(group) for group in groups(different)]
    for group in found:
        for other in set(range(len(different))) - group:
            assert different[other, list(group)].any(), "it could be larger"
        rest = [one for one in found if one != group]
        pairs = [{a, b} for a in group for b in group]
        assert any(not any(pair <= one for one in rest) for pair in pairs), "it could be left out"


def test_piephos_example_of_a_chain() -> None:
    """A run of four of which only the ends' neighbours reach each other: a, ab, b and so on."""
    different = np.array([[abs(one - other) > 1 for other in range(4)] for one in range(4)])
    assert letters(different) == ("a", "ab", "bc", "c")


def test_all_alike_all_different_and_many() -> None:
    assert letters(np.zeros((3, 3))) == ("a", "a", "a")
    assert letters(~np.eye(3, dtype=bool)) == ("a", "b", "c")
    many = letters(~np.eye(60, dtype=bool))
    assert (many[0], *many[51:53]) == ("a", "Z", "[53]")
    assert len(set(many)) == 60


def test_a_relation_with_exponentially_many_cliques_takes_steps_by_the_fourth_power() -> None:
    def in_triples(systems: int) -> NDArray[np.bool_]:
        """Of each three in a row, all differ: for 60 systems, 3^20 maximal cliques."""
        triple = np.arange(systems) // 3
        return np.equal.outer(triple, triple) & ~np.eye(systems, dtype=bool)

    different = in_triples(60)
    named = [set(re.findall(r"[a-zA-Z]|\[\d+\]", one)) for one in letters(different)]
    assert steps(lambda: letters(different)) < 2**4 * steps(lambda: letters(in_triples(30)))
    assert all(bool(named[one] & named[other]) != different[one, other] for one in range(60) for other in range(60))


def test_bad_input_is_said() -> None:
    for wrong in ([[0, 1], [0, 0]], [[1]], [0, 1]):
        with pytest.raises(ModelError, match="which systems differ"):
            groups(wrong)
