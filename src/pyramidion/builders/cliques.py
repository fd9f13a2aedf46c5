"""Candidate SCUs: the cliques of the segment graph and their attraction (Gao et al. 2019, Figure 5, items 2 and 3).

*Enumeration.* The cliques of size k + 1 are those of size k, each with one later segment that is a neighbour of all its
members: the set bits of the AND of the members' rows, where a row holds the later neighbours of a segment as bits. So
every clique comes once, level by level, and each level is counted before memory is asked for.

*Attraction.* AS of a clique is the mean cosine of its pairs; the sum grows with the clique, by one row of cosines.

*Too many.* k references that share one idea have 2^k cliques of it, and with a second wording in each (another
segmentation) 3^k: twenty references can have more cliques than a machine has bytes.
:func:`candidates` then takes all cliques of the sizes that fit and, of each larger size, the best
few around every segment (:func:`_best_extensions`): whatever idea a segment belongs to, candidates of every size stay
for it, while the many near copies of one good clique crowd nobody out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyramidion.builders.graph import Booleans, Floats, Integers, SegmentGraph
from pyramidion.errors import PyramidionError
from pyramidion.notes import note

LIMIT = 1_000_000
"""The most cliques that are enumerated."""

WIDTH = 4
"""Past the limit: so many cliques of each size around each segment."""

_CELLS = 1 << 22
"""Work on so many cells of a cliques x segments table at a time."""

_BITS = np.array([value.bit_count() for value in range(256)], np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Cliques:
    """Cliques of one size: ``members`` has a row of rising segment numbers for each, ``attraction`` its AS.

    By falling attraction; equal ones by their members.
    """

    members: Integers
    attraction: Floats

    @classmethod
    def of(cls, members: Integers, sums: Floats) -> Cliques:
        """Make cliques from rows in lexicographic order and the sums of their cosines."""
        size = members.shape[1]
        attraction = np.round(sums / (size * (size - 1) / 2), 12)
        order = np.argsort(-attraction, kind="stable")
        return cls(members[order], attraction[order])

    def __len__(self) -> int:
        return len(self.members)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The candidate SCUs by size, from 2 up without a gap."""

    by_size: tuple[Cliques, ...]
    exhaustive: int | None = None
    """The size up to which all cliques are listed; None if all of any size are."""

    @property
    def complete(self) -> bool:
        """They are all the cliques there are."""
        return self.exhaustive is None

    def __len__(self) -> int:
        return sum(map(len, self.by_size))

    @property
    def largest(self) -> int:
        """The size of the largest clique; 1 if there is no edge."""
        return len(self.by_size) + 1

    def of_size(self, size: int) -> Cliques:
        """The cliques of a size from 2 to :attr:`largest`."""
        return self.by_size[size - 2]


class _TooManyError(Exception):
    """The next level does not fit the limit."""


