"""Read runs: the results of one, the list of those in a folder, and the differences between two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

from pyramidion.base.choices import check_choices
from pyramidion.base.tables import Cell
from pyramidion.evaluation.evaluate import means_of, with_unread
from pyramidion.evaluation.record import changes
from pyramidion.evaluation.run import Run, open_run
from pyramidion.evaluation.run_result import Moved, RunComparison, RunList, RunResult
from pyramidion.notes import repeat_notes
from pyramidion.scoring import QUANTITIES, Quantity
from pyramidion.signature import Signature

MEGABYTE = 1_000_000


def read_run(folder: str | PathLike[str]) -> RunResult:
    """Read what a run has so far: it may be finished, interrupted, or still going on.

    ``folder`` is the run's own, the one that ``out`` named when it began.

    >>> import tempfile
    >>> import pyramidion as pm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pm.run(pm.example(), f"{folder}/monday", "manual")
    ...     monday = pm.read_run(f"{folder}/monday")
    >>> monday.status, monday.counts.summaries, monday.failures
    ('finished', 12, ())
    """
    with open_run(Path(folder)) as run:
        return show_run(run)


def show_run(run: Run, *, scores: bool = False) -> RunResult:
    """Return the results that a run has so far, and repeat its notes; ``scores`` adds those of every summary."""
    store = run.store
    notes = store.notes()
    repeat_notes(notes)
    return RunResult(
        run.folder,
        run.signature,
        run.status,
        run.record,
        store.counts(),
        with_unread(means_of(store.scores(("topic", "summary", "role", *QUANTITIES))), store.unread()),
        store.failures(),
        store.unread(),
        store.seconds(),
        tuple(store.scores()) if scores else None,
        notes,
    )


def list_runs(runs: Iterable[Run], title: str = "") -> RunList:
    """Return the list of the runs, a row each."""
    return RunList(Signature("runs"), tuple(map(_row, runs)), title)


def _row(run: Run) -> tuple[Cell, ...]:
    counts, record = run.store.counts(), run.record
    size = sum(file.stat().st_size for file in run.folder.iterdir() if file.is_file())
    megabytes = round(size / MEGABYTE, 2)
    done = (counts.summaries, record.summaries, counts.failed)
    return run.folder.name, run.status, *done, record.method, record.created, megabytes


@check_choices
def compare_runs(first: Run, second: Run, quantity: Quantity = "coverage", *, least: float = 0.0) -> RunComparison:
    """Return the summaries that have another score in the second run, by how much, and what may be the reason.

    A summary has moved if its scores differ by more than ``least``.
    """
    unchanged, only, moved = 0, [0, 0], []
    for before, after in _side_by_side(*(run.store.scores((*KEY, quantity)) for run in (first, second))):
        if before is None or after is None:
            only[before is None] += 1
            continue
        topic, summary, annotator, _, score = before
        change = Moved(topic, summary, annotator, score, after[-1])
        difference = change.difference
        if change.first == change.second or (difference is not None and abs(difference) <= least):
            unchanged += 1
        else:
            moved.append(change)
    moved.sort(key=lambda change: (-abs(change.difference or 0.0), change.topic, change.summary, change.annotator))
    reasons = changes(first.record, second.record)
    names = (first.folder.name, second.folder.name)
    return RunComparison(Signature("runs"), names, quantity, unchanged, tuple(moved), only[0], only[1], tuple(reasons))


KEY = ("topic", "summary", "annotator", "role")
Row = tuple[Any, ...]


def _side_by_side(first: Iterator[Row], second: Iterator[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Pair the rows of the same key; both must come in the order of their keys."""
    nothing: Row = ()  # false, unlike every row
    before, after = next(first, nothing), next(second, nothing)
    while before and after:
        if before[: len(KEY)] == after[: len(KEY)]:
            yield before, after
            before, after = next(first, nothing), next(second, nothing)
        elif before[: len(KEY)] < after[: len(KEY)]:
            yield before, None
            before = next(first, nothing)
        else:
            yield None, after
            after = next(second, nothing)
    yield from ((row, None) for row in chain((before,) if before else (), first))
    yield from ((None, row) for row in chain((after,) if after else (), second))
