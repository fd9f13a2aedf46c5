r"""Independent sets of great weight, in a graph given by cliques.

*Problem.* Of nodes v with weights w(v) choose a set of which no two are adjacent, with the greatest total weight.
The graph is the union of cliques (two nodes are adjacent if some clique has both), which is what "at most one of these"
says; an edge is a clique of two.

:func:`greedy` is GWMIN of Sakai, Togasaki and Yamazaki (2003), the WMIN of Gao et al. 2019 §4.6. :func:`exact` is the
optimum, as the set packing

.. math:: \max \sum_v w(v)\, x_v \quad \text{with} \quad \sum_{v \in C} x_v \le 1
          \text{ for every clique } C, \quad x_v \in \{0, 1\},

solved by branch and bound (HiGHS). With whole cliques in place of edges its relaxation is tight: few inputs branch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from pyramidion.base import solver as highs
from pyramidion.errors import PyramidionError

Cliques = Sequence[Collection[int]]


def neighbours(size: int, cliques: Cliques) -> list[set[int]]:
    """Return the nodes adjacent to each of ``size`` nodes.

    >>> neighbours(3, [[0, 1], [1, 2]])
    [{1}, {0, 2}, {1}]
    """
    adjacent: list[set[int]] = [set() for _ in range(size)]
    for clique in cliques:
        for node in clique:
            adjacent[node].update(clique)
    for node, around in enumerate(adjacent):
        around.discard(node)
    return adjacent


def greedy(weights: Sequence[float], cliques: Cliques) -> list[int]:
    r"""GWMIN: take the node of greatest w(v) / (d(v) + 1), drop it and its neighbours, and again; in rising order.

    Degrees d(v) are those in what is left of the graph. The result weighs at least

    .. math:: \sum_v \frac{w(v)}{d(v) + 1}

    with the degrees of the whole graph (Sakai et al. 2003, theorem 1). Among equals the heavier node comes first, then
    the one that was given first. Nodes of weight 0 are never taken.

    >>> greedy([4, 5, 4], [[0, 1], [1, 2]])
    [0, 2]
    """
    adjacent = neighbours(len(weights), cliques)
    degree = [len(around) for around in adjacent]

    def entry(node: int) -> tuple[float, float, int]:
        return -weights[node] / (degree[node] + 1), -weights[node], node

    heap = [entry(node) for node in range(len(weights)) if weights[node] > 0]
    heapify(heap)
    left = [True] * len(weights)
    chosen = []
    while heap:
        best = heappop(heap)
        node = best[2]
        if not left[node] or best != entry(node):
            continue  # gone, or of an older degree: degrees only fall, and each fall pushed a new entry
        chosen.append(node)
        gone = [neighbour for neighbour in sorted(adjacent[node]) if left[neighbour]]
        for removed in (node, *gone):
            left[removed] = False
        for neighbour in gone:
            for second in adjacent[neighbour]:
                degree[second] -= 1
        for second in sorted({second for neighbour in gone for second in adjacent[neighbour] if left[second]}):
            if weights[second] > 0:
                heappush(heap, entry(second))
    return sorted(chosen)


def exact(weights: Sequence[float], cliques: Cliques, then: Sequence[float] = ()) -> list[int]:
    """Return a set of the greatest weight, proved, in rising order.

    ``then`` settles ties where weights are whole numbers: of the heaviest sets one with the greatest total of these is
    taken, proved, too. Ties that are left are settled by HiGHS, always the same way; callers who prefer one of the sets
    may also add to the weights what cannot change the order of totals. Nodes of weight 0 are never taken.

    >>> exact([4, 9, 4], [[0, 1], [1, 2]])
    [1]
    >>> exact([2, 2, 2], [[0, 1], [1, 2], [0, 2]], then=[5, 7, 6])
    [1]
    """
    worth = [node for node, weight in enumerate(weights) if weight > 0]
    place = {node: column for column, node in enumerate(worth)}
    rows = [sorted({place[node] for node in clique if node in place}) for clique in cliques]
    rows = [row for row in rows if len(row) > 1]
    if not rows:
        return worth
    lengths = [len(row) for row in rows]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    columns = np.fromiter((column for row in rows for column in row), np.int64, sum(lengths))
    matrix = csr_array((np.ones(len(columns)), columns, starts), shape=(len(rows), len(worth)))
    limits = np.ones(len(rows))
    first = np.array([weights[node] for node in worth], np.float64)
    chosen = _packing(first, matrix, limits)
    if len(then):
        least = first[chosen].sum() - 0.5  # nothing lighter by a whole number
        second = np.array([then[node] for node in worth], np.float64)
        chosen = _packing(second, csr_array(vstack([matrix, -first[None, :]])), np.append(limits, -least))
    return [worth[column] for column in chosen]


def _packing(weights: NDArray[np.float64], matrix: csr_array, limits: NDArray[np.float64]) -> list[int]:
    """Return the columns of greatest weight that keep the limits."""
    solution = highs.solve(weights, matrix, limits)
    if solution.x is None or not solution.optimal:
        raise PyramidionError(
            f"The solver found no best independent set ({solution.status})", do="use the matcher wmin, or allocation=dp"
        )
    return [int(column) for column in np.flatnonzero(solution.x > 0.5)]
