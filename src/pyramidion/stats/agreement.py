r"""Do people who judge the same things judge alike? Agreement beyond chance.

**Krippendorff's alpha** (Nenkova et al. 2007 §4.1, eq. 3). Units u have m_u values each, from any coders; units with
fewer than two values say nothing and are left out. With n values left, n_b of them b, and a distance delta
(:mod:`pyramidion.stats.distances`),

.. math:: \alpha = 1 - \frac{D_o}{D_e} = 1 - (n - 1)
          \frac{\sum_u \frac{1}{m_u - 1} \sum_{i \ne j} \delta(x_{ui}, x_{uj})}{\sum_b \sum_c n_b n_c \delta_{bc}}.

1 is perfect agreement, 0 what chance gives, below 0 is systematic disagreement. It takes coders for interchangeable:
who gave a value does not matter, only which values a unit got. Units with the same values are therefore one *kind*, and
everything here is computed on kinds, with the number of units of each.

**For nominal values of complete data**, kappa = (P_o - P_e) / (1 - P_e) with P_o the share of agreeing pairs and P_e
what chance would give: for two coders from the product of each one's own shares (*Cohen*) or from the square of their
common shares (*Scott's pi*).

Where nobody varies, or nothing was judged twice, agreement is undefined: the value is None and ``reason`` says why.

Intervals are percentiles over draws of units with replacement, or of whole groups of units where units of one group
(the SCUs of one summary) are not independent. Draws in which alpha is undefined are left out; if they are half or more,
there is no interval, nor is there one of fewer than :data:`~pyramidion.stats.bootstrap.FEWEST` units or groups. With
fewer than some twenty groups the interval is too narrow. The order of coders and units does not matter.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import FEWEST, Interval, percentiles
from pyramidion.stats.distances import Array, Codes, Distance, DistanceName, distance_of
from pyramidion.stats.ratios import ratios

Ratings = Sequence[Sequence[Any] | NDArray[Any]] | NDArray[Any]
"""Coders x units: a row per coder, a column per unit. None or NaN marks a missing value."""

_MISSING = -1
_CELLS = 1 << 22
"""The most numbers that one step of a bootstrap holds."""
_MOST_KINDS = 20_000
"""The most different units that may be left out in turn."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """An agreement, its interval, and the data it was computed from."""

    value: float | None
    """None where it is undefined."""
    reason: str = ""
    """Why it is undefined."""
    units: int = 0
    """The number of units with two values or more. Only these count."""
    values: int = 0
    """The number of values of those units."""
    left_out: int = 0
    """The number of units with fewer than two values."""
    interval: Interval | None = None


@check_choices
def krippendorff_alpha(
    ratings: Ratings,
    distance: DistanceName = "nominal",
    *,
    groups: Sequence[Hashable] | None = None,
    samples: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return alpha of coders x units; with ``samples``, an interval from so many draws of units, or of their groups.

    Values are numbers, of any kind for ``nominal``, and sets for ``masi``. Time is O(units x coders log units) and, per
    draw, linear in the kinds of units (or in the units, where they have groups); ``ratio``, ``dice`` and ``masi`` add
    the square of the number of distinct values.

    >>> krippendorff_alpha([[1, 1, 0, 1, None], [1, 0, 0, 1, 1]])
    Agreement(value=0.533333333333, reason='', units=4, values=8, left_out=1, interval=None)
    >>> krippendorff_alpha([[1, 1], [1, 1]]).reason
    'no variation: every value is 1'
    """
    codes, values = _encode(ratings, distance)
    kinds = _Kinds.of(codes, values, distance)
    agreement = kinds.agreement()
    if samples < 1 or agreement.value is None:
        return agreement
    return replace(agreement, interval=kinds.interval(groups, samples, confidence, seed))


