r"""Do the workers agree, overall and topic by topic? Krippendorff's alpha and pairwise agreement, from counts of votes.

With :math:`a_u` votes for and :math:`b_u` against item u, :math:`m_u = a_u + b_u \ge 2`, A and B their sums and n = A +
B, nominal alpha (:func:`pyramidion.stats.agreement.krippendorff_alpha`) is

.. math:: \alpha = 1 - \frac{n - 1}{A B} \sum_u \frac{a_u b_u}{m_u - 1},

and the agreement is the share of pairs of votes on one item that are the same. Both are sums over items, so those of
any set of topics are sums over topics, and a bootstrap over topics costs next to nothing. An item with one vote says
nothing on agreement and is left out; tools that leave it out of the sum but count it in A and B (and so the published
QAPyramid: .651, where this is .648) are followed by ``alpha_of_all_votes``.

Two readings of a topic's alpha: *pooled*, over all of its items (Shapira et al. 2019 §4); and *tasks*, the mean over
its judging tasks (one summary, one set of statements) of each task's own alpha, as LitePyramids' code has it. A task in
which nobody varies has no alpha and is left out of that mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyramidion.crowd.judging.votes import MISSING, Votes
from pyramidion.crowd.scores.layout import Array
from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import Interval, percentiles

__all__ = ["AlphaOf", "TopicAgreement", "WorkersAgreement", "agreement_of", "dropped_topics"]

AlphaOf = Literal["pooled", "tasks"]
Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """How far workers agree on one topic."""

    topic: str
    items: int
    """With two votes or more."""
    alpha: float | None
    """None where nobody varies, or nothing has two votes."""
    agreement: float | None
    """The share of equal pairs of votes; None without a pair."""


@dataclass(frozen=True, slots=True)
class WorkersAgreement:
    """How far workers agree: overall and by topic."""

    alpha: float | None
    interval: Interval | None
    """Of alpha, over draws of topics; none with one topic."""
    agreement: float | None
    alpha_of_all_votes: float | None
    """Alpha as some tools compute it, with items of one vote counted in what chance gives; QAPyramid's is so.
    None where no item has two votes."""
    topics: tuple[TopicAgreement, ...]


def agreement_of(votes: Votes, *, alpha: AlphaOf = "pooled", samples: int = 0, seed: int = 0) -> WorkersAgreement:
    """The agreement of the votes; with ``samples``, an interval of alpha from that many draws of topics."""
    place = {name: number for number, name in enumerate(votes.topics)}
    topic = np.array(list(map(place.__getitem__, map(itemgetter(0), votes.items))), dtype=np.intp)
    sums = _sums(votes.counts, topic, len(place))
    own = _alphas(sums) if alpha == "pooled" else _of_tasks(votes, topic, len(place))
    agreeing = _agreements(sums)
    whole = sums.sum(axis=0, keepdims=True)
    overall = _value(_alphas(whole)[0])
    return WorkersAgreement(
        overall,
        _interval(overall, sums, samples, seed),
        _value(_agreements(whole)[0]),
        _value(_alphas(np.hstack([votes.counts.sum(axis=0), whole[0, 2]])[None])[0]) if whole[0, 4] else None,
        tuple(
            TopicAgreement(name, int(sums[number, 5]), _value(own[number]), _value(agreeing[number]))
            for name, number in place.items()
        ),
    )


def dropped_topics(topics: tuple[TopicAgreement, ...], share: float) -> tuple[str, ...]:
    """The least agreed share of the topics, least first (§4); a topic without an alpha is never among them.

    >>> agreed = [TopicAgreement(name, 9, alpha, 1.0) for name, alpha in zip("abcde", (0.4, 0.2, 0.9, None, 0.5))]
    >>> dropped_topics(tuple(agreed), 0.4)
    ('b', 'a')
    """
    if not 0 <= share < 1:
        raise ModelError(
            f"a share of {share:g} of the topics to drop", do="give a number from 0 to below 1, such as .2"
        )
    known = [(one.alpha, one.topic) for one in topics if one.alpha is not None]
    return tuple(name for _, name in sorted(known)[: int(share * len(topics) + 1e-9)])


def _sums(counts: Codes, group: Codes, groups: int) -> Array:
    """Groups x (votes against, votes for, alpha's sum, equal pairs, pairs, items), of items with two votes or more."""
    counts = counts.astype(float)
    total = counts.sum(axis=1)
    paired = total > 1
    no, yes, m = counts[paired, 0], counts[paired, 1], total[paired]
    columns = (no, yes, no * yes / (m - 1), m * (m - 1) / 2 - no * yes, m * (m - 1) / 2, np.ones(len(m)))
    return np.stack([np.bincount(group[paired], column, groups) for column in columns], axis=1)


def _alphas(sums: Array) -> Array:
    no, yes, apart = sums[:, 0], sums[:, 1], sums[:, 2]
    found: Array = np.full(len(sums), np.nan)
    np.divide((no + yes - 1) * apart, no * yes, out=found, where=(no > 0) & (yes > 0))
    return 1 - found


def _agreements(sums: Array) -> Array:
    found: Array = np.full(len(sums), np.nan)
    np.divide(sums[:, 3], sums[:, 4], out=found, where=sums[:, 4] > 0)
    return found


def _of_tasks(votes: Votes, topic: Codes, topics: int) -> Array:
    """For each topic the mean alpha of its tasks."""
    given = votes.answer != MISSING
    of_vote = votes.task[votes.assignment[given]]
    pair, which = np.unique(of_vote * len(votes.items) + votes.item[given], return_inverse=True)
    counts = np.bincount(2 * which.reshape(-1) + votes.answer[given], minlength=2 * len(pair)).reshape(-1, 2)
    owner = np.zeros(len(votes.assignments), dtype=np.intp)  # of each task; there are no more than assignments
    owner[of_vote] = topic[votes.item[given]]
    alphas = _alphas(_sums(counts, pair // len(votes.items), len(owner)))
    known = ~np.isnan(alphas)
    found: Array = np.full(topics, np.nan)
    sums, numbers = np.bincount(owner[known], alphas[known], topics), np.bincount(owner[known], minlength=topics)
    np.divide(sums, numbers, out=found, where=numbers > 0)
    return found


def _interval(alpha: float | None, sums: Array, samples: int, seed: int) -> Interval | None:
    if samples < 1 or len(sums) < 2:
        return None
    times = np.random.default_rng(seed).multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=samples)
    return percentiles(alpha, _alphas(times @ sums))


def _value(number: np.float64) -> float | None:
    return None if np.isnan(number) else round(float(number), 12)
