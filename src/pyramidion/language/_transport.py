"""One request to a chat endpoint and what came of it."""

from __future__ import annotations

import json
import socket
import ssl
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from pyramidion.errors import PyramidionError
from pyramidion.language.endpoint import Endpoint
from pyramidion.version import __version__

LONGEST_BODY = 1 << 25
"""Bytes that an answer may have."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """None, so that the redirection itself is the answer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A status and what came with it."""

    status: int
    body: bytes
    wait: float = 0.0
    """What the endpoint asks us to wait."""


class EndpointError(PyramidionError):
    """The endpoint gives no answers."""


class LostRequestError(Exception):
    """A request that may be sent again."""

    def __init__(self, why: str, wait: float = 0.0, *, absent: bool = False) -> None:
        super().__init__(why)
        self.wait = wait
        self.absent = absent
        """Whether nobody was there at all."""


def post(endpoint: Endpoint, body: bytes) -> Reply:
    """Send a question; a :class:`LostRequestError` if nothing whole comes back in time."""
    headers = {"Content-Type": "application/json", "User-Agent": f"pyramidion/{__version__}"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    limit = time.monotonic() + endpoint.timeout
    request = Request(endpoint.completions, body, headers, method="POST")
    try:
        with build_opener(_NoRedirects).open(request, timeout=endpoint.timeout) as response:
            return Reply(response.status, _read(response, limit))
    except HTTPError as error:
        with error:
            return Reply(error.code, _read_at_most(error), _retry_after(error.headers.get("Retry-After")))
    except (OSError, HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise EndpointError("its certificate is not valid", endpoint.host, "check the base URL") from None
        absent = isinstance(reason, ConnectionRefusedError | socket.gaierror)
        raise LostRequestError(_in_words(reason, endpoint.timeout), absent=absent) from None


def _read(response: HTTPResponse, limit: float) -> bytes:
    """The whole body, if it comes in time."""
    pieces = []
    size = 0
    while piece := response.read1(1 << 16):
        pieces.append(piece)
        size += len(piece)
        if time.monotonic() > limit:
            raise TimeoutError
        if size > LONGEST_BODY:
            raise LostRequestError("an answer without end")
    body = b"".join(pieces)
    try:
        json.loads(body)
    except ValueError:
        raise LostRequestError("half an answer, or no JSON") from None
    return body


def _read_at_most(error: HTTPError, size: int = 1 << 16) -> bytes:
    try:
        return error.read(size)
    except (OSError, HTTPException):
        return b""


def _in_words(reason: object, timeout: float) -> str:
    if isinstance(reason, TimeoutError):
        return f"nothing whole came within {timeout:g} seconds"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return "the connection broke" if isinstance(reason, HTTPException | OSError) else str(reason)


def _retry_after(header: str | None) -> float:
    """Seconds, which the header gives as a number or as a date."""
    if not header:
        return 0.0
    try:
        wait = float(header)
    except ValueError:
        try:
            wait = parsedate_to_datetime(header).timestamp() - time.time()
        except (TypeError, ValueError):
            return 0.0
    return wait if wait > 0 else 0.0  # NaN is not, either


def message(body: bytes) -> str:
    """What an error's body says: OpenAI's form, others', or its text."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except ValueError:
        return "" if text.lstrip().startswith("<") else text
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return found if isinstance(found, str) else json.dumps(found)
