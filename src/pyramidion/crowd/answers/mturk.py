"""Mechanical Turk's result tables of both tasks, and those of LitePyramids and REALSumm, which have the same columns.

*Writing*: ``Input.eventId``, ``Input.summId``, ``Input.summary_text`` and the statements ``Answer.s1..s8``. *Judging*:
``Input.eventId``, ``Input.summaryId``, ``Input.qIdList``, ``Input.summary_text``, ``Input.statement_1..N`` and
``Answer.S1Answer..SNAnswer`` in ``p n ?`` or nothing; ``BLANK`` statements are padding. Our own tasks add
``Input.taskId`` and attention checks (``Input.checkIdList``, ``Answer.C1Answer..``). Which task a row is of is decided
row by row, because people put tables together.

Without ``AssignmentId`` (REALSumm) a submission's id is made from its content and, where rows are the same, from their
number: the same file again brings nothing new. Without ``WorkerId`` the worker has no name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, cast
from zlib import crc32

from pyramidion.crowd.answers.cells import LETTERS, letter_of, made_id, seconds_of
from pyramidion.crowd.answers.sheets import Sheet
from pyramidion.crowd.answers.store import Status
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.answers.times import iso
from pyramidion.errors import FormatError
from pyramidion.formats.litepyramids import PADDING
from pyramidion.formats.mturk_ratings import EVENT, IDS, LIST, SUMMARY, TASK, TEXT, WORKER, id_list
from pyramidion.io.csv import RUN
from pyramidion.io.xml import unescaped

__all__ = ["Shared", "is_results", "read_results"]

REFERENCE, CHECKS = "Input.summId", "Input.checkIdList"
JUDGING = (EVENT, SUMMARY, IDS, TEXT, "Input.statement_1", "Answer.S1Answer")
WRITING = (EVENT, REFERENCE, "Answer.s1")

_ONLY_JUDGING = frozenset({IDS, "Input.statement_1", "Answer.S1Answer"})
_ONLY_WRITING = frozenset({REFERENCE, "Answer.s1"})

Row = list[str]
Cells = Callable[[Row], tuple[str, ...]]


class Part(NamedTuple):
    """What rows with the same statements have in common."""

    literal: str
    cells: tuple[str, ...]
    asked: Asked
    answers: Cells
    """What takes the answers from a row."""
    checksum: int
    """Of the ids."""


class Plan(NamedTuple):
    """What rows that ask the same of the same summary have in common."""

    part: Part
    topic: str
    summary: str
    text: str
    key: str
    """For ids that are made from content."""


Question = tuple[str, str, str]
"""The cells of topic, summary and text."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What many rows, and several files, have in common: each kept once."""

    asked: dict[tuple[tuple[str, ...], tuple[str, ...]], Asked] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    letters: dict[tuple[str, ...], str] = field(default_factory=dict)
    """By the cells of a row's answers, what they say."""
    parts: dict[tuple[object, ...], dict[str, Part]] = field(default_factory=dict)
    """By whether cells are markup and where statements and answers are, then by the list of ids."""

    def statements(self, ids: tuple[str, ...], words: tuple[str, ...]) -> Asked:
        """The statements, the same object for the same ids and words."""
        return self.asked.setdefault((ids, words), Asked(ids, words))


def is_results(header: Sequence[str]) -> bool:
    """Whether a table with these columns is the results of a task."""
    return not (_ONLY_JUDGING | _ONLY_WRITING).isdisjoint(header)


def read_results(sheet: Sheet, shared: Shared) -> tuple[list[Submission], list[Status]]:
    """The submissions in a table, and what Mechanical Turk says of them."""
    about = _About(sheet)
    judging = None if _ONLY_JUDGING.isdisjoint(sheet.header) else _Judging(sheet, about, shared)
    writing = None if _ONLY_WRITING.isdisjoint(sheet.header) else _Writing(sheet, about, shared)
    about.keep_others()
    found: list[Submission] = []
    try:
        for row in sheet.rows():
            if judging and (not writing or row[judging.ids].strip()):
                found.append(judging.submission(row))
            elif writing:
                found.append(writing.submission(row))
    except FormatError as error:
        raise error if error.where.source else error.at(sheet.where(len(found))) from None
    return found, about.statuses


