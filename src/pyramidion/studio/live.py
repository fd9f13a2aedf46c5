"""Who looks at which topic now: pages that wait for changes are told of them within a second or two.

Edits of this process arrive at once. Other processes on the same database are asked every :data:`EVERY` seconds.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

EVERY = 2.0


class _Waiting:
    """A page that waits, and the last version that it was told of."""

    def __init__(self) -> None:
        self.loop, self.event = asyncio.get_running_loop(), asyncio.Event()
        self.version = 0

    def tell(self, version: int) -> None:
        self.version = max(self.version, version)
        self.event.set()


class Watchers:
    """The pages that wait, by topic."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[_Waiting]] = {}
        self._lock = threading.Lock()

    def notify(self, topic: str, version: int) -> None:
        """Wake the pages that wait for this topic; called from any thread."""
        with self._lock:
            waiting = list(self._waiting.get(topic, ()))
        # an edit comes from any thread; each page's event belongs to the loop that waits for it
        for page in waiting:
            page.loop.call_soon_threadsafe(page.tell, version)

    async def versions(self, topic: str, current: Callable[[], int]) -> AsyncIterator[int]:
        """Yield the topic's version now, and whenever it may have changed; edits of this process need no database."""
        page = _Waiting()
        with self._lock:
            self._waiting.setdefault(topic, set()).add(page)
        try:
            page.tell(await asyncio.to_thread(current))
            while True:
                page.event.clear()
                yield page.version
                try:
                    await asyncio.wait_for(page.event.wait(), EVERY)
                except TimeoutError:
                    page.tell(await asyncio.to_thread(current))
        finally:
            with self._lock:
                self._waiting[topic].discard(page)
                if not self._waiting[topic]:
                    del self._waiting[topic]
