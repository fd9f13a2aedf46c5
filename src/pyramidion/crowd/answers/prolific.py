"""Prolific's export of a study's submissions: who took part, in which session, with what status and time.

It has no answers: these come from our pages, whose address carries the session. ``Returned`` means that the participant
withdrew, so it counts as rejected; ``Timed-out`` only says that it took long, and counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyramidion.base.sheets import Sheet
from pyramidion.crowd.answers.cells import seconds_of
from pyramidion.crowd.answers.store import Status
from pyramidion.crowd.answers.times import iso
from pyramidion.errors import FormatError, Where

_SESSION = ("Submission id", "session_id", "Session id")
_STATUS = ("Status", "status")
_SECONDS = ("Time taken", "time_taken")
_DECIDED = ("Reviewed at", "reviewed_at_datetime")
_WORKER = ("Participant id", "participant_id")

_COUNTS_AS = {"returned": "rejected", "awaiting review": "submitted"}


def is_export(header: Sequence[str]) -> bool:
    """Return whether a table with these columns is Prolific's."""
    return not {*_SESSION, *_WORKER}.isdisjoint(header)


def read_export(sheet: Sheet) -> list[Status]:
    """Return the status of every session."""
    session, status = _place(sheet, _SESSION), _place(sheet, _STATUS)
    if session is None or status is None:
        missing = _SESSION[0] if session is None else _STATUS[0]
        raise FormatError(f"The header has no column {missing!r}", Where(sheet.source, 1), "export the study again")
    seconds, decided = _place(sheet, _SECONDS), _place(sheet, _DECIDED)
    extra_columns = [
        (name or f"column {place + 1}", place)
        for place, name in enumerate(sheet.header)
        if place not in (session, status, seconds, decided)
    ]
    statuses = []
    for row in sheet.rows():
        word = row[status].strip().lower().replace("_", " ")
        statuses.append(
            Status(
                row[session].strip(),
                _COUNTS_AS.get(word, word),
                "" if decided is None else iso(row[decided]),
                None if seconds is None else seconds_of(row[seconds]),
                tuple((name, row[place]) for name, place in extra_columns if row[place]),
            )
        )
        if not statuses[-1].id:
            raise FormatError("The row names no session", sheet.where(len(statuses) - 1), "export the study again")
    return statuses


def _place(sheet: Sheet, names: Sequence[str]) -> int | None:
    return next((place for place in map(sheet.column, names) if place is not None), None)
