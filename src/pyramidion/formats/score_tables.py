"""Tables of scores that other tools made, to compare ours with.

Four kinds are read, told apart by their first lines:

=======================  =============================================================================================
``pyreval-results``      PyrEval's ``results.csv``: a line with the pyramid's name, which is the topic, then the header
                         ``Summary,raw,quality,coverage,Comprehensive`` (older: ``comprehension``); several such blocks
                         may follow each other. PyrEval appends when it runs again, so the last row of a summary counts.
``ducview-scores``       the numbers that DUCView 1.5 stores with an annotation, one file a line, under its own tags.
``litepyramids-scores``  the three stacked tables of LitePyramids: by system, by topic (``eventId``), by both. In the
                         first the topic is empty, in the second the summary. A responsiveness of -1 means none.
``csv``                  any table with a column ``summary``, ``system`` or ``peer``, and ``topic``, ``annotator`` and
                         ``signature`` if it has them: what ``evaluate`` and ``metrics`` print with ``--format csv``.
=======================  =============================================================================================

PyrEval and DUCView name summaries by their files; such a name is read as by all our readers, ``D0601.M.250.A.16`` as
summary 16 and ``anna.txt`` as anna. All other columns must hold numbers and keep their names; an empty cell is a
missing number, NaN and infinity are errors. This is not a format of topics: a :class:`ScoreRow` says of one summary
what a tool said, and nothing is computed here.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.base.csv import MOST_CELLS
from pyramidion.base.files import decode, encode, head, is_stream, read_bytes, write_bytes
from pyramidion.base.limits import check_count
from pyramidion.base.names import parse_name
from pyramidion.errors import FormatError, Where
from pyramidion.notes import note

KINDS = ("pyreval-results", "ducview-scores", "litepyramids-scores", "csv")
WrittenKind = Literal["csv", "pyreval-results"]

PYREVAL_COLUMNS = ("Summary", "raw", "quality", "coverage", "Comprehensive")
DUCVIEW_COLUMNS = (
    "filename",
    "totalscu",
    "uniquescu",
    "scusNotInPyr",
    "totalWeight",
    "maxScoreTotalscu",
    "qualityScore",
)
"""The columns of every DUCView table; columns on coverage follow if references could be told apart."""

_CSV_COLUMNS = {"summary", "system", "peer"}
_SUMMARY_COLUMNS = {*_CSV_COLUMNS, "systemid", "filename"}
_TOPIC_COLUMNS = {"topic", "eventid"}
_ANNOTATOR_COLUMNS = {"annotator"}
_SIGNATURE_COLUMNS = {"signature"}
_NAME_COLUMNS = _SUMMARY_COLUMNS | _TOPIC_COLUMNS | _ANNOTATOR_COLUMNS | _SIGNATURE_COLUMNS
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A tool's scores of one summary, or of all topics or summaries if the topic or the summary is empty."""

    topic: str
    summary: str
    values: tuple[tuple[str, float | None], ...]
    """Name and number of each column, in the table's order; none for a missing number."""
    annotator: str = ""
    """The annotator of the summary, if the table names one."""
    signature: str = ""
    """The signature of the numbers, if the table has one, as our tables do."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One record of the file, its cells stripped, and where it ends."""

    number: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class _Table:
    """One header and the lines under it; PyrEval names the topic above, the others in a column or not at all."""

    topic: str
    header: _Line
    lines: list[_Line]


def sniff_scores(path: Path, start: bytes) -> str | None:
    """Return the kind of table that a file is, by its first lines; None for anything else."""
    text = start.decode("utf-8-sig", "replace")
    try:
        lines = _lines(text, str(path))
        return _kind([line for _, line in zip(range(2), lines, strict=False)])
    except FormatError:
        return None


def is_table(path: Path, format: str = "") -> bool:
    """Return whether a file is a table of scores, not of summaries: by the format that is named, or by its content.

    A plain table must be called ``.csv``.
    """
    if format or is_stream(path):
        return format in KINDS
    kind = sniff_scores(path, head(path))
    return kind is not None and (kind != "csv" or path.suffix == ".csv")


