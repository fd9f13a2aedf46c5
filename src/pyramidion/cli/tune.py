"""``tune``: which parameters of a method agree best with people."""

from __future__ import annotations

from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.io.tables import Cell as TableCell
from pyramidion.io.tables import Table, render, render_all
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.methods import Value
    from pyramidion.studies.tune.study import Cell, Tuning

SHOWN = 5
"""How many of the best and of the worst cells people are shown."""

Score = Literal["raw", "quality", "coverage", "comprehensive", "precision", "recall"]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tune)


@_shared.bundled
def tune(
    corpus: _shared.CorpusArgument,
    human: Annotated[
        Path, typer.Option("--human", metavar="SCORES.csv", help="A table of human scores, one row a peer.")
    ],
    column: Annotated[str, typer.Option("--column", help="The table's column to compare with.")] = "",
    method: Annotated[str, typer.Option(help="The method to tune; parameters in its brackets are fixed.")] = "pyreval",
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="NAME=VALUE,...",
            help="A parameter of the method and the values to try. Repeatable; without it, the paper's values of "
            "alpha, beta and percentile, as far as the method has them.",
        ),
    ] = None,
    score: Annotated[Score, typer.Option("--score", help="The score to compare with the human one.")] = "raw",
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            metavar="K",
            help="Folds of the cross-validation: of peers, or of topics where there are several. By default each is "
            "one, if there are at most 20, else ten are made.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the correlations: .svg, .png or .pdf (needs matplotlib)."),
    ] = None,
    language: _shared.LanguageOption = None,
    reading: Reading = READING,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Try a method's parameters on peers that people have scored.

    Every cell of the grid is scored by its correlation with the human scores, each parameter by an analysis of
    variance, and the choice itself by cross-validation, so that it cannot flatter itself.

    \b
    Example:
      pyramidion tune corpus/ --human scores.csv --plot contour.svg
      pyramidion tune corpus/ --human scores.csv --grid percentile=70,80,90 --grid threshold=0.4,0.5,0.6
    """
    recipe = _shared.method_of(method, language)
    from pyramidion.io.files import write_bytes
    from pyramidion.io.pictures import check_picture
    from pyramidion.studies.scores.human import read_human
    from pyramidion.studies.tune.grid import read_grid
    from pyramidion.studies.tune.plot import draw
    from pyramidion.studies.tune.study import tune as run

    tried = read_grid(grid or (), recipe)
    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot, inputs=[corpus, human])
    topics = reading.topics(corpus)
    people = read_human(human, topics, column)
    with _shared.progress(prod(len(values) for _, values in tried), "tuning") as advance:
        found = run(topics, people, recipe, tried, quantity=score, folds=folds, progress=advance)
    if as_json:
        _shared.print_json(to_json(found))
    elif format == "csv":
        typer.echo(render(cells_table(found, all=True), "csv"), nl=False)
    else:
        tables = [cells_table(found), *marginal_tables(found), anova_table(found), *validation_tables(found)]
        typer.echo(render_all(tables, format), nl=False)
    if plot and picture:  # last: what was found is told even if it makes no picture
        write_bytes(plot, draw(found, picture))


def _cell(value: Value) -> TableCell:
    return str(value).lower() if isinstance(value, bool) else value


def _row(tuning: Tuning, index: int, all: bool) -> tuple[TableCell, ...]:
    cell, times = tuning.cells[index], tuning.validation.times(index)
    values = tuple(_cell(value) for _, value in cell.parameters)
    return (*values, cell.correlation, times, *((cell.problem,) if all else ()))


def cells_table(tuning: Tuning, *, all: bool = False) -> Table:
    """One row a cell, best first; for people, only the best and the worst where there are many."""
    names = tuple(name for name, _ in tuning.grid)
    defined = tuning.ranked
    few = all or len(tuning.cells) <= 4 * SHOWN
    rows: list[tuple[TableCell, ...]] = []
    for rank, index in enumerate(defined, start=1):
        if few or rank <= SHOWN or rank > len(defined) - SHOWN:
            rows.append((rank, *_row(tuning, index, all)))
    if few:
        rows += ((None, *_row(tuning, index, all)) for index in range(len(tuning.cells)) if index not in set(defined))
    which = "" if few else f"; the best and the worst {SHOWN}"
    title = (
        f"{tuning.method}: correlation (Pearson) of {tuning.quantity} with {tuning.column} over "
        f"{len(tuning.peers)} peers, {len(tuning.cells)} cells{which}"
    )
    notes: list[str] = []
    if tuning.undefined:
        notes.insert(0, f"{tuning.undefined} cell(s) score all peers alike and have no correlation.")
    if tuning.failed:
        notes.insert(0, f"{tuning.failed} cell(s) failed.")
    keys = ("rank", *names, "correlation", "folds_chosen", *(("problem",) if all else ()))
    columns = ("rank", *names, "r", "chosen", *(("problem",) if all else ()))
    return Table(columns, tuple(rows), title, "\n".join(notes), keys, str(tuning.signature))


def marginal_tables(tuning: Tuning) -> list[Table]:
    """The mean correlation at each value of each parameter with several, over all the others."""
    from pyramidion.studies.tune.study import means

    tables = []
    for name, values in tuning.grid:
        if len(values) > 1:
            rows = tuple((_cell(value), mean) for (value,), mean in means(tuning, name).items())
            tables.append(Table((name, "mean r"), rows))
    return tables if len(tables) > 1 else []


def anova_table(tuning: Tuning) -> Table:
    """Table 5 of Gao et al. 2019, with the share of variance beside it."""
    rows: list[tuple[TableCell, ...]] = []
    for name, found in tuning.anova:
        if found is None:
            rows.append((name, 0, None, None, None, None))
        else:
            rows.append((name, found.df_between, found.df_within, found.f, found.p, found.eta_squared))
    defined = sum(cell.correlation is not None for cell in tuning.cells)
    title = f"One-way analysis of variance over {defined} cells"
    note = "The cells score the same peers: F and eta squared describe the grid; p takes them for independent."
    columns = ("parameter", "DF", "DF within", "F", "p", "eta squared")
    return Table(columns, tuple(rows), title, note, ("parameter", "df", "df_within", "f", "p", "eta_squared"))


def validation_tables(tuning: Tuning) -> list[Table]:
    """What the choice is worth, and how often it was which."""
    valid = tuning.validation
    best = tuning.cells[tuning.best] if tuning.best is not None else None
    rows: tuple[tuple[TableCell, ...], ...] = (
        ("the method's own parameters", tuning.default.correlation, *(tuning.default_interval or (None, None))),
        ("chosen and measured on the same peers (flattering)", best.correlation if best else None, None, None),
        (
            f"chosen on the others ({len(valid.folds)} folds by {tuning.by})",
            valid.held_out,
            *(valid.interval or (None, None)),
        ),
    )
    chosen = sorted({index for index in valid.chosen if index is not None}, key=lambda one: (-valid.times(one), one))
    choices = tuple((str(tuning.cells[index]), valid.times(index)) for index in chosen[: 2 * SHOWN])
    more = len(chosen) - len(choices)
    note = (f"and {more} more\n\n" if more > 0 else "") + tuning.advice
    return [
        Table(("parameters", "r", "95 % from", "to"), rows, "What the choice is worth"),
        Table(("cell", "folds that chose it"), choices, "", note),
    ]


def _record(cell: Cell) -> dict[str, Any]:
    return {"parameters": dict(cell.parameters), "correlation": cell.correlation}


def to_json(tuning: Tuning) -> dict[str, Any]:
    """Everything, for programs."""
    from pyramidion.studies.tune.study import means

    valid = tuning.validation
    return {
        "signature": str(tuning.signature),
        "method": str(tuning.method),
        "score": tuning.quantity,
        "human": tuning.column,
        "grid": {name: list(values) for name, values in tuning.grid},
        "peers": [
            {"topic": topic, "peer": peer, "human": human, "held_out": z}
            for (topic, peer), human, z in zip(tuning.peers, tuning.human, valid.predictions, strict=True)
        ],
        "cells": [
            {
                **_record(cell),
                "scores": list(cell.scores),
                "folds_chosen": valid.times(index),
                "problem": cell.problem,
            }
            for index, cell in enumerate(tuning.cells)
        ],
        "undefined": tuning.undefined,
        "failed": tuning.failed,
        "means": {
            name: [{"value": value, "correlation": mean} for (value,), mean in means(tuning, name).items()]
            for name, _ in tuning.grid
        },
        "anova": [{"parameter": name, **(asdict(found) if found else {})} for name, found in tuning.anova],
        "default": {**_record(tuning.default), "interval": tuning.default_interval},
        "in_sample_best": None if tuning.best is None else _record(tuning.cells[tuning.best]),
        "cross_validation": {
            "by": tuning.by,
            "folds": len(valid.folds),
            "correlation": valid.held_out,
            "interval": valid.interval,
            "recommended": None if valid.recommended is None else _record(tuning.cells[valid.recommended]),
            "recommended_training": list(valid.training),
            "recommended_folds": valid.times(valid.recommended),
        },
        "advice": tuning.advice,
    }
