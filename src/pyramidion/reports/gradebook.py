"""The gradebook: one row per student, for a spreadsheet (CSV, XLSX) or for the import of Moodle or Canvas.

Excel takes a CSV file for UTF-8 only if it begins with the byte order mark, so this one does; other programs skip it
(Python: ``encoding="utf-8-sig"``). A cell of text that a spreadsheet would take for a formula, because a file name or a
text begins with ``=``, ``+``, ``-`` or ``@``, gets an apostrophe in front; in XLSX it is marked as text instead.
Percentages, points and raw scores that are expectations (a judge's, see :mod:`pyramidion.scoring`) have two decimals,
other scores their full precision.

Moodle reads the columns of its *offline grading worksheet* and finds a student by *Participant* and number; Canvas
reads those of its *gradebook export* and finds a student by ID, or else by name. Both numbers are in the file names of
their exports, so that :attr:`~pyramidion.model.Summary.number` has them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from pyramidion.base.choices import check_choices
from pyramidion.base.csv import harmless
from pyramidion.base.files import decode, read_bytes
from pyramidion.base.sheets import open_sheet
from pyramidion.base.tables import Cell, plural
from pyramidion.errors import FormatError, MissingPartError, PyramidionError, Where
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.evaluation.scored import Scored
from pyramidion.explanation import Missed, explain
from pyramidion.model import Unread
from pyramidion.notes import note

LMS = Literal["moodle", "canvas"]

MISSED = 5
"""The number of missed ideas that have a column each."""

_NUMBERS = ("raw", "quality", "coverage", "comprehensive", "scus", "contradicted")

_OPTIONAL = ("student_id", "annotator", "points", "grade")
_ORDER = (
    *("topic", "student", "student_id", "annotator", "percent", "points", "grade", *_NUMBERS, "copied", "copied_from"),
    *(f"missed_{rank}" for rank in range(1, MISSED + 1)),
    *("words", "signature"),
)
COLUMNS = tuple(name for name in _ORDER if name not in _OPTIONAL)
"""The columns; ``student_id`` and ``annotator`` follow ``student`` where there are such, ``points`` and ``grade``
follow ``percent`` where they are asked for.

``percent`` is the number of the pages, 100 at most: :func:`~pyramidion.evaluation.scored.mark`. ``contradicted`` counts
the ideas that a text contradicts; those are not among the missed ones. ``copied`` is the percentage of the words that
are copied (:mod:`pyramidion.metrics.copying`), and ``copied_from`` says where from, where that is notable.

Who handed in a file that cannot be read, or was read by nobody, has a row without scores, which says so under
``missed_1``.
"""

_TWO_DECIMALS = ("percent", "points", "copied")
_MOODLE = ("Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments")
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


@dataclass(frozen=True, slots=True)
class Band:
    """A grade and the lowest percentage that earns it."""

    grade: str
    start: float


@dataclass(frozen=True, slots=True)
class Grading:
    """The rules by which a percentage becomes points and a grade.

    >>> grading = Grading(20, (Band("pass", 50), Band("fail", 0)))
    >>> grading.points_of(42.5), grading.grade_of(42.5), grading.grade_of(50)
    (8.5, 'fail', 'pass')
    """

    points: float | None = None
    """The points for 100 %; no points if None."""
    bands: tuple[Band, ...] = ()
    """One of them begins at 0; no grades if there are none."""

    def __post_init__(self) -> None:
        if self.points is not None and not (isfinite(self.points) and self.points > 0):
            raise PyramidionError(f"The points are {self.points:g}; give a number above 0.")
        starts = [band.start for band in self.bands]
        if self.bands and 0 not in starts:
            raise PyramidionError(f"The lowest grade begins at {min(starts):g} %.", do="add a grade that begins at 0")
        for start in starts:
            if not 0 <= start <= 100 or starts.count(start) > 1:
                why = "twice" if starts.count(start) > 1 else "but percentages go from 0 to 100"
                raise PyramidionError(f"A grade begins at {start:g} %, {why}.", do="give each grade its own beginning")

    def points_of(self, percent: float) -> float | None:
        """Return the points, with two decimals."""
        return None if self.points is None else round(self.points * percent / 100, 2)

    def grade_of(self, percent: float) -> str:
        """Return the grade of the highest band that begins at the percentage, as it is printed, or below."""
        reached = (band for band in self.bands if band.start <= percent)
        return max(reached, key=lambda band: band.start).grade if self.bands else ""


PLAIN = Grading()
"""No points and no grades."""


def read_bands(path: Path | str) -> tuple[Band, ...]:
    """Return the bands in a spreadsheet's CSV file with the columns ``grade`` and ``from``, in any order."""
    sheet = open_sheet(decode(read_bytes(Path(path)), str(path)), str(path))
    grades, starts = sheet.column("grade"), sheet.column("from")
    if grades is None or starts is None:
        raise FormatError("The bands need the columns 'grade' and 'from'.", str(path), "name them in the first line")
    bands = []
    for line, row in sheet.numbered_rows():
        grade, start = row[grades].strip(), row[starts].strip()
        try:
            bands.append(Band(grade, float(start.removesuffix("%").replace(",", "."))))
        except ValueError:
            message = f"The grade {grade!r} begins at {start!r}, which is not a number."
            raise FormatError(message, Where(str(path), line), "give the lowest percentage of this grade") from None
    if not bands:
        raise FormatError("There are no bands.", str(path), "add a row for each grade, such as: A,85")
    return tuple(bands)


