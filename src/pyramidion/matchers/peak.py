r"""PEAK's matcher: triples of the peer, assigned to SCUs one to one (Yang et al. 2016, Algorithm 2).

*Problem.* A bipartite graph has the propositions of the peer on one side, the SCUs on the other (Hirao et al. 2018 §2
tells it so). An SCU is as similar to a proposition as the most similar of its own triples; a pair matches if

.. math:: sim(p, u) = \max_{t \in u} sim(p, t) \ge \theta,

with sim and theta of :mod:`pyramidion.builders.peak`. Of all ways to give each proposition at most one matching SCU and
each SCU at most one proposition, the Hungarian algorithm finds one

.. math:: \max \sum_{(p, u)} \left( w_u + \frac{sim(p, u)}{1 + \min(|P|, |U|)} \right),

that is, of the greatest weight, and among these of the greatest similarity. PEAK's own objective is, in Hirao et al.'s
words, the sum of similarities; since a raw score is a sum of weights, we maximise what is reported.

*An SCU's triples*, of any pyramid: for every contributor, the propositions of its reference that its spans cover
exactly (so it is where ``peak`` has built the pyramid); or else all that lie inside its spans; or else, and for one
without spans, those in its words, read alone. Words that yield none are compared as a whole with the words of a triple.
So is a sentence of the peer that has none.

The matches' scores are similarities. ``unmatched`` are the peer's clauses of which no match has a word
(:func:`pyramidion.matchers.judged.unmatched`), not its propositions: a clause has as many of those as it has arguments,
most of which no SCU could have.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment

from pyramidion.builders.peak import Table, similarities, threshold_of
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.propositions import NOTHING, Phrase, Proposition, statements
from pyramidion.matchers.expressions import expressions
from pyramidion.matchers.judged import unmatched
from pyramidion.model import SCU, Annotation, Match, Pyramid, Span, Summary


def peak(
    pyramid: Pyramid,
    summary: Summary,
    *,
    threshold: float = 0.0,
    embedder: str = "static",
    analyser: str = "en-minilm",
) -> Annotation:
    """Match the summary, each SCU once; a match's score is its similarity, its reason the peer's triple.

    ``threshold`` 0 stands for the embedder's calibrated one.
    """
    theta = threshold_of(embedder, threshold)
    statements_of_peer = _statements(summary.text, analyser)
    order, triples = _triples(pyramid, analyser)
    ends = [0, *accumulate(map(len, triples))]
    table = similarities(statements_of_peer, [triple for of_scu in triples for triple in of_scu], embedder)
    nearest = [table[:, first:last].max(axis=1) for first, last in pairwise(ends)]
    best = np.array(nearest).reshape(len(order), len(statements_of_peer)).T
    weights = [pyramid.scus[number].weight for number in order]
    pairs = _assignment(best, weights, theta)
    matches = tuple(
        Match(
            pyramid.scus[order[scu]].id,
            statements_of_peer[number].spans,
            float(best[number, scu]),
            reason=str(statements_of_peer[number]),
        )
        for number, scu in sorted(pairs.items())
    )
    return Annotation(summary, matches, unmatched(summary, matches, analyser))


def _assignment(table: Table, weights: Sequence[int], theta: float) -> dict[int, int]:
    """Return the SCU of every proposition that matches: for the greatest weight, then the greatest similarity."""
    allowed = table >= theta
    # All similarities together stay below 1, the least difference of weights: they settle ties alone.
    benefit = np.where(allowed, np.array(weights, np.float64) + table / (min(table.shape) + 1), 0.0)
    chosen = zip(*linear_sum_assignment(benefit, maximize=True), strict=True)
    return {int(number): int(scu) for number, scu in chosen if allowed[number, scu]}


@lru_cache(maxsize=64)
def _triples(pyramid: Pyramid, analyser: str) -> tuple[tuple[int, ...], tuple[tuple[Proposition, ...], ...]]:
    """Return the numbers of the SCUs in an order that the pyramid's does not change, and the triples of each."""
    wordings = [sorted(expressions(pyramid, scu)) for scu in pyramid.scus]
    order = sorted(
        range(len(wordings)),
        key=lambda number: (-pyramid.scus[number].weight, wordings[number], pyramid.scus[number].id),
    )
    return tuple(order), tuple(_scu_triples(pyramid, pyramid.scus[number], analyser) for number in order)


def _scu_triples(pyramid: Pyramid, scu: SCU, analyser: str) -> tuple[Proposition, ...]:
    wordings: dict[str, Proposition] = {}
    for contributor in scu.contributors:
        text = pyramid.reference(contributor.summary).text
        inside = _propositions_inside(text, contributor.spans, analyser) if contributor.spans else []
        words = " ".join(" ".join(span.of(text) for span in contributor.spans).split()) or contributor.label
        for proposition in inside or _statements_in(words, analyser):
            wordings.setdefault(str(proposition), proposition)
    return tuple(wordings[name] for name in sorted(wordings)) or _statements_in(scu.label, analyser)


def _propositions_inside(text: str, spans: Sequence[Span], analyser: str) -> list[Proposition]:
    """Return the propositions of a text that these spans cover exactly or, without one, all that lie inside them."""
    if not analysed(text, analyser).parsed:
        return []
    covered = _places(text, spans)
    inside = [
        (places, proposition)
        for proposition in _statements(text, analyser)
        if (places := _places(text, proposition.spans)) <= covered
    ]
    exact = [proposition for places, proposition in inside if places == covered]
    return exact or [proposition for _, proposition in inside]


def _places(text: str, spans: Sequence[Span]) -> set[int]:
    return {place for span in spans for place in range(span.start, span.end) if text[place].isalnum()}


@lru_cache(maxsize=4096)
def _statements(text: str, analyser: str) -> tuple[Proposition, ...]:
    """Return the statements of a text, cached: a reference has many contributors, a peer meets many methods."""
    return statements(analysed(text, analyser))


def _statements_in(words: str, analyser: str) -> tuple[Proposition, ...]:
    """Return the statements in some words, or the words as one."""
    read = _statements(words, analyser) if analysed(words, analyser).parsed else ()
    return read or (Proposition(Phrase(words), NOTHING, NOTHING, ()),)
