"""Meaning graphs for people, as lines of text, and for programs, as records."""

from __future__ import annotations

from typing import Any

from pyramidion.language.graphs.meaning import MeaningGraph, Triple


def graph_lines(graph: MeaningGraph, text: str) -> str:
    """Return a graph for people: the sentence, the graph's maker, and each triple with the words behind it."""
    triples = [(str(triple), " ".join(_words(text, triple))) for triple in graph.triples]
    width = max((len(shown) for shown, _ in triples), default=0)
    maker = "depgraph (from a dependency parse; not AMR)" if graph.parser == "depgraph" else graph.parser
    head = f"{' '.join(graph.sentence.of(text).split())}\n  by {maker}{f', {graph.id}' if graph.id else ''}\n"
    return head + "".join(f"  {shown:{width}}  {words}".rstrip() + "\n" for shown, words in triples)


def graph_record(graph: MeaningGraph, text: str, file: str = "") -> dict[str, Any]:
    """Return a graph for programs; ``file`` is the file of its text, if it has one."""
    return {
        "file": file,
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


def _words(text: str, triple: Triple) -> list[str]:
    return [" ".join(span.of(text).split()) for span in triple.spans]
