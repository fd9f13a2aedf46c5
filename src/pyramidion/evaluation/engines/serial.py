"""One item after the other, in this process."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass

from pyramidion.evaluation.work import Outcome, Tick, Work, silent
from pyramidion.evaluation.worklist import Item


@dataclass(frozen=True, slots=True)
class Serial:
    """The engine of evaluations in memory: the first error is raised, and ends it."""

    def run(self, work: Work, items: Iterable[Item], tick: Tick = silent) -> Generator[Outcome]:
        """The outcomes of the items, in their order."""
        yield from work.each(items, tick)
