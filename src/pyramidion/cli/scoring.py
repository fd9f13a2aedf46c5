"""``score`` and ``evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.io.files import write_bytes
from pyramidion.methods import DEFAULT_METHOD, GIVEN
from pyramidion.reading import READING, Reading
from pyramidion.score import DEFAULT, Settings
from pyramidion.studies.evaluate import Evaluation
from pyramidion.studies.evaluate import evaluate as study


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(evaluate)
    app.command()(score)


@_shared.bundled
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
    return study(topics, "manual", settings, leave_one_out=jackknife, explained=explain)


@_shared.bundled
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
    settings: Settings = DEFAULT,
    language: _shared.LanguageOption = None,
    calibrate: _shared.CalibrateOption = None,
    jackknife: _shared.JackknifeOption = False,
    explain: _shared.ExplainOption = False,
    reading: Reading = READING,
) -> Evaluation:
    """Score the summaries of a corpus, and average each system.

    Texts are enough. The default method finds the content units (SCUs) of the reference summaries, weighs each by the
    number of references that express it (this is the pyramid), and looks for them in the summaries to score (peers).

    \b
    Example:
      pyramidion evaluate corpus/ --report report.html
      pyramidion evaluate corpus/ --method pyreval --explain
      pyramidion evaluate corpus.jsonl --method manual --table systems --format csv
    """
    _check_output(context)
    _shared.check_outputs(report, inputs=[corpus])
    recipe = _shared.method_of(method, language, calibrate, reading)
    topics = reading.topics(corpus)
    _shared.say_if_annotated(topics, method)
    with _shared.progress(_shared.summaries(topics), "scoring") as advance:
        evaluation = study(topics, recipe, settings, leave_one_out=jackknife, explained=explain, progress=advance)
    evaluation.check(str(corpus), by_people=recipe.matcher == GIVEN)
    if report:
        from pyramidion.report.html import report_html

        write_bytes(report, report_html(evaluation).encode())
        typer.echo(f"The report is {report}: open it in a browser.", err=True)
    return evaluation


def _check_output(context: typer.Context) -> None:
    """Refuse explanations in formats that cannot hold them."""
    format = context.params["format"]
    if context.params["explain"] and format != "text" and not context.params["as_json"]:
        raise typer.BadParameter(f"A {format} table cannot hold explanations; leave out --format, or use --json")
