r"""Scores that fewer workers, statements or topics would have given: random parts of a study (Shapira et al. 2019 §4).

One resample puts the assignments in a random order, which keeps the first w votes on every item (so that whole
submissions go, as in a study with fewer workers), the statements of each topic, which keeps the first s of them, and
the topics, which keeps the first t. What is kept with fewer is part of what is kept with more. Votes are aggregated
anew for each w; items keep all their votes where they have no more than w, and topics all their statements.

``at_most`` is another draw, that of LitePyramids' scoring: from each item by itself at most 5 answers, 70 times, and
the mean of what is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyramidion.crowd.judging.aggregate import Aggregation, Decisions
from pyramidion.crowd.judging.votes import MISSING, Votes
from pyramidion.crowd.scores.layout import Array, Layout
from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import FEWEST
from pyramidion.stats.ratios import ratios

RESAMPLES = 70
"""The number of resamples in the paper."""
Z = 1.959963984540054
"""The normal quantile of a 95 % interval."""

Codes = NDArray[np.intp]


def turns(votes: Votes, order: NDArray[np.generic]) -> Codes:
    """Return the position (from 0) of each vote among its item's votes, in the given order.

    Votes that are missing come after all others.
    """
    answered = votes.answer != MISSING
    sequence = np.lexsort((order, ~answered, votes.item))
    item = votes.item[sequence]
    first = np.searchsorted(item, np.arange(len(votes.items)))
    turn = np.empty(len(item), dtype=np.intp)
    turn[sequence] = np.arange(len(item)) - first[item]
    # beyond any number of votes that an item can have
    turn[~answered] = len(item)
    return turn


def at_most(
    votes: Votes, aggregation: Aggregation, most: int = 5, *, repetitions: int = RESAMPLES, seed: int = 0
) -> Decisions:
    """Return the mean decision over repeated random draws of a limited number of answers to each item."""
    if most < 1 or repetitions < 1:
        raise ModelError(
            f"At most {most} answers cannot be drawn {repetitions} times", do="give whole numbers, 1 or more"
        )
    random = np.random.default_rng(seed)
    values, probabilities = [], []
    for _ in range(repetitions):
        decisions = aggregation(votes.where(turns(votes, random.random(len(votes.item))) < most))
        values.append(decisions.value)
        probabilities.append(decisions.probability)
    name = f"{decisions.aggregation}, at most {most} of an item, {repetitions} times"
    return Decisions(name, np.mean(values, axis=0), np.mean(probabilities, axis=0))


@dataclass(frozen=True)
class Resampled:
    """Systems' scores for every number of workers, statements and topics, again and again."""

    systems: tuple[str, ...]
    workers: tuple[int, ...]
    statements: tuple[int, ...]
    topics: tuple[int, ...]
    scores: Array
    """Resamples x workers x statements x topics x systems; NaN where a system has none."""
    half_width: Array
    r"""The same without systems: the mean over systems of :math:`1.96\, s / \sqrt t`, s being the standard deviation of
    a system's scores on the t topics: half of a 95 % interval. NaN with few topics."""


def resample(
    votes: Votes,
    layout: Layout,
    aggregation: Aggregation,
    workers: Sequence[int],
    statements: Sequence[int],
    topics: Sequence[int],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Callable[[int], None] = lambda number: None,
) -> Resampled:
    """Return systems' scores for all these amounts, each from ``resamples`` random parts of the study."""
    for kind, amounts in (("workers", workers), ("statements", statements), ("topics", topics)):
        if not amounts or min(amounts) < 1:
            raise ModelError(
                f"The {kind} to try are {', '.join(map(str, amounts)) or 'none'}", do="give whole numbers, 1 or more"
            )
    if resamples < 1:
        raise ModelError(f"The number of resamples is {resamples}", do="give 1 or more")
    shape = (resamples, len(workers), len(statements), len(topics))
    scores, half = np.empty((*shape, len(layout.systems))), np.empty(shape)
    ends = np.minimum(np.array(topics), len(layout.topics)) - 1
    for number in range(resamples):
        random = np.random.default_rng([seed, number])  # so that a resample does not depend on the others
        turn = turns(votes, random.permutation(len(votes.assignments))[votes.assignment])
        row_turn = _turns_within(layout, random)
        topic_order = random.permutation(len(layout.topics))
        for i, most in enumerate(workers):
            matrix = layout.matrix(aggregation(votes.where(turn < most)).value)
            for j, few in enumerate(statements):
                by_topic = layout.by_topic(matrix, row_turn < few)[topic_order]
                scores[number, i, j], half[number, i, j] = _running(by_topic, ends)
        progress(number)
    return Resampled(layout.systems, tuple(workers), tuple(statements), tuple(topics), scores, half)


def _turns_within(layout: Layout, random: np.random.Generator) -> Codes:
    """Return the place of each statement among its topic's in a random order."""
    order = np.lexsort((random.random(len(layout.topic)), layout.topic))
    turn = np.empty(len(order), dtype=np.intp)
    turn[order] = np.arange(len(order)) - layout.first[layout.topic]
    return turn


def _running(by_topic: Array, ends: Codes) -> tuple[Array, Array]:
    """Return systems' means over the first topics up to each end, and the mean half-width of their intervals."""
    scored = ~np.isnan(by_topic)
    values = np.where(scored, by_topic, 0.0)
    n = scored.cumsum(axis=0)[ends].astype(float)
    mean = ratios(values.cumsum(axis=0)[ends], n)
    squares = (values**2).cumsum(axis=0)[ends]
    several = n >= FEWEST
    # from running sums, so that all numbers of topics take one pass; rounding can take it below 0, which is cut off
    variance = ratios(squares - n * mean**2, n - 1)
    width = Z * np.sqrt(ratios(np.maximum(variance, 0), n, where=several))
    known = several.sum(axis=1)
    total = np.where(several, width, 0.0).sum(axis=1)
    return mean, ratios(total, known)
