"""Independent sets: the greedy one keeps Sakai et al.'s promise, the exact one is the best there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.matchers.independent_set import exact, greedy, neighbours

Graph = tuple[list[int], list[list[int]]]


@st.composite
def graphs(draw: st.DrawFn, largest: int = 9) -> Graph:
    """Weights and cliques; weights of 0 and cliques of one are among them."""
    weights = draw(st.lists(st.integers(0, 6), max_size=largest))
    if not weights:
        return [], []
    clique = st.lists(st.sampled_from(range(len(weights))), min_size=1, max_size=4, unique=True)
    return weights, draw(st.lists(clique, max_size=8))


def independent(chosen: list[int], cliques: list[list[int]]) -> bool:
    return all(len(set(chosen) & set(clique)) <= 1 for clique in cliques)


def best(weights: list[int], cliques: list[list[int]]) -> int:
    """By trying every set."""
    nodes = range(len(weights))
    sets = (list(some) for size in range(len(weights) + 1) for some in combinations(nodes, size))
    return max(sum(weights[node] for node in some) for some in sets if independent(some, cliques))


@given(graphs())
def test_greedy_is_independent_and_as_heavy_as_promised(graph: Graph) -> None:
    weights, cliques = graph
    chosen = greedy(weights, cliques)
    assert independent(chosen, cliques)
    assert chosen == sorted(set(chosen))
    degrees = map(len, neighbours(len(weights), cliques))
    promised = sum((Fraction(weight, degree + 1) for weight, degree in zip(weights, degrees, strict=True)), Fraction(0))
    assert sum(weights[node] for node in chosen) >= promised


@given(graphs())
def test_exact_is_the_best_of_all_sets_and_no_worse_than_greedy(graph: Graph) -> None:
    weights, cliques = graph
    chosen = exact(weights, cliques)
    assert independent(chosen, cliques)
    total = sum(weights[node] for node in chosen)
    assert total == best(weights, cliques)
    assert total >= sum(weights[node] for node in greedy(weights, cliques))


@given(graphs())
def test_greedy_takes_at_each_step_a_node_of_the_greatest_ratio(graph: Graph) -> None:
    weights, cliques = graph
    adjacent = neighbours(len(weights), cliques)
    left, expected = set(range(len(weights))), []
    while any(weights[node] for node in left):
        ratio = {node: Fraction(weights[node], len(adjacent[node] & left) + 1) for node in left}
        node = max(left, key=lambda one: (ratio[one], weights[one], -one))
        expected.append(node)
        left -= {node} | adjacent[node]
    assert greedy(weights, cliques) == sorted(expected)


@pytest.mark.parametrize("choose", [greedy, exact])
@given(graph=graphs())
def test_nodes_without_weight_are_not_taken(choose: type, graph: Graph) -> None:
    weights, cliques = graph
    assert all(weights[node] for node in choose(weights, cliques))


def test_where_greedy_is_not_exact() -> None:
    # A path. The greatest ratio is 5/3, of node 1; of the path 3-4 that is left, 4/2 is more than 3/2.
    weights, cliques = [3, 5, 5, 4, 3], [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert greedy(weights, cliques) == [1, 3]
    assert exact(weights, cliques) == [0, 2, 4]


def test_degrees_are_those_of_what_is_left() -> None:
    # Node 0 goes first and takes node 1 along; node 3 then has one neighbour left, and 4/2 > 3/2. With the degrees of
    # the whole graph it would be 4/3 < 3/2, and node 4 would be taken.
    weights, cliques = [9, 1, 1, 4, 3], [[0, 1], [0, 2], [1, 3], [3, 4]]
    assert greedy(weights, cliques) == [0, 3]


def test_large_graphs_take_no_time() -> None:
    sentences = [[8 * number + node for node in range(8)] for number in range(500)]
    shared = [list(range(start, 4000, 40)) for start in range(40)]
    weights = [1 + number % 5 for number in range(4000)]
    assert independent(greedy(weights, [*sentences, *shared]), [*sentences, *shared])
    assert independent(exact(weights, [*sentences, *shared]), [*sentences, *shared])
