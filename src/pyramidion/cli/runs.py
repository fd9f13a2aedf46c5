"""``runs``: look at runs of ``evaluate --out``, compare them, export them, and clear up."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.errors import PyramidionError
from pyramidion.scoring import Quantity

if TYPE_CHECKING:
    from pyramidion.evaluation.run import Run
    from pyramidion.evaluation.run_result import RunComparison, RunList, RunResult

RunArgument = Annotated[Path, typer.Argument(metavar="RUN", readable=False, help="The folder of a run.")]
FolderArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", readable=False, help="A folder that holds the folders of runs.")
]


def add_to(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="List, compare, export or delete runs of 'evaluate --out'.\n\n\b\nExample:\n"
        "  pyramidion runs list nightly/\n  pyramidion runs show nightly/monday",
    )
    group.command("list")(list_)
    group.command()(show)
    group.command()(compare)
    group.command()(export)
    group.command()(gc)
    app.add_typer(group, name="runs")


@emits("runs")
def list_(folder: FolderArgument = Path()) -> RunList:
    """List the runs in a folder, and show how far each is.

    \b
    Example:
      pyramidion runs list nightly/
    """
    from pyramidion.evaluation.run_folders import list_runs

    with _runs_in(folder) as runs:
        return list_runs(runs, f"Runs in {folder}" if runs else f"There is no run in {folder}.")


@emits("run", "systems", "failed", "stages", "scores")
def show(context: typer.Context, run: RunArgument) -> RunResult:
    """Show the results that a run has so far.

    The tables have its state, systems, failures, the time spent and the scores. The run need not be finished. The exit
    status is 1 if summaries could not be scored.

    \b
    Example:
      pyramidion runs show nightly/monday
      pyramidion runs show nightly/monday --table scores --format csv
    """
    from pyramidion.evaluation.run import open_run
    from pyramidion.evaluation.run_folders import show_run

    with open_run(run) as chosen:
        return show_run(chosen, scores=context.params["table"] == "scores")


@emits("moved", "why")
def compare(
    first: RunArgument,
    second: RunArgument,
    score: Annotated[Quantity, typer.Option("--score", help="The score to compare.")] = "coverage",
    least: Annotated[
        float, typer.Option("--least", min=0.0, help="Scores that differ by no more than this count as the same.")
    ] = 0.0,
) -> RunComparison:
    """Show which summaries two runs score differently, and why.

    \b
    Example:
      pyramidion runs compare nightly/monday nightly/tuesday
    """
    from pyramidion.evaluation.run import open_run
    from pyramidion.evaluation.run_folders import compare_runs

    with open_run(first) as before, open_run(second) as after:
        return compare_runs(before, after, score, least=least)


def export(
    run: RunArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file: a table of scores (.csv, .parquet), or topics with pyramids and matches (.jsonl).",
        ),
    ],
    as_json: _shared.AsJson = False,
) -> None:
    """Write the results of a run to a file.

    \b
    Example:
      pyramidion runs export nightly/monday -o scores.parquet
      pyramidion runs export nightly/monday -o matches.jsonl
    """
    from pyramidion.evaluation.export import export as write
    from pyramidion.evaluation.run import open_run

    _shared.check_outputs(output, inputs=[run])
    with open_run(run) as chosen:
        count = write(chosen, output)
    rows = "topic" if output.suffix == ".jsonl" else "summary"
    if as_json:
        _shared.print_json({"file": str(output), "rows": rows, "count": count})
    else:
        typer.echo(f"{output} has {_shared.plural(count, rows)}.")


@emits("runs")
def gc(
    folder: FolderArgument,
    days: Annotated[
        float,
        typer.Option("--older-than", metavar="DAYS", min=0.0, help="Choose runs that began at least so long ago."),
    ] = 7.0,
    finished: Annotated[bool, typer.Option("--finished", help="Choose finished runs, too.")] = False,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete the runs. Without this option, they are only listed.")
    ] = False,
) -> RunList:
    """List or delete old runs that were never finished.

    A run that a process is working on is left alone.

    \b
    Example:
      pyramidion runs gc nightly/ --older-than 30
      pyramidion runs gc nightly/ --older-than 30 --finished --delete
    """
    from pyramidion.evaluation.lock import lock_run
    from pyramidion.evaluation.run_folders import list_runs

    latest = datetime.now(UTC) - timedelta(days=days)
    wanted = ("unfinished", "finished") if finished else ("unfinished",)
    with _runs_in(folder) as runs:
        chosen = [run for run in runs if run.status in wanted and datetime.fromisoformat(run.record.created) <= latest]
        how = "Deleted" if delete else "Would be deleted"
        listed = list_runs(chosen, f"{how} from {folder}" if chosen else f"There is nothing to delete in {folder}.")
    for run in chosen if delete else ():
        with lock_run(run.folder):  # raises if a process has taken the run up since the list was made
            shutil.rmtree(run.folder)
    return listed


@contextmanager
def _runs_in(folder: Path) -> Iterator[list[Run]]:
    """Open the runs in a folder, by name."""
    from pyramidion.base.unused import entries
    from pyramidion.evaluation.record import is_run
    from pyramidion.evaluation.run import open_run

    if not folder.is_dir():
        raise PyramidionError("There is no such folder.", str(folder), "name a folder with runs in it")
    with ExitStack() as stack:
        yield [stack.enter_context(open_run(entry)) for entry in entries(folder) if is_run(entry)]
