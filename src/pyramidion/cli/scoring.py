"""``score`` and ``evaluate``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.errors import FormatError, InputWarning, ModelError, PyramidionError, Where
from pyramidion.io.files import write_bytes
from pyramidion.io.tables import TableFormat, render_all
from pyramidion.methods import DEFAULT_METHOD, GIVEN
from pyramidion.model import Pyramid, Topic
from pyramidion.reading import READING, Reading
from pyramidion.score import DEFAULT, Settings
from pyramidion.studies.evaluate.study import Evaluation
from pyramidion.studies.evaluate.study import evaluate as run
from pyramidion.studies.evaluate.tables import explanation_lines, scores_table, systems_table, to_json


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(evaluate)
    app.command()(score)


@_shared.bundled
def score(
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False, help="Annotations that carry their pyramids (.pan, .json), or a pyramid and annotations."
        ),
    ],
    settings: Settings = DEFAULT,
    jackknife: _shared.JackknifeOption = False,
    explain: _shared.ExplainOption = False,
    reading: Reading = READING,
    table: _shared.WhichTable = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Score annotated summaries.

    \b
    Example:
      pyramidion score D0701.pyr peers/*.json
      pyramidion score ducview/*.pan --like ducview --json
    """
    _check_output(format, as_json, explain)
    read: list[tuple[Path, Topic]] = []
    with _shared.progress(len(files), "reading") as advance:
        for file in files:
            read += ((file, topic) for topic in reading.topics(file))
            advance()
    topics = formats.join(with_pyramids(read))
    evaluation = run(topics, "manual", settings, leave_one_out=jackknife)
    if not evaluation.results:
        raise FormatError("no annotation in the files given", do="add the annotations, or score a corpus with evaluate")
    _print(evaluation, format, table, as_json, explain)


def with_pyramids(read: Sequence[tuple[Path, Topic]]) -> list[Topic]:
    """Annotations with the pyramid they were made with: their own, that of their topic, or the only one there is."""
    given: dict[str, Pyramid] = {
        topic.id: topic.pyramid for _, topic in read if topic.pyramid and not topic.annotations
    }
    return [_with_pyramid(file, topic, given) for file, topic in read if topic.annotations]


def _with_pyramid(file: Path, topic: Topic, given: Mapping[str, Pyramid]) -> Topic:
    pyramid = given.get(topic.id) or (next(iter(given.values())) if len(given) == 1 else None)
    if topic.pyramid:
        if pyramid and pyramid.scus != topic.pyramid.scus:
            warnings.warn(
                f"{file}: scored against the pyramid it carries, not the one given", InputWarning, stacklevel=2
            )
        return topic
    if pyramid is None:
        raise PyramidionError(
            f"the annotations of topic {topic.id!r} come without a pyramid",
            str(file),
            "give the pyramid's file first, then its annotations",
        )
    if pyramid.topic != topic.id:
        warnings.warn(
            f"{file}: annotations of topic {topic.id!r}, scored against the pyramid of topic {pyramid.topic!r}",
            InputWarning,
            stacklevel=2,
        )
    try:
        return replace(topic, pyramid=replace(pyramid, topic=topic.id))
    except ModelError as error:
        raise error.at(Where(str(file))) from None


@_shared.bundled
def evaluate(
    corpus: Annotated[
        Path, typer.Argument(readable=False, help="A corpus folder or JSONL file (see docs/formats.md).")
    ],
    method: _shared.MethodOption = DEFAULT_METHOD,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE.html", help="Also write a page with scores, pyramids, heat maps and marked texts."
        ),
    ] = None,
    settings: Settings = DEFAULT,
    language: _shared.LanguageOption = None,
    jackknife: _shared.JackknifeOption = False,
    explain: _shared.ExplainOption = False,
    reading: Reading = READING,
    table: _shared.WhichTable = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Score every peer of a corpus and average every system.

    From texts alone: the default method builds the pyramids of the references and matches the peers.

    \b
    Example:
      pyramidion evaluate corpus/ --report report.html
      pyramidion evaluate corpus/ --method pyreval --explain
      pyramidion evaluate corpus.jsonl --method manual --table systems --format csv
    """
    _check_output(format, as_json, explain)
    _shared.check_outputs(report, inputs=[corpus])
    recipe = _shared.method_of(method, language)
    topics = reading.topics(corpus)
    _shared.say_if_annotated(topics, method)
    with _shared.progress(_shared.summaries(topics), "scoring") as advance:
        evaluation = run(topics, recipe, settings, leave_one_out=jackknife, progress=advance)
    if not evaluation.results:
        raise FormatError(
            "nothing to score: " + ("no peer is annotated" if recipe.matcher == GIVEN else "there is no peer"),
            str(corpus),
            "add annotations/, or choose a --method that matches peers itself"
            if recipe.matcher == GIVEN
            else "add the summaries to score: peers/*.txt",
        )
    if report:
        from pyramidion.report.html import report_html

        write_bytes(report, report_html(evaluation).encode())
    _print(evaluation, format, table, as_json, explain)
    if report:
        typer.echo(f"{report}: the report; open it in a browser", err=True)


def _check_output(format: TableFormat, as_json: bool, explained: bool) -> None:
    """Explanations are for reading or, as JSON, for programs."""
    if explained and format != "text" and not as_json:
        raise typer.BadParameter(f"a {format} table holds no explanations: leave --format out, or take --json")


def _print(evaluation: Evaluation, format: TableFormat, table: str | None, as_json: bool, explained: bool) -> None:
    if as_json:
        _shared.print_json(to_json(evaluation, explained=explained))
        return
    several = any(system.n > 1 for system in evaluation.systems)
    tables = []
    if table != "systems":
        tables.append(scores_table(evaluation, every_column=format == "csv"))
    if table == "systems" or (table is None and several and format != "csv"):
        tables.append(systems_table(evaluation))
    typer.echo(render_all(tables, format), nl=False)
    if explained:
        for one in evaluation.results:
            typer.echo("\n" + "\n".join(explanation_lines(one)))
