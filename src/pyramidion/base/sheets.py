"""Result tables as people send them: from a marketplace or through a spreadsheet, read fast and with places.

A table may be separated by commas, semicolons or tabs, begin with Excel's ``sep=;``, have empty rows and columns
without a name. Rows are plain lists, because tables have a hundred thousand of them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TextIO

from pyramidion.errors import FormatError, Where

_SEPARATORS = ",;\t"
_HEADER = 2**16
"""The most characters of a header."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: the names of its columns, and where its rows are."""

    source: str
    content: str | bytes
    """Bytes are UTF-8, and decoded row by row, which is faster than all at once."""
    header: tuple[str, ...]
    separator: str
    skipped: int
    """Lines before the header."""

    def numbered_rows(self, *, empty: bool = False) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not empty, cut to the header's length, with their lines; with ``empty``, all rows."""
        width = len(self.header)
        reader = csv.reader(self._lines(), delimiter=self.separator, strict=True)
        line = self.skipped + 1
        try:
            next(reader, None)
            line = self.skipped + reader.line_num + 1
            for row in reader:
                if len(row) == width and any(row):
                    yield line, row
                elif any(row):
                    # spreadsheets add empty cells at the end of a row; anything else there is lost or misplaced
                    if len(row) < width or any(row[width:]):
                        raise FormatError(
                            f"The row has {len(row)} cells, but the header has {width}",
                            Where(self.source, line),
                            "download the file again; it may be cut off, or a cell is not quoted",
                        )
                    yield line, row[:width]
                elif empty:
                    yield line, []
                line = self.skipped + reader.line_num + 1
        except csv.Error as error:
            raise FormatError(
                f"The file is not a valid table ({error})",
                Where(self.source, line),
                "download the file again; it may be cut off, or quotes inside a cell are not doubled",
            ) from None

    def rows(self) -> Iterator[list[str]]:
        """Return the rows that are not empty."""
        return (row for _, row in self.numbered_rows())

    def where(self, number: int) -> Where:
        """Return the place of a row, counted from 0 among those that are not empty."""
        return Where(self.source, next(islice(self.numbered_rows(), number, None))[0])

    def column(self, name: str) -> int | None:
        """Return the index of a column, or None if there is no such column; two of one name are an error."""
        places = _places(self.header).get(name, ())
        if len(places) > 1:
            raise FormatError(f"The column {name!r} occurs twice", Where(self.source, self.skipped + 1), "delete one")
        return places[0] if places else None

    def columns(self, names: Sequence[str]) -> list[int]:
        """Return the indexes of columns that must be there."""
        missing = [name for name in names if self.column(name) is None]
        if missing:
            raise FormatError(
                f"The header has no column {', '.join(map(repr, missing))}",
                Where(self.source, self.skipped + 1),
                "download the results again with all their columns",
            )
        return [self.header.index(name) for name in names]

    def _lines(self) -> Iterator[str]:
        return islice(_stream(self.content), self.skipped, None)

    def with_commas(self) -> str:
        """Return the text with commas for separators, its rows in the same lines."""
        if self.separator == "," and not self.skipped:
            return _stream(self.content).read()
        out = io.StringIO("\r\n" * self.skipped, newline="")
        out.seek(0, io.SEEK_END)
        csv.writer(out).writerows([self.header, *(row for _, row in self.numbered_rows(empty=True))])
        return out.getvalue()


@lru_cache(maxsize=16)
def _places(header: tuple[str, ...]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, name in enumerate(header):
        places.setdefault(name, []).append(place)
    return places


def _stream(content: str | bytes) -> TextIO:
    if isinstance(content, str):
        return io.StringIO(content, newline="")
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline="")


def open_sheet(content: str | bytes, source: str) -> Sheet:
    """Return the table in a text or its bytes; its separator is the one found most often in the first line.

    Bytes that are not UTF-8 are a ``UnicodeDecodeError`` here or, further down, where rows are read.
    """
    start = io.StringIO(_stream(content).read(_HEADER), newline="")
    first = next(start, "")
    named = first.strip()
    skipped = int(named[:4].lower() == "sep=" and len(named) <= 5)
    if skipped:  # Excel's own line: a separator may be missing where the tab was trimmed
        separator = named[4:] or "\t"
    else:
        separator = max(_SEPARATORS, key=first.count)
        start.seek(0)
    try:
        header = tuple(name.strip() for name in next(csv.reader(start, delimiter=separator, strict=True), []))
    except (csv.Error, TypeError, ValueError):
        raise FormatError(
            "The first line is not a header", Where(source, skipped + 1), "give a table with named columns"
        ) from None
    return Sheet(source, content, header, separator, skipped)