@check_choices
def gradebook(
    evaluation: Evaluation,
    grading: Grading = PLAIN,
    *,
    lms: LMS | None = None,
    format: Literal["csv", "xlsx"] = "csv",
) -> bytes:
    """Return the whole file: a row for every peer of every topic, by name, with its most important missed ideas.

    * ``evaluation`` has the scores; its setting ``cap`` says whether ``coverage`` can be above 1. ``percent`` never is.
    * ``grading`` says what points and grades there are.
    * ``lms`` gives the columns that Moodle or Canvas imports in place of :data:`COLUMNS`.
    * ``format``: ``xlsx`` needs openpyxl; Moodle and Canvas take CSV.

    >>> import pyramidion as pm
    >>> gradebook(pm.evaluate(pm.example()[:1], "manual"), Grading(20), lms="canvas").decode("utf-8-sig").split()[:2]
    ['Student,ID,SIS', 'User']
    """
    rows = grades(evaluation, grading)
    if lms:
        if format != "csv":
            raise PyramidionError(f"{lms.capitalize()} imports CSV, not {format}.", do="write a file that ends in .csv")
        columns, rows = {"moodle": _moodle, "canvas": _canvas}[lms](rows, grading)
    else:
        present = {name for row in rows for name in _OPTIONAL if row.get(name) not in (None, "")}
        present |= {name for name, wanted in (("points", grading.points), ("grade", grading.bands)) if wanted}
        columns = [name for name in _ORDER if name not in _OPTIONAL or name in present]
    return _xlsx(columns, rows) if format == "xlsx" else _csv(columns, rows)


def grades(evaluation: Evaluation, grading: Grading = PLAIN) -> list[dict[str, Cell]]:
    """Return the rows of the gradebook, each by the names of its columns; cells with nothing to say are left out."""
    peers = [result for result in evaluation.results if result.scores.role == "peer"]
    peers.sort(key=lambda peer: (peer.scores.summary, peer.scores.topic, peer.scores.annotator))
    rows = [_row(peer, grading) for peer in peers]
    for topic, peer in evaluation.unread:
        row: dict[str, Cell] = {"topic": topic, "student": peer.name, "student_id": peer.number}
        rows.append(row | {"missed_1": _remark(peer)})
    return [row | {"signature": str(evaluation.signature)} for row in rows]


def _remark(peer: Unread) -> str:
    """Return the remark that a student without scores has in the place of the first missed idea."""
    return f"n{peer.why[1:]}" if peer.why.startswith("Not read") else f"not scored: {peer.why}"


def _row(scored: Scored, grading: Grading) -> dict[str, Cell]:
    """Return the row of a text that was read: identity, percentage and grade, scores, copying, and the ideas missed."""
    scores, summary = scored.scores, scored.annotation.summary
    row: dict[str, Cell] = {"topic": scores.topic, "student": scores.summary, "annotator": scores.annotator}
    row["student_id"] = summary.number
    if (percent := scored.mark) is not None:
        row |= {"percent": percent, "points": grading.points_of(percent), "grade": grading.grade_of(percent)}
    row |= {name: getattr(scores, name) for name in _NUMBERS}
    row["raw"] = None if scores.raw is None else round(scores.raw, 2)
    row |= {"copied": round(100 * scored.copied.share, 2), "copied_from": str(scored.copied)}
    if scores.raw is None:
        row["missed_1"] = "not scored: nobody annotated it"
    else:
        missed = explain(scored.pyramid, scored.annotation, scores.settings).missed
        advice = [idea for idea in missed if not idea.unclear][:MISSED]
        row |= {f"missed_{rank}": _idea(idea, scored.pyramid.size) for rank, idea in enumerate(advice, 1)}
    return row | {"words": len(summary.text.split())}


def _idea(idea: Missed, references: int) -> str:
    return f"{idea.label or idea.scu} ({len({said.reference for said in idea.contributors})} of {references})"


def check_lms(lms: LMS | None, topics: Collection[str]) -> None:
    """Raise an error if the platform cannot import that many topics at a time."""
    if lms == "moodle" and len(topics) > 1:
        raise PyramidionError(
            f"Moodle imports one assignment at a time, but there are {len(topics)} topics.",
            do=f"choose one of them: {', '.join(sorted(topics))}",
        )


