"""Groups of systems that no test tells apart, as letters: the compact letter display.

Two systems share a letter if and only if they do not differ significantly. Such letters are cliques of the graph of
systems that are *not* told apart which together cover all of its edges. Insert-and-absorb (Piepho 2004) finds all
maximal cliques, of which there may be exponentially many and more than the letters needed; here, for each pair in the
order of the systems (best first) that shares no letter yet, one maximal clique is grown by adding systems in that
order. That takes O(systems^4) at most and gives maximal groups; where groups are runs of the ranking, as they mostly
are, the letters are those of insert-and-absorb. A last step drops letters whose pairs all share another.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike

from pyramidion.errors import ModelError


def groups(different: ArrayLike) -> tuple[tuple[int, ...], ...]:
    """Return the groups, each the places of its systems, ordered by their first systems.

    ``different`` is a symmetric matrix of truth values over systems, best first: whether two differ significantly.

    >>> groups([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ((0, 1), (1, 2))
    >>> groups([[0, 1], [1, 0]])
    ((0,), (1,))
    """
    apart = np.asarray(different, dtype=bool)
    if apart.ndim != 2 or apart.shape[0] != apart.shape[1] or (apart != apart.T).any() or apart.diagonal().any():
        raise ModelError(
            "This is not a matrix of which systems differ", do="give a symmetric one, false on its diagonal"
        )
    systems = len(apart)
    alike = np.logical_not(apart)
    shared = np.zeros_like(alike)
    cliques: list[tuple[int, ...]] = []
    for first in range(systems):
        for second in range(first, systems):
            if shared[first, second] or not alike[first, second] or (first == second and alike[first].sum() > 1):
                continue
            clique = [first, second] if second > first else [first]
            # the systems that are alike all members of the clique
            fits = np.logical_and.reduce(alike[clique])
            for third in range(systems):
                if third not in clique and fits[third]:
                    clique.append(third)
                    fits &= alike[third]
            cliques.append(tuple(sorted(clique)))
            shared[np.ix_(clique, clique)] = True
    return tuple(sorted(_needed(cliques, systems)))


def _needed(cliques: Sequence[tuple[int, ...]], systems: int) -> list[tuple[int, ...]]:
    """Drop every group whose pairs (or whose only member) all occur in other groups."""
    times = np.zeros((systems, systems), dtype=np.int64)
    for group in cliques:
        times[np.ix_(group, group)] += 1
    kept = []
    for group in cliques:
        block = np.ix_(group, group)
        if (times[block] > 1).all():
            times[block] -= 1
        else:
            kept.append(group)
    return kept


def letters(different: ArrayLike) -> tuple[str, ...]:
    """Return the letters of each system: a for the first group, and so on; beyond Z, numbers in brackets.

    >>> letters([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ('a', 'ab', 'b')
    """
    all_groups = groups(different)
    names = [*ascii_letters, *(f"[{number}]" for number in range(len(ascii_letters) + 1, len(all_groups) + 1))]
    return tuple(
        "".join(name for name, group in zip(names, all_groups, strict=False) if system in group)
        for system in range(len(np.asarray(different)))
    )