def alphas_of_pairs(x: Array, y: Array) -> Array:
    """Return alpha, with the interval distance, of two coders who judged all units: each row of x with that of y.

    The formula is then 1 - (2n - 1) / (2n) sum (x_i - y_i)^2 / sum (v - mean v)^2 over all 2n values v of n units. NaN
    where nobody varies.

    >>> alphas_of_pairs(np.array([[1.0, 2, 3]]), np.array([[1.0, 2, 4]])).round(12).tolist()
    [0.878048780488]
    >>> krippendorff_alpha([[1, 2, 3], [1, 2, 4]], "interval").value
    0.878048780488
    """
    n = x.shape[1]
    if not n:
        return np.full(len(x), np.nan)
    # scaled, lest squares overflow or vanish
    largest = np.maximum(np.abs(x).max(axis=1), np.abs(y).max(axis=1))[:, None]
    scale = np.where(largest > 0, largest, 1)
    x, y = x / scale, y / scale
    values = np.hstack([x, y])
    centred = values - values.mean(axis=1, keepdims=True)
    varies = np.abs(centred).max(axis=1) > 1e-9
    spread = np.where(varies, (centred**2).sum(axis=1), 1)
    return np.where(varies, 1 - (2 * n - 1) / (2 * n) * ((x - y) ** 2).sum(axis=1) / spread, np.nan)


@check_choices
def leave_one_coder_out(ratings: Ratings, distance: DistanceName = "nominal") -> tuple[Agreement, ...]:
    """Return alpha without each coder in turn: where it rises, that coder disagrees with the others.

    >>> found = leave_one_coder_out([[1, 2, 1, 2], [1, 2, 1, 2], [2, 1, 2, 1]])
    >>> [agreement.value for agreement in found]
    [-0.75, -0.75, 1.0]
    """
    codes, values = _encode(ratings, distance)
    return tuple(
        _Kinds.of(np.delete(codes, coder, axis=0), values, distance).agreement() for coder in range(len(codes))
    )


@check_choices
def leave_one_unit_out(ratings: Ratings, distance: DistanceName = "nominal") -> tuple[Agreement, ...]:
    """Return alpha without each unit in turn: where it rises, the coders disagree about that unit.

    >>> [agreement.value for agreement in leave_one_unit_out([[1, 2, 1], [1, 2, 2]])]
    [0.0, 0.0, 1.0]
    """
    codes, values = _encode(ratings, distance)
    kinds = _Kinds.of(codes, values, distance)
    if len(kinds.sizes) > _MOST_KINDS:
        raise ModelError(
            f"There are {len(kinds.sizes)} different units, but at most {_MOST_KINDS} can be left out in turn",
            do="round the values, or take fewer units",
        )
    whole = kinds.agreement()
    without = []
    for kind in range(len(kinds.sizes)):
        left = kinds.sizes.copy()
        left[kind] -= 1
        without.append(kinds.agreement(left))
    # a unit without two values counts nowhere: leaving it out changes only the number of those
    spare = replace(whole, left_out=whole.left_out - 1)
    return tuple(spare if kind == _MISSING else without[kind] for kind in kinds.kind_of_unit)


def cohen_kappa(first: Sequence[Any], second: Sequence[Any]) -> Agreement:
    """Return Cohen's kappa of two coders: chance is the product of each coder's own shares.

    Units that one of them did not judge are left out and counted.

    >>> cohen_kappa("yyyynnnnnn", "yyynynnnnn").value       # P_o = .8, P_e = .4 x .4 + .6 x .6
    0.583333333333
    """
    return _agreement_of_two(first, second, common=False)


def scott_pi(first: Sequence[Any], second: Sequence[Any]) -> Agreement:
    """Return Scott's pi of two coders: chance is the square of their common shares.

    >>> scott_pi("yyyynnnnnn", "yyyyyynnnn").value          # P_o = .8, P_e = .5 x .5 + .5 x .5
    0.6
    """
    return _agreement_of_two(first, second, common=True)


def _agreement_of_two(first: Sequence[Any], second: Sequence[Any], common: bool) -> Agreement:
    """Return the agreement of two coders; chance is by their ``common`` shares, or by each one's own."""
    codes, values = _encode([list(first), list(second)], "nominal")
    judged = codes[:, (codes != _MISSING).all(axis=0)]
    units, left_out = judged.shape[1], codes.shape[1] - judged.shape[1]
    if not units:
        return Agreement(None, "no unit was judged by both", 0, 0, left_out)
    first_shares, second_shares = (np.bincount(row, minlength=len(values)) / units for row in judged)
    chance = ((first_shares + second_shares) / 2) ** 2 if common else first_shares * second_shares
    return _kappa(float((judged[0] == judged[1]).mean()), float(chance.sum()), judged, values, left_out)


