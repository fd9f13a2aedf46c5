"""The progress of a study: which tasks have all their workers, and how many answers are still to come.

A task is complete when as many different workers have sent something in that was not rejected as the study wants;
workers without a name count each. More than wanted are *surplus*: they came late, were paid for, and count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.study import Phase, Study


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a phase is."""

    phase: Phase
    tasks: int
    complete: int
    """The number of tasks that have all their workers."""
    wanted: int
    """The number of submissions that all tasks want together."""
    missing: int
    """The number of these submissions that have not come yet."""
    partial: int
    """The number of submissions with blank answers; their other answers count."""
    rejected: int
    repeated: int
    """The number of submissions by workers who had done the task before; only the first counts."""
    surplus: int
    """The number of submissions beyond those that their task wants."""
    without_task: int
    """The number of submissions that answer parts of several tasks; their votes count."""


def is_partial(submission: Submission, written: int = 1) -> bool:
    """Return whether an answer is missing; ``written`` is the number of statements that a writer should write."""
    return "-" in submission.answers if submission.phase == "judging" else len(submission.written) < written


def progress(study: Study, submissions: Iterable[Submission]) -> list[Progress]:
    """Return the progress of each phase that has tasks."""
    by_phase: defaultdict[Phase, list[Submission]] = defaultdict(list)
    for submission in submissions:
        by_phase[submission.phase].append(submission)
    phases: tuple[Phase, ...] = ("writing", "judging")
    return [_progress(study, phase, by_phase[phase]) for phase in phases if study.of_phase(phase)]


def _progress(study: Study, phase: Phase, submissions: list[Submission]) -> Progress:
    """Count the tasks and submissions of one phase."""
    tasks = study.of_phase(phase)
    counted = [submission for submission in submissions if submission.status != "rejected"]
    workers: defaultdict[str, set[str]] = defaultdict(set)
    for submission in counted:
        workers[submission.task].add(submission.worker_name)
    known = [len(workers[task.id]) for task in tasks]
    placed = sum(submission.task != "" for submission in counted)
    return Progress(
        phase,
        len(tasks),
        sum(done >= task.workers for task, done in zip(tasks, known, strict=True)),
        sum(task.workers for task in tasks),
        sum(max(0, task.workers - done) for task, done in zip(tasks, known, strict=True)),
        sum(is_partial(submission, study.design.written) for submission in counted),
        len(submissions) - len(counted),
        placed - sum(known),
        sum(max(0, done - task.workers) for task, done in zip(tasks, known, strict=True)),
        len(counted) - placed,
    )
