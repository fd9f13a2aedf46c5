r"""Set packing with alternatives: the integer program behind EDUA-P, and the bound that EDUA-C prunes with.

*Problem.* Columns c (cliques) have a gain g_c and use segments; a sentence j offers one of its segmentations k:

.. math:: \max \sum_c g_c x_c : \quad \sum_{c \ni s} x_c \le \sum_{k \ni s} z_k \;\; \forall s, \qquad
          \sum_{k \in j} z_k \le 1 \;\; \forall j, \qquad x_c, z_k \in \{0, 1\}.

*Bound.* By duality any prices pi_s >= 0 with sum_{s in c} pi_s >= g_c for every column bound the optimum by
sum_j max_{k in j} sum_{s in k} pi_s: no packing earns more than the dearest segmentation of each sentence costs. Prices
that fall short for some column are raised until they do not, so the bound holds whatever the solver rounds. And a
packing earns at most the bound less what its columns *lose*, their price less their gain: a column that loses more than
lies between the bound and a packing we know is in no better one.

*The linear relaxation* by column generation: HiGHS solves it over some columns, all the others are priced at once, and
those that pay most are added, some for each segment, until none pays. (The interior-point method's prices come from the
middle of what is optimal; the simplex method's, from a corner, need ten times the rounds.) The solution at a corner is
nearly always integral, hence optimal.

*Columns that are not listed.* Where there are too many cliques to list, :mod:`~pyramidion.builders.pricing` looks for
those that pay: first quickly, then in full. If a search in full finds none, the relaxation is solved as if all were
listed. If it looks at more than :data:`BUDGET`, the bound is that of prices raised by what it left out.

*The integer program*, where the relaxation's solution is not integral: HiGHS solves it over the columns that lose
least. A packing with another column earns at most the bound less what the next column loses; so with more and more
columns both ends meet. For that, all columns that lose less than lies between the bound and the best packing are
listed, if they are not too many.

Nothing here depends on the clock until the deadline has passed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pyramidion.base import solver as highs
from pyramidion.builders.cliques import times_before
from pyramidion.builders.graph import Floats, Integers
from pyramidion.builders.pricing import Priced, Pricing

TOLERANCE = 1e-6
"""A packing this near its bound, relatively, is optimal."""

_AROUND_EACH = 50
"""So many columns around each segment are added at a time."""

_LEAST_SECONDS = 1e-3
"""A solver's time is above zero."""

_COLUMNS = 2000
"""So many columns has the first integer program; each further one has four times as many."""

WIDTHS = (20, 400)
"""Of each size and first segment, so many cliques are looked at in quick searches."""

BUDGET = 2_000_000
"""A search in full looks at so many cliques: some five seconds."""

EFFORT = 8_000_000
"""All searches of a relaxation look at so many cliques, before a bound is taken as it is."""

_LEAST = 1e-7
"""A column pays if it pays more."""

_NOTHING = 1e-9
"""A column gains something if it gains more."""

_NEAR = 0.05
"""A packing this near its bound, relatively, may be proved best by all columns that lose less than lies between."""

_FOR_EACH = 20
"""So many columns for each segment has a linear program at most, where columns are looked for."""

_SHARES = (0.8, 0.6, 0.4, 0.2)

_FEW = 30
"""A search that finds fewer columns is followed by one that looks at more."""


class Packed(NamedTuple):
    """Some columns, as their segments, what they gain, and what no packing exceeds."""

    columns: list[tuple[int, ...]]
    value: float
    bound: float


