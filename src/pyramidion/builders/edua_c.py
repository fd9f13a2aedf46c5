r"""EDUA-C: the pyramid of the highest attraction, proved (Gao et al. 2019, sections 4.3 and 4.4, Figure 5).

*Problem.* Over all pyramids P that keep the constraints of :mod:`~pyramidion.builders.edua`, maximise

.. math:: AP(P) = \sum_{x : C_x \ne \emptyset} \frac{1}{|C_x|} \sum_{c \in C_x} AS(c),

where C_x are the SCUs of weight x, AS is the mean cosine of an SCU's pairs, and AS = 1 for weight 1.

*At most one SCU of each weight above 1 is needed.* Let P be optimal and C_x, x >= 2, have two SCUs or more. Keep one of
the highest AS and let the others' segments become SCUs of weight 1. AC(C_x) does not fall, since a maximum is at least
the mean. C_1 is not empty afterwards, so AC(C_1) = 1, the most it can be. The other classes stay as they are. So AP
does not fall, and repeating it leaves one SCU in each class. (So the objective is degenerate, and EDUA-C has 1/1/1 SCUs
of weights 5/4/3 in the paper's Table 2.)

*Search.* Branch and bound over the weights from the largest clique's down to 2: take one of the cliques of that weight
that still fit, by falling attraction, or none. A bound for a partial choice is its attraction, plus for each weight to
come the highest attraction of a clique that fits by itself, plus 1 for C_1; a branch whose bound is not above the best
pyramid so far is cut, so what is left at the end is optimal. Where that takes long, the linear relaxation's prices
(:mod:`~pyramidion.builders.packing`) tell which cliques no better pyramid can have, and the search goes on without
them. Only when the SCUs use up every segment is C_1 empty and worth 0; the leaves check that.

*Ties* go to the pyramid found first: heavier SCUs before none, higher attraction first, then the earlier segments.

*Deviations*: none from the paper. (The published code walks greedily over maximal cliques and their (k-1)-subsets and
scores (k-1) AS.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyramidion.builders.assemble import assemble_pyramid
from pyramidion.builders.cliques import LIMIT, Candidates, Cliques, candidates
from pyramidion.builders.edua import Clique, Pool, Solution, complete
from pyramidion.builders.graph import PERCENTILE, SegmentGraph
from pyramidion.builders.packing import Packing
from pyramidion.model import Pyramid, Topic
from pyramidion.notes import note

EFFORT = 100_000_000
"""The number of cliques that are examined before the search gives up on a proof."""

_FIRST = 2_000_000
"""The number of cliques that are examined before prices are computed."""

_BRANCH = 1000
"""The cost of a branch itself, in cliques examined."""

_EPSILON = 1e-12


def edua_c(
    topic: Topic,
    *,
    percentile: float = PERCENTILE,
    t_edge: float = -1.0,
    embedder: str = "wtmf",
    analyser: str = "en-minilm",
    limit: int = LIMIT,
) -> Pyramid:
    """Return the topic's pyramid of the highest AP."""
    return assemble_pyramid(
        topic,
        solve_c,
        percentile=percentile,
        t_edge=t_edge,
        embedder=embedder,
        analyser=analyser,
        limit=limit,
    )


def solve_c(graph: SegmentGraph, offered: Candidates | None = None, effort: int = EFFORT) -> Solution:
    """Return the optimum; its objective and bound are AP without class 1's constant: what the references share."""
    offered = candidates(graph) if offered is None else offered
    search = _Search(graph)
    bound = search.run(offered.by_size, min(effort, _FIRST))
    # Prices are computed only if a first attempt does not finish. Where some cliques are not listed they bound nothing.
    if not search.finished and offered.complete:
        worthwhile, bound = _worthwhile(graph, offered, search.value - 1)
        search.run(worthwhile, effort)
    if search.finished:
        bound = search.shared
    elif offered.complete:
        note(f"EDUA-C gave up after looking at {effort:,} cliques: its pyramid may be below the best one")
    return complete(graph, search.best, search.shared, bound if offered.complete else float("inf"))


