r"""A peer's EDUs against the pyramid's, by assignment (Hirao et al. 2018 §3.4).

*Problem.* C are the EDUs of the peer, P the units of the pyramid, in the words of their labels (of an extractive
pyramid: EDUs of the sources). With phi the share of p_j's words that a longest common subsequence of both has (eq. 6),

.. math:: \max \sum_{i,j} g(c_i, p_j) w_j \alpha_{ij} : \quad \sum_i \alpha_{ij} \le 1 \;\; \forall j, \qquad
          \sum_j \alpha_{ij} \le 1 \;\; \forall i, \qquad g(c, p) = [\phi(c, p) \ge t], \qquad t = 0.55.

It is a linear assignment problem. Of equal optima the one with the highest sum of phi is taken: weights are whole and
the phi of n pairs sum up to n at most, so that phi / (n + 1) in addition decides nothing else.

A match has the words of the peer's EDU and phi as its score. The peer's EDUs without a counterpart are its unmatched
units, whether the sources have them (weight 0) or not. Nothing is a probability here: phi says how much of an EDU is
there, not how sure that is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from pyramidion.errors import PyramidionError
from pyramidion.language.parse.clauses import segment_id
from pyramidion.language.parse.discourse import common, units
from pyramidion.matchers.knapsack import unit_words
from pyramidion.model import Annotation, Contributor, Match, Pyramid, Summary

THRESHOLD = 0.55
"""t, from which on the EDU of a pyramid counts as said (section 3.4)."""


def assign(
    similarities: NDArray[np.float64], weights: Sequence[int], threshold: float = THRESHOLD
) -> list[tuple[int, int]]:
    """Return the optimal pairs (i, j) of eqs. 20-24, from phi(c_i, p_j) and w_j."""
    allowed = similarities >= threshold
    # All similarities together stay below 1, the least difference of weights: they settle ties alone.
    tie = similarities / (min(similarities.shape) + 1)
    benefit = np.where(allowed, np.asarray(weights, np.float64) + tie, 0.0)
    pairs = zip(*linear_sum_assignment(benefit, maximize=True), strict=True)
    return [(int(i), int(j)) for i, j in pairs if allowed[i, j]]


def edu(pyramid: Pyramid, summary: Summary, *, threshold: float = THRESHOLD, analyser: str = "en-minilm") -> Annotation:
    """Return the EDUs of a pyramid that a summary says, each by one EDU of the summary."""
    if not 0 < threshold <= 1:
        raise PyramidionError(f"The threshold of a match is {threshold}", do="give a similarity above 0, up to 1")
    edus = units(summary.text, analyser)
    table = np.zeros((len(edus), len(pyramid.scus)))
    for j, scu in enumerate(pyramid.scus):
        if target := unit_words(scu):
            table[:, j] = [words / len(target) for words in common((unit.words for unit in edus), target)]
    pairs = dict(assign(table, [scu.weight for scu in pyramid.scus], threshold))
    sizes = Counter(unit.sentence for unit in edus)
    matches, unmatched = [], []
    for i, unit in enumerate(edus):
        # The name of a segment: segmentation 0 is the whole sentence, 1 its EDUs, if it has several.
        id = segment_id(0, unit.sentence, int(sizes[unit.sentence] > 1), unit.place)
        if i in pairs:
            matches.append(Match(pyramid.scus[pairs[i]].id, (unit.span,), float(table[i, pairs[i]]), segment=id))
        else:
            unmatched.append(Contributor(summary.id, (unit.span,), segment=id))
    return Annotation(summary, tuple(matches), tuple(unmatched))
