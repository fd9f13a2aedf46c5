r"""The one-to-one mapping of variables by which most triples match (:func:`~pyramidion.matchers.triples.mmt`).

*Problem.* A pair p = (i, j) says that variable i of one graph is variable j of the other; w_p is how many concepts and
attributes agree then. An edge of the one and an edge of the other of the same relation agree if both their ends are
paired: they are a *meeting* q of two pairs p_q, p'_q.

.. math:: \max \sum_p w_p x_p + \sum_q x_{p_q} x_{p'_q} : \quad
          \sum_j x_{ij} \le 1 \;\; \forall i, \qquad \sum_i x_{ij} \le 1 \;\; \forall j, \qquad x \in \{0, 1\}.

It is a quadratic assignment problem, NP-hard; Smatch climbs hills (Cai and Knight 2013). Here it is solved.

*Bound.* Let each end of a meeting be worth its share, a_q at p_q and 1 - a_q at p'_q. A pair then gives at most

.. math:: W_p = w_p + \sum_{\text{edges } e \text{ at } i} \max_{q \ni e, p} a_q

(or the same over the edges of the other graph, where those are fewer), and no mapping more than the best assignment for
W: for any a, an upper bound. Subgradient steps on a lower it: a share moves from an end that the assignment uses to one
that it does not. Its limit is the optimum of a linear relaxation, which for sentences mostly is the maximum.

*Mappings.* With the shares of every step one grows: the pair of the greatest W first, which makes the meetings with its
neighbours whole, then the next. From the second step on W is disturbed, in a fixed way and ever more, so that ties fall
differently. Mostly a mapping soon reaches the bound, and is proved best.

*Else* the integer program decides, with y_q for meetings, sum_{q at e, p} y_q <= x_p: HiGHS, for a solution better than
the known one. ``NODES`` and ``SOLVABLE`` limit it, whatever the machine; ``SECONDS`` is the last resort, for a program
whose nodes take minutes. Then the bound remains above the count, and both are told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from pyramidion.base import solver as highs

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

STEPS = 60
"""Of the bound, at most."""
WORK = 500_000_000
"""Numbers looked at in all steps together: with a thousand variables steps are fewer, or nothing grows."""
NODES = 1_000
"""Of the integer program's tree."""
SOLVABLE = 3_000
"""Meetings that an integer program is made of; two sentences of 25 variables have a hundred."""
SECONDS = 60.0
DISTURBANCE = 0.05
"""Of worth, more with every step."""
GOLDEN = 0.6180339887498949
"""Golden ratio: the fractional parts of its multiples are evenly spread, which gives deterministic noise."""
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Pairs are those that can make a triple match. A meeting has two ends: the pairs of sources and of targets."""

    rows: int
    columns: int
    cells: Places
    """The number i * columns + j of each pair, in order."""
    worth: Numbers
    """w of each pair."""
    source: Places
    """The pair of sources, of each meeting."""
    target: Places
    group: Places
    """A number for each end of a meeting, sources first; of ends of the same number a mapping can have only one.

    These are the ends at one pair that have an edge in common, of the graph that has fewer of that relation there.
    """
    other_group: Places
    """The same, for edges of the graph that has more of them there."""

    def value(self, x: Numbers) -> int:
        """Return how many triples agree if the pairs are chosen where x is 1."""
        return round(float(self.worth @ x + x[self.source] @ x[self.target]))

    def assignment(self, worth: Numbers) -> Numbers:
        """Return the best choice of pairs for some worth, as x."""
        table = np.zeros(self.rows * self.columns)
        table[self.cells] = worth
        rows, columns = linear_sum_assignment(table.reshape(self.rows, self.columns), maximize=True)
        table.fill(0)
        table[rows * self.columns + columns] = 1
        x: Numbers = table[self.cells]
        return x


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Which pairs are chosen, how many triples agree by them, and how many can at most."""

    x: Numbers
    count: int
    bound: int


def solve(problem: Problem, least: int = 0) -> Solution:
    """Return the best mapping.

    With ``least``, the question is only whether that many triples can agree: the search ends as soon as a bound says
    that they cannot, and no integer program is solved once a mapping shows that they do.
    """
    if not len(problem.source):  # without meetings it is a linear assignment
        x = problem.assignment(problem.worth)
        return Solution(x, problem.value(x), problem.value(x))
    solution = _Search(problem, least).run()
    undecided = solution.count < solution.bound and solution.bound >= least and not 0 < least <= solution.count
    return _program(problem, solution) if undecided and len(problem.source) <= SOLVABLE else solution