class _Levels:
    """The cliques of one size after another; ``members`` and ``sums`` are the current level's."""

    def __init__(self, graph: SegmentGraph, limit: int) -> None:
        """Begin with cliques of one segment; ``limit`` is the number of larger cliques that may be listed."""
        if limit < 0:
            raise PyramidionError(
                f"The limit on candidate SCUs is {limit}", do=f"give a limit of 0 or more, such as {LIMIT}"
            )
        self.cosine = graph.cosine
        # Each row of neighbours as bits in whole 64-bit words: an intersection of rows is then a few operations "&".
        later = np.triu(graph.edges, 1)
        padded = np.zeros((graph.size, -(-graph.size // 64) * 64), np.bool_)
        padded[:, : graph.size] = later
        self.later = np.packbits(padded, axis=1).view(np.uint64)
        self.members: Integers = np.arange(graph.size, dtype=np.int64)[:, None]
        self.sums: Floats = np.zeros(graph.size)
        self.left = limit

    def next(self) -> bool:
        """Go to the next size, if it has a clique; raise before it would not fit."""
        members, sums = [], []
        rows = max(1, _CELLS // max(1, self.later.shape[1] * 64))
        for start in range(0, len(self.members), rows):
            extended = self._extend(slice(start, start + rows))
            members.append(extended[0])
            sums.append(extended[1])
        if not sum(map(len, sums)):
            return False
        self.members, self.sums = np.concatenate(members), np.concatenate(sums)
        return True

    def _extend(self, part: slice) -> tuple[Integers, Floats]:
        """Return the cliques of some rows, each with each later segment that is a neighbour of all its members."""
        members, sums = self.members[part], self.sums[part]
        common = self.later[members[:, 0]]
        for column in members.T[1:]:
            common &= self.later[column]
        # Bits are counted before rows are made, so that a level beyond the limit costs no memory.
        counts = _BITS[common.view(np.uint8)].sum(axis=1, dtype=np.int64)
        self.left -= int(counts.sum())
        if self.left < 0:
            raise _TooManyError
        extensible = counts > 0
        members, sums, common = members[extensible], sums[extensible], common[extensible]
        row, segment = np.nonzero(np.unpackbits(common.view(np.uint8), axis=1))
        members, sums = members[row], sums[row]
        for column in members.T:
            sums = sums + self.cosine[column, segment]
        return np.column_stack((members, segment)), sums


def candidates(graph: SegmentGraph, limit: int = LIMIT, width: int = WIDTH) -> Candidates:
    """Return all cliques if they are at most ``limit``; else, with a note, only the best cliques of larger sizes."""
    offered = quiet_candidates(graph, limit, width)
    warn_if_incomplete(graph, offered, limit, width)
    return offered


def warn_if_incomplete(graph: SegmentGraph, offered: Candidates, limit: int = LIMIT, width: int = WIDTH) -> None:
    """Note what the search does not see if the candidates are not all the cliques there are."""
    if not offered.complete:
        note(
            f"The {graph.size} segments of {graph.references} references have more than {limit:,} candidate SCUs: of "
            f"those of more than {offered.exhaustive} contributors, only the best {width} around each segment are "
            "looked at; a higher percentile or limit, or fewer references, would let the search see them all"
        )


def quiet_candidates(graph: SegmentGraph, limit: int = LIMIT, width: int = WIDTH) -> Candidates:
    """Return :func:`candidates` without the note, for callers that cache the result."""
    levels, cliques = _Levels(graph, limit), []
    try:
        while levels.next():
            cliques.append(Cliques.of(levels.members, levels.sums))
        return Candidates(tuple(cliques))
    except _TooManyError:
        exhaustive = len(cliques) + 1
    members, sums = levels.members, levels.sums
    while True:
        members, sums = _best_around_each(members, sums, width)
        members, sums = _best_extensions(graph, members, sums, 2 * width)
        if not len(members):
            return Candidates(tuple(cliques), exhaustive)
        cliques.append(Cliques.of(*_best_around_each(members, sums, width)))


def _best_around_each(members: Integers, sums: Floats, width: int) -> tuple[Integers, Floats]:
    """Return the cliques that are among the ``width`` best, by sum, of at least one of their members."""
    # Rounded, since sums of the same cosines in another order may differ in their last bits.
    order = np.argsort(-np.round(sums, 10), kind="stable")
    kept = np.zeros(len(members), np.bool_)
    kept[order] = (times_before(members[order].ravel()).reshape(members.shape) < width).any(axis=1)
    return members[kept], sums[kept]


def times_before(values: Integers) -> Integers:
    """Return how often each value has occurred before.

    >>> times_before(np.array([7, 5, 7, 7, 5])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    times = np.empty(len(values), np.int64)
    times[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return times


def _best_extensions(graph: SegmentGraph, members: Integers, sums: Floats, width: int) -> tuple[Integers, Floats]:
    """Return each clique with each of the ``width`` common neighbours most like its members; each result once."""
    size = members.shape[1]
    grown, totals = [np.empty((0, size + 1), np.int64)], [np.empty(0)]
    rows = max(1, _CELLS // graph.size)
    for start in range(0, len(members), rows):
        part = members[start : start + rows]
        reach = np.zeros((len(part), graph.size))
        common: Booleans = np.ones(reach.shape, np.bool_)
        for column in part.T:
            reach += graph.cosine[column]
            common &= graph.edges[column]
        reach = np.where(common, np.round(reach, 10), -np.inf)
        best = np.argsort(-reach, axis=1, kind="stable")[:, :width]
        row, place = np.nonzero(np.isfinite(np.take_along_axis(reach, best, axis=1)))
        segment = best[row, place]
        grown.append(np.sort(np.column_stack((part[row], segment)), axis=1))
        totals.append(sums[start : start + rows][row] + reach[row, segment])
    rows_found, first = np.unique(np.concatenate(grown), axis=0, return_index=True)
    return rows_found, np.concatenate(totals)[first]
