"""Read runs: what one found, which there are, and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from pyramidion.io.tables import Cell
from pyramidion.runs.record import changes
from pyramidion.runs.run import Run, rescored
from pyramidion.score import QUANTITIES, Settings
from pyramidion.signature import Signature
from pyramidion.studies.evaluate.result import Evaluation
from pyramidion.studies.evaluate.study import means_of, system_means
from pyramidion.studies.runs.result import Moved, RunComparison, RunList, RunResult

MEGABYTE = 1_000_000


def show_run(run: Run, *, scores: bool = False) -> RunResult:
    """What a run has so far; ``scores`` adds those of every summary, which may be many."""
    store = run.store
    return RunResult(
        run.folder.name,
        run.signature,
        run.status,
        run.record,
        store.counts(),
        means_of(store.scores(("topic", "summary", "role", *QUANTITIES))),
        store.failures(),
        store.unread(),
        store.seconds(),
        tuple(store.scores()) if scores else None,
    )


def evaluation_of(
    run: Run, settings: Settings | None = None, *, leave_one_out: bool | None = None, explained: bool = False
) -> Evaluation:
    """The evaluation that a run is, in memory; scored with other settings if they are given."""
    settings = settings or run.settings
    leave_one_out = run.leave_one_out if leave_one_out is None else leave_one_out
    results = [scored for outcome in rescored(run.store, settings, leave_one_out) for scored in outcome.scored]
    results.sort(key=lambda one: (one.scores.topic, one.scores.summary, one.scores.annotator))
    systems = system_means(one.scores for one in results)
    signature = run.signature_with(settings, leave_one_out)
    return Evaluation(signature, tuple(results), systems, explained, run.store.unread(), run.store.seconds())


def list_runs(runs: Iterable[Run], title: str = "") -> RunList:
    """The runs, a row each."""
    return RunList(Signature("runs"), tuple(map(_row, runs)), title)


def _row(run: Run) -> tuple[Cell, ...]:
    counts, record = run.store.counts(), run.record
    size = sum(file.stat().st_size for file in run.folder.iterdir() if file.is_file())
    megabytes = round(size / MEGABYTE, 2)
    done = (counts.summaries, record.summaries, counts.failed)
    return run.folder.name, run.status, *done, record.method, record.created, megabytes


def compare_runs(first: Run, second: Run, quantity: str = "coverage", *, least: float = 0.0) -> RunComparison:
    """Which summaries have another score in the second run, by how much, and what may be the reason.

    A summary has moved if its scores differ by more than ``least``.
    """
    same, only, moved = 0, [0, 0], []
    for before, after in _side_by_side(*(run.store.scores((*KEY, quantity)) for run in (first, second))):
        if before is None or after is None:
            only[before is None] += 1
            continue
        topic, summary, annotator, _, score = before
        one = Moved(topic, summary, annotator, score, after[-1])
        difference = one.difference
        if one.first == one.second or (difference is not None and abs(difference) <= least):
            same += 1
        else:
            moved.append(one)
    moved.sort(key=lambda one: (-abs(one.difference or 0.0), one.topic, one.summary, one.annotator))
    reasons = changes(first.record, second.record)
    names = (first.folder.name, second.folder.name)
    return RunComparison(Signature("runs"), names, quantity, same, tuple(moved), only[0], only[1], tuple(reasons))


KEY = ("topic", "summary", "annotator", "role")
Row = tuple[Any, ...]


def _side_by_side(first: Iterator[Row], second: Iterator[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Rows of the same key together; both come in the order of their keys."""
    nothing: Row = ()
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
