"""``crowd collect``: result files into a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.base.tables import plural
from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.cli.crowd import _options
from pyramidion.errors import PyramidionError

if TYPE_CHECKING:
    from pyramidion.crowd.results.collection import Collection


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
            help="Result files of Mechanical Turk, Prolific or our own pages, or folders of them.",
        ),
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="The format of the files: mturk, prolific, page, litepyramids or qapyramid. By default it is "
            "recognised from the content.",
        ),
    ] = "",
    until: Annotated[
        str,
        typer.Option("--until", metavar="DATE", help="Skip answers that were submitted after this day or time (UTC)."),
    ] = "",
    skip_unknown: Annotated[
        bool,
        typer.Option("--skip-unknown", help="Skip answers to tasks that are not in the study, instead of stopping."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be stored, and store nothing.")] = False,
) -> tuple[Collection, str]:
    """Add a crowd's results to a study, and show its progress.

    You may collect a file again: answers that are known already change nothing. All files are read before the first is
    stored; if one is wrong, nothing is stored. Collected answers are never overwritten.

    \b
    Example:
      pyramidion crowd collect my-study Batch_4411_batch_results.csv
      pyramidion crowd collect my-study results/ --until 2025-03-31 --dry-run
    """
    from pyramidion.crowd.answers.collect import read, result_files
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.results.collection import collect as stored
    from pyramidion.crowd.study import load

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
    missing = [
        f"{plural(phase.missing, 'submission')} of {phase.phase} tasks" for phase in result.progress if phase.missing
    ]
    if missing:
        return f"Still to come: {', '.join(missing)}."
    if not any(phase.phase == "judging" for phase in result.progress) and not has_statements:
        return f"The writing is complete. Next: pyramidion crowd select {study}"
    return f"Every task has its workers. Next: pyramidion crowd workers {study}, then crowd score {study}"
