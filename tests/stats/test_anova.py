"""One-way analysis of variance, against worked figures and scipy."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from scipy.stats import f_oneway

from pyramidion.errors import ModelError
from pyramidion.stats.anova import one_way

observations = st.lists(st.integers(-1000, 1000).map(lambda number: number / 1000), min_size=1, max_size=8)
groupings = st.lists(observations, min_size=2, max_size=6)


def test_sums_of_squares_by_hand() -> None:
    found = one_way([[1, 2, 3], [2, 3, 4], [6, 7, 8]])
    # means 2, 3, 7 about 4: between 3 (4 + 1 + 9) = 42, within 3 x 2 = 6
    assert (found.df_between, found.df_within) == (2, 6)
    assert found.f == pytest.approx((42 / 2) / (6 / 6))
    assert found.eta_squared == pytest.approx(42 / 48)
    assert found.p == pytest.approx(f_distribution.sf(21, 2, 6))


def test_the_degrees_of_freedom_of_gao_2019_table_5() -> None:
    cells = [(a, b, p) for a in range(5) for b in range(5) for p in range(12)]
    values = {cell: (cell[1] * 7 + cell[2] * 3 + cell[0]) % 11 / 11 for cell in cells}
    for factor, df in ((0, 4), (1, 4), (2, 11)):
        levels = sorted({cell[factor] for cell in cells})
        found = one_way([[values[cell] for cell in cells if cell[factor] == level] for level in levels])
        assert (found.df_between, found.df_within) == (df, 300 - 1 - df)


@given(groupings)
def test_equals_scipy(groups: list[list[float]]) -> None:
    assume(any(len(set(group)) > 1 for group in groups))
    found, theirs = one_way(groups), f_oneway(*groups)
    assert found.f is not None
    assert found.p is not None
    assert isclose(found.f, theirs.statistic, rel_tol=1e-7, abs_tol=1e-9)
    # where F is 0, rounding can take scipy's below it, and its p is then NaN
    p = theirs.pvalue if theirs.statistic >= 0 else 1
    assert isclose(found.p, p, rel_tol=1e-6, abs_tol=1e-9)
    assert found.eta_squared is not None
    assert -1e-12 <= found.eta_squared <= 1


@given(groupings, st.integers(-5, 5), st.integers(1, 9))
def test_neither_origin_nor_scale_nor_order_matters(groups: list[list[float]], shift: int, scale: int) -> None:
    assume(any(len(set(group)) > 1 for group in groups))
    moved = [[shift + scale * value for value in reversed(group)] for group in reversed(groups)]
    one, other = one_way(groups), one_way(moved)
    assert one.f is not None
    assert other.f is not None
    assert isclose(one.f, other.f, rel_tol=1e-6, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("groups", "explained"),
    [([[0.3], [0.5], [0.4]], 1), ([[0.1, 0.1, 0.1], [0.7, 0.7]], 1), ([[0.1] * 7, [0.1] * 3], None)],
)
def test_without_variation_within_groups_there_is_no_f(groups: list[list[float]], explained: float | None) -> None:
    found = one_way(groups)
    assert found.f is None
    assert found.p is None
    assert found.eta_squared == (explained if explained is None else pytest.approx(explained))


@pytest.mark.parametrize(
    ("groups", "message"),
    [([], "0 group"), ([[1, 2], []], "1 group"), ([[1, 2], [float("nan")]], "not a finite number")],
)
def test_what_cannot_be_analysed(groups: list[list[float]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        one_way(groups)
