"""The voters of a model: every named worker, and the unnamed ones as one, or each as their own.

Models of workers (:mod:`~pyramidion.crowd.judging.dawid_skene`, :mod:`~pyramidion.crowd.judging.mace`) learn about a
*voter*. Where the source does not name workers (REALSumm), each submission came from somebody unknown, and its votes,
ten or so, are all that is known of them: enough to weigh them, as ``docs/crowd-judging.md`` measures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyramidion.crowd.judging.votes import MISSING, Codes, Votes

Unnamed = Literal["pooled", "own"]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Voted:
    """The votes as columns; a voter may stand for several unnamed workers.

    To a model, a vote is its voter and its answer: 2 x ``voters`` cases, of which each vote has its ``case``.
    """

    item: Codes
    case: Codes
    """Twice the number of the voter, and one more if the vote says present."""
    items: int
    voter_of: Codes
    """The voter of each worker."""
    voters: int

    @classmethod
    def of(cls, votes: Votes, unnamed: Unnamed) -> Voted:
        """Take the votes that are not missing."""
        voter_of = np.arange(len(votes.workers))
        if unnamed == "pooled" and not votes.named.all():
            voter_of = np.where(votes.named, np.cumsum(votes.named), 0)
        answered = votes.answer != MISSING
        case = 2 * voter_of[votes.voter[answered]] + votes.answer[answered]
        return cls(votes.item[answered], case, len(votes.items), voter_of, int(voter_of.max(initial=-1)) + 1)

    def as_one(self) -> Voted:
        """Return the same votes as if one voter had given them all."""
        return replace(self, case=self.case % 2, voter_of=np.zeros_like(self.voter_of), voters=1)

    @cached_property
    def times(self) -> Array:
        """Voters x 2: how often each said not present, and present."""
        return self.by_case(np.ones(len(self.case)))

    def by_case(self, of_votes: Array) -> Array:
        """Return, voters x 2, the sum over the votes of each that say not present, and present."""
        sums = np.bincount(self.case, of_votes, minlength=2 * self.voters).astype(np.float64, copy=False)
        return sums.reshape(-1, 2)

    def by_item(self, of_cases: Array) -> Array:
        """Return the sum over the votes on each item of a number that voter and answer decide (voters x 2)."""
        of_votes = of_cases.ravel()[self.case]
        return np.bincount(self.item, of_votes, minlength=self.items).astype(np.float64, copy=False)

    def trust(self, votes: Votes, of_voter: Array) -> dict[str, float]:
        """Return for each worker who voted the trust in their voter, by name.

        All unnamed workers are ``#`` together: the mean over their votes.
        """
        times = self.times.sum(axis=1)
        trust = {
            name: round(float(of_voter[voter]), 12)
            for name, voter, named in zip(votes.workers, self.voter_of, votes.named, strict=True)
            if named and times[voter]
        }
        nameless = np.zeros(self.voters, dtype=bool)
        nameless[self.voter_of[~votes.named]] = True
        weight = float(times[nameless].sum())
        if weight:
            trust["#"] = round(float((times * of_voter)[nameless].sum() / weight), 12)
        return trust


def probability_of(log_odds: Array) -> Array:
    """Return the probabilities of log odds, to nine decimals.

    Two workers who contradict each other, and of whom nothing else is known, stay at a half, a tie, only as long as
    nothing tips the balance: an error of a sum in the last bit, which the order of workers decides, grows step by step.
    """
    probability: Array = np.round(1 / (1 + np.exp(-np.clip(log_odds, -700, 700))), 9)
    return probability
