"""``compare``: which systems are significantly better than others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import READING, Reading
from pyramidion.methods import DEFAULT_METHOD
from pyramidion.scoring import DEFAULT, Quantity, Settings

if TYPE_CHECKING:
    from pyramidion.analyses.compare import Comparison
    from pyramidion.analyses.scores.table import ScoreTable


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


@_shared.with_bundles
@emits(
    "pairs", "systems", "scus", plot="Draw means and letters", needs={"scus": ("systems", "the names of two systems")}
)
def compare(
    source: Annotated[
        Path,
        typer.Argument(
            readable=False,
            metavar="INPUT",
            help="A table of scores (CSV with the columns topic and system, PyrEval, LitePyramids), a corpus, or a "
            "REALSumm folder.",
        ),
    ],
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYSTEM...",
            help="Compare only these systems. Two systems are also compared by their content units (SCUs).",
        ),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="SYSTEM", help="Leave this system out. Repeatable.")
    ] = None,
    score: Annotated[
        str,
        typer.Option(
            "--score",
            help="The score to compare, or the column of the table. The default is coverage, or recall with --metric.",
        ),
    ] = "",
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help=f"The method that scores a corpus, {DEFAULT_METHOD} by default. 'pyramidion methods' lists the "
            "methods.",
            show_default=False,
        ),
    ] = None,
    language: _shared.LanguageOption = None,
    metric: Annotated[
        str,
        typer.Option(
            "--metric", help="Score a corpus with this metric instead of a method: rouge-1, rouge-l, be-hm, ..."
        ),
    ] = "",
    test: Annotated[
        Literal["wilcoxon", "bootstrap", "randomisation", "permutation", "mcnemar", "tukey"],
        typer.Option(
            "--test",
            help="The significance test. permutation and mcnemar test over SCUs and need annotations; the others test "
            "over topics.",
        ),
    ] = "wilcoxon",
    correction: Annotated[
        Literal["holm", "bh", "none"] | None,
        typer.Option(
            "--correction",
            help="Correct p-values for the number of pairs by Holm (default), by Benjamini-Hochberg, or not at all. "
            "Tukey's test has its own correction.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="The level of significance.")] = 0.05,
    power: Annotated[
        float | None,
        typer.Option(
            "--power", metavar="DIFF", help="Also print how many topics are needed to find a difference of this size."
        ),
    ] = None,
    no_score: Annotated[
        float | None,
        typer.Option("--no-score", metavar="VALUE", help="Treat this value as a missing score, for example -1."),
    ] = None,
    missing: Annotated[float | None, typer.Option("--missing", hidden=True, help="The old name of --no-score.")] = None,
    samples: _shared.SamplesOption = 10_000,
    seed: _shared.SeedOption = 0,
    settings: Settings = DEFAULT,
    reading: Reading = READING,
) -> Comparison:
    """Find out which systems are better, and how certain that is.

    The table of systems shows means with intervals; systems that share a letter do not differ significantly. The table
    of pairs shows differences, adjusted p-values and effect sizes; it is printed for 15 pairs or fewer, or with --table
    pairs. If you name two systems, they are also compared by their content units (SCUs; Nenkova et al. 2007, 2.3).

    \b
    Example:
      pyramidion compare scores.csv --score coverage --power 0.05
      pyramidion compare corpus/ A B --method manual
      pyramidion compare realsumm/ --metric rouge-1 --test tukey --plot groups.svg
    """
    from pyramidion.analyses.compare import compare as study

    return study(
        _scores(source, score, method, language, metric, settings, reading),
        test,
        systems=systems or (),
        without=without or (),
        no_score=_shared.renamed_option("--missing", "--no-score", missing, no_score),
        correction=correction,
        alpha=alpha,
        power=power,
        samples=samples,
        seed=seed,
    )


def _scores(
    source: Path,
    score: str,
    method: str | None,
    language: str | None,
    metric: str,
    settings: Settings,
    reading: Reading,
) -> ScoreTable:
    """Return the scores of all systems: read from a table, or computed for a corpus by a method or a metric."""
    from pyramidion.analyses.scores.corpus import by_method, by_metric
    from pyramidion.analyses.scores.table import from_rows
    from pyramidion.formats.score_tables import load_scores

    if _shared.is_score_table(source, reading.format):
        if metric or method:
            raise PyramidionError(
                "A table already has its scores", str(source), "leave out --method and --metric, or give a corpus"
            )
        return from_rows(load_scores(source, reading.format), str(source)).column(score)
    topics = reading.topics(source)
    with _shared.progress(_shared.summaries(topics), "scoring") as advance:
        if metric:
            return by_metric(topics, metric, score, progress=advance)
        if not method:
            _shared.say_if_annotated(topics, DEFAULT_METHOD)
        recipe = _shared.method_of(method or DEFAULT_METHOD, language)
        return by_method(topics, recipe, cast(Quantity, score or "coverage"), settings, progress=advance)
