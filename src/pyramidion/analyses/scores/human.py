"""Human scores of a corpus's peers, from a table that somebody kept beside it.

One row is one peer. The column that names the peer is ``filename``, ``summary``, ``peer``, ``system`` or ``student``,
the first of these that there is, else the table's first column; a column ``topic`` (or ``eventId``) names the peer's
topic, if the corpus has several. Every other column whose cells are numbers or empty holds scores. Columns with other
cells (remarks, dates) are ignored; to ask for one is an error, and so is a word in a default column: the error names
the cell. An empty cell says that the peer has no such score.

Names are matched in three steps, each among what the one before has left: the peer's id as it is; without a file's
ending, in any case; and the only id that begins with the name, or that the name begins with, where the shorter one ends
at a boundary (``16495_CRYPTO.pan`` is the peer ``16495_CRYPTO_sum``, ``student1`` is never ``student10``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from operator import eq
from pathlib import Path

from pyramidion.analyses.scores.table import TABLE, Key, ScoreTable, from_values
from pyramidion.base.csv import Row, header_of, read_table
from pyramidion.base.files import decode, read_bytes
from pyramidion.base.names import parse_name
from pyramidion.errors import FormatError, Where
from pyramidion.model import Topic
from pyramidion.notes import note

DEFAULT_COLUMNS = ("totalWeight", "raw", "score", "coverage")
"""If no column is named, the first of these is read, or else the only column of numbers."""

_NAMES = ("filename", "summary", "peer", "system", "student")
_TOPICS = ("topic", "eventid")
_ENDINGS = re.compile(r"(?<=.)(?:\.(?:txt|pan|pyr|json|xml|html?|sgml?|md|docx?|odt|pdf|summary|sum))+$")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class HumanTable:
    """A file's columns, by their names in it: scores by topic and peer, and what holds no scores."""

    source: str
    columns: dict[str, dict[Key, float]]
    texts: dict[str, Row] = field(default_factory=dict)
    """The columns that hold no scores, each with the first row whose cell there is not a number."""

    def column(self, name: str = "") -> ScoreTable:
        """Return the column of this name, ignoring case; the default is one of ``DEFAULT_COLUMNS``, or the only one."""
        folded = {column.casefold(): column for column in (*self.columns, *self.texts)}
        for wanted in (name,) if name else DEFAULT_COLUMNS:
            if there := folded.get(wanted.casefold()):
                return self._scores(there)
        if not name and len(self.columns) == 1:
            return self._scores(next(iter(self.columns)))
        if not self.columns:
            raise FormatError("No column has scores", self.source, "write each peer's score, a number, in its row")
        what = f"There is no column of numbers named {name!r}" if name else "It is not clear which column to read"
        named = ", ".join(self.columns)
        raise FormatError(what, self.source, f"name one; the columns of numbers are: {named}")

    def _scores(self, column: str) -> ScoreTable:
        if column in self.columns:
            return from_values(self.columns[column], column, TABLE)
        row = self.texts[column]
        raise FormatError(
            f"{row.cells[column]!r} in the column {column!r} is not a number",
            Where(self.source, row.line),
            "write a number such as 12 or 0.5, or leave the cell empty where there is no score",
        )


def read_human(path: Path, topics: Sequence[Topic], column: str = "") -> ScoreTable:
    """Read the human scores of the topics' peers from one column of a table."""
    return read_table_of_scores(path, topics).column(column)


def read_table_of_scores(path: Path, topics: Sequence[Topic]) -> HumanTable:
    """Read every column of human scores in a table, and match its rows to the topics' peers.

    A row whose name fits no peer is left out with a warning. It is an error if no row fits, if a name fits several
    peers, or if two rows fit one peer.
    """
    source = str(path)
    text = decode(read_bytes(path), source)
    rows = [row for row in map(_strip, read_table(text, source, ())) if any(row.cells.values())]
    if not rows:
        raise FormatError("The table has a header but no rows", source, "write one row for each peer")
    _check_header(text, source)
    header = list(rows[0].cells)
    # a single column is a sign of another separator
    if len(header) == 1 and (mark := next((mark for mark in ";\t" if mark in header[0]), "")):
        raise FormatError(
            f"The cells are separated by {mark!r}", Where(source, 1), "save the table as CSV with commas between cells"
        )
    name = next((column for wanted in _NAMES for column in header if column.casefold() == wanted), "")
    topic = next((column for column in header if column.casefold() in _TOPICS), "")
    name = name or next((column for column in header if column != topic), topic)
    row_of = _match_rows(rows, name, topic, topics, source)
    scores = [column for column in header if column and column not in (name, topic)]
    scores = [column for column in scores if any(row.cells.get(column) for row in rows)]
    texts = {column: row for column in scores if (row := _not_a_number(rows, column))}
    columns = {
        column: {peer: float(row.cells[column]) for peer, row in row_of.items() if row.cells[column]}
        for column in scores
        if column not in texts
    }
    return HumanTable(source, columns, texts)


