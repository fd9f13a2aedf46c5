"""``compare``: which systems are better than which."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.errors import PyramidionError
from pyramidion.io.tables import render_all
from pyramidion.methods import DEFAULT_METHOD
from pyramidion.model import Topic
from pyramidion.reading import READING, Reading
from pyramidion.score import Settings

if TYPE_CHECKING:
    from pyramidion.studies.compare.study import Comparison
    from pyramidion.studies.scores.systems import SystemScores

SHOWN = 15
"""So many pairs people are shown unasked."""

WhichTest = Literal["wilcoxon", "bootstrap", "randomisation", "permutation", "mcnemar", "tukey"]
WhichTable = Literal["systems", "pairs", "scus"]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


@_shared.bundled
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
        typer.Argument(metavar="SYSTEM...", help="Only these systems; two are compared SCU by SCU, too."),
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
            help=f"What scores a corpus, {DEFAULT_METHOD} if not given; 'pyramidion methods' lists them.",
            show_default=False,
        ),
    ] = None,
    language: _shared.LanguageOption = None,
    metric: Annotated[
        str, typer.Option("--metric", help="Score a corpus by rouge-1, rouge-2, rouge-l, be-hm, ... instead.")
    ] = "",
    test: Annotated[
        WhichTest,
        typer.Option("--test", help="Over topics; permutation and mcnemar over SCUs, which need annotations."),
    ] = "wilcoxon",
    correction: Annotated[
        Literal["holm", "bh", "none"] | None,
        typer.Option(
            "--correction",
            help="For the number of pairs: holm (default), Benjamini-Hochberg, or none. Tukey has its own.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="The level of significance.")] = 0.05,
    power: Annotated[
        float | None,
        typer.Option("--power", metavar="DIFF", help="Say how many topics it takes to find such a difference."),
    ] = None,
    missing: Annotated[
        float | None, typer.Option("--missing", metavar="VALUE", help="A value that stands for 'no score', such as -1.")
    ] = None,
    samples: Annotated[
        int, typer.Option("--samples", min=100, max=1_000_000, help="Draws for tests and intervals.")
    ] = 10_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Where the draws start.")] = 0,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw means and letters: .svg, .png or .pdf (needs matplotlib)."),
    ] = None,
    average: _shared.AverageOption = "exact",
    cap: _shared.CapOption = False,
    weights: _shared.WeightsOption = "references",
    presence: _shared.PresenceOption = "expected",
    reading: Reading = READING,
    table: Annotated[
        WhichTable | None,
        typer.Option(
            "--table",
            help=f"Print only one table. By default systems, pairs if they are {SHOWN} or fewer, and the SCUs of two "
            "systems; CSV, which holds one table, has the pairs.",
            show_default=False,
        ),
    ] = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Say which systems are better than which, and how sure that is.

    Means with intervals, and letters for groups that are not told apart; for every pair the difference, an adjusted
    p-value and effect sizes. Two systems that are named are also compared by their SCUs (Nenkova et al. 2007, 2.3).

    \b
    Example:
      pyramidion compare scores.csv --score coverage --power 0.05
      pyramidion compare corpus/ A B --method manual
      pyramidion compare realsumm/ --metric rouge-1 --test tukey --plot groups.svg
    """
    from pyramidion.io.files import write_bytes
    from pyramidion.io.pictures import check_picture
    from pyramidion.studies.compare.plot import draw_comparison
    from pyramidion.studies.compare.study import compare as compare_systems
    from pyramidion.studies.compare.tables import pairs_table, scus_table, systems_table, to_json

    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot, inputs=[source])
    named = systems or []
    if len(named) == 1:
        raise PyramidionError(f"only {named[0]!r} is named, and nothing to compare it with", do="name two systems")
    if test == "tukey" and correction is not None:
        raise PyramidionError("Tukey's test corrects for all pairs itself", do="leave out --correction")
    settings = Settings(average, cap, weights=weights, presence=presence)
    scores = _read(source, score, method, language, metric, settings, reading)
    scores = scores if missing is None else scores.without(missing)
    if without:
        scores.only(without)  # raises where one is not there
        scores = scores.only([name for name in scores.systems if name not in without])
    found = compare_systems(
        scores,
        test,
        systems=named,
        correction=correction or "holm",
        alpha=alpha,
        power=power,
        samples=samples,
        seed=seed,
    )
    if table == "scus" and found.scus is None:
        raise PyramidionError(
            "there are no SCUs of two systems to show", do="name two systems of a corpus that has annotations"
        )
    if as_json:
        _shared.print_json(to_json(found))
    else:
        every = {"systems": systems_table, "scus": scus_table}
        tables = [
            pairs_table(found, whole=format == "csv") if name == "pairs" else every[name](found)
            for name in _wanted(found, table, format == "csv")
        ]
        typer.echo(render_all(tables, format), nl=False)
    if plot and picture:
        write_bytes(plot, draw_comparison(found, picture))


def _wanted(found: Comparison, table: WhichTable | None, one: bool) -> list[WhichTable]:
    if table or one:
        return [table or "pairs"]
    wanted: list[WhichTable] = ["systems"]
    if len(found.pairs) <= SHOWN:
        wanted.append("pairs")
    if found.scus:
        wanted.append("scus")
    return wanted


def _read(
    path: Path,
    score: str,
    method: str | None,
    language: str | None,
    metric: str,
    settings: Settings,
    reading: Reading,
) -> SystemScores:
    """The scores of all systems: from a table as they are, of a corpus as the method or the metric gives them."""
    from pyramidion.studies.scores.columns import read_score_table
    from pyramidion.studies.scores.systems import from_evaluation, from_table

    if _shared.is_score_table(path, reading.format):
        if metric or method:
            raise PyramidionError(
                "a table has its scores already", str(path), "leave out --method and --metric, or give a corpus"
            )
        return from_table(read_score_table(path, reading.format, placeholders=False), score, str(path))
    topics = reading.topics(path)
    if metric:
        return _measured(topics, metric.strip().lower(), score)
    recipe = _shared.method_of(method or DEFAULT_METHOD, language)
    if not method:
        _shared.say_if_annotated(topics, DEFAULT_METHOD)
    from pyramidion.studies.evaluate import evaluate

    with _shared.progress(_shared.summaries(topics), "scoring") as advance:
        evaluation = evaluate(topics, recipe, settings, progress=advance)
    return from_evaluation(evaluation, score or "coverage", settings)


def _measured(topics: list[Topic], name: str, score: str) -> SystemScores:
    from pyramidion.metrics import metric, settings_of
    from pyramidion.studies.measure.study import measure
    from pyramidion.studies.scores.systems import from_measured

    chosen = {name: metric(name, **({"stem": True} if "stem" in settings_of(name) else {}))}
    with _shared.progress(sum(len(topic.peers) for topic in topics), "scoring", at_least=50) as advance:
        return from_measured(measure(topics, chosen, advance), name, score)
