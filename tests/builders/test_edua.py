from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from pyramidion.builders.cliques import candidates
from pyramidion.builders.edua import Pool, Solution, attraction, complete, pyramid_attraction
from pyramidion.builders.edua_c import solve_c
from pyramidion.builders.edua_g import solve_g
from pyramidion.builders.edua_p import solve_p
from pyramidion.builders.graph import SegmentGraph
from tests.builders.graphs import fits_some_segmentation, graphs, packings, violations

SOLVERS = [solve_c, solve_g, solve_p]


@pytest.mark.parametrize("solve", SOLVERS)
@settings(max_examples=50)
@given(graph=graphs(references=5, sentences=3))
def test_every_constraint_holds(solve: Callable[[SegmentGraph], Solution], graph: SegmentGraph) -> None:
    solution = solve(graph)
    assert violations(graph, solution) == []
    assert solution == solve(graph)


@given(graphs(references=3))
def test_a_choice_that_fits_is_complete_and_right(graph: SegmentGraph) -> None:
    for scus, _ in zip(packings(graph), range(20), strict=False):
        assert violations(graph, complete(graph, scus, 0, 0)) == []


def test_violations_are_seen() -> None:
    graph = SegmentGraph.of([[[[0], [1, 2]], [[3]]], [[[4]]]], [[1, 0], [1, 0], [0, 1], [1, 0], [1, 0]], t_edge=0.5)
    good = complete(graph, [(1, 4)], 0, 0)
    assert (good.chosen, good.singles, violations(graph, good)) == ((1, 0, 0), (2, 3), [])
    for scus, singles, wrong in [
        (((0, 4),), (2, 3), "no chosen segmentation"),
        (((1, 4),), (3,), "not covered"),
        (((1, 4), (3, 4)), (2,), "used twice"),
        (((1, 3),), (2, 4), "two segments of one reference"),
        (((2, 4),), (1, 3), "not a clique"),
    ]:
        assert any(wrong in one for one in violations(graph, Solution(scus, singles, good.chosen, 0, 0))), wrong


def test_an_untouched_sentence_stays_whole() -> None:
    graph = SegmentGraph.of([[[[0], [1, 2]]], [[[3]]]], [[1, 0], [1, 0], [0, 1], [0, 1]], t_edge=0.5)
    assert complete(graph, [], 0, 0).singles == (0, 3)


def test_a_shared_clause_leaves_both_its_segmentations_open() -> None:
    graph = SegmentGraph.of([[[[0], [1, 2], [2, 3]]], [[[4]]], [[[5]]]], np.eye(6) + 1, t_edge=0.0)
    pool = Pool(graph, [(2, 4)])
    assert pool.free.tolist() == [False, True, False, True, False, True]
    pool.commit((3, 5))
    assert not pool.free.any()
    assert pool.segmentations() == (2, 0, 0)


@given(graphs(references=3))
def test_the_pool_lets_through_what_fits(graph: SegmentGraph) -> None:
    for scus, _ in zip(packings(graph), range(20), strict=False):
        used = {segment for scu in scus for segment in scu}
        free = Pool(graph, scus).free
        for segment in set(range(graph.size)) - used:
            assert free[segment] == fits_some_segmentation(graph, used | {segment})


def test_attraction_of_a_worked_example() -> None:
    """Two SCUs of weight 2 with cosines 1 and 0.6, one single: AP = (1 + 0.6) / 2 + 1."""
    layout = [[[[0]], [[1]]], [[[2]], [[3]], [[4]]]]
    graph = SegmentGraph.of(layout, [[1, 0], [1, 0], [1, 0], [3, 4], [0, 1]], t_edge=0.5)
    assert attraction(graph, (1, 3)) == 0.6
    assert attraction(graph, (4,)) == 1.0
    assert pyramid_attraction(graph, [(0, 2), (1, 3), (4,)]) == pytest.approx(1.8)


@pytest.mark.parametrize(
    ("objective", "bound", "gap", "proved"),
    [
        (3.0, 4.0, 0.25, False),  # (4 - 3) / 4
        (4.0, 4.0, 0.0, True),
        (4.0 - 4e-7, 4.0, 1e-7, True),  # to a millionth
        (4.0 - 8e-6, 4.0, 2e-6, False),
        (4.0, 3.9, 0.0, True),  # a bound that rounding put below what was reached
        (0.0, 0.0, 0.0, True),  # nothing can be reached, and nothing is
        (3.0, float("inf"), 1.0, False),  # nobody asked for a bound: nothing is known
    ],
)
def test_the_gap_is_what_is_missing_as_a_share_of_the_bound(
    objective: float, bound: float, gap: float, proved: bool
) -> None:
    solution = Solution((), (), (), objective, bound)
    assert solution.gap == pytest.approx(gap)
    assert solution.proved == proved


@pytest.mark.parametrize("solve", SOLVERS)
def test_no_edge_and_no_reference(solve: Callable[[SegmentGraph], Solution]) -> None:
    alone = solve(SegmentGraph.of([[[[0]], [[1], [2, 3]]]], np.ones((4, 2))))
    assert (alone.scus, alone.singles) == ((), (0, 1))
    assert solve(SegmentGraph.of([], np.zeros((0, 2)))).singles == ()


@pytest.mark.parametrize("solve", SOLVERS)
def test_of_equals_the_earliest(solve: Callable[..., Solution]) -> None:
    graph = SegmentGraph.of([[[[0]], [[1]]], [[[2]], [[3]]]], np.ones((4, 2)))
    assert solve(graph, candidates(graph)).scus[0] == (0, 2)
