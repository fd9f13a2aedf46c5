"""Tables as spreadsheets leave them: separators, empty rows, line numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.base.sheets import open_sheet
from pyramidion.errors import FormatError
from tests.fuzz import only_our_errors


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [False, True])
def test_the_separator_is_found(separator: str, mark: bool) -> None:
    text = (f"sep={separator}\n" if mark else "") + f"a{separator}b\n1{separator}2\n"
    sheet = open_sheet(text, "x.csv")
    assert sheet.header == ("a", "b")
    assert list(sheet.rows()) == [["1", "2"]]
    assert sheet.where(0).line == 2 + mark


def test_empty_rows_and_spare_empty_cells_are_passed_over() -> None:
    sheet = open_sheet('a,b\n\n,,\n"x\ny",2,\n,\n3,4\n', "x.csv")
    assert list(sheet.rows()) == [["x\ny", "2"], ["3", "4"]]
    assert [sheet.where(n).line for n in (0, 1)] == [4, 7]


@pytest.mark.parametrize("row", ["1", "1,2,3", '1,"2', '1,"2"3'])
def test_a_row_that_does_not_fit_is_named_by_its_first_line(row: str) -> None:
    with pytest.raises(FormatError, match=r"x\.csv:4: ") as error:
        list(open_sheet(f'a,b\n"x\ny",2\n{row}\n', "x.csv").rows())
    assert "download" in error.value.do


def test_a_column_that_is_missing_or_twice_is_named() -> None:
    with pytest.raises(FormatError, match=r"no column 'c', 'd'"):
        open_sheet("a,b\n", "x.csv").columns(["a", "c", "d"])
    with pytest.raises(FormatError, match="'a' occurs twice"):
        open_sheet("a,a\n", "x.csv").columns(["a"])


def test_only_line_ends_of_tables_end_rows() -> None:
    cell = "a\x85b\u2028c\x0bd"
    assert list(open_sheet(f"x,y\n{cell},2\r\n", "x.csv").rows()) == [[cell, "2"]]


def test_a_header_of_two_thousand_columns_is_read_whole() -> None:
    names = [f"Input.statement_{number}" for number in range(2000)]
    assert open_sheet(",".join(names) + "\n", "x.csv").header == tuple(names)


def test_a_table_without_a_header_has_no_rows() -> None:
    assert list(open_sheet("sep=;", "x.csv").rows()) == []


def test_other_separators_can_be_made_commas() -> None:
    assert open_sheet('sep=;\na;b\n"1;2";3,4\n', "x.csv").with_commas() == '\r\na,b\r\n1;2,"3,4"\r\n'
    assert open_sheet("a;b\n\n;\n1;2\n", "x.csv").with_commas() == "a,b\r\n\r\n\r\n1,2\r\n"


@given(st.text(min_size=1))
def test_any_text_is_read_or_refused(text: str) -> None:
    only_our_errors(lambda: [sheet.where(n) for sheet in [open_sheet(text, "x")] for n, _ in enumerate(sheet.rows())])
