"""Rows of the judging task on Mechanical Turk: the question of each, its summary, and the worker's answers.

The columns are ``Input.eventId``, ``Input.summaryId``, ``Input.qIdList`` (a Python list of the statements' ids),
``Input.summary_text``, ``Input.statement_1..N`` and ``Answer.S1Answer..SNAnswer``, which are ``p`` (present), ``n``
(not present), ``?`` (cannot tell) or nothing. ``BLANK`` statements are padding. In results of our own tasks, which have
``Input.taskId``, texts and ids are markup.

:mod:`~pyramidion.formats.mturk_ratings` makes topics with annotations of such rows, and :mod:`pyramidion.crowd` votes.
Tables have a hundred thousand rows, and many ask the same; so what rows have in common is read once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, cast
from zlib import crc32

from pyramidion.base.csv import RUN
from pyramidion.base.sheets import Sheet
from pyramidion.base.xml import unescape
from pyramidion.errors import FormatError
from pyramidion.formats.litepyramids import PADDING

EVENT, SUMMARY, IDS, TEXT = "Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"
COLUMNS = (EVENT, SUMMARY, IDS, TEXT, "Input.statement_1", "Answer.S1Answer")
WORKER, TASK = "WorkerId", "Input.taskId"

_LETTERS = {"p": "p", "n": "n", "?": "?", "": "-"}
"""The letters of answers as they should stand."""
_LONGEST_LIST = 10_000
_PLAIN_LIST = re.compile(r"\['[^'\\\r\n\0]+'(?:, '[^'\\\r\n\0]+'){0,99}\]")
"""The form of nearly all lists; parsing them as Python takes twenty times as long."""

Row = list[str]
Cells = Callable[[Row], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Asked:
    """The statements of a judging task as they were shown; submissions of one task share one of these."""

    ids: tuple[str, ...]
    words: tuple[str, ...] = ()
    """The words of the statements, if the source has them."""


class Statements(NamedTuple):
    """The parts that rows with the same statements share."""

    literal: str
    cells: tuple[str, ...]
    asked: Asked
    answers: Cells
    """Takes the answers from a row."""
    checksum: int
    """The checksum of the ids."""


class Question(NamedTuple):
    """The parts that rows with the same question about the same summary share."""

    statements: Statements
    topic: str
    summary: str
    text: str
    key: str
    """The key for ids that are made from content."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The parts that many rows and several files share, each kept once."""

    asked: dict[tuple[tuple[str, ...], tuple[str, ...]], Asked] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    letters: dict[tuple[str, ...], str] = field(default_factory=dict)
    """The letters of a row's answers, by its cells."""
    statements: dict[tuple[object, ...], dict[str, Statements]] = field(default_factory=dict)
    """By whether cells are markup and where statements and answers are, then by the list of ids."""

    def asking(self, ids: tuple[str, ...], words: tuple[str, ...]) -> Asked:
        """Return the statements, the same object for the same ids and words."""
        return self.asked.setdefault((ids, words), Asked(ids, words))


