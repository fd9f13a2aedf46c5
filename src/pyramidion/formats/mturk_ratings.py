"""Results of the judging task on Mechanical Turk: does this summary express these statements?

The task is that of LitePyramids (Shapira et al. 2019), which REALSumm took over. One row is one worker's judgement of
up to 16 statements on one summary (:mod:`~pyramidion.formats.mturk_rows` has the columns). Every worker's votes become
an annotation of their own; how votes are put together is not decided here.

A vote that was not given is not a vote against: such statements are the annotation's unjudged ones, ``no answer``
where the worker left the question out or cannot tell (the paper takes these as missing, the published code as present)
and ``not asked`` where no row of the worker had the statement. In files without ``WorkerId`` (REALSumm) each row is a
worker. Results of ``pyramidion crowd pages`` are read, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pyramidion.base.csv import MOST_CELLS, header_of
from pyramidion.base.files import decode, read_bytes
from pyramidion.base.limits import check_count
from pyramidion.base.sheets import open_sheet
from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.formats.litepyramids import MOST_ROWS
from pyramidion.formats.mturk_rows import COLUMNS, WORKER, JudgingRows, Question, Shared
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
from pyramidion.notes import note

TITLE = "LitePyramids and REALSumm: workers' judgements of statements (Mechanical Turk CSV)"
SUFFIXES = ()

REFERENCE = "statements"
"""The made reference that contributes to every SCU: all statements weigh 1."""


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this is a CSV file with the judging task's ``Input.`` and ``Answer.`` columns."""
    return set(COLUMNS) <= set(header_of(head))


def load(path: Path) -> list[Topic]:
    """Return the topics of a file."""
    return loads(read_bytes(path), str(path))


def loads(data: bytes | str, source: str = "<string>") -> list[Topic]:
    """Return one topic per event: a pyramid of its statements, the judged peers, an annotation per worker and peer."""
    sheet = open_sheet(decode(data, source), source)
    rows, worker = JudgingRows(sheet, Shared()), sheet.column(WORKER)
    reader = _Reader(source)
    for number, (line, row) in enumerate(sheet.numbered_rows(), start=1):
        check_count(number, "rows", Where(source, line), MOST_ROWS)
        check_count(number * len(row), "cells", Where(source, line), MOST_CELLS)
        try:
            reader.add(line, *rows.read(row), "" if worker is None else row[worker].strip())
        except FormatError as error:
            raise error.at(Where(source, line)) from None
    reader.check_votes()
    if not reader.events:
        raise FormatError("The file has a header but no row", source, "download the results again")
    try:
        topics = [event.topic() for event in reader.events.values()]
    except PyramidionError as error:
        raise error.at(Where(source)) from None
    reader.report()
    return topics


class _Votes:
    """One worker's answers about one summary, by statement; empty if no answer was given."""

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
        """Return the votes that a row adds to: those of the same worker on the same summary."""
        if not worker:
            # in files without WorkerId each row is a worker
            self.anonymous[summary.id] += 1
            worker = f"worker-{self.anonymous[summary.id]}"
        return self.votes.setdefault((summary.id, worker), _Votes(summary, worker))

    def topic(self) -> Topic:
        reference = Summary(REFERENCE, "", "reference")
        scus = tuple(SCU(id, text, (Contributor(REFERENCE, label=text),)) for id, text in self.statements.items())
        return Topic(
            self.id,
            (reference,),
            tuple(self.peers.values()),
            pyramid=Pyramid(self.id, (reference,), scus),
            annotations=tuple(votes.annotation(self.statements) for votes in self.votes.values()),
        )


class _Reader:
    """Rows to events, for one file."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.events: dict[str, _Event] = {}

    def warn(self, line: int | None, what: str) -> None:
        note(f"{Where(self.source, line)}: {what}")

    def add(self, line: int, question: Question, letters: str, worker: str) -> None:
        """Add a row's answers to its worker's votes; a statement that is answered again keeps its first answer."""
        event = self.events.setdefault(question.topic, _Event(question.topic))
        votes = event.votes_of(self.summary(line, question, event), worker)
        asked, repeated = question.statements.asked, 0
        for id, statement, letter in zip(asked.ids, asked.words, letters, strict=True):
            if event.statements.setdefault(id, statement) != statement:
                raise FormatError(
                    f"Statement {id!r} has another wording in an earlier row", do="give each statement an id of its own"
                )
            if votes.answers.get(id):
                repeated += 1
            else:
                # "cannot tell" and no answer are empty ones: asked, but not judged
                votes.answers[id] = letter.strip("?-")
        if repeated:
            self.warn(
                line,
                f"{votes.worker} answers {repeated} statements on {votes.summary.id!r} again; the first answer counts",
            )

    def summary(self, line: int, question: Question, event: _Event) -> Summary:
        id, text = question.summary, question.text
        summary = event.peers.setdefault(id, Summary(id, text, "peer"))
        if summary.text != text:
            self.warn(line, f"The text of summary {id!r} differs from that in an earlier row, which was kept")
        return summary

    def check_votes(self) -> None:
        """Raise an error if there are too many missing votes to note them all in memory.

        Every worker could have voted on every statement of the topic, and what is missing is noted one by one.
        """
        possible = sum(len(event.statements) * len(event.votes) for event in self.events.values())
        check_count(possible, "votes, given or missing", self.source)

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
