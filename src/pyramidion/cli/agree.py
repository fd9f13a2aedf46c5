"""``agree``: do annotators of the same summaries agree, and does it matter for the scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.reading import READING, NameBy, Reading
from pyramidion.score import Settings

if TYPE_CHECKING:
    from pyramidion.studies.agree import Reliability


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(agree)


@_shared.bundled
@emits("topics", "pairs", "annotators", "summaries", "study")
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
        Literal["dice", "nominal", "ordinal", "interval", "ratio", "masi"],
        typer.Option(
            "--distance", help="How far apart two counts of an SCU are; masi compares the sets of SCUs per summary."
        ),
    ] = "dice",
    name_by: Annotated[
        NameBy | None,
        typer.Option(
            "--name-by",
            help="Call annotators that have no name after the folder their file is in, or after the file.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, help="Score differences below this do not matter.")
    ] = 0.06,
    samples: _shared.SamplesOption = 1000,
    seed: _shared.SeedOption = 0,
    average: _shared.AverageOption = "exact",
    cap: _shared.CapOption = False,
    weights: _shared.WeightsOption = "references",
    reading: Reading = READING,
) -> Reliability:
    """Measure how far annotators of the same summaries agree.

    Krippendorff's alpha per topic, overall, for each pair of annotators and without each; and for each pair whether
    their scores correlate and how much they differ (Nenkova et al. 2007, 4.1).

    \b
    Example:
      pyramidion agree corpus/
      pyramidion agree anna/*.pan ben/*.pan --name-by folder --table study --format latex
      pyramidion agree mturk-results.csv --distance nominal --json
    """
    with _shared.progress(len(files), "reading") as advance:
        topics = reading.annotated(*files, name_by=name_by, progress=advance)
    from pyramidion.studies.agree import agree as study

    settings = Settings(average, cap, weights=weights)
    return study(topics, distance, settings, threshold=threshold, samples=samples, seed=seed)
