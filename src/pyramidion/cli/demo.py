"""``demo``: the bundled example, from texts to scores and report."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.examples import example
from pyramidion.io.files import write_bytes
from pyramidion.io.tables import Table, render
from pyramidion.model import Annotation
from pyramidion.studies.evaluate.study import Evaluation, evaluate
from pyramidion.studies.evaluate.tables import scores_table, systems_table, to_json

LABEL = 60
"""How many characters of a label are shown; the report has them whole."""


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
    evaluation = evaluate(topics)
    if report:
        from pyramidion.report.html import report_html

        write_bytes(report, report_html(evaluation, title="The bundled example").encode())
    if as_json:
        _shared.print_json(to_json(evaluation, explained=True))
        return
    for made in (scores_table(evaluation), systems_table(evaluation), *top_tier_tables(evaluation)):
        typer.echo(render(made))
    if out:
        typer.echo(f"The corpus is in {out}.")
    if report:
        typer.echo(f"The report is {report}: open it in a browser.")


def top_tier_tables(evaluation: Evaluation) -> list[Table]:
    """For each topic, what the two heaviest tiers say and which peers missed it."""
    tables = []
    pyramids = {one.pyramid.topic: one.pyramid for one in evaluation.results}
    for topic, pyramid in pyramids.items():
        peers = [
            one.annotation
            for one in evaluation.results
            if one.pyramid.topic == topic and one.annotation.summary.text.strip()
        ]
        rows = []
        for weight, scus in list(pyramid.tiers.items())[:2]:
            for scu in scus:
                missed = [_name(peer, scu.id) for peer in peers if scu.id not in peer.expressed]
                rows.append((weight, shorten(scu.label, LABEL, placeholder=" ..."), ", ".join(missed) or "nobody"))
        title = f"{topic}: what most references say, and who missed it (the empty peer missed everything)"
        tables.append(Table(("weight", "SCU", "missed by"), tuple(rows), title))
    return tables


def _name(peer: Annotation, scu: str) -> str:
    is_contradicted = any(contradiction.scu == scu for contradiction in peer.contradicted)
    return f"{peer.summary.id} (contradicts it)" if is_contradicted else peer.summary.id
