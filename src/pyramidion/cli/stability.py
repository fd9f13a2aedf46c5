"""``stability``: how many references scores and rankings need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.formats.read import READING, Reading
from pyramidion.scoring import DEFAULT, Settings

if TYPE_CHECKING:
    from pyramidion.analyses.stability import StabilityStudy


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(stability)


@_shared.with_bundles
@emits("errors", "scores", "pairs", plot="Draw ranges, errors and rankings")
def stability(
    corpus: _shared.CorpusArgument,
    method: _shared.MethodOption = "manual",
    language: _shared.LanguageOption = None,
    score: Annotated[
        Literal["coverage", "quality"],
        typer.Option("--score", help="The modified pyramid score (coverage), or the original one (quality)."),
    ] = "coverage",
    summaries: Annotated[
        Literal["peers", "references"],
        typer.Option(
            "--summaries", help="Score the peers, or score each reference against the others, as the paper does."
        ),
    ] = "peers",
    threshold: Annotated[
        float, typer.Option("--threshold", help="Treat scores that differ by less than this as equal.")
    ] = 0.06,
    error: Annotated[
        float, typer.Option("--error", help="References are enough if the probability of error is at most this.")
    ] = 0.1,
    spearman: Annotated[
        float,
        typer.Option("--spearman", help="References are enough if the mean Spearman correlation is at least this."),
    ] = 0.85,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            metavar="N",
            min=1,
            max=1_000_000,
            help="The number of sub-pyramids of each size to try. If there are fewer, all are tried.",
        ),
    ] = 10_000,
    seed: _shared.SeedOption = 0,
    topic: Annotated[
        str, typer.Option("--topic", help="The topic whose ranges are drawn. The default is the first.")
    ] = "",
    show: Annotated[
        list[str] | None,
        typer.Option(
            "--show",
            metavar="SUMMARY",
            help="A summary to draw. Repeatable. By default, two whose order becomes clear late are drawn.",
        ),
    ] = None,
    settings: Settings = DEFAULT,
    reading: Reading = READING,
) -> StabilityStudy:
    """Find out how many references are enough.

    The summaries are scored again with pyramids of fewer references; nothing is annotated or matched again. For each
    number of references, the tables show the range of every summary's score, how often two summaries are in another
    order than by the whole pyramid (errors E1, E2, E3), and how well rankings agree (Nenkova et al. 2007, section 3).

    \b
    Example:
      pyramidion demo --out example && pyramidion stability example --plot stability.svg
      pyramidion stability corpus/ --summaries references --score quality --format csv
    """
    from pyramidion.analyses.stability import stability as study

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
