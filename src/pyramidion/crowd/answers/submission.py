"""One worker's answers to one task, from a marketplace's CSV, our own page or a published data set.

Answers to a judging task are one letter each, in the order of the statements asked: ``p`` present, ``n`` not present,
``?`` the worker cannot tell, ``-`` no answer. A blank is a missing vote, never a vote against.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter

from pyramidion.crowd.study import Phase
from pyramidion.errors import ModelError
from pyramidion.formats.mturk_rows import Asked

__all__ = ["ANSWERS", "Asked", "Submission", "with_summary_name"]

ANSWERS = "pn?-"


NOTHING = Asked(())


@dataclass(frozen=True, slots=True)
class Submission:
    """One worker's answers to one task."""

    id: str
    """The marketplace's assignment id, or one made from the content: importing it again changes nothing."""
    phase: Phase
    topic: str
    summary: str
    """The reference written about, or the summary judged."""
    worker: str = ""
    """The worker's name; empty if the source does not tell it (REALSumm)."""
    task: str = ""
    asked: Asked = NOTHING
    answers: str = ""
    """In judging, one letter per statement."""
    written: tuple[str, ...] = ()
    """In writing, the statements in the order of the fields."""
    checks: tuple[tuple[str, str], ...] = ()
    """The ids and answers of attention checks."""
    seconds: float | None = None
    submitted: str = ""
    """The time of submission in ISO 8601, or as the source has it if it cannot be read."""
    status: str = ""
    """Rejected submissions do not count."""
    text: str = ""
    """The summary's text as the worker saw it, if the source has it."""
    extra: tuple[tuple[str, str], ...] = ()
    """Other columns, unchanged."""

    @property
    def worker_name(self) -> str:
        """The worker's name; if there is none, a made-up one that no other submission has."""
        return self.worker or f"#{self.id}"

    def __post_init__(self) -> None:
        if len(self.answers) != len(self.asked.ids):
            raise ModelError(
                f"Submission {self.id!r} has {len(self.answers)} answers to {len(self.asked.ids)} statements",
                do="give one letter per statement, - where there is no answer",
            )
        if self.answers.strip(ANSWERS):
            raise ModelError(f"Submission {self.id!r} has the answers {self.answers!r}", do=f"use only {ANSWERS}")


_values = attrgetter(*(field.name for field in fields(Submission)))


def with_summary_name(submission: Submission, summary: str) -> Submission:
    """Return the submission with another name of its summary; four times as fast as ``replace``."""
    id, phase, topic, _, *values = _values(submission)
    return Submission(id, phase, topic, summary, *values)
