"""``crowd curves``: how much of a study is enough."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.cli.crowd.scoring import (
    AggregationOption,
    AgreementOption,
    BlankOption,
    FilterOption,
    Paths,
    RoundsOption,
    SeedOption,
    counted,
    read_from,
)
from pyramidion.errors import PyramidionError
from pyramidion.io.files import write_bytes
from pyramidion.io.tables import Table, TableFormat, render_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyramidion.crowd.scores.cheapest import Designed
    from pyramidion.crowd.scores.curves import Curves
    from pyramidion.crowd.study import Study

MeasureOption = Annotated[
    Literal["pearson", "spearman"], typer.Option("--statistic", help="The correlation for --want and the fourth panel.")
]


def add_to(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(curves)


def curves(
    paths: Paths,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="FILE",
            readable=False,
            help="Another score of the systems: a table (CSV with a column system) or a corpus with annotations. "
            "The whole study itself if none.",
        ),
    ] = None,
    column: Annotated[str, typer.Option("--column", help="The column of --against, or its score.")] = "",
    workers: Annotated[
        str, typer.Option("--workers", metavar="N,N", help="Votes per item to try; all that there are by default.")
    ] = "",
    statements: Annotated[str, typer.Option("--statements", metavar="N,N", help="Statements per topic to try.")] = "",
    topics: Annotated[str, typer.Option("--topics", metavar="N,N", help="Numbers of topics to try.")] = "",
    rerun: Annotated[
        list[Path] | None,
        typer.Option(
            "--rerun", metavar="RESULTS", readable=False, help="A second set of judgements: how far scores move."
        ),
    ] = None,
    want: Annotated[
        float | None, typer.Option("--want", metavar="R", help="Name the cheapest design with such a correlation.")
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            "--half-width", metavar="W", help="Name the cheapest design whose systems' intervals are +- this, or less."
        ),
    ] = None,
    measure: MeasureOption = "pearson",
    references: Annotated[
        int | None,
        typer.Option(
            "--references", metavar="N", min=0, help="References a topic, for the price of writing; the study's, or 4."
        ),
    ] = None,
    aggregation: AggregationOption = "majority",
    filter: FilterOption = "0.5",
    agreement: AgreementOption = "positional",
    rounds: RoundsOption = None,
    blank: BlankOption = "missing",
    resamples: Annotated[
        int, typer.Option("--resamples", metavar="N", min=1, max=10_000, help="Random parts for every setting.")
    ] = 70,
    seed: SeedOption = 0,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw the curves, and cost against correlation: .svg, .png or .pdf."
        ),
    ] = None,
    table: Annotated[
        Literal["curves", "designs"] | None,
        typer.Option(
            "--table",
            help="Print only the curves, or only the designs (CSV: all of them). Both by default.",
            show_default=False,
        ),
    ] = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Say how many workers, statements and topics are enough, and what they cost.

    Correlation of systems' scores with another score as each is randomly reduced, 70 times for every setting; how far
    scores move when others judge; the price of every design, and the cheapest that is precise enough (Shapira et al.
    2019, section 4). Nothing is guessed beyond what was collected.

    \b
    Example:
      pyramidion crowd curves study/ --plot curves.svg
      pyramidion crowd curves results/ --against pyramid.csv --want .95
      pyramidion crowd curves first/ --rerun second/
    """
    from pyramidion.crowd.design import Design
    from pyramidion.crowd.scores.cheapest import cheapest, designs, frontier
    from pyramidion.crowd.scores.curves import curves as resampled
    from pyramidion.crowd.scores.curves import judged_again, summary_scores
    from pyramidion.io.pictures import check_picture
    from pyramidion.studies.crowd import tables as report
    from pyramidion.studies.crowd.plot import draw_curves

    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot, inputs=read_from([*paths, *(rerun or ())]))
    amounts = {
        name: _numbers(given, name)
        for name, given in (("workers", workers), ("statements", statements), ("topics", topics))
    }
    votes, _, study, _, made = counted(paths, filter, agreement, rounds, blank)
    other = _other_scores(against, column) if against else None
    with _shared.progress(resamples, "resampling") as advance:
        found = resampled(
            votes,
            aggregation,
            against=other,
            name=against.name if against else "",
            study=study,
            **amounts,
            resamples=resamples,
            seed=seed,
            made=made,
            progress=advance,
        )
    second = None
    if rerun:
        later, _, later_study, _, _ = counted(rerun, filter, agreement, rounds, blank)
        second = judged_again(
            summary_scores(votes, aggregation, study), summary_scores(later, aggregation, later_study)
        )
    design = study.design if study else Design()
    if references is None:
        references = _references(study)
    priced = designs(found.points, design, references=references, systems=len(found.systems))
    most = next(one for one in priced if one.point == found.most)
    chosen, sentence = None, ""
    if want is not None or half_width is not None:
        chosen = cheapest(priced, want=want, measure=measure, half_width=half_width)
        sentence = report.cheapest_sentence(chosen, most, _wanted(want, half_width, measure), measure)
    if as_json:
        record = report.curves_json(found, priced, chosen, sentence)
        _shared.print_json({**record, "second": report.rerun_json(second) if second else None})
    else:
        shown = priced if format == "csv" else frontier(priced, measure)
        lines = [report.rerun_sentence(second) if second else "", sentence, _priced(references, found, study)]
        _print_curves(found, shown, "\n".join(line for line in lines if line), table, format)
    if plot and picture:
        write_bytes(plot, draw_curves(found, priced, picture, measure=measure, found=chosen))


