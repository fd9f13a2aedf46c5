"""``tune``: which parameters of a method agree best with people."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.studies.tune import Tuning


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tune)


@_shared.bundled
@emits("cells", plot="Draw the correlations")
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
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive", "precision", "recall"],
        typer.Option("--score", help="The score to compare with the human one."),
    ] = "raw",
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
    language: _shared.LanguageOption = None,
    reading: Reading = READING,
) -> Tuning:
    """Try a method's parameters on peers that people have scored.

    Every cell of the grid is scored by its correlation with the human scores, each parameter by an analysis of
    variance, and the choice itself by cross-validation, so that it cannot flatter itself.

    \b
    Example:
      pyramidion tune corpus/ --human scores.csv --plot contour.svg
      pyramidion tune corpus/ --human scores.csv --grid percentile=70,80,90 --grid threshold=0.4,0.5,0.6
    """
    from pyramidion.studies.scores.human import read_human
    from pyramidion.studies.tune import read_grid
    from pyramidion.studies.tune import tune as study

    recipe = _shared.method_of(method, language)
    values = read_grid(grid or (), recipe)
    topics = reading.topics(corpus)
    people = read_human(human, topics, column)
    with _shared.progress(prod(len(tried) for _, tried in values), "tuning") as advance:
        return study(topics, people, recipe, values, quantity=score, folds=folds, progress=advance)
