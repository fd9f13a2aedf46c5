"""``tune``: find the parameters of a method that agree best with people."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.formats.read import READING, Reading
from pyramidion.scoring import Quantity

if TYPE_CHECKING:
    from pyramidion.analyses.tune import Tuning


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tune)


@_shared.with_bundles
@emits("cells", plot="Draw the correlations")
def tune(
    corpus: _shared.CorpusArgument,
    human: Annotated[
        Path, typer.Option("--human", metavar="SCORES.csv", help="A table of human scores with one row per peer.")
    ],
    column: Annotated[str, typer.Option("--column", help="The column of human scores in the table.")] = "",
    method: Annotated[str, typer.Option(help="The method to tune. Parameters in its brackets stay fixed.")] = "pyreval",
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="NAME=VALUE,...",
            help="A parameter of the method and the values to try. Repeatable. The default is the paper's values of "
            "alpha, beta and percentile, if the method has these parameters.",
        ),
    ] = None,
    score: Annotated[
        Quantity,
        typer.Option("--score", help="The score to compare with the human one."),
    ] = "raw",
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            metavar="K",
            help="The number of folds of the cross-validation. Folds hold topics, or peers if there is only one topic. "
            "The default is one fold each for up to 20 of them, and ten folds for more.",
            show_default=False,
        ),
    ] = None,
    language: _shared.LanguageOption = None,
    reading: Reading = READING,
) -> Tuning:
    """Find the parameters that agree best with human scores.

    The command scores the corpus with every combination of values (the grid) and correlates the scores with human
    scores. It tests each parameter by an analysis of variance, and cross-validates the choice, so that its figure is
    not too optimistic.

    \b
    Example:
      pyramidion tune corpus/ --human scores.csv --plot contour.svg
      pyramidion tune corpus/ --human scores.csv --grid percentile=70,80,90 --grid threshold=0.4,0.5,0.6
    """
    from pyramidion.analyses.scores.human import read_human
    from pyramidion.analyses.tune import read_grid
    from pyramidion.analyses.tune import tune as study

    recipe = _shared.method_of(method, language)
    values = read_grid(grid or (), recipe)
    topics = reading.topics(corpus)
    people = read_human(human, topics, column)
    with _shared.progress(prod(len(tried) for _, tried in values), "tuning") as advance:
        return study(topics, people, recipe, values, quantity=score, folds=folds, progress=advance)
