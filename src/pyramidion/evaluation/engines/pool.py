"""Workers elsewhere, and what is still to do: what engines of processes and of a cluster share.

A worker that is quick is handed one item ahead, so that it never waits for the next; where an item takes longer, the
next goes to whoever is free first, and an interrupt need not wait for it. A worker says when a step of an item is over:
that tells which summary it was at when it dies, or takes too long. Such a worker is replaced, and what it was doing is
done again as :meth:`~pyramidion.evaluation.worklist.Item.after_failure` says. A worker that was lost through nobody's
fault, such as with its machine, leaves its items as they were.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Generic, Literal, Protocol, TypeVar

from pyramidion.base import threads
from pyramidion.base.registry import raised_at
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.evaluation.work import Failure, Outcome, Tick, Work
from pyramidion.evaluation.worklist import Item
from pyramidion.notes import collect_notes

AHEAD = 2
"""Items that a worker has at a time: the one that it does, and the next."""
QUICK = 2.0
"""Seconds within which a worker did its latest item, if it is handed the next ahead."""
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", threads.SETTING)
"""What says how many threads there are: each worker has one, unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A worker is no more."""

    why: str
    innocent: bool = False
    """Whether it cannot have been what the worker did."""


Said = str | Outcome | Failure | Gone
"""What a worker says: that a step is over (first, that it is there), what came of an item, or nothing, for ever."""


class Worker(ABC):
    """Somebody who does items, and those that it has."""

    def __init__(self) -> None:
        self.items: deque[Item] = deque()
        self.started = False
        self.is_quick = False
        self.begun = self.since = monotonic()
        self.steps = 0

    def next(self) -> None:
        """Turn from the item that is done to the next, if there is one."""
        self.items.popleft()
        self.steps = 0
        self.is_quick = monotonic() - self.begun < QUICK
        self.begun = self.since = monotonic()

    def give(self, item: Item) -> None:
        """Hand over an item."""
        if not self.items:
            self.begun = self.since = monotonic()
        self.items.append(item)
        self.send(item)

    @property
    def accepts(self) -> bool:
        """Whether it can be given an item at all."""
        return True

    @property
    def is_exact(self) -> bool:
        """Whether every step that it did is known, however it ended."""
        return True

    @property
    def place(self) -> int | None:
        """Which peer of its item the worker is at; None while it is at the pyramid, or past the last peer."""
        return self.steps - 1 if 0 < self.steps <= len(self.items[0].peers) else None

    @abstractmethod
    def send(self, item: Item) -> None:
        """Let it know of an item."""

    @abstractmethod
    def end(self) -> None:
        """End it, whatever it does."""


W = TypeVar("W", bound=Worker)


class Crew(Protocol[W]):
    """Where workers come from."""

    @property
    def size(self) -> int:
        """How many there can be at the moment."""

    def hire(self) -> W:
        """Another worker."""

    def heard(self, workers: Sequence[W], seconds: float | None) -> Iterator[tuple[W, Said]]:
        """What some of them say; nothing, if none says anything for so long."""


class Pool(Generic[W]):
    """The workers of a crew, and what is still to do."""

    def __init__(self, crew: Crew[W], items: Iterable[Item], tick: Tick, patience: float) -> None:
        self._crew = crew
        self._items = iter(items)
        self._tick = tick
        self._patience = patience
        self._again: deque[Item] = deque()
        self._workers: list[W] = []

    def outcomes(self) -> Generator[Outcome]:
        """What comes of the items; at its end no worker is left."""
        try:
            while self._hand_out():
                waited_for = [worker for worker in self._workers if worker.items or not worker.accepts]
                for worker, said in self._crew.heard(waited_for, self._longest_wait()):
                    yield from self._heard(worker, said)
                for worker in tuple(self._workers):
                    if worker.items and self._patience and monotonic() - worker.since > self._patience:
                        why = f"a step took longer than {self._patience:g} seconds"
                        yield from self._broken(worker, "time", Gone(why))
        finally:
            for worker in self._workers:
                worker.end()

    def _longest_wait(self) -> float | None:
        """Until the first worker has taken too long."""
        busy = [worker.since for worker in self._workers if worker.items]
        if not self._patience or not busy:
            return None
        return max(0.0, min(busy) + self._patience - monotonic()) + 0.01

    def _is_more(self) -> bool:
        """Whether an item waits for somebody to do it."""
        if not self._again:
            self._again.extend([item] if (item := next(self._items, None)) else [])
        return bool(self._again)

    def _hand_out(self) -> bool:
        """Give workers what there is to do, first to those that have nothing; whether there is still something."""
        size = self._crew.size
        for held in range(AHEAD):
            for number in range(size):
                if number < len(self._workers) and not self._is_free(self._workers[number], held):
                    continue
                if not self._is_more():
                    return any(worker.items for worker in self._workers)
                if number == len(self._workers):
                    self._workers.append(self._crew.hire())
                if self._workers[number].accepts:
                    self._workers[number].give(self._again.popleft())
        return True

    @staticmethod
    def _is_free(worker: W, held: int) -> bool:
        return worker.accepts and len(worker.items) <= held and (worker.is_quick or not worker.items)

    def _heard(self, worker: W, said: Said) -> Iterator[Outcome]:
        worker.since = monotonic()
        if isinstance(said, str):
            if worker.started:
                worker.steps += 1
                self._tick(said)
            worker.started = True
        elif isinstance(said, Outcome):
            worker.next()
            yield said
        elif isinstance(said, Gone):
            yield from self._broken(worker, "crash", said)
        else:
            if isinstance(said.cause, MissingPartError):  # whatever the item
                raise said.cause
            item, place = worker.items[0], worker.place
            worker.next()
            yield from self._failed(item, place, said)

    def _broken(self, worker: W, kind: Literal["crash", "time"], gone: Gone) -> Iterator[Outcome]:
        """A worker is lost: another takes its place, and its first item has failed, unless that is innocent."""
        worker.end()
        self._workers.remove(worker)
        if gone.innocent or not worker.items:
            self._again.extendleft(reversed(worker.items))
            return
        item, *others = worker.items
        self._again.extendleft(reversed(others))
        if kind == "crash" and not worker.is_exact:
            self._again.append(replace(item, careful=True))
            return
        yield from self._failed(item, worker.place, Failure(item.topic.id, "", kind, gone.why))

    def _failed(self, item: Item, place: int | None, failure: Failure) -> Iterator[Outcome]:
        again = item.after_failure(place)
        self._again.extend(again)
        if not again:
            names = [peer.id for peer in item.peers] or [""]
            yield Outcome(item.key, None, failures=tuple(replace(failure, summary=name) for name in names))


# In the worker


def attempted(work: Work, item: Item, tick: Tick) -> Outcome | Failure:
    """What comes of an item, or the error that it ended with."""
    with collect_notes() as notes:
        try:
            outcome = next(iter(work.each([item], tick)))
        except PyramidionError as error:
            return Failure(item.topic.id, "", "error", str(error), error)
        except Exception as error:
            what = f"{type(error).__name__}: {error} ({raised_at(error)})"
            return Failure(item.topic.id, "", "error", what)
    return replace(outcome, notes=tuple(notes))
