"""Engines: they do the items of a work list, one after the other or several at once."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Protocol

from pyramidion.evaluation.work import Outcome, Tick, Work, silent
from pyramidion.evaluation.worklist import Item

PATIENCE = 600.0
"""Seconds that a step of an item may take: its pyramid, or the matching of a summary."""


class Engine(Protocol):
    """Does items, and yields the outcome of each as soon as it is there, in any order.

    Engines pull: an idle worker takes the next item, so the work list is never held in memory. If the list ends early,
    items in progress are finished and the rest are not started. A method sees the same item with every engine, and so
    finds the same matches.

    An engine whose workers may die tries an item that fails again (:meth:`Item.after_failure`), and says what failed
    twice in :attr:`Outcome.failures`; nothing that happens to an item ends the run.
    """

    def run(self, work: Work, items: Iterable[Item], tick: Tick = silent) -> Generator[Outcome]:
        """Yield the outcomes of the items; closing the iterator ends the workers."""
