"""``graphs``: the meaning graphs of texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.cli.language import By as AnalyserOption
from pyramidion.errors import PyramidionError

if TYPE_CHECKING:
    from pyramidion.language.graphs.meaning import MeaningGraph, Triple

Texts = Annotated[list[str], typer.Argument(help="Texts, or files that hold them; - is standard input.")]
ByOption = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="NAME",
        help="Who makes the graphs: depgraph, conllu:FILE, penman:FILE, amrlib or amrlib:MODEL_DIR.",
    ),
]
AsPenman = Annotated[bool, typer.Option("--penman", help="Print PENMAN notation, which --by penman:FILE reads.")]


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
    """Print the meaning graph of every sentence: its triples, and the words that each comes from.

    The default, depgraph, is made of our own dependency parse: it looks like AMR and is none.

    \b
    Example:
      pyramidion graphs "The boy wants to go."
      pyramidion graphs summary.txt --by penman:summary.amr
    """
    from pyramidion.language.graphs import sources as who

    if as_penman and as_json:
        raise typer.BadParameter("choose one of --penman and --json")
    found: list[tuple[str, str, MeaningGraph]] = []
    for given in texts:
        name, text = _read(given)
        with _shared.naming(name):
            found += ((name, text, graph) for graph in who.graphs(text, by, analyser))
    if as_json:
        _shared.print_json([_record(name, text, graph) for name, text, graph in found])
    elif as_penman:
        from pyramidion.language.graphs.penman_writing import dumps

        typer.echo("\n".join(dumps(graph, text) for _, text, graph in found), nl=False)
    else:
        typer.echo("\n".join(_listed(text, graph) for _, text, graph in found), nl=False)


def _read(given: str) -> tuple[str, str]:
    """The name and text of an argument: a file's if there is one, else the argument itself if it has several words."""
    if given == "-" or _is_there(given):
        return given, _shared.text(Path(given))
    if len(given.split()) > 1:
        return "", given
    raise PyramidionError(f"{given!r} is neither a file nor a text of several words", do="check the path")


def _is_there(given: str) -> bool:
    try:
        return Path(given).exists()
    except (OSError, ValueError):  # no file has so long a name
        return False


def _listed(text: str, graph: MeaningGraph) -> str:
    """A graph for people."""
    triples = [(str(triple), " ".join(_words(text, triple))) for triple in graph.triples]
    width = max((len(shown) for shown, _ in triples), default=0)
    maker = "depgraph (from a dependency parse; not AMR)" if graph.parser == "depgraph" else graph.parser
    head = f"{' '.join(graph.sentence.of(text).split())}\n  by {maker}{f', {graph.id}' if graph.id else ''}\n"
    return head + "".join(f"  {shown:{width}}  {words}".rstrip() + "\n" for shown, words in triples)


def _words(text: str, triple: Triple) -> list[str]:
    return [" ".join(span.of(text).split()) for span in triple.spans]


def _record(name: str, text: str, graph: MeaningGraph) -> dict[str, object]:
    """A graph for programs; ``file`` is empty for a text that was given itself."""
    return {
        "file": name,
        "parser": graph.parser,
        "id": graph.id,
        "sentence": {"start": graph.sentence.start, "end": graph.sentence.end, "text": graph.sentence.of(text)},
        "triples": [
            {
                "relation": triple.relation,
                "source": triple.source,
                "target": triple.target,
                "spans": [[span.start, span.end] for span in triple.spans],
                "words": _words(text, triple),
            }
            for triple in graph.triples
        ],
    }
