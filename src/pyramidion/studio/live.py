"""Who looks at which topic now: pages that wait for changes are told of them within a second or two.

Edits of this process arrive at once. Other processes on the same database are asked every :data:`EVERY` seconds.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

EVERY = 2.0


class Watchers:
    """The pages that wait, by topic."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}
        self._lock = threading.Lock()

    def changed(self, topic: str, version: int) -> None:
        """Wake who waits for this topic; called from any thread."""
        with self._lock:
            waiting = list(self._waiting.get(topic, ()))
        for loop, event in waiting:
            loop.call_soon_threadsafe(event.set)

    async def versions(self, topic: str, current: Callable[[], int]) -> AsyncIterator[int]:
        """The topic's version now, and again whenever it may have changed."""
        key = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.setdefault(topic, set()).add(key)
        try:
            while True:
                key[1].clear()
                yield await asyncio.to_thread(current)
                try:
                    await asyncio.wait_for(key[1].wait(), EVERY)
                except TimeoutError:
                    continue
        finally:
            with self._lock:
                self._waiting[topic].discard(key)
                if not self._waiting[topic]:
                    del self._waiting[topic]
