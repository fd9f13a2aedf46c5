"""The results of runs: of one run, a list of several, and the differences between two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyramidion.base.tables import Cell, Table, plural
from pyramidion.evaluation.evaluation import Evaluation, SystemMeans, stages_table, systems_table, unread_record
from pyramidion.evaluation.export import arrow, export
from pyramidion.evaluation.from_run import evaluation_of
from pyramidion.evaluation.record import Record
from pyramidion.evaluation.run import Status, open_run, rescored_outcomes
from pyramidion.evaluation.scored import Scored
from pyramidion.evaluation.store import COLUMNS, Counts
from pyramidion.evaluation.work import Failure
from pyramidion.model import Unread
from pyramidion.notes import Note
from pyramidion.result import Result
from pyramidion.scoring import Settings
from pyramidion.signature import Signature

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable

MOST = 20
"""Failures and moved summaries that are printed if nobody asks for the table."""


@dataclass(frozen=True, slots=True)
class RunResult(Result):
    """What a run has so far: the means of its systems, what failed, and where the time went.

    The scores of the summaries stay in its folder. :meth:`stream` hands them over one at a time; ``to_frame("scores")``
    and ``to_arrow("scores")`` are tables of all, and ``polars.DataFrame(result)`` reads them a part at a time.
    """

    folder: Path
    signature: Signature
    status: Status
    record: Record
    counts: Counts
    systems: tuple[SystemMeans, ...]
    failures: tuple[Failure, ...]
    unread: tuple[tuple[str, Unread], ...]
    seconds: dict[str, float]
    """Of all workers, by stage."""
    scores: tuple[tuple[Any, ...], ...] | None = field(default=None, repr=False)
    """The scores of every summary (:data:`~pyramidion.evaluation.store.COLUMNS`), where they are asked for."""
    notes: tuple[Note, ...] = ()
    """Guesses, repairs and limits that its user should know of, each once."""

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    def stream(self) -> Iterator[Scored]:
        """Every summary with its scores, pyramid and matches, one at a time, by topic."""
        with open_run(self.folder) as run:
            for outcome in rescored_outcomes(run.store, run.settings, run.leave_one_out):
                yield from outcome.scored

    def evaluation(
        self, settings: Settings | None = None, *, leave_one_out: bool | None = None, explained: bool = False
    ) -> Evaluation:
        """The evaluation that the run is, in memory; scored with other settings if they are given."""
        with open_run(self.folder) as run:
            return evaluation_of(run, settings, leave_one_out=leave_one_out, explained=explained)

    def export(self, path: str | PathLike[str]) -> int:
        """Write scores (.csv, .parquet), or topics with their matches (.jsonl); return the number of rows or topics."""
        with open_run(self.folder) as run:
            return export(run, Path(path))

    def table(self, name: str = "", *, whole: bool = False) -> Table:
        """The table of that name; the scores of every summary are read from the run's folder."""
        if name == "scores" and self.scores is None:
            with open_run(self.folder) as run:
                return Table(COLUMNS, tuple(run.store.scores()), signature=str(self.signature))
        return Result.table(self, name, whole=whole)

    def to_arrow(self, table: str = "") -> ArrowTable:
        """A table of Arrow, with the signature in its metadata."""
        if table != "scores":
            return Result.to_arrow(self, table)
        arrow_table: ArrowTable = arrow(self.folder).read_all()
        return arrow_table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The scores of every summary, a part at a time, for whoever reads Arrow's C stream."""
        return arrow(self.folder).__arrow_c_stream__(requested_schema)

    def tables(self, *, whole: bool = False) -> Mapping[str, Table]:
        """The tables: how far it is, the systems, what failed, the time of each stage, and perhaps all scores."""
        tables = {
            "run": self._run_table(),
            "systems": systems_table(self.systems, self.signature),
            "failed": self._failed_table(whole),
            "stages": stages_table(self.seconds, self.counts.summaries),
        }
        if self.scores is not None:
            tables["scores"] = Table(COLUMNS, self.scores, signature=str(self.signature))
        return tables

    @property
    def shown(self) -> tuple[str, ...]:
        """The tables to print: the progress, failures if there are any, and the systems."""
        failed = ("failed",) if self.failures else ()
        return ("run", *failed, *(("systems",) if self.systems else ()))

    @property
    def exit_status(self) -> int:
        """1 if a summary could not be scored."""
        return 1 if self.failures else 0

    def to_json(self) -> dict[str, Any]:
        """Everything that is printed, for programs; scores only where they were asked for."""
        return {
            "signature": str(self.signature),
            "run": {name.replace(" ", "_"): value for name, value in self._facts()},
            "systems": self.rows("systems"),
            "failed": self.rows("failed"),
            "stages": self.rows("stages"),
            **({"unread": list(map(unread_record, self.unread))} if self.unread else {}),
            **({"notes": list(map(str, self.notes))} if self.notes else {}),
            **({"scores": self.rows("scores")} if self.scores is not None else {}),
        }

    def _facts(self) -> list[tuple[str, Cell]]:
        return [
            ("run", self.name),
            ("status", self.status),
            ("summaries scored", self.counts.summaries),
            ("of", self.record.summaries),
            ("failed", self.counts.failed),
            ("topics", self.counts.topics),
            ("begun", self.record.created),
            ("worker seconds", round(sum(self.seconds.values()), 1)),
            *((("matches from", self.record.rescored),) if self.record.rescored else ()),
        ]

    def _run_table(self) -> Table:
        facts = dict(self._facts())
        return Table(tuple(facts), (tuple(facts.values()),))

    def _failed_table(self, whole: bool) -> Table:
        shown = self.failures if whole else self.failures[:MOST]
        more = f"And {len(self.failures) - len(shown)} more." if len(shown) < len(self.failures) else ""
        rows = tuple((failure.topic, failure.summary, failure.kind, failure.error) for failure in shown)
        return Table(("topic", "summary", "kind", "error"), rows, "Summaries that could not be scored", more)