def _references(study: Study | None) -> int:
    """How many references of a topic have to be written about: none where the statements were there before."""
    if study is None:
        return 4
    return max((len(topic.references) for topic in study.topics), default=4) if study.of_phase("writing") else 0


def _priced(references: int, found: Curves, study: Study | None) -> str:
    """What prices are of."""
    what = f"{_shared.plural(references, 'reference')} a topic and " if references else "judging alone, of "
    return (
        f"Price of {what}{_shared.plural(len(found.systems), 'system')}, by the rewards and fees of "
        f"{'the study' if study else 'the paper'}. Nothing beyond what was collected is guessed."
    )


def _numbers(given: str, what: str) -> list[int]:
    try:
        return sorted({int(part) for part in given.split(",") if part.strip()})
    except ValueError:
        raise PyramidionError(f"--{what} {given!r} is no list of numbers", do="write them as 1,2,3") from None


def _wanted(want: float | None, half_width: float | None, measure: str) -> str:
    parts = [
        *([] if want is None else [f"a {measure} of {want:g} or more"]),
        *([] if half_width is None else [f"intervals of +- {half_width:g} or less"]),
    ]
    return " and ".join(parts)


def _other_scores(path: Path, column: str) -> dict[str, float]:
    """Systems' scores by a table, or by a corpus' annotations."""
    from pyramidion.studies.scores.columns import read_score_table

    if _shared.is_score_table(path, ""):
        read = read_score_table(path)
        names = [name for name, cells in read.columns.items() if any(value is not None for value in cells.values())]
        folded = {name.casefold(): name for name in names}
        chosen = folded.get(column.casefold()) if column else names[0] if len(names) == 1 else None
        if chosen is None:
            what = f"there is no column {column!r}" if column else "it is not clear which column to compare with"
            raise PyramidionError(what, str(path), f"name one with --column; the columns are: {', '.join(names)}")
        cells = read.columns[chosen]
    else:
        from pyramidion.score import QUANTITIES
        from pyramidion.studies.evaluate import evaluate

        quantity = column or "recall"
        if quantity not in QUANTITIES:
            raise PyramidionError(f"there is no score {quantity!r}", do=f"choose from: {', '.join(QUANTITIES)}")
        evaluation = evaluate(formats.load(path), "manual")
        means = {one.system: one.means[quantity] for one in evaluation.systems if one.role == "peer"}
        return {system: mean for system, mean in means.items() if mean is not None}
    values: dict[str, list[float]] = {}
    for (_, system), value in cells.items():
        if value is not None:
            values.setdefault(system, []).append(value)
    return {system: sum(every) / len(every) for system, every in values.items()}


def _print_curves(
    found: Curves, priced: Sequence[Designed], caption: str, table: str | None, format: TableFormat
) -> None:
    from pyramidion.studies.crowd import tables as report

    tables: list[Table] = []
    if table != "designs":
        tables.append(report.curves_table(found))
    if table == "designs" or (not table and format != "csv"):
        tables.append(report.designs_table(priced, caption, signature=str(found.signature)))
    typer.echo(render_all(tables, format), nl=False)
