"""``combine``: two scores together, against human scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.studies.combine import Combinations


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(combine)


@_shared.bundled
@emits("worth", "gains", "curve", plot="Draw the curves")
def combine(
    corpus: _shared.CorpusArgument,
    metric: Annotated[
        list[str],
        typer.Option(
            "--metric",
            metavar="NAME[:SCORE]",
            help="A score to combine: a method's (given+soft, pyramidion, ...; coverage by default) or a metric's "
            "(rouge-su4, be-hm, ...; recall by default). Name two; if you name more, the last is combined with each "
            "of the others.",
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
        float,
        typer.Option("--alpha", help="The alpha of the blind combination, chosen without looking at human scores."),
    ] = 0.5,
    steps: Annotated[int, typer.Option("--steps", help="How many steps the curve takes from alpha 0 to 1.")] = 20,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            metavar="K",
            help="Folds of the cross-validation, made of topics, or of peers if there is one topic. By default each of "
            "up to 20 is a fold of its own, and more are dealt to ten folds.",
            show_default=False,
        ),
    ] = None,
    stem: Annotated[bool, typer.Option("--stem/--no-stem", help="ROUGE: compare stems (its -m), or words.")] = True,
    documents: _shared.DocumentsOption = None,
    reading: Reading = READING,
) -> Combinations:
    """Combine two scores linearly: alpha * first + (1 - alpha) * second, against human scores.

    Each combination stands beside both scores alone, with alpha set in three ways: .5, without looking; the best on
    these summaries, which flatters; and chosen on other topics, which is what you can expect of it.

    \b
    Example:
      pyramidion combine corpus/ --metric given+soft --metric rouge-su4 --plot curve.svg
      pyramidion combine realsumm/ --metric be-hm --metric rouge-2:f --metric rouge-su4 --level summary
      pyramidion combine class/ --human grades.csv --metric pyramidion --metric lexical-pyramid --scale z
    """
    from pyramidion.studies.combine import combine as study
    from pyramidion.studies.combine.study import check

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
