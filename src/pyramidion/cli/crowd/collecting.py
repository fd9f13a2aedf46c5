"""``crowd collect``: result files into a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyramidion.cli import _shared
from pyramidion.errors import PyramidionError
from pyramidion.io.names import clean
from pyramidion.io.tables import Table, TableFormat, plural, render

if TYPE_CHECKING:
    from pyramidion.crowd.answers.progress import Progress


def add_to(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(collect)


def collect(
    study: Annotated[Path, typer.Argument(readable=False, metavar="STUDY", help="The study's folder.")],
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            metavar="FILE|FOLDER",
            help="Results of Mechanical Turk, Prolific or the own pages; of a folder, every result file in it.",
        ),
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="The files' format: mturk, prolific, page, litepyramids or qapyramid. Recognised if not given.",
        ),
    ] = "",
    until: Annotated[
        str,
        typer.Option("--until", metavar="DATE", help="Pass over what was submitted after this day, or moment (UTC)."),
    ] = "",
    skip_unknown: Annotated[
        bool,
        typer.Option("--skip-unknown", help="Pass over answers to what the study does not ask, instead of stopping."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would become of the files; store nothing.")
    ] = False,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Add the results of a crowd to a study, and say how far it is.

    What is known already changes nothing, so a file may be collected again. Every file is read before the first is
    stored; if one is wrong, nothing is. Nothing that was collected is ever overwritten.

    \b
    Example:
      pyramidion crowd collect my-study Batch_4411_batch_results.csv
      pyramidion crowd collect my-study results/ --until 2025-03-31 --dry-run
    """
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.answers.collect import once, read, result_files
    from pyramidion.crowd.answers.progress import is_partial, progress
    from pyramidion.crowd.answers.store import Store

    planned = studies.load(study)
    store = Store(study)
    if not files:
        raise PyramidionError("no result file is named", do="name the files to collect")
    paths = result_files(files)
    with _shared.progress(len(paths), "reading", at_least=2) as advance:
        brought = []
        for path in paths:
            brought.append(read(path, planned, format=source, skip_unknown=skip_unknown, until=until))
            advance()
    rows: list[dict[str, Any]] = []
    for one in brought:
        imported = store.add(one.submissions, one.source, statuses=one.statuses, dry_run=dry_run)
        problems = list(one.problems)
        if imported.conflicts:
            problems.append(
                f"{imported.conflicting} of an id that is known, with other answers; what was there stands; "
                f"the first: {imported.conflicts[0]!r}"
            )
        if imported.unmatched:
            problems.append(f"{imported.unmatched} of which there are no answers so far")
        rows.append(
            {
                "file": one.source,
                "format": one.format,
                "rows": one.rows,
                "new": imported.new,
                "known": imported.known,
                "conflicting": imported.conflicting,
                "rejected": one.rejected,
                "partial": sum(is_partial(each, planned.design.written) for each in one.submissions),
                "late": one.late,
                "unknown": one.unknown,
                "problems": problems,
            }
        )
    stored = store.submissions()
    if dry_run:
        stored = once([("store", stored), *((one.source, one.submissions) for one in brought)])
    found = progress(planned, stored)
    if as_json:
        _shared.print_json({"study": planned.name, "dry_run": dry_run, "files": rows, "progress": found})
        return
    typer.echo(clean(_told(rows, found, dry_run, format)), nl=False)
    if format == "text":
        typer.echo(_next_step(study, found, bool(planned.statements)))


def _told(rows: list[dict[str, Any]], found: list[Progress], dry_run: bool, format: TableFormat) -> str:
    columns = tuple(name for name in rows[0] if name != "problems")
    problems = [f"{row['file']}: {problem}" for row in rows for problem in row["problems"]]
    title = "What would be collected" if dry_run else "Collected"
    files = Table(columns, tuple(tuple(row[name] for name in columns) for row in rows), title, "\n".join(problems))
    names = ("phase", "tasks", "complete", "wanted", "missing", "partial", "rejected", "repeated", "surplus")
    done = Table(names, tuple(tuple(getattr(one, name) for name in names) for one in found), "How far the study is")
    return render(files, format) if format == "csv" else render(files, format) + "\n" + render(done, format)


def _next_step(study: Path, found: list[Progress], has_statements: bool) -> str:
    missing = [f"{plural(one.missing, 'submission')} of {one.phase} tasks" for one in found if one.missing]
    if missing:
        return f"Still to come: {', '.join(missing)}."
    if not any(one.phase == "judging" for one in found) and not has_statements:
        return f"The writing is complete. Next: pyramidion crowd select {study}"
    return f"Every task has its workers. Next: pyramidion crowd workers {study}, then crowd score {study}"
