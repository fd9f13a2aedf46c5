"""The cliques that pay are found without a list of all cliques, and what a search leaves out is bounded."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.builders import packing, pricing
from pyramidion.builders.cliques import quiet_candidates
from pyramidion.builders.edua_p import solve_p
from pyramidion.builders.graph import Floats, SegmentGraph
from pyramidion.builders.packing import Packing
from pyramidion.builders.pricing import Pricing
from pyramidion.errors import InputWarning
from tests.builders.graphs import cliques, graphs, violations
from tests.builders.test_cliques import alike


def worth_of(graph: SegmentGraph, threshold: float) -> Floats:
    return np.where(graph.edges, graph.cosine - threshold, -np.inf)


def paid(worth: Floats, prices: Floats, clique: tuple[int, ...]) -> float:
    return float(sum(worth[a, b] for a in clique for b in clique if a < b) - prices[list(clique)].sum())


@settings(max_examples=60)
@given(graphs(references=5, sentences=3), st.integers(0, 9), st.sampled_from([0.0, 0.3, 0.7]))
def test_a_search_in_full_finds_exactly_the_cliques_that_pay(graph: SegmentGraph, seed: int, threshold: float) -> None:
    worth = worth_of(graph, threshold)
    prices = np.random.default_rng(seed).uniform(0, 0.8, graph.size)
    pays = {clique: paid(worth, prices, clique) for clique in cliques(graph)}
    found = Pricing(worth, graph.reference).search(prices, 1e-7, kept=None)
    listed = [tuple(row) for rows in found.cliques for row in rows.tolist()]
    assert found.complete
    assert sorted(listed) == sorted(clique for clique, paying in pays.items() if paying > 1e-7)
    for first in range(graph.size):
        most = max((paying for clique, paying in pays.items() if clique[0] == first), default=0.0)
        assert found.over[first] == pytest.approx(most if most > 1e-7 else 0.0)


@settings(max_examples=60)
@given(graphs(references=5, sentences=3), st.integers(0, 9), st.sampled_from([(1, None), (2, None), (None, 3)]))
def test_what_a_search_leaves_out_pays_no_more_than_it_says(
    graph: SegmentGraph, seed: int, limits: tuple[int | None, int | None]
) -> None:
    worth = worth_of(graph, 0.1)
    prices = np.random.default_rng(seed).uniform(0, 0.5, graph.size)
    found = Pricing(worth, graph.reference).search(prices, 1e-7, *limits)
    for clique in cliques(graph):
        assert paid(worth, prices, clique) <= found.over[clique[0]] + 1.1e-7


@given(graphs(references=5, sentences=3))
def test_at_the_ceiling_nothing_pays(graph: SegmentGraph) -> None:
    worth = worth_of(graph, 0.2)
    prices = Pricing(worth, graph.reference).ceiling()
    assert all(paid(worth, prices, clique) <= 1e-9 for clique in cliques(graph))


@settings(max_examples=40)
@given(graphs(references=5, sentences=3), st.sampled_from([-1.0, 0.0, 0.5]))
def test_with_few_candidates_the_packing_is_as_good_as_with_all(graph: SegmentGraph, threshold: float) -> None:
    everything = solve_p(graph, threshold=threshold)
    found = solve_p(graph, quiet_candidates(graph, 0), threshold)
    assert found.proved
    assert found.objective == pytest.approx(everything.objective, abs=1e-6)
    assert not violations(graph, found)


def test_thirty_references_are_packed_with_a_proof() -> None:
    graph = alike(30, 4)  # each idea has 2^30 cliques
    solution = solve_p(graph, quiet_candidates(graph, 1000))
    assert solution.weights() == {30: 4}
    assert solution.proved


def test_a_search_that_is_cut_short_states_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "BUDGET", 10)
    monkeypatch.setattr(packing, "WIDTHS", (1, 1))
    rows = np.random.default_rng(1).normal(size=(48, 3))
    graph = SegmentGraph.of([[[[6 * reference + one]] for one in range(6)] for reference in range(8)], rows)
    best = solve_p(graph, quiet_candidates(graph)).objective
    with pytest.warns(InputWarning, match=r"EDUA-P stopped with a pyramid that is at most .* below the best"):
        solution = solve_p(graph, quiet_candidates(graph, 20))
    assert solution.objective <= best <= solution.bound
    assert not solution.proved


def test_many_cliques_are_followed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = alike(7, 2)
    worth, prices = worth_of(graph, 0.0), np.zeros(graph.size)
    whole = Pricing(worth, graph.reference).search(prices, 1e-7, kept=None)
    monkeypatch.setattr(pricing, "_CELLS", 40)
    parts = Pricing(worth, graph.reference).search(prices, 1e-7, kept=None)

    def listed(found: pricing.Priced) -> list[tuple[int, ...]]:
        return sorted(tuple(row) for rows in found.cliques for row in rows.tolist())

    assert listed(parts) == listed(whole) == sorted(cliques(graph))


def test_after_the_deadline_nothing_is_looked_at() -> None:
    graph = alike(5, 2)
    found = Pricing(worth_of(graph, 0.0), graph.reference).search(np.zeros(graph.size), 1e-7, deadline=time.monotonic())
    assert not found.complete
    assert found.cliques == []


def test_of_columns_that_are_not_listed_the_relaxation_has_the_same_bound() -> None:
    graph = alike(6, 3)
    worth = worth_of(graph, 0.5)
    pairs = quiet_candidates(graph, 0).by_size[0]
    group = (pairs.members, pairs.attraction - 0.5)
    some = Packing(graph.segmentations, [group], Pricing(worth, graph.reference))
    _, prices = some.solve_relaxation()
    everything = solve_p(graph, threshold=0.5)
    assert some.upper_bound(prices) == pytest.approx(everything.bound, rel=1e-5)
