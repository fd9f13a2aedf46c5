"""``build`` and ``match``: the two steps of ``evaluate``, with the pyramid in a file between them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyramidion import formats
from pyramidion.analyses.build import build as build_study
from pyramidion.cli import _shared
from pyramidion.cli._emit import emit
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.formats import native
from pyramidion.formats.read import READING, Reading
from pyramidion.methods import DEFAULT_MATCHER, DEFAULT_METHOD, GIVEN

Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="The file or folder to write. Its name ending selects the format (.json, .pyr, .pan)."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(build)
    app.command()(match)


@_shared.with_bundles
def build(
    references: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            metavar="CORPUS|REFERENCES...",
            help="A corpus, or the reference summaries of one topic: text files or a folder of them.",
        ),
    ],
    output: Output = None,
    method: _shared.MethodOption = DEFAULT_METHOD,
    language: _shared.LanguageOption = None,
    topic: Annotated[str, typer.Option("--topic", help="The name of the topic, if you name REFERENCES.")] = "topic",
    to: _shared.ToOption = "",
    reading: Reading = READING,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Build a pyramid for each topic from its reference summaries.

    A pyramid lists the content units (SCUs) of the references; the weight of each is the number of references
    that express it.

    \b
    Example:
      pyramidion build lakes/references --topic lakes -o lakes.pyr
      pyramidion build corpus/ --method pyreval -o pyramids.json
    """
    recipe = _shared.method_of(method, language)
    if output:
        _shared.check_parent(output)
        _shared.check_not_among(output, references)
    topics = reading.to_build(topic, references)
    with _shared.progress(len(topics), "building", at_least=5) as advance:
        pyramids = build_study(topics, recipe, progress=advance)
    if output:
        formats.dump(pyramids.topics, output, to)
    if output and not as_json:
        typer.echo(f"{output}: {pyramids.size}")
        for name, threshold in pyramids.thresholds.items():
            typer.echo(f"{name}: {threshold}")
    else:
        emit(pyramids, format, as_json)


@_shared.with_bundles
def match(
    pyramid: Annotated[Path, typer.Argument(readable=False, help="The pyramid (.json, .pyr).")],
    peers: Annotated[
        list[Path],
        typer.Argument(readable=False, help="The summaries to score (peers): text files, or a folder of them."),
    ],
    output: Output = None,
    matcher: _shared.MatcherOption = DEFAULT_MATCHER,
    language: _shared.LanguageOption = None,
    calibrate: _shared.CalibrateOption = None,
    to: _shared.ToOption = "",
    reading: Reading = READING,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Find a pyramid's content units (SCUs) in summaries.

    Prints the scores of the summaries. --output keeps the annotations, so that people can correct them and 'pyramidion
    score' can score them.

    \b
    Example:
      pyramidion match lakes.pyr lakes/peers -o annotations.json
      pyramidion match lakes.pyr peers/*.txt --matcher "wmin(threshold=0.7)"
    """
    recipe = _shared.method_of(f"{GIVEN}+{matcher}", language, calibrate, reading)
    if output:
        _shared.check_parent(output)
        _shared.check_not_among(output, [pyramid, *peers])
    topic = reading.to_match(pyramid, peers)
    with _shared.progress(len(topic.peers), "matching") as advance:
        evaluation = evaluate([topic], recipe, progress=advance)
    annotated = evaluation.annotated(topic)
    if output:
        formats.dump([annotated], output, to)
    if as_json:
        _shared.print_json(native.to_record(annotated))
    else:
        emit(evaluation, format, table="full")
