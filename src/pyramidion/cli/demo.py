"""``demo``: evaluate the bundled example, from texts to scores and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyramidion import formats
from pyramidion.base.files import write_bytes
from pyramidion.base.tables import render
from pyramidion.cli import _shared
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.methods import DEFAULT_METHOD


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Also write a report to open in a browser.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Also write the example corpus to this folder, so that you can try other commands on it.",
        ),
    ] = None,
    method: _shared.MethodOption = DEFAULT_METHOD,
    as_json: _shared.AsJson = False,
) -> None:
    """Evaluate the bundled example, from texts to scores.

    The example has two invented topics. Each has five reference summaries and six summaries to score (peers). The
    default method finds the content units (SCUs) of the references, weighs each by the number of references that
    express it (this is the pyramid), and looks for them in the peers. The corpus also holds annotations by people;
    --method manual scores those, in a moment.

    \b
    Example:
      pyramidion demo --report demo.html
      pyramidion demo --out example && pyramidion evaluate example --method pyreval --explain
    """
    _shared.check_outputs(report)
    topics = example()
    if out:
        formats.dump(topics, out, "folder")
    evaluation = evaluate(topics, method, explained=True)
    if report:
        from pyramidion.reports.html import report_html

        write_bytes(report, report_html(evaluation, title="The bundled example").encode())
    if as_json:
        _shared.print_json(evaluation.to_json())
        return
    for table in (*map(evaluation.table, evaluation.shown), *evaluation.top_tiers()):
        typer.echo(render(table))
    if out:
        typer.echo(f"The corpus is in {out}.")
    if report:
        typer.echo(f"The report is {report}: open it in a browser.")
