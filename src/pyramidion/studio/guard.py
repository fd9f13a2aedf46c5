"""What every request must pass and every reply carries, whatever the page: hosts, origins, sizes, times, headers.

Names that the server answers to, the check of origins and the seconds that a client has are those of the crowd's server
(:mod:`pyramidion.crowd.hosts`, :mod:`pyramidion.crowd.server`).
"""

from __future__ import annotations

from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pyramidion.crowd.hosts import Names
from pyramidion.crowd.server import DEADLINE
from pyramidion.studio.deadlines import UPLOAD_DEADLINE, TooSlowError, with_deadline

MOST_BYTES = 512 * 1024
"""The most bytes of a request that is no upload."""
MOST_UPLOAD = 64 * 1024 * 1024

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class _TooLongError(Exception):
    """The client sends more than is allowed."""


class Guard:
    """Refuses requests for other hosts, from other sites' pages, and those that are too long or too slow."""

    def __init__(self, app: ASGIApp, names: Names, deadline: float = DEADLINE) -> None:
        self.app, self.names, self.deadline = app, names, deadline

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if refusal := self._refusal(scope, headers):
            status, words = refusal
            await PlainTextResponse(words, status)(scope, receive, _with_headers(send))
            return
        most, seconds = (MOST_UPLOAD, UPLOAD_DEADLINE) if _is_upload(scope) else (MOST_BYTES, self.deadline)
        try:
            await self.app(scope, _with_limit(with_deadline(receive, seconds), most), _with_headers(send))
        except _TooLongError:
            await PlainTextResponse("Too large.", 413)(scope, receive, _with_headers(send))
        except TooSlowError:
            late = PlainTextResponse("The request took too long.", 408, {"Connection": "close"})
            await late(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the words with which a request is refused before any page sees it, if it is."""
        # no Host header, or several, is no name that we answer to
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        if not self.names.know(host):
            return 421, "This server is not known by the name in the address."
        if "\0" in scope["path"]:  # nothing has such a name, and PostgreSQL cannot even ask for it
            return 404, "There is no such page."
        if scope["method"] not in ("GET", "HEAD"):
            if not self.names.sent_from_here(headers.get("origin"), host):
                return 403, "Changes are taken only from this server's own pages."
            length = headers.get("content-length", "0")
            most = MOST_UPLOAD if _is_upload(scope) else MOST_BYTES
            # Python refuses to read numbers of thousands of digits; fifteen tell that it is too much
            if not length.isdigit() or int(length[:15]) > most:
                return 413, "Too large."
        return None


def _is_upload(scope: Scope) -> bool:
    return str(scope["path"]).endswith("/files")


def _with_limit(receive: Receive, most: int) -> Receive:
    """Return the request as it comes, until it is too long: a client need not say its length."""
    got = 0

    async def receive_up_to_limit() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > most:
            raise _TooLongError
        return message

    return receive_up_to_limit


def _with_headers(send: Send) -> Send:
    """Return ``send`` with our headers; where the page has its own of that name, that stays."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: Any = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
