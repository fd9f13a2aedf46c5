"""``agree``: do annotators of the same summaries agree, and does it matter for the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.cli.scoring import with_pyramids
from pyramidion.errors import PyramidionError
from pyramidion.formats._join import check_ids
from pyramidion.formats._naming import clean
from pyramidion.model import Topic
from pyramidion.report.table import Cell, Table, render
from pyramidion.score import Settings

if TYPE_CHECKING:
    from pyramidion.run.agreement import Reliability, ScoreStudy, TopicAgreement
    from pyramidion.stats.agreement import Agreement

SHOWN = 20
"""How many pairs of annotators, and studies of them, people are shown."""

WhichDistance = Literal["dice", "nominal", "ordinal", "interval", "ratio", "masi"]
WhichTable = Literal["topics", "pairs", "annotators", "summaries", "study"]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(agree)


def agree(
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            metavar="CORPUS|FILE",
            help="Corpora or files with annotations of the same summaries by several annotators; "
            "a pyramid's file first, where annotations do not carry it.",
        ),
    ],
    distance: Annotated[
        WhichDistance,
        typer.Option(
            "--distance", help="How far apart two counts of an SCU are; masi compares the sets of SCUs per summary."
        ),
    ] = "dice",
    name_by: Annotated[
        Literal["folder", "file"] | None,
        typer.Option(
            "--name-by",
            help="Call annotators that have no name after the folder their file is in, or after the file.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, help="Score differences below this do not matter.")
    ] = 0.06,
    samples: Annotated[int, typer.Option("--samples", min=100, max=1_000_000, help="Draws for each interval.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Where the draws start.")] = 0,
    average: _shared.AverageOption = "exact",
    cap: _shared.CapOption = False,
    weights: _shared.WeightsOption = "references",
    table: Annotated[
        WhichTable | None,
        typer.Option(
            "--table",
            help="Print only one table. All but 'summaries' by default; CSV, which holds one table, has the topics.",
            show_default=False,
        ),
    ] = None,
    source: _shared.FromOption = "",
    option: _shared.OptionOption = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Measure how far annotators of the same summaries agree.

    Krippendorff's alpha per topic, overall, for each pair of annotators and without each; and for each pair whether
    their scores correlate and how much they differ (Nenkova et al. 2007, 4.1).

    \b
    Example:
      pyramidion agree corpus/
      pyramidion agree anna/*.pan ben/*.pan --name-by folder --table study --format latex
      pyramidion agree mturk-results.csv --distance nominal --json
    """
    topics = read_topics(files, source, _shared.format_options(option), name_by)
    from pyramidion.run.agreement import reliability

    found = reliability(
        topics, distance, Settings(average, cap, weights=weights), threshold=threshold, samples=samples, seed=seed
    )
    if as_json:
        _shared.print_json(to_json(found))
        return
    every = {
        "topics": topics_table,
        "pairs": pairs_table,
        "annotators": annotators_table,
        "summaries": summaries_table,
        "study": study_table,
    }
    if table is None:
        wanted = ["topics"] if format == "csv" else [name for name in every if name != "summaries"]
        if not found.without_annotator and "annotators" in wanted:
            wanted.remove("annotators")
    else:
        wanted = [table]
    whole = format == "csv"
    typer.echo("\n".join(render(every[name](found, whole), format) for name in wanted), nl=False)


def read_topics(
    files: Sequence[Path], source: str, options: formats.Options, name_by: Literal["folder", "file"] | None = None
) -> list[Topic]:
    """The topics of all files, each once, with the annotations of all annotators."""
    read: list[tuple[Path, Topic]] = []
    with _shared.progress(len(files), "reading") as advance:
        for file in files:
            for topic in formats.load(file, source, **options):
                read.append((file, _named(topic, file, name_by) if name_by else topic))
            advance()
    topics = formats.join(with_pyramids(read))
    if not topics:
        raise PyramidionError("no annotation in the files given", do="give annotations by two annotators")
    check_ids(topics)
    return sorted(topics, key=lambda topic: topic.id)


def _named(topic: Topic, file: Path, name_by: Literal["folder", "file"]) -> Topic:
    place = file.absolute()  # as it was named: a link's own folder counts
    name = clean(place.stem if name_by == "file" else place.parent.name)
    named = (one if one.annotator else replace(one, annotator=name) for one in topic.annotations)
    return replace(topic, annotations=tuple(named))


def _alpha(found: Agreement) -> tuple[Cell, Cell, Cell]:
    return (found.value, *(found.interval or (None, None)))


