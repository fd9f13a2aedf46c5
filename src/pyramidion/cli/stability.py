"""``stability``: how many references do scores and rankings need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.io.tables import Table, render_all
from pyramidion.reading import READING, Reading
from pyramidion.score import Settings

if TYPE_CHECKING:
    from pyramidion.studies.stability.study import Study

Which = Literal["errors", "scores", "pairs"]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(stability)


@_shared.reads
def stability(
    corpus: Annotated[
        Path, typer.Argument(readable=False, help="A corpus folder or JSONL file (see docs/formats.md).")
    ],
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
    seed: Annotated[int, typer.Option("--seed", metavar="S", min=0, help="For drawing sub-pyramids.")] = 0,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw ranges, errors and rankings: .svg, .png or .pdf (needs matplotlib)."
        ),
    ] = None,
    topic: Annotated[str, typer.Option("--topic", help="The topic whose ranges are drawn; the first if none.")] = "",
    show: Annotated[
        list[str] | None,
        typer.Option(
            "--show", metavar="SUMMARY", help="A summary to draw. Repeatable; else a pair that diverges late."
        ),
    ] = None,
    average: _shared.AverageOption = "exact",
    cap: _shared.CapOption = False,
    weights: _shared.WeightsOption = "references",
    presence: _shared.PresenceOption = "expected",
    reading: Reading = READING,
    table: Annotated[
        Literal["errors", "scores", "pairs"] | None,
        typer.Option(
            "--table",
            help="Print only the errors and rankings by size, the scores by size, or the pairs of summaries. "
            "The first two by default; CSV, which holds one table, has the errors.",
            show_default=False,
        ),
    ] = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Say how many references are enough, from all the smaller pyramids that some of them make.

    For each number of references: the range of every summary's score, how often pairs of summaries are told apart
    otherwise than by the whole pyramid (errors E1, E2, E3), and how well rankings agree (Nenkova et al. 2007, section
    3). Nothing is annotated or matched again.

    \b
    Example:
      pyramidion demo --out example && pyramidion stability example --plot stability.svg
      pyramidion stability corpus/ --summaries references --score quality --format csv
    """
    recipe = _shared.method_of(method, language)
    from pyramidion.io.files import write_bytes
    from pyramidion.io.pictures import check_picture
    from pyramidion.studies.stability import tables as report
    from pyramidion.studies.stability.plot import chosen_summaries, chosen_topic, draw_stability
    from pyramidion.studies.stability.study import study

    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot, inputs=[corpus])
    topics = reading.topics(corpus)
    with _shared.progress(_shared.summaries(topics) + len(topics), "scoring") as advance:
        found = study(
            topics,
            recipe,
            Settings(average, cap, weights=weights, presence=presence),
            quantity=score,
            whose=summaries,
            threshold=threshold,
            error=error,
            ranking=spearman,
            samples=samples,
            seed=seed,
            progress=advance,
        )
    if plot:
        chosen_summaries(chosen_topic(found, topic).found, show or ())
    if as_json:
        _shared.print_json(report.to_json(found))
    else:
        typer.echo(render_all(_tables(found, table, format == "csv"), format), nl=False)
    if plot and picture:
        write_bytes(plot, draw_stability(found, picture, topic=topic, summaries=show or ()))


def _tables(study: Study, which: Which | None, one: bool) -> list[Table]:
    from pyramidion.studies.stability import tables as report

    if which == "pairs":
        return [report.pairs_table(study)]
    if which == "scores":
        return [report.scores_table(study, every_column=one)]
    errors = report.errors_table(study)
    return [errors] if one or which else [report.scores_table(study), errors]
