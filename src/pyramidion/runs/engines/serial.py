"""One item after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyramidion.runs.work import Outcome, Tick, Work, silent
from pyramidion.runs.worklist import Item


@dataclass(frozen=True, slots=True)
class Serial:
    """The engine of evaluations in memory: the first error is raised, and ends it."""

    def run(self, work: Work, items: Iterable[Item], tick: Tick = silent) -> Iterator[Outcome]:
        """The outcomes of the items, in their order."""
        return work.each(items, tick)
