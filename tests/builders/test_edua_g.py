from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.builders.cliques import candidates
from pyramidion.builders.edua import attraction
from pyramidion.builders.edua_g import capacities, solve_g
from pyramidion.builders.graph import SegmentGraph
from pyramidion.errors import PyramidionError
from tests.builders.graphs import cliques, fits_some_segmentation, graphs, violations
from tests.builders.test_cliques import alike


def test_capacities_of_equation_1() -> None:
    """110 / 2^2.5 = 19.4, 110 / 3^2.5 = 7.06, 110 / 4^2.5 = 3.4, 110 / 5^2.5 = 1.97, 110 / 6^2.5 = 1.2."""
    assert capacities(100, 6) == {2: 19, 3: 7, 4: 3, 5: 1, 6: 1}
    assert capacities(1, 3, alpha=0, beta=2.5) == {2: 1, 3: 1}


def test_with_beta_0_every_class_may_be_as_large() -> None:
    """(5 + 2) r^0 = 7 whatever r is; just above 0 they fall: 7 x 2^-0.1 = 6.5, 7 x 3^-0.1 = 6.3."""
    assert capacities(5, 4, alpha=2, beta=0) == {2: 7, 3: 7, 4: 7}
    assert capacities(5, 3, alpha=2, beta=0.1) == {2: 6, 3: 6}


def test_alpha_may_take_away_all_segments_but_some() -> None:
    """5 - 4.5 = 0.5 > 0, and no class has a capacity below 1; 5 - 5 = 0 gives none."""
    assert capacities(5, 2, alpha=-4.5) == {2: 1}
    with pytest.raises(PyramidionError, match="give no capacities"):
        capacities(5, 2, alpha=-5)
    with pytest.raises(PyramidionError, match="give no capacities"):
        capacities(5, 2, alpha=float("inf"))


@pytest.mark.parametrize(("alpha", "beta"), [(-10.0, 2.5), (10.0, -1.0), (float("nan"), 2.5), (10.0, float("nan"))])
def test_parameters_without_capacities_are_refused(alpha: float, beta: float) -> None:
    with pytest.raises(PyramidionError, match="give no capacities"):
        capacities(5, 3, alpha, beta)


@given(graphs(references=5, sentences=3), st.floats(0, 60), st.floats(1, 3))
def test_classes_are_monotone_and_within_capacity(graph: SegmentGraph, alpha: float, beta: float) -> None:
    solution = solve_g(graph, None, alpha, beta)
    assert violations(graph, solution) == []
    found = candidates(graph)
    sizes = [solution.weights().get(weight, 0) for weight in range(2, found.largest + 1)]
    assert sizes == sorted(sizes, reverse=True)
    limits = capacities(graph.segments, found.largest, alpha, beta)
    assert all(size <= limits[weight] for weight, size in enumerate(sizes, 2))


def test_the_largest_class_takes_the_highest_attraction_first() -> None:
    graph = alike(3, 4)
    found = candidates(graph)
    solution = solve_g(graph, found, backtrack=False)
    assert attraction(graph, solution.scus[0]) == found.of_size(3).attraction[0]


def test_backtracking_breaks_up_the_least_attractive_scu_above() -> None:
    """Three references share two ideas and nothing else: {3: 2} breaks equation 2, {3: 1, 2: 1} does not.

    The idea on the second axis has lower cosines, so it is broken up; of its pairs, 4 and 7 are most alike.
    """
    vectors = np.zeros((9, 5))
    vectors[[0, 3, 6], 0] = 1.0
    vectors[[1, 4, 7], 1] = 1.0
    vectors[1, 2] = 0.8
    vectors[[2, 5, 8], [2, 3, 4]] = [-1.0, 1.0, 1.0]
    layout = [[[[3 * reference + idea]] for idea in range(3)] for reference in range(3)]
    graph = SegmentGraph.of(layout, vectors, t_edge=0.5)
    assert solve_g(graph, alpha=100.0, backtrack=False).scus == ((0, 3, 6), (1, 4, 7))
    assert solve_g(graph, alpha=100.0).scus == ((0, 3, 6), (4, 7))


def test_backtracking_goes_up_class_by_class() -> None:
    """Four references share three ideas: {4: 3} becomes {4: 1, 3: 1, 2: 1}."""
    graph = alike(4, 3)
    assert {w: n for w, n in solve_g(graph, alpha=1000.0).weights().items() if w > 1} == {4: 1, 3: 1, 2: 1}


def test_one_shared_idea_is_broken_up() -> None:
    """What equation 2 does to few short references, and ``backtrack=False`` does not.

    5 becomes 4, and 4 becomes 3; the two segments that this frees are a pair.
    """
    graph = alike(5, 1)
    assert solve_g(graph).weights() == {3: 1, 2: 1}
    assert solve_g(graph, backtrack=False).weights() == {5: 1}


def naive(graph: SegmentGraph, alpha: float, beta: float) -> set[tuple[int, ...]]:
    """Appendix A with sets and lists."""

    def worth(scu: tuple[int, ...]) -> float:
        return round(attraction(graph, scu), 10)

    every = sorted(cliques(graph), key=lambda scu: (-len(scu), -worth(scu), scu))
    classes: dict[int, list[tuple[int, ...]]] = {}
    for weight in range(max(map(len, every), default=1), 1, -1):
        classes[weight] = []
        capacity = max(1, int((graph.segments + alpha) * weight**-beta))
        for scu in (one for one in every if len(one) == weight):
            used = {segment for one in chain.from_iterable(classes.values()) for segment in one}
            fits = not used & set(scu) and fits_some_segmentation(graph, used | set(scu))
            if fits and len(classes[weight]) < capacity:
                classes[weight].append(scu)
        while small := [w for w in sorted(classes) if len(classes[w]) < len(classes.get(w + 1, []))]:
            freed = min(classes[small[0] + 1], key=lambda scu: (worth(scu), scu))
            classes[small[0] + 1].remove(freed)
            subsets = combinations(freed, small[0])
            classes[small[0]].append(min(subsets, key=lambda scu: (-worth(scu), scu)))
    return set(chain.from_iterable(classes.values()))


@given(graphs(), st.floats(0, 20), st.floats(0.5, 3))
def test_it_is_appendix_a_as_written(graph: SegmentGraph, alpha: float, beta: float) -> None:
    assert set(solve_g(graph, None, alpha, beta).scus) == naive(graph, alpha, beta)
