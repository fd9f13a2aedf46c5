"""The common part of the three EDUAs: solutions, scores and constraints (Gao et al. 2019, section 4.3, Figure 5).

A *solution* is a set of SCUs: cliques of the segment graph and, with weight 1, single segments. Always

1. the segments of a sentence that are used belong to one segmentation of it;
2. no segment is in two SCUs;
3. an SCU has at most one segment of each reference (a clique cannot have more);
4. every sentence is covered: each segment of its chosen segmentation is in an SCU.

The searches choose the SCUs of weight 2 and more; :func:`complete` does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pyramidion.builders.graph import Booleans, SegmentGraph

Clique: TypeAlias = tuple[int, ...]
"""Segments, rising."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A pyramid over a segment graph, and how good it is known to be."""

    scus: tuple[Clique, ...]
    """The SCUs of weight 2 and more: by falling weight, falling attraction, members."""
    singles: tuple[int, ...]
    """The segments that are SCUs of weight 1."""
    chosen: tuple[int, ...]
    """The segmentation of each sentence that is used."""
    objective: float
    bound: float
    """An upper bound of the objective of all solutions; infinite if it was not computed."""

    @property
    def gap(self) -> float:
        """Return the largest distance from the optimum, as a share of the bound; 1 if it is unknown."""
        if self.bound == float("inf"):
            return 1.0
        return max(0.0, self.bound - self.objective) / self.bound if self.bound > 0 else 0.0

    @property
    def proved(self) -> bool:
        """The solution is optimal, to a millionth."""
        return self.gap <= 1e-6

    def weights(self) -> dict[int, int]:
        """Return the number of SCUs of each weight, heaviest first."""
        sizes = [len(scu) for scu in self.scus] + [1] * len(self.singles)
        return {weight: sizes.count(weight) for weight in sorted(set(sizes), reverse=True)}


def attraction(graph: SegmentGraph, scu: Sequence[int]) -> float:
    """AS (Figure 5, item 3): the mean cosine of an SCU's pairs; 1 for a single segment."""
    if len(scu) < 2:
        return 1.0
    first, second = np.triu_indices(len(scu), 1)
    members = np.asarray(scu)
    return round(float(graph.cosine[members[first], members[second]].mean()), 12)


def pyramid_attraction(graph: SegmentGraph, scus: Iterable[Sequence[int]]) -> float:
    """AP (Figure 5, items 4 and 5): the sum, over the weights that occur, of the mean AS of the SCUs of that weight."""
    classes: dict[int, list[float]] = {}
    for scu in scus:
        classes.setdefault(len(scu), []).append(attraction(graph, scu))
    return sum(sum(scores) / len(scores) for _, scores in sorted(classes.items()))


class Pool:
    """What may still be used (appendix A's segment pool): segments, and segmentations of each sentence.

    The paper commits a sentence to a segmentation with its first segment. A clause may stand in several; here all that
    have the clauses in use stay possible, and :meth:`segmentations` decides at the end.
    """

    def __init__(self, graph: SegmentGraph, scus: Iterable[Sequence[int]] = ()) -> None:
        self._graph = graph
        self._used: set[int] = set()
        self._open: dict[int, list[tuple[int, ...]]] = {}
        self.free: Booleans = np.ones(graph.size, np.bool_)
        for scu in scus:
            self.commit(scu)

    def commit(self, scu: Sequence[int]) -> None:
        """Use the segments of an SCU: they are gone, and so is what stands in no segmentation with them."""
        self._used.update(scu)
        for segment in scu:
            sentence = int(self._graph.sentence[segment])
            alternatives = self._graph.segmentations[sentence]
            self._open[sentence] = [
                segmentation for segmentation in self._open.get(sentence, alternatives) if segment in segmentation
            ]
            self.free[[segment for segments in alternatives for segment in segments]] = False
            self.free[
                [segment for segments in self._open[sentence] for segment in segments if segment not in self._used]
            ] = True

    def copy(self) -> Pool:
        """Return a copy, on which a search can commit SCUs without changing this pool."""
        pool = Pool.__new__(Pool)
        pool._graph, pool._used, pool._open = self._graph, set(self._used), dict(self._open)
        pool.free = self.free.copy()
        return pool

    def segmentations(self) -> tuple[int, ...]:
        """Return the segmentation of each sentence: the first that is still possible."""
        return tuple(
            alternatives.index(self._open[sentence][0]) if sentence in self._open else 0
            for sentence, alternatives in enumerate(self._graph.segmentations)
        )


def complete(graph: SegmentGraph, scus: Iterable[Sequence[int]], objective: float, bound: float) -> Solution:
    """Return the solution with these SCUs of weight 2 and more: the segments that they leave become SCUs of weight 1.

    A sentence of which a segmentation is in use gives its other segments; one that is untouched, those of its first
    segmentation: the sentence as a whole.
    """
    sets = [tuple(sorted(map(int, scu))) for scu in scus]
    in_order = sorted(sets, key=lambda scu: (-len(scu), -attraction(graph, scu), scu))
    chosen = Pool(graph, in_order).segmentations()
    used = {segment for scu in in_order for segment in scu}
    segments = {segment for place, kinds in zip(chosen, graph.segmentations, strict=True) for segment in kinds[place]}
    return Solution(tuple(in_order), tuple(sorted(segments - used)), chosen, objective, bound)
