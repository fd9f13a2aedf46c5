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
class WorkerLost:
    """The message that a worker has ended."""

    why: str
    innocent: bool = False
    """True if the worker's item cannot be the cause."""


Message = str | Outcome | Failure | WorkerLost
"""A worker's message: a step is over (at first: the worker is there), an item's outcome or failure, or its own end."""


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
        """True if it can be given an item at all."""
        return True

    @property
    def is_exact(self) -> bool:
        """True if every step that it did is known, however it ended."""
        return True

    @property
    def place(self) -> int | None:
        """The number of the peer that the worker is at; None while it is at the pyramid, or past the last peer."""
        return self.steps - 1 if 0 < self.steps <= len(self.items[0].peers) else None

    @abstractmethod
    def send(self, item: Item) -> None:
        """Let it know of an item."""

    @abstractmethod
    def end(self) -> None:
        """End it, whatever it does."""


W = TypeVar("W", bound=Worker)


class Crew(Protocol[W]):
    """A source of workers, and of the messages that they send."""

    @property
    def size(self) -> int:
        """The number of workers that there can be at the moment."""

    def hire(self) -> W:
        """Another worker."""

    def messages(self, workers: Sequence[W], seconds: float | None) -> Iterator[tuple[W, Message]]:
        """Yield messages of the workers; none, if no worker sends any for so many seconds."""


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
        """Yield the outcomes of the items; at the end no worker is left."""
        try:
            while self._hand_out():
                waited_for = [worker for worker in self._workers if worker.items or not worker.accepts]
                for worker, message in self._crew.messages(waited_for, self._longest_wait()):
                    yield from self._handle_message(worker, message)
                for worker in tuple(self._workers):
                    if worker.items and self._patience and monotonic() - worker.since > self._patience:
                        why = f"a step took longer than {self._patience:g} seconds"
                        yield from self._replace_worker(worker, "time", WorkerLost(why))
        finally:
            for worker in self._workers:
                worker.end()

    def _longest_wait(self) -> float | None:
        """Return the seconds until the first worker has taken too long; None for no limit."""
        busy = [worker.since for worker in self._workers if worker.items]
        if not self._patience or not busy:
            return None
        # a little later than the limit, so that it has passed by then
        return max(0.0, min(busy) + self._patience - monotonic()) + 0.01

    def _is_more(self) -> bool:
        """Return whether an item waits for a worker."""
        if not self._again:
            self._again.extend([item] if (item := next(self._items, None)) else [])
        return bool(self._again)

    def _hand_out(self) -> bool:
        """Give items to workers, first to those that have none; return whether there is still something to do."""
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

    def _handle_message(self, worker: W, message: Message) -> Iterator[Outcome]:
        """Count a step, turn to the next item, or replace a lost worker; yield the outcome if there is one."""
        worker.since = monotonic()
        if isinstance(message, str):
            if worker.started:
                worker.steps += 1
                self._tick(message)
            worker.started = True
        elif isinstance(message, Outcome):
            worker.next()
            yield message
        elif isinstance(message, WorkerLost):
            yield from self._replace_worker(worker, "crash", message)
        else:
            if isinstance(message.cause, MissingPartError):  # every other item would fail, too
                raise message.cause
            item, place = worker.items[0], worker.place
            worker.next()
            yield from self._retry(item, place, message)

    def _replace_worker(self, worker: W, kind: Literal["crash", "time"], lost: WorkerLost) -> Iterator[Outcome]:
        """Remove a lost worker; its first item has failed, unless the item cannot be the cause."""
        worker.end()
        self._workers.remove(worker)
        if lost.innocent or not worker.items:
            self._again.extendleft(reversed(worker.items))
            return
        item, *waiting = worker.items
        self._again.extendleft(reversed(waiting))  # to the front, in their order: they were next
        if kind == "crash" and not worker.is_exact:
            # it is not known which peer the worker was at: the same item again, with a message for each step
            self._again.append(replace(item, careful=True))
            return
        yield from self._retry(item, worker.place, Failure(item.topic.id, "", kind, lost.why))

    def _retry(self, item: Item, place: int | None, failure: Failure) -> Iterator[Outcome]:
        """Put what is left of a failed item back into the work list; yield its failures if it is not tried again."""
        again = item.after_failure(place)
        self._again.extend(again)
        if not again:
            names = [peer.id for peer in item.peers] or [""]
            yield Outcome(item.key, None, failures=tuple(replace(failure, summary=name) for name in names))


# In the worker


def attempt_item(work: Work, item: Item, tick: Tick) -> Outcome | Failure:
    """Do an item; return its outcome, or the failure that it ended with."""
    with collect_notes() as notes:
        try:
            outcome = next(iter(work.each([item], tick)))
        except PyramidionError as error:
            return Failure(item.topic.id, "", "error", str(error), error)
        except Exception as error:
            what = f"{type(error).__name__}: {error} ({raised_at(error)})"
            return Failure(item.topic.id, "", "error", what)
    return replace(outcome, notes=tuple(notes))
