"""What one worker sent in for one task, whatever brought it: a marketplace's CSV, our own page, a published data set.

Answers to a judging task are one letter each, in the order of the statements asked: ``p`` present, ``n`` not present,
``?`` the worker cannot tell, ``-`` no answer. A blank is a missing vote, never a vote against.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter

from pyramidion.crowd.study import Phase
from pyramidion.errors import ModelError
from pyramidion.formats.mturk_rows import Asked

__all__ = ["ANSWERS", "Asked", "Submission", "renamed"]

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
    """Empty where the source does not tell (REALSumm): such a worker is met once and cannot be judged."""
    task: str = ""
    asked: Asked = NOTHING
    answers: str = ""
    """Judging: one letter per statement."""
    written: tuple[str, ...] = ()
    """Writing: the statements, in the order of the fields."""
    checks: tuple[tuple[str, str], ...] = ()
    """Attention checks: id and answer."""
    seconds: float | None = None
    submitted: str = ""
    """When, in ISO 8601 where it could be read, else as it stands."""
    status: str = ""
    """Rejected submissions do not count."""
    text: str = ""
    """The summary's text as the worker saw it, where the source tells."""
    extra: tuple[tuple[str, str], ...] = ()
    """Other columns, as they were."""

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


def renamed(submission: Submission, summary: str) -> Submission:
    """The submission of a summary by another name: ``replace``, four times as fast."""
    id, phase, topic, _, *others = _values(submission)
    return Submission(id, phase, topic, summary, *others)
