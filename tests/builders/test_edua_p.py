import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.builders import packing
from pyramidion.builders.edua_g import solve_g
from pyramidion.builders.edua_p import gain, solve_p
from pyramidion.builders.graph import SegmentGraph
from pyramidion.errors import InputWarning, PyramidionError
from tests.builders.graphs import graphs, packings, tiny
from tests.builders.test_cliques import alike


@settings(max_examples=40)
@given(tiny(), st.sampled_from([-1.0, 0.0, 0.3, 0.9]))
def test_it_is_the_best_of_all_packings(graph: SegmentGraph, threshold: float) -> None:
    best = max(gain(graph, scus, threshold) for scus in packings(graph))
    solution = solve_p(graph, threshold=threshold)
    assert solution.proved
    assert solution.objective == pytest.approx(best, abs=1e-6)
    assert gain(graph, solution.scus, threshold) == pytest.approx(best, abs=1e-6)


@settings(max_examples=40)
@given(graphs(references=5, sentences=3), st.sampled_from([-1.0, 0.0, 0.5]))
def test_it_is_never_below_edua_g(graph: SegmentGraph, threshold: float) -> None:
    solution = solve_p(graph, threshold=threshold)
    assert solution.objective >= gain(graph, solve_g(graph).scus, threshold) - 1e-9
    assert solution.bound >= solution.objective - 1e-9


def test_every_idea_that_all_share_is_one_scu() -> None:
    assert solve_p(alike(6, 5)).weights() == {6: 5}


def test_a_pair_that_earns_nothing_stays_apart() -> None:
    """Two references of one segment each: their cosine is t_edge whatever they say, and the gain is 0."""
    for t_edge in (-1.0, 0.8):
        graph = SegmentGraph.of([[[[0]]], [[[1]]]], [[1, 0], [0.8, 0.6]], t_edge=t_edge)
        assert graph.t_edge == graph.cosine[0, 1] == 0.8
        assert solve_p(graph).scus == ()
    assert solve_p(graph, threshold=0.7).scus == ((0, 1),)


def test_segments_of_one_vector_are_one_scu_where_nothing_can_earn_more() -> None:
    solution = solve_p(SegmentGraph.of([[[[0]]], [[[1]]]], [[1, 0], [2, 0]]))
    assert (solution.scus, solution.objective) == (((0, 1),), 0.0)


def fractional() -> SegmentGraph:
    """Five references in a ring, each like the next: half of every edge is worth 2.5 edges, two are the most."""
    rows = [[0.0] * 5 for _ in range(5)]
    for one in range(5):
        rows[one][one] = rows[one][(one + 1) % 5] = 1.0
    return SegmentGraph.of([[[[one]]] for one in range(5)], rows, t_edge=0.4)


def test_where_the_relaxation_is_fractional_the_integer_program_decides() -> None:
    solution = solve_p(fractional())
    assert solution.objective == pytest.approx(0.2)
    assert solution.proved


def test_more_columns_are_added_until_it_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_COLUMNS", 1)
    assert solve_p(fractional()).proved


def test_out_of_time_it_says_how_far_it_may_be() -> None:
    with pytest.warns(InputWarning, match=r"at most 20.0% below the best"):
        solution = solve_p(fractional(), time_limit=1e-9)
    assert solution.objective == pytest.approx(0.2)
    assert solution.bound == pytest.approx(0.25)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_time_limit_is_above_zero(seconds: float) -> None:
    with pytest.raises(PyramidionError, match="time limit"):
        solve_p(fractional(), time_limit=seconds)