def _worthwhile(graph: SegmentGraph, offered: Candidates, value: float) -> tuple[list[Cliques], float]:
    """Return the cliques that a pyramid which shares more than ``value`` may have, and the bound that shows it.

    The problem is written as a packing in which every weight has one extra segment, which its cliques all use: so at
    most one clique of each weight is chosen.
    """
    weights = range(graph.size, graph.size + len(offered.by_size))
    packing = Packing(
        (*graph.segmentations, *(((extra,),) for extra in weights)),
        (
            (np.column_stack((cliques.members, np.full(len(cliques), extra))), cliques.attraction)
            for extra, cliques in zip(weights, offered.by_size, strict=True)
        ),
    )
    _, prices = packing.solve_relaxation()
    bound = packing.upper_bound(prices)
    kept = packing.losses(prices) <= bound - value + _EPSILON
    parts = np.split(kept, np.cumsum([len(cliques) for cliques in offered.by_size])[:-1])
    return [
        Cliques(group.members[part], group.attraction[part]) for group, part in zip(offered.by_size, parts, strict=True)
    ], bound


class _Search:
    """The best pyramid so far: ``shared`` is AP without class 1, ``value`` is AP."""

    def __init__(self, graph: SegmentGraph) -> None:
        self.graph = graph
        self.by_size: Sequence[Cliques] = ()
        self.effort = 0
        self.finished = False
        self.best: tuple[Clique, ...] = ()
        self.shared = 0.0
        self.value = -1.0

    def run(self, by_size: Sequence[Cliques], effort: int) -> float:
        """Look for a pyramid better than the best so far; return a bound. ``finished`` says that all were examined."""
        self.by_size, self.effort = by_size, effort
        firsts = [0] * len(by_size)
        self.descend((), 0.0, Pool(self.graph), firsts)
        self.finished = self.effort >= 0
        return self.highest(firsts)

    def highest(self, firsts: Sequence[int]) -> float:
        """Return the sum of the highest attractions, from the first clique of each weight on."""
        weights = zip(self.by_size, firsts, strict=False)  # of the lighter weights, where fewer firsts are given
        return sum(float(cliques.attraction[first]) for cliques, first in weights if first < len(cliques))

    def first(self, place: int, start: int, pool: Pool) -> int:
        """Return the first clique of a weight, from ``start`` on, that fits; the end, if none does."""
        # Blocks grow: mostly one of the next few cliques fits, but where none does, all have to be looked at.
        members, block = self.by_size[place].members, 64
        while start < len(members):
            fits = np.flatnonzero(pool.free[members[start : start + block]].all(axis=1))
            self.effort -= min(block, len(members) - start)
            if len(fits):
                return start + int(fits[0])
            start, block = start + block, min(4 * block, 1 << 16)
        return len(members)

    def descend(self, chosen: tuple[Clique, ...], shared: float, pool: Pool, firsts: list[int]) -> None:
        """Decide about the heaviest weight, then the rest; ``firsts`` are the first cliques that fit, by weight."""
        if not firsts:
            value = shared + bool(pool.free.any())
            if value > self.value + _EPSILON:
                self.best, self.shared, self.value = chosen, shared, value
            return
        *lighter, index = firsts
        cliques = self.by_size[len(lighter)]
        hoped = shared + self.highest(lighter) + 1  # 1 is the attraction of class 1, if any segment is left for it
        while index < len(cliques):
            clique, gain = tuple(cliques.members[index].tolist()), float(cliques.attraction[index])
            if hoped + gain <= self.value + _EPSILON or self.effort < 0:
                return
            taken = pool.copy()
            taken.commit(clique)
            self.effort -= _BRANCH
            left = [self.first(place, start, taken) for place, start in enumerate(lighter)]
            if shared + gain + self.highest(left) + 1 > self.value + _EPSILON:
                self.descend((*chosen, clique), shared + gain, taken, left)
            index = self.first(len(lighter), index + 1, pool)
        if hoped > self.value + _EPSILON:
            self.descend(chosen, shared, pool, lighter)
