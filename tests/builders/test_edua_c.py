import pytest
from hypothesis import assume, given, settings

from pyramidion.builders import edua_c
from pyramidion.builders.edua import complete, pyramid_attraction
from pyramidion.builders.edua_c import solve_c
from pyramidion.builders.graph import SegmentGraph
from pyramidion.errors import InputWarning
from tests.builders.graphs import graphs, packings, tiny
from tests.builders.test_cliques import alike


def whole_attraction(graph: SegmentGraph, scus: list[tuple[int, ...]]) -> float:
    solution = complete(graph, scus, 0, 0)
    return pyramid_attraction(graph, [*solution.scus, *((single,) for single in solution.singles)])


@settings(max_examples=50)
@given(tiny())
def test_it_is_the_best_of_all_pyramids(graph: SegmentGraph) -> None:
    best = max(whole_attraction(graph, scus) for scus in packings(graph))
    solution = solve_c(graph)
    assert solution.proved
    assert whole_attraction(graph, list(solution.scus)) == pytest.approx(best)
    assert solution.objective == pytest.approx(pyramid_attraction(graph, solution.scus))


@settings(max_examples=50)
@given(tiny())
def test_prices_leave_the_optimum_alone(graph: SegmentGraph) -> None:
    """With no effort for the first search, everything hangs on what the prices let through."""
    assume(graph.edges.any())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edua_c, "_FIRST", -1)
        priced = solve_c(graph)
    assert priced.proved
    assert whole_attraction(graph, list(priced.scus)) == pytest.approx(
        whole_attraction(graph, list(solve_c(graph).scus))
    )


@given(graphs(references=5, sentences=3))
def test_one_scu_of_each_weight_is_enough(graph: SegmentGraph) -> None:
    weights = solve_c(graph).weights()
    assert all(count == 1 for weight, count in weights.items() if weight > 1)


def test_without_a_proof_it_says_so() -> None:
    graph = alike(6, 4)
    with pytest.warns(InputWarning, match="gave up after looking at 1,500 cliques"):
        solution = solve_c(graph, effort=1500)
    assert not solution.proved
    assert solution.objective <= solve_c(graph).objective <= solution.bound