@dataclass(frozen=True, slots=True)
class NominalSums:
    r"""Nominal alpha and pairwise agreement of many groups of units at once, from counts of their values.

    With :math:`n_{uc}` values c of unit u, :math:`m_u \ge 2` values of it and n of all, nominal alpha is

    .. math:: \alpha = 1 - (n - 1) \frac{\sum_u (m_u^2 - \sum_c n_{uc}^2) / (m_u - 1)}{n^2 - \sum_c n_c^2},

    as :func:`krippendorff_alpha` has it, and the agreement is the share of equal pairs of values of one unit. Both are
    made of sums over units, so those of any set of groups are sums over groups, and a bootstrap over groups costs next
    to nothing.
    """

    values: Array
    """Groups x values: how often each value was given."""
    apart: Array
    """For each group, the sum over units of the ordered pairs that differ, divided by m - 1."""
    alike: Array
    """For each group, the number of pairs of equal values."""
    pairs: Array
    units: Array

    @classmethod
    def of(cls, counts: NDArray[Any], group: Codes, groups: int) -> NominalSums:
        """Sum up each group, from units x values and the group of each unit; units with one value are left out."""
        counts = counts.astype(np.float64)
        paired = counts.sum(axis=1) > 1
        counts, group = counts[paired], group[paired]
        m = counts.sum(axis=1)
        apart = m**2 - (counts**2).sum(axis=1)
        pairs = m * (m - 1) / 2

        def total(column: Array) -> Array:
            return np.bincount(group, column, groups).astype(np.float64)

        values = np.stack([total(column) for column in counts.T], axis=1)
        return cls(values, total(apart / (m - 1)), total(pairs - apart / 2), total(pairs), total(np.ones(len(m))))

    def drawn(self, times: NDArray[Any]) -> NominalSums:
        """Return the sums of sets of groups: draws x groups says how often each set has each group."""
        sums = (self.values, self.apart, self.alike, self.pairs, self.units)
        return NominalSums(*(times @ column for column in sums))

    @property
    def alphas(self) -> Array:
        """The alpha of each group; NaN where nobody varies, or nothing has two values."""
        n = self.values.sum(axis=1)
        chance = n**2 - (self.values**2).sum(axis=1)
        return 1 - ratios((n - 1) * self.apart, chance)

    @property
    def agreements(self) -> Array:
        """The share of equal pairs of each group; NaN without a pair."""
        return ratios(self.alike, self.pairs)


def _kappa(agreeing: float, chance: float, codes: Codes, values: Sequence[Any], left_out: int) -> Agreement:
    first = int(codes.flat[0])
    # with a single value chance always agrees: 0 / 0
    if (codes == first).all():
        return Agreement(None, _no_variation(values[first]), codes.shape[1], codes.size, left_out)
    return Agreement(round((agreeing - chance) / (1 - chance), 12), "", codes.shape[1], codes.size, left_out)


