"""Answers as a table of results: the columns that Mechanical Turk gives back for our own tasks.

``crowd score``, ``crowd workers`` and ``crowd collect`` read it (:mod:`~pyramidion.crowd.answers.mturk`), and so do
other tools for that format. A leading space keeps spreadsheets from running what a worker wrote; readers strip it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from pyramidion.base.csv import RUN
from pyramidion.base.files import encode
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.page.mturk import inputs
from pyramidion.crowd.study import Phase, Study, Task


def results(study: Study, phase: Phase, submissions: Iterable[Submission]) -> bytes:
    """Return the table as CSV, with a row for each submission to a task of that phase."""
    tasks = study.of_phase(phase)
    header, *rows = inputs(study, phase, tasks)
    asked = {task.id: (task, row) for task, row in zip(tasks, rows, strict=True)}
    answers = list(_answers(study, phase))
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        [
            *("AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime"),
            *(f"Input.{name}" for name in header),
            *(f"Answer.{name}" for name in answers),
            "Answer.seconds",
        ]
    )
    for submission in submissions:
        if submission.phase == phase and submission.task in asked:
            task, row = asked[submission.task]
            cells = _answer_cells(task, submission)
            writer.writerow(
                [
                    *map(
                        _spaced_cell,
                        (submission.id, submission.worker, submission.status.capitalize(), submission.submitted),
                    ),
                    *row,
                    *(_spaced_cell(cells.get(name, "")) for name in answers),
                    "" if submission.seconds is None else f"{submission.seconds:g}",
                ]
            )
    return encode(out.getvalue())


def _answers(study: Study, phase: Phase) -> Iterator[str]:
    if phase == "writing":
        yield from (f"s{number}" for number in range(1, study.design.written + 1))
        return
    tasks = study.of_phase(phase)
    yield from (f"S{number}Answer" for number in range(1, max(len(task.statements) for task in tasks) + 1))
    yield from (f"C{number}Answer" for number in range(1, max(len(task.checks) for task in tasks) + 1))


def _answer_cells(task: Task, submission: Submission) -> dict[str, str]:
    if submission.phase == "writing":
        return {f"s{number}": text for number, text in enumerate(submission.written, start=1)}
    letters = dict(zip(submission.asked.ids, submission.answers, strict=True))
    checks = dict(submission.checks)
    cells = {f"S{number}Answer": letters.get(id, "-") for number, id in enumerate(task.statements, start=1)}
    cells |= {f"C{number}Answer": checks.get(check.id, "-") for number, check in enumerate(task.checks, start=1)}
    return {name: letter.strip("-") for name, letter in cells.items()}


def _spaced_cell(cell: str) -> str:
    return f" {cell}" if cell[:1] in RUN else cell
