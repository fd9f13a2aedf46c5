"""CSV with places: rows by column name, each with its line, and errors that name it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pyramidion.base.limits import MOST, check_count
from pyramidion.errors import FormatError, Where
from pyramidion.notes import note

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?%?", re.ASCII)
RUN = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""The first characters of cells that a spreadsheet takes for formulas; the last four are full-width."""


def harmless(cell: str) -> str:
    """Return the cell, with an apostrophe in front if a spreadsheet would run it; numbers and a lone dash stay.

    >>> harmless("=HYPERLINK(A1)"), harmless("-0.5"), harmless("- said twice")
    ("'=HYPERLINK(A1)", '-0.5', "'- said twice")
    """
    if cell[:1] not in RUN or cell in ("", "-") or _NUMBER.fullmatch(cell):
        return cell
    return "'" + cell


def as_written(cell: str) -> str:
    """Undo :func:`harmless`.

    >>> as_written("'=HYPERLINK(A1)"), as_written("'quoted'")
    ('=HYPERLINK(A1)', "'quoted'")
    """
    return cell[1:] if cell[:1] == "'" and harmless(cell[1:]) == cell else cell


MOST_CELLS = 4 * MOST


class Row(NamedTuple):
    """A row of a CSV file: the line it starts in, and its cells by column."""

    line: int
    cells: dict[str, str]


Repair = Callable[[str], list[str] | None]
"""A function from a line that is not proper CSV to its cells, or to None."""


def no_repair(line: str) -> list[str] | None:
    """Repair nothing: a bad line is an error."""
    return None


def header_of(head: bytes) -> list[str]:
    """Return the column names in the first line of a CSV file; none if it is no CSV."""
    line = head.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").split(b"\n", 1)[0].decode("utf-8", "replace")
    try:
        return next(csv.reader([line.strip("\r\ufffd")], strict=True), [])
    except csv.Error:
        return []


def read_table(
    text: str, source: str, columns: Sequence[str], repair: Repair = no_repair, most: int = MOST
) -> Iterator[Row]:
    """Yield the rows of a CSV text that must have these columns, ``most`` rows at most.

    ``repair`` may read a line that is not proper CSV.
    """
    records = _records(text, source, repair)
    first, header = next(records, (1, []))
    for column in columns:
        if header.count(column) != 1:
            what = f"has no column {column!r}" if column not in header else f"has the column {column!r} twice"
            raise FormatError(f"The header {what}", Where(source, first), f"name the columns {', '.join(columns)}")
    cells = 0
    for rows, (line, record) in enumerate(records, start=1):
        cells += len(record)
        check_count(rows, "rows", Where(source, line), most)
        check_count(cells, "cells", Where(source, line), MOST_CELLS)
        if len(record) != len(header):
            raise FormatError(
                f"The row has {len(record)} cells, but the header has {len(header)}",
                Where(source, line),
                "quote cells with commas or quotes",
            )
        yield Row(line, dict(zip(header, record, strict=True)))


def _records(text: str, source: str, repair: Repair) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line it starts in; a reader of its own keeps a bad line from spoiling the next."""
    lines = io.StringIO(text, newline="")
    read: list[str] = []  # the lines of the record under way, for their number and for a repair
    number = 0

    def remember_lines() -> Iterator[str]:
        for line in lines:
            read.append(line)
            yield line

    while True:
        number += len(read)
        read.clear()
        try:
            record = next(csv.reader(remember_lines(), strict=True))
        except StopIteration:
            return
        except csv.Error as error:
            repaired = repair(read[0].rstrip("\r\n")) if len(read) == 1 else None
            if repaired is None:
                raise FormatError(
                    f"The file is not valid CSV ({error})", Where(source, number + 1), "double the quotes inside a cell"
                ) from None
            note(
                f"{source}:{number + 1}: quotes inside a cell are not doubled; the text between the outer quotes is "
                "used"
            )
            record = repaired
        if record:
            yield number + 1, record
