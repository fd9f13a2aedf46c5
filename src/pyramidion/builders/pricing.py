r"""Which cliques pay: a search through all cliques of a graph that lists none of those it can rule out.

*Problem.* A pair of neighbours a, b is worth w_ab, a segment s costs pi_s, and a clique C pays

.. math:: \sum_{\{a, b\} \subseteq C} w_{ab} - \sum_{s \in C} \pi_s.

A clique has at most one segment of a reference. We ask for the cliques that pay more than a threshold: the columns that
:mod:`~pyramidion.builders.packing` needs next or, if there are none, the proof that its prices bound every packing.

*Bound.* Let P be the common later neighbours of the members of a clique C, and r_p what adding p would pay. Whatever is
added pays at most, over references, the sum of the largest u_p above 0, where

.. math:: u_p = r_p + \tfrac{1}{2} \sum_{\text{references } R} \max(0, \max_{q \in P \cap R} w_{pq})

gives each end of a new pair half of its worth. What cannot pay with p is taken out of P, which lowers the bounds of the
others, and so on. At good prices hardly anything is left: of the 250,000 cliques of the students' five references the
search looks at 480.

*Search.* From every segment as the first member, size by size, many cliques of a size at once; where there are too many
the first of them are followed to the end before the others, so memory is bounded. A search may be cut short, by
``width`` (of each size only the most promising cliques around a first segment) or by ``budget`` (after so many cliques
nothing more is looked at). Then ``over`` says what a clique that it did not see may pay at most, by the clique's first
segment: prices that are raised by it there bound every packing, too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pyramidion.builders.graph import Booleans, Floats, Integers

_CELLS = 1 << 20
"""Work on so many cells of a cliques x segments table at a time."""

_KEPT = 50


class _Start(NamedTuple):
    """A first segment, what it pays, the segments that may be added, and what each would add."""

    first: int
    pays: float
    rest: Integers
    adds: Floats


class _Limits(NamedTuple):
    width: int | None
    budget: int | None
    deadline: float
    kept: int | None

    def exceeded(self, looked_at: int) -> bool:
        return (self.budget is not None and looked_at > self.budget) or time.monotonic() > self.deadline


@dataclass(slots=True)
class Priced:
    """The cliques that a search found, and a bound for those that it did not look at."""

    over: Floats
    """The most that a clique pays, by its first segment; 0 where that is not above the threshold."""
    cliques: list[Integers] = field(default_factory=list)
    """Some that pay, in tables of one size, the best of each first segment and size among them."""
    complete: bool = True
    """Nothing was left out."""
    looked_at: int = 0

    def left_out(self, first: int, bound: float) -> None:
        """Note that cliques were left out that may pay as much."""
        self.complete = False
        self.over[first] = max(self.over[first], bound)

    def keep(self, first: int, rest: Integers, pays: Floats, least: float, kept: int | None) -> None:
        """Keep the best of the cliques that pay, given by their first segment and the rest of their members."""
        paying = np.flatnonzero(pays > least)
        if len(paying):
            self.over[first] = max(self.over[first], float(pays[paying].max()))
            best = paying[np.argsort(-np.round(pays[paying], 10), kind="stable")[:kept]]
            self.cliques.append(np.column_stack((np.full(len(best), first), rest[best])))


class _Level(NamedTuple):
    """Cliques of one size and first segment, by their other members.

    ``adds`` is what each segment would add, minus infinity where it is no later neighbour of all; ``bounds``, what a
    clique may pay with all that is added.
    """

    members: Integers
    pays: Floats
    adds: Floats
    bounds: Floats

    def at(self, rows: Integers | slice) -> _Level:
        return _Level(self.members[rows], self.pays[rows], self.adds[rows], self.bounds[rows])


class _Inside:
    """The segments that may be added to a first segment, and what pairs of them are worth."""

    def __init__(self, rest: Integers, reference: Integers, within: Floats) -> None:
        self.size = len(rest)
        self.starts = np.flatnonzero(np.diff(reference, prepend=-1))
        self.group = np.cumsum(np.diff(reference, prepend=-1) > 0) - 1
        self.half_from = _sums_from(0.5 * np.maximum(np.maximum.reduceat(within, self.starts, axis=1), 0.0))
        self.later = np.where(np.tri(self.size, dtype=np.bool_).T, within, -np.inf)

    def extend(self, level: _Level, least: float) -> _Level:
        """Return each clique of a level with each later segment with which it may pay more than ``least``."""
        levels = [_Level(np.empty((0, level.members.shape[1] + 1), np.int64), np.empty(0),
                         np.empty((0, self.size)), np.empty(0))]  # fmt: skip
        at_once = max(1, _CELLS // self.size)
        for at in range(0, len(level.members), at_once):
            part = level.at(slice(at, at + at_once))
            best = part.adds + self.half_from[:, self.group[part.members[:, -1]] + 1].T
            more = _sums_from(np.maximum(np.maximum.reduceat(best, self.starts, axis=1), 0.0))
            bound = part.pays[:, None] + best + more[:, self.group + 1]
            row, added = np.nonzero(bound > least)
            levels.append(
                _Level(
                    np.column_stack((part.members[row], added)),
                    part.pays[row] + part.adds[row, added],
                    part.adds[row] + self.later[added],
                    bound[row, added],
                )
            )
        return _Level(*map(np.concatenate, zip(*levels, strict=True)))


class Pricing:
    """The cliques of a graph, by what pairs are worth."""

    def __init__(self, worth: Floats, reference: Integers) -> None:
        """``worth`` is minus infinity for two segments that are no neighbours; ``reference`` rises."""
        self.worth = worth
        self.reference = reference

    def ceiling(self) -> Floats:
        """Return prices at which no clique pays: half of the best that each segment may get from every reference."""
        starts = np.flatnonzero(np.diff(self.reference, prepend=-1))
        prices: Floats = 0.5 * np.maximum(np.maximum.reduceat(self.worth, starts, axis=1), 0.0).sum(axis=1)
        return prices

    def search(
        self,
        prices: Floats,
        least: float,
        width: int | None = None,
        budget: int | None = None,
        deadline: float = float("inf"),
        kept: int | None = _KEPT,
    ) -> Priced:
        """Return the cliques that pay more than ``least``; of those of one size and first segment the best ``kept``."""
        found = Priced(over=np.zeros(len(prices)))
        for first in range(len(prices)):
            rest = np.flatnonzero(self.worth[first, first + 1 :] > -np.inf) + first + 1
            start = _Start(first, -float(prices[first]), rest, self.worth[first, rest] - prices[rest])
            self._search_from(start, found, least, _Limits(width, budget, deadline, kept))
        return found

    def _search_from(self, start: _Start, found: Priced, least: float, limits: _Limits) -> None:
        """Search all cliques of one first segment."""
        rest, adds, within, bounds = self._prune(start, least)
        if not len(rest):
            return
        inner = _Inside(rest, self.reference[rest], within)
        waiting = [_Level(np.arange(len(rest))[:, None], start.pays + adds, adds + inner.later, bounds)]
        while waiting:
            level = waiting.pop()
            if limits.exceeded(found.looked_at):
                found.left_out(start.first, float(level.bounds.max()))
                continue
            found.looked_at += len(level.members)
            found.keep(start.first, rest[level.members], level.pays, least, limits.kept)
            if limits.width is not None and len(level.members) > limits.width:
                order = np.argsort(-level.bounds, kind="stable")
                found.left_out(start.first, float(level.bounds[order[limits.width]]))
                level = level.at(np.sort(order[: limits.width]))
            extended = inner.extend(level, least)
            total = len(extended.members)
            # Without a width a level may be large: it waits in parts, the last of which is followed to its end first.
            size = total if limits.width is not None else _CELLS // len(rest)
            waiting += [extended.at(slice(at, at + max(1, size))) for at in range(0, total, max(1, size))]

    def _prune(self, start: _Start, least: float) -> tuple[Integers, Floats, Floats, Floats]:
        """Return the segments of the rest that a paying clique may have, what each adds, their worths, and bounds.

        A segment whose bound is too low is taken out, which lowers the bounds of the others: so again, until none is.
        """
        rest, adds = start.rest, start.adds
        # Ends: each round takes out a segment at least.
        while True:
            within = self.worth[np.ix_(rest, rest)]
            if not len(rest):
                return rest, adds, within, adds
            starts = np.flatnonzero(np.diff(self.reference[rest], prepend=-1))
            best = adds + 0.5 * np.maximum(np.maximum.reduceat(within, starts, axis=1), 0.0).sum(axis=1)
            beside = np.where(within > -np.inf, best[None, :], -np.inf)
            bounds = start.pays + best + np.maximum(np.maximum.reduceat(beside, starts, axis=1), 0.0).sum(axis=1)
            able: Booleans = bounds > least
            if able.all():
                return rest, adds, within, bounds
            rest, adds = rest[able], adds[able]


def _sums_from(table: Floats) -> Floats:
    """Return for each row the sums from each column on, and 0 after the last."""
    sums: Floats = np.zeros((len(table), table.shape[1] + 1))
    sums[:, :-1] = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
    return sums