def _check_header(text: str, source: str) -> None:
    header = [column.strip() for column in header_of(text.lstrip("\r\n").encode("utf-8", "replace"))]
    twice = next((column for column in header if column and header.count(column) > 1), None)
    if twice:
        raise FormatError(f"The header has the column {twice!r} twice", Where(source, 1), "give each its own name")


def _strip(row: Row) -> Row:
    return Row(row.line, {column.strip(): cell.strip() for column, cell in row.cells.items()})


def _not_a_number(rows: Iterable[Row], column: str) -> Row | None:
    """Return the first row whose cell in a column is neither empty nor a finite number."""
    for row in rows:
        cell = row.cells.get(column, "")
        if cell and not (_NUMBER.fullmatch(cell) and isfinite(float(cell))):
            return row
    return None


# Matching names


@dataclass(frozen=True, slots=True)
class _Named:
    """A row, and the peer it names."""

    row: Row
    name: str
    topic: str

    def __str__(self) -> str:
        return f"{self.name!r}" + (f" of topic {self.topic!r}" if self.topic else "")


def _match_rows(rows: Iterable[Row], name: str, topic: str, topics: Sequence[Topic], source: str) -> dict[Key, Row]:
    """Return the row of each peer that has one."""
    left = [_Named(row, row.cells[name], row.cells[topic] if topic else "") for row in rows]
    matched: dict[Key, _Named] = {}
    # from the strictest comparison to the loosest, each among what the one before has left
    for alike in (eq, _is_id_without_ending, _begins_alike):
        free = [(topic.id, peer.id) for topic in topics for peer in topic.peers if (topic.id, peer.id) not in matched]
        unmatched: list[_Named] = []
        step: dict[Key, _Named] = {}
        for named in left:
            key = _find(named, free, alike, source)
            if key is None:
                unmatched.append(named)
            elif key in step:
                raise FormatError(
                    f"{step[key]} in line {step[key].row.line} and {named} are both the peer {key[1]!r} of "
                    f"topic {key[0]!r}",
                    Where(source, named.row.line),
                    "keep one row per peer, with its full id as the name",
                )
            else:
                step[key] = named
        matched |= step
        left = unmatched
    if not matched:
        raise FormatError(
            f"No row names a peer of the corpus; the first row names {left[0]}",
            Where(source, left[0].row.line),
            f"name peers as the corpus does, e.g. {_example(topics)}",
        )
    if left:
        shown = ", ".join(f"{named} (line {named.row.line})" for named in left[:5])
        more = f" and {len(left) - 5} more" if len(left) > 5 else ""
        note(f"{source}: {len(left)} row(s) do not name a peer of the corpus and were left out: {shown}{more}")
    return {key: named.row for key, named in matched.items()}


def _example(topics: Iterable[Topic]) -> str:
    return next((repr(peer.id) for topic in topics for peer in topic.peers), "but it has no peer")


def _find(named: _Named, free: Iterable[Key], alike: Callable[[str, str], bool], source: str) -> Key | None:
    """Return the only peer that a row can be about, at one step of matching."""
    if not named.name:
        raise FormatError("The row does not name a peer", Where(source, named.row.line), "fill in its first cell")
    keys = [key for key in free if _fits(named, key, alike)]
    if len(keys) < 2:
        return keys[0] if keys else None
    several = len({topic for topic, _ in keys}) > 1
    shown = ", ".join(f"{peer!r} of topic {topic!r}" if several else repr(peer) for topic, peer in keys[:3])
    raise FormatError(
        f"{named} can be {len(keys)} peers: {shown}{', ...' if len(keys) > 3 else ''}",
        Where(source, named.row.line),
        "add a column 'topic'" if several and not named.topic else "write the peer's full id",
    )


def _fits(named: _Named, key: Key, alike: Callable[[str, str], bool]) -> bool:
    """Return whether a row is about a peer, by its name or by NIST's file name (``D0601.M.250.A.16`` is peer 16)."""
    topic, peer = key
    if alike(named.name, peer):
        return not named.topic or named.topic.casefold() == topic.casefold()
    nist = parse_name(named.name)
    return nist.topic.casefold() == topic.casefold() and alike(nist.summary, peer)


def _is_id_without_ending(name: str, peer: str) -> bool:
    return _bare(name) == _bare(peer)


def _begins_alike(name: str, peer: str) -> bool:
    """Return whether the longer name begins with the shorter one, which must end at a boundary.

    >>> _begins_alike("16495_CRYPTO.pan", "16495_CRYPTO_sum"), _begins_alike("student1", "student10")
    (True, False)
    """
    short, long = sorted((_bare(name), _bare(peer)), key=len)
    return bool(short) and long.startswith(short) and not long[len(short) :][:1].isalnum()


def _bare(name: str) -> str:
    """Return a name in lower case, without the endings of files."""
    return _ENDINGS.sub("", name.casefold())
