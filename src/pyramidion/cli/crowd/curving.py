"""``crowd curves``: how much of a study is enough."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.cli.crowd import _options
from pyramidion.cli.crowd.scoring import judgements_in
from pyramidion.crowd.judging.screening import SCREENING, Screening
from pyramidion.errors import PyramidionError

if TYPE_CHECKING:
    from pyramidion.crowd.results.curves import CrowdCurves


def add_to(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(curves)


def _read(paths: Iterable[Path]) -> list[Path]:
    from pyramidion.crowd.judging.judgements import files_of

    return files_of(paths)


@_shared.with_bundles
@emits("curves", "designs", plot="Draw the curves, and cost against correlation", reads=_read)
def curves(
    paths: _options.JudgementsArgument,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="FILE",
            readable=False,
            help="Another score of the systems: a table (CSV with a column system) or a corpus with annotations. "
            "The default is the scores of the whole study.",
        ),
    ] = None,
    column: Annotated[
        str, typer.Option("--column", help="The column of the table --against, or the score of the corpus.")
    ] = "",
    workers: Annotated[
        str,
        typer.Option(
            "--workers", metavar="N,N", help="The numbers of votes per item to try. The default is every number."
        ),
    ] = "",
    statements: Annotated[
        str, typer.Option("--statements", metavar="N,N", help="The numbers of statements per topic to try.")
    ] = "",
    topics: Annotated[str, typer.Option("--topics", metavar="N,N", help="The numbers of topics to try.")] = "",
    rerun: Annotated[
        list[Path] | None,
        typer.Option(
            "--rerun",
            metavar="RESULTS",
            readable=False,
            help="A second set of judgements; shows how much scores change.",
        ),
    ] = None,
    want: Annotated[
        float | None,
        typer.Option("--want", metavar="R", help="Name the cheapest design with at least this correlation."),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            "--half-width",
            metavar="W",
            help="Name the cheapest design whose intervals are at most this wide on each side.",
        ),
    ] = None,
    measure: Annotated[
        Literal["pearson", "spearman"],
        typer.Option(
            "--statistic", help="The correlation coefficient for --want and for the fourth panel of the plot."
        ),
    ] = "pearson",
    references: Annotated[
        int | None,
        typer.Option(
            "--references",
            metavar="N",
            min=0,
            help="The number of references per topic, which sets the price of writing. The default is the study's "
            "number, or else 4.",
        ),
    ] = None,
    aggregation: _options.AggregationOption = "majority",
    screening: Screening = SCREENING,
    resamples: Annotated[
        int,
        typer.Option(
            "--resamples",
            metavar="N",
            min=1,
            max=10_000,
            help="The number of random parts of the study to draw for each setting.",
        ),
    ] = 70,
    seed: _shared.SeedOption = 0,
) -> CrowdCurves:
    """Find out how many workers, statements and topics are enough.

    The command draws smaller parts of the study at random, 70 for every setting, and correlates their systems' scores
    with another score. It also shows how much scores change if other workers judge, what every design costs, and which
    design is the cheapest that is precise enough (Shapira et al. 2019, section 4). It does not extrapolate beyond what
    was collected.

    \b
    Example:
      pyramidion crowd curves study/ --plot curves.svg
      pyramidion crowd curves results/ --against pyramid.csv --want .95
      pyramidion crowd curves first/ --rerun second/
    """
    from pyramidion.crowd.results.curves import crowd_curves

    amounts = {
        name: _numbers(given, name)
        for name, given in (("workers", workers), ("statements", statements), ("topics", topics))
    }
    judgements = judgements_in(paths)
    with _shared.progress(resamples, "resampling") as advance:
        return crowd_curves(
            judgements,
            aggregation=aggregation,
            screening=screening,
            against=_other_scores(against, column) if against else None,
            name=against.name if against else "",
            **amounts,
            second=judgements_in(rerun) if rerun else None,
            want=want,
            half_width=half_width,
            measure=measure,
            references=references,
            resamples=resamples,
            seed=seed,
            progress=advance,
        )


def _numbers(text: str, option: str) -> list[int]:
    try:
        return sorted({int(part) for part in text.split(",") if part.strip()})
    except ValueError:
        raise PyramidionError(f"--{option} {text!r} is not a list of numbers", do="write them as 1,2,3") from None


def _other_scores(path: Path, column: str) -> dict[str, float]:
    """Return systems' scores: those of a table, or those by a corpus' annotations."""
    if not _shared.is_score_table(path, ""):
        return _annotated_scores(path, column or "recall")
    from pyramidion.analyses.scores.table import from_rows
    from pyramidion.formats.score_tables import load_scores

    return from_rows(load_scores(path, placeholders=True), str(path)).column(column, usual=()).means()


def _annotated_scores(path: Path, quantity: str) -> dict[str, float]:
    from pyramidion.evaluation.evaluate import evaluate
    from pyramidion.scoring import QUANTITIES

    if quantity not in QUANTITIES:
        raise PyramidionError(f"There is no score {quantity!r}", do=f"choose from: {', '.join(QUANTITIES)}")
    evaluation = evaluate(formats.load(path), "manual")
    means = {system.system: system.means[quantity] for system in evaluation.systems if system.role == "peer"}
    return {name: mean for name, mean in means.items() if mean is not None}
