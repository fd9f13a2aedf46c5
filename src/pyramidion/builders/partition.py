r"""The best division of statements into groups, exactly: clique partitioning (Grötschel and Wakabayashi 1989).

*Problem.* Nodes are statements. A pair that is put together earns its worth w_ij, which may be below 0; some pairs may
never be together. With x_ij = 1 for pairs in one group,

.. math:: \max \sum_{i < j} w_{ij} x_{ij} : \quad x_{ij} + x_{jk} - x_{ik} \le 1 \;\; \forall i, j, k, \qquad
          x_{ij} \in \{0, 1\}, \qquad x_{ij} = 0 \text{ where forbidden.}

It is EDUA-P's packing (:mod:`~pyramidion.builders.edua_p`) where every sentence has one segmentation, written with
pairs in place of cliques. EDUA-P lists its cliques, and k references that share an idea have 2^k of them: from some
twenty references on they exceed every limit, and some are cut. Pairs grow with k^2 only, so nothing is cut here.

*Search.* Groups lie within components of the pairs worth more than 0; each is solved by itself. Only such pairs are
variables at first. A pair worth less enters with the first triangle that needs it, since before that its best value
is 0. Triangles that a solution violates are added, first to the linear relaxation, whose optimum bounds the worth of
every division, then, if that is not integral, to the integer program. A component that is not done when time is up
keeps the best division known (pairs of groups joined while that pays, then single nodes moved), and the bound says how
far it may be from the best. Only then does the clock decide anything.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from pyramidion.base.solver import solve

Floats = NDArray[np.float64]
Group = tuple[int, ...]

_TOLERANCE = 1e-6
_AT_ONCE = 4000
"""Violated triangles that are added at a time, the most violated first."""


class Partition(NamedTuple):
    """Groups of nodes, by their first; what they are worth; and what no division exceeds."""

    groups: tuple[Group, ...]
    worth: float
    bound: float

    @property
    def gap(self) -> float:
        """Return the largest distance from the best worth, as a share of the bound."""
        return max(0.0, self.bound - self.worth) / self.bound if self.bound > 0 else 0.0


def best_partition(worth: Floats, seconds: float = float("inf")) -> Partition:
    """Return the best groups; ``worth`` is symmetric, with minus infinity for pairs that may not be together.

    >>> no = -np.inf
    >>> best_partition(np.array([[0, 2, -1, no], [2, 0, 1.5, -1], [-1, 1.5, 0, 3], [no, -1, 3, 0]]))[:2]
    (((0, 1), (2, 3)), 5.0)
    """
    deadline = time.monotonic() + seconds
    attracted = sparse.csr_array(np.triu(worth > 0, 1))
    _, label = connected_components(attracted, directed=False)
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order], prepend=-1))
    # Small components first, so that only the large ones can run out of time.
    parts = sorted(np.split(order, starts[1:]), key=lambda part: (len(part), int(part[0]))) if len(order) else []
    groups: list[Group] = []
    total = bound = 0.0
    for part in parts:
        partition = (
            _Component(worth[np.ix_(part, part)]).best_division(deadline)
            if len(part) > 1
            else Partition(((0,),), 0.0, 0.0)
        )
        groups += [tuple(int(part[node]) for node in group) for group in partition.groups]
        total, bound = total + partition.worth, bound + partition.bound
    return Partition(tuple(sorted(groups)), total, bound)


class _Component:
    """One component, with the variables and triangles that the search has needed so far."""

    def __init__(self, worth: Floats) -> None:
        self.worth = worth
        self.size = len(worth)
        self.places: dict[tuple[int, int], int] = {}
        self.triangles: list[tuple[tuple[int, int], tuple[int, int], tuple[int, int] | None]] = []
        self.known: set[tuple[int, int, int]] = set()
        for first, second in np.argwhere(np.triu(worth > 0, 1)).tolist():
            self.places[first, second] = len(self.places)

    def best_division(self, deadline: float) -> Partition:
        """Return the best division: by the linear relaxation, then, where that is not integral, by the program.

        Triangles are added until a solution violates none; if time is up, the best division so far is returned.
        """
        known = self.join_greedily()
        value, bound = self.value(known), float(self.worth[np.triu(self.worth > 0, 1)].sum())
        for whole in (False, True):
            while bound - value > _TOLERANCE * max(1.0, bound):
                left = deadline - time.monotonic()
                if left <= 0:
                    return Partition(known, value, bound)
                x, proved = self.program(whole, left)
                bound = min(bound, proved)
                if x is None:
                    return Partition(known, value, bound)
                groups = self.groups(x)
                if self.value(groups) > value + _TOLERANCE:
                    known, value = groups, self.value(groups)
                if not self.add_violated(x):
                    break
        return Partition(known, value, max(value, bound))

    def program(self, whole: bool, seconds: float) -> tuple[Floats | None, float]:
        """Solve the program with the triangles so far; return the solution as a matrix, and the bound."""
        pairs = list(self.places)
        rows, columns, values = [], [], []
        for row, (first, second, third) in enumerate(self.triangles):
            for pair, sign in ((first, 1.0), (second, 1.0), (third, -1.0)):
                if pair is not None:
                    rows.append(row)
                    columns.append(self.places[pair])
                    values.append(sign)
        matrix = sparse.csr_array((values, (rows, columns)), shape=(len(self.triangles), len(pairs)))
        worth = np.array([self.worth[pair] for pair in pairs])
        solution = solve(worth, matrix, np.ones(len(self.triangles)), integral=whole, seconds=seconds)
        if solution.x is None or not (solution.optimal or whole):
            return None, solution.bound if whole else float("inf")
        x = np.zeros((self.size, self.size))
        for pair, share in zip(pairs, solution.x.tolist(), strict=True):
            x[pair] = x[pair[::-1]] = share
        return x, solution.bound if whole else float(worth @ solution.x) + _TOLERANCE / 10

    def add_violated(self, x: Floats) -> int:
        """Add the triangles that a solution violates most; return how many it violates."""
        violated: list[tuple[float, int, int, int]] = []
        for middle in range(self.size):
            near = np.flatnonzero(x[middle] > _TOLERANCE)
            over = x[middle, near][:, None] + x[middle, near][None, :] - x[np.ix_(near, near)] - 1
            for first, second in np.argwhere(np.triu(over > _TOLERANCE, 1)).tolist():
                key = (int(near[first]), middle, int(near[second]))
                if key not in self.known:
                    violated.append((-round(float(over[first, second]), 6), *key))
        for _, first, middle, second in sorted(violated)[:_AT_ONCE]:
            self.known.add((first, middle, second))
            # A forbidden pair has no variable: x is 0.
            third = (first, second) if np.isfinite(self.worth[first, second]) else None
            if third is not None and third not in self.places:
                self.places[third] = len(self.places)
            self.triangles.append((_pair(first, middle), _pair(middle, second), third))
        return len(violated)

    def value(self, groups: Iterable[Sequence[int]]) -> float:
        """Return the worth of groups; minus infinity if a pair may not be together."""
        return float(sum(self.worth[a, b] for group in groups for a in group for b in group if a < b))

    def groups(self, x: Floats) -> tuple[Group, ...]:
        """Return the groups of a solution: components of the pairs whose variable is above one half."""
        _, label = connected_components(sparse.csr_array(x > 0.5), directed=False)
        return _labelled_groups(label.tolist())

    def join_greedily(self) -> tuple[Group, ...]:
        """Return a good division: join the two groups that gain most by it, again and again; then move nodes."""
        between = self.worth.copy()
        np.fill_diagonal(between, -np.inf)
        members = [[node] for node in range(self.size)]
        while True:
            first, second = map(int, np.unravel_index(int(between.argmax()), between.shape))
            if between[first, second] <= _TOLERANCE:
                break
            first, second = min(first, second), max(first, second)
            members[first] += members[second]
            members[second] = []
            between[first] += between[second]
            between[:, first] = between[first]
            between[first, first] = between[second] = between[:, second] = -np.inf
            between[second, :] = -np.inf
        return self.move_nodes(np.array([next(g for g, m in enumerate(members) if n in m) for n in range(self.size)]))

    def move_nodes(self, label: NDArray[np.int64]) -> tuple[Group, ...]:
        """Return the groups after moving single nodes as long as a move pays."""
        safe = np.where(np.isfinite(self.worth), self.worth, -1e9)
        np.fill_diagonal(safe, 0.0)
        improved = True
        while improved:
            improved = False
            for node in range(self.size):
                gains = np.bincount(label, safe[node], minlength=self.size)
                best = int(gains.argmax())
                if gains[best] > max(gains[label[node]], 0.0) + _TOLERANCE:
                    label[node], improved = best, True
        return _labelled_groups(label.tolist())


def _labelled_groups(labels: Sequence[int]) -> tuple[Group, ...]:
    """Return the nodes of each label."""
    groups: dict[int, list[int]] = {}
    for node, number in enumerate(labels):
        groups.setdefault(number, []).append(node)
    return tuple(map(tuple, groups.values()))


def _pair(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)
