"""Random small segment graphs, and every pyramid of them, for comparison."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import numpy as np
from hypothesis import strategies as st

from pyramidion.builders.edua import Solution
from pyramidion.builders.graph import SegmentGraph


@st.composite
def graphs(draw: st.DrawFn, references: int = 4, sentences: int = 2) -> SegmentGraph:
    """Sentences with a whole and up to two finer segmentations, which may share a segment; some vectors are zero."""
    layout, count = [], 0
    for _ in range(draw(st.integers(1, references))):
        layout.append([])
        for _ in range(draw(st.integers(1, sentences))):
            kinds = [[count]]
            count += 1
            if draw(st.booleans()):
                kinds.append([count, count + 1])
                count += 2
                if draw(st.booleans()):
                    kinds.append([count - 1, count])
                    count += 1
            layout[-1].append(kinds)
    numbers = st.integers(-1, 3)
    vectors = draw(st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=count, max_size=count))
    percentile = draw(st.sampled_from([0, 40, 60, 83]))
    return SegmentGraph.of(layout, np.array(vectors, float), percentile)


def tiny() -> st.SearchStrategy[SegmentGraph]:
    """Graphs of which one can list all pyramids."""
    return graphs(references=3).filter(lambda graph: int(graph.edges.sum()) <= 24)


def cliques(graph: SegmentGraph) -> Iterator[tuple[int, ...]]:
    """By definition: every set of two segments or more that are pairwise joined."""
    sets = (combinations(range(graph.size), size) for size in range(2, graph.references + 1))
    for some in chain.from_iterable(sets):
        if all(graph.edges[a, b] for a, b in combinations(some, 2)):
            yield some


def fits_some_segmentation(graph: SegmentGraph, segments: set[int]) -> bool:
    """Whether the segments of each sentence stand in one segmentation of it."""
    return all(
        any(segments & set(chain.from_iterable(kinds)) <= set(kind) for kind in kinds) for kinds in graph.segmentations
    )


def packings(graph: SegmentGraph, left: list[tuple[int, ...]] | None = None) -> Iterator[list[tuple[int, ...]]]:
    """Every choice of disjoint cliques that keeps one segmentation a sentence."""
    yield from _packings(graph, list(cliques(graph)) if left is None else left, [], set())


def _packings(
    graph: SegmentGraph, left: list[tuple[int, ...]], taken: list[tuple[int, ...]], used: set[int]
) -> Iterator[list[tuple[int, ...]]]:
    yield taken
    for place, one in enumerate(left):
        if used.isdisjoint(one) and fits_some_segmentation(graph, used | set(one)):
            yield from _packings(graph, left[place + 1 :], [*taken, one], used | set(one))


def violations(graph: SegmentGraph, solution: Solution) -> list[str]:
    """Which of the constraints in :mod:`pyramidion.builders.edua` a solution breaks, in words."""
    wrong = []
    used: list[int] = []
    for scu in (*solution.scus, *((single,) for single in solution.singles)):
        used += scu
        if len({int(graph.reference[segment]) for segment in scu}) < len(scu):
            wrong.append(f"{scu} has two segments of one reference")
        if not all(graph.edges[a, b] for a in scu for b in scu if a < b):
            wrong.append(f"{scu} is not a clique")
    if len(set(used)) < len(used):
        wrong.append("a segment is used twice")
    chosen = [kinds[place] for place, kinds in zip(solution.chosen, graph.segmentations, strict=True)]
    if stray := set(used) - {one for segments in chosen for one in segments}:
        wrong.append(f"{sorted(stray)} stand(s) in no chosen segmentation")
    if missing := {one for segments in chosen for one in segments} - set(used):
        wrong.append(f"{sorted(missing)} is not covered")
    return wrong