class _Search:
    """Bounds by shares, mappings by growth, until they meet."""

    def __init__(self, problem: Problem, least: int) -> None:
        """Order the ends of meetings by group, so that a maximum over each group is one call of reduceat."""
        self.problem = problem
        self.least = least
        self.x = np.zeros(len(problem.worth))
        self.count = 0
        self.order = np.argsort(problem.group, kind="stable")
        group = problem.group[self.order]
        fresh = np.ones(len(group), np.bool_)
        np.not_equal(group[1:], group[:-1], out=fresh[1:])
        self.starts = np.flatnonzero(fresh)
        self.group = np.cumsum(fresh) - 1
        self.owner = np.concatenate((problem.source, problem.target))[self.order]
        self.partner = np.concatenate((problem.target, problem.source))[self.order]
        self.first = self.owner[self.starts]
        self.row, self.column = np.divmod(problem.cells, problem.columns)

    def run(self) -> Solution:
        """Alternate between bounds and mappings until they meet, or the steps or the work are used up."""
        problem, size = self.problem, len(self.problem.source)
        share = np.full(size, 0.5)
        ends, used = np.empty(2 * size), np.empty(2 * size)
        bound = np.inf
        effort = min(problem.rows, problem.columns) * (2 * size + len(self.x))
        for step in range(max(5, min(STEPS, WORK // effort))):
            ends[:size] = share
            np.subtract(1, share, out=ends[size:])
            in_order = ends[self.order]
            most = np.maximum.reduceat(in_order, self.starts)
            worth = np.bincount(self.first, most, len(self.x)) + problem.worth
            x = problem.assignment(worth)
            value = float(worth @ x)
            bound = min(bound, value)
            self._keep_better(x)
            if effort <= WORK and not self._is_settled(bound):
                self._keep_better(self._grow(worth, in_order, step))
            if self._is_settled(bound):
                break
            tied = (in_order == most[self.group]) * x[self.owner]
            used[self.order] = tied / np.maximum(np.add.reduceat(tied, self.starts), 1)[self.group]
            slope = used[:size] - used[size:]
            steepness = float(slope @ slope)
            if not steepness:
                break
            # Polyak's step; its target is half a triple above the best count, since a bound below count + 1 is a proof.
            share -= slope * ((value - self.count - 0.5) / steepness)
            np.maximum(share, 0, out=share)
            np.minimum(share, 1, out=share)
        return Solution(self.x, self.count, int(bound + ROUNDING))

    def _is_settled(self, bound: float) -> bool:
        return bound + ROUNDING < max(self.count + 1, self.least)

    def _keep_better(self, x: Numbers) -> None:
        count = self.problem.value(x)
        if count > self.count:
            self.x, self.count = x, count

    def _grow(self, worth: Numbers, ends: Numbers, step: int) -> Numbers:
        """Return a mapping that takes the pair of greatest worth, again and again.

        After each pair, worth counts the meetings that are still possible by their share, and those made as whole.
        """
        base = self.problem.worth
        alive, taken = np.ones(len(worth)), np.zeros(len(worth))
        if step:
            noise = 1 + DISTURBANCE * step * np.modf(self.problem.cells * GOLDEN + step * GOLDEN)[0]
            worth, base, ends = worth * noise, base * noise, ends * noise[self.owner]
        while worth[pair := int(worth.argmax())] > 0:
            taken[pair] = 1
            alive *= self.row != self.row[pair]
            alive *= self.column != self.column[pair]
            value = ends * alive[self.partner]
            value += taken[self.partner]
            worth = np.bincount(self.first, np.maximum.reduceat(value, self.starts), len(worth)) + base
            worth *= alive
        return taken


def _program(problem: Problem, known: Solution) -> Solution:
    """Return a better mapping than the best known one, or that one with the bound that the program proves."""
    size, pairs = len(problem.source), len(problem.cells)
    owner = np.concatenate((problem.source, problem.target))
    meeting = np.tile(np.arange(size) + pairs, 2)
    rows, columns, values, limits = [], [], [], []
    height = 0
    for variable in np.divmod(problem.cells, problem.columns):
        _, row = np.unique(variable, return_inverse=True)
        rows.append(row + height)
        columns.append(np.arange(pairs))
        values.append(np.ones(pairs))
        limits.append(np.ones(int(row.max()) + 1))
        height += len(limits[-1])
    for group in (problem.group, problem.other_group):
        _, first, row = np.unique(group, return_index=True, return_inverse=True)
        rows += [row + height, np.arange(len(first)) + height]
        columns += [meeting, owner[first]]
        values += [np.ones(2 * size), -np.ones(len(first))]
        limits.append(np.zeros(len(first)))
        height += len(first)
    worth = np.concatenate((problem.worth, np.ones(size)))
    rows.append(np.full(len(worth), height))
    columns.append(np.arange(len(worth)))
    values.append(-worth)
    limits.append(np.array([-(known.count + 0.5)]))
    matrix = sparse.csr_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), (height + 1, len(worth))
    )
    solution = highs.solve(
        worth, matrix, np.concatenate(limits), integral=np.arange(len(worth)) < pairs, nodes=NODES, seconds=SECONDS
    )
    bound = int(max(known.count, min(known.bound, solution.bound + ROUNDING)))
    if solution.x is None:
        return Solution(known.x, known.count, bound)
    x = np.round(solution.x[:pairs])
    return Solution(x, problem.value(x), bound)
