"""``crowd collect``: result files into a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.cli.crowd import _options
from pyramidion.errors import PyramidionError
from pyramidion.io.tables import plural

if TYPE_CHECKING:
    from pyramidion.studies.crowd.collection import Collection


def add_to(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(collect)


@emits("files", "progress")
def collect(
    study: _options.StudyArgument,
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            metavar="FILE|FOLDER",
            help="Results of Mechanical Turk, of Prolific or of our own pages; of a folder, every result file in it.",
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
        typer.Option("--until", metavar="DATE", help="Skip what was submitted after this day, or moment (UTC)."),
    ] = "",
    skip_unknown: Annotated[
        bool,
        typer.Option("--skip-unknown", help="Skip answers to what the study does not ask, instead of stopping."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would become of the files, and store nothing.")
    ] = False,
) -> tuple[Collection, str]:
    """Add a crowd's results to a study, and say how far the study is.

    A file may be collected again: what is known already changes nothing. Every file is read before the first is stored;
    if one is wrong, nothing is stored. Nothing that was collected is ever overwritten.

    \b
    Example:
      pyramidion crowd collect my-study Batch_4411_batch_results.csv
      pyramidion crowd collect my-study results/ --until 2025-03-31 --dry-run
    """
    from pyramidion.crowd.answers.collect import read, result_files
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.study import load
    from pyramidion.studies.crowd.collection import collect as stored

    planned, store = load(study), Store(study)
    if not files:
        raise PyramidionError("No result file is named", do="name the files to collect")
    paths = result_files(files)
    brought = []
    with _shared.progress(len(paths), "reading", at_least=2) as advance:
        for path in paths:
            brought.append(read(path, planned, format=source, skip_unknown=skip_unknown, until=until))
            advance()
    result = stored(planned, store, brought, dry_run=dry_run)
    return result, _next_step(study, result, bool(planned.statements))


def _next_step(study: Path, result: Collection, has_statements: bool) -> str:
    missing = [f"{plural(one.missing, 'submission')} of {one.phase} tasks" for one in result.progress if one.missing]
    if missing:
        return f"Still to come: {', '.join(missing)}."
    if not any(phase.phase == "judging" for phase in result.progress) and not has_statements:
        return f"The writing is complete. Next: pyramidion crowd select {study}"
    return f"Every task has its workers. Next: pyramidion crowd workers {study}, then crowd score {study}"
