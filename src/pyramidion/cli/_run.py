"""``evaluate --out``: an evaluation that is kept as it comes, and can be interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.io.files import is_stream
from pyramidion.methods import GIVEN, Method
from pyramidion.reading import Reading
from pyramidion.runs.work import Scoring, Tick
from pyramidion.score import Settings
from pyramidion.studies.evaluate.result import nothing_to_score

if TYPE_CHECKING:
    from pyramidion.runs.engines import Engine
    from pyramidion.runs.run import Driver
    from pyramidion.studies.evaluate import Evaluation
    from pyramidion.studies.runs import RunResult


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
    """Who does the work of a run; also a single process may die without ending it."""
    given = context.params
    if given["engine"] == "ray":
        from pyramidion.runs.engines.ray import Ray

        chosen = context.get_parameter_source("jobs")
        jobs = given["jobs"] if chosen and chosen.name == "COMMANDLINE" else 0
        return Ray(given["address"], jobs, given["gpus"], given["timeout"])
    from pyramidion.runs.engines.processes import Processes

    return Processes(given["jobs"], given["timeout"])


def check_engine(context: typer.Context) -> None:
    """Refuse settings of an engine that would be without effect."""
    given = context.params
    if given["engine"] == "ray" and not given["out"]:
        raise typer.BadParameter("--engine ray keeps its results in a run; name its folder: --out RUN")
    if given["engine"] != "ray" and (given["address"] or given["gpus"]):
        raise typer.BadParameter("--address and --gpus belong to a Ray cluster; add --engine ray")


def run(
    context: typer.Context, corpus: Path, out: Path, work: Scoring, by: Engine, reading: Reading, resume: bool
) -> Evaluation | RunResult:
    """Do what a run has not done yet, and return what it has."""
    from pyramidion.runs.record import digests, is_run, record_of
    from pyramidion.runs.run import driving
    from pyramidion.runs.worklist import planned

    if is_stream(corpus):
        raise typer.BadParameter(f"A run reads its corpus more than once, and {corpus} can be read once; give a file")
    _shared.check_not_among(out, [corpus])
    options = {name: str(value) for name, value in reading.options.items()}
    named = [Path(name) for value in options.values() for name in value.split(",")]
    inputs = digests([corpus, *(path for path in named if path.is_file())])
    how = {"format": reading.format, "markup": reading.markup, **options}
    record = record_of(work, inputs, how)
    if not (resume and is_run(out)):
        plan = planned(reading.stream(corpus), work.method, leave_one_out=work.leave_one_out)
        if not plan.summaries and not work.leave_one_out:
            raise nothing_to_score(str(corpus), by_people=work.method.matcher == GIVEN)
        if plan.annotated:
            _shared.say_if_annotated(reading.stream(corpus), str(work.method))
        record = record_of(work, inputs, how, topics=plan.topics, summaries=plan.summaries)
    with driving(out, record, resume=resume) as driver, _advancing(driver) as advance:
        driver.go(work, reading.stream(corpus), by, advance)
    return _result(context, out)


def rescored(
    context: typer.Context, source: Path, out: Path | None, settings: Settings, jackknife: bool, resume: bool
) -> Evaluation | RunResult:
    """Score the matches of a run with other settings, in memory or as a new run."""
    from pyramidion.runs.record import record_of
    from pyramidion.runs.run import driving, opened
    from pyramidion.studies.runs import evaluation_of

    with opened(source) as old:
        if not out:
            return evaluation_of(old, settings, leave_one_out=jackknife, explained=context.params["explain"])
        work = Scoring(Method.parse(old.record.method), settings, jackknife)
        _shared.check_not_among(out, [source])
        sizes = old.record
        record = record_of(
            work,
            sizes.inputs,
            sizes.reading,
            topics=sizes.topics,
            summaries=sizes.summaries,
            rescored=source.resolve().name,
        )
        with driving(out, record, resume=resume) as driver, _advancing(driver) as advance:
            driver.take(old, work, advance)
    return _result(context, out)


def evaluation(out: Path) -> Evaluation:
    """The evaluation that a run is, for a report."""
    from pyramidion.runs.run import opened
    from pyramidion.studies.runs import evaluation_of

    with opened(out) as run:
        return evaluation_of(run)


@contextmanager
def _advancing(driver: Driver) -> Iterator[Tick]:
    """Show how far a run is."""
    done, total = driver.run.store.counts().summaries, driver.run.record.summaries or 0
    with _shared.progress(max(0, total - done), "scoring", done=done) as advance:
        yield lambda step: advance() if step else None


def _result(context: typer.Context, out: Path) -> Evaluation | RunResult:
    """Systems and failures; all summaries only where they are asked for, since there may be many."""
    from pyramidion.runs.run import opened
    from pyramidion.studies.runs import evaluation_of, show_run

    given = context.params
    with opened(out) as run:
        counts = run.store.counts()
        if not counts.is_whole:
            of = "" if run.record.summaries is None else f" of {run.record.summaries}"
            typer.echo(
                f"{counts.summaries}{of} summaries are scored and kept in {out}. To go on, give the same command with "
                "--resume.",
                err=True,
            )
            raise typer.Exit(130)
        if (
            given["explain"]
            or given["table"] in ("scores", "full")
            or (given["format"] == "csv" and not given["table"])
        ):
            return evaluation_of(run, explained=given["explain"])
        return show_run(run)
