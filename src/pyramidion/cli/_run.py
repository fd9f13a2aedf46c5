"""``evaluate --out``: an evaluation that is kept as it comes, and can be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.base.files import is_stream
from pyramidion.cli import _shared
from pyramidion.evaluation.work import Scoring
from pyramidion.formats.read import Reading
from pyramidion.scoring import Settings

if TYPE_CHECKING:
    from pyramidion.evaluation.drive import Progress
    from pyramidion.evaluation.engines import Engine
    from pyramidion.evaluation.evaluation import Evaluation
    from pyramidion.evaluation.run_result import RunResult


EngineOption = Annotated[
    Literal["local", "ray"],
    typer.Option(
        "--engine",
        metavar="local|ray",
        help="With --out: match the summaries in processes of this machine, or on a Ray cluster "
        "(pip install 'pyramidion[ray]').",
    ),
]
AddressOption = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="With --engine ray: the cluster, or 'auto' for the one of this machine. Without it, a cluster "
        "on this machine is started, and ended after the run.",
    ),
]
GpusOption = Annotated[
    float,
    typer.Option(
        "--gpus", metavar="SHARE", min=0.0, max=1.0, help="With --engine ray: the share of a GPU that each worker gets."
    ),
]


def engine(context: typer.Context) -> Engine:
    """Return the engine of a run. Even a single job gets a process of its own, which may die without ending the run."""
    given = context.params
    if given["engine"] == "ray":
        from pyramidion.evaluation.engines.ray import Ray

        # --jobs is 1 by default; on a cluster that would waste the rest, so only a number that was given counts
        chosen = context.get_parameter_source("jobs")
        jobs = given["jobs"] if chosen and chosen.name == "COMMANDLINE" else 0
        return Ray(given["address"], jobs, given["gpus"], given["timeout"])
    from pyramidion.evaluation.engines.processes import Processes

    return Processes(given["jobs"], given["timeout"])


def check_engine(context: typer.Context) -> None:
    """Refuse settings of an engine that would have no effect."""
    given = context.params
    if given["engine"] == "ray" and not given["out"]:
        raise typer.BadParameter("--engine ray keeps its results in a run; name its folder: --out RUN")
    if given["engine"] != "ray" and (given["address"] or given["gpus"]):
        raise typer.BadParameter("--address and --gpus belong to a Ray cluster; add --engine ray")


def run(
    context: typer.Context, corpus: Path, out: Path, work: Scoring, by: Engine, reading: Reading, resume: bool
) -> Evaluation | RunResult:
    """Do what a run has not done yet, and return what it has."""
    from pyramidion.evaluation.drive import run as study

    if is_stream(corpus):
        raise typer.BadParameter(f"A run reads its corpus more than once, and {corpus} can be read once; give a file")
    with _advancing() as progress:
        result = study(
            corpus,
            out,
            work.method,
            work.settings,
            leave_one_out=work.leave_one_out,
            resume=resume,
            engine=by,
            reading=reading,
            progress=progress,
        )
    return _shown_result(context, result)


def rescore_run(
    context: typer.Context, source: Path, out: Path | None, settings: Settings, jackknife: bool, resume: bool
) -> Evaluation | RunResult:
    """Score the matches of a run with other settings, in memory or as a new run."""
    from pyramidion.evaluation.drive import rescore
    from pyramidion.evaluation.run_folders import read_run

    if not out:
        explained = context.params["explain"]
        return read_run(source).evaluation(settings, leave_one_out=jackknife, explained=explained)
    with _advancing() as progress:
        result = rescore(source, out, settings, leave_one_out=jackknife, resume=resume, progress=progress)
    return _shown_result(context, result)


@contextmanager
def _advancing() -> Iterator[Progress]:
    """Show the progress of a run and, if it is interrupted, how to go on with it."""
    from pyramidion.evaluation.run import Interrupted

    with ExitStack() as shown:
        bar: Callable[[], None] | None = None

        def progress(done: int, of: int) -> None:
            nonlocal bar
            if bar:
                bar()
            else:
                bar = shown.enter_context(_shared.progress(max(0, of - done), "scoring", done=done))

        try:
            yield progress
        except Interrupted as interrupted:
            shown.close()
            typer.echo(f"{interrupted.kept} To go on, give the same command with --resume.", err=True)
            raise typer.Exit(130) from None  # 128 + SIGINT, as shells have it


def _shown_result(context: typer.Context, result: RunResult) -> Evaluation | RunResult:
    """Return systems and failures; all summaries only if they are asked for, since there may be many."""
    given = context.params
    has_all_scores = given["table"] in ("scores", "full") or (given["format"] == "csv" and not given["table"])
    return result.evaluation(explained=given["explain"]) if given["explain"] or has_all_scores else result
