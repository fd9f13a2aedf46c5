"""``stability``: how many references do scores and rankings need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.reading import READING, Reading
from pyramidion.score import DEFAULT, Settings

if TYPE_CHECKING:
    from pyramidion.studies.stability import StabilityStudy


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(stability)


@_shared.bundled
@emits("errors", "scores", "pairs", plot="Draw ranges, errors and rankings")
def stability(
    corpus: _shared.CorpusArgument,
    method: _shared.MethodOption = "manual",
    language: _shared.LanguageOption = None,
    score: Annotated[
        Literal["coverage", "quality"], typer.Option("--score", help="The modified score, or the original one.")
    ] = "coverage",
    summaries: Annotated[
        Literal["peers", "references"],
        typer.Option(
            "--summaries", help="Whose scores: the peers', or the references', each against the others (the paper)."
        ),
    ] = "peers",
    threshold: Annotated[
        float, typer.Option("--threshold", help="Scores that differ by less count as the same.")
    ] = 0.06,
    error: Annotated[
        float, typer.Option("--error", help="How many references are enough: the probability of error to stay within.")
    ] = 0.1,
    spearman: Annotated[
        float, typer.Option("--spearman", help="How many references are enough: the mean Spearman to reach.")
    ] = 0.85,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            metavar="N",
            min=1,
            max=1_000_000,
            help="Sub-pyramids of one size to try; all if there are fewer.",
        ),
    ] = 10_000,
    seed: _shared.SeedOption = 0,
    topic: Annotated[str, typer.Option("--topic", help="The topic whose ranges are drawn; the first if none.")] = "",
    show: Annotated[
        list[str] | None,
        typer.Option(
            "--show", metavar="SUMMARY", help="A summary to draw. Repeatable; else a pair that diverges late."
        ),
    ] = None,
    settings: Settings = DEFAULT,
    reading: Reading = READING,
) -> StabilityStudy:
    """Say how many references are enough, from all the smaller pyramids that some of them make.

    For each number of references: the range of every summary's score, how often pairs of summaries are told apart
    otherwise than by the whole pyramid (errors E1, E2, E3), and how well rankings agree (Nenkova et al. 2007, section
    3). Nothing is annotated or matched again.

    \b
    Example:
      pyramidion demo --out example && pyramidion stability example --plot stability.svg
      pyramidion stability corpus/ --summaries references --score quality --format csv
    """
    from pyramidion.studies.stability import stability as study

    recipe = _shared.method_of(method, language)
    topics = reading.topics(corpus)
    with _shared.progress(_shared.summaries(topics) + len(topics), "scoring") as advance:
        return study(
            topics,
            recipe,
            settings,
            quantity=score,
            whose=summaries,
            threshold=threshold,
            error=error,
            ranking=spearman,
            samples=samples,
            seed=seed,
            topic=topic,
            show=show or (),
            progress=advance,
        )
