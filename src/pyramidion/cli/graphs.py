"""``graphs``: print the meaning graphs of texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.cli.language import By as AnalyserOption
from pyramidion.errors import PyramidionError

if TYPE_CHECKING:
    from pyramidion.language.graphs.meaning import MeaningGraph

Texts = Annotated[list[str], typer.Argument(help="Texts, or text files; - is standard input.")]
ByOption = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="NAME",
        help="The source of the graphs: depgraph, conllu:FILE, penman:FILE, amrlib or amrlib:MODEL_DIR.",
    ),
]
AsPenman = Annotated[bool, typer.Option("--penman", help="Print PENMAN notation, which --by penman:FILE can read.")]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(graphs)


def graphs(
    texts: Texts,
    by: ByOption = "depgraph",
    analyser: AnalyserOption = "en-minilm",
    as_penman: AsPenman = False,
    as_json: _shared.AsJson = False,
) -> None:
    """Print the meaning graph of every sentence.

    A graph is a list of triples (concept, relation, concept), each with the words that it comes from. The default,
    depgraph, derives graphs from our own dependency parse. They resemble AMR but are not AMR.

    \b
    Example:
      pyramidion graphs "The boy wants to go."
      pyramidion graphs summary.txt --by penman:summary.amr
    """
    from pyramidion.language.graphs import listing, sources

    if as_penman and as_json:
        raise typer.BadParameter("--penman and --json exclude each other; choose one")
    rows: list[tuple[MeaningGraph, str, str]] = []
    for argument in texts:
        name, text = _read(argument)
        with _shared.naming(name):
            rows += ((graph, text, name) for graph in sources.graphs(text, by, analyser))
    if as_json:
        _shared.print_json([listing.graph_record(*row) for row in rows])
    elif as_penman:
        from pyramidion.language.graphs.penman.writing import dumps

        typer.echo("\n".join(dumps(graph, text) for graph, text, _ in rows), nl=False)
    else:
        typer.echo("\n".join(listing.graph_lines(graph, text) for graph, text, _ in rows), nl=False)


def _read(argument: str) -> tuple[str, str]:
    """Return the name and the text of an argument: a file's, or the argument itself if it has several words."""
    if argument == "-" or _is_there(argument):
        return argument, _shared.text(Path(argument))
    if len(argument.split()) > 1:
        return "", argument
    raise PyramidionError(f"{argument!r} is neither a file nor a text of several words", do="check the path")


def _is_there(argument: str) -> bool:
    try:
        return Path(argument).exists()
    except (OSError, ValueError):  # too long for a file name
        return False
