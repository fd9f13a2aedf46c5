"""The best dependency tree: a maximum spanning arborescence with one root (Chu and Liu 1965, Edmonds 1967).

``scores[d, h]`` is what the arc from head h to word d + 1 is worth; h = 0 is the root, words count from 1. Most often
the best head of each word already makes a tree, and nothing more is to do. Otherwise cycles are contracted, as Edmonds
did. That just one word hangs from the root is had by making the root's arcs so dear that a second one never pays
(Stanojević and Cohen 2021).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def best_tree(scores: NDArray[np.floating]) -> list[int]:
    """Return the head of each word, 0 for the root's one dependent.

    >>> best_tree(np.array([[9.0, 0.0, 5.0], [1.0, 8.0, 0.0]]))
    [0, 1]
    >>> best_tree(np.array([[1.0, 0.0, 5.0], [0.0, 5.0, 0.0]]))    # 1 and 2 want each other
    [0, 1]
    """
    count = len(scores)
    weights = np.full((count + 1, count + 1), -np.inf)
    weights[1:] = np.nan_to_num(scores, nan=-1e9, posinf=1e9, neginf=-1e9)
    np.fill_diagonal(weights, -np.inf)
    heads = weights.argmax(axis=1)
    if (heads[1:] == 0).sum() == 1 and not _cycle(heads):
        return [int(head) for head in heads[1:]]
    finite = weights[np.isfinite(weights)]
    # Dearer than any whole tree can gain, so that the best tree has just one arc from the root.
    weights[1:, 0] -= (finite.max() - finite.min() + 1) * (count + 1)
    return [int(head) for head in _edmonds(weights)[1:]]


def _cycle(heads: NDArray[np.intp]) -> list[int]:
    """Return the nodes of a cycle, where node 0 is the root and has no head; nothing where there is none."""
    seen = [0] * len(heads)
    for start in range(1, len(heads)):
        path = []
        node = start
        while node and not seen[node]:
            seen[node] = start
            path.append(node)
            node = int(heads[node])
        if node and seen[node] == start:
            return path[path.index(node) :]
    return []


def _edmonds(weights: Scores) -> NDArray[np.intp]:
    """Return the maximum arborescence's heads: contract each cycle, solve the smaller graph, open the cycles again.

    An arc into the cycle is worth what it gains over the cycle's own arc into the same word, so the smaller graph's
    best tree says where the cycle is best broken.
    """
    opened = []
    while cycle := _cycle(heads := weights.argmax(axis=1)):
        rest = np.array([node for node in range(len(weights)) if node not in set(cycle)])
        inside = np.array(cycle)
        into = weights[np.ix_(inside, rest)] - weights[inside, heads[inside]][:, None]
        out = weights[np.ix_(rest, inside)]
        smaller = np.full((len(rest) + 1, len(rest) + 1), -np.inf)
        smaller[:-1, :-1] = weights[np.ix_(rest, rest)]
        smaller[-1, :-1] = into.max(axis=0)
        smaller[:-1, -1] = out.max(axis=1)
        opened.append((rest, inside, heads[inside], into.argmax(axis=0), out.argmax(axis=1)))
        weights = smaller
    for rest, inside, cycle_heads, entry, source in reversed(opened):
        wider = np.zeros(len(rest) + len(inside), dtype=np.intp)
        from_cycle = heads[:-1] == len(rest)
        wider[rest] = np.where(from_cycle, inside[source], rest[np.minimum(heads[:-1], len(rest) - 1)])
        wider[inside] = cycle_heads
        outside = heads[-1]
        wider[inside[entry[outside]]] = rest[outside]
        heads = wider
    tree: NDArray[np.intp] = heads
    return tree