def _plain(cell: str, is_markup: bool = False) -> str:
    """The text of a cell, without the space that keeps spreadsheets from running it; our own tasks' are markup."""
    cell = cell[1:] if cell[:1] == " " and cell[1:2] in RUN else cell
    return unescaped(cell) if is_markup and "&" in cell else cell


def _cells(places: Sequence[int]) -> Cells:
    if len(places) == 1:
        only = places[0]
        return lambda row: (row[only],)
    return itemgetter(*places) if places else lambda row: ()


def _numbered(sheet: Sheet, before: str, after: str = "") -> dict[int, int]:
    """The places of numbered columns, by their numbers."""
    found = _numbers(sheet.header, before, after)
    return {number: place for number in found if (place := sheet.column(f"{before}{number}{after}")) is not None}


@lru_cache(maxsize=64)
def _numbers(header: tuple[str, ...], before: str, after: str) -> list[int]:
    pattern = re.compile(re.escape(before) + "([1-9][0-9]{0,2})" + re.escape(after), re.ASCII)
    return sorted({int(match[1]) for match in map(pattern.fullmatch, header) if match})


class _About:
    """The columns that say who sent a row, when, and what became of it; each may be missing."""

    def __init__(self, sheet: Sheet) -> None:
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
        self.others: list[tuple[str, int]] = []
        self.made: dict[str, int] = {}
        self.tells_nothing = False

    def keep_others(self) -> None:
        """Columns that nothing uses are kept as they are."""
        named = enumerate(self.sheet.header)
        self.others = [(name or f"column {place + 1}", place) for place, name in named if place not in self.used]
        mine = (self.id, self.worker, self.task, self.status, self.time, self.seconds)
        self.tells_nothing = not self.others and all(place is None for place in mine)

    def extra(self, row: Row) -> tuple[tuple[str, str], ...]:
        return tuple([(name, row[place]) for name, place in self.others if row[place]])

    def id_of(self, row: Row, made: str) -> str:
        """The assignment's id; without one, that made from the content, from the second such row on with a number."""
        if self.id is not None and (id := row[self.id].strip()):
            return id
        return self.numbered(made)

    def numbered(self, made: str) -> str:
        number = self.made[made] = self.made.get(made, 0) + 1
        return made if number == 1 else f"{made}-{number}"

    def say(self, row: Row, id: str) -> str:
        """The status of a row, which is noted with the time of the decision."""
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
        self.about, self.shared = about, shared
        self.event, self.summary, self.ids, self.text, *_ = sheet.columns(JUDGING)
        statements = _numbered(sheet, "Input.statement_")
        self.numbers = list(statements)
        self.statements = _cells(list(statements.values()))
        self.answers = _numbered(sheet, "Answer.S", "Answer")
        self.checks, order = sheet.column(CHECKS), sheet.column("Input.order")
        self.check_answers = _numbered(sheet, "Answer.C", "Answer")
        about.used |= {self.event, self.summary, self.ids, self.text, self.checks, order, *statements.values()}
        about.used |= {*self.answers.values(), *self.check_answers.values(), *_numbered(sheet, "Input.check_").values()}
        self.is_markup = about.task is not None
        self.question = cast(Callable[[Row], Question], itemgetter(self.event, self.summary, self.text))
        self.plans: dict[Question, Plan] = {}
        self.letters = shared.letters
        self.check_ids: dict[str, list[str]] = {}
        self.parts = shared.parts.setdefault((self.is_markup, *statements.items(), *self.answers.items()), {})

    def submission(self, row: Row) -> Submission:
        question, literal, cells = self.question(row), row[self.ids], self.statements(row)
        plan = self.plans.get(question)
        if plan is None or plan.part.literal != literal or plan.part.cells != cells:
            plan = self.plans[question] = self.plan(question, literal, cells)
        (_, _, asked, taken, _), topic, summary, text, key = plan
        given = taken(row)
        answers = self.letters.get(given) or self.answered(asked, given)
        about = self.about
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
            "" if about.task is None else _plain(row[about.task]).strip(),
            asked,
            answers,
            (),
            () if self.checks is None else self.checked(row),
            None if about.seconds is None else seconds_of(row[about.seconds]),
            "" if about.time is None else iso(row[about.time]),
            about.say(row, id) if about.says_status else "",
            text,
            about.extra(row) if about.others else (),
        )

    def answered(self, asked: Asked, given: tuple[str, ...]) -> str:
        """The letters of a row's answers."""
        try:
            letters = "".join([LETTERS[cell] for cell in given])
        except KeyError:
            named = zip(asked.ids, given, strict=True)
            letters = "".join([letter_of(cell, f"statement {id!r}") for id, cell in named])
        self.letters[given] = letters
        return letters

    def plan(self, question: Question, literal: str, cells: tuple[str, ...]) -> Plan:
        """What such a row asks, and where its answers are; the row's own cells are not kept where they are shared."""
        topic, summary, text = question
        for column, cell in ((EVENT, topic), (SUMMARY, summary)):
            if not cell or cell.isspace():
                raise FormatError(f"{column} is empty", do="fill it in, or delete the row")
        if self.is_markup or " " in (topic[0], summary[0], text[:1]):
            topic, summary, text = (_plain(cell, self.is_markup) for cell in question)
        part = self.parts.get(literal)
        if part is None or part.cells != cells:
            part = self.parts[literal] = self.part(literal, cells)
        check = crc32(text.encode("utf-8", "surrogatepass"), part.checksum)
        return Plan(part, topic, summary, text, f"{topic}/{summary}/{check:08x}")

    def part(self, literal: str, cells: tuple[str, ...]) -> Part:
        """The statements that a list of ids and their cells show."""
        ids = _ids(literal, IDS)
        if len(ids) > self.numbers[-1]:
            raise FormatError(
                f"{IDS} names {len(ids)} statements, but the file has columns for {self.numbers[-1]}", do="correct it"
            )
        numbered = zip(self.numbers, cells, strict=True)
        shown = [(number, words) for number, words in numbered if words.strip() not in ("", PADDING)]
        for number, _ in shown:
            if number > len(ids):
                raise FormatError(
                    f"statement {number} has no id: {IDS} names {len(ids)}", do="name every statement there"
                )
            if number not in self.answers:
                raise FormatError(f"there is no column Answer.S{number}Answer", do="download the results again")
        if not shown:
            raise FormatError("the row asks nothing: every statement is empty", do="delete the row")
        named = tuple(ids[number - 1] for number, _ in shown)
        if len(set(named)) < len(named):
            raise FormatError(f"{IDS} names a statement twice", do="give each statement its own id")
        asked = self.shared.statements(named, tuple(_plain(words, self.is_markup) for _, words in shown))
        taken = _cells([self.answers[number] for number, _ in shown])
        return Part(literal, cells, asked, taken, crc32("\x1f".join(named).encode("utf-8", "surrogatepass")))

    def checked(self, row: Row) -> tuple[tuple[str, str], ...]:
        """The attention checks and their answers."""
        literal = row[self.checks] if self.checks is not None else ""
        ids = self.check_ids.get(literal)
        if ids is None:
            ids = self.check_ids[literal] = _ids(literal, CHECKS) if literal.strip() else []
        for number in range(1, len(ids) + 1):
            if number not in self.check_answers:
                raise FormatError(f"there is no column Answer.C{number}Answer", do="download the results again")
        numbered = enumerate(ids, start=1)
        return tuple((id, letter_of(row[self.check_answers[n]], f"check {id!r}")) for n, id in numbered)


def _ids(literal: str, column: str) -> list[str]:
    try:
        return id_list(literal)
    except ValueError:
        raise FormatError(f"{column} is not a list of ids: {literal[:60]!r}", do=LIST) from None


class _Writing:
    """Rows of the writing task."""

    def __init__(self, sheet: Sheet, about: _About, shared: Shared) -> None:
        self.about, self.shared = about, shared
        self.event, self.reference, _ = sheet.columns(WRITING)
        self.text = sheet.column(TEXT)
        fields = _numbered(sheet, "Answer.s")
        self.fields = _cells(list(fields.values()))
        about.used |= {self.event, self.reference, self.text, *fields.values()}

    def submission(self, row: Row) -> Submission:
        about = self.about
        topic, reference, text = (
            "" if place is None else _plain(row[place], about.task is not None)
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
            "" if about.task is None else _plain(row[about.task]).strip(),
            written=written,
            seconds=None if about.seconds is None else seconds_of(row[about.seconds]),
            submitted="" if about.time is None else iso(row[about.time]),
            status=about.say(row, id) if about.says_status else "",
            text=self.shared.texts.setdefault(text, text),
            extra=about.extra(row),
        )
