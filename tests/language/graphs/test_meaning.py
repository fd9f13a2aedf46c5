"""The model of meaning graphs (Steinberger et al. 2017 §3-4)."""

from __future__ import annotations

import pytest

from pyramidion.errors import ModelError
from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph, Triple
from pyramidion.model import Span

TEXT = "The boy wants to go."
BOY, WANTS, GO = Span(4, 7), Span(8, 13), Span(17, 19)

FIGURE_1 = (
    Triple("ARG0", "a", "b", (BOY, WANTS)),
    Triple("ARG1", "a", "c", (WANTS, GO)),
    Triple("ARG0", "c", "b", (BOY, GO)),
    Triple(INSTANCE, "a", "want-01", (WANTS,)),
    Triple(INSTANCE, "b", "boy", (BOY,)),
    Triple(INSTANCE, "c", "go-01", (GO,)),
)


def test_the_example_of_figure_1_has_six_triples_the_instances_first() -> None:
    graph = MeaningGraph(FIGURE_1, Span(0, len(TEXT)))
    assert [str(triple) for triple in graph.triples] == [
        "instance(a, want-01)",
        "instance(b, boy)",
        "instance(c, go-01)",
        "ARG0(a, b)",
        "ARG1(a, c)",
        "ARG0(c, b)",
    ]
    assert graph.variables == ("a", "b", "c")
    assert graph.concepts == {"a": "want-01", "b": "boy", "c": "go-01"}


def test_a_triple_counts_once_wherever_it_stands() -> None:
    graph = MeaningGraph((*FIGURE_1, Triple("ARG0", "a", "b", (GO,))), Span(0, len(TEXT)))
    assert len(graph.triples) == 6
    assert graph == MeaningGraph(FIGURE_1, Span(0, len(TEXT)))
    assert hash(graph) == hash(MeaningGraph(FIGURE_1, Span(0, len(TEXT))))


def test_the_triples_of_a_mention_are_those_whose_constituents_it_contains() -> None:
    graph = MeaningGraph((*FIGURE_1, Triple("mod", "b", "young")), Span(0, len(TEXT)))
    assert [str(triple) for triple in graph.inside([Span(0, 13)])] == [
        "instance(a, want-01)",
        "instance(b, boy)",
        "ARG0(a, b)",
    ]
    assert [str(triple) for triple in graph.inside([BOY, GO])] == [
        "instance(b, boy)",
        "instance(c, go-01)",
        "ARG0(c, b)",
    ]
    assert graph.inside([Span(4, 6)]) == ()
    assert graph.inside([]) == ()


def test_graphs_may_fall_apart_run_in_circles_or_be_empty() -> None:
    pieces = (Triple(INSTANCE, "a", "x"), Triple(INSTANCE, "b", "y"), Triple("r", "b", "b"))
    assert len(MeaningGraph(pieces, Span(0, 1)).triples) == 3
    assert MeaningGraph((), Span(0, 1)).variables == ()


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        ((Triple(INSTANCE, "a", "x"), Triple(INSTANCE, "a", "y")), "has two concepts"),
        ((Triple("ARG0", "a", "b"), Triple(INSTANCE, "b", "y")), r"ARG0\(a, b\) refers to 'a', which has no concept"),
    ],
)
def test_what_is_no_graph(triples: tuple[Triple, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        MeaningGraph(triples, Span(0, 1))
