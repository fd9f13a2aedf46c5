"""``correlate``: do metrics agree with people, which does better, and which could replace which."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.studies.correlate import CorrelationStudy
    from pyramidion.studies.scores.table import ScoreTable

METRICS = ("rouge-1", "rouge-2", "rouge-l")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(correlate)


@_shared.bundled
@emits("correlations", "tests", "matrix", "accuracy", plot="Draw the matrix")
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
        str, typer.Option("--gold", metavar="COLUMN", help="The column of people's scores; the first by default.")
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME", help="Take only this column and the gold one. Repeatable."),
    ] = None,
    level: Annotated[
        Literal["system", "summary", "global"],
        typer.Option("--level", help="Over systems' means, over systems within each topic, or over all summaries."),
    ] = "system",
    statistic: Annotated[
        Literal["pearson", "spearman", "kendall", "krippendorff"],
        typer.Option("--statistic", help="The coefficient of intervals, tests and matrix; values are shown of all."),
    ] = "pearson",
    against: Annotated[
        str,
        typer.Option("--against", metavar="COLUMN", help="Test whether the others correlate better than this one."),
    ] = "",
    correction: Annotated[
        Literal["holm", "bh", "none"],
        typer.Option("--correction", help="Correct the tests for their number: Holm, Benjamini-Hochberg, or none."),
    ] = "holm",
    accuracy: Annotated[
        bool,
        typer.Option(
            "--accuracy", help="Do metrics find people's significant differences between systems? (Gao et al. 2019, 6.)"
        ),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=1, metavar="N", help="Accuracy: topics in each sample; 41 in 46 by default."),
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
    placeholders: Annotated[
        Literal["drop", "keep"],
        typer.Option(
            "--placeholders", help="Values that look like 'no score', such as -1: drop them, or keep them as numbers."
        ),
    ] = "drop",
    missing: Annotated[
        Literal["drop", "keep"] | None, typer.Option("--missing", hidden=True, help="The old name of --placeholders.")
    ] = None,
    means: Annotated[
        Literal["own", "common"],
        typer.Option("--means", help="System level: means over the cells a column has, or those that both have."),
    ] = "own",
    people: Annotated[
        Literal["drop", "keep"],
        typer.Option("--people", help="Summaries by people, which NIST names by letters: drop or keep them."),
    ] = "drop",
    resample: Annotated[
        Literal["documents", "systems", "both"],
        typer.Option("--resample", help="Draw documents, systems or both for intervals and tests."),
    ] = "both",
    samples: _shared.SamplesOption = 1000,
    seed: _shared.SeedOption = 0,
    threshold: Annotated[
        float, typer.Option("--threshold", help="Columns that correlate more than this could replace each other.")
    ] = 0.95,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", metavar="NAME", help="Of a corpus: rouge-1, rouge-2 and rouge-l by default. Repeatable."
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="NAME", help="Of a corpus: add a method such as pyramidion. Repeatable."),
    ] = None,
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive", "precision", "recall"],
        typer.Option("--score", help="Of a corpus: the score of methods and of people's annotations."),
    ] = "coverage",
    reading: Reading = READING,
) -> CorrelationStudy:
    """Correlate columns of scores: metrics with people, and all with each other.

    Pearson's r, Spearman's rho, Kendall's tau-b and Krippendorff's alpha with intervals, tests of one metric against
    others, the matrix of all columns (Nenkova et al. 2007, Table VI), and metrics' accuracy by significance (Gao et al.
    2019, Table 4). Intervals and tests speak of other documents, other systems or both, whichever --resample draws.

    \b
    Example:
      pyramidion correlate 2005ManualScoresAvg.csv 2005RougeScoresAvg.csv --against "ROUGE-2 recall"
      pyramidion correlate scores.csv --gold human --level summary --statistic kendall
      pyramidion correlate realsumm/ --accuracy --plot matrix.svg
    """
    from pyramidion.formats.score_tables import load_topic_ids
    from pyramidion.stats.levels import Draws
    from pyramidion.studies.correlate import Sampling
    from pyramidion.studies.correlate import correlate as study
    from pyramidion.studies.scores.table import join

    chosen = load_topic_ids(topics) if topics else ()
    keeping = _shared.renamed("--missing", "--placeholders", missing, placeholders)
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


def _table(file: Path, reading: Reading, metrics: Sequence[str], methods: Sequence[str], score: str) -> ScoreTable:
    """The columns of a table of scores or of a corpus."""
    from pyramidion.formats.score_tables import load_scores
    from pyramidion.studies.scores.corpus import corpus_table
    from pyramidion.studies.scores.table import from_rows

    if _shared.is_score_table(file, reading.format):
        return from_rows(load_scores(file, reading.format, placeholders=True), str(file))
    topics = reading.topics(file)
    steps = (1 + len(metrics) + len(methods)) * _shared.summaries(topics)
    with _shared.progress(steps, "scoring") as advance:
        return corpus_table(file.stem, topics, metrics, methods, score, progress=advance)
