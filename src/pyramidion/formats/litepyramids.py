"""Crowd-written statements: the ``batchN.csv`` of LitePyramids (Shapira et al. 2019) and ``SCUs_list.csv`` of REALSumm.

One row is one statement that a worker wrote about one reference:
``eventId,questionId,questionText,answer,author,sourceSummaryId,forUse``. A topic is an ``eventId``; every statement is
an SCU of weight 1, because nobody merged statements of different references. The references' texts are not in the file,
so contributors have no spans. ``forUse`` marks the statements drawn for the judging task (see
:mod:`~pyramidion.formats.mturk_ratings`).

Where the files are loose: REALSumm pads each topic to 16 rows with ``BLANK`` (answer N), which are left out;
LitePyramids quotes each statement but does not double the quotes inside, so a row that is not proper CSV is read by its
outer quotes, with a warning.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.base.csv import Repair, Row, header_of, no_repair, read_table
from pyramidion.base.files import decode, encode, read_bytes, write_bytes
from pyramidion.base.limits import MOST
from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.formats._differences import find_losses
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic
from pyramidion.notes import note

TITLE = "LitePyramids and REALSumm: crowd-written statements (CSV)"
SUFFIXES = ()
Use = Literal["selected", "all"]

COLUMNS = ("eventId", "questionId", "questionText", "answer", "author", "sourceSummaryId", "forUse")
PADDING = "BLANK"
MOST_ROWS = MOST // 5
"""A row of twenty bytes makes a topic of two kilobytes; DUC 2006 has 1,021 rows, REALSumm 1,600."""

_OUTER_QUOTES = re.compile(r'([^,"]*),([^,"]*),"(.*)",([^,"]*),([^,"]*),([^,"]*),([^,"]*)')


def _by_outer_quotes(line: str) -> list[str] | None:
    cells = _OUTER_QUOTES.fullmatch(line)
    return list(cells.groups()) if cells else None


def repair_of(text: str) -> Repair:
    """Return how to repair lines that are not proper CSV: by their outer quotes, for LitePyramids' columns."""
    return _by_outer_quotes if text.startswith(",".join(COLUMNS)) else no_repair


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this is a CSV file whose header has the seven columns."""
    return set(COLUMNS) <= set(header_of(head))


@check_choices
def load(path: Path, *, use: Use = "selected") -> list[Topic]:
    """Return the topics of a file; ``use`` is ``selected`` (only statements with forUse 1) or ``all``."""
    return loads(read_bytes(path), str(path), use=use)


@check_choices
def loads(data: bytes | str, source: str = "<string>", *, use: Use = "selected") -> list[Topic]:
    """Return one topic per event, with a pyramid of its statements."""
    events: dict[str, _Event] = {}
    text = decode(data, source)
    for row in read_table(text, source, COLUMNS, repair_of(text), MOST_ROWS):
        _check(row, source)
        event = events.setdefault(row.cells["eventId"], _Event(row.cells["eventId"]))
        event.add(row, source, use)
    if not any(event.scus for event in events.values()):
        if use == "selected" and any(event.statements for event in events.values()):
            raise FormatError(
                "No statement is marked for use (forUse 1)", source, "mark some, or read all with use=all"
            )
        raise FormatError("There is no statement in the file", source, "add rows with a questionText and answer Y")
    empty = [event.id for event in events.values() if not event.scus]
    if empty:
        note(f"{source}: {len(empty)} topic(s) without a statement to use were left out, the first: {empty[0]!r}")
    try:
        return [event.topic() for event in events.values() if event.scus]
    except PyramidionError as error:
        raise error.at(Where(source)) from None


def _check(row: Row, source: str) -> None:
    for column, allowed in (("answer", ("Y", "N")), ("forUse", ("0", "1"))):
        if row.cells[column] not in allowed:
            raise FormatError(
                f"{column} is {row.cells[column]!r}",
                Where(source, row.line),
                f"write {allowed[0]} or {allowed[1]}",
            )
    for column in ("eventId", "questionId", "questionText", "sourceSummaryId"):
        if not row.cells[column].strip():
            raise FormatError(f"{column} is empty", Where(source, row.line), "fill it in, or delete the row")


class _Event:
    """The rows of one topic, as they come."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.references: dict[str, Summary] = {}
        self.statements: dict[str, int] = {}
        self.scus: list[SCU] = []

    def add(self, row: Row, source: str, use: Use) -> None:
        """Add the row's reference, and its statement if it is one and is to be used."""
        id, text, reference = row.cells["questionId"], row.cells["questionText"], row.cells["sourceSummaryId"]
        self.references.setdefault(reference, Summary(reference, "", "reference"))
        if text.strip() == PADDING or row.cells["answer"] == "N":
            return
        if id in self.statements:
            raise FormatError(
                f"Topic {self.id!r} has the questionId {id!r} twice, first in line {self.statements[id]}",
                Where(source, row.line),
                "give each statement its own",
            )
        self.statements[id] = row.line
        if use == "all" or row.cells["forUse"] == "1":
            self.scus.append(SCU(id, text, (Contributor(reference, label=text, annotator=row.cells["author"]),)))

    def topic(self) -> Topic:
        references = tuple(self.references.values())
        return Topic(self.id, references, pyramid=Pyramid(self.id, references, tuple(self.scus)))


def losses(topics: Sequence[Topic], path: Path) -> list[str]:
    """List what is lost when the rows are read again."""
    return find_losses(topics, dumps, loads)


def dump(topics: Sequence[Topic], path: Path) -> None:
    """Write the statements of all topics."""
    write_bytes(path, dumps(topics))


def dumps(topics: Sequence[Topic]) -> bytes:
    """Return one row per SCU and contributor, all marked for use."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    rows = [row for topic in topics if topic.pyramid for row in _rows(topic.pyramid)]
    if not rows:
        raise FormatError("No topic has a pyramid with SCUs", do="build or annotate one first")
    writer.writerows(rows)
    return encode(out.getvalue())


def _rows(pyramid: Pyramid) -> Iterator[tuple[str, ...]]:
    """Yield a row for each contributor. Ids are of one row each, so SCU 7's second contributor is statement 7.2."""
    taken = {scu.id for scu in pyramid.scus}
    for scu in pyramid.scus:
        if scu.label.strip() in ("", PADDING):
            continue
        id, further_ids = scu.id, (f"{scu.id}.{n}" for n in count(2))
        for number, contributor in enumerate(scu.contributors):
            if number:
                id = next(further for further in further_ids if further not in taken)
                taken.add(id)
            yield pyramid.topic, id, scu.label, "Y", contributor.annotator, contributor.summary, "1"
