"""Items on several processors: processes of this machine, each with a model of its own.

A worker needs nothing of the program that starts it, and ends when that does, even if it is killed. An interrupt goes
to the driver alone, which decides what is still finished.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from types import ModuleType
from typing import Any

from pyramidion.base import threads
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.engines import PATIENCE
from pyramidion.evaluation.engines.pool import THREADS, Message, Pool, Worker, WorkerLost, attempt_item
from pyramidion.evaluation.work import Outcome, Tick, Work, silent
from pyramidion.evaluation.worklist import Item
from pyramidion.notes import note_warnings

PRELOADED = ("numpy", "pyramidion.matchers.soft", "pyramidion.evaluation.engines.processes")
"""What all workers need, imported once and shared."""


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
        yield from Pool(_Processes(self.jobs, work), items, tick, self.patience).outcomes()


class _Process(Worker):
    """A process, and a pipe to it."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        context: Any = _context()
        self.connection, worker_end = context.Pipe()
        settings = {**dict.fromkeys(THREADS, "1"), **os.environ}
        self._process = context.Process(target=_serve, args=(worker_end, work, settings), daemon=True)
        with _no_main():
            self._process.start()
        worker_end.close()  # else the end of the worker would not close the pipe

    def send(self, item: Item) -> None:
        with suppress(OSError):  # if it is dead, that is heard next
            self.connection.send(item)

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.connection.close()

    def death(self) -> WorkerLost:
        """Return the message that the process has ended, and why."""
        self._process.join()
        status = self._process.exitcode or 0
        if status < 0:
            hint = ", perhaps for want of memory" if -status == signal.SIGKILL else ""
            return WorkerLost(f"the worker was ended by signal {-status} ({signal.Signals(-status).name}){hint}")
        why = f"the worker ended with the exit status {status}"
        if status and not self.started:
            raise PyramidionError(f"The worker processes cannot be started ({why}).", do="use a single job")
        return WorkerLost(why)


@dataclass(frozen=True, slots=True)
class _Processes:
    """So many processes for some work."""

    size: int
    work: Work

    def hire(self) -> _Process:
        return _Process(self.work)

    def messages(self, workers: Sequence[_Process], seconds: float | None) -> Iterator[tuple[_Process, Message]]:
        by_connection = {worker.connection: worker for worker in workers}
        for ready in wait(list(by_connection), seconds):
            worker = by_connection[ready]
            try:
                message: Message = worker.connection.recv()
            except (EOFError, OSError):
                message = worker.death()
            yield worker, message


def _context() -> Any:
    """Return a context of processes that begin with the imported modules and nothing else, where the system has one."""
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
    # a terminal sends Ctrl-C to the whole group; the driver alone decides what is still finished
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    os.environ.update(environment)
    note_warnings()
    threads.limit_loaded_blas()  # numpy is among what is preloaded
    coming: SimpleQueue[Item] = SimpleQueue()
    Thread(target=_receive, args=(connection, coming), daemon=True).start()
    connection.send("")
    while True:
        connection.send(attempt_item(work, coming.get(), connection.send))


def _receive(connection: Connection, coming: SimpleQueue[Item]) -> None:
    """Take items from the pipe, so that it is never full while the worker, too, has something to say."""
    try:
        while True:
            coming.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)  # nobody waits for what is being done
