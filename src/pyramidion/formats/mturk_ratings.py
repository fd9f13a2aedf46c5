"""Results of the judging task on Mechanical Turk: does this summary express these statements?

The task is that of LitePyramids (Shapira et al. 2019), which REALSumm took over. One row is one worker's judgement of
up to 16 statements on one summary: ``Input.eventId``, ``Input.summaryId``, ``Input.qIdList`` (a Python list of the
statements' ids), ``Input.summary_text``, ``Input.statement_1..16`` and ``Answer.S1Answer..S16Answer``, which are ``p``
(present), ``n`` (not present) or nothing. Every worker's votes become an annotation of their own; how votes are put
together is not decided here.

A vote that was not given is not a vote against: such statements are the annotation's unjudged ones, ``no answer``
where the worker left the question out (the paper takes these as missing, the published code as present) and
``not asked`` where no row of the worker had the statement. ``BLANK`` statements are padding. In files without
``WorkerId`` (REALSumm) each row is a worker. Results of ``pyramidion crowd pages`` are read, too: there, ``?`` (cannot
tell) is no answer, and texts are markup.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from pyramidion.errors import FormatError, InputWarning, PyramidionError, Where
from pyramidion.formats.litepyramids import MOST_ROWS, PADDING
from pyramidion.io.csv import Row, header_of, read_table
from pyramidion.io.files import decode, read_bytes
from pyramidion.io.limits import check_count
from pyramidion.io.xml import unescaped
from pyramidion.model import (
    NO_ANSWER,
    NOT_ASKED,
    SCU,
    Annotation,
    Contributor,
    Match,
    Pyramid,
    Summary,
    Topic,
    Unjudged,
)

TITLE = "LitePyramids and REALSumm: workers' judgements of statements (Mechanical Turk CSV)"
SUFFIXES = ()

EVENT, SUMMARY, IDS, TEXT = "Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"
COLUMNS = (EVENT, SUMMARY, IDS, TEXT, "Input.statement_1", "Answer.S1Answer")
WORKER = "WorkerId"
TASK = "Input.taskId"
REFERENCE = "statements"
"""The made reference that contributes to every SCU: all statements weigh 1."""

LIST = "write it as ['1', '2']"
"""What to do about a list of ids that is none."""

_STATEMENT = re.compile(r"Input\.statement_([1-9][0-9]{0,2})", re.ASCII)
_LONGEST_LIST = 10_000
_PLAIN_LIST = re.compile(r"\['[^'\\\r\n\0]+'(?:, '[^'\\\r\n\0]+'){0,99}\]")
"""What nearly all lists look like; parsing them as Python takes twenty times as long."""


def id_list(literal: str) -> list[str]:
    """The ids in a Python list literal; a ``ValueError`` where it is none.

    >>> id_list("['7', 8]")
    ['7', '8']
    """
    if _PLAIN_LIST.fullmatch(literal):
        return literal[2:-2].split("', '")
    try:
        if len(literal) > _LONGEST_LIST:
            raise ValueError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own on odd escapes in the literal
            ids = ast.literal_eval(literal.strip())
        if not isinstance(ids, list) or not all(isinstance(id, str | int) and id != "" for id in ids):
            raise ValueError
        return [str(id) for id in ids]
    except (SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError from None


def sniff(path: Path, head: bytes) -> bool:
    """A CSV file with the judging task's ``Input.`` and ``Answer.`` columns."""
    return set(COLUMNS) <= set(header_of(head))


def load(path: Path) -> list[Topic]:
    """The topics of a file."""
    return loads(read_bytes(path), str(path))


def loads(data: bytes | str, source: str = "<string>") -> list[Topic]:
    """One topic per event: a pyramid of its statements, the judged peers, and an annotation per worker and peer."""
    reader = _Reader(source)
    for row in read_table(decode(data, source), source, COLUMNS, most=MOST_ROWS):
        reader.add(row)
    reader.check_votes()
    if not reader.events:
        raise FormatError("the file has a header but no row", source, "download the results again")
    try:
        topics = [event.topic() for event in reader.events.values()]
    except PyramidionError as error:
        raise error.at(Where(source)) from None
    reader.report()
    return topics


class _Votes:
    """What one worker said of one summary: the answer to each statement that was asked, empty where none was given."""

    def __init__(self, summary: Summary, worker: str) -> None:
        self.summary = summary
        self.worker = worker
        self.answers: dict[str, str] = {}

    def missing(self, statements: Iterable[str]) -> tuple[tuple[str, Unjudged], ...]:
        return tuple(
            (id, NO_ANSWER if id in self.answers else NOT_ASKED) for id in statements if not self.answers.get(id)
        )

    def annotation(self, statements: Iterable[str]) -> Annotation:
        matches = tuple(Match(id) for id in statements if self.answers.get(id) == "p")
        return Annotation(self.summary, matches, annotator=self.worker, unjudged=self.missing(statements))


