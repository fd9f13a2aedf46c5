"""Tables as CSV: for programs, and for the spreadsheets that people open them with."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.base.tables import Table, TableFormat, html, render

NAMES = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"))


def rows(table: Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(render(table, "csv"), newline="")))


def test_a_name_that_a_spreadsheet_would_run_is_made_text() -> None:
    table = Table(("system", "score"), (("=cmd|' /C calc'!A0", -0.5), ("-5", None), ("@sum", 3)))
    assert rows(table) == [["system", "score"], ["'=cmd|' /C calc'!A0", "-0.5"], ["-5", ""], ["'@sum", "3"]]


@given(st.lists(st.tuples(NAMES, st.floats(allow_nan=False)), min_size=1))
def test_numbers_keep_all_their_digits_and_names_are_there(given_rows: list[tuple[str, float]]) -> None:
    table = Table(("name", "number"), tuple(given_rows))
    for (name, number), (shown, digits) in zip(given_rows, rows(table)[1:], strict=True):
        assert float(digits) == number
        assert shown.removeprefix("'").splitlines() == name.removeprefix("'").splitlines()
        assert not shown.startswith(("=", "@", "\t"))


@pytest.mark.parametrize("format", ["text", "csv", "latex", "markdown"])
def test_zero_has_no_sign(format: TableFormat) -> None:
    assert "-0.0" not in render(Table(("difference",), ((-0.0,), (0.25,))), format)


def test_what_rounds_to_zero_has_no_sign_either_but_csv_keeps_all_digits() -> None:
    table = Table(("difference",), ((-0.00001,), (-0.00005001,), (0.25,)))
    assert render(table).split()[2:] == ["0.0000", "-0.0001", "0.2500"]
    assert "-0.0000" not in html(table)
    assert rows(table)[1:] == [["-1e-05"], ["-5.001e-05"], ["0.25"]]
