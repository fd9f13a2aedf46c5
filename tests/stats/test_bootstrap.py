"""The interval of a mean."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.stats.bootstrap import mean_interval


@given(st.lists(st.floats(0, 1), min_size=6, max_size=12), st.randoms())
def test_it_holds_the_mean_and_no_order_changes_it(values: list[float], random) -> None:  # type: ignore[no-untyped-def]
    found = mean_interval(values, samples=500)
    assert found
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    random.shuffle(values)
    assert mean_interval(values, samples=500) == found


def test_many_values_have_the_normal_interval() -> None:
    values = [(7 * i % 101) / 101 for i in range(101)]
    found = mean_interval(values)
    assert found
    half = 1.96 * pstdev(values) / sqrt(len(values))
    assert found == pytest.approx((fmean(values) - half, fmean(values) + half), abs=0.003)


def test_few_values_have_none() -> None:
    """Draws of two values span these two, whatever others there are."""
    assert mean_interval([0.2, 0.6]) is None
    assert mean_interval([0.5]) is None
    assert mean_interval([]) is None
