"""Items on several processors: processes of this machine, each with a model of its own.

A worker is handed one item ahead, so that it never waits for the next, and says when a step of an item is over: that
tells which summary it was at when it dies, or takes too long. Such a worker is replaced, and what it was doing is done
again as :meth:`~pyramidion.runs.worklist.Item.after_failure` says.

A worker needs nothing of the program that starts it, and ends when that does, even if it is killed. An interrupt goes
to the driver alone, which decides what is still finished.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from types import ModuleType
from typing import Any, Literal

from pyramidion import threads
from pyramidion.errors import InputWarning, MissingPartError, PyramidionError
from pyramidion.runs.work import Failure, Outcome, Tick, Work, silent
from pyramidion.runs.worklist import Item

AHEAD = 2
"""Items that a worker has at a time: the one that it does, and the next."""
PATIENCE = 600.0
"""Seconds that a step of an item may take: its pyramid, or the matching of a summary."""
PRELOADED = ("numpy", "pyramidion.match.soft", "pyramidion.runs.engines.processes")
"""What all workers need, imported once and shared."""
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", threads.SETTING)
"""What says how many threads there are: each worker has one, unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Processes:
    """An engine of so many processes."""

    jobs: int = 1
    patience: float = PATIENCE
    """Seconds after which a step of an item has failed; 0 for any time."""

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise PyramidionError(f"The number of jobs is {self.jobs}.", do="give 1 or more")
        if not self.patience >= 0:
            raise PyramidionError(f"The time-out is {self.patience} seconds.", do="give 0 (none) or more")

    def run(self, work: Work, items: Iterable[Item], tick: Tick = silent) -> Generator[Outcome]:
        """The outcomes of the items, as they come."""
        pool = _Pool(self, work, iter(items), tick)
        try:
            yield from pool.outcomes()
        finally:
            pool.end()


class _Pool:
    """The workers, and what is still to do."""

    def __init__(self, engine: Processes, work: Work, items: Iterator[Item], tick: Tick) -> None:
        self._engine = engine
        self._work = work
        self._items = items
        self._tick = tick
        self._again: deque[Item] = deque()
        self._workers: list[_Worker] = []

    def outcomes(self) -> Iterator[Outcome]:
        self._hand_out()
        while busy := {worker.connection: worker for worker in self._workers if worker.items}:
            for ready in wait(list(busy), self._longest_wait(busy.values())):
                yield from self._heard(busy[ready])
            for worker in busy.values():
                if worker.items and self._engine.patience and monotonic() - worker.since > self._engine.patience:
                    why = f"a step took longer than {self._engine.patience:g} seconds"
                    yield from self._broken(worker, "time", why)
            self._hand_out()

    def end(self) -> None:
        for worker in self._workers:
            worker.end()

    def _longest_wait(self, busy: Iterable[_Worker]) -> float | None:
        """Until the first worker has taken too long."""
        if not self._engine.patience:
            return None
        return max(0.0, min(worker.since for worker in busy) + self._engine.patience - monotonic()) + 0.01

    def _hand_out(self) -> None:
        """Give workers what there is to do, first to those that have nothing."""
        for held in range(AHEAD):
            for number in range(self._engine.jobs):
                if number < len(self._workers) and len(self._workers[number].items) > held:
                    continue
                item = self._again.popleft() if self._again else next(self._items, None)
                if item is None:
                    return
                if number == len(self._workers):
                    self._workers.append(_Worker(self._work))
                self._workers[number].give(item)

    def _heard(self, worker: _Worker) -> Iterator[Outcome]:
        """What a worker says: that it is there, that a step is over, what came of its item, or nothing, for ever."""
        try:
            said = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._broken(worker, "crash", worker.death())
            return
        worker.since = monotonic()
        if isinstance(said, str):
            if worker.started:
                worker.steps += 1
                self._tick(said)
            worker.started = True
        elif isinstance(said, Outcome):
            worker.next()
            yield said
        else:
            cause = said.cause
            if isinstance(cause, MissingPartError):  # whatever the item
                raise cause
            item, place = worker.items[0], worker.place
            worker.next()
            yield from self._failed(item, place, said)

    def _broken(self, worker: _Worker, kind: Literal["crash", "time"], why: str) -> Iterator[Outcome]:
        """A worker is lost: another takes its place, and its first item has failed."""
        status = worker.end()
        if not worker.started and status > 0:
            raise PyramidionError(f"The worker processes cannot be started ({why}).", do="use a single job")
        item, *others = worker.items
        self._again.extendleft(reversed(others))
        self._workers[self._workers.index(worker)] = _Worker(self._work)
        yield from self._failed(item, worker.place, Failure(item.topic.id, "", kind, why))

    def _failed(self, item: Item, place: int | None, failure: Failure) -> Iterator[Outcome]:
        again = item.after_failure(place)
        self._again.extend(again)
        if not again:
            names = [peer.id for peer in item.peers] or [""]
            yield Outcome(item.key, None, failures=tuple(replace(failure, summary=name) for name in names))


