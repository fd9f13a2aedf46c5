r"""The degree to which a worker follows the others: 1 in everything, 0 as dice or a constant answer, -1 in nothing.

For a statement of which two others or more say one thing, and fewer the opposite, let *p* be the share of "present"
among the worker's answers where the others say present, and *q* the share where they say not present. Then

.. math:: follows = p - q

(Youden's J with the others' majority in the place of the truth). Unlike agreement it is 0 for whoever never looks,
however many statements are present. Its 95 % interval is Newcombe's for the difference of two proportions (1998, method
10): with Wilson's limits l and u of each,

.. math:: p - q - \sqrt{(p - l_p)^2 + (u_q - q)^2} \quad\text{to}\quad p - q + \sqrt{(u_p - p)^2 + (q - l_q)^2}.

Somebody who mixes up the two answers comes out far below 0. Dice do so only by chance, which the interval tells. The
others are everybody else: where most of a crowd mixes up the answers, no arithmetic notices.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from pyramidion.crowd.judging.votes import MISSING, Votes

REVERSED = -0.2
"""Somebody answers the other way round if the whole interval is below this."""
ENOUGH = 16
"""The fewest answers from which that is concluded of a worker."""
_LEAST = 2
"""The votes that a majority of the others needs: of two workers who disagree, nobody knows who is right."""
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Following:
    """The degree to which one worker follows the others, with its 95 % interval."""

    value: float
    low: float
    high: float
    answers: int
    """The number of answers on which it rests."""

    @property
    def is_reversed(self) -> bool:
        """The worker says the opposite of what the others say, clearly more often than by chance."""
        return self.high < REVERSED and self.answers >= ENOUGH

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


def following(votes: Votes) -> dict[str, Following]:
    """Return by name how far each worker follows the others, if they had both kinds of statements to answer."""
    answered = votes.answer != MISSING
    item, voter, answer = votes.item[answered], votes.voter[answered], votes.answer[answered].astype(np.intp)
    counts = votes.counts[item]
    counts[np.arange(len(item)), answer] -= 1  # a worker's own vote is none of the others'
    clear = (counts.max(axis=1, initial=0) >= _LEAST) & (counts[:, 0] != counts[:, 1])
    majority = (counts[:, 1] > counts[:, 0]).astype(np.intp)
    cases = 4 * voter[clear] + 2 * majority[clear] + answer[clear]
    table = np.bincount(cases, minlength=4 * len(votes.workers)).reshape(-1, 2, 2)
    return {
        name: _difference(int(cells[1, 1]), int(cells[1].sum()), int(cells[0, 1]), int(cells[0].sum()))
        for name, cells, named in zip(votes.workers, table, votes.named, strict=True)
        if named and cells.sum(axis=1).all()
    }


def reversed_workers(votes: Votes) -> dict[str, Following]:
    """Return those who answer the other way round."""
    return {name: follows for name, follows in following(votes).items() if follows.is_reversed}


def _difference(hits: int, presents: int, alarms: int, absents: int) -> Following:
    """Return the difference of two proportions with Newcombe's interval.

    >>> print(_difference(56, 70, 48, 80))
    0.20 (0.05 to 0.33)
    """
    p, q = hits / presents, alarms / absents
    low_p, high_p = _wilson(hits, presents)
    low_q, high_q = _wilson(alarms, absents)
    low, high = sqrt((p - low_p) ** 2 + (high_q - q) ** 2), sqrt((high_p - p) ** 2 + (q - low_q) ** 2)
    return Following(round(p - q, 12), round(p - q - low, 12), round(p - q + high, 12), presents + absents)


def _wilson(count: int, total: int) -> tuple[float, float]:
    share, z = count / total, _Z**2 / total
    half = sqrt(z * (share * (1 - share) + z / 4))
    return (share + z / 2 - half) / (1 + z), (share + z / 2 + half) / (1 + z)
