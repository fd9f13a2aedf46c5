r"""A purse that cannot be overdrawn: what a request may cost at most is put aside before it is sent.

Let L be the limit, S what may have been billed so far, and R what is put aside for requests under way. A request that
costs at most p is sent only if

.. math:: S + R + p \le L.

Until then it waits for the requests under way, which seldom cost all that was put aside for them; if there are none,
the purse is closed. When a reply has come, p leaves R and what it cost, c, enters S. A request that was lost, or whose
reply has no usable count of tokens, enters S with all of p, since it may have been billed. Hence S never passes L, in
whatever order threads come, as long as c <= p. A reply with c > p has broken the bound: it is counted, and the purse
is closed.
"""

from __future__ import annotations

from math import inf, isfinite
from threading import Condition

_ROUNDING = 1 + 1e-9
"""Sums of floating-point prices are this exact."""


class ClosedPurseError(Exception):
    """Nothing more may be spent."""


class Purse:
    """An amount of money that any number of threads may spend."""

    def __init__(self, limit: float = inf) -> None:
        self.limit = limit
        self.billed = 0.0
        """The most that may have been billed."""
        self.reserved = 0.0
        self.closed = ""
        """The reason why nothing more may be spent, if there is one."""
        self.is_broken = False
        """True if a reply has cost more than was put aside for it."""
        self._under_way = 0
        self._changed = Condition()

    @property
    def is_limited(self) -> bool:
        """True if there is a limit at all."""
        return isfinite(self.limit)

    def reserve(self, price: float) -> None:
        """Put the price of a request aside, as soon as it fits; a :class:`ClosedPurseError` if it never will."""
        with self._changed:
            while not self.closed and self.billed + self.reserved + price > self.limit:
                # Nothing under way will give money back, so the price will never fit.
                if not self._under_way:
                    self.closed = f"the next question may cost up to {price:.4f}"
                    self._changed.notify_all()
                    break
                self._changed.wait()
            if self.closed:
                raise ClosedPurseError(self.closed)
            self.reserved += price
            self._under_way += 1

    def settle(self, price: float, cost: float) -> None:
        """Pay a request for which that price was put aside; it stays under way until it has left."""
        with self._changed:
            self.reserved = max(0.0, self.reserved - price)
            self.billed += cost
            if self.is_limited and cost > price * _ROUNDING:
                self.closed = f"a reply that was to cost at most {price:.4f} cost {cost:.4f} by the endpoint's count"
                self.is_broken = True
            self._changed.notify_all()

    def leave(self) -> None:
        """Say that a request is done with, and its answer read and kept."""
        with self._changed:
            self._under_way -= 1
            if not self._under_way:
                self.reserved = 0.0  # not what rounding leaves
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until no request is under way, so that sums are final; a closed purse admits no further ones."""
        with self._changed:
            while self._under_way:
                self._changed.wait()