@dataclass(frozen=True, slots=True)
class RunList(Result):
    """The runs of a folder."""

    signature: Signature
    runs: tuple[tuple[Cell, ...], ...]
    """A row each: name, status, how many summaries are scored, of how many, failed, method, when begun, bytes."""
    title: str = ""

    def tables(self, *, whole: bool = False) -> Mapping[str, Table]:
        """The one table."""
        columns = ("run", "status", "scored", "of", "failed", "method", "begun", "MB") if self.runs or whole else ()
        return {"runs": Table(columns, self.runs, self.title)}

    def __len__(self) -> int:
        return len(self.runs)


@dataclass(frozen=True, slots=True)
class Moved:
    """A summary whose score differs between two runs."""

    topic: str
    summary: str
    annotator: str
    first: float | None
    second: float | None

    @property
    def difference(self) -> float | None:
        """From the first run to the second."""
        return None if self.first is None or self.second is None else self.second - self.first


@dataclass(frozen=True, slots=True)
class RunComparison(Result):
    """The differences between two runs: which summaries moved, by how much, and what may be the reason."""

    signature: Signature
    names: tuple[str, str]
    quantity: str
    same: int
    """Summaries that have the same score in both."""
    moved: tuple[Moved, ...]
    """The others, the largest difference first."""
    only_first: int
    only_second: int
    """Summaries that only one of the runs scored."""
    reasons: tuple[str, ...]
    """The differences that may change a score, a sentence each."""

    def tables(self, *, whole: bool = False) -> Mapping[str, Table]:
        """The summaries that moved, and the reasons."""
        shown = self.moved if whole else self.moved[:MOST]
        rows = tuple(
            (change.topic, change.summary, change.annotator, change.first, change.second, change.difference)
            for change in shown
        )
        several = whole or any(change.annotator for change in self.moved)
        columns = ("topic", "summary", "annotator", "first", "second", "difference")
        keep = [place for place, name in enumerate(columns) if several or (rows and name != "annotator")]
        table = Table(
            tuple(columns[place] for place in keep),
            tuple(tuple(row[place] for place in keep) for row in rows),
            f"{self.quantity} of {self.names[0]} (first) and {self.names[1]} (second)",
            self._below(len(shown)),
        )
        why = Table(("what differs",), tuple((reason,) for reason in self.reasons), "Why")
        return {"moved": table, "why": why}

    @property
    def shown(self) -> tuple[str, ...]:
        """The reasons only where there are any."""
        return ("moved", "why") if self.reasons else ("moved",)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {
            "first": self.names[0],
            "second": self.names[1],
            "quantity": self.quantity,
            "same": self.same,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "moved": self.rows("moved"),
            "why": list(self.reasons),
        }

    def _below(self, shown: int) -> str:
        lines = [f"{plural(len(self.moved), 'summary')} moved, {self.same} did not."]
        if shown < len(self.moved):
            lines.append(f"The {shown} that moved most are shown.")
        for count, name in zip((self.only_first, self.only_second), self.names, strict=True):
            if count:
                lines.append(f"{plural(count, 'summary')} only in {name}.")
        if self.moved and not self.reasons:
            lines.append("Nothing that is recorded differs between the runs.")
        return "\n".join(lines)
