"""Answers from our own pages: one JSON object per submission, posted to the server or downloaded by the worker.

``{"pyramidion": "submission-1", "study": NAME, "task": ID, "phase": "writing" or "judging", "worker": W, "session": S,
"answers": {STATEMENT: LETTER}, "checks": {CHECK: LETTER}, "written": [TEXT], "started": TIME, "submitted": TIME,
"seconds": N}``. Anybody can send anything, so everything is checked: types, lengths, and that the task asks this.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pyramidion.base.json import decode_json
from pyramidion.crowd.answers.cells import made_id
from pyramidion.crowd.answers.fitting import Fit, StrayError
from pyramidion.crowd.answers.submission import NOTHING, Asked, Submission
from pyramidion.crowd.answers.times import iso
from pyramidion.crowd.study import Phase, Study
from pyramidion.errors import FormatError, Where
from pyramidion.formats.mturk_rows import letter_of

_MOST = 10_000
"""Characters of fields that nothing here knows, together."""

Name = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=2000)]


class _Page(msgspec.Struct):
    pyramidion: Literal["submission-1"]
    task: Name
    phase: Phase
    study: Name = ""
    worker: Name = ""
    session: Name = ""
    answers: Annotated[dict[Name, Name], Meta(max_length=1000)] = {}
    checks: Annotated[dict[Name, Name], Meta(max_length=100)] = {}
    written: Annotated[list[Text], Meta(max_length=100)] = []
    started: Name = ""
    submitted: Name = ""
    seconds: Annotated[float, Meta(ge=0, le=1e8)] | None = None


def records(text: str, source: str) -> list[tuple[int | None, Any]]:
    """Return the values of a file and their lines: one value, a list of them, or one a line."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if len(lines) > 1 and _is_json(lines[0][1]):
        return [(number, decode_json(line, Any, source, number)) for number, line in lines]
    whole = decode_json(text, Any, source)
    return [(None, record) for record in whole] if isinstance(whole, list) else [(None, whole)]


def _is_json(line: str) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return False
    return True


def submission_from_page(record: Any, study: Study) -> Submission:
    """Return the submission in a JSON value that should come from our page; an error says what is wrong with it."""
    return submission_for(record, Fit(study))


def submission_for(record: Any, fit: Fit) -> Submission:
    """Return the submission in a JSON value, like :func:`submission_from_page`, by a ``fit`` made once for a study."""
    page = _page(record)
    if page.study and page.study != fit.study.name:
        raise StrayError(f"These are answers for the study {page.study!r}, not {fit.study.name!r}")
    task = fit.task(page.task)
    if page.phase != task.phase:
        raise StrayError(f"Task {task.id!r} is {task.phase}, but the answers are {page.phase}")
    if (page.written and task.phase == "judging") or (page.answers and task.phase == "writing"):
        raise StrayError(f"These are answers of the other kind for the {task.phase} task {task.id!r}")
    # only answers to the task's own statements are read below, so answers to others would be lost without a word
    for kind, ids, known in (
        ("statement", page.answers, task.statements),
        ("check", page.checks, tuple(check.id for check in task.checks)),
    ):
        unknown = sorted(ids.keys() - set(known))
        if unknown:
            raise StrayError(f"Task {task.id!r} has no {kind} {unknown[0][:80]!r}")
    written = tuple(text.strip() for text in page.written if text.strip())
    if len(written) > fit.study.design.written:
        raise FormatError(
            f"{len(written)} statements are written, but the task asks for {fit.study.design.written}", do="send these"
        )
    answers = "".join(letter_of(page.answers.get(id, ""), f"statement {id!r}") for id in task.statements)
    checks = tuple((c.id, letter_of(page.checks.get(c.id, ""), f"check {c.id!r}")) for c in task.checks)
    submitted = iso(page.submitted)
    return Submission(
        # without a session the id comes from the content, so that a file that is read twice counts once
        page.session or made_id(task.id, page.worker, submitted, answers, *written, *(ids for _, ids in checks)),
        task.phase,
        task.topic,
        task.summary,
        page.worker.strip(),
        task.id,
        fit.in_study_words(task.topic, Asked(task.statements)) if task.statements else NOTHING,
        answers,
        written,
        checks,
        page.seconds,
        submitted,
        text=fit.texts[task.phase, task.topic, task.summary],
        extra=_extra(record, page),
    )


def _page(record: Any) -> _Page:
    """Return the record as a page's answers, if it has their form and can be stored as JSON."""
    if not isinstance(record, dict):
        raise FormatError(f"This is a {type(record).__name__}, not an object", do="send what the page made")
    try:
        page = msgspec.convert(record, _Page)
        msgspec.json.encode(record)  # fields that we do not know are stored, too: they must be JSON
    except msgspec.ValidationError as error:
        what, _, element = str(error).partition(" - at ")
        where = Where(element=element.strip("`"))
        raise FormatError(what.replace("`", "'"), where, "send what the page made") from None
    except (UnicodeEncodeError, TypeError, RecursionError, OverflowError) as error:
        raise FormatError(
            f"The answers cannot be read as JSON ({error.__class__.__name__})", do="send what the page made"
        ) from None
    return page


def _extra(record: dict[str, Any], page: _Page) -> tuple[tuple[str, str], ...]:
    """Return the fields that nothing here needs: texts as they are, other values as JSON."""
    known = set(page.__struct_fields__)
    kept = [("started", iso(page.started))] if page.started else []
    for name in sorted(record.keys() - known):
        value = record[name]
        kept.append((name, value if isinstance(value, str) else msgspec.json.encode(value).decode()))
    if sum(len(name) + len(value) for name, value in kept) > _MOST:
        raise FormatError(f"Unknown fields have more than {_MOST} characters", do="send what the page made")
    return tuple(kept)