Rows = list[dict[str, Cell]]


def _moodle(rows: Rows, grading: Grading) -> tuple[Sequence[str], Rows]:
    """Return Moodle's offline grading worksheet; it needs the identifier, the grade, and when that last changed."""
    check_lms("moodle", {str(row["topic"]) for row in rows})
    students = _students(rows)
    nameless = sum(not number for _, number, _ in students)
    if nameless:
        note(
            f"{plural(nameless, 'student')} without a participant number, which Moodle needs to find them: "
            "score the files as Moodle exports them, or add the numbers"
        )
    lines = []
    for name, number, readings in students:
        identifier = f"Participant {number}" if number else ""
        cells = (
            identifier,
            name,
            _mark(readings, grading),
            f"{grading.points or 100:g}",
            "-",
            _comment(readings, grading),
        )
        lines.append(dict[str, Cell](zip(_MOODLE, cells, strict=True)))
    return _MOODLE, lines


def _comment(rows: Rows, grading: Grading) -> str:
    """Return the comment that a student reads next to the mark."""
    percent, missed = _percent(rows), str(rows[0].get("missed_1") or "")
    if percent is None:
        return missed
    grade = grading.grade_of(percent)
    remarks = (grade and f"Grade: {grade}.", missed and f"Most important idea missed: {missed}.")
    return " ".join(filter(None, remarks))


def _canvas(rows: Rows, grading: Grading) -> tuple[Sequence[str], Rows]:
    """Return Canvas's gradebook: a column for each topic, headed by the assignment's name, and the points possible."""
    topics = sorted({str(row["topic"]) for row in rows})
    # with the spaces in front, as Canvas exports it
    lines: Rows = [{"Student": "    Points Possible", **dict.fromkeys(topics, grading.points or 100)}]
    for name, number, readings in _students(rows):
        marks = {topic: _mark([row for row in readings if row["topic"] == topic], grading) for topic in topics}
        lines.append({"Student": name, "ID": number, **marks})
    return (*_CANVAS, *topics), lines


def _students(rows: Rows) -> list[tuple[str, str, Rows]]:
    """Return each student's name and number, and what is known of them, by name."""

    def student(row: dict[str, Cell]) -> tuple[str, str]:
        return str(row["student"]), str(row.get("student_id") or "")

    return [(*key, list(readings)) for key, readings in groupby(sorted(rows, key=student), key=student)]


def _percent(rows: Rows) -> float | None:
    """Return the percentage; of several readings, their mean."""
    known = [float(row["percent"] or 0) for row in rows if "percent" in row]
    return round(fmean(known), 2) if known else None


def _mark(rows: Rows, grading: Grading) -> str:
    """Return the points, or the percentage where there are none. Nothing if not scored."""
    percent = _percent(rows)
    if percent is None:
        return ""
    points = grading.points_of(percent)
    return f"{percent if points is None else points:.2f}"


def _csv(columns: Sequence[str], rows: Iterable[dict[str, Cell]]) -> bytes:
    out = io.StringIO()
    # rows have cells for every column that there is; only those that are asked for are written
    writer = csv.DictWriter(out, columns, extrasaction="ignore")
    writer.writerow({name: _on_one_line(name) for name in columns})
    writer.writerows({name: _cell(name, cell) for name, cell in row.items()} for row in rows)
    return out.getvalue().encode("utf-8-sig", "replace")


def _cell(name: str, cell: Cell) -> Cell:
    if name in _TWO_DECIMALS and cell is not None:
        return f"{cell:.2f}"
    return harmless(_on_one_line(cell)) if isinstance(cell, str) else cell


def _on_one_line(cell: str) -> str:
    return " ".join(cell.split())


def _xlsx(columns: Sequence[str], rows: Iterable[dict[str, Cell]]) -> bytes:
    """Return a workbook of one sheet: numbers are numbers, and no text is a formula."""
    try:
        from openpyxl import Workbook
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
        from openpyxl.styles import Font
    except ImportError as error:
        do = "write a .csv file, or run: pip install 'pyramidion[documents]'"
        raise MissingPartError("Writing .xlsx needs openpyxl.", do=do) from error
    book = Workbook()
    sheet: Any = book.active
    sheet.title = "Gradebook"
    sheet.append(list(columns))
    for place, row in enumerate(rows, 2):
        for number, name in enumerate(columns, 1):
            cell = row.get(name)
            target = sheet.cell(place, number)
            if isinstance(cell, str):
                target.value = ILLEGAL_CHARACTERS_RE.sub(" ", _on_one_line(cell))
                target.data_type = "s"  # a value that begins with = is taken for a formula
            else:
                target.value = cell
                target.number_format = "0.00" if name in _TWO_DECIMALS else "General"
    for heading in sheet[1]:
        heading.font = Font(bold=True)
    # the headings, the topic and the student stay in sight
    sheet.freeze_panes = "C2"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
