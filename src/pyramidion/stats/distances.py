r"""How far apart are two judgements? The distances of Krippendorff's alpha.

A distance answers two questions about the distinct values 0..V-1 of a data set: delta of pairs of values, and the total
:math:`\sum_b \sum_c n_b n_c \delta_{bc}` where value b was given n_b times.

========  ==================================================================  =============================
nominal   1, or 0 for equal values                                            categories
ordinal   (r_b - r_c)^2, r the mean rank of a value among all values given    ranks, grades
interval  (b - c)^2                                                           temperatures, scores
ratio     ((b - c) / (b + c))^2                                               lengths, amounts
dice      1 - 2 min(b, c) / (b + c) = abs(b - c) / (b + c)                    how often an SCU was found
masi      1 - J M                                                             sets, such as the SCUs found
========  ==================================================================  =============================

Ordinal is Krippendorff's :math:`(\sum_{g=b}^{c} n_g - (n_b + n_c) / 2)^2`: the sum is what lies between the mean ranks.
Dice is that of Nenkova et al. 2007 §4.1.2: a = min(b, c) instances that both find, and the rest by one of them only, so
that 2 a / (2 a + b + c) compares counts. It is taken as it is, not squared: two and three instances differ by .2. In
masi (Passonneau 2006) J is Jaccard's coefficient and M is 1 for equal sets, 2/3 if one contains the other, 1/3 if they
overlap and 0 if not. Two empty sets, and two counts of 0, are equal.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.stats.ratios import ratios

DistanceName = Literal["nominal", "ordinal", "interval", "ratio", "dice", "masi"]
DISTANCES: tuple[DistanceName, ...] = get_args(DistanceName)

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

_LARGEST_TABLE = 5000
"""The most distinct values for which a distance is kept as a table."""


class Distance(Protocol):
    """A distance over the values 0..V-1 of one data set."""

    depends_on_counts: bool
    """True if delta itself changes with how often the values were given."""

    def between(self, first: Codes, second: Codes, counts: Array) -> Array:
        """Return delta of pairs of values."""

    def total(self, counts: Array) -> Array:
        """Return the sum of delta over all pairs of values, in both orders; one sum for each row of counts."""


def dice(first: float, second: float) -> float:
    """Return 1 - Dice of two counts (Nenkova et al. 2007 §4.1.2).

    >>> dice(2, 3)
    0.2
    >>> dice(0, 3), dice(0, 0)
    (1.0, 0.0)
    """
    return abs(first - second) / (first + second) if first + second else 0.0


def masi(first: Set[Any], second: Set[Any]) -> float:
    """Return 1 - MASI of two sets (Passonneau 2006).

    >>> round(masi({1, 2}, {1, 2, 3}), 4)       # J = 2/3, one contains the other
    0.5556
    >>> masi({1}, {2}), masi(set(), set())
    (1.0, 0.0)
    """
    if first == second:
        return 0.0
    common = len(first & second)
    if not common:
        return 1.0
    monotone = 2 / 3 if first <= second or second <= first else 1 / 3
    return 1 - monotone * common / len(first | second)


@check_choices
def distance_of(name: DistanceName, values: Sequence[Any]) -> Distance:
    """Return the distance of that name over the distinct values of a data set, in order where they have one."""
    if name == "nominal":
        return _Nominal()
    if name == "ordinal":
        return _Ordinal()
    if name == "masi":
        return _Table(_table_of_sets(values))
    numbers = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(numbers).max(initial=0))
    scaled = numbers / largest if largest else numbers  # no distance here needs a unit; squares must not overflow
    if name == "interval":
        return _Interval(_centred(scaled))
    if numbers.min(initial=0) < 0:
        raise ModelError(f"The distance {name!r} takes no negative value, such as {numbers.min():g}", do="use interval")
    _check_size(len(numbers), name)
    sums = scaled[:, None] + scaled
    shares = ratios(np.abs(scaled[:, None] - scaled), sums, 0.0)
    return _Table(shares**2 if name == "ratio" else shares)


def _centred(numbers: Array) -> Array:
    """Return the numbers minus their mean, scaled to lie from -1 to 1, where rounding errors are smallest."""
    centred: Array = numbers - (numbers.mean() if len(numbers) else 0)
    spread = np.abs(centred).max(initial=0)
    return centred / spread if spread else centred


def _check_size(distinct: int, name: str) -> None:
    if distinct > _LARGEST_TABLE:
        raise ModelError(
            f"{distinct} distinct values are too many for the distance {name!r}, which takes {_LARGEST_TABLE}",
            do="take fewer topics or dice" if name == "masi" else "round the values, or use interval",
        )


def _table_of_sets(values: Sequence[Any]) -> Array:
    """Compute :func:`masi` of all pairs at once."""
    _check_size(len(values), "masi")
    place: dict[Any, int] = {}
    for members in values:
        for member in members:
            place.setdefault(member, len(place))
    sizes = np.asarray([len(value) for value in values], dtype=np.float64)
    columns = [place[member] for value in values for member in value]
    rows = np.repeat(np.arange(len(values)), sizes.astype(np.intp))
    incidence = csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(values), max(1, len(place))))
    common = (incidence @ incidence.T).toarray()
    contained = common == np.minimum(sizes[:, None], sizes)
    unions = sizes[:, None] + sizes - common
    table: Array = 1 - np.where(contained, 2 / 3, 1 / 3) * ratios(common, unions, 0.0)
    # equal sets are at no distance, two empty ones included
    np.fill_diagonal(table, 0)
    return table


class _Nominal:
    depends_on_counts = False

    def between(self, first: Codes, second: Codes, counts: Array) -> Array:
        return np.asarray(first != second, dtype=np.float64)

    def total(self, counts: Array) -> Array:
        return np.asarray(counts.sum(axis=-1) ** 2 - (counts**2).sum(axis=-1))


def _squares(positions: Array, counts: Array) -> Array:
    """Return the sum of counts_b counts_c (b - c)^2."""
    return np.asarray(2 * (counts.sum(axis=-1) * (counts @ positions**2) - (counts @ positions) ** 2))


@dataclass(frozen=True, slots=True)
class _Interval:
    positions: Array
    depends_on_counts = False

    def between(self, first: Codes, second: Codes, counts: Array) -> Array:
        differences: Array = self.positions[first] - self.positions[second]
        return differences**2

    def total(self, counts: Array) -> Array:
        return _squares(self.positions, counts)


class _Ordinal:
    depends_on_counts = True

    @staticmethod
    def _ranks(counts: Array) -> Array:
        ranks: Array = (np.cumsum(counts) - counts / 2) / counts.sum() - 0.5
        return ranks

    def between(self, first: Codes, second: Codes, counts: Array) -> Array:
        ranks = self._ranks(counts)
        differences: Array = ranks[first] - ranks[second]
        return differences**2

    def total(self, counts: Array) -> Array:
        return _squares(self._ranks(counts), counts)


@dataclass(frozen=True, slots=True)
class _Table:
    table: Array
    depends_on_counts = False

    def between(self, first: Codes, second: Codes, counts: Array) -> Array:
        return self.table[first, second]

    def total(self, counts: Array) -> Array:
        return np.asarray((counts @ self.table * counts).sum(axis=-1))
