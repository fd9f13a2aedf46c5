"""Mechanical Turk's result tables of both tasks, and those of LitePyramids and REALSumm, which have the same columns.

*Writing*: ``Input.eventId``, ``Input.summId``, ``Input.summary_text`` and the statements ``Answer.s1..s8``. *Judging*:
the columns of :mod:`~pyramidion.formats.mturk_rows`. Our own tasks add ``Input.taskId`` and attention checks
(``Input.checkIdList``, ``Answer.C1Answer..``). Each row is recognised as of one task or the other by itself, because
people put tables together.

Without ``AssignmentId`` (REALSumm) a submission's id is made from its content and, where rows are the same, from their
number: the same file again brings nothing new. Without ``WorkerId`` the worker has no name.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyramidion.base.sheets import Sheet
from pyramidion.crowd.answers.cells import made_id, seconds_of
from pyramidion.crowd.answers.store import Status
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.answers.times import iso
from pyramidion.errors import FormatError, Where
from pyramidion.formats.mturk_rows import (
    COLUMNS,
    EVENT,
    IDS,
    TASK,
    TEXT,
    WORKER,
    JudgingRows,
    Row,
    Shared,
    cells_at,
    ids_in,
    letter_of,
    numbered_columns,
    plain,
)

REFERENCE, CHECKS = "Input.summId", "Input.checkIdList"
WRITING = (EVENT, REFERENCE, "Answer.s1")

_ONLY_JUDGING = frozenset({IDS, *COLUMNS[4:]})
_ONLY_WRITING = frozenset({REFERENCE, "Answer.s1"})


def is_results(header: Sequence[str]) -> bool:
    """Return whether a table with these columns is the results of a task."""
    return not (_ONLY_JUDGING | _ONLY_WRITING).isdisjoint(header)


def read_results(sheet: Sheet, shared: Shared) -> tuple[list[Submission], list[Status]]:
    """Return the submissions in a table, and the statuses that Mechanical Turk gives them."""
    about = _About(sheet)
    judging = None if _ONLY_JUDGING.isdisjoint(sheet.header) else _Judging(sheet, about, shared)
    writing = None if _ONLY_WRITING.isdisjoint(sheet.header) else _Writing(sheet, about, shared)
    about.keep_others()  # after both have marked the columns that they use
    submissions: list[Submission] = []
    for line, row in sheet.numbered_rows():
        try:
            # in a table of both tasks, the rows of judging are those that name statements
            if judging and (not writing or row[judging.rows.ids].strip()):
                submissions.append(judging.submission(row))
            elif writing:
                submissions.append(writing.submission(row))
        except FormatError as error:
            raise error.at(Where(sheet.source, line)) from None
    return submissions, about.statuses


class _About:
    """The columns that say who sent a row, when, and what became of it; each may be missing."""

    def __init__(self, sheet: Sheet) -> None:
        """Find the columns; of two that state the time taken, the page's own seconds come before MTurk's."""
        self.sheet = sheet
        self.id, self.worker, self.task = (sheet.column(name) for name in ("AssignmentId", WORKER, TASK))
        self.status, self.reject = sheet.column("AssignmentStatus"), sheet.column("Reject")
        self.says_status = self.status is not None or self.reject is not None
        self.time = sheet.column("SubmitTime")
        self.decisions = [place for place in map(sheet.column, ("ApprovalTime", "RejectionTime")) if place is not None]
        timed = [place for place in map(sheet.column, ("Answer.seconds", "WorkTimeInSeconds")) if place is not None]
        self.seconds = timed[0] if timed else None
        self.statuses: list[Status] = []
        self.used = {self.id, self.worker, self.task, self.status, self.time, self.seconds}
        self.extra_columns: list[tuple[str, int]] = []
        self.made: dict[str, int] = {}
        self.tells_nothing = False

    def keep_others(self) -> None:
        """Keep the columns that no reader uses as they are."""
        columns = enumerate(self.sheet.header)
        self.extra_columns = [
            (name or f"column {place + 1}", place) for place, name in columns if place not in self.used
        ]
        known = (self.id, self.worker, self.task, self.status, self.time, self.seconds)
        self.tells_nothing = not self.extra_columns and all(place is None for place in known)

    def extra(self, row: Row) -> tuple[tuple[str, str], ...]:
        return tuple([(name, row[place]) for name, place in self.extra_columns if row[place]])

    def id_of(self, row: Row, content_id: str) -> str:
        """Return the assignment's id; without one, the content's, numbered from its second row on."""
        if self.id is not None and (id := row[self.id].strip()):
            return id
        return self.numbered(content_id)

    def numbered(self, content_id: str) -> str:
        number = self.made[content_id] = self.made.get(content_id, 0) + 1
        return content_id if number == 1 else f"{content_id}-{number}"

    def note_status(self, row: Row, id: str) -> str:
        """Return the status of a row, and note it with the time of the decision."""
        status = "" if self.status is None else row[self.status].strip().lower()
        if self.reject is not None and row[self.reject].strip() and status != "approved":
            status = "rejected"
        if status:
            decided = max((iso(row[place]) for place in self.decisions), default="")
            self.statuses.append(Status(id, status, decided))
        return status


class _Judging:
    """Rows of the judging task."""

    def __init__(self, sheet: Sheet, about: _About, shared: Shared) -> None:
        self.about = about
        self.rows = JudgingRows(sheet, shared)
        self.checks = sheet.column(CHECKS)
        self.check_answers = numbered_columns(sheet, "Answer.C", "Answer")
        self.check_ids: dict[str, list[str]] = {}
        about.used |= {self.checks, sheet.column("Input.order"), *self.rows.columns, *self.check_answers.values()}
        about.used |= {*numbered_columns(sheet, "Input.check_").values()}

    def submission(self, row: Row) -> Submission:
        """Return the judgements in a row."""
        ((_, _, asked, _, _), topic, summary, text, key), answers = self.rows.read(row)
        about = self.about
        # Tables such as REALSumm's have only questions and answers: no other cell need be looked up, row by row.
        if about.tells_nothing and self.checks is None:
            id = about.numbered(f"{key}-{answers}")
            return Submission(id, "judging", topic, summary, "", "", asked, answers, (), (), None, "", "", text)
        worker = "" if about.worker is None else row[about.worker].strip()
        id = about.id_of(row, f"{key}-{answers}{worker}")
        return Submission(
            id,
            "judging",
            topic,
            summary,
            worker,
            "" if about.task is None else plain(row[about.task]).strip(),
            asked,
            answers,
            (),
            () if self.checks is None else self.check_letters(row),
            None if about.seconds is None else seconds_of(row[about.seconds]),
            "" if about.time is None else iso(row[about.time]),
            about.note_status(row, id) if about.says_status else "",
            text,
            about.extra(row) if about.extra_columns else (),
        )

    def check_letters(self, row: Row) -> tuple[tuple[str, str], ...]:
        """Return the ids of the attention checks and the letters of their answers."""
        literal = row[self.checks] if self.checks is not None else ""
        ids = self.check_ids.get(literal)
        if ids is None:
            ids = self.check_ids[literal] = ids_in(literal, CHECKS) if literal.strip() else []
        for number in range(1, len(ids) + 1):
            if number not in self.check_answers:
                raise FormatError(f"There is no column Answer.C{number}Answer", do="download the results again")
        numbered = enumerate(ids, start=1)
        return tuple((id, letter_of(row[self.check_answers[n]], f"check {id!r}")) for n, id in numbered)


class _Writing:
    """Rows of the writing task."""

    def __init__(self, sheet: Sheet, about: _About, shared: Shared) -> None:
        self.about, self.shared = about, shared
        self.event, self.reference, _ = sheet.columns(WRITING)
        self.text = sheet.column(TEXT)
        fields = numbered_columns(sheet, "Answer.s")
        self.fields = cells_at(list(fields.values()))
        about.used |= {self.event, self.reference, self.text, *fields.values()}

    def submission(self, row: Row) -> Submission:
        """Return the statements written in a row."""
        about = self.about
        topic, reference, text = (
            "" if place is None else plain(row[place], about.task is not None)
            for place in (self.event, self.reference, self.text)
        )
        if not topic.strip() or not reference.strip():
            raise FormatError(f"{REFERENCE if topic.strip() else EVENT} is empty", do="fill it in, or delete the row")
        written = tuple(cell.strip() for cell in self.fields(row) if cell.strip())
        worker = "" if about.worker is None else row[about.worker].strip()
        id = about.id_of(row, made_id(topic, reference, worker, *written))
        return Submission(
            id,
            "writing",
            topic,
            reference,
            worker,
            "" if about.task is None else plain(row[about.task]).strip(),
            written=written,
            seconds=None if about.seconds is None else seconds_of(row[about.seconds]),
            submitted="" if about.time is None else iso(row[about.time]),
            status=about.note_status(row, id) if about.says_status else "",
            text=self.shared.texts.setdefault(text, text),
            extra=about.extra(row),
        )
