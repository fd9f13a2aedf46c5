"""``demo``: the bundled example, from texts to scores and report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.examples import example
from pyramidion.io.files import write_bytes
from pyramidion.io.tables import render
from pyramidion.studies.evaluate import evaluate


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Also write the report of the evaluation.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Also write the example corpus there, to play with.")
    ] = None,
    as_json: _shared.AsJson = False,
) -> None:
    """Evaluate the bundled example, from texts to scores.

    Two invented topics, with five references and six peers each: pyramids are built and peers matched by the default
    method. What people make of them is in the corpus, too: 'pyramidion evaluate FOLDER --method manual'.

    \b
    Example:
      pyramidion demo --report demo.html
      pyramidion demo --out example && pyramidion evaluate example --method pyreval --explain
    """
    _shared.check_outputs(report)
    topics = example()
    if out:
        formats.dump(topics, out, "folder")
    evaluation = evaluate(topics, explained=True)
    if report:
        from pyramidion.report.html import report_html

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
