"""How many things are done at once, for the whole program.

Threads pay where each has much to do alone. A pass of one of our networks has not: split over two threads, the short
ones took 1.4 times the processor time of one thread, and products of small matrices under OpenBLAS, whose second thread
waits by spinning, 2.4 times. So every network and every matrix product has one thread, and threads go to what is
independent: the summaries of a topic, the texts that are read for one summary. A busy machine then loses nothing, and a
quiet one uses all its processors.

``PYRAMIDION_THREADS`` is how many summaries are read at once by a matcher that gains from it; as many as there are
processors, unless it is set. What is set for OpenBLAS itself (``OPENBLAS_NUM_THREADS``) is left alone.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import copy_context
from functools import cache, update_wrapper
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from pyramidion.errors import PyramidionError
from pyramidion.notes import Note, collect_notes, repeat_notes

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

S = TypeVar("S")
T = TypeVar("T")
P = ParamSpec("P")

SETTING = "PYRAMIDION_THREADS"
_BLAS = "OPENBLAS_NUM_THREADS"


def count() -> int:
    """Return the number of threads: that of the setting, or that of the processors of this process."""
    setting = os.environ.get(SETTING)
    if setting is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not re.fullmatch(r"[1-9][0-9]{0,2}", setting):
        raise PyramidionError(f"{SETTING} is {setting!r}", do="set it to a number from 1 to 999")
    return int(setting)


def limit_blas() -> None:
    """Let matrix products have one thread in all of this process; to be called before numpy is imported."""
    os.environ.setdefault(_BLAS, "1")


def limit_loaded_blas() -> None:
    """Let matrix products have as many threads as the environment says, although numpy was imported before it did."""
    setting = os.environ.get(_BLAS, "")
    if "numpy" in sys.modules and re.fullmatch(r"[1-9][0-9]{0,2}", setting):
        _blas("scipy.linalg" in sys.modules).limit(limits=int(setting))


class Once(Generic[P, T]):
    """A function that is called once for its arguments, as with :func:`functools.cache`, even by threads at once."""

    def __init__(self, function: Callable[P, T]) -> None:
        self._cached = cache(function)
        self._lock = Lock()
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **options: P.kwargs) -> T:
        """Return what the function returned; a second thread waits for the first call to end."""
        with self._lock:
            return self._cached(*args, **options)  # type: ignore[arg-type]  # mypy knows no hashable parameters

    def cache_clear(self) -> None:
        """Forget everything."""
        self._cached.cache_clear()


class _Limit:
    """OpenBLAS has one thread from the first to the last of those that are inside."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._held: Any = None

    def enter(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._held = _blas("scipy.linalg" in sys.modules).limit(limits=1)

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._held.restore_original_limits()


_LIMIT = _Limit()


@cache
def _blas(with_scipy: bool) -> ThreadpoolController:
    """Return a controller of the loaded copies of OpenBLAS; scipy brings one of its own, hence the parameter."""
    import numpy  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(internal_api="openblas")


@contextmanager
def single_blas() -> Iterator[None]:
    """Let matrix products have one thread inside the block, as in the command; then the caller's setting is back."""
    if os.environ.get(_BLAS, "1") != "1":  # set after numpy was loaded, 1 says what is wanted and does nothing
        yield
        return
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


def in_parallel(
    function: Callable[[S], T], things: Sequence[S], workers: int, progress: Callable[[], None] = lambda: None
) -> list[T]:
    """Return the function of each thing, in their order, computed several at a time; the first error ends it."""
    results: dict[int, T] = {}
    notes: dict[int, list[Note]] = {}
    try:
        with closing(_run_all(function, things, workers)) as completed:
            for number, result, notes[number] in completed:
                results[number] = result()
                progress()
    finally:
        for _, thing_notes in sorted(notes.items()):  # in the order of things, whoever was faster
            repeat_notes(thing_notes)
    return [results[number] for number in range(len(things))]


def in_order(function: Callable[[S], T], things: Sequence[S], workers: int) -> Iterator[T]:
    """Yield the function of each thing in order, computed several at a time, as soon as all before it are there.

    >>> list(in_order(len, ["a", "bcd", ""], 2))
    [1, 3, 0]
    """
    waiting: dict[int, _Completed[T]] = {}
    turn = 0
    with closing(_run_all(function, things, workers)) as completed:
        for thing in completed:
            waiting[thing[0]] = thing
            while turn in waiting:
                _, result, notes = waiting.pop(turn)
                repeat_notes(notes)
                yield result()
                turn += 1


_Completed = tuple[int, Callable[[], T], list[Note]]
"""The number of a thing, what gives its result or raises its error, and what a thread noted of it."""


def _run_all(function: Callable[[S], T], things: Sequence[S], workers: int) -> Generator[_Completed[T]]:
    """Yield the results as they are done, with the notes of each: the caller's thread repeats them.

    The threads are daemons, so that an interrupt need not wait for what is under way.
    """
    if workers == 1 or len(things) < 2:  # a thread would gain nothing
        for number, thing in enumerate(things):
            yield number, _return_later(function(thing)), []
        return
    waiting: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[_Completed[T]] = SimpleQueue()
    stop = Event()
    for number in range(len(things)):
        waiting.put(number)

    def work() -> None:
        while not stop.is_set() and not waiting.empty():
            try:
                number = waiting.get_nowait()
            except Empty:  # another thread was faster
                return
            with collect_notes() as notes:
                try:
                    result = _return_later(function(things[number]))
                except BaseException as error:
                    result = _raise_later(error)
            done.put((number, result, notes))

    for _ in range(min(workers, len(things))):
        Thread(target=copy_context().run, args=(work,), daemon=True).start()
    try:
        for _ in things:
            yield done.get()
    finally:
        stop.set()


def _return_later(value: T) -> Callable[[], T]:
    return lambda: value


def _raise_later(error: BaseException) -> Callable[[], Any]:
    def again() -> Any:
        raise error

    return again
