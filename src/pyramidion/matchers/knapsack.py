r"""The best score there is, as a knapsack, and scores as shares of it (Hirao et al. 2018 §3.4).

*Problem.* A summary of L_max words says the EDUs of highest weight that fit:

.. math:: \max \sum_j w_j x_j : \quad \sum_j \ell(p_j) x_j \le L_{\max}, \qquad x_j \in \{0, 1\},

(eqs. 25-27; eq. 26 is printed without x_j). The score is OPT_LAP / OPT_KP: the weight of what a peer says
(:mod:`~pyramidion.matchers.edu`) by that of the best summary. *Solution*: dynamic programming over lengths,
B(l) = max(B(l), w_j + B(l - l_j)) for one EDU after the other: exact, in time |P| L_max.

*L_max*, which the paper leaves open here, is the length of the longest reference (or the limit that you give): then the
extract of every reference fits, and none scores above 1. A peer still could: it may be longer than L_max, or say 55 %
of the words of each of more EDUs than fit. Since the score is to lie between 0 and 1, it then counts as 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from pyramidion.errors import PyramidionError
from pyramidion.language.parse.discourse import words_of
from pyramidion.model import SCU, Annotation, Pyramid


def knapsack(weights: Sequence[int], lengths: Sequence[int], l_max: int) -> int:
    """Return the highest weight that fits.

    >>> knapsack([4, 3, 3], [10, 6, 5], 11)
    6
    """
    best = np.zeros(max(l_max, 0) + 1, np.int64)
    for weight, length in zip(weights, lengths, strict=True):
        if length <= l_max:
            best[length:] = np.maximum(best[length:], weight + best[: len(best) - length])
    return int(best[-1])


def unit_words(scu: SCU) -> tuple[str, ...]:
    """Return the words of an SCU's label, with which peers are compared and whose number is its length."""
    return words_of(scu.label)


def limit(pyramid: Pyramid) -> int:
    """Return L_max: the number of words of the longest reference."""
    return max((len(words_of(reference.text)) for reference in pyramid.references), default=0)


@lru_cache(maxsize=256)
def optimum(pyramid: Pyramid, l_max: int) -> int:
    """Return OPT_KP: the weight of the best summary of this number of words."""
    scus = pyramid.scus
    return knapsack([scu.weight for scu in scus], [len(unit_words(scu)) for scu in scus], l_max)


def normalised(pyramid: Pyramid, annotation: Annotation, l_max: int = 0) -> float:
    """Return OPT_LAP / OPT_KP, from 0 to 1; an ``l_max`` of 0 stands for the longest reference's."""
    if l_max < 0:
        raise PyramidionError(
            f"The length of a summary is {l_max} words", do="give a number of words, or 0 for the references' own"
        )
    annotation.check(pyramid)
    expressed = set(annotation.expressed)
    weight = sum(scu.weight for scu in pyramid.scus if scu.id in expressed)
    best = optimum(pyramid, l_max or limit(pyramid))
    return min(weight / best, 1.0) if best else float(weight > 0)
