"""``compare``: which systems are better than which."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.errors import PyramidionError
from pyramidion.methods import DEFAULT_METHOD
from pyramidion.reading import READING, Reading
from pyramidion.score import DEFAULT, Settings

if TYPE_CHECKING:
    from pyramidion.studies.compare import Comparison
    from pyramidion.studies.scores.table import ScoreTable


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


@_shared.bundled
@emits("pairs", "systems", "scus", plot="Draw means and letters")
def compare(
    source: Annotated[
        Path,
        typer.Argument(
            readable=False,
            metavar="INPUT",
            help="A table of scores (CSV with columns topic and system, PyrEval, LitePyramids), a corpus with "
            "annotations, or a REALSumm folder.",
        ),
    ],
    systems: Annotated[
        list[str] | None,
        typer.Argument(metavar="SYSTEM...", help="Compare only these systems; two are also compared SCU by SCU."),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="SYSTEM", help="Leave this system out. Repeatable.")
    ] = None,
    score: Annotated[
        str,
        typer.Option("--score", help="The score, or the table's column. coverage by default; recall with --metric."),
    ] = "",
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help=f"The method that scores a corpus, {DEFAULT_METHOD} by default; 'pyramidion methods' lists them.",
            show_default=False,
        ),
    ] = None,
    language: _shared.LanguageOption = None,
    metric: Annotated[
        str, typer.Option("--metric", help="Score a corpus by this metric instead: rouge-1, rouge-l, be-hm, ...")
    ] = "",
    test: Annotated[
        Literal["wilcoxon", "bootstrap", "randomisation", "permutation", "mcnemar", "tukey"],
        typer.Option(
            "--test", help="The test: over topics, or over SCUs (permutation and mcnemar, which need annotations)."
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
        typer.Option("--power", metavar="DIFF", help="Say how many topics it takes to find a difference of this size."),
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
    """Say which systems are better than which, and how sure that is.

    The table of systems has means with intervals, and letters for groups that are not told apart. The table of pairs
    has differences, adjusted p-values and effect sizes; it is printed if there are 15 pairs or fewer, or if you ask for
    it. Two systems that you name are also compared by their SCUs (Nenkova et al. 2007, 2.3).

    \b
    Example:
      pyramidion compare scores.csv --score coverage --power 0.05
      pyramidion compare corpus/ A B --method manual
      pyramidion compare realsumm/ --metric rouge-1 --test tukey --plot groups.svg
    """
    from pyramidion.studies.compare import compare as study

    return study(
        _scores(source, score, method, language, metric, settings, reading),
        test,
        systems=systems or (),
        without=without or (),
        no_score=_shared.renamed("--missing", "--no-score", missing, no_score),
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
    """The scores of all systems: from a table as they are, of a corpus as the method or the metric gives them."""
    from pyramidion.formats.score_tables import load_scores
    from pyramidion.studies.scores.corpus import by_method, by_metric
    from pyramidion.studies.scores.table import from_rows

    if _shared.is_score_table(source, reading.format):
        if metric or method:
            raise PyramidionError(
                "a table has its scores already", str(source), "leave out --method and --metric, or give a corpus"
            )
        return from_rows(load_scores(source, reading.format), str(source)).column(score)
    topics = reading.topics(source)
    with _shared.progress(_shared.summaries(topics), "scoring") as advance:
        if metric:
            return by_metric(topics, metric, score, progress=advance)
        if not method:
            _shared.say_if_annotated(topics, DEFAULT_METHOD)
        recipe = _shared.method_of(method or DEFAULT_METHOD, language)
        return by_method(topics, recipe, score or "coverage", settings, progress=advance)
