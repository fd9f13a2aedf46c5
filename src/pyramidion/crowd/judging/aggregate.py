"""From the votes on an item to a decision: is the statement in the summary?

* ``majority`` (Shapira et al. 2019 §3): present where more than half of the votes say so; a tie is "not present", the
  likelier answer.
* ``mean`` (§3, footnote 1): the share of votes that say present is the item's value itself. The paper found it worse.
* ``dawid-skene`` and ``mace`` weigh workers by how far they can be trusted, which is learned from the votes.

An aggregation is a function from votes to :class:`Decisions`; to add one, write a module and add a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.registry import Registry
from pyramidion.crowd.judging.votes import Votes
from pyramidion.stats.ratios import ratios


@dataclass(frozen=True)
class Decisions:
    """The decision on each item of the votes."""

    aggregation: str
    """The name of the aggregation, for the signature."""
    value: NDArray[np.float64]
    """The amount that each item adds to its summary's score: 0 or 1 or, where the aggregation gives degrees, between.
    NaN where nobody voted."""
    probability: NDArray[np.float64]
    """The probability that the statement is present: a share of votes, or a model's. NaN without a vote."""
    trust: Mapping[str, float] = field(default_factory=dict)
    """By worker, the estimated share of right answers; empty if the aggregation does not weigh workers."""

    @property
    def present(self) -> NDArray[np.bool_]:
        """For each item, whether the statement is present: more likely than not."""
        present: NDArray[np.bool_] = self.probability > 0.5
        return present

    @property
    def decided(self) -> NDArray[np.bool_]:
        """For each item, whether anybody voted on it."""
        decided: NDArray[np.bool_] = ~np.isnan(self.probability)
        return decided


Aggregation = Callable[[Votes], Decisions]

AGGREGATIONS: Registry[Aggregation] = Registry(
    "aggregation",
    "pyramidion.aggregations",
    {
        "majority": "pyramidion.crowd.judging.aggregate:majority",
        "mean": "pyramidion.crowd.judging.aggregate:mean",
        "dawid-skene": "pyramidion.crowd.judging.dawid_skene:dawid_skene",
        "mace": "pyramidion.crowd.judging.mace:mace",
    },
)


def majority(votes: Votes) -> Decisions:
    """Decide that a statement is present if more than half of the votes say so (§3)."""
    share = _share(votes)
    value = np.where(np.isnan(share), np.nan, (share > 0.5).astype(float))
    return Decisions("majority", value, share)


def mean(votes: Votes) -> Decisions:
    """Take the share of votes that say present as it is (§3, footnote 1)."""
    share = _share(votes)
    return Decisions("mean", share, share)


def _share(votes: Votes) -> NDArray[np.float64]:
    counts = votes.counts
    return ratios(counts[:, 1], counts.sum(axis=1))