def load_scores(path: Path, kind: str = "", *, placeholders: bool = False) -> list[ScoreRow]:
    """Return the rows of a file, in its order; it is an error if it is of another kind than given."""
    return loads_scores(read_bytes(path), str(path), kind, placeholders=placeholders)


def loads_scores(
    data: bytes | str, source: str = "<string>", expected: str = "", *, placeholders: bool = False
) -> list[ScoreRow]:
    """Return the rows of a document, in its order; it is an error if it is of another kind than expected.

    With ``placeholders``, LitePyramids' -1 for no responsiveness stays a number.
    """
    lines = list(_lines(decode(data, source), source))
    kind = _kind(lines[:2])
    if expected and kind and kind != expected:
        raise FormatError(f"This is a table of the kind {kind!r}, not {expected!r}", source, f"read it as {kind}")
    match kind:
        case "pyreval-results":
            tables = _pyreval_tables(lines, source)
        case "litepyramids-scores":
            tables = _litepyramids_tables(lines)
        case "ducview-scores" | "csv":
            tables = [_Table("", lines[0], lines[1:])]
        case _:
            raise FormatError(
                "This is not a known table of scores",
                Where(source, lines[0].number if lines else None),
                "give a CSV with a column 'summary' or 'system', and numbers in all others but 'topic', 'annotator' "
                "and 'signature'",
            )
    rows = [row for table in tables for row in _rows(table, source)]
    match kind:
        case "pyreval-results":
            return [_named_by_file(row) for row in _last_of_each(rows, source)]
        case "ducview-scores":
            return [_named_by_file(row) for row in rows]
        case "litepyramids-scores":
            return rows if placeholders else [_without_placeholders(row) for row in rows]
    return rows


def load_topic_ids(path: Path) -> tuple[str, ...]:
    """Return the ids in a text file, separated by blanks, commas or lines; skip lines that end in : or begin with #.

    A list of several years' topics (LitePyramids' ``relevant_topics.txt``) does for each of them.
    """
    lines = (line.strip() for line in decode(read_bytes(path), str(path)).splitlines())
    ids = [
        id
        for line in lines
        if not line.startswith("#") and not line.endswith(":")
        for id in line.replace(",", " ").split()
    ]
    if not ids:
        raise FormatError("There is no topic id in the file", str(path), "write one id per line")
    return tuple(dict.fromkeys(ids))


def _lines(text: str, source: str) -> Iterator[_Line]:
    """Yield the records that are not blank."""
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    count = rows = 0
    while True:
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise FormatError(
                f"The file is not valid CSV: {error}", Where(source, reader.line_num), "correct the quotes in this line"
            ) from None
        if record is None:
            return
        cells = [cell.strip() for cell in record]
        if any(cells):
            count, rows = count + len(cells), rows + 1
            check_count(rows, "rows", Where(source, reader.line_num))
            check_count(count, "cells", Where(source, reader.line_num), MOST_CELLS)
            yield _Line(reader.line_num, cells)


def _kind(first: Sequence[_Line]) -> str | None:
    """Return the kind of table that begins with these one or two lines."""
    if not first:
        return None
    header = first[0].cells
    columns = {column.casefold() for column in header}
    if len(first) > 1 and _is_pyreval_header(first[1]):
        return "pyreval-results"
    if columns.issuperset(column.casefold() for column in DUCVIEW_COLUMNS):
        return "ducview-scores"
    # The crowd's statements of the same project begin with eventId, too, but go on with ids and texts.
    if header[0] in ("systemId", "eventId") and not columns & {"questionid", "summid", "summaryid"}:
        return "litepyramids-scores"
    return "csv" if columns & _CSV_COLUMNS else None


def _is_pyreval_header(line: _Line) -> bool:
    *columns, comprehensive = [cell.casefold() for cell in line.cells]
    known = [column.casefold() for column in PYREVAL_COLUMNS]
    return columns == known[:-1] and comprehensive in (known[-1], "comprehension")


