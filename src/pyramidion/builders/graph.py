"""The segment graph that every EDUA searches (Gao et al. 2019, Figure 5, items 1 and 2).

Its nodes are all segments of all segmentations of all references. A clause that stands in several segmentations of its
sentence is one node: several would multiply the cliques without adding a choice. Two segments of *different* references
have an edge where their cosine is at least t_edge (Figure 5). Where t_edge is not given it is the 83rd percentile of
all cosines across references, linearly interpolated (footnote 8, appendix B); there a clause counts once for each
segmentation it stands in, as in the paper. Then an edge needs more than t_edge, as in the published code: a percentile
of few pairs is the cosine of one of them, and of a single pair its own, however unlike the two are. A cosine of 1 is
always an edge, and one of 0 or less never: it says that two segments have nothing in common, however many others have
less.

*Cosines are exact.* Rows are scaled to length 2^25 and rounded to whole numbers. A sum of their products then stays
below 2^53, where float64 adds whole numbers without rounding, so the result is the same in whichever order a machine
or a number of threads adds. Cosines have seven decimals, as many as the vectors' float32 can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyramidion.errors import PyramidionError

PERCENTILE = 83.0
"""The paper's choice (footnote 8)."""

Layout: TypeAlias = Sequence[Sequence[Sequence[Sequence[int]]]]
"""Where each segment stands: ``layout[reference][sentence][segmentation]`` has the numbers of its segments.

Numbers count from 0 in reading order; a segment may stand in several segmentations of one sentence.
"""

Integers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Booleans: TypeAlias = NDArray[np.bool_]

_SCALE = float(2**25)
_DECIMALS = 7


@dataclass(frozen=True, slots=True, eq=False)
class SegmentGraph:
    """Segments, numbered in reading order, with where each belongs and what is like what."""

    reference: Integers
    """The reference of each segment."""
    sentence: Integers
    """The sentence of each segment, numbered over all references."""
    segmentations: tuple[tuple[tuple[int, ...], ...], ...]
    """The segmentations of each sentence, as lists of segments."""
    cosine: Floats
    edges: Booleans
    t_edge: float
    pairs: int
    """The cosines that t_edge is a percentile of; 0 where it was given."""

    @classmethod
    def of(
        cls, layout: Layout, vectors: ArrayLike, percentile: float = PERCENTILE, t_edge: float = -1.0
    ) -> SegmentGraph:
        """Return the graph of segments whose vectors are the rows of a matrix.

        ``t_edge`` of 0 or more is taken as it is; else it is that percentile.

        >>> graph = SegmentGraph.of([[[[0]]], [[[1]]], [[[2]]]], [[1, 0], [1, 0], [0, 1]], percentile=50)
        >>> graph.t_edge, graph.pairs, np.argwhere(np.triu(graph.edges)).tolist()
        (0.0, 3, [[0, 1]])
        """
        if not 0 <= percentile <= 100:
            raise PyramidionError(f"The percentile is {percentile:g}", do="give a number from 0 to 100, such as 83")
        if not t_edge <= 1:
            raise PyramidionError(
                f"t_edge is {t_edge:g}", do="give a cosine of at most 1, or a negative number to use the percentile"
            )
        places: dict[int, tuple[int, int]] = {}
        segmentations: list[tuple[tuple[int, ...], ...]] = []
        for number, sentences in enumerate(layout):
            for alternatives in sentences:
                for piece in (segment for segments in alternatives for segment in segments):
                    places.setdefault(piece, (number, len(segmentations)))
                segmentations.append(tuple(map(tuple, alternatives)))
        in_order = np.array([places[piece] for piece in sorted(places)], np.int64).reshape(-1, 2)
        reference, sentence = in_order[:, 0], in_order[:, 1]
        cosine = _cosines(np.asarray(vectors, np.float64), len(places))
        pairs = 0
        if t_edge < 0:
            across = _cosines_across(cosine, reference, segmentations)
            pairs, t_edge = across.size, float(np.percentile(across, percentile)) if across.size else 1.0
            alike = (cosine > t_edge) | (cosine == 1)  # strictly above a percentile: see the module
        else:
            alike = cosine >= t_edge
        edges = (reference[:, None] != reference[None, :]) & alike & (cosine > 0)
        return cls(reference, sentence, tuple(segmentations), cosine, edges, t_edge, pairs)

    @property
    def size(self) -> int:
        """The number of distinct segments."""
        return len(self.reference)

    @property
    def segments(self) -> int:
        """The number of segments of all segmentations, as the paper counts them."""
        return sum(len(segments) for alternatives in self.segmentations for segments in alternatives)

    @property
    def references(self) -> int:
        """The number of references that have a segment: no SCU weighs more."""
        return len(np.unique(self.reference))


def _cosines_across(cosine: Floats, reference: Integers, segmentations: Sequence[Sequence[Sequence[int]]]) -> Floats:
    """Return the cosines of all pairs of segments of different references."""
    standing = np.array(
        [segment for alternatives in segmentations for segments in alternatives for segment in segments], np.int64
    )
    bounds = np.searchsorted(reference[standing], np.arange(int(reference.max(initial=-1)) + 2))
    across = [cosine[np.ix_(standing[a:b], standing[b:])].ravel() for a, b in pairwise(bounds.tolist())]
    return np.concatenate([np.empty(0), *across])


def _cosines(vectors: Floats, count: int) -> Floats:
    """Return the cosines of all rows, the same on every machine (see the module); of a row of zeros they are 0."""
    if vectors.ndim != 2 and count == 0:
        return np.zeros((0, 0))
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        raise PyramidionError(
            f"The vectors have the shape {vectors.shape}, but there are {count} segments",
            do="give one row of finite numbers for each segment",
        )
    # First by the largest component, so that squares of very large or small numbers neither overflow nor vanish.
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    rows = vectors / np.where(largest > 0, largest, 1.0)
    length = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    rows = np.rint(rows * (_SCALE / np.where(length > 0, length, 1.0)))
    products = rows @ rows.T
    lengths = np.sqrt(np.diagonal(products))
    lengths = np.where(lengths > 0, lengths, 1.0)
    products /= lengths[:, None]
    products /= lengths[None, :]
    cosine: Floats = np.clip(np.round(products, _DECIMALS), -1.0, 1.0)
    return cosine
