"""Items on a Ray cluster: actors, each with a model of its own, on this machine or on many.

An actor is a worker as a process is (:mod:`~pyramidion.evaluation.engines.pool`). It takes a processor and, where a
method gains from one, a share of a GPU, and says what it has done as a stream. A message costs milliseconds, so the
steps of a moment are told together; an item at which an actor died is done again with a message for each step, so that
the driver knows which summary it was. The driver hands out two items at most for each actor that is there: a work list
of any length stays where it is.

An actor that dies alone may have died of its item, which is tried again as
:meth:`~pyramidion.evaluation.worklist.Item.after_failure` says. One that is lost with its node, or taken away by the
cluster, has not: what it was doing is done by another. As many actors are asked for as the cluster has room for, so
nodes that join get some, and nodes that leave are not waited for.

Each node needs this package in the same version; nothing else travels there but the work and its items.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from time import monotonic, sleep
from typing import Any

from pyramidion.base import cache
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.evaluation.engines import PATIENCE
from pyramidion.evaluation.engines.pool import THREADS, Message, Pool, Worker, WorkerLost, attempt_item
from pyramidion.evaluation.work import Failure, Outcome, Tick, Work, silent
from pyramidion.evaluation.worklist import Item
from pyramidion.notes import note_warnings
from pyramidion.version import __version__

INSTALL = "pip install 'pyramidion[ray]'"
UNSURE = 15.0
"""Seconds in which a cluster finds out that a node is lost."""
VAIN = 10
"""Workers that may be lost in a row before they have begun."""
_STREAM = {"num_returns": "streaming", "_generator_backpressure_num_objects": 1}
"""An actor sends one message at a time, and goes on when it was received."""
MOMENT = 0.1
"""Seconds whose steps an actor sends together."""
TINY = 1e-9
"""The error of a division whose result is a whole number."""
AGAIN = 5.0
"""Seconds after which the cluster is asked for its size again."""


@dataclass(frozen=True, slots=True)
class Ray:
    """An engine of actors; without an address, of a cluster on this machine that ends with the run."""

    address: str = ""
    """The address of a cluster: ``HOST:PORT``, ``ray://HOST:PORT``, or ``auto`` for the one of this machine."""
    jobs: int = 0
    """The largest number of actors; 0 for as many as the cluster has room for."""
    gpus: float = 0.0
    """The share of a GPU that each has."""
    patience: float = PATIENCE
    """Seconds after which a step of an item has failed; 0 for any time."""

    def __post_init__(self) -> None:
        if self.jobs < 0:
            raise PyramidionError(f"The number of jobs is {self.jobs}.", do="give 1 or more, or 0 for all processors")
        if not 0 <= self.gpus <= 1:
            raise PyramidionError(f"The share of a GPU is {self.gpus}.", do="give a number from 0 to 1")
        if not self.patience >= 0:
            raise PyramidionError(f"The time-out is {self.patience} seconds.", do="give 0 (none) or more")

    def run(self, work: Work, items: Iterable[Item], tick: Tick = silent) -> Generator[Outcome]:
        """The outcomes of the items, as they come."""
        with _cluster(self) as ray:
            yield from Pool(_Actors(ray, self, work), items, tick, self.patience).outcomes()


