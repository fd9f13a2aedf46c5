import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.builders.graph import SegmentGraph
from pyramidion.errors import PyramidionError
from tests.builders.graphs import graphs

THREE = [[[[0]]], [[[1]]], [[[2]]]]


def test_edges_join_different_references_at_or_above_the_threshold() -> None:
    graph = SegmentGraph.of([[[[0]], [[1]]], [[[2]]]], [[1, 0], [1, 0], [0.6, 0.8]], t_edge=0.6)
    assert np.argwhere(np.triu(graph.edges)).tolist() == [[0, 2], [1, 2]]


def test_the_threshold_is_a_linearly_interpolated_percentile_across_references() -> None:
    graph = SegmentGraph.of(THREE, [[1, 0], [0.6, 0.8], [0, 1]], percentile=75)  # cosines 0, 0.6, 0.8
    assert graph.t_edge == pytest.approx(0.7)
    assert graph.edges.sum() == 2


@pytest.mark.parametrize(("given", "edges"), [(-1.0, []), (0.6, [[0, 1]])])
def test_a_pair_is_not_alike_because_it_is_alone(given: float, edges: list[list[int]]) -> None:
    graph = SegmentGraph.of([[[[0]]], [[[1]]]], [[1, 0], [0.6, 0.8]], t_edge=given)
    assert (graph.t_edge, graph.pairs) == (0.6, 0 if edges else 1)
    assert np.argwhere(np.triu(graph.edges)).tolist() == edges


def test_a_clause_counts_for_each_segmentation_it_stands_in() -> None:
    vectors = [[1, 0], [1, 0], [0, 1], [1, 0]]
    once = SegmentGraph.of([[[[0], [1, 2]]], [[[3]]]], vectors, percentile=50)  # 1, 1, 0
    twice = SegmentGraph.of([[[[0], [1, 2], [2]]], [[[3]]]], vectors, percentile=50)  # 1, 1, 0, 0
    assert (once.t_edge, twice.t_edge) == (1.0, 0.5)
    assert (twice.size, twice.segments) == (4, 5)


def test_zero_vectors_and_orthogonal_ones_have_no_edge() -> None:
    graph = SegmentGraph.of(THREE, [[0, 0], [0, 0], [1, 0]], percentile=0)
    assert graph.t_edge == 0
    assert not graph.edges.any()


def test_one_reference_has_no_edge() -> None:
    assert not SegmentGraph.of([[[[0]], [[1]]]], [[1, 0], [1, 0]]).edges.any()


@given(st.integers(0, 2**32 - 1), st.floats(1e-300, 1e300))
def test_copies_have_cosine_one_and_sums_are_exact_in_any_order(seed: int, scale: float) -> None:
    vector = np.random.default_rng(seed).normal(size=384)
    order = np.random.default_rng(seed + 1).permutation(384)
    other = np.random.default_rng(seed + 2).normal(size=384)
    one = SegmentGraph.of(THREE, [vector, vector * scale, other])
    shuffled = SegmentGraph.of(THREE, [vector[order], (vector * scale)[order], other[order]])
    assert one.cosine[0, 1] == 1.0
    exact = vector @ other / np.linalg.norm(vector) / np.linalg.norm(other)
    assert one.cosine[0, 2] == pytest.approx(exact, abs=1e-7)
    assert one.cosine[0, 2] == pytest.approx(shuffled.cosine[0, 2], abs=1e-11)


@given(graphs())
def test_cosines_are_symmetric(graph: SegmentGraph) -> None:
    assert (graph.cosine == graph.cosine.T).all()
    assert (np.abs(graph.cosine) <= 1).all()


@pytest.mark.parametrize(
    ("vectors", "settings"),
    [
        ([[1, 0]] * 3, {"percentile": 101}),
        ([[1, 0]] * 3, {"percentile": float("nan")}),
        ([[1, 0]] * 3, {"t_edge": 1.5}),
        ([[1, 0]] * 3, {"t_edge": float("nan")}),
        ([[1, 0]] * 2, {}),
        ([[1, float("nan")]] * 3, {}),
    ],
)
def test_nonsense_is_refused(vectors: list[list[float]], settings: dict[str, float]) -> None:
    with pytest.raises(PyramidionError):
        SegmentGraph.of(THREE, vectors, **settings)
