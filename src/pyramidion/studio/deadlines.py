"""How long a client may take to send a request, however slowly it sends, as for the crowd's server.

Whoever has a study's link reaches the studio without an account, so connections are not left open to those who say
nothing. uvicorn ends idle connections after a request, but not before the first one or in the middle of a header.
"""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive
from uvicorn.protocols.http.h11_impl import H11Protocol

from pyramidion.crowd.server import DEADLINE

UPLOAD_DEADLINE = 600.0
"""Seconds to send files."""


class TooSlowError(Exception):
    """The client has had its time."""


class TimedProtocol(H11Protocol):
    """A connection that ends when no header is complete in time."""

    deadline = DEADLINE
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock for a header."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop the clock once the header is complete; what comes after the answer starts it again."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        if self._late:
            self._late.cancel()

    def _wait(self) -> None:
        # while we answer, the time is ours and not the client's
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering and self._late:
            self._late.cancel()
            self._late = None
        elif not answering and not self._late:
            self._late = self.loop.call_later(self.deadline, self.transport.close)


def with_deadline(receive: Receive, seconds: float) -> Receive:
    """Return the request as it comes, with one deadline for all of it, which a byte now and then does not put off."""
    until = asyncio.get_running_loop().time() + seconds
    complete = False

    async def receive_in_time() -> Message:
        nonlocal complete
        if complete:  # what comes now is that the client has gone
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), until - asyncio.get_running_loop().time())
        except TimeoutError:
            raise TooSlowError from None
        complete = not message.get("more_body", False)
        return message

    return receive_in_time
