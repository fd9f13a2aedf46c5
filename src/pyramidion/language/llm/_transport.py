"""One request to a chat endpoint and what came of it: bodies, headers and numbers of somebody whom nobody vouches for.

A body has at most :data:`LONGEST_BODY` bytes and :data:`DEEPEST` levels; whatever else it is, a :class:`Reply`, a
:class:`LostRequestError` or an :class:`EndpointError` comes of it.
"""

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
from pyramidion.language.llm.endpoint import Endpoint
from pyramidion.version import __version__

LONGEST_BODY = 1 << 22
"""The most bytes of an answer."""
LONGEST_ERROR = 1 << 16
"""The most bytes of an error that are read."""
DEEPEST = 64
"""Lists and objects within each other; a completion has about five."""


class _NoRedirects(HTTPRedirectHandler):
    """Redirections are answers; where they point to is not even looked at."""

    def http_error_302(self, *_: Any) -> None:
        """None, so that the redirection itself is the answer."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Reply:
    """A status and what came with it."""

    status: int
    body: bytes = b""
    value: Any = None
    """The content of an answer."""
    wait: float = 0.0
    """The seconds that the endpoint asks us to wait."""


class EndpointError(PyramidionError):
    """The endpoint gives no answers."""


class LostRequestError(Exception):
    """A request that may be sent again."""

    def __init__(self, why: str, wait: float = 0.0, *, absent: bool = False) -> None:
        super().__init__(why)
        self.wait = wait
        self.absent = absent
        """True if no server was reached at all."""


def post(endpoint: Endpoint, body: bytes) -> Reply:
    """Send a question; a :class:`LostRequestError` if nothing whole comes back in time."""
    headers = {"Content-Type": "application/json", "User-Agent": f"pyramidion/{__version__}"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    # ``urlopen`` limits each read; a server that drips bytes would hold a request for ever without this.
    limit = time.monotonic() + endpoint.timeout
    request = Request(endpoint.completions, body, headers, method="POST")
    try:
        with build_opener(_NoRedirects).open(request, timeout=endpoint.timeout) as response:
            answer = _read(response, limit, LONGEST_BODY + 1)
            return Reply(response.status, answer, _parse_answer(answer))
    except HTTPError as error:
        with error:
            return Reply(error.code, _error_body(error, limit), wait=_retry_after(error.headers.get("Retry-After")))
    except (OSError, HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise EndpointError("Its certificate is not valid", endpoint.host, "check the base URL") from None
        # Nobody listens there, or there is no such host: nothing can have been billed.
        absent = isinstance(reason, ConnectionRefusedError | socket.gaierror)
        raise LostRequestError(_describe(reason, endpoint.timeout), absent=absent) from None


def _read(response: HTTPResponse | HTTPError, limit: float, most: int) -> bytes:
    """Return the body, or the beginning of a long one, if it comes in time."""
    pieces = []
    size = 0
    while size < most and (piece := response.read1(min(1 << 16, most - size))):
        pieces.append(piece)
        size += len(piece)
        if time.monotonic() > limit:
            raise TimeoutError
    return b"".join(pieces)


def _parse_answer(body: bytes) -> Any:
    if len(body) > LONGEST_BODY:
        raise LostRequestError("the answer does not end")
    try:
        return value_of(body)
    except ValueError:
        raise LostRequestError("the answer is incomplete or is not JSON") from None


def _error_body(error: HTTPError, limit: float) -> bytes:
    try:
        return _read(error, limit, LONGEST_ERROR)
    except (OSError, HTTPException, ValueError):
        return b""


def value_of(text: bytes | str) -> Any:
    """Return the value of a JSON text of at most :data:`DEEPEST` levels, or a ``ValueError``."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("JSON that is too deep") from None
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return value
    raise ValueError("JSON that is too deep")


def _inside(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else []


def _describe(reason: object, timeout: float) -> str:
    if isinstance(reason, TimeoutError):
        return f"nothing whole came within {timeout:g} seconds"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return "the connection broke" if isinstance(reason, HTTPException | OSError | ValueError) else str(reason)


def _retry_after(header: object) -> float:
    """Return the seconds that the header gives, as a number or as a date; 0 if it is neither."""
    text = str(header or "")[:100]
    try:
        wait = float(text)
    except ValueError:
        try:
            wait = parsedate_to_datetime(text).timestamp() - time.time()
        except (ArithmeticError, LookupError, OSError, TypeError, ValueError):
            return 0.0
    return wait if wait > 0 else 0.0  # NaN is not, either


def message(body: bytes) -> str:
    """Return the message of an error's body: in OpenAI's form, in others', or its text."""
    text = body.decode("utf-8", "replace")
    try:
        value = value_of(text)
    except ValueError:
        return "" if text.lstrip().startswith("<") else text
    for name in ("error", "message", "detail"):
        if isinstance(value, dict) and name in value:
            value = value[name]
    return value if isinstance(value, str) else json.dumps(value)
