"""Clique partitioning: the best division, its bound, and what happens when time is short."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from pyramidion.builders import partition
from pyramidion.builders.partition import best_partition

Floats = NDArray[np.float64]


@st.composite
def worths(draw: st.DrawFn) -> Floats:
    size = draw(st.integers(0, 6))
    values = draw(arrays(np.int64, (size, size), elements=st.integers(-4, 4)))
    worth = np.triu(values, 1).astype(float)
    worth[worth == -4] = -np.inf
    worth = worth + worth.T
    np.fill_diagonal(worth, 0.0)
    return worth


def best_of_all(worth: Floats) -> float:
    """The worth of the best division, by trying each."""

    def tried(node: int, groups: list[list[int]], total: float) -> float:
        if node == len(worth):
            return total
        best = tried(node + 1, [*groups, [node]], total)
        for place, group in enumerate(groups):
            gain = worth[node, group].sum()
            if np.isfinite(gain):
                joined = [*groups[:place], [*group, node], *groups[place + 1 :]]
                best = max(best, tried(node + 1, joined, total + gain))
        return best

    return tried(0, [], 0.0)


@given(worths())
def test_it_is_the_best_of_all_divisions(worth: Floats) -> None:
    found = best_partition(worth)
    assert found.worth == pytest.approx(best_of_all(worth))
    assert found.bound == pytest.approx(found.worth, abs=1e-4)
    assert sorted(node for group in found.groups for node in group) == list(range(len(worth)))
    together = [worth[a, b] for group in found.groups for a in group for b in group if a < b]
    assert sum(together) == pytest.approx(found.worth)


def test_two_strong_pairs_are_better_than_a_chain() -> None:
    worth = np.full((4, 4), -np.inf)
    for one, other, value in ((0, 1, 2.0), (1, 2, 3.0), (2, 3, 2.0)):
        worth[one, other] = worth[other, one] = value
    np.fill_diagonal(worth, 0.0)
    assert best_partition(worth).groups == ((0, 1), (2, 3))


def test_forty_that_say_the_same_are_one_group() -> None:
    """They have a million million cliques."""
    worth = np.ones((40, 40))
    np.fill_diagonal(worth, 0.0)
    assert best_partition(worth) == ((tuple(range(40)),), 780.0, 780.0)


def test_out_of_time_it_says_how_far_it_may_be() -> None:
    values = np.random.default_rng(3).normal(0.1, 1.0, (11, 11))
    worth = np.triu(values, 1) + np.triu(values, 1).T
    hurried, best = best_partition(worth, 1e-9), best_partition(worth)
    assert 0 < hurried.worth <= best.worth <= hurried.bound
    assert hurried.gap > 0
    assert best.gap < 1e-4


def test_where_the_relaxation_is_fractional_the_integer_program_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel: a hub worth 1 with each of the rim, whose nodes must part: half of each pays in the relaxation."""
    asked: list[bool] = []
    program = partition._Component.program

    def noted(self: partition._Component, whole: bool, seconds: float) -> tuple[Floats | None, float]:
        asked.append(whole)
        return program(self, whole, seconds)

    monkeypatch.setattr(partition._Component, "program", noted)
    worth = np.full((6, 6), -1.0)
    worth[0, 1:] = worth[1:, 0] = 1.0
    np.fill_diagonal(worth, 0.0)
    assert best_partition(worth).worth == pytest.approx(best_of_all(worth))
    assert False in asked