def _ray() -> Any:
    """Import Ray; usage statistics must be switched off before the import."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return import_module("ray")
    except ImportError as error:
        raise MissingPartError(f"The engine 'ray' needs Ray ({error}).", do=INSTALL) from error


@contextmanager
def _cluster(engine: Ray) -> Iterator[Any]:
    """Yield Ray, connected; a connection that is there already is used, and stays open."""
    ray = _ray()
    if ray.is_initialized():
        yield ray
        return
    local = {} if engine.address else {"num_cpus": engine.jobs or None, "include_dashboard": False}
    try:
        ray.init(address=engine.address or "local", log_to_driver=False, logging_level="ERROR", **local)
    except Exception as error:  # Ray raises that itself, for instance where a node takes too long to start
        where = f"cluster at {engine.address!r}" if engine.address else "local cluster"
        raise PyramidionError(
            f"The {where} cannot be used ({str(error).splitlines()[0]}).",
            do="check the address, and that Ray runs there"
            if engine.address
            else "try again, or choose the engine of local processes",
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


class _Remote(Worker):
    """An actor, and the streams of what it says: first that it is there, then of each item."""

    def __init__(self, ray: Any, handle: Any) -> None:
        super().__init__()
        self._ray = ray
        self._handle = handle
        self.node = ""
        self.streams: deque[Any] = deque([handle.begin.options(**_STREAM).remote()])

    @property
    def accepts(self) -> bool:
        """True if it runs: an actor that waits for room must keep no item from those that run."""
        return self.started

    @property
    def is_exact(self) -> bool:
        """True if it sends each step at once; else it may have ended before it sent its latest ones."""
        return self.items[0].careful

    def send(self, item: Item) -> None:
        self.streams.append(self._handle.attempt.options(**_STREAM).remote(item))

    def end(self) -> None:
        self._ray.kill(self._handle)

    def receive(self) -> tuple[Message, ...]:
        """Return the next messages of its first stream; none where the stream is over."""
        try:
            received = self._ray.get(next(self.streams[0]))
        except StopIteration:
            self.streams.popleft()
            return ()
        except self._ray.exceptions.RayActorError as error:
            return (self._loss(error),)
        if not self.started:
            self.node, version = received
            if version != __version__:
                raise PyramidionError(
                    f"A node of the cluster has pyramidion {version}, and this is {__version__}.",
                    do="install the same version on all nodes",
                )
            return ("",)
        messages: tuple[Message, ...] = received
        return messages

    def _loss(self, error: Exception) -> WorkerLost:
        """Return the message that it has ended: by itself, or with its node."""
        if getattr(error, "actor_init_failed", False):
            raise PyramidionError(
                f"The workers cannot be started: {_reason(error)}.", do="check that pyramidion is on every node"
            )
        if getattr(error, "preempted", False) or self._is_lost(isinstance(error, _unavailable(self._ray))):
            return WorkerLost("the node was lost", innocent=True)
        return WorkerLost(f"the worker died: {_reason(error)}")

    def _is_lost(self, unsure: bool) -> bool:
        """Return whether its node is lost; if the cluster may not know yet (``unsure``), ask it again for a while."""
        until = monotonic() + (UNSURE if unsure else 0.0)
        while any(node["NodeID"] == self.node and node["Alive"] for node in self._ray.nodes()):
            if monotonic() >= until:
                return False
            sleep(0.1)
        return True


class _Actors:
    """The actors of a cluster."""

    def __init__(self, ray: Any, engine: Ray, work: Work) -> None:
        self._ray = ray
        self._engine = engine
        self._work = ray.put(work)
        self._surroundings = _surroundings()
        self._size, self._counted = 0, float("-inf")
        self._vain = 0
        # A crash must come to us: Ray would try the same again.
        self._class = ray.remote(num_cpus=1, num_gpus=engine.gpus, max_restarts=0, max_task_retries=0)(_Actor)

    @property
    def size(self) -> int:
        """The number of actors that the nodes have room for now."""
        if monotonic() - self._counted > AGAIN:
            most = room([node["Resources"] for node in self._ray.nodes() if node["Alive"]], self._engine.gpus)
            if not most and self._engine.gpus:
                raise PyramidionError("The cluster has no GPU for a worker.", do="leave out the share of a GPU")
            if not most:
                raise PyramidionError("The cluster has no processor for a worker.", do="add a node that has one")
            self._size = min(most, self._engine.jobs or most)
            self._counted = monotonic()
        return self._size

    def hire(self) -> _Remote:
        return _Remote(self._ray, self._class.remote(self._work, self._surroundings))

    def messages(self, workers: Sequence[_Remote], seconds: float | None) -> Iterator[tuple[_Remote, Message]]:
        by_stream = {worker.streams[0]: worker for worker in workers if worker.streams}
        seconds = AGAIN if seconds is None else min(seconds, AGAIN)
        ready, _ = self._ray.wait(list(by_stream), num_returns=1, timeout=seconds, fetch_local=False)
        for stream in ready:
            worker = by_stream[stream]
            for message in worker.receive():
                self._check_starts(worker, message)
                yield worker, message

    def _check_starts(self, worker: _Remote, message: Message) -> None:
        """Give up where worker after worker is lost before it runs."""
        self._vain = self._vain + 1 if isinstance(message, WorkerLost) and not worker.started else 0
        if self._vain > VAIN:
            raise PyramidionError(
                f"{self._vain} workers in a row were lost before they ran.", do="look at the logs of the cluster"
            )


def room(nodes: Iterable[Mapping[str, float]], gpus: float) -> int:
    """Return the number of actors that fit on nodes: each gets a processor and its share of a GPU of the same node.

    >>> room([{"CPU": 16, "GPU": 2}, {"CPU": 8}], 0.4)  # two on each GPU, for the fifth of a GPU that is left is wasted
    4
    >>> room([{"CPU": 16, "GPU": 2}, {"CPU": 8}], 0.0)
    24
    """
    places = 0
    for node in nodes:
        processors = int(node.get("CPU", 0))
        places += min(processors, int(node.get("GPU", 0)) * int(1 / gpus + TINY)) if gpus else processors
    return places


def _unavailable(ray: Any) -> tuple[type[Exception], ...]:
    """The error that says that an actor cannot be reached, and not why; older versions of Ray have none."""
    kind = getattr(ray.exceptions, "ActorUnavailableError", None)
    return (kind,) if kind else ()


def _reason(error: Exception) -> str:
    """The sentence of Ray's message that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("\t")]
    return lines[-1].partition(" Some common causes")[0].rstrip(".") if lines else type(error).__name__