def _pyreval_tables(lines: Sequence[_Line], source: str) -> list[_Table]:
    """Return the blocks: a line above a header names the topic of all lines up to the next such name."""
    names = [index for index, below in enumerate(lines[1:]) if _is_pyreval_header(below)]  # of the lines above
    tables = []
    for name, following in zip(names, [*names[1:], len(lines)], strict=True):
        named = [cell for cell in lines[name].cells if cell]
        if len(named) != 1:
            raise FormatError(
                "The line above PyrEval's header does not name a pyramid",
                Where(source, lines[name].number),
                "put the pyramid's name there, alone",
            )
        header = _Line(lines[name + 1].number, list(PYREVAL_COLUMNS))
        tables.append(_Table(named[0], header, list(lines[name + 2 : following])))
    return tables


def _litepyramids_tables(lines: Sequence[_Line]) -> list[_Table]:
    """Return the stacked tables: each begins with a line of column names."""
    tables: list[_Table] = []
    for line in lines:
        if line.cells[0] in ("systemId", "eventId"):
            tables.append(_Table("", line, []))
        else:
            tables[-1].lines.append(line)
    return tables


def _rows(table: _Table, source: str) -> Iterator[ScoreRow]:
    """Yield the rows of a table; all columns that do not name topic, summary, annotator or signature hold numbers."""
    header = table.header.cells
    named = [name for name in header if name]
    if len(set(named)) < len(named):
        raise FormatError(
            "Two columns have the same name", Where(source, table.header.number), "give each column its own"
        )
    topic = _column(table, _TOPIC_COLUMNS, source)
    summary = _column(table, _SUMMARY_COLUMNS, source)
    annotator = _column(table, _ANNOTATOR_COLUMNS, source)
    signature = _column(table, _SIGNATURE_COLUMNS, source)
    for line in table.lines:
        where = Where(source, line.number)
        if len(line.cells) != len(header):
            raise FormatError(
                f"The line has {len(line.cells)} cell(s), but the header has {len(header)}",
                where,
                "give one cell for each column",
            )
        yield ScoreRow(
            table.topic if topic is None else line.cells[topic],
            "" if summary is None else line.cells[summary],
            tuple(_values(header, line, {topic, summary, annotator, signature}, where)),
            "" if annotator is None else line.cells[annotator],
            "" if signature is None else line.cells[signature],
        )


def _values(header: list[str], line: _Line, names: set[int | None], where: Where) -> Iterator[tuple[str, float | None]]:
    """Yield column and number of the cells that are not names; a column without a name must be empty."""
    for index, (column, cell) in enumerate(zip(header, line.cells, strict=True)):
        if index in names:
            continue
        if column:
            yield column, _value(cell, column, where)
        elif cell:
            raise FormatError(f"{cell[:60]!r} is in a column without a name", where, "name the column in the header")


def _column(table: _Table, names: set[str], source: str) -> int | None:
    """Return the position of the only column with one of these names."""
    places = [index for index, name in enumerate(table.header.cells) if name.casefold() in names]
    if len(places) > 1:
        columns = " and ".join(repr(table.header.cells[index]) for index in places)
        raise FormatError(f"The columns {columns} say the same", Where(source, table.header.number), "keep one of them")
    return places[0] if places else None


def _value(cell: str, column: str, where: Where) -> float | None:
    if not cell:
        return None
    value = float(cell) if _NUMBER.fullmatch(cell) else None
    if value is None or not isfinite(value):
        raise FormatError(
            f"{column[:60]!r} is {cell[:60]!r}, not a number", where, "write a finite number, or leave the cell empty"
        )
    return value


def _last_of_each(rows: list[ScoreRow], source: str) -> list[ScoreRow]:
    """Return one row for each summary of a topic, the one that was written last."""
    last = {(row.topic, row.summary): row for row in rows}
    if len(last) < len(rows):
        note(
            f"{source}: {len(rows) - len(last)} row(s) occur again (PyrEval appends when it runs again); the last of "
            "each was used"
        )
    return list(last.values())


def _named_by_file(row: ScoreRow) -> ScoreRow:
    name = parse_name(row.summary)
    return replace(row, topic=row.topic or name.topic, summary=name.summary)


