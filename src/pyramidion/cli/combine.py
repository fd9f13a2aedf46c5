"""``combine``: two scores together, against human scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.io.tables import render_all
from pyramidion.reading import READING, Reading


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(combine)


@_shared.bundled
def combine(
    corpus: _shared.CorpusArgument,
    metric: Annotated[
        list[str],
        typer.Option(
            "--metric",
            metavar="NAME[:SCORE]",
            help="A score: a method (given+soft, pyramidion, ...; coverage) or a metric (rouge-su4, be-hm, "
            "lexical-pyramid; recall). Name two; of more, the last is combined with each of the others.",
        ),
    ],
    human: _shared.HumanOption = None,
    column: _shared.ColumnOption = "",
    level: _shared.LevelOption = "global",
    scale: Annotated[
        Literal["none", "z", "minmax"],
        typer.Option("--scale", help="Combine scores as they are, standardised, or stretched from 0 to 1."),
    ] = "none",
    by: _shared.ByOption = "pearson",
    alpha: Annotated[
        float, typer.Option("--alpha", help="The blind alpha, set without looking at human scores.")
    ] = 0.5,
    steps: Annotated[int, typer.Option("--steps", help="Steps of alpha from 0 to 1.")] = 20,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            metavar="K",
            help="Folds of the cross-validation: of topics, or of peers where there is one topic. By default each is "
            "one, if there are at most 20, else ten are made.",
            show_default=False,
        ),
    ] = None,
    stem: Annotated[bool, typer.Option("--stem/--no-stem", help="ROUGE: compare stems (its -m), or words.")] = True,
    documents: _shared.DocumentsOption = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the curves: .svg, .png or .pdf (needs matplotlib)."),
    ] = None,
    table: Annotated[
        Literal["worth", "gains", "curve"] | None,
        typer.Option(
            "--table",
            help="Print only what scores and combinations are worth, what combining adds, or the curves. The first two "
            "by default; CSV, which holds one table, has the first.",
            show_default=False,
        ),
    ] = None,
    reading: Reading = READING,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Combine two scores linearly: alpha * first + (1 - alpha) * second, against human scores.

    Three ways to set alpha stand beside each score alone: .5, without looking; the best on these summaries; and chosen
    on other topics, which is what to expect of it.

    \b
    Example:
      pyramidion combine corpus/ --metric given+soft --metric rouge-su4 --plot curve.svg
      pyramidion combine realsumm/ --metric be-hm --metric rouge-2:f --metric rouge-su4 --level summary
      pyramidion combine class/ --human grades.csv --metric pyramidion --metric lexical-pyramid --scale z
    """
    from pyramidion.io.files import write_bytes
    from pyramidion.io.pictures import check_picture
    from pyramidion.studies.combine.plot import draw_curves
    from pyramidion.studies.combine.study import check
    from pyramidion.studies.combine.study import combine as run
    from pyramidion.studies.combine.tables import curve_table, gains_table, to_json, worth_table

    check(metric, human is not None, alpha, steps)
    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot, inputs=[corpus, *([human] if human else [])])
    topics, people = _shared.with_human_scores(corpus, human, column, documents, reading)
    with _shared.progress(len(metric) * _shared.summaries(topics), "scoring") as advance:
        found = run(
            topics,
            metric,
            people,
            level=level,
            scale=scale,
            by=by,
            alpha=alpha,
            steps=steps,
            folds=folds,
            stem=stem,
            progress=advance,
        )
    if as_json:
        _shared.print_json(to_json(found))
    else:
        makers = {"worth": worth_table, "gains": gains_table, "curve": curve_table}
        wanted = [table] if table else ["worth"] if format == "csv" else ["worth", "gains"]
        typer.echo(render_all([makers[one](found) for one in wanted], format), nl=False)
    if plot and picture:
        write_bytes(plot, draw_curves(found, picture))
