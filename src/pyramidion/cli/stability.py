"""``stability``: how many references do scores and rankings need."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.methods import Method
from pyramidion.report.table import Cell, Table, render
from pyramidion.score import Settings

if TYPE_CHECKING:
    from pyramidion.run.stability import Study
    from pyramidion.stats.stability import Errors, Ranking, Spread

Which = Literal["errors", "scores", "pairs"]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(stability)


def stability(
    corpus: Annotated[
        Path, typer.Argument(readable=False, help="A corpus folder or JSONL file (see docs/formats.md).")
    ],
    method: _shared.MethodOption = "manual",
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
    source: _shared.FromOption = "",
    option: _shared.OptionOption = None,
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
    recipe = Method.parse(method)
    from pyramidion.formats._files import write_bytes
    from pyramidion.report.picture import check_picture
    from pyramidion.report.stability_plot import chosen_summaries, chosen_topic, draw_stability
    from pyramidion.run.stability import study

    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot)
    topics = formats.load(corpus, source, **_shared.format_options(option))
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
        _shared.print_json(to_json(found))
    else:
        typer.echo("\n".join(render(one, format) for one in _tables(found, table, format == "csv")), nl=False)
    if plot and picture:
        write_bytes(plot, draw_stability(found, picture, topic=topic, summaries=show or ()))


def _tables(study: Study, which: Which | None, one: bool) -> list[Table]:
    if which == "pairs":
        return [pairs_table(study)]
    if which == "scores":
        return [scores_table(study, every_column=one)]
    return [errors_table(study)] if one or which else [scores_table(study), errors_table(study)]


def _error_row(topic: str, errors: Errors, ranking: Ranking | None) -> tuple[Cell, ...]:
    return (
        topic,
        errors.size,
        errors.p1,
        errors.p2,
        errors.p3,
        errors.p,
        errors.observations,
        ranking.mean if ranking else None,
        ranking.pyramids if ranking else 0,
        ranking.undefined if ranking else 0,
    )


def errors_table(study: Study) -> Table:
    """Tables I and II of the paper side by side, for each topic and for all together."""
    rows = [
        _error_row(one.topic, row, {rank.size: rank for rank in one.found.rankings}.get(row.size))
        for one in study.topics
        for row in one.found.errors
    ]
    if len(study.topics) > 1:
        ranks = {rank.size: rank for rank in study.rankings}
        rows += (_error_row("all topics", row, ranks.get(row.size)) for row in study.errors)
    title = (
        f"Errors and rankings of {study.quantity} against the whole pyramid, by number of references; "
        f"threshold {study.threshold:g}"
    )
    if study.divergence is None:
        divergence = "No pair of summaries is more than 0.1 apart."
    else:
        pairs = _shared.plural(study.diverging, "pair")
        divergence = f"Mean point of divergence of the {pairs} more than 0.1 apart: {study.divergence:.1f} references."
    caption = f"{study.need}\n{divergence}\n{study.signature}"
    columns = ("topic", "n", "p1", "p2", "p3", "p", "data points", "mean r_s", "pyramids", "undefined")
    keys = ("topic", "size", "p1", "p2", "p3", "p", "observations", "spearman", "pyramids", "undefined")
    return Table(columns, tuple(rows), title, caption, keys)


def scores_table(study: Study, *, every_column: bool = False) -> Table:
    """The range of each summary's scores by size (Figure 2); with ``every_column``, one row a size with all numbers."""
    if every_column:
        rows: list[tuple[Cell, ...]] = [
            (one.topic, name, *asdict(spread).values())
            for one in study.topics
            for name, spreads in zip(one.found.summaries, one.found.spreads, strict=True)
            for spread in spreads
        ]
        names = ("size", "pyramids", "minimum", "lower", "median", "upper", "maximum", "mean")
        return Table(("topic", "summary", *names), tuple(rows))
    sizes = sorted({spread.size for one in study.topics for spread in one.found.spreads[0]})
    shown = []
    for one in study.topics:
        found = one.found
        for index in sorted(range(len(found.summaries)), key=lambda i: (-found.scores[i], found.summaries[i])):
            ranges = {spread.size: _range(spread) for spread in found.spreads[index]}
            shown.append((one.topic, found.summaries[index], *(ranges.get(size, "") for size in sizes)))
    title = f"Lowest and highest {study.quantity} over the pyramids of each number of references"
    return Table(("topic", "summary", *map(str, sizes)), tuple(shown), title, str(study.signature))


def _range(spread: Spread) -> str:
    low, high = f"{spread.minimum:.2f}", f"{spread.maximum:.2f}"
    return low if spread.pyramids == 1 else f"{low}-{high}"


def pairs_table(study: Study) -> Table:
    """All pairs that the whole pyramid tells apart, with the sizes from which on smaller ones do."""
    rows = tuple(
        (one.topic, pair.better, pair.worse, pair.difference, pair.divergence, pair.settled)
        for one in study.topics
        for pair in one.found.pairs
    )
    title = f"From how many references on {study.quantity} tells two summaries apart"
    caption = (
        "divergence: every score of the better is above every score of the worse; "
        f"settled: no pyramid ranks them otherwise.\n{study.signature}"
    )
    return Table(("topic", "better", "worse", "difference", "divergence", "settled"), rows, title, caption)


def _error_record(row: Errors) -> dict[str, Any]:
    return {**asdict(row), "p1": row.p1, "p2": row.p2, "p3": row.p3, "p": row.p, "observations": row.observations}


def _ranking_record(row: Ranking) -> dict[str, Any]:
    return {"size": row.size, "spearman": row.mean, "pyramids": row.pyramids, "undefined": row.undefined}


def to_json(study: Study) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "signature": str(study.signature),
        "score": study.quantity,
        "summaries": study.whose,
        "threshold": study.threshold,
        "need": {**asdict(study.need), "sentence": str(study.need)},
        "divergence": {"mean": study.divergence, "pairs": study.diverging},
        "errors": [_error_record(row) for row in study.errors],
        "rankings": [_ranking_record(row) for row in study.rankings],
        "topics": [
            {
                "topic": one.topic,
                "references": one.found.whole,
                "sampled": [{"size": size, "drawn": drawn, "there": there} for size, drawn, there in one.sampled],
                "summaries": [
                    {"summary": name, "score": value, "sizes": [asdict(spread) for spread in spreads]}
                    for name, value, spreads in zip(
                        one.found.summaries, one.found.scores, one.found.spreads, strict=True
                    )
                ],
                "errors": [_error_record(row) for row in one.found.errors],
                "rankings": [_ranking_record(row) for row in one.found.rankings],
                "pairs": [asdict(pair) for pair in one.found.pairs],
            }
            for one in study.topics
        ],
    }
