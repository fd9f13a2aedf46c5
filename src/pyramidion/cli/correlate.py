"""``correlate``: how well metrics agree with people and with each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.formats.read import READING, Reading
from pyramidion.scoring import Quantity

if TYPE_CHECKING:
    from pyramidion.analyses.correlate import CorrelationStudy
    from pyramidion.analyses.scores.table import ScoreTable

METRICS = ("rouge-1", "rouge-2", "rouge-l")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(correlate)


@_shared.with_bundles
@emits(
    "correlations",
    "tests",
    "matrix",
    "accuracy",
    plot="Draw the matrix",
    needs={"tests": ("against", "--against COLUMN"), "accuracy": ("accuracy", "--accuracy")},
)
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
        str,
        typer.Option("--gold", metavar="COLUMN", help="The column of human scores. The default is the first column."),
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME", help="Use only this column and the gold column. Repeatable."),
    ] = None,
    level: Annotated[
        Literal["system", "summary", "global"],
        typer.Option(
            "--level",
            help="Correlate over the systems' means (system), over systems within each topic (summary), or over all "
            "summaries (global).",
        ),
    ] = "system",
    statistic: Annotated[
        Literal["pearson", "spearman", "kendall", "krippendorff"],
        typer.Option(
            "--statistic",
            help="The coefficient for intervals, tests and the matrix. The table also shows the others, except "
            "Krippendorff's alpha.",
        ),
    ] = "pearson",
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="COLUMN",
            help="Test whether the other columns correlate better with the gold column than this one does.",
        ),
    ] = "",
    correction: Annotated[
        Literal["holm", "bh", "none"],
        typer.Option(
            "--correction",
            help="Correct p-values for the number of tests by Holm, by Benjamini-Hochberg (bh), or not at all.",
        ),
    ] = "holm",
    accuracy: Annotated[
        bool,
        typer.Option(
            "--accuracy",
            help="Also measure how often metrics find the significant differences between systems that human scores "
            "show (Gao et al. 2019, section 6).",
        ),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            metavar="N",
            help="Accuracy: the number of topics in each sample. The default is 41 of every 46.",
        ),
    ] = None,
    accuracy_samples: Annotated[
        int,
        typer.Option(
            "--accuracy-samples", min=2, max=100_000, metavar="N", help="Accuracy: the number of samples of topics."
        ),
    ] = 100,
    significance: Annotated[float, typer.Option("--significance", help="Accuracy: the level of significance.")] = 0.05,
    topics: Annotated[
        Path | None,
        typer.Option(
            "--topics", readable=False, metavar="FILE", help="Use only the topics whose ids are in this file."
        ),
    ] = None,
    placeholders: Annotated[
        Literal["drop", "keep"],
        typer.Option(
            "--placeholders", help="Values that look like 'no score', such as -1: drop them or keep them as numbers."
        ),
    ] = "drop",
    missing: Annotated[
        Literal["drop", "keep"] | None, typer.Option("--missing", hidden=True, help="The old name of --placeholders.")
    ] = None,
    means: Annotated[
        Literal["own", "common"],
        typer.Option(
            "--means",
            help="System level: average each column over its own cells (own), or over the cells that both columns have "
            "(common).",
        ),
    ] = "own",
    people: Annotated[
        Literal["drop", "keep"],
        typer.Option("--people", help="Summaries written by people, which NIST names by letters: drop or keep them."),
    ] = "drop",
    resample: Annotated[
        Literal["documents", "systems", "both"],
        typer.Option("--resample", help="Resample documents, systems or both for intervals and tests."),
    ] = "both",
    samples: _shared.SamplesOption = 1000,
    seed: _shared.SeedOption = 0,
    threshold: Annotated[
        float, typer.Option("--threshold", help="Columns that correlate more than this could replace the gold column.")
    ] = 0.95,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="For a corpus: a metric to correlate. Repeatable. The default is rouge-1, rouge-2 and rouge-l.",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method", metavar="NAME", help="For a corpus: also correlate a method, such as pyramidion. Repeatable."
        ),
    ] = None,
    score: Annotated[
        Quantity,
        typer.Option("--score", help="For a corpus: the score of methods and of human annotations."),
    ] = "coverage",
    reading: Reading = READING,
) -> CorrelationStudy:
    """Correlate metrics with human scores and with each other.

    Prints Pearson's r, Spearman's rho, Kendall's tau-b or Krippendorff's alpha with intervals, tests between metrics
    (--against), the matrix of all columns (Nenkova et al. 2007, Table VI), and the accuracy of metrics (--accuracy; Gao
    et al. 2019, Table 4). --resample decides whether intervals and tests generalise to other documents, other systems
    or both.

    \b
    Example:
      pyramidion correlate 2005ManualScoresAvg.csv 2005RougeScoresAvg.csv --against "ROUGE-2 recall"
      pyramidion correlate scores.csv --gold human --level summary --statistic kendall
      pyramidion correlate realsumm/ --accuracy --plot matrix.svg
    """
    from pyramidion.analyses.correlate import Sampling
    from pyramidion.analyses.correlate import correlate as study
    from pyramidion.analyses.scores.table import join
    from pyramidion.formats.score_tables import load_topic_ids
    from pyramidion.stats.levels import Draws

    chosen = load_topic_ids(topics) if topics else ()
    keeping = _shared.renamed_option("--missing", "--placeholders", missing, placeholders)
    tables = [_table(file, reading, metric or METRICS, method or (), score) for file in files]
    return study(
        join(tables, topics=chosen, placeholders=keeping, people=people),
        gold,
        columns=column or (),
        level=level,
        statistic=statistic,
        means=means,
        draws=Draws(resample, samples, seed),
        against=against,
        correction=correction,
        threshold=threshold,
        accuracy=Sampling(sample, accuracy_samples, level=significance) if accuracy else None,
    )


def _table(file: Path, reading: Reading, metrics: Sequence[str], methods: Sequence[str], score: Quantity) -> ScoreTable:
    """Return the columns of a table of scores, or the scores of a corpus."""
    from pyramidion.analyses.scores.corpus import corpus_table
    from pyramidion.analyses.scores.table import from_rows
    from pyramidion.formats.score_tables import load_scores

    if _shared.is_score_table(file, reading.format):
        return from_rows(load_scores(file, reading.format, placeholders=True), str(file))
    topics = reading.topics(file)
    steps = (1 + len(metrics) + len(methods)) * _shared.summaries(topics)
    with _shared.progress(steps, "scoring") as advance:
        return corpus_table(file.stem, topics, metrics, methods, score, progress=advance)
