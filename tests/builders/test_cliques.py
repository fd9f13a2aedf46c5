import numpy as np
import pytest
from hypothesis import given

from pyramidion.builders.cliques import candidates
from pyramidion.builders.edua import attraction
from pyramidion.builders.graph import SegmentGraph
from pyramidion.errors import InputWarning
from tests.builders.graphs import cliques, graphs


def alike(references: int, ideas: int) -> SegmentGraph:
    """Every reference says the same ideas in nearly the same words; the ideas have nothing to do with each other."""
    noise = np.random.default_rng(0).normal(scale=0.05, size=(references, ideas, ideas))
    layout = [[[[reference * ideas + idea]] for idea in range(ideas)] for reference in range(references)]
    return SegmentGraph.of(layout, (np.eye(ideas) + noise).reshape(-1, ideas), t_edge=0.5)


@given(graphs())
def test_they_are_all_the_cliques_once_each(graph: SegmentGraph) -> None:
    found = candidates(graph)
    listed = [tuple(row) for by_size in found.by_size for row in by_size.members.tolist()]
    assert sorted(listed) == sorted(cliques(graph))
    assert len(found) == len(listed)
    assert all(by_size.members.shape[1] == size for size, by_size in enumerate(found.by_size, 2))


@given(graphs())
def test_attraction_is_the_mean_cosine_and_falls(graph: SegmentGraph) -> None:
    for by_size in candidates(graph).by_size:
        assert by_size.attraction.tolist() == pytest.approx([attraction(graph, row) for row in by_size.members])
        order = list(zip(-by_size.attraction, by_size.members.tolist(), strict=True))
        assert order == sorted(order)


def test_past_the_limit_a_warning_says_what_to_do() -> None:
    graph = alike(6, 2)
    assert len(candidates(graph, 114)) == 2 * (2**6 - 6 - 1)
    with pytest.warns(InputWarning, match="more than 113 candidate SCUs: .* a higher percentile or limit"):
        candidates(graph, 113)


@pytest.mark.parametrize("limit", [0, 100, 1000])
def test_past_the_limit_the_best_of_every_idea_are_kept(limit: int) -> None:
    graph = alike(12, 5)
    with pytest.warns(InputWarning, match="more than"):
        found = candidates(graph, limit)
    assert not found.complete
    assert found.largest == 12
    whole = {tuple(graph.sentence[row] % 5) for row in found.of_size(12).members}
    assert whole == {(idea,) * 12 for idea in range(5)}
    for size in range(2, 13):
        rows = found.of_size(size).members
        assert set(rows.ravel().tolist()) == set(range(graph.size)), size
        assert len({tuple(row) for row in rows.tolist()}) == len(rows)
        assert all(graph.edges[np.ix_(row, row)].sum() == size * (size - 1) for row in rows)


def test_of_no_edge_there_is_no_clique() -> None:
    found = candidates(SegmentGraph.of([[[[0]]], [[[1]]]], [[1, 0], [0, 1]]))
    assert (len(found), found.largest, found.complete) == (0, 1, True)
