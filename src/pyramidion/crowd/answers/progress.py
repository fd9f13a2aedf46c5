"""How far a study is: which tasks have all their workers, and how many answers are still to come.

A task is complete when as many different workers have sent something in that was not rejected as the study wants;
workers without a name count each. More than wanted are *surplus*: they came late, were paid for, and count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.study import Phase, Study

__all__ = ["Progress", "is_partial", "progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a phase is."""

    phase: Phase
    tasks: int
    complete: int
    """Tasks with all their workers."""
    wanted: int
    """Submissions that the tasks want, all together."""
    missing: int
    """How many of them have not come."""
    partial: int
    """Submissions in which something is not answered; they count for what is."""
    rejected: int
    repeated: int
    """Submissions of a task by a worker who had done it; the first stands."""
    surplus: int
    """Submissions beyond those that their task wants."""
    without_task: int
    """Submissions that answer parts of several tasks; their votes count."""


def is_partial(one: Submission, written: int = 1) -> bool:
    """Whether something is missing; of statements, ``written`` are wanted."""
    return "-" in one.answers if one.phase == "judging" else len(one.written) < written


def progress(study: Study, submissions: Iterable[Submission]) -> list[Progress]:
    """How far each phase is that has tasks."""
    by_phase: defaultdict[Phase, list[Submission]] = defaultdict(list)
    for one in submissions:
        by_phase[one.phase].append(one)
    phases: tuple[Phase, ...] = ("writing", "judging")
    return [_progress(study, phase, by_phase[phase]) for phase in phases if study.of_phase(phase)]


def _progress(study: Study, phase: Phase, submissions: list[Submission]) -> Progress:
    tasks = study.of_phase(phase)
    counted = [one for one in submissions if one.status != "rejected"]
    workers: defaultdict[str, set[str]] = defaultdict(set)
    for one in counted:
        workers[one.task].add(one.who)
    known = [len(workers[task.id]) for task in tasks]
    placed = sum(one.task != "" for one in counted)
    return Progress(
        phase,
        len(tasks),
        sum(done >= task.workers for task, done in zip(tasks, known, strict=True)),
        sum(task.workers for task in tasks),
        sum(max(0, task.workers - done) for task, done in zip(tasks, known, strict=True)),
        sum(is_partial(one, study.design.written) for one in counted),
        len(submissions) - len(counted),
        placed - sum(known),
        sum(max(0, done - task.workers) for task, done in zip(tasks, known, strict=True)),
        len(counted) - placed,
    )
