"""What WMIN and its exact sibling share: similarities, nodes, and the annotation that chosen nodes make (§4.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from pyramidion.language.parse.clauses import Segmentation, segment_id
from pyramidion.language.parse.segmented import remembering, segmented
from pyramidion.matchers.expressions import expressions
from pyramidion.model import Annotation, Contributor, Match, Pyramid, Summary

Similarities = NDArray[np.float64]

Similarity = Literal["mean", "centroid"]

DECIMALS = 6
"""The decimals to which cosines are rounded: the last bits of a sum depend on the machine and must decide nothing."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A peer's segments beside a pyramid's SCUs.

    ``similarities[i][k]`` has a row for each segment of segmentation k of sentence i, and a column for each SCU.
    ``lengths[u]`` is the similarity of SCU u and a segment that has the direction of its vector: the greatest there is.
    """

    sentences: tuple[tuple[Segmentation, ...], ...]
    similarities: tuple[tuple[Similarities, ...], ...]
    weights: tuple[int, ...]
    lengths: tuple[float, ...]

    def bars(self, threshold: float) -> Similarities:
        """Return the least similarity of a match for each SCU; infinity for one without a vector."""
        lengths = np.array(self.lengths, np.float64)
        return np.where(lengths > 0, np.round(threshold * lengths, DECIMALS), np.inf)


@dataclass(frozen=True, slots=True)
class Pair:
    """A segment of a segmentation, the SCU that it expresses (by their numbers), and their similarity."""

    segment: int
    scu: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Node:
    """A segmentation of a sentence with its SCUs of highest average cosine; both by number."""

    sentence: int
    segmentation: int
    pairs: tuple[Pair, ...]
    weight: int
    """The sum of the SCUs' weights."""
    average: float
    """The mean similarity over all segments of the segmentation, 0 for those without an SCU."""


def compare(pyramid: Pyramid, summary: Summary, similarity: Similarity, embedder: str, analyser: str) -> Comparison:
    """Return the similarity of every segment of the summary and every SCU.

    ``mean`` is the mean cosine over the SCU's contributors, ``centroid`` the cosine with the mean of their vectors.
    """
    centroids = _centroids(pyramid, embedder)
    lengths = np.linalg.norm(centroids, axis=1)
    if similarity == "centroid":
        centroids = centroids / np.where(lengths > 0, lengths, 1)[:, None]
        lengths = np.sign(lengths)
    sentences = segmented(summary.text, analyser)
    segments = [segment for sentence in sentences.sentences for segmentation in sentence for segment in segmentation]
    rows = remembering(embedder)([sentences.text(segment) for segment in segments]).astype(np.float64)
    table = np.round(rows @ centroids.T, DECIMALS)
    similarities, start = [], 0
    for sentence in sentences.sentences:
        ends = np.cumsum([start, *(len(segmentation) for segmentation in sentence)])
        similarities.append(tuple(table[a:b] for a, b in pairwise(ends)))
        start = int(ends[-1])
    weights = tuple(scu.weight for scu in pyramid.scus)
    return Comparison(sentences.sentences, tuple(similarities), weights, tuple(map(float, lengths)))


@lru_cache(maxsize=64)
def _centroids(pyramid: Pyramid, embedder: str) -> Similarities:
    """Return for each SCU the mean of its contributors' unit vectors: its product with a unit vector is a mean cosine.

    The words are sorted first, so that the order of contributors does not change the last bits of a sum.
    """
    texts = [sorted(expressions(pyramid, scu)) for scu in pyramid.scus]
    model = remembering(embedder)
    rows = model([wording for wordings in texts for wording in wordings]).astype(np.float64)
    ends = np.cumsum([0, *map(len, texts)])
    means = [rows[a:b].mean(axis=0) for a, b in pairwise(ends)]
    return np.array(means).reshape(len(texts), model.dimension)


def nodes(comparison: Comparison, threshold: float) -> list[Node]:
    """Return the nodes of positive weight, sentence by sentence, those of the highest average similarity first."""
    bars = comparison.bars(threshold)
    kept = []
    for sentence, tables in enumerate(comparison.similarities):
        offered = [_node(comparison, sentence, number, bars) for number in range(len(tables))]
        kept += sorted((node for node in offered if node.weight), key=lambda node: (-node.average, node.segmentation))
    return kept


def _node(comparison: Comparison, sentence: int, segmentation: int, bars: Similarities) -> Node:
    table = comparison.similarities[sentence][segmentation]
    pairs = assignment(table, comparison.weights, bars)
    weight = sum(comparison.weights[pair.scu] for pair in pairs)
    return Node(sentence, segmentation, pairs, weight, sum(pair.similarity for pair in pairs) / len(table))


def assignment(similarities: Similarities, weights: Sequence[int], bars: Similarities) -> tuple[Pair, ...]:
    """Pair each segment with at most one SCU and each SCU with at most one segment, for the greatest similarity.

    Pairs below the SCU's bar do not count. Equally similar SCUs: the heavier, then the one that comes first.
    """
    allowed = similarities >= bars
    if not allowed.any():
        return ()
    # Bonuses settle ties: all of them together are below the last decimal of one similarity.
    order = sorted(range(len(weights)), key=lambda scu: (-weights[scu], scu))
    bonus = np.empty(len(weights))
    bonus[order] = np.linspace(1, 0, len(weights), endpoint=False) * 10.0**-DECIMALS / (len(similarities) + 1)
    benefit = np.where(allowed, similarities + bonus, 0.0)
    chosen = zip(*linear_sum_assignment(benefit, maximize=True), strict=True)
    return tuple(
        Pair(int(segment), int(scu), float(similarities[segment, scu]))
        for segment, scu in chosen
        if allowed[segment, scu]
    )


def conflicts(offered: Sequence[Node]) -> list[list[int]]:
    """Return the cliques of the graph: nodes of one sentence, and nodes that share an SCU."""
    by_sentence: dict[int, list[int]] = {}
    by_scu: dict[int, list[int]] = {}
    for number, node in enumerate(offered):
        by_sentence.setdefault(node.sentence, []).append(number)
        for pair in node.pairs:
            by_scu.setdefault(pair.scu, []).append(number)
    return [*by_sentence.values(), *by_scu.values()]


def annotation(pyramid: Pyramid, summary: Summary, comparison: Comparison, chosen: Iterable[Node]) -> Annotation:
    """Return the annotation that chosen nodes make; all other segments are the summary's D_0.

    A sentence without a node is counted in its finest segmentation, since an SCU is about as long as a clause. Counted
    as one unit, irrelevant text would weigh less in quality's X the longer its sentences are.
    """
    by_sentence = {node.sentence: node for node in chosen}
    matches: list[Match] = []
    unmatched: list[Contributor] = []
    for sentence, offered in enumerate(comparison.sentences):
        node = by_sentence.get(sentence)
        number = node.segmentation if node else len(offered[:2]) - 1
        pairs = {pair.segment: pair for pair in node.pairs} if node else {}
        for segment in _in_text_order(offered[number]):
            spans, id = offered[number][segment].spans, segment_id(0, sentence, number, segment)
            if segment in pairs:
                pair = pairs[segment]
                score = min(max(pair.similarity, 0.0), 1.0)
                matches.append(Match(pyramid.scus[pair.scu].id, spans, score, segment=id))
            else:
                unmatched.append(Contributor(summary.id, spans, segment=id))
    return Annotation(summary, tuple(matches), tuple(unmatched))


def _in_text_order(segments: Segmentation) -> Iterator[int]:
    yield from sorted(range(len(segments)), key=lambda number: (segments[number].spans, number))
