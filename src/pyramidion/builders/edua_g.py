r"""EDUA-G: the greedy pyramid with Zipfian classes (Gao et al. 2019, appendix A, algorithms 1 to 4).

*Capacities* (equation 1): class C_r, the SCUs of weight r, holds at most

.. math:: y_r = \max(1, \lfloor \alpha r^{-\beta} \rfloor), \qquad \alpha = segments + 10, \quad \beta = 2.5.

The text says alpha = 10, but appendix B searches from segments + 10 on, and its table says that the number added does
not matter; so ``alpha`` is what is added. Where a clique exists one SCU fits, which the published code denies to five
references of fewer than 102 segments.

*Allocation*: from the largest weight down to 2, the candidates of weight r are taken by falling attraction while they
fit (their segments unused, their segmentations the ones in use) until C_r is full.

*Backtracking*: equation 2 asks for |C_{r+1}| <= |C_r|. Where C_r is smaller, the SCU of least attraction in C_{r+1} is
freed, broken up into its subsets of r segments, and the best of them is committed to C_r. (They are all free, and two
of them overlap, so it is always exactly one.) C_{r+1} may then be smaller than C_{r+2}, and so on up: the lowest class
that is too small is mended first, until none is.

*It terminates*: each step turns one SCU of weight r + 1 into one of weight r >= 2, so the sum of all weights falls by
one, and it cannot fall for ever. *Capacities hold* throughout, as C_r grows only while |C_r| < |C_{r+1}| <= y_{r+1} <=
y_r.

*Residuals* become SCUs of weight 1 (:func:`~pyramidion.builders.edua.complete`).

*Deviations*: algorithm 2 breaks up SCUs only when "P fails to meet any of the constraints" without saying which can
fail; capacities and conflicts are kept by the allocation itself, so it can only be equation 2. ``backtrack=False``
leaves the classes as the allocation filled them: few short references have too few ideas for equation 2, which then
breaks up the SCU that all of them share.
"""

from __future__ import annotations

from itertools import combinations
from math import floor

from pyramidion.builders.assemble import assemble_pyramid
from pyramidion.builders.cliques import LIMIT, Candidates, candidates
from pyramidion.builders.edua import Clique, Pool, Solution, attraction, complete, pyramid_attraction
from pyramidion.builders.graph import PERCENTILE, SegmentGraph
from pyramidion.errors import PyramidionError
from pyramidion.model import Pyramid, Topic

ALPHA = 10.0
"""The number that is added to the number of segments."""

BETA = 2.5


def edua_g(
    topic: Topic,
    *,
    percentile: float = PERCENTILE,
    t_edge: float = -1.0,
    alpha: float = ALPHA,
    beta: float = BETA,
    backtrack: bool = True,
    embedder: str = "wtmf",
    analyser: str = "en-minilm",
    limit: int = LIMIT,
) -> Pyramid:
    """Return the topic's greedy pyramid."""
    return assemble_pyramid(
        topic,
        lambda graph, found: solve_g(graph, found, alpha, beta, backtrack),
        percentile=percentile,
        t_edge=t_edge,
        embedder=embedder,
        analyser=analyser,
        limit=limit,
    )


def capacities(segments: int, weights: int, alpha: float = ALPHA, beta: float = BETA) -> dict[int, int]:
    """Return the capacity y_r of each weight r from 2 up.

    >>> capacities(100, 5)
    {2: 19, 3: 7, 4: 3, 5: 1}
    """
    if not (segments + alpha > 0 and beta >= 0 and segments + alpha < float("inf")):
        raise PyramidionError(
            f"Alpha {alpha:g} and beta {beta:g} give no capacities",
            do="give an alpha with segments + alpha above 0, and a beta of at least 0; the paper uses 10 and 2.5",
        )
    return {weight: max(1, floor((segments + alpha) * weight**-beta)) for weight in range(2, weights + 1)}


def solve_g(
    graph: SegmentGraph,
    offered: Candidates | None = None,
    alpha: float = ALPHA,
    beta: float = BETA,
    backtrack: bool = True,
) -> Solution:
    """Return the greedy solution; its objective is AP without class 1, for which it gives no guarantee."""
    offered = candidates(graph) if offered is None else offered
    limits = capacities(graph.segments, offered.largest, alpha, beta)
    classes: dict[int, list[Clique]] = {}
    for weight in range(offered.largest, 1, -1):
        # A new pool for each class: backtracking may have given back segments of the classes above.
        pool = Pool(graph, (scu for members in classes.values() for scu in members))
        classes[weight] = _fill_class(offered, weight, limits[weight], pool)
        if backtrack:
            _backtrack(graph, classes)
    scus = [scu for weight in classes for scu in classes[weight]]
    return complete(graph, scus, pyramid_attraction(graph, scus), float("inf"))


def _fill_class(offered: Candidates, weight: int, capacity: int, pool: Pool) -> list[Clique]:
    """Return the SCUs of a class, taken by falling attraction as long as they fit (algorithm 1, lines 4 to 10)."""
    taken: list[Clique] = []
    left = offered.of_size(weight).members
    while len(taken) < capacity:
        left = left[pool.free[left].all(axis=1)]
        if not len(left):
            break
        taken.append(tuple(left[0].tolist()))
        pool.commit(taken[-1])
    return taken


def _backtrack(graph: SegmentGraph, classes: dict[int, list[Clique]]) -> None:
    """Algorithm 2, until every class is at least as large as the one above it."""
    while (weight := _too_small_class(classes)) is not None:
        above = classes[weight + 1]
        freed = min(above, key=lambda scu: (attraction(graph, scu), scu))
        above.remove(freed)
        classes[weight].append(min(combinations(freed, weight), key=lambda scu: (-attraction(graph, scu), scu)))


def _too_small_class(classes: dict[int, list[Clique]]) -> int | None:
    """Return the lowest weight whose class is smaller than the class above (equation 2), if there is one."""
    return next((w for w in sorted(classes) if len(classes[w]) < len(classes.get(w + 1, ()))), None)