def _no_variation(value: Any) -> str:
    shown = value.item() if isinstance(value, np.generic) else value
    if isinstance(shown, float) and shown.is_integer():
        shown = int(shown)
    if isinstance(shown, Set):
        shown = "{" + ", ".join(sorted(map(str, shown))) + "}"
    return f"no variation: every value is {str(shown)[:80]}"


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Units with two values or more, grouped by their values."""

    codes: Codes
    """Kinds x values, each row sorted downwards, filled up with -1."""
    sizes: Array
    """The number of units of each kind."""
    kind_of_unit: Codes
    """The kind of each unit; -1 for those left out."""
    values: Sequence[Any]
    distance: Distance

    @classmethod
    def of(cls, codes: Codes, values: Sequence[Any], name: DistanceName) -> _Kinds:
        per_unit = -np.sort(-codes.T, axis=1)  # who gave a value does not matter
        pairable = (per_unit[:, 1] if per_unit.shape[1] > 1 else np.full(len(per_unit), _MISSING)) != _MISSING
        kind_of_unit = np.full(len(per_unit), _MISSING)
        kept = per_unit[pairable]
        width = int((kept != _MISSING).sum(axis=1).max(initial=0))
        kinds, which, sizes = _unique_rows(kept[:, :width], len(values))
        kind_of_unit[pairable] = which
        return cls(kinds, sizes.astype(np.float64), kind_of_unit, values, distance_of(name, values))

    def counts(self, sizes: Array) -> Array:
        """Return how often each value was given, with this number of units of each kind."""
        weights = np.repeat(sizes, self.codes.shape[1])
        return np.bincount(self.codes.ravel() + 1, weights, minlength=len(self.values) + 1)[1:].astype(np.float64)

    def observed(self, counts: Array) -> Array:
        """Return, for each kind, the sum of delta over its ordered pairs of values, divided by m - 1."""
        kinds, width = self.codes.shape
        m = (self.codes != _MISSING).sum(axis=1)
        distances = np.zeros(kinds)
        # loop over whichever is shorter: kinds, or pairs of places in a kind
        if width * width > 2 * kinds:
            for kind in range(kinds):
                given, times = np.unique(self.codes[kind, : m[kind]], return_counts=True)
                distances[kind] = times @ self.distance.between(given[:, None], given[None, :], counts) @ times
        else:
            for j in range(1, width):
                there = self.codes[:, j] != _MISSING
                later = self.codes[there, j]
                for i in range(j):
                    distances[there] += 2 * self.distance.between(self.codes[there, i], later, counts)
        by_kind: Array = distances / np.maximum(m - 1, 1)
        return by_kind

    def alpha(self, sizes: Array) -> float | None:
        """Return alpha with this number of units of each kind."""
        counts = self.counts(sizes)
        # a single value never disagrees: 0 / 0
        if (counts > 0).sum() < 2:
            return None
        expected = float(self.distance.total(counts))
        return float(1 - (counts.sum() - 1) * (sizes @ self.observed(counts)) / expected) if expected > 0 else None

    def agreement(self, sizes: Array | None = None) -> Agreement:
        """Return alpha of the units, or with this number of units of each kind, and its counts."""
        sizes = self.sizes if sizes is None else sizes
        counts = self.counts(sizes)
        units, given = int(sizes.sum()), int(counts.sum())
        left_out = int((self.kind_of_unit == _MISSING).sum())
        if not units:
            return Agreement(None, "no unit has two values", 0, 0, left_out)
        value = self.alpha(sizes)
        if value is None:
            return Agreement(None, _no_variation(self.values[int(counts.argmax())]), units, given, left_out)
        return Agreement(round(value, 12) + 0.0, "", units, given, left_out)

    def interval(
        self, groups: Sequence[Hashable] | None, samples: int, confidence: float, seed: int
    ) -> Interval | None:
        """Return percentiles of alpha over draws of units, or of groups."""
        if not 0 < confidence < 1:
            raise ModelError(f"The confidence is {confidence}", do="give a share between 0 and 1")
        random = np.random.default_rng(seed)
        members = None if groups is None else self._members(groups)
        drawn = self.sizes if members is None else np.ones(members.shape[0])
        n = int(drawn.sum())
        if n < FEWEST:
            return None
        blocks: list[Array] = []
        step = max(1, _CELLS // max(len(drawn), *self.codes.shape, len(self.values)))
        for start in range(0, samples, step):
            times = random.multinomial(n, drawn / n, size=min(step, samples - start)).astype(np.float64)
            blocks.append(self._alphas(times if members is None else times @ members))
        return percentiles(self.alpha(self.sizes), np.concatenate(blocks), confidence)

    def _alphas(self, sizes: Array) -> Array:
        """Return alpha for each row of sizes; NaN where it is undefined."""
        # distances change from draw to draw, so nothing is computed for all draws at once
        if self.distance.depends_on_counts:
            return np.array([np.nan if value is None else value for value in map(self.alpha, sizes)])
        kinds, width = self.codes.shape
        there = self.codes.ravel() != _MISSING
        given = np.repeat(np.arange(kinds), width)[there], self.codes.ravel()[there]
        values = csr_array((np.ones(int(there.sum())), given), shape=(kinds, len(self.values)))
        counts: Array = sizes @ values
        observed = sizes @ self.observed(self.counts(self.sizes))
        expected = self.distance.total(counts)
        defined = ((counts > 0).sum(axis=1) > 1) & (expected > 0)
        return 1 - ratios((counts.sum(axis=1) - 1) * observed, expected, where=defined)

    def _members(self, groups: Sequence[Hashable]) -> csr_array:
        """Count the units of each kind (columns) in each group (rows); neither names nor the order of units matter."""
        if len(groups) != len(self.kind_of_unit):
            raise ModelError(
                f"{len(groups)} groups are given for {len(self.kind_of_unit)} units", do="give one group for each unit"
            )
        kinds_of: dict[Hashable, list[int]] = {}
        for group, kind in zip(groups, self.kind_of_unit.tolist(), strict=True):
            if kind != _MISSING:
                kinds_of.setdefault(group, []).append(kind)
        ordered = sorted(sorted(kinds) for kinds in kinds_of.values())
        rows = np.repeat(np.arange(len(ordered)), [len(kinds) for kinds in ordered])
        columns = [kind for kinds in ordered for kind in kinds]
        return csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(ordered), len(self.sizes)))


def _unique_rows(rows: Codes, values: int) -> tuple[Codes, Codes, NDArray[np.intp]]:
    """Return the distinct rows, which of them each row is, and how many there are of each."""
    width = rows.shape[1]
    if width and (values + 1) ** width < 2**62:  # a row is one number: far faster to sort
        keys = (rows + 1) @ ((values + 1) ** np.arange(width, dtype=np.int64)[::-1])
        _, first, which, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        return rows[first], which, sizes
    kinds, which, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return kinds, which.reshape(-1), sizes


# Values to codes


def _encode(ratings: Ratings, distance: DistanceName) -> tuple[Codes, Sequence[Any]]:
    """Return coders x units of codes, -1 where a value is missing, and the values that they stand for, in order."""
    numbers = _numbers(ratings)
    if numbers is not None and distance != "masi":
        return _encode_numbers(numbers)
    if distance not in ("nominal", "masi"):
        raise ModelError(f"The distance {distance!r} takes numbers only", do="give a number, None or NaN in every cell")
    rows = [list(row) for row in _rows(ratings)]
    if not rows or len({len(row) for row in rows}) != 1:
        raise _no_matrix()
    try:
        cells = [[None if _is_missing(cell) else _freeze(cell, distance) for cell in row] for row in rows]
        distinct = sorted({cell for row in cells for cell in row if cell is not None}, key=_order)
    except TypeError:
        raise ModelError(
            f"A value cannot be used with the distance {distance!r}",
            do="give sets" if distance == "masi" else "give numbers or words",
        ) from None
    code = {cell: number for number, cell in enumerate(distinct)}
    codes = [[_MISSING if cell is None else code[cell] for cell in row] for row in cells]
    return np.asarray(codes, dtype=np.intp).reshape(len(rows), -1), distinct


def _numbers(ratings: Ratings) -> Array | None:
    """Return the ratings as numbers, or nothing where they are not."""
    try:
        array = np.asarray(ratings)
        if array.dtype.kind in "USM" or (
            array.dtype.kind == "O" and any(isinstance(cell, str | bytes) for cell in array.ravel())
        ):
            return None
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def _encode_numbers(numbers: Array) -> tuple[Codes, Sequence[Any]]:
    if numbers.ndim != 2:
        raise _no_matrix()
    if np.isinf(numbers).any():
        raise ModelError("A value is infinite", do="leave it out: NaN marks a missing value")
    there = ~np.isnan(numbers)
    values, which = np.unique(numbers[there], return_inverse=True)
    codes = np.full(numbers.shape, _MISSING, dtype=np.intp)
    codes[there] = which
    return codes, values.tolist()


def _rows(ratings: Any) -> Any:
    if not isinstance(ratings, Sequence | np.ndarray) or isinstance(ratings, str):
        raise _no_matrix()
    return ratings


def _no_matrix() -> ModelError:
    return ModelError("The ratings are not a matrix", do="give a row per coder, each with a value or None per unit")


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def _freeze(cell: Any, distance: DistanceName) -> Any:
    if distance != "masi":
        return cell
    if not isinstance(cell, Set | list | tuple):
        raise TypeError
    return frozenset(cell)


def _order(cell: Any) -> tuple[str, str]:
    """Return an order of any values that is the same in every run."""
    shown = repr(sorted(map(repr, cell))) if isinstance(cell, Set) else repr(cell)
    return type(cell).__name__, shown
