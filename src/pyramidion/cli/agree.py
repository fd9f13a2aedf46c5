"""``agree``: how far annotators of the same summaries agree, and what difference that makes to the scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.formats.read import READING, NameBy, Reading
from pyramidion.scoring import Settings

if TYPE_CHECKING:
    from pyramidion.analyses.agree import Reliability


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(agree)


@_shared.with_bundles
@emits("topics", "pairs", "annotators", "summaries", "study")
def agree(
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            metavar="CORPUS|FILE",
            help="Corpora or files with annotations of the same summaries by several annotators. Name the pyramid's "
            "file first if the annotations do not include the pyramid.",
        ),
    ],
    distance: Annotated[
        Literal["dice", "nominal", "ordinal", "interval", "ratio", "masi"],
        typer.Option(
            "--distance",
            help="How to measure the distance between two annotators' counts of a content unit (SCU). masi compares "
            "the sets of SCUs of each summary.",
        ),
    ] = "dice",
    name_by: Annotated[
        NameBy | None,
        typer.Option(
            "--name-by",
            help="Name annotators without a name after the folder of their file, or after the file itself.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, help="Ignore differences between scores that are smaller than this.")
    ] = 0.06,
    samples: _shared.SamplesOption = 1000,
    seed: _shared.SeedOption = 0,
    average: _shared.AverageOption = "exact",
    cap: _shared.CapOption = False,
    weights: _shared.WeightsOption = "references",
    reading: Reading = READING,
) -> Reliability:
    """Measure how far annotators of the same summaries agree.

    Prints Krippendorff's alpha for each topic, for all topics, for each pair of annotators, and with each annotator
    left out. For each pair it also shows how their scores correlate and how much they differ (Nenkova et al. 2007,
    4.1).

    \b
    Example:
      pyramidion agree corpus/
      pyramidion agree anna/*.pan ben/*.pan --name-by folder --table study --format latex
      pyramidion agree mturk-results.csv --distance nominal --json
    """
    with _shared.progress(len(files), "reading") as advance:
        topics = reading.annotated(*files, name_by=name_by, progress=advance)
    from pyramidion.analyses.agree import agree as study

    settings = Settings(average, cap, weights=weights)
    return study(topics, distance, settings, threshold=threshold, samples=samples, seed=seed)