def _without_placeholders(row: ScoreRow) -> ScoreRow:
    """Return the row without the -1 that LitePyramids writes for no responsiveness."""
    values = tuple((name, None if name == "responsiveness" and value == -1 else value) for name, value in row.values)
    return replace(row, values=values)


# Writing


def kind_by_suffix(path: Path) -> str:
    """Return the kind of table that a file's name asks for."""
    if path.suffix == ".csv":
        return "csv"
    raise FormatError(
        f"The ending {path.suffix!r} does not belong to a known table of scores",
        str(path),
        "name the format: csv, pyreval-results",
    )


def lost_columns(rows: Sequence[ScoreRow], kind: str) -> list[str]:
    """Return the columns that a kind of table does not have."""
    if kind != "pyreval-results":
        return []
    wanted = {column.casefold() for column in PYREVAL_COLUMNS[1:]}
    return list(dict.fromkeys(name for row in rows for name, _ in row.values if name.casefold() not in wanted))


@check_choices
def dump_scores(rows: Sequence[ScoreRow], path: Path, kind: WrittenKind = "csv") -> None:
    """Write the rows as a table of kind ``csv`` or ``pyreval-results``."""
    write_bytes(path, dumps_scores(rows, kind))


@check_choices
def dumps_scores(rows: Sequence[ScoreRow], kind: WrittenKind = "csv") -> bytes:
    """Return the rows as a table of kind ``csv`` or ``pyreval-results``."""
    match kind:
        case "csv":
            records = _csv_records(rows)
        case "pyreval-results":
            records = _pyreval_records(rows)
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator="\n").writerows(records)
    return encode(table.getvalue())


def _csv_records(rows: Sequence[ScoreRow]) -> Iterator[list[str]]:
    """Yield a header of all columns in the order in which they first come, then the rows."""
    columns = list(dict.fromkeys(name for row in rows for name, _ in row.values))
    for column in columns:
        if not column.strip() or column.strip().casefold() in _NAME_COLUMNS:
            raise FormatError(f"A column of numbers cannot be named {column!r}", do="give it another name")
    has_annotators, has_signatures = any(row.annotator for row in rows), any(row.signature for row in rows)
    before, after = ["annotator"] if has_annotators else [], ["signature"] if has_signatures else []
    yield ["topic", "summary", *before, *columns, *after]
    for row in rows:
        values = dict(row.values)
        yield [
            row.topic,
            row.summary,
            *([row.annotator] if has_annotators else []),
            *(_cell(values.get(name)) for name in columns),
            *([row.signature] if has_signatures else []),
        ]


def _pyreval_records(rows: Sequence[ScoreRow]) -> Iterator[list[str]]:
    """Yield a block for each topic; columns are found in small letters, as we write them, or large, as PyrEval does."""
    wanted = [column.casefold() for column in PYREVAL_COLUMNS[1:]]
    spare = lost_columns(rows, "pyreval-results")
    if spare:
        note(f"Not written: the columns {', '.join(spare)}, which PyrEval's table does not have")
    for topic, block in _by_topic(rows).items():
        if not topic.strip():
            raise FormatError(
                f"The scores of {block[0].summary!r} have no topic, which PyrEval's table needs", do="write a CSV"
            )
        yield [topic]
        yield list(PYREVAL_COLUMNS)
        for row in block:
            values = {name.casefold(): value for name, value in row.values}
            missing = [column for column in wanted if column not in values]
            if missing:
                raise FormatError(
                    f"The scores of {row.summary!r} have no {missing[0]!r}, which PyrEval's table needs", do="add it"
                )
            yield [row.summary, *(_cell(values[column]) for column in wanted)]


def _by_topic(rows: Iterable[ScoreRow]) -> dict[str, list[ScoreRow]]:
    topics: dict[str, list[ScoreRow]] = {}
    for row in rows:
        topics.setdefault(row.topic, []).append(row)
    return topics


def _cell(value: float | None) -> str:
    """Return the shortest text that reads back as the same number."""
    if value is None:
        return ""
    if not isfinite(value):
        raise FormatError(f"{value} is not a score", do="leave the value out where there is none")
    # from 2**53 on not every whole number is a float, so the float's own digits are written
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
