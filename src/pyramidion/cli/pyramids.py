"""``build`` and ``match``: the two halves of ``evaluate``, with a pyramid as a file between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.errors import FormatError
from pyramidion.formats import native
from pyramidion.io.tables import Table, render, render_all
from pyramidion.methods import DEFAULT_MATCHER, DEFAULT_METHOD, GIVEN, Method
from pyramidion.model import Pyramid, Topic
from pyramidion.reading import READING, Reading, how_read
from pyramidion.signature import Signature
from pyramidion.studies.evaluate.study import evaluate
from pyramidion.studies.evaluate.tables import scores_table

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The file or folder to write; its ending says the format (.json, .pyr, .pan)."),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(build)
    app.command()(match)


@_shared.bundled
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
    topic: Annotated[str, typer.Option("--topic", help="What the topic of REFERENCES is called.")] = "topic",
    to: _shared.ToOption = "",
    reading: Reading = READING,
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Build the pyramids of reference summaries.

    \b
    Example:
      pyramidion build lakes/references --topic lakes -o lakes.pyr
      pyramidion build corpus/ --method pyreval -o pyramids.json
    """
    recipe = _shared.method_of(method, language)
    if output:
        _shared.check_parent(output)
        _shared.check_not_among(output, references)
    if all(_holds_texts(path) for path in references):
        topics = [reading.texts(topic, references)]
    else:
        topics = reading.topics(*references)
    recipe.check_language(replace(one, peers=(), annotations=()) for one in topics)
    made = []
    with _shared.progress(len(topics), "building", at_least=5) as advance:
        for one in topics:
            pyramid = recipe.pyramid(one)
            made.append(Topic(one.id, pyramid.references, pyramid=pyramid))
            advance()
    pyramids = [one.pyramid for one in made if one.pyramid]
    if output:
        formats.dump(made, output, to)
    if as_json:
        _shared.print_json([native.to_record(one) for one in made])
    elif output:
        scus = _shared.plural(sum(len(one.scus) for one in pyramids), "SCU")
        typer.echo(f"{output}: {scus} of {_shared.plural(len(made), 'topic')}")
    else:
        typer.echo(render_all([_scus_table(one, recipe, topics) for one in pyramids], table), nl=False)


def _holds_texts(path: Path) -> bool:
    """Whether this is a text, or a folder with texts in it and no corpus."""
    return path.suffix == ".txt" or (path.is_dir() and any(one.suffix == ".txt" for one in path.iterdir()))


def _plain(files: list[Path]) -> list[Path]:
    """The files, none of which is a pyramid or corpus: read as a text, it would get a score that means nothing."""
    for file in files:
        if file.suffix in (".pyr", ".pan", ".json", ".jsonl"):
            raise FormatError("this is no plain text", str(file), "name text files, or evaluate a corpus")
    return files


def _scus_table(pyramid: Pyramid, method: Method, topics: Sequence[Topic]) -> Table:
    rows = tuple((scu.id, scu.weight, scu.label) for scus in pyramid.tiers.values() for scu in scus)
    title = (
        f"{pyramid.topic}: {_shared.plural(len(pyramid.scus), 'SCU')} of {_shared.plural(pyramid.size, 'reference')}"
    )
    signature = str(Signature(str(method), (*method.versions, *how_read(topics))))
    return Table(("SCU", "weight", "label"), rows, title, signature=signature)


@_shared.bundled
def match(
    pyramid: Annotated[Path, typer.Argument(readable=False, help="The pyramid (.json, .pyr).")],
    peers: Annotated[
        list[Path], typer.Argument(readable=False, help="The summaries to match: text files, or a folder of them.")
    ],
    output: Output = None,
    matcher: Annotated[
        str,
        typer.Option("--matcher", help="Who matches, with parameters in brackets; 'pyramidion methods' lists them."),
    ] = DEFAULT_MATCHER,
    language: _shared.LanguageOption = None,
    to: _shared.ToOption = "",
    reading: Reading = READING,
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Match summaries with a pyramid.

    Prints their scores; --output keeps the annotations, for people to correct or for 'pyramidion score'.

    \b
    Example:
      pyramidion match lakes.pyr lakes/peers -o annotations.json
      pyramidion match lakes.pyr peers/*.txt --matcher "wmin(threshold=0.7)"
    """
    recipe = _shared.method_of(f"{GIVEN}+{matcher}", language)
    if output:
        _shared.check_parent(output)
        _shared.check_not_among(output, [pyramid, *peers])
    topics = [one for one in reading.topics(pyramid) if one.pyramid]
    if len(topics) != 1:
        raise FormatError(
            f"{len(topics)} pyramids are in this file", str(pyramid), "give one pyramid, or evaluate a corpus"
        )
    given = reading.texts("", peers=_plain(peers))
    topic = replace(topics[0], peers=given.peers, annotations=(), reading=(*topics[0].reading, *given.reading))
    with _shared.progress(len(topic.peers), "matching") as advance:
        evaluation = evaluate([topic], recipe, progress=advance)
    annotated = replace(topic, annotations=tuple(one.annotation for one in evaluation.results))
    if output:
        formats.dump([annotated], output, to)
    if as_json:
        _shared.print_json(native.to_record(annotated))
    else:
        typer.echo(render(scores_table(evaluation), table), nl=False)