def _surroundings() -> dict[str, str]:
    """The environment of an actor: its threads, and whether and where results are kept."""
    settings = {name: os.environ.get(name, "1") for name in THREADS}
    folder = os.environ.get(cache.FOLDER, "") or cache.OFF
    if folder != str(cache.user_folder()):  # a home is another on every node
        settings[cache.FOLDER] = folder
    if size := os.environ.get(cache.SIZE):
        settings[cache.SIZE] = size
    return settings


# In the worker


class _Actor:
    """Does items; its models are loaded once."""

    def __init__(self, work: Work, surroundings: dict[str, str]) -> None:
        os.environ.update(surroundings)
        cache.use_by_default()
        note_warnings()
        self._work = work

    def begin(self) -> Iterator[tuple[str, str]]:
        """Yield the id of its node, and the version of the package there."""
        yield import_module("ray").get_runtime_context().get_node_id(), __version__

    def attempt(self, item: Item) -> Iterator[tuple[str | Outcome | Failure, ...]]:
        """Yield the steps of an item, those of a moment together, and its outcome or failure.

        A careful item waits after each step until the driver knows of it. Otherwise a summary that kills its worker at
        once would be taken for the one before it.
        """
        messages: SimpleQueue[str | Outcome | Failure] = SimpleQueue()
        received = Semaphore(0)

        def tick(step: str) -> None:
            messages.put(step)
            if item.careful:
                received.acquire()

        Thread(target=lambda: messages.put(attempt_item(self._work, item, tick)), daemon=True).start()
        batch: tuple[str | Outcome | Failure, ...] = ("",)
        while isinstance(batch[-1], str):
            batch = _of_a_moment(messages, 0.0 if item.careful else MOMENT)
            yield batch
            received.release()


def _of_a_moment(messages: SimpleQueue[str | Outcome | Failure], seconds: float) -> tuple[str | Outcome | Failure, ...]:
    """Return the next message, and those that follow within so many seconds; none follows an outcome or a failure."""
    batch = [messages.get()]
    until = monotonic() + seconds
    with suppress(Empty):
        while isinstance(batch[-1], str) and (left := until - monotonic()) > 0:
            batch.append(messages.get(timeout=left))
    return tuple(batch)
