"""Do the workers agree, overall and topic by topic? Krippendorff's alpha and pairwise agreement, from counts of votes.

Both are nominal, over items with two votes or more (:class:`pyramidion.stats.agreement.NominalSums`). An item with one
vote says nothing on agreement and is left out. Tools that leave it out of what is observed but count it in what chance
gives (and so the published QAPyramid: .651, where this is .648) are followed by ``alpha_of_all_votes``.

Two readings of a topic's alpha: *pooled*, over all of its items (Shapira et al. 2019 §4); and *tasks*, the mean over
its judging tasks (one summary, one set of statements) of each task's own alpha, as LitePyramids' code has it. A task in
which nobody varies has no alpha and is left out of that mean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.choices import check_choices
from pyramidion.crowd.judging.votes import MISSING, Votes
from pyramidion.crowd.scores.layout import Array
from pyramidion.errors import ModelError
from pyramidion.stats.agreement import NominalSums
from pyramidion.stats.bootstrap import FEWEST, Interval, percentiles
from pyramidion.stats.ratios import ratios

AlphaOf = Literal["pooled", "tasks"]
Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """The agreement of workers on one topic."""

    topic: str
    items: int
    """The number of items with two votes or more."""
    alpha: float | None
    """Krippendorff's alpha; None if nobody varies, or if no item has two votes."""
    agreement: float | None
    """The share of equal pairs of votes; None without a pair."""


@dataclass(frozen=True, slots=True)
class WorkersAgreement:
    """The agreement of workers, overall and by topic."""

    alpha: float | None
    interval: Interval | None
    """The interval of alpha over draws of topics; None with few."""
    agreement: float | None
    alpha_of_all_votes: float | None
    """Alpha as some tools compute it, with items of one vote counted in what chance gives; QAPyramid's is so.
    None where no item has two votes."""
    topics: tuple[TopicAgreement, ...]


@check_choices
def agreement_of(votes: Votes, *, alpha: AlphaOf = "pooled", samples: int = 0, seed: int = 0) -> WorkersAgreement:
    """Return the agreement of the votes; with ``samples``, an interval of alpha from that many draws of topics."""
    place = {name: number for number, name in enumerate(votes.topics)}
    topic = np.array(list(map(place.__getitem__, map(itemgetter(0), votes.items))), dtype=np.intp)
    sums = NominalSums.of(votes.counts, topic, len(place))
    alphas = sums.alphas if alpha == "pooled" else _of_tasks(votes, topic, len(place))
    whole = sums.drawn(np.ones((1, len(place))))
    overall = _value(whole.alphas[0])
    # chance from all votes, those that stand alone included, and agreement from the same pairs as before
    all_votes = replace(whole, values=votes.counts.sum(axis=0, keepdims=True))
    return WorkersAgreement(
        overall,
        _interval(overall, sums, samples, seed),
        _value(whole.agreements[0]),
        _value(all_votes.alphas[0]) if whole.pairs[0] else None,
        tuple(
            TopicAgreement(name, int(units), _value(topic_alpha), _value(agreement))
            for name, units, topic_alpha, agreement in zip(place, sums.units, alphas, sums.agreements, strict=True)
        ),
    )


def dropped_topics(topics: tuple[TopicAgreement, ...], share: float) -> tuple[str, ...]:
    """Return the least agreed share of the topics, least first (§4); a topic without an alpha is never among them.

    >>> agreed = [TopicAgreement(name, 9, alpha, 1.0) for name, alpha in zip("abcde", (0.4, 0.2, 0.9, None, 0.5))]
    >>> dropped_topics(tuple(agreed), 0.4)
    ('b', 'a')
    """
    if not 0 <= share < 1:
        raise ModelError(f"The share of topics to drop is {share:g}", do="give a number from 0 to below 1, such as .2")
    known = [(topic.alpha, topic.topic) for topic in topics if topic.alpha is not None]
    return tuple(name for _, name in sorted(known)[: int(share * len(topics) + 1e-9)])  # .3 of ten topics is three


def _of_tasks(votes: Votes, topic: Codes, topics: int) -> Array:
    """Return for each topic the mean alpha of its tasks."""
    answered = votes.answer != MISSING
    of_vote = votes.task[votes.assignment[answered]]
    pair, which = np.unique(of_vote * len(votes.items) + votes.item[answered], return_inverse=True)
    counts = np.bincount(2 * which.reshape(-1) + votes.answer[answered], minlength=2 * len(pair)).reshape(-1, 2)
    owner = np.zeros(len(votes.assignments), dtype=np.intp)  # of each task; there are no more than assignments
    owner[of_vote] = topic[votes.item[answered]]
    alphas = NominalSums.of(counts, pair // len(votes.items), len(owner)).alphas
    known = ~np.isnan(alphas)
    return ratios(np.bincount(owner[known], alphas[known], topics), np.bincount(owner[known], minlength=topics))


def _interval(alpha: float | None, sums: NominalSums, samples: int, seed: int) -> Interval | None:
    topics = len(sums.units)
    if samples < 1 or topics < FEWEST:
        return None
    times = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=samples)
    return percentiles(alpha, sums.drawn(times).alphas)


def _value(number: np.float64) -> float | None:
    return None if np.isnan(number) else round(float(number), 12)
