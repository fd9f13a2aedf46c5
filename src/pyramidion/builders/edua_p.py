r"""EDUA-P ("packing", ours): the pyramid with the most similarity above a threshold, exactly.

*Problem.* AP, a sum of means, never gains by a second SCU of the same weight (:mod:`~pyramidion.builders.edua_c`). So
we maximise, over the same candidates and under the same constraints, a sum that every well-supported SCU adds to:

.. math:: \max \sum_c g_c x_c, \qquad g_c = \sum_{\{a, b\} \subseteq c} (\cos(a, b) - \theta),

where theta is t_edge if not set apart. As a mixed-integer program, with x_c for each clique c and z_k for each
segmentation k of a sentence j:

.. math:: \sum_{c \ni s} x_c \le \sum_{k \ni s} z_k \quad \forall s, \qquad \sum_{k \in j} z_k \le 1 \quad \forall j,
          \qquad x_c, z_k \in \{0, 1\}.

It is solved exactly, with a bound (:mod:`~pyramidion.builders.packing`), also where there are too many cliques to list:
then those that are needed are looked for (:mod:`~pyramidion.builders.pricing`).

The packing is never worse than EDUA-G's or than the greedy one (cliques by falling gain, each that fits): the search
starts from the better of them. Pairs that earn exactly nothing stay apart, unless theta is 1, where nothing can earn
more: then segments of one vector are put together at the end, where they fit. With ``time_limit`` seconds gone, or
where the cliques that matter are too many to look at, the best packing known is returned, with a warning that says how
far it may be from the optimum; only in the first case does the clock decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyramidion.builders.assemble import assemble_pyramid
from pyramidion.builders.cliques import LIMIT, Candidates, quiet_candidates
from pyramidion.builders.edua import Clique, Pool, Solution, complete
from pyramidion.builders.edua_g import solve_g
from pyramidion.builders.graph import PERCENTILE, Floats, Integers, SegmentGraph
from pyramidion.builders.packing import Packed, Packing
from pyramidion.builders.pricing import Pricing
from pyramidion.errors import PyramidionError
from pyramidion.model import Pyramid, Topic
from pyramidion.notes import note

TIME_LIMIT = 60.0
"""Seconds: references of any ordinary number and length need a few, twenty long ones a dozen."""


def edua_p(
    topic: Topic,
    *,
    percentile: float = PERCENTILE,
    t_edge: float = -1.0,
    pair_threshold: float = -1.0,
    embedder: str = "minilm",
    analyser: str = "en-minilm",
    limit: int = LIMIT,
    time_limit: float = TIME_LIMIT,
) -> Pyramid:
    """Return the topic's best packing; a negative ``pair_threshold`` stands for t_edge."""
    return assemble_pyramid(
        topic,
        lambda graph, found: solve_p(graph, found, pair_threshold, time_limit),
        percentile=percentile,
        t_edge=t_edge,
        embedder=embedder,
        analyser=analyser,
        limit=limit,
        beyond=True,
    )


def gain(graph: SegmentGraph, scus: Sequence[Clique], threshold: float = -1.0) -> float:
    """Return the objective of some SCUs: the sum of cosine - threshold over the pairs in each."""
    threshold = graph.t_edge if threshold < 0 else threshold
    return float(sum(graph.cosine[a, b] - threshold for scu in scus for a in scu for b in scu if a < b))


def solve_p(
    graph: SegmentGraph,
    offered: Candidates | None = None,
    threshold: float = -1.0,
    time_limit: float = TIME_LIMIT,
) -> Solution:
    """Return the best packing, with its value and a bound that no packing of the candidates exceeds."""
    if not time_limit > 0:
        raise PyramidionError(f"The time limit is {time_limit:g} s", do="give a number of seconds above 0")
    if not threshold <= 1:
        raise PyramidionError(
            f"The pair threshold is {threshold:g}", do="give a cosine of at most 1, or a negative number to use t_edge"
        )
    offered = quiet_candidates(graph) if offered is None else offered
    threshold = graph.t_edge if threshold < 0 else threshold
    groups = []
    for cliques in offered.by_size:
        size = cliques.members.shape[1]
        worth = (cliques.attraction - threshold) * (size * (size - 1) / 2)
        groups.append((cliques.members[worth > 1e-9], worth[worth > 1e-9]))
    starts = (
        [scu for scu in solve_g(graph, offered).scus if gain(graph, [scu], threshold) > 0],
        _greedy(graph, groups),
    )
    known = max((Packed(scus, gain(graph, scus, threshold), 0.0) for scus in starts), key=lambda packed: packed.value)
    worth = np.where(graph.edges, graph.cosine - threshold, -np.inf)
    pricing = None if offered.complete else Pricing(worth, graph.reference)
    best = Packing(graph.segmentations, groups, pricing).solve(known, time_limit)
    # At a threshold of 1 equal vectors gain nothing, so the packing leaves them out; yet they say the same.
    scus = _with_equal(graph, offered, best.columns) if threshold == 1 else best.columns
    solution = complete(graph, scus, gain(graph, best.columns, threshold), best.bound)
    if not solution.proved:
        note(
            f"EDUA-P stopped with a pyramid that is at most {solution.gap:.1%} below the best; a higher time_limit or "
            "percentile, or fewer references, may prove more"
        )
    return solution


def _greedy(graph: SegmentGraph, groups: Sequence[tuple[Integers, Floats]]) -> list[Clique]:
    """Return cliques by falling gain, each that fits; of equals, the larger."""
    pool = Pool(graph)
    taken: list[Clique] = []
    left = [rows[np.argsort(-worth, kind="stable")] for rows, worth in groups]
    gains = [-np.sort(-worth, kind="stable") for _, worth in groups]
    while True:
        for size, rows in enumerate(left):
            fits = pool.free[rows].all(axis=1)
            left[size], gains[size] = rows[fits], gains[size][fits]
        best = max((size for size, rows in enumerate(left) if len(rows)), key=lambda s: (gains[s][0], s), default=None)
        if best is None:
            return taken
        taken.append(tuple(left[best][0].tolist()))
        pool.commit(taken[-1])


def _with_equal(graph: SegmentGraph, offered: Candidates, scus: list[Clique]) -> list[Clique]:
    """Return the SCUs, and the cliques of equal vectors that fit beside them, largest first."""
    pool, taken = Pool(graph, scus), list(scus)
    for cliques in reversed(offered.by_size):
        for clique in cliques.members[cliques.attraction == 1].tolist():
            if pool.free[clique].all():
                taken.append(tuple(clique))
                pool.commit(clique)
    return taken
