"""Agreement against published worked examples, hand arithmetic and the definition, done slowly."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import isclose, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import ModelError
from pyramidion.stats.agreement import (
    Agreement,
    NominalSums,
    cohen_kappa,
    krippendorff_alpha,
    leave_one_coder_out,
    leave_one_unit_out,
    scott_pi,
)
from pyramidion.stats.distances import DISTANCES, DistanceName, dice, distance_of, masi
from tests.operations import steps

NUMERIC: tuple[DistanceName, ...] = ("nominal", "ordinal", "interval", "ratio", "dice")
Matrix = list[list[int | None]]


@st.composite
def matrices(draw: st.DrawFn, values: int = 4) -> Matrix:
    coders, units = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    cell = st.none() | st.integers(0, values)
    return [draw(st.lists(cell, min_size=units, max_size=units)) for _ in range(coders)]


def delta(name: DistanceName, b: int, c: int, given: Counter[int]) -> float:
    """The definition, word for word."""
    match name:
        case "nominal":
            return float(b != c)
        case "ordinal":
            low, high = min(b, c), max(b, c)
            return (sum(given[g] for g in range(low, high + 1)) - (given[low] + given[high]) / 2) ** 2
        case "interval":
            return (b - c) ** 2
        case "ratio":
            return ((b - c) / (b + c)) ** 2 if b + c else 0
        case _:
            return dice(b, c)


def slow_alpha(matrix: Matrix, name: DistanceName) -> float | None:
    units = [[value for value in column if value is not None] for column in zip(*matrix, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    given = Counter(value for unit in units for value in unit)
    if len(given) < 2:
        return None
    n = given.total()
    observed = sum(
        delta(name, unit[i], unit[j], given) / (len(unit) - 1)
        for unit in units
        for i, j in permutations(range(len(unit)), 2)
    )
    expected = sum(given[b] * given[c] * delta(name, b, c, given) for b in given for c in given)
    return 1 - (n - 1) * observed / expected


@pytest.mark.parametrize("name", NUMERIC)
@given(matrix=matrices())
def test_equals_the_definition(name: DistanceName, matrix: Matrix) -> None:
    found, expected = krippendorff_alpha(matrix, name), slow_alpha(matrix, name)
    if expected is None or found.value is None:
        assert found.value is expected is None
        assert found.reason
    else:
        assert isclose(found.value, expected, abs_tol=1e-9)
        assert not found.reason


@pytest.mark.parametrize("name", NUMERIC)
@given(matrix=matrices(), seed=st.integers(0, 99))
def test_neither_the_order_of_coders_nor_of_units_matters(name: DistanceName, matrix: Matrix, seed: int) -> None:
    random = np.random.default_rng(seed)
    array = np.asarray(matrix, dtype=float)
    coders, units = random.permutation(array.shape[0]), random.permutation(array.shape[1])
    groups = [unit // 2 for unit in range(array.shape[1])]
    whole = krippendorff_alpha(array, name, groups=groups, samples=20)
    moved = krippendorff_alpha(array[coders][:, units], name, groups=[groups[unit] for unit in units], samples=20)
    assert whole == moved
    assert krippendorff_alpha(array, name, samples=20) == krippendorff_alpha(array[coders][:, units], name, samples=20)


@given(matrix=matrices())
def test_leaving_out_is_computing_without(matrix: Matrix) -> None:
    without_units = leave_one_unit_out(matrix, "ordinal")
    assert len(without_units) == len(matrix[0])
    for unit, found in enumerate(without_units):
        rest = [row[:unit] + row[unit + 1 :] for row in matrix]
        if rest[0]:
            assert found == krippendorff_alpha(rest, "ordinal")
    if len(matrix) > 1:
        for coder, found in enumerate(leave_one_coder_out(matrix, "dice")):
            assert found == krippendorff_alpha(matrix[:coder] + matrix[coder + 1 :], "dice")


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=20))
def test_two_coders_and_two_values_tie_the_coefficients_together(pairs: list[tuple[int, int]]) -> None:
    one, other = [list(row) for row in zip(*pairs, strict=True)]
    pi, alpha = scott_pi(one, other), krippendorff_alpha([one, other])
    if pi.value is None:
        assert alpha.value is None
        return
    # alpha is pi with a correction for small samples: 1 - alpha = (1 - pi) (2 u - 1) / (2 u)
    assert alpha.value is not None
    assert isclose(1 - alpha.value, (1 - pi.value) * (2 * len(pairs) - 1) / (2 * len(pairs)), abs_tol=1e-9)
    kappa = cohen_kappa(one, other).value
    assert kappa is not None
    assert kappa >= pi.value - 1e-9


@given(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
def test_the_table_of_sets_is_masi(one: set[int], other: set[int]) -> None:
    assert masi(one, other) == masi(other, one)
    values = [frozenset(one), frozenset(other)] if one != other else [frozenset(one)]
    table = distance_of("masi", values)
    code = np.asarray([0]), np.asarray([len(values) - 1])
    assert isclose(float(table.between(*code, np.ones(len(values)))[0]), masi(one, other), abs_tol=1e-12)


def test_masi_by_hand() -> None:
    assert masi({1, 2, 3}, {1, 2}) == pytest.approx(1 - 2 / 3 * 2 / 3)
    assert masi({1, 2}, {2, 3}) == pytest.approx(1 - 1 / 3 * 1 / 3)
    assert masi({1}, set()) == 1
    # two units {1},{1} and {1},{1,2}: J M = 1/2 x 2/3, so delta = 2/3; n = 4, of which three are {1}
    found = krippendorff_alpha([[{1}, {1}], [{1}, {1, 2}]], "masi")
    assert found.value == pytest.approx(1 - 3 * (2 * 2 / 3) / (2 * 3 * 2 / 3))


def test_many_coders_of_few_units() -> None:
    # the other way of counting pairs: wide units, few kinds
    random = np.random.default_rng(3)
    array = random.integers(0, 3, (40, 3))
    found = krippendorff_alpha(array, "interval")
    assert found.value == pytest.approx(slow_alpha(array.tolist(), "interval"))


def test_cohen_with_unequal_coders_by_hand() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: P_o = .7, P_e = .5 x .6 + .5 x .4 = .5
    one, other = "y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    assert cohen_kappa(one, other).value == pytest.approx(0.4)
    # common shares .55 and .45: P_e = .505
    assert scott_pi(one, other).value == pytest.approx((0.7 - 0.505) / 0.495)


def test_missing_values_are_left_out_and_counted() -> None:
    assert cohen_kappa([1, 0, None, 1], [1, 0, 1, nan]) == Agreement(1.0, "", 2, 4, 2)
    assert krippendorff_alpha([["a", "b", None], ["a", "b", "b"]]) == Agreement(1.0, "", 2, 4, 1)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (krippendorff_alpha([[1, 2, 3]]), "no unit has two values"),
        (krippendorff_alpha([[1, None], [None, 2]], samples=100), "no unit has two values"),
        (krippendorff_alpha([[0, 0, 5], [0, 0, None]], "dice", samples=100), "no variation: every value is 0"),
        (krippendorff_alpha([[{"b", "a"}], [{"a", "b"}]], "masi"), "no variation: every value is {a, b}"),
        (cohen_kappa("aa", "aa"), "no variation: every value is a"),
        (scott_pi([1, None], [None, 1]), "no unit was judged by both"),
    ],
)
def test_what_is_undefined_says_why(found: Agreement, reason: str) -> None:
    assert found.value is None
    assert found.interval is None
    assert found.reason == reason


@pytest.mark.parametrize(
    ("ratings", "distance", "message"),
    [
        ([[1, 2], [1]], "nominal", "not a matrix"),
        ([1, 2], "interval", "not a matrix"),
        ([["a"], ["b"]], "interval", "takes numbers only"),
        ([[1, float("inf")], [1, 2]], "interval", "infinite"),
        ([[1, -2], [1, 2]], "ratio", "no negative value"),
        ([[1, 2], [1, 2]], "masi", "give sets"),
        ([list(range(6000))] * 2, "dice", "too many"),
        (7, "masi", "not a matrix"),
    ],
)
def test_what_cannot_be_compared(ratings: Any, distance: DistanceName, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        krippendorff_alpha(ratings, distance)


def test_too_few_groups_and_a_wrong_number_of_them() -> None:
    matrix = [[1, 2, 1, 2], [1, 2, 2, 2]]
    assert krippendorff_alpha(matrix, groups="aaaa", samples=100).interval is None
    with pytest.raises(ModelError, match="3 groups are given for 4 units"):
        krippendorff_alpha(matrix, groups="aab", samples=100)
    with pytest.raises(ModelError, match="confidence"):
        krippendorff_alpha(matrix, samples=100, confidence=1)


@pytest.mark.parametrize("name", NUMERIC)
def test_the_interval_holds_the_truth_about_as_often_as_it_says(name: DistanceName) -> None:
    def coders(units: int, random: np.random.Generator) -> np.ndarray[Any, Any]:
        truth = random.integers(0, 4, units)
        return np.where(random.random((3, units)) < 0.3, random.integers(0, 4, (3, units)), truth)

    true = krippendorff_alpha(coders(100_000, np.random.default_rng(1)), name).value
    assert true is not None
    held = 0
    for seed in range(60):
        interval = krippendorff_alpha(coders(60, np.random.default_rng(seed)), name, samples=200).interval
        assert interval is not None
        held += interval.low <= true <= interval.high
    assert held >= 50  # of 57 expected


def test_the_interval_is_from_the_2_5th_to_the_97_5th_percentile() -> None:
    """Of 40 units half are (0, 0), half (0, 1). With D of the latter in a draw, alpha is 1 - 79 / (80 - D).

    There are then D ones and 80 - D zeros, and D units disagree: 1 - 79 x 2 D / (2 D (80 - D)). D is binomial with n =
    40 and 1/2: at most 13 in 1.9 % of draws, at most 14 in 4.0 %; at most 25 in 96.0 %, at most 26 in 98.1 %. Hence its
    2.5th and 97.5th percentiles are 14 and 26 (the 10th and the 90th 16 and 24).
    """
    ratings = [[0] * 40, [0, 1] * 20]
    found = krippendorff_alpha(ratings, samples=4000)
    assert found.value == pytest.approx(1 - 79 / 60)
    assert found.interval == pytest.approx((1 - 79 / (80 - 26), 1 - 79 / (80 - 14)))
    eighty = krippendorff_alpha(ratings, samples=4000, confidence=0.8)
    assert eighty.interval == pytest.approx((1 - 79 / (80 - 24), 1 - 79 / (80 - 16)))


def test_groups_widen_the_interval_of_dependent_units() -> None:
    random = np.random.default_rng(0)
    careless = np.repeat(random.random(30) < 0.3, 10)  # in such a summary the second coder guesses
    one = random.integers(0, 2, 300)
    other = np.where(careless, random.integers(0, 2, 300), one)
    alone = krippendorff_alpha([one, other], samples=500).interval
    together = krippendorff_alpha([one, other], groups=[unit // 10 for unit in range(300)], samples=500).interval
    assert alone is not None
    assert together is not None
    assert together.high - together.low > 1.3 * (alone.high - alone.low)


@pytest.mark.parametrize("name", [name for name in DISTANCES if name != "masi"])
def test_a_hundred_thousand_units_of_five_coders_take_no_more_steps_than_a_thousand(name: DistanceName) -> None:
    random = np.random.default_rng(0)
    array = random.integers(0, 5, (5, 100_000)).astype(float)
    array[random.random(array.shape) < 0.1] = nan
    assert krippendorff_alpha(array, name).value == pytest.approx(0, abs=0.01)
    few = steps(lambda: krippendorff_alpha(array[:, :1000], name))
    assert steps(lambda: krippendorff_alpha(array, name)) == few


@given(st.lists(matrices(values=2), min_size=1, max_size=3))
def test_sums_of_counts_give_the_same_alpha_for_each_group_and_for_all(parts: list[Matrix]) -> None:
    columns = [(group, column) for group, part in enumerate(parts) for column in zip(*part, strict=True)]
    counts = np.array([[column.count(value) for value in range(3)] for _, column in columns])
    sums = NominalSums.of(counts, np.array([group for group, _ in columns]), len(parts))
    most = max(len(column) for _, column in columns)
    filled = [[*column, *[None] * (most - len(column))] for _, column in columns]
    whole = krippendorff_alpha([list(row) for row in zip(*filled, strict=True)])
    expected = [*(krippendorff_alpha(part) for part in parts), whole]
    both = [*sums.alphas, *sums.drawn(np.ones((1, len(parts)))).alphas]
    for alpha, agreement in zip(both, expected, strict=True):
        assert np.isnan(alpha) if agreement.value is None else isclose(alpha, agreement.value, abs_tol=1e-9)
    assert sums.units.tolist() == [agreement.units for agreement in expected[:-1]]


def test_the_share_of_equal_pairs_is_that_of_each_group() -> None:
    sums = NominalSums.of(np.array([[2, 1], [3, 0], [1, 0]]), np.array([0, 0, 1]), 2)
    assert sums.agreements[0] == pytest.approx(4 / 6)  # one of three pairs, and three of three
    assert np.isnan(sums.agreements[1])
