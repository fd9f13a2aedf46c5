r"""Meaning graphs: a sentence as triples (Steinberger et al. 2017 §3).

.. math:: T = \{ (r, n_1, n_2) \mid r \text{ a relation}, n_1 \text{ a variable}, n_2 \text{ a variable or a concept} \}

and a graph A is a subset of T. *The boy wants to go* has

    instance(a, want-01), instance(b, boy), instance(c, go-01), ARG0(a, b), ARG1(a, c), ARG0(c, b).

Every triple knows the words that it was read from, so that matches can be shown, and the triples of a part of a
sentence be told from the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pyramidion.errors import ModelError
from pyramidion.model import Span

INSTANCE = "instance"
"""The relation of a variable and its concept."""


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation of a variable with another variable, or with a concept or constant.

    ``spans`` are the places of its constituents in the text; none if nobody knows.
    """

    relation: str
    source: str
    target: str
    spans: tuple[Span, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.relation}({self.source}, {self.target})"


@dataclass(frozen=True, slots=True)
class MeaningGraph:
    """The triples of one sentence, each once: first every variable's instance, then attributes and relations.

    ``sentence`` is where the sentence stands in its text, ``parser`` who read the graph from it (``depgraph`` for our
    own, which is no AMR).
    """

    triples: tuple[Triple, ...]
    sentence: Span
    parser: str = ""
    id: str = ""

    def __post_init__(self) -> None:
        unique = dict.fromkeys(self.triples)
        instances = tuple(triple for triple in unique if triple.relation == INSTANCE)
        object.__setattr__(self, "triples", (*instances, *(triple for triple in unique if triple.relation != INSTANCE)))
        variables = {triple.source for triple in instances}
        if len(variables) < len(instances):
            raise ModelError(f"A variable of the graph {self.id!r} has two concepts", do="give it one")
        for triple in self.triples:
            if triple.source not in variables:
                raise ModelError(f"{triple} refers to {triple.source!r}, which has no concept", do="add its instance")

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, in the order of their instances."""
        return tuple(triple.source for triple in self.triples if triple.relation == INSTANCE)

    @property
    def concepts(self) -> dict[str, str]:
        """The concept of every variable."""
        return {triple.source: triple.target for triple in self.triples if triple.relation == INSTANCE}

    def inside(self, spans: Iterable[Span]) -> tuple[Triple, ...]:
        """Return the triples whose constituents are all contained in these places: A_d of a mention d (§4).

        A triple without a place is in none of them.
        """
        places = tuple(spans)
        return tuple(
            triple
            for triple in self.triples
            if triple.spans
            and all(
                any(place.start <= span.start and span.end <= place.end for place in places) for span in triple.spans
            )
        )
