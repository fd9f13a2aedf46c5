"""``agree``: do annotators of the same summaries agree, and does it matter for the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.cli.scoring import with_pyramids
from pyramidion.errors import PyramidionError
from pyramidion.formats.join import check_ids
from pyramidion.io.names import clean
from pyramidion.io.tables import render_all
from pyramidion.model import Topic
from pyramidion.reading import READING, Reading
from pyramidion.score import Settings

WhichDistance = Literal["dice", "nominal", "ordinal", "interval", "ratio", "masi"]
WhichTable = Literal["topics", "pairs", "annotators", "summaries", "study"]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(agree)


@_shared.bundled
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
    reading: Reading = READING,
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
    topics = read_topics(files, reading, name_by)
    from pyramidion.studies.agree import tables as report
    from pyramidion.studies.agree.study import reliability

    found = reliability(
        topics, distance, Settings(average, cap, weights=weights), threshold=threshold, samples=samples, seed=seed
    )
    if as_json:
        _shared.print_json(report.to_json(found))
        return
    every = {
        "topics": report.topics_table,
        "pairs": report.pairs_table,
        "annotators": report.annotators_table,
        "summaries": report.summaries_table,
        "study": report.study_table,
    }
    if table is None:
        wanted = ["topics"] if format == "csv" else [name for name in every if name != "summaries"]
        if not found.without_annotator and "annotators" in wanted:
            wanted.remove("annotators")
    else:
        wanted = [table]
    whole = format == "csv"
    typer.echo(render_all([every[name](found, whole) for name in wanted], format), nl=False)


def read_topics(
    files: Sequence[Path], reading: Reading, name_by: Literal["folder", "file"] | None = None
) -> list[Topic]:
    """The topics of all files, each once, with the annotations of all annotators."""
    read: list[tuple[Path, Topic]] = []
    with _shared.progress(len(files), "reading") as advance:
        for file in files:
            for topic in reading.topics(file):
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