class JudgingRows:
    """The rows of a table, each as a question and the letters of its answers: ``p n ?``, and ``-`` for none."""

    def __init__(self, sheet: Sheet, shared: Shared) -> None:
        """Find the columns of the judging task; a missing one is an error."""
        self.shared = shared
        self.event, self.summary, self.ids, self.text, *_ = sheet.columns(COLUMNS)
        statements = numbered_columns(sheet, "Input.statement_")
        self.numbers = list(statements)
        self.statements = cells_at(list(statements.values()))
        self.answers = numbered_columns(sheet, "Answer.S", "Answer")
        self.is_markup = sheet.column(TASK) is not None
        self.columns = {self.event, self.summary, self.ids, self.text, *statements.values(), *self.answers.values()}
        """The places of all columns that are read."""
        self.asked_of = cast(Callable[[Row], tuple[str, str, str]], itemgetter(self.event, self.summary, self.text))
        self.questions: dict[tuple[str, str, str], Question] = {}
        self.letters = shared.letters
        self.known = shared.statements.setdefault((self.is_markup, *statements.items(), *self.answers.items()), {})

    def read(self, row: Row) -> tuple[Question, str]:
        """Return the question of a row and the letters of its answers; an error has no place yet."""
        about, literal, cells = self.asked_of(row), row[self.ids], self.statements(row)
        question = self.questions.get(about)
        if question is None or question.statements.literal != literal or question.statements.cells != cells:
            question = self.questions[about] = self._question(about, literal, cells)
        answers = question.statements.answers(row)
        return question, self.letters.get(answers) or self._letters(question.statements.asked, answers)

    def _letters(self, asked: Asked, answers: tuple[str, ...]) -> str:
        named = zip(asked.ids, answers, strict=True)
        letters = self.letters[answers] = "".join([letter_of(cell, f"statement {id!r}") for id, cell in named])
        return letters

    def _question(self, about: tuple[str, str, str], literal: str, cells: tuple[str, ...]) -> Question:
        """Return the question of a row; shared cells are kept once."""
        topic, summary, text = about
        for column, cell in ((EVENT, topic), (SUMMARY, summary)):
            if not cell or cell.isspace():
                raise FormatError(f"{column} is empty", do="fill it in, or delete the row")
        # a blank in front may be the one that keeps spreadsheets from running a cell
        if self.is_markup or " " in (topic[0], summary[0], text[:1]):
            topic, summary, text = (plain(cell, self.is_markup) for cell in about)
        statements = self.known.get(literal)
        if statements is None or statements.cells != cells:
            statements = self.known[literal] = self._statements(literal, cells)
        check = crc32(text.encode("utf-8", "surrogatepass"), statements.checksum)
        return Question(statements, topic, summary, text, f"{topic}/{summary}/{check:08x}")

    def _statements(self, literal: str, cells: tuple[str, ...]) -> Statements:
        """Return the statements that a list of ids and their cells show."""
        ids = ids_in(literal, IDS)
        if len(ids) > self.numbers[-1]:
            raise FormatError(
                f"{IDS} names {len(ids)} statements, but the file has columns for {self.numbers[-1]}", do="correct it"
            )
        numbered = zip(self.numbers, cells, strict=True)
        shown = [(number, words) for number, words in numbered if words.strip() not in ("", PADDING)]
        for number, _ in shown:
            if number > len(ids):
                raise FormatError(
                    f"Statement {number} has no id: {IDS} names {len(ids)}", do="name every statement there"
                )
            if number not in self.answers:
                raise FormatError(f"There is no column Answer.S{number}Answer", do="download the results again")
        if not shown:
            raise FormatError("Every statement of the row is empty", do="delete the row")
        named = tuple(ids[number - 1] for number, _ in shown)
        if len(set(named)) < len(named):
            raise FormatError(f"{IDS} names a statement twice", do="give each statement its own id")
        asked = self.shared.asking(named, tuple(plain(words, self.is_markup) for _, words in shown))
        answers = cells_at([self.answers[number] for number, _ in shown])
        return Statements(literal, cells, asked, answers, crc32("\x1f".join(named).encode("utf-8", "surrogatepass")))


def letter_of(cell: str, asked: str) -> str:
    """Return the letter of an answer."""
    letter = _LETTERS.get(cell.strip().lower())
    if letter is None:
        raise FormatError(f"The answer to {asked} is {cell[:40]!r}", do="write p, n, ? or nothing")
    return letter


_ESCAPE = re.compile(r"\\([4-7][0-7]{2}|.)", re.DOTALL)
_KNOWN_ESCAPES = frozenset("\\'\"abfnrtvxuUN01234567\r\n")


def _known_escape(escape: re.Match[str]) -> str:
    """Return the same escape in a form that Python does not warn of: it would warn the whole process."""
    what = escape[1]
    if len(what) > 1:
        return f"\\u{int(what, 8):04x}"
    return escape[0] if what in _KNOWN_ESCAPES else f"\\{escape[0]}"


def ids_in(literal: str, column: str) -> list[str]:
    """Return the ids in a cell of that column, which holds a Python list.

    >>> ids_in("['7', 8]", IDS)
    ['7', '8']
    """
    if _PLAIN_LIST.fullmatch(literal):
        return literal[2:-2].split("', '")
    try:
        if len(literal) > _LONGEST_LIST:
            raise ValueError
        ids = ast.literal_eval(_ESCAPE.sub(_known_escape, literal.strip()))
        if not isinstance(ids, list) or not all(isinstance(id, str | int) and id != "" for id in ids):
            raise ValueError
        return [str(id) for id in ids]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise FormatError(f"{column} is not a list of ids: {literal[:60]!r}", do="write it as ['1', '2']") from None


def plain(cell: str, is_markup: bool = False) -> str:
    """Return the text of a cell without the space that keeps spreadsheets from running it; unescape markup."""
    cell = cell[1:] if cell[:1] == " " and cell[1:2] in RUN else cell
    return unescape(cell) if is_markup and "&" in cell else cell


def cells_at(places: Sequence[int]) -> Cells:
    """Return a function that takes the cells at these places from a row."""
    if len(places) == 1:
        only = places[0]
        return lambda row: (row[only],)
    return itemgetter(*places) if places else lambda row: ()


def numbered_columns(sheet: Sheet, before: str, after: str = "") -> dict[int, int]:
    """Return the indexes of numbered columns, by their numbers."""
    numbers = _numbers(sheet.header, before, after)
    return {number: place for number in numbers if (place := sheet.column(f"{before}{number}{after}")) is not None}


@lru_cache(maxsize=64)
def _numbers(header: tuple[str, ...], before: str, after: str) -> list[int]:
    pattern = re.compile(re.escape(before) + "([1-9][0-9]{0,2})" + re.escape(after), re.ASCII)
    return sorted({int(match[1]) for match in map(pattern.fullmatch, header) if match})