def topics_table(found: Reliability, whole: bool = False) -> Table:
    """Alpha of all annotators per topic and overall."""

    def row(one: TopicAgreement, name: str) -> tuple[Cell, ...]:
        return (
            name, len(one.annotators), one.summaries, one.alpha.units, one.alpha.left_out, *_alpha(one.alpha),
            one.alpha.reason,
        )  # fmt: skip

    rows = [row(one, one.topic) for one in found.topics]
    if not whole or len(rows) > 1:
        rows.append(row(found.overall, "all"))
    noted = any(cells[-1] for cells in rows) or whole
    columns = ("topic", "annotators", "summaries", "decisions", "single", "alpha", "95 % from", "to", "note")
    keys = ("topic", "annotators", "summaries", "decisions", "left_out", "alpha", "low", "high", "note")
    width = len(columns) if noted else len(columns) - 1
    what = "sets of SCUs" if found.distance == "masi" else "counts of each SCU in each summary"
    title = f"Krippendorff's alpha over {what}, distance {found.distance}"
    note = "single: decisions that fewer than two annotators made; they count nowhere."
    return Table(
        columns[:width],
        tuple(cells[:width] for cells in rows),
        title,
        f"{note}\n{found.signature}",
        keys[:width],
    )


def pairs_table(found: Reliability, whole: bool = False) -> Table:
    """Each pair of annotators with common summaries."""
    shown = found.pairs if whole else found.pairs[:SHOWN]
    rows = tuple(
        (one.one, one.other, one.summaries, one.alpha.units, one.alpha.value, one.same, one.kappa.value, one.pi.value)
        for one in shown
    )
    hidden = len(found.pairs) - len(shown)
    note = f"and {_shared.plural(hidden, 'more pair')}: --json and --format csv have all.\n" if hidden else ""
    note += "same, kappa (Cohen) and pi (Scott) are of found or not found."
    return Table(
        ("annotator", "and", "summaries", "decisions", "alpha", "same", "kappa", "pi"),
        rows,
        "Pairs of annotators",
        note,
        ("one", "other", "summaries", "decisions", "alpha", "same", "kappa", "pi"),
    )


def annotators_table(found: Reliability, whole: bool = False) -> Table:
    """Alpha without each annotator."""
    if not found.without_annotator:
        raise PyramidionError(
            "with two annotators, nobody can be left out", do="leave out --table annotators, or give a third's work"
        )
    overall = found.overall.alpha.value
    rows = tuple(
        (name, one.value, None if one.value is None or overall is None else round(one.value - overall, 12), one.units)
        for name, one in found.without_annotator
    )
    note = "Where alpha rises, the annotator disagrees with the others."
    return Table(("without", "alpha", "change", "decisions"), rows, "Alpha of the others, without each annotator", note)


def summaries_table(found: Reliability, whole: bool = False) -> Table:
    """Alpha of each summary, and of its topic without it."""
    rows = tuple(
        (one.topic, one.summary, one.alpha.units, one.alpha.value, one.without.value, one.alpha.reason)
        for one in found.summaries
    )
    return Table(
        ("topic", "summary", "decisions", "alpha", "topic without it", "note"),
        rows,
        "Alpha of each summary, and of its topic without it",
        str(found.signature),
        ("topic", "summary", "decisions", "alpha", "without", "note"),
    )


def study_table(found: Reliability, whole: bool = False) -> Table:
    """The paradigmatic study: Tables III, IV and V of Nenkova et al. 2007 side by side, a row for either score."""
    shown = found.studies if whole else found.studies[:SHOWN]
    rows: list[tuple[Cell, ...]] = []
    for one in shown:
        who = (one.topic or "all", one.one, one.other, one.summaries - one.left_out, one.mean_alpha)
        rows.append((*who, "original", *_score(one.original)))
        rows.append((*who, "modified", *_score(one.modified)))
    threshold = dict(found.signature.parameters)["threshold"]
    lines = [
        "alpha: mean over summaries. r: Pearson's, of the scores by the one and the other, with Fisher's interval.",
        f"difference: mean score by the first less the second's, ok below {threshold}; absolute: mean, unsigned.",
    ]
    partial = sum(one.left_out for one in shown)
    if partial:
        lines.append(f"{partial} times a summary was judged in part by one of the two: its scores are left out.")
    hidden = len(found.studies) - len(shown)
    if hidden:
        lines.insert(0, f"and {hidden} more studies: --json and --format csv have all.")
    keys = ("topic", "one", "other", "summaries", "mean_alpha", "score", "r", "low", "high", "difference", "absolute")
    return Table(
        ("topic", "annotator", "and", "n", "alpha", "score", "r", "95 % from", "to", "difference", "absolute", "ok"),
        tuple(rows),
        "Would another annotator change the scores?",
        "\n".join([*lines, str(found.signature)]),
        (*keys, "within_threshold"),
    )


def _score(one: ScoreStudy) -> tuple[Cell, ...]:
    within = None if one.within_threshold is None else ("yes" if one.within_threshold else "no")
    return (one.correlation.value, *(one.fisher or (None, None)), one.difference, one.absolute_difference, within)


def to_json(found: Reliability) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "signature": str(found.signature),
        "distance": found.distance,
        "annotators": list(found.annotators),
        "overall": asdict(found.overall),
        "topics": [asdict(one) for one in found.topics],
        "pairs": [asdict(one) for one in found.pairs],
        "without_annotator": [{"annotator": name, "alpha": asdict(one)} for name, one in found.without_annotator],
        "summaries": [asdict(one) for one in found.summaries],
        "studies": [asdict(one) for one in found.studies],
    }
