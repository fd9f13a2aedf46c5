"""``combine``: how well a combination of two scores agrees with human scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.formats.read import READING, Reading

if TYPE_CHECKING:
    from pyramidion.analyses.combine import Combinations


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(combine)


@_shared.with_bundles
@emits("worth", "gains", "curve", plot="Draw the curves")
def combine(
    corpus: _shared.CorpusArgument,
    metric: Annotated[
        list[str],
        typer.Option(
            "--metric",
            metavar="NAME[:SCORE]",
            help="A score to combine: of a method (given+soft, pyramidion, ...; coverage by default) or of a metric "
            "(rouge-su4, be-hm, ...; recall by default). Name two. If you name more, the last is combined with each of "
            "the others.",
        ),
    ],
    human: _shared.HumanOption = None,
    column: _shared.ColumnOption = "",
    level: _shared.LevelOption = "global",
    scale: Annotated[
        Literal["none", "z", "minmax"],
        typer.Option(
            "--scale", help="Combine the scores unchanged (none), standardised (z), or rescaled to 0-1 (minmax)."
        ),
    ] = "none",
    by: _shared.ByOption = "pearson",
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="The weight of the first score if alpha is set without looking at human scores."),
    ] = 0.5,
    steps: Annotated[int, typer.Option("--steps", help="The number of steps of the curve from alpha 0 to 1.")] = 20,
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
    stem: Annotated[
        bool, typer.Option("--stem/--no-stem", help="ROUGE: compare stems (ROUGE's -m), or whole words.")
    ] = True,
    documents: _shared.DocumentsOption = None,
    reading: Reading = READING,
) -> Combinations:
    """Combine two scores, and compare the result with human scores.

    The combined score is alpha * first + (1 - alpha) * second. The table shows both scores alone and three
    combinations: with alpha .5 (--alpha); with the best alpha for these summaries, which is too optimistic; and with
    alpha chosen on other topics, which is what you can expect on new data.

    \b
    Example:
      pyramidion combine corpus/ --metric given+soft --metric rouge-su4 --plot curve.svg
      pyramidion combine realsumm/ --metric be-hm --metric rouge-2:f --metric rouge-su4 --level summary
      pyramidion combine class/ --human grades.csv --metric pyramidion --metric lexical-pyramid --scale z
    """
    from pyramidion.analyses.combine import combine as study
    from pyramidion.analyses.combine.study import check

    check(metric, human is not None, alpha, steps)
    topics, people = _shared.with_human_scores(corpus, human, column, documents, reading)
    with _shared.progress(len(metric) * _shared.summaries(topics), "scoring") as advance:
        return study(
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
