"""Segment graphs and their candidate SCUs, remembered: a grid of parameters searches the same graph again and again.

Alpha and beta of EDUA-G, the time limit of EDUA-P and the choice of a builder change the search, not the graph; to
enumerate the cliques takes longer than most searches. The last ones used are kept, up to :data:`MOST_BYTES` in all.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple

from pyramidion.builders.cliques import Candidates
from pyramidion.builders.graph import SegmentGraph

MOST_BYTES = 1 << 28
"""The most bytes that are remembered."""

PARAMETERS = ("analyser", "embedder", "limit", "t_edge", "percentile")
"""The parameters of a builder that the graph and its candidates depend on."""


class Prepared(NamedTuple):
    """The input of a search; it is never changed."""

    graph: SegmentGraph
    candidates: Candidates

    @property
    def bytes(self) -> int:
        """The memory that its arrays take."""
        return (
            self.graph.cosine.nbytes
            + self.graph.edges.nbytes
            + sum(cliques.members.nbytes + cliques.attraction.nbytes for cliques in self.candidates.by_size)
        )


_KEPT: OrderedDict[Hashable, Prepared] = OrderedDict()


def prepared(key: Hashable, make: Callable[[], Prepared]) -> Prepared:
    """Return the value that was made for an equal key, or make it now."""
    # Taken out and put in again, an entry is the youngest; the oldest are dropped first.
    entry = _KEPT.pop(key, None) or make()
    _KEPT[key] = entry
    while sum(value.bytes for value in _KEPT.values()) > MOST_BYTES:
        _KEPT.popitem(last=False)
    return entry
