"""The collection of result files into a study, and the progress of the study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from pyramidion.base.names import clean
from pyramidion.base.tables import Table
from pyramidion.crowd.answers.collect import Collected, unique_submissions
from pyramidion.crowd.answers.progress import Progress, is_partial, progress
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.study import Study
from pyramidion.result import Result
from pyramidion.signature import Signature


@dataclass(frozen=True, slots=True)
class FileReport:
    """The outcome of one file's submissions."""

    file: str
    format: str
    rows: int
    new: int
    known: int
    conflicting: int
    rejected: int
    partial: int
    late: int
    unknown: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Collection(Result):
    """The files that were collected, and how far each phase of the study is."""

    signature: Signature
    study: str
    dry_run: bool
    """Nothing was stored."""
    files: tuple[FileReport, ...]
    progress: tuple[Progress, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a table with a row for each file, and one with a row for each phase."""
        columns = tuple(field.name for field in fields(FileReport) if field.name != "problems")
        names = ("phase", "tasks", "complete", "wanted", "missing", "partial", "rejected", "repeated", "surplus")
        return {
            "files": Table(
                columns,
                tuple(tuple(_clean(getattr(file, name)) for name in columns) for file in self.files),
                "What would be collected" if self.dry_run else "Collected",
                clean("\n".join(f"{file.file}: {problem}" for file in self.files for problem in file.problems)),
            ),
            "progress": Table(
                names,
                tuple(tuple(getattr(phase, name) for name in names) for phase in self.progress),
                "How far the study is",
            ),
        }

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {key: value for key, value in asdict(self).items() if key != "signature"}


def _clean(cell: Any) -> Any:
    return clean(cell) if isinstance(cell, str) else cell


def collect(study: Study, store: Store, brought: Sequence[Collected], *, dry_run: bool = False) -> Collection:
    """Store the submissions of files, or only say what would be stored."""
    files = tuple(_store_file(study, store, file, dry_run) for file in brought)
    submissions = store.submissions()
    if dry_run:
        submissions = unique_submissions(
            [("store", submissions), *((file.source, file.submissions) for file in brought)]
        )
    return Collection(Signature("crowd-collect"), study.name, dry_run, files, tuple(progress(study, submissions)))


def _store_file(study: Study, store: Store, file: Collected, dry_run: bool) -> FileReport:
    """Store the submissions of a file, and report what became of them."""
    imported = store.add(file.submissions, file.source, statuses=file.statuses, dry_run=dry_run)
    problems = list(file.problems)
    if imported.conflicts:
        problems.append(
            f"{imported.conflicting} of an id that is known, with other answers; what was there stands; "
            f"the first: {imported.conflicts[0]!r}"
        )
    if imported.unmatched:
        problems.append(f"{imported.unmatched} of which there are no answers so far")
    partial = sum(is_partial(submission, study.design.written) for submission in file.submissions)
    counts = (file.rows, imported.new, imported.known, imported.conflicting, file.rejected, partial)
    return FileReport(file.source, file.format, *counts, file.late, file.unknown, tuple(problems))
