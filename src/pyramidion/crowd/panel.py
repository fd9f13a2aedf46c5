"""A panel that is known beforehand: its names, and the file that says who does which task.

``panel.csv`` stands in the study's folder, with the columns ``worker`` and ``task``, for people to open and to filter.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

from pyramidion.base.choices import check_choices
from pyramidion.base.csv import as_written, harmless, read_table
from pyramidion.base.files import decode, encode, read_bytes
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.assignment import Distinct, assign, own_tasks
from pyramidion.crowd.study import Study
from pyramidion.errors import FormatError
from pyramidion.notes import note

FILE = "panel.csv"


def names(text: str, source: str = "<string>") -> list[str]:
    r"""Return the names in a text, one a line, with single spaces: as the server stores them.

    >>> names("Anna  Berg\n\n Ben\n")
    ['Anna Berg', 'Ben']
    """
    workers = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if not workers:
        raise FormatError("No worker is named in this file", source, "write one name per line")
    return workers


def rows(assigned: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Return the worker and the task of every assignment."""
    return ((worker, task) for worker, tasks in assigned.items() for task in tasks)


def dumps(assignments: Iterable[tuple[str, str]]) -> bytes:
    """Return the content of the file, with a row for each assignment."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("worker", "task"))
    writer.writerows((harmless(worker), task) for worker, task in assignments)
    return encode(out.getvalue())


def load(path: Path, tasks: Container[str]) -> Iterator[tuple[str, str]]:
    """Read the worker and the task of each assignment, if there is a file.

    Tasks that the study no longer has are left out, and a note says how many they are.
    """
    unknown = 0
    if path.exists():
        for row in read_table(decode(read_bytes(path), str(path)), str(path), ("worker", "task")):
            if row.cells["task"] in tasks:
                yield as_written(row.cells["worker"]), row.cells["task"]
            else:
                unknown += 1
    if unknown:
        note(f"{path}: {unknown} task{'' if unknown == 1 else 's'} that the study does not have")


@check_choices
def assign_open(
    study: Study, workers: Iterable[str], assigned: Iterable[tuple[str, str]], store: Store, distinct: Distinct = "item"
) -> tuple[dict[str, tuple[str, ...]], int]:
    """Assign tasks that have too few workers; what is ``assigned`` or done already stays with its workers.

    Return the new assignments by worker, and how many of them ask about statements that the worker wrote.
    """
    held: dict[str, list[str]] = {}
    for worker, task in (*assigned, *done_assignments(store)):
        held.setdefault(worker, []).append(task)
    wrote = own_tasks(study)
    new = assign(study.tasks, workers, seed=study.design.seed, distinct=distinct, held=held, wrote=wrote)
    return new, sum(task in wrote.get(worker, ()) for worker, task in rows(new))


def done_assignments(store: Store) -> Iterator[tuple[str, str]]:
    """Return the worker and the task of everything done, whether it was assigned or not."""
    for submission in store.submissions() if store.kind() == "real" else ():
        if submission.task and submission.status != "rejected":
            yield submission.worker_name, submission.task
