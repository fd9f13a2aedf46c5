"""Who makes meaning graphs of a text: our own dependency parse, files, an AMR parser, or any callable.

====================  ====  ===========================================================================
``depgraph``          .5    our own, from the dependency parse of any analyser, the default; it is no AMR
``conllu:FILE``       .5    the same, from what another parser made of the texts
``penman:FILE``       .75   graphs made elsewhere, found by their sentences
``amrlib[:MODEL]``    .75   AMR by amrlib, with the model in a folder (extra ``amr``)
====================  ====  ===========================================================================

The number is tau, the share of an SCU's triples that more than must be in a sentence if it says the SCU
(:mod:`pyramidion.matchers.ape`). It belongs to the graphs: where they differ more between two wordings of one thing,
less can be asked for. AMR's is that of Steinberger et al. 2017, who tuned it to JAMR's graphs; ours was chosen on
REALSumm (``python train/ape.py``). A callable is taken for AMR, unless it has an attribute ``tau``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from pyramidion.errors import PyramidionError
from pyramidion.language.graphs.meaning import MeaningGraph
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.analysis import LanguageError

GraphParser = Callable[[Sequence[str]], Sequence[str]]
"""A function from sentences to their graphs in PENMAN notation, one for each."""

AMR_TAU, DEPGRAPH_TAU = 0.75, 0.5

GRAPHS = ("depgraph", "conllu:FILE", "penman:FILE", "amrlib", "amrlib:MODEL_DIR")


def graphs(text: str, by: str | GraphParser = "depgraph", analyser: str = "en-minilm") -> tuple[MeaningGraph, ...]:
    """Return the meaning graph of every sentence of a text, in order, with places in the text; remembered.

    ``by`` names who makes them, or is a callable that does. ``analyser`` parses the text for ``depgraph`` and splits it
    into sentences for a parser; a file brings its own parses and sentences.

    >>> (graph,) = graphs("The dog barks.", lambda sentences: ["(b / bark-01~2 :ARG0 (d / dog~1))"])
    >>> str(graph.triples[2]), [span.of("The dog barks.") for span in graph.triples[2].spans]
    ('ARG0(b, d)', ['dog', 'barks'])
    """
    return _graphs(text, by, analyser)


@lru_cache(maxsize=4096)
def _graphs(text: str, by: str | GraphParser, analyser: str) -> tuple[MeaningGraph, ...]:
    """Make the graphs of a text by the named source or the callable."""
    if not isinstance(by, str):
        return _parse_sentences(text, by, getattr(by, "__name__", type(by).__name__), analyser)
    kind, _, rest = by.partition(":")
    if by == "depgraph" or (kind == "conllu" and rest):
        from pyramidion.language.graphs.depgraph import depgraphs

        return depgraphs(analysed(text, analyser if by == "depgraph" else by))
    if kind == "penman" and rest:
        return _penman_file(rest)(text)
    if by == "amrlib" or (kind == "amrlib" and rest):
        return _parse_sentences(text, _amrlib(rest), "amrlib", analyser)
    raise PyramidionError(f"The source of graphs {by!r} is unknown", do=f"choose one of: {', '.join(GRAPHS)}")


def tau_of(by: str | GraphParser) -> float:
    """Return the share of an SCU's triples in graphs of this source that a sentence must have more than.

    >>> tau_of("depgraph"), tau_of("penman:my.amr")
    (0.5, 0.75)
    """
    if isinstance(by, str):
        return DEPGRAPH_TAU if by.partition(":")[0] in ("depgraph", "conllu") else AMR_TAU
    return float(getattr(by, "tau", AMR_TAU))


def models_of(by: str) -> tuple[str, ...]:
    """Return the files and folders that graphs come from; ``depgraph`` has its analyser's models."""
    kind, _, rest = by.partition(":")
    if by == "amrlib":
        from pyramidion.language.graphs.amrlib import default_folder

        return (str(default_folder()),)
    return (rest,) if kind in ("conllu", "penman", "amrlib") and rest else ()


@cache
def _penman_file(path: str) -> Callable[[str], tuple[MeaningGraph, ...]]:
    from pyramidion.language.graphs.penman.file import load

    return load(path)


@cache
def _amrlib(folder: str) -> GraphParser:
    from pyramidion.language.graphs.amrlib import load

    return load(folder)


def _parse_sentences(text: str, parser: GraphParser, name: str, analyser: str) -> tuple[MeaningGraph, ...]:
    """Return the graphs that a parser of sentences makes of a text."""
    from pyramidion.language.graphs.penman.text import WrittenGraph, loads, warn_of_unaligned

    spans = tuple(analysed(text, analyser).sentence_spans())
    sentences = [" ".join(span.of(text).split()) for span in spans]
    answers = list(parser(sentences)) if sentences else []
    if len(answers) != len(sentences) or not all(isinstance(answer, str) for answer in answers):
        raise LanguageError(
            f"{name} was given {len(sentences)} sentences and did not return as many graphs in PENMAN notation",
            do="return one string for each sentence",
        )
    written: list[WrittenGraph] = []
    for sentence, answer in zip(sentences, answers, strict=True):
        graph = loads(answer, f"{name}'s graph of {sentence[:40]!r}")
        if len(graph) != 1:
            raise LanguageError(
                f"{name} returned {len(graph)} graphs of the sentence {sentence[:40]!r}", do="return one"
            )
        written += graph
    warn_of_unaligned(written, name)
    return tuple(graph.placed(text, span, name) for graph, span in zip(written, spans, strict=True))
