"""A meaning graph written in PENMAN notation, to be read, corrected and given back with ``penman:FILE``."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable

import penman
from penman.exceptions import LayoutError
from penman.models.amr import model as amr
from penman.surface import Alignment

from pyramidion.errors import ModelError
from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph
from pyramidion.model import Span

_NAME = re.compile(r"[^\s\"()/:~#][^\s\"()/:~]*")


def dumps(graph: MeaningGraph, text: str) -> str:
    """Return a graph in PENMAN notation, with its sentence, tokens and the words of its concepts and constants.

    A graph that falls apart into pieces, or has none, has no such notation and is an error.

    >>> from pyramidion.language.graphs.meaning import Triple
    >>> triples = (Triple("instance", "b", "bark-01", (Span(5, 9),)), Triple("polarity", "b", "-"))
    >>> print(dumps(MeaningGraph(triples, Span(0, 10), "me"), "Dogs bark."), end="")
    # ::snt Dogs bark.
    # ::tok Dogs bark .
    # ::parser me
    (b / bark-01~e.1
       :polarity -)
    """
    tokens = _tokens(graph, text)
    nodes = {triple.source: triple.spans for triple in graph.triples if triple.relation == INSTANCE}
    triples, alignments = [], {}
    for triple in graph.triples:
        if not all(map(_NAME.fullmatch, (triple.relation, triple.source))):
            raise ModelError(f"{triple} cannot be written in PENMAN", do="use names without spaces and marks")
        edge = triple.relation != INSTANCE and triple.target in nodes
        written = (triple.source, f":{triple.relation}", triple.target if edge else _constant(triple.target))
        triples.append(written)
        # An attribute has the places of its node, too; what is left are those of its value.
        shared = () if triple.relation == INSTANCE else nodes[triple.source]
        numbers = () if edge else _numbers(tokens, set(triple.spans).difference(shared))
        if numbers:
            alignments[written] = [Alignment(numbers, prefix="e.")]
    try:
        lines = penman.encode(penman.Graph(triples, next(iter(nodes)), alignments), model=amr)
    except (LayoutError, RecursionError, StopIteration):
        raise ModelError(
            f"The graph of {' '.join(graph.sentence.of(text).split())[:40]!r} cannot be written in PENMAN, "
            "which holds only connected graphs",
            do="print its triples",
        ) from None
    comments = {
        "id": graph.id,
        "snt": graph.sentence.of(text),
        "tok": " ".join(token.of(text) for token in tokens),
        "parser": graph.parser,
    }
    head = (f"# ::{tag} {' '.join(value.split())}\n" for tag, value in comments.items() if value)
    return f"{''.join(head)}{lines}\n"


def _tokens(graph: MeaningGraph, text: str) -> list[Span]:
    """Return the sentence cut at white space and wherever a place starts or ends."""
    cuts = {offset for triple in graph.triples for span in triple.spans for offset in (span.start, span.end)}
    tokens: list[Span] = []
    for word in re.finditer(r"\S+", graph.sentence.of(text)):
        start, end = (graph.sentence.start + offset for offset in word.span())
        offsets = [start, *sorted(cut for cut in cuts if start < cut < end), end]
        tokens += map(Span, offsets, offsets[1:])
    return tokens


def _numbers(tokens: list[Span], spans: Iterable[Span]) -> tuple[int, ...]:
    """Return the numbers of the tokens at these places."""
    starts = [token.start for token in tokens]
    ranges = (range(bisect_left(starts, span.start), bisect_left(starts, span.end)) for span in spans)
    return tuple(sorted({number for numbers in ranges for number in numbers}))


def _constant(value: str) -> str:
    if _NAME.fullmatch(value):
        return value
    escaped = " ".join(value.split()).replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'
