r"""Do workers who judge the same statements of the same summary answer alike (Shapira et al. 2019 §3)?

A *pair* is two assignments of different workers with the same statements on the same summary. Its agreement is

* ``positional``: the share of statements that both answered of which both said the same;
* ``sequence``: what the published code takes, :math:`2M / T` of ``difflib.SequenceMatcher``, with M answers in matching
  blocks and T answers of both. A block may be shifted, so that two workers who disagree on every statement can seem to
  agree: "pnpnpn" and "npnpnp" have 10/12. A shifted block can also hide agreement: "ppnpn" and "ppppn" have 6/10, by
  position 4/5. It depends on which of the two comes first, in the code by chance; here, the answers that come first in
  order.

Statements that one of the two did not answer are left out of the pair, and a pair without a common answer does not
count. A *worker's* agreement is the mean over the pairs of their assignments, by ``sequence`` rounded to three decimals
as in the code. Workers who are in no pair have none.

The mean over all pairs (:attr:`Pairs.mean`) is the crowd's pairwise agreement: .863 for REALSumm. Over pairs of *votes*
(:mod:`~pyramidion.crowd.judging.topic_agreement`), where long tasks count for more, it is .864.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.choices import check_choices
from pyramidion.crowd.judging.screening import AgreementName
from pyramidion.crowd.judging.votes import MISSING, Codes, Votes
from pyramidion.stats.ratios import ratios


@dataclass(frozen=True)
class Pairs:
    """Pairs of assignments that can be compared, as parallel columns."""

    agreement: AgreementName
    first: Codes
    """The worker of the first assignment."""
    second: Codes
    """The worker of the second."""
    alike: NDArray[np.float64]
    """The agreement of their answers, from 0 to 1."""

    @property
    def mean(self) -> float | None:
        """The mean over pairs: every pair of assignments weighs the same, however many statements it has."""
        return _mean(self.alike)

    def mean_among(self, left: NDArray[np.bool_]) -> float | None:
        """Return the mean over pairs of workers who are left."""
        return _mean(self.alike[left[self.first] & left[self.second]])

    def by_worker(self, left: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the agreement of each worker with those who are left; NaN for workers who share no pair with them."""
        among = left[self.first] & left[self.second]
        alike = np.concatenate([self.alike[among]] * 2)
        worker = np.concatenate([self.first[among], self.second[among]])
        times = np.bincount(worker, minlength=len(left))
        agreement = ratios(np.bincount(worker, alike, minlength=len(left)), times)
        # rounded: what is a half must not fall below one by the order of a sum
        return np.round(agreement, 3 if self.agreement == "sequence" else 12)


def _mean(alike: NDArray[np.float64]) -> float | None:
    return round(float(alike.mean()), 12) if len(alike) else None


@check_choices
def pairs(votes: Votes, agreement: AgreementName = "positional") -> Pairs:
    """Return all pairs of assignments with the same statements on the same summary, and how far they agree."""
    first, second = _votes_on_the_same_item(votes)
    task = votes.task
    left, right = votes.assignment[first], votes.assignment[second]
    same_task = task[left] == task[right]
    first, second, left, right = (column[same_task] for column in (first, second, left, right))
    # one number for two assignments: their votes on common items are one pair
    key, pair = np.unique(left * len(task) + right, return_inverse=True)
    if agreement == "positional":
        alike = np.bincount(pair, votes.answer[first] == votes.answer[second], len(key)) / np.bincount(
            pair, minlength=len(key)
        )
    else:
        alike = _sequences(votes, first, second, pair, len(key))
    return Pairs(agreement, votes.worker[key // len(task)], votes.worker[key % len(task)], alike)


def _votes_on_the_same_item(votes: Votes) -> tuple[Codes, Codes]:
    """Return all pairs of given votes on one item by different workers, as the numbers of the two votes."""
    answered = np.flatnonzero(votes.answer != MISSING)
    # by item, then by assignment: which of two assignments comes first is the same for all their statements
    answered = answered[np.lexsort((votes.assignment[answered], votes.item[answered]))]
    item, voter = votes.item[answered], votes.voter[answered]
    pairs: list[tuple[Codes, Codes]] = []
    at = np.arange(len(answered))
    # the votes of an item stand together, so those 1, 2, ... places ahead are compared until no item has so many
    for ahead in range(1, len(answered)):
        at = at[: np.searchsorted(at, len(answered) - ahead)]
        at = at[item[at] == item[at + ahead]]
        if not len(at):
            break
        apart = at[voter[at] != voter[at + ahead]]
        pairs.append((answered[apart], answered[apart + ahead]))
    nothing = np.empty(0, dtype=np.intp)
    firsts, seconds = zip(*pairs, strict=True) if pairs else ((nothing,), (nothing,))
    return np.concatenate(firsts), np.concatenate(seconds)


def _sequences(votes: Votes, first: Codes, second: Codes, pair: Codes, count: int) -> NDArray[np.float64]:
    """Return the sequence matcher's ratio of each pair's answers, in the order in which statements were shown."""
    order = np.lexsort((first, pair))
    ends = np.cumsum(np.bincount(pair, minlength=count)).tolist()
    left, right = (votes.answer[chosen[order]].tobytes() for chosen in (first, second))
    answers = ((left[start:end], right[start:end]) for start, end in pairwise([0, *ends]))
    return np.array([_ratio(min(two), max(two)) for two in answers], dtype=float)


@lru_cache(maxsize=1 << 16)
def _ratio(left: bytes, right: bytes) -> float:
    return SequenceMatcher(None, left, right).ratio()
