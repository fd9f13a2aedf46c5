"""``score`` and ``evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.base.files import write_bytes
from pyramidion.base.tables import render
from pyramidion.cli import _run, _shared
from pyramidion.cli._emit import emits
from pyramidion.corrections import Corrections, read_corrections
from pyramidion.evaluation.evaluate import evaluate as study
from pyramidion.evaluation.evaluation import Evaluation, cache_table, stages_table
from pyramidion.evaluation.record import is_run
from pyramidion.evaluation.work import Scoring
from pyramidion.formats.read import READING, Reading
from pyramidion.methods import DEFAULT_METHOD, GIVEN
from pyramidion.scoring import DEFAULT, Settings

if TYPE_CHECKING:
    from pyramidion.evaluation.run_result import RunResult


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(evaluate)
    app.command()(score)


@_shared.with_bundles
@emits("scores", "full", "systems")
def score(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            help="Annotations that include their pyramid (.pan, .json), or a pyramid followed by annotations.",
        ),
    ],
    settings: Settings = DEFAULT,
    jackknife: _shared.JackknifeOption = False,
    explain: _shared.ExplainOption = False,
    corrections: _shared.CorrectionsOption = None,
    reading: Reading = READING,
) -> Evaluation:
    """Score annotated summaries.

    The annotations, by people or by a program, say which content units (SCUs) of a pyramid a summary expresses.

    \b
    Example:
      pyramidion score D0701.pyr peers/*.json
      pyramidion score ducview/*.pan --like ducview --json
    """
    _check_output(context)
    with _shared.progress(len(files), "reading") as advance:
        topics = reading.annotated(*files, progress=advance)
    return study(
        topics,
        "manual",
        settings,
        leave_one_out=jackknife,
        explained=explain,
        corrections=read_corrections(corrections) if corrections else None,
    )


@_shared.with_bundles
@emits("scores", "full", "systems")
def evaluate(
    context: typer.Context,
    corpus: _shared.CorpusArgument,
    method: _shared.MethodOption = DEFAULT_METHOD,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Also write an HTML page with scores, content units, heat maps and marked texts.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="RUN",
            help="Keep the results in this folder as they come, so that an interrupted run can be resumed. For corpora "
            "of any size; see docs/scale.md.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out; begin it if it is not there yet.")
    ] = False,
    rescore: Annotated[
        bool,
        typer.Option("--rescore", help="CORPUS is a run: score its matches with other settings. Nothing is matched."),
    ] = False,
    jobs: _shared.JobsOption = 1,
    engine: _run.EngineOption = "local",
    address: _run.AddressOption = "",
    gpus: _run.GpusOption = 0.0,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=0.0,
            help="With --out: the time that a pyramid or a summary may take before it counts as failed. "
            "0 sets no limit.",
        ),
    ] = 600.0,
    profile: Annotated[bool, typer.Option("--profile", help="Print where the time went, to standard error.")] = False,
    settings: Settings = DEFAULT,
    language: _shared.LanguageOption = None,
    calibrate: _shared.CalibrateOption = None,
    jackknife: _shared.JackknifeOption = False,
    explain: _shared.ExplainOption = False,
    corrections: _shared.CorrectionsOption = None,
    reading: Reading = READING,
) -> Evaluation | RunResult:
    """Score the summaries of a corpus, and average each system.

    Texts are enough. The default method finds the content units (SCUs) of the reference summaries, weighs each by the
    number of references that express it (this is the pyramid), and looks for them in the summaries to score (peers).

    \b
    Example:
      pyramidion evaluate corpus/ --report report.html
      pyramidion evaluate corpus/ --method pyreval --explain
      pyramidion evaluate corpus.jsonl --method manual --table systems --format csv
      pyramidion evaluate corpus.jsonl --out runs/monday --jobs 4 --resume
      pyramidion evaluate corpus.jsonl --out runs/monday --engine ray --address auto
      pyramidion evaluate runs/monday --rescore --average floor --cap
    """
    _check_output(context)
    _run.check_engine(context)
    _shared.check_outputs(report, inputs=[corpus, *([corrections] if corrections else [])])
    corrected = _read_corrections(corrections, out, rescore)
    if resume and not out:
        raise typer.BadParameter("--resume goes on with a run; name its folder: --out RUN")
    if is_run(corpus) and not rescore:
        raise typer.BadParameter(f"{corpus} is a run; score its matches with --rescore, or name a corpus")
    if rescore:
        result = _run.rescore_run(context, corpus, out, settings, jackknife, resume)
    else:
        recipe = _shared.method_of(method, language, calibrate, reading)
        if out:
            work = Scoring(recipe, settings, jackknife)
            result = _run.run(context, corpus, out, work, _run.engine(context), reading, resume)
        else:
            topics = reading.topics(corpus)
            _shared.say_if_annotated(topics, method)
            with _shared.progress(_shared.summaries(topics), "scoring") as advance:
                result = study(
                    topics,
                    recipe,
                    settings,
                    leave_one_out=jackknife,
                    explained=explain,
                    corrections=corrected,
                    jobs=jobs,
                    progress=advance,
                )
            result.check(str(corpus), by_people=recipe.matcher == GIVEN)
    if report:
        _write_report(report, result)
    if profile:
        count = len(result.results) if isinstance(result, Evaluation) else result.counts.summaries
        typer.echo(render(stages_table(result.seconds, count)), err=True, nl=False)
        if isinstance(result, Evaluation) and result.cached:
            typer.echo(render(cache_table(result.cached)), err=True, nl=False)
    return result


def _read_corrections(path: Path | None, out: Path | None, rescore: bool) -> Corrections | None:
    if path and (out or rescore):
        raise typer.BadParameter("A run cannot be corrected; leave out --out and --rescore, or --corrections")
    return read_corrections(path) if path else None


def _write_report(report: Path, result: Evaluation | RunResult) -> None:
    from pyramidion.reports.html import report_html

    if not isinstance(result, Evaluation):
        result = result.evaluation()
    write_bytes(report, report_html(result).encode())
    typer.echo(f"The report is {report}: open it in a browser.", err=True)


def _check_output(context: typer.Context) -> None:
    """Refuse explanations in formats that cannot hold them."""
    format = context.params["format"]
    if context.params["explain"] and format != "text" and not context.params["as_json"]:
        raise typer.BadParameter(f"A {format} table cannot hold explanations; leave out --format, or use --json")
