"""Correlations by hand, against scipy, and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats.correlation import (
    Correlation,
    Statistic,
    correlation,
    correlation_interval,
    kendall,
    pearson,
    spearman,
)
from pyramidion.stats.levels import summary_level, system_level

STATISTICS: tuple[Statistic, ...] = ("pearson", "spearman", "kendall")
few = st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), max_size=12)


def test_pearson_by_hand() -> None:
    # x - 2 = (-1, 0, 1), y - 3 = (-2, 1, 1): 3 / sqrt(2 * 6)
    assert pearson([1, 2, 3], [1, 4, 4]) == pytest.approx(3 / math.sqrt(12))


def test_spearman_by_hand() -> None:
    # ranks 1 2 3 4 and 1 2.5 2.5 4: centred products 2.25 + 0 + 0 + 2.25, squares 5 and 4.5
    assert spearman([1, 2, 3, 9], [0, 5, 5, 6]) == pytest.approx(4.5 / math.sqrt(5 * 4.5))


def test_kendall_by_hand() -> None:
    # six pairs, one tied in y, the others alike: 5 / sqrt(6 * 5)
    assert kendall([1, 2, 3, 9], [0, 5, 5, 6]) == pytest.approx(5 / math.sqrt(30))


@pytest.mark.parametrize("statistic", STATISTICS)
@given(pairs=few)
def test_they_agree_with_scipy(statistic: Statistic, pairs: list[tuple[int, int]]) -> None:
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[statistic]
    found = correlation(x, y, statistic)
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert found is None
    else:
        assert found == pytest.approx(float(theirs(x, y).statistic), abs=1e-9)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([1, 2], [3, 3]), ([0, 0, 0], [1, 2, 3])])
def test_what_is_undefined_is_none(statistic: Statistic, x: list[float], y: list[float]) -> None:
    assert correlation(x, y, statistic) is None
    assert correlation_interval(x, y, statistic) == Correlation(None, None, len(x))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_last_digits_are_no_variation(statistic: Statistic) -> None:
    tenth = [0.1 + 0.2, 0.3, 0.3]
    assert len(set(tenth)) == 2
    assert correlation([1, 2, 3], tenth, statistic) is None
    assert correlation([1, 2, 3, 4], [*tenth, 1], "kendall") == kendall([1, 2, 3, 4], [0, 0, 0, 1])
    assert correlation([1, 2, 3, 4], [*tenth, 1], "spearman") == spearman([1, 2, 3, 4], [0, 0, 0, 1])


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_neither_tiny_nor_huge_numbers_break_them(statistic: Statistic, scale: float) -> None:
    x, y = np.array([1, 2, 4, 3.0]), [1, 3, 4, 2]
    assert correlation(x * scale, y, statistic) == pytest.approx(correlation(x, y, statistic))


@pytest.mark.parametrize(
    ("x", "y", "what"),
    [
        ([1, 2], [1], "are not pairs"),
        ([1, math.nan], [1, 2], "not a finite number"),
        ([1, math.inf], [1, 2], "not a finite number"),
        ([[1, 2]], [[1, 2]], "are not pairs"),
        (["a", "b"], [1, 2], "not an array of numbers"),
    ],
)
def test_wrong_values_are_an_error(x: list[float], y: list[float], what: str) -> None:
    with pytest.raises(ModelError, match=what):
        pearson(x, y)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_same_pairs_in_any_order_have_the_same_interval(statistic: Statistic) -> None:
    x, y = [1, 5, 2, 4, 3, 9, 7], [2, 4, 1, 5, 3, 6, 9]
    one = correlation_interval(x, y, statistic)
    assert one == correlation_interval(x[::-1], y[::-1], statistic)
    assert one.interval
    assert one.value is not None
    assert one.interval.low < one.value < one.interval.high


def test_more_confidence_is_a_wider_interval() -> None:
    x, y = [1, 5, 2, 4, 3, 9, 7], [2, 4, 1, 5, 3, 6, 9]
    narrow, wide = (correlation_interval(x, y, confidence=share).interval for share in (0.5, 0.99))
    assert narrow
    assert wide
    assert wide.low < narrow.low < narrow.high < wide.high <= 1


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(7)
    held = 0
    for _ in range(200):
        x = random.normal(size=20)
        y = 0.6 * x + 0.8 * random.normal(size=20)
        interval = correlation_interval(x, y, samples=400).interval
        assert interval
        held += interval.low <= 0.6 <= interval.high
    assert 0.88 <= held / 200 <= 0.99


@given(pairs=few, statistic=st.sampled_from(STATISTICS))
def test_an_interval_is_ordered_and_within_bounds(pairs: list[tuple[int, int]], statistic: Statistic) -> None:
    found = correlation_interval([a for a, _ in pairs], [b for _, b in pairs], statistic, samples=50)
    if found.interval:
        assert -1 <= found.interval.low <= found.interval.high <= 1


HUMAN = [[0.1, 0.5, 0.9], [0.2, 0.2, 0.8], [0.4, 0.4, 0.4]]
METRIC = [[1, 2, 3], [1, 3, 2], [1, 2, 3]]


def test_summary_level_is_the_mean_over_documents_where_it_is_defined() -> None:
    first, second = pearson(HUMAN[0], METRIC[0]), pearson(HUMAN[1], METRIC[1])
    found = summary_level(HUMAN, METRIC)
    assert first == 1
    assert second == 0
    assert (found.value, found.n, found.undefined, found.interval) == (0.5, 2, 1, None)
    more = summary_level(HUMAN * 3, METRIC * 3)
    assert (more.value, more.n, more.undefined) == (0.5, 6, 3)
    assert more.interval == pytest.approx((1 / 6, 5 / 6))  # one and five of six draws, the 2.5th and 97.5th percentile


@pytest.mark.parametrize("statistic", STATISTICS)
def test_system_level_is_the_correlation_of_means(statistic: Statistic) -> None:
    means = np.mean(HUMAN, axis=0), np.mean(METRIC, axis=0)
    found = system_level(HUMAN, METRIC, statistic)
    assert found.value == pytest.approx(correlation(*means, statistic))
    assert found.n == 3


def test_levels_do_not_depend_on_the_order_of_documents_or_systems_in_value() -> None:
    turned = [row[::-1] for row in HUMAN[::-1]], [row[::-1] for row in METRIC[::-1]]
    assert system_level(*turned).value == system_level(HUMAN, METRIC).value
    assert summary_level(*turned) == summary_level(HUMAN, METRIC)


def test_a_missing_summary_counts_on_neither_side() -> None:
    human, metric = [[1, 2, 3, 99.0], [1, 2, 3, 4]], [[1.0, 2.0, 3.0, math.nan], [1.0, 2.0, 3.0, 4.0]]
    assert summary_level(human, metric).value == 1
    assert system_level(human, metric).value == 1


def test_what_cannot_be_compared_is_an_error() -> None:
    with pytest.raises(ModelError, match="cannot be compared"):
        summary_level([[1, 2]], [[1, 2, 3]])
    with pytest.raises(ModelError, match="infinite"):
        system_level([[1, math.inf]], [[1, 2]])
    with pytest.raises(ModelError, match="System 2 of 2 has no document"):
        system_level([[1, math.nan], [2, 3]], [[1, 2], [2, math.nan]])


def test_one_document_has_no_interval() -> None:
    assert system_level([[1, 2, 3]], [[1, 3, 2]]) == Correlation(0.5, None, 1)
    assert summary_level([[1, 2, 3]], [[1, 3, 2]]) == Correlation(0.5, None, 1)
