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
    reading: Reading = READING,
) -> Combinations:
    """Combine two scores linearly: alpha * first + (1 - alpha) * second, against human scores.

    Three ways to set alpha stand beside each score alone: .5, without looking; the best on these summaries; and chosen
    on other topics, which is what to expect of it.

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