class Packing:
    """Column c uses the segments ``members[starts[c]:starts[c + 1]]``."""

    def __init__(
        self,
        segmentations: Sequence[Sequence[Sequence[int]]],
        groups: Iterable[tuple[Integers, Floats]],
        pricing: Pricing | None = None,
    ) -> None:
        """``groups`` are columns of one size: a row of segments for each, and the gains, all above 0.

        ``pricing`` finds columns that are not among them; without it, there are none.
        """
        self.members: Integers = np.empty(0, np.int64)
        self.sizes: Integers = np.empty(0, np.int64)
        self.gains: Floats = np.empty(0)
        self._add(groups)
        self._pricing = pricing
        self._near: Integers = np.empty(0, np.int64)  # the columns that lose least at the relaxation's last prices
        self._sentence_of = np.repeat(np.arange(len(segmentations)), list(map(len, segmentations)))
        self._sentences = len(segmentations)
        kinds = [segments for alternatives in segmentations for segments in alternatives]
        self._kind = np.repeat(np.arange(len(kinds)), list(map(len, kinds)))
        self._segment = np.array([segment for segments in kinds for segment in segments], np.int64)
        self._segments = int(self._segment.max(initial=-1)) + 1

    def _add(self, groups: Iterable[tuple[Integers, Floats]]) -> None:
        """Append columns."""
        groups = list(groups)
        self.members = np.concatenate([self.members, *(rows.ravel() for rows, _ in groups)])
        self.sizes = np.concatenate([self.sizes, *(np.full(len(rows), rows.shape[1]) for rows, _ in groups)])
        self.gains = np.concatenate([self.gains, *(worth for _, worth in groups)])
        self.starts: Integers = np.concatenate(([0], np.cumsum(self.sizes)))

    def column(self, number: int) -> tuple[int, ...]:
        """Return the segments of a column."""
        return tuple(self.members[self.starts[number] : self.starts[number + 1]].tolist())

    def upper_bound(self, prices: Floats) -> float:
        """Return what no packing exceeds, by prices at which no column gains more than it costs (see the module)."""
        cost = np.bincount(self._kind, prices[self._segment], minlength=len(self._sentence_of))
        dearest = np.zeros(self._sentences)
        np.maximum.at(dearest, self._sentence_of, cost)
        return float(dearest.sum())

    def losses(self, prices: Floats) -> Floats:
        """Return the loss of each column: its price less its gain."""
        if not len(self.gains):  # reduceat needs a row
            return np.empty(0)
        losses: Floats = np.add.reduceat(prices[self.members], self.starts[:-1]) - self.gains
        return losses

    def raise_prices(self, prices: Floats) -> Floats:
        """Return the prices, raised where the segments of a column cost less than the column gains."""
        more = np.zeros_like(prices)
        np.maximum.at(more, self.members, np.repeat(np.maximum(0.0, -self.losses(prices)) / self.sizes, self.sizes))
        return prices + more

    def solve_relaxation(self, deadline: float = float("inf")) -> tuple[Integers | None, Floats]:
        """Return the columns of the linear relaxation's solution, if it is integral, and the prices of the best bound.

        Each round solves the program over some columns, and adds those that pay at its prices. Where columns are not
        listed, they are searched for with growing widths when too few of the listed ones pay.
        """
        columns = self._best_columns(self.gains)
        best = self.raise_prices(np.zeros(self._segments)) if self._pricing is None else self._pricing.ceiling()
        widths: list[int | None] = [] if self._pricing is None else [*WIDTHS, None]
        value, looked_at = 0.0, 0
        while True:
            solution = self._solution(columns, deadline)
            if solution is None:
                return None, best
            prices = solution.prices[: self._segments]
            if self._pricing is None:
                best = min(best, self.raise_prices(prices), key=self.upper_bound)
            columns = self._losing_least(columns, prices, drop=solution.value > (1 + TOLERANCE) * value)
            value = max(value, solution.value)
            more = self._best_columns(self._payments(prices, columns))
            while widths and len(more) < _FEW and self._pricing is not None:
                found = self._pricing.search(prices, _LEAST, widths[0], BUDGET, deadline)
                best = min(best, prices + found.over + _LEAST, key=self.upper_bound)
                self._add_found(found, columns)
                more = self._best_columns(self._payments(prices, columns))
                looked_at += found.looked_at
                if widths[0] is None and found.complete and len(more):
                    break
                if widths[0] is None or looked_at > EFFORT:
                    best = best if found.complete else self._prices_near_ceiling(best, prices, deadline)
                    widths = []
                elif len(more) < _FEW:
                    widths = widths[1:]
                    if len(more) and widths[0] is None:
                        break
            # Only at the end, since prices at a corner need many more rounds (see the module).
            if not len(more):
                corner = self._solution(columns, deadline, corner=True)
                return None if corner is None else self._integral(columns, corner.x), best
            columns = np.union1d(columns, more)

    def _losing_least(self, columns: Integers, prices: Floats, drop: bool) -> Integers:
        """Return the columns that the next linear program keeps: all, or only those that lose least.

        Columns are dropped only where pricing finds new ones, and only just after the relaxation has become worth more:
        otherwise the same columns might be dropped and added again for ever.
        """
        order = np.argsort(self.losses(prices)[columns], kind="stable")
        self._near = columns[order[:_COLUMNS]]
        keep_all = self._pricing is None or not drop
        return columns if keep_all else np.sort(columns[order[: _FOR_EACH * self._segments]])

    def _payments(self, prices: Floats, columns: Integers) -> Floats:
        """Return what each column pays, its gain less its price; 0 for these columns, which the program has already."""
        pays = -self.losses(prices)
        pays[columns] = 0.0
        return pays

    def _prices_near_ceiling(self, best: Floats, prices: Floats, deadline: float) -> Floats:
        """Return prices of a better bound, where a search in full takes too long at those of the relaxation.

        Prices are mixed with the ceiling, at which nothing pays: the nearer they are to it, the sooner a search ends.
        """
        assert self._pricing is not None
        ceiling = self._pricing.ceiling()
        for share in _SHARES:
            mixed = share * prices + (1 - share) * ceiling
            found = self._pricing.search(mixed, _LEAST, None, BUDGET // 4, deadline)
            best = min(best, mixed + found.over + _LEAST, key=self.upper_bound)
            if found.complete:
                break
        return best

    def _solution(self, columns: Integers, deadline: float, corner: bool = False) -> highs.Relaxed | None:
        """Solve the linear program over some columns; None if time runs out (it is feasible and bounded)."""
        left = max(deadline - time.monotonic(), _LEAST_SECONDS)
        return highs.relaxed(-self._worth(columns), *self._constraints(columns), corner=corner, seconds=left)

    def _add_found(self, found: Priced, known: Integers) -> None:
        """Add the cliques that a search found as columns, except those that are known."""
        assert self._pricing is not None
        have = set(map(self.column, known.tolist()))
        groups = []
        for rows in found.cliques:
            new = rows[[tuple(row) not in have for row in rows.tolist()]]
            first, second = np.triu_indices(rows.shape[1], 1)
            groups.append((new, self._pricing.worth[new[:, first], new[:, second]].sum(axis=1)))
        self._add((rows[gains > _NOTHING], gains[gains > _NOTHING]) for rows, gains in groups)

    def _best_columns(self, pays: Floats) -> Integers:
        """Return the columns that pay and are among those that pay most around at least one of their segments."""
        paying = np.flatnonzero(pays > _LEAST)
        order = paying[np.argsort(-pays[paying], kind="stable")]
        sizes = self.sizes[order]
        members = self.members[self._places(order)]
        return np.unique(np.repeat(order, sizes)[times_before(members) < _AROUND_EACH])

    def _places(self, columns: Integers) -> Integers:
        """Return the places in ``members`` of the segments of some columns."""
        sizes = self.sizes[columns]
        places: Integers = np.repeat(self.starts[columns] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return places

    def _worth(self, columns: Integers) -> Floats:
        return np.concatenate((-self.gains[columns], np.zeros(len(self._sentence_of))))

    def _constraints(self, columns: Integers) -> tuple[sparse.csr_array, Floats]:
        """Return the matrix and the limits. Its rows: segments, sentences; its columns: some columns, segmentations."""
        kinds, places = len(self._sentence_of), self._places(columns)
        rows = (self.members[places], self._segment, self._segments + self._sentence_of)
        owner = np.repeat(np.arange(len(columns)), self.sizes[columns])
        cols = (owner, len(columns) + self._kind, len(columns) + np.arange(kinds))
        values = np.concatenate((np.ones(len(places)), -np.ones(len(self._kind)), np.ones(kinds)))
        limits = np.concatenate((np.zeros(self._segments), np.ones(self._sentences)))
        cells = (np.concatenate(rows), np.concatenate(cols))
        return sparse.csr_array((values, cells), shape=(len(limits), len(columns) + kinds)), limits

    def _integral(self, columns: Integers, x: Floats) -> Integers | None:
        share = x[: len(columns)]
        taken: Integers = columns[share > 0.5]
        return taken if np.abs(share - np.round(share)).max(initial=0.0) < 1e-6 else None

    def _solve_integer(self, columns: Integers, seconds: float) -> tuple[Integers | None, float]:
        """Solve the integer program over some columns; return the packing found and a bound of the best one."""
        worth, constraints = -self._worth(columns), self._constraints(columns)
        solution = highs.solve(worth, *constraints, gap=TOLERANCE / 2, seconds=seconds)
        return None if solution.x is None else self._integral(columns, solution.x), solution.bound

    def solve(self, known: Packed, seconds: float) -> Packed:
        """Return the best packing, never worse than the known one; the relaxation gets half of the time."""
        if not len(self.gains):
            return known
        deadline = time.monotonic() + seconds
        chosen, prices = self.solve_relaxation(deadline - seconds / 2)
        best = self._better(chosen, known)
        highest = bound = max(best.value, self.upper_bound(prices))
        # Columns that were never listed may be in a better packing. So first take the listed ones that lose least, then
        # list all that can matter; if these are too many, the relaxation's bound stands.
        if self._pricing is not None and bound - best.value > TOLERANCE * bound:
            best = self._better(
                self._solve_integer(self._near, max(deadline - time.monotonic(), _LEAST_SECONDS))[0], best
            )
            near = highest - best.value <= _NEAR * highest
            if not (near and self._list_all(prices, highest - best.value, deadline)):
                return best._replace(bound=bound)
        losses = self.losses(prices)
        order = np.argsort(losses, kind="stable")
        width = _COLUMNS
        while bound - best.value > TOLERANCE * bound and (left := deadline - time.monotonic()) > 0:
            matter = int(np.searchsorted(losses[order], highest - best.value, side="right"))
            chosen, proved = self._solve_integer(np.sort(order[: min(width, matter)]), left)
            best = self._better(chosen, best)
            beyond = highest - float(losses[order[width]]) if width < matter else best.value
            bound = min(bound, max(best.value, proved, beyond))
            if width >= matter:
                break
            width *= 4
        return best._replace(bound=bound)

    def _list_all(self, prices: Floats, loss: float, deadline: float) -> bool:
        """Replace the columns by all that lose no more than ``loss``; return False if these are too many to list."""
        assert self._pricing is not None
        found = self._pricing.search(prices, -loss - _LEAST, None, BUDGET // 4, deadline, kept=None)
        if found.complete:
            self.members, self.sizes, self.gains = self.members[:0], self.sizes[:0], self.gains[:0]
            self._add([])
            self._add_found(found, np.empty(0, np.int64))
        return found.complete

    def _better(self, chosen: Integers | None, known: Packed) -> Packed:
        if chosen is None or self.gains[chosen].sum() <= known.value:
            return known
        return Packed([self.column(number) for number in chosen.tolist()], float(self.gains[chosen].sum()), known.bound)