class _Event:
    """The rows of one topic, as they come."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.statements: dict[str, str] = {}
        self.peers: dict[str, Summary] = {}
        self.votes: dict[tuple[str, str], _Votes] = {}
        self.anonymous: Counter[str] = Counter()

    def votes_of(self, summary: Summary, worker: str) -> _Votes:
        """The votes that a row adds to: those of the same worker on the same summary."""
        if not worker:
            self.anonymous[summary.id] += 1
            worker = f"worker-{self.anonymous[summary.id]}"
        return self.votes.setdefault((summary.id, worker), _Votes(summary, worker))

    def topic(self) -> Topic:
        made = Summary(REFERENCE, "", "reference")
        scus = tuple(SCU(id, text, (Contributor(REFERENCE, label=text),)) for id, text in self.statements.items())
        return Topic(
            self.id,
            (made,),
            tuple(self.peers.values()),
            pyramid=Pyramid(self.id, (made,), scus),
            annotations=tuple(votes.annotation(self.statements) for votes in self.votes.values()),
        )


class _Reader:
    """Rows to events, for one file."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.events: dict[str, _Event] = {}

    def fail(self, row: Row, what: str, do: str) -> FormatError:
        return FormatError(what, Where(self.source, row.line), do)

    def warn(self, line: int | None, what: str) -> None:
        warnings.warn(f"{Where(self.source, line)}: {what}", InputWarning, stacklevel=4)

    def add(self, row: Row) -> None:
        for column in (EVENT, SUMMARY):
            if not row.cells[column].strip():
                raise self.fail(row, f"{column} is empty", "fill it in, or delete the row")
        event = self.events.setdefault(row.cells[EVENT], _Event(row.cells[EVENT]))
        votes = event.votes_of(self.summary(row, event), row.cells.get(WORKER, "").strip())
        repeated = 0
        for id, statement, answer in self.judgements(row):
            if event.statements.setdefault(id, statement) != statement:
                raise self.fail(
                    row, f"statement {id!r} reads otherwise in an earlier row", "give each statement an id of its own"
                )
            if votes.answers.get(id):
                repeated += 1
            else:
                votes.answers[id] = answer
        if repeated:
            self.warn(
                row.line,
                f"{votes.worker} answers {repeated} statements on {votes.summary.id!r} again; the first answer stands",
            )

    def check_votes(self) -> None:
        """Raise where so many votes are missing that noting them would fill the memory.

        Every worker could have voted on every statement of the topic, and what is missing is noted one by one.
        """
        possible = sum(len(event.statements) * len(event.votes) for event in self.events.values())
        check_count(possible, "votes, given or missing", self.source)

    def summary(self, row: Row, event: _Event) -> Summary:
        id, text = row.cells[SUMMARY], self.text(row, TEXT)
        summary = event.peers.setdefault(id, Summary(id, text, "peer"))
        if summary.text != text:
            self.warn(row.line, f"the text of summary {id!r} differs from that in an earlier row, which was kept")
        return summary

    def judgements(self, row: Row) -> Iterator[tuple[str, str, str]]:
        """Id, words and answer of each statement in the row that is not padding."""
        ids = self.ids(row)
        numbers = sorted(int(found[1]) for found in map(_STATEMENT.fullmatch, row.cells) if found)
        if len(ids) > numbers[-1]:
            raise self.fail(
                row, f"{IDS} names {len(ids)} statements, but the file has columns for {numbers[-1]}", "correct it"
            )
        for number in numbers:
            statement = self.text(row, f"Input.statement_{number}")
            if statement.strip() in ("", PADDING):
                continue
            if number > len(ids):
                raise self.fail(
                    row, f"statement {number} has no id: {IDS} names {len(ids)}", "name every statement there"
                )
            answer = row.cells.get(f"Answer.S{number}Answer")
            if answer is None:
                raise self.fail(row, f"there is no column Answer.S{number}Answer", "download the results again")
            if answer.strip() not in ("p", "n", "?", ""):
                raise self.fail(row, f"the answer to statement {number} is {answer!r}", "it must be p, n, ? or nothing")
            yield ids[number - 1], statement, answer.strip().strip("?")

    def text(self, row: Row, column: str) -> str:
        return unescaped(row.cells[column]) if TASK in row.cells else row.cells[column]

    def ids(self, row: Row) -> list[str]:
        try:
            return id_list(row.cells[IDS])
        except ValueError:
            raise self.fail(row, f"{IDS} is not a list of ids: {row.cells[IDS][:60]!r}", LIST) from None

    def report(self) -> None:
        """Say once per file what votes are missing."""
        missing = [
            [why for _, why in votes.missing(event.statements)]
            for event in self.events.values()
            for votes in event.votes.values()
        ]
        unanswered = sum(whys.count(NO_ANSWER) for whys in missing)
        if unanswered:
            self.warn(None, f"{unanswered} statement(s) were left unanswered; they are unjudged in the annotations")
        partial = sum(NOT_ASKED in whys for whys in missing)
        if partial:
            self.warn(
                None,
                f"{partial} of {len(missing)} annotations judge only part of their topic's statements; "
                "votes on the others are missing, not negative, and unjudged in the annotations",
            )
