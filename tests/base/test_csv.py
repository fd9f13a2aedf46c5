"""Cells that a spreadsheet would run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.base.csv import RUN, harmless


@pytest.mark.parametrize(
    "cell", ["=cmd|' /C calc'!A0", "+1+1", "-2+3+cmd", "@SUM(1)", "\t=1", "\r=1", "--1", "+", "-1-1", "=1", "\uff1d1"]
)
def test_what_would_run_gets_an_apostrophe(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "a=b", "0", "-0.5", "+1e-3", "-.5", "-12%", "-", "'=1", " =1"])
def test_what_would_not_stays(cell: str) -> None:
    assert harmless(cell) == cell


@given(st.text())
def test_what_is_harmless_is_so_for_good(cell: str) -> None:
    made = harmless(cell)
    assert harmless(made) == made
    assert made.endswith(cell)
    assert made[:1] not in RUN or made == "-" or float(made.rstrip("%")) is not None


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_numbers_stay_numbers(number: float) -> None:
    assert harmless(str(number)) == str(number)
