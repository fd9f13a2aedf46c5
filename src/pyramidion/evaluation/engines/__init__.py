"""Engines: who does the items of a work list, one after the other or several at once."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Protocol

from pyramidion.evaluation.work import Outcome, Tick, Work, silent
from pyramidion.evaluation.worklist import Item

PATIENCE = 600.0
"""Seconds that a step of an item may take: its pyramid, or the matching of a summary."""


class Engine(Protocol):
    """Does items, and hands over what comes of each as soon as it is there, in any order.

    An engine takes an item only when somebody is free to do it, so that a work list of any length fits, and whoever
    ends the list early has only what is under way finished. A method sees the same item whatever the engine, and so
    finds the same.

    An engine whose workers may die tries an item that fails again (:meth:`Item.after_failure`), and says what failed
    twice in :attr:`Outcome.failures`; nothing that happens to an item ends the run.
    """

    def run(self, work: Work, items: Iterable[Item], tick: Tick = silent) -> Generator[Outcome]:
        """The outcomes of the items; closing the iterator ends the workers."""
