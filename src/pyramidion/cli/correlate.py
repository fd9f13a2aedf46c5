"""``correlate``: do metrics agree with people, which does better, and which could replace which."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.io.tables import Table, TableFormat, render_all
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.studies.correlate.study import CorrelationStudy
    from pyramidion.studies.scores.columns import ScoreSource

METRICS = ("rouge-1", "rouge-2", "rouge-l")

Which = Literal["correlations", "tests", "matrix", "accuracy"]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(correlate)


@_shared.bundled
def correlate(
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            metavar="FILE...",
            help="Tables of scores (CSV, PyrEval's results, LitePyramids' ...ScoresAvg.csv) of the same summaries, "
            "or corpora: a folder, JSONL, REALSumm.",
        ),
    ],
    gold: Annotated[
        str, typer.Option("--gold", metavar="COLUMN", help="People's scores; the first column if none is named.")
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME", help="Only this column, and the gold one. Repeatable."),
    ] = None,
    level: Annotated[
        Literal["system", "summary", "global"],
        typer.Option("--level", help="Over systems' means, over systems within each topic, or over all summaries."),
    ] = "system",
    statistic: Annotated[
        Literal["pearson", "spearman", "kendall", "krippendorff"],
        typer.Option("--statistic", help="Whose interval, tests and matrix are printed; values are of all four."),
    ] = "pearson",
    against: Annotated[
        str,
        typer.Option("--against", metavar="COLUMN", help="Test whether the others correlate better than this one."),
    ] = "",
    correction: Annotated[
        Literal["holm", "bh", "none"],
        typer.Option("--correction", help="For the number of tests with --against: Holm, Benjamini-Hochberg, or none."),
    ] = "holm",
    accuracy: Annotated[
        bool,
        typer.Option(
            "--accuracy", help="Do metrics find people's significant differences between systems? (Gao et al. 2019, 6.)"
        ),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=1, metavar="N", help="Accuracy: topics in a sample; 41 in 46 if not given."),
    ] = None,
    accuracy_samples: Annotated[
        int, typer.Option("--accuracy-samples", min=2, max=100_000, metavar="N", help="Accuracy: samples of topics.")
    ] = 100,
    significance: Annotated[
        float, typer.Option("--significance", help="Accuracy: differences with a smaller p are significant.")
    ] = 0.05,
    topics: Annotated[
        Path | None,
        typer.Option("--topics", readable=False, metavar="FILE", help="Only the topics whose ids are in this file."),
    ] = None,
    missing: Annotated[
        Literal["drop", "keep"],
        typer.Option("--missing", help="Cells that look like 'no score', -1 among positive ones: missing, or numbers."),
    ] = "drop",
    means: Annotated[
        Literal["own", "common"],
        typer.Option("--means", help="System level: means over the cells a column has, or those that both have."),
    ] = "own",
    people: Annotated[
        Literal["drop", "keep"],
        typer.Option("--people", help="Summaries by people, which NIST names by letters among numbered systems."),
    ] = "drop",
    resample: Annotated[
        Literal["documents", "systems", "both"],
        typer.Option("--resample", help="What intervals and tests draw: what they are to hold for other ones of."),
    ] = "both",
    samples: Annotated[int, typer.Option("--samples", min=100, max=1_000_000, help="Draws for each interval.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Where the draws start.")] = 0,
    threshold: Annotated[
        float, typer.Option("--threshold", help="Columns that correlate more could stand for each other.")
    ] = 0.95,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", metavar="NAME", help="Of a corpus: rouge-1, rouge-2 and rouge-l if not given. Repeatable."
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="NAME", help="Of a corpus: a method more, such as pyramidion. Repeatable."),
    ] = None,
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive", "precision", "recall"],
        typer.Option("--score", help="Of a corpus: which score of methods and of people's annotations."),
    ] = "coverage",
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the matrix: .svg, .png or .pdf (needs matplotlib)."),
    ] = None,
    reading: Reading = READING,
    table: Annotated[
        Which | None,
        typer.Option(
            "--table",
            help="Print only one table. All that there are by default; CSV, which holds one, has the correlations.",
            show_default=False,
        ),
    ] = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Correlate columns of scores: metrics with people, and all with each other.

    Pearson's r, Spearman's rho, Kendall's tau-b and Krippendorff's alpha with intervals, tests of one metric against
    others, the matrix of all columns (Nenkova et al. 2007, Table VI), and metrics' accuracy by significance (Gao et al.
    2019, Table 4).

    \b
    Example:
      pyramidion correlate 2005ManualScoresAvg.csv 2005RougeScoresAvg.csv --against "ROUGE-2 recall"
      pyramidion correlate scores.csv --gold human --level summary --statistic kendall
      pyramidion correlate realsumm/ --accuracy --plot matrix.svg
    """
    from pyramidion.io.files import write_bytes
    from pyramidion.io.pictures import check_picture
    from pyramidion.stats.levels import Draws
    from pyramidion.studies.correlate import tables as report
    from pyramidion.studies.correlate.study import Sampling, correlate
    from pyramidion.studies.scores.columns import join_columns, read_topic_ids

    if table == "tests" and not against:
        raise PyramidionError("nothing is tested", do="say against which column: --against COLUMN")
    if table == "accuracy" and not accuracy:
        raise PyramidionError("no accuracy is asked for", do="add --accuracy")
    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot, inputs=files)
    corpora = not all(_shared.is_score_table(file, reading.format) for file in files)
    wanted = read_topic_ids(topics) if topics else ()
    read = [_read(file, reading, metric or METRICS, method or (), score) for file in files]
    columns = join_columns(read, topics=wanted, missing=missing, people=people)
    if column:
        first = columns.named(gold) if gold else next(iter(columns.values))
        columns = columns.only(dict.fromkeys([first, *column, *([against] if against else [])]))
    found = correlate(
        columns,
        gold,
        level=level,
        statistic=statistic,
        means=means,
        draws=Draws(resample, samples, seed),
        against=against,
        correction=correction,
        threshold=threshold,
        accuracy=Sampling(sample, accuracy_samples, level=significance) if accuracy else None,
        parameters=(
            ("missing", missing),
            ("people", people),
            *((("chosen-topics", str(len(columns.topics))),) if topics else ()),
            *((("score", score), ("rouge", "stem")) if corpora else ()),
        ),
    )
    if as_json:
        _shared.print_json(report.to_json(found))
    else:
        if format == "csv":
            for note in found.notes:
                warnings.warn(note, InputWarning, stacklevel=2)
        typer.echo(render_all(_tables(found, table, format), format), nl=False)
    if plot and picture:
        write_bytes(plot, report.draw_matrix(found, picture))