class _Worker:
    """A process and what it has to do."""

    def __init__(self, work: Work) -> None:
        context: Any = _context()
        self.connection, other = context.Pipe()
        settings = {**dict.fromkeys(THREADS, "1"), **os.environ}
        self._process = context.Process(target=_serve, args=(other, work, settings), daemon=True)
        with _no_main():
            self._process.start()
        other.close()
        self.items: deque[Item] = deque()
        self.started = False
        self.next()

    def next(self) -> None:
        """Turn to the next item, if there is one."""
        if self.items:
            self.items.popleft()
        self.steps = 0
        self.since = monotonic()

    def give(self, item: Item) -> None:
        if not self.items:
            self.since = monotonic()
        self.items.append(item)
        with suppress(OSError):  # if it is dead, that is heard next
            self.connection.send(item)

    @property
    def place(self) -> int | None:
        """Which peer of its item the worker is at; None while it is at the pyramid, or past the last peer."""
        return self.steps - 1 if 0 < self.steps <= len(self.items[0].peers) else None

    def death(self) -> str:
        """Why the process ended."""
        self._process.join()
        status = self._process.exitcode or 0
        if status >= 0:
            return f"the worker ended with the exit status {status}"
        hint = ", perhaps for want of memory" if -status == signal.SIGKILL else ""
        return f"the worker was ended by signal {-status} ({signal.Signals(-status).name}){hint}"

    def end(self) -> int:
        """End the process; its exit status."""
        self._process.kill()
        self._process.join()
        self.connection.close()
        return self._process.exitcode or 0


def _context() -> Any:
    """Processes that begin with the modules imported and nothing else, where the system can do that."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    return context


@contextmanager
def _no_main() -> Iterator[None]:
    """Hide the user's script from the workers, which would run it again."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


# In the worker


def _serve(connection: Connection, work: Work, environment: Mapping[str, str]) -> None:
    """Do items as they come, until the driver is gone."""
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    os.environ.update(environment)
    coming: SimpleQueue[Item] = SimpleQueue()
    Thread(target=_receive, args=(connection, coming), daemon=True).start()
    connection.send("")
    while True:
        connection.send(_attempted(work, coming.get(), connection.send))


def _receive(connection: Connection, coming: SimpleQueue[Item]) -> None:
    """Take items from the pipe, so that it is never full while the worker, too, has something to say."""
    try:
        while True:
            coming.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)  # nobody waits for what is being done


def _attempted(work: Work, item: Item, tick: Tick) -> Outcome | Failure:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", InputWarning)
        try:
            outcome = next(iter(work.each([item], tick)))
        except PyramidionError as error:
            return Failure(item.topic.id, "", "error", str(error), error)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{os.path.basename(place.filename)}:{place.lineno}"  # noqa: PTH119
            return Failure(item.topic.id, "", "error", f"{type(error).__name__}: {error} ({where})")
    messages = (str(one.message) for one in told if issubclass(one.category, InputWarning))
    return replace(outcome, warnings=tuple(dict.fromkeys(messages)))
