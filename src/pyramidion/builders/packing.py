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
        """The segments of a column."""
        return tuple(self.members[self.starts[number] : self.starts[number + 1]].tolist())

    def bound(self, prices: Floats) -> float:
        """The bound of prices that are high enough."""
        cost = np.bincount(self._kind, prices[self._segment], minlength=len(self._sentence_of))
        dearest = np.zeros(self._sentences)
        np.maximum.at(dearest, self._sentence_of, cost)
        return float(dearest.sum())

    def lost(self, prices: Floats) -> Floats:
        """What each column costs less what it gains."""
        if not len(self.gains):
            return np.empty(0)
        lost: Floats = np.add.reduceat(prices[self.members], self.starts[:-1]) - self.gains
        return lost

    def raised(self, prices: Floats) -> Floats:
        """The prices, raised where the segments of a column cost less than it gains."""
        more = np.zeros_like(prices)
        np.maximum.at(more, self.members, np.repeat(np.maximum(0.0, -self.lost(prices)) / self.sizes, self.sizes))
        return prices + more

    def relaxed(self, deadline: float = float("inf")) -> tuple[Integers | None, Floats]:
        """The columns of the linear relaxation's solution, if that is integral, and the prices of the best bound."""
        columns = self._most(self.gains)
        best = self.raised(np.zeros(self._segments)) if self._pricing is None else self._pricing.ceiling()
        widths: list[int | None] = [] if self._pricing is None else [*WIDTHS, None]
        value, looked_at = 0.0, 0
        while True:
            solution = self._solution(columns, deadline)
            if solution is None:
                return None, best
            prices = solution.prices[: self._segments]
            if self._pricing is None:
                best = min(best, self.raised(prices), key=self.bound)
            columns = self._losing_least(columns, prices, drop=solution.value > (1 + TOLERANCE) * value)
            value = max(value, solution.value)
            more = self._most(self._paying(prices, columns))
            while widths and len(more) < _FEW and self._pricing is not None:
                found = self._pricing.search(prices, _LEAST, widths[0], BUDGET, deadline)
                best = min(best, prices + found.over + _LEAST, key=self.bound)
                self._list(found, columns)
                more = self._most(self._paying(prices, columns))
                looked_at += found.looked_at
                if widths[0] is None and found.complete and len(more):
                    break
                if widths[0] is None or looked_at > EFFORT:
                    best = best if found.complete else self._between(best, prices, deadline)
                    widths = []
                elif len(more) < _FEW:
                    widths = widths[1:]
                    if len(more) and widths[0] is None:
                        break
            if not len(more):
                corner = self._solution(columns, deadline, corner=True)
                return None if corner is None else self._integral(columns, corner.x), best
            columns = np.union1d(columns, more)

    def _losing_least(self, columns: Integers, prices: Floats, drop: bool) -> Integers:
        """The columns that the next linear program keeps: all, or those that lose least, where many are looked for.

        To drop some is safe only when the relaxation has just become worth more; else they might come and go for ever.
        """
        order = np.argsort(self.lost(prices)[columns], kind="stable")
        self._near = columns[order[:_COLUMNS]]
        few = self._pricing is None or not drop
        return columns if few else np.sort(columns[order[: _FOR_EACH * self._segments]])

    def _paying(self, prices: Floats, columns: Integers) -> Floats:
        """What each column pays, but for some."""
        pays = -self.lost(prices)
        pays[columns] = 0.0
        return pays

    def _between(self, best: Floats, prices: Floats, deadline: float) -> Floats:
        """Prices of a better bound, where a search in full takes too long at those of the relaxation.

        Nothing pays at the ceiling. So the nearer prices are to it, the sooner a search is through.
        """
        assert self._pricing is not None
        ceiling = self._pricing.ceiling()
        for share in _SHARES:
            mixed = share * prices + (1 - share) * ceiling
            found = self._pricing.search(mixed, _LEAST, None, BUDGET // 4, deadline)
            best = min(best, mixed + found.over + _LEAST, key=self.bound)
            if found.complete:
                break
        return best

    def _solution(self, columns: Integers, deadline: float, corner: bool = False) -> highs.Relaxed | None:
        """The linear program over some columns; nothing if time runs out (it is feasible and bounded)."""
        left = max(deadline - time.monotonic(), _LEAST_SECONDS)
        return highs.relaxed(-self._worth(columns), *self._constraints(columns), corner=corner, seconds=left)

    def _list(self, found: Priced, known: Integers) -> None:
        """Add what a search found to the columns, but for those that are known."""
        assert self._pricing is not None
        have = set(map(self.column, known.tolist()))
        groups = []
        for rows in found.cliques:
            new = rows[[tuple(row) not in have for row in rows.tolist()]]
            one, other = np.triu_indices(rows.shape[1], 1)
            groups.append((new, self._pricing.worth[new[:, one], new[:, other]].sum(axis=1)))
        self._add((rows[gains > _NOTHING], gains[gains > _NOTHING]) for rows, gains in groups)

    def _most(self, pays: Floats) -> Integers:
        """The columns that pay and are, of one of their segments, among those that pay most."""
        paying = np.flatnonzero(pays > _LEAST)
        order = paying[np.argsort(-pays[paying], kind="stable")]
        sizes = self.sizes[order]
        members = self.members[self._places(order)]
        return np.unique(np.repeat(order, sizes)[times_before(members) < _AROUND_EACH])

    def _places(self, columns: Integers) -> Integers:
        """Where in ``members`` the segments of some columns are."""
        sizes = self.sizes[columns]
        places: Integers = np.repeat(self.starts[columns] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return places

    def _worth(self, columns: Integers) -> Floats:
        return np.concatenate((-self.gains[columns], np.zeros(len(self._sentence_of))))

    def _constraints(self, columns: Integers) -> tuple[sparse.csr_array, Floats]:
        """Rows: segments, sentences. Columns: some columns, then the segmentations."""
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

    def _whole(self, columns: Integers, seconds: float) -> tuple[Integers | None, float]:
        """The integer program over some columns: the best packing found, and a bound for all packings of them."""
        worth, constraints = -self._worth(columns), self._constraints(columns)
        solution = highs.solve(worth, *constraints, gap=TOLERANCE / 2, seconds=seconds)
        return None if solution.x is None else self._integral(columns, solution.x), solution.bound

    def solved(self, known: Packed, seconds: float) -> Packed:
        """The best packing, from one that is known and never worse; the relaxation gets half of the time."""
        if not len(self.gains):
            return known
        deadline = time.monotonic() + seconds
        chosen, prices = self.relaxed(deadline - seconds / 2)
        best = self._better(chosen, known)
        highest = bound = max(best.value, self.bound(prices))
        if self._pricing is not None and bound - best.value > TOLERANCE * bound:
            best = self._better(self._whole(self._near, max(deadline - time.monotonic(), _LEAST_SECONDS))[0], best)
            near = highest - best.value <= _NEAR * highest
            if not (near and self._list_all(prices, highest - best.value, deadline)):
                return best._replace(bound=bound)
        lost = self.lost(prices)
        order = np.argsort(lost, kind="stable")
        width = _COLUMNS
        while bound - best.value > TOLERANCE * bound and (left := deadline - time.monotonic()) > 0:
            matter = int(np.searchsorted(lost[order], highest - best.value, side="right"))
            chosen, proved = self._whole(np.sort(order[: min(width, matter)]), left)
            best = self._better(chosen, best)
            beyond = highest - float(lost[order[width]]) if width < matter else best.value
            bound = min(bound, max(best.value, proved, beyond))
            if width >= matter:
                break
            width *= 4
        return best._replace(bound=bound)

    def _list_all(self, prices: Floats, lost: float, deadline: float) -> bool:
        """List all columns that lose no more, and no others; whether they are not too many."""
        assert self._pricing is not None
        found = self._pricing.search(prices, -lost - _LEAST, None, BUDGET // 4, deadline, kept=None)
        if found.complete:
            self.members, self.sizes, self.gains = self.members[:0], self.sizes[:0], self.gains[:0]
            self._add([])
            self._list(found, np.empty(0, np.int64))
        return found.complete

    def _better(self, chosen: Integers | None, known: Packed) -> Packed:
        if chosen is None or self.gains[chosen].sum() <= known.value:
            return known
        return Packed([self.column(one) for one in chosen.tolist()], float(self.gains[chosen].sum()), known.bound)
