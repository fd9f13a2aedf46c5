"""Several waits at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, TypeVar

S = TypeVar("S")
T = TypeVar("T")


def in_parallel(
    function: Callable[[S], T], things: Sequence[S], workers: int, progress: Callable[[], None] = lambda: None
) -> list[T]:
    """The function of each thing, in their order, several at a time; the first error ends it.

    The threads are daemons, so that an interrupt need not wait for requests under way.
    """
    if workers == 1 or len(things) < 2:
        answers = []
        for thing in things:
            answers.append(function(thing))
            progress()
        return answers
    waiting: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[tuple[int, T | None, BaseException | None]] = SimpleQueue()
    stop = Event()
    for number in range(len(things)):
        waiting.put(number)

    def work() -> None:
        while not stop.is_set() and not waiting.empty():
            try:
                number = waiting.get_nowait()
            except Empty:  # another thread was faster
                return
            try:
                done.put((number, function(things[number]), None))
            except BaseException as error:
                done.put((number, None, error))

    for _ in range(min(workers, len(things))):
        Thread(target=work, daemon=True).start()
    results: dict[int, Any] = {}
    try:
        while len(results) < len(things):
            number, result, error = done.get()
            if error is not None:
                raise error
            results[number] = result
            progress()
    finally:
        stop.set()
    return [results[number] for number in range(len(things))]