def _read(file: Path, reading: Reading, metrics: Sequence[str], methods: Sequence[str], score: str) -> ScoreSource:
    """The columns of a table or a corpus."""
    from pyramidion.studies.scores.columns import read_score_table

    if _shared.is_score_table(file, reading.format):
        return read_score_table(file, reading.format)
    from pyramidion.studies.bench.peer_scores import corpus_columns

    topics = reading.topics(file)
    steps = (1 + len(metrics) + len(methods)) * _shared.summaries(topics)
    with _shared.progress(steps, "scoring") as advance:
        return corpus_columns(file.stem, topics, metrics, methods, score, progress=advance)


def _tables(study: CorrelationStudy, which: Which | None, format: TableFormat) -> list[Table]:
    from dataclasses import replace

    from pyramidion.studies.correlate import tables as report

    if which == "matrix" or (which is None and format != "csv" and len(study.matrix.names) <= report.WIDE):
        matrix = [report.matrix_rows(study) if format == "csv" else report.matrix_table(study)]
    else:
        matrix = []
    every: dict[str, list[Table]] = {
        "correlations": [report.correlations_table(study)],
        "tests": [report.differences_table(study, whole=format == "csv")] if study.tests else [],
        "matrix": matrix,
        "accuracy": [report.accuracy_table(study)] if study.accuracies else [],
    }
    if which or format == "csv":
        return every[which or "correlations"]
    tables = [one for some in every.values() for one in some]
    # what was left out is said once, under the last
    return [
        *(replace(one, caption="\n".join(_without(one.caption, study))) for one in tables[:-1]),
        tables[-1],
    ]


def _without(caption: str, study: CorrelationStudy) -> list[str]:
    return [line for line in caption.split("\n") if line not in study.notes]
