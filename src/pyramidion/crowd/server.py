"""The server of a study: hands out pages to workers who come one at a time, receives answers, stores them at once.

The standard library's server, a thread per connection: enough for a lab, or for a marketplace's participants behind a
web server that adds HTTPS. Its replies are the counter's (:mod:`~pyramidion.crowd.counter`), at ``/``, ``/task``,
``/done`` and ``POST /answer``.

What a client can do is bounded: the seconds of its request, however slowly it sends, the bytes of header and body, and
how many are connected at once. Further clients wait in the system's queue until a connection is free.
"""

from __future__ import annotations

import io
import math
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pyramidion.crowd.counter import Counter, Place, Reply, json_reply, problem_reply
from pyramidion.crowd.desk import Desk
from pyramidion.crowd.hosts import Names
from pyramidion.errors import PyramidionError

MOST_BYTES = 256 * 1024
"""The most bytes of an answer; a long answer has a tenth of this."""

MOST_HEADER = 128 * 1024
"""Bytes of a request before its answer; a browser sends one or two thousand."""

MOST_CONNECTIONS = 1000
"""The most connections, and so threads, at once."""

DEADLINE = 30.0
"""Seconds that a client has to send its request, and as many to take the reply."""

GRACE = 5.0
"""Seconds that requests in flight have to arrive when the server ends."""

IDLE = 2.0
"""Seconds that a connection may say nothing while others wait: browsers open some for later, and open them again."""

_SPARE = 64
"""Open files to leave for everything but connections."""

_DRAINED = 16 * MOST_BYTES
"""The most bytes of a refused body that are read, so that its sender gets the error; of a longer one, none is."""

_MOST_STRANGERS = 20
"""The most foreign host names that the operator is told about."""

_PLACES: dict[str, Place] = {"/": "start", "/task": "task", "/done": "done"}


class TaskServer(ThreadingHTTPServer):
    """The server of a desk. ``said`` is called with a line for each answer; ``names`` are further host names."""

    # As long as systems allow, which cut it down: when it overflows, a client takes itself for connected, the server
    # knows of nothing, what is sent is lost, and the connection is reset at last.
    request_queue_size = 4096
    daemon_threads = False  # so that closing waits for them

    def __init__(
        self,
        address: tuple[str, int],
        desk: Desk,
        said: Callable[[str], None] = lambda line: None,
        *,
        names: Iterable[str] = (),
        deadline: float = DEADLINE,
        connections: int = MOST_CONNECTIONS,
    ) -> None:
        """Listen at a host and port; ``deadline`` is a request's most seconds, ``connections`` the most at once."""
        self.counter, self.said, self.deadline = Counter(desk, said=said), said, deadline
        self.names = Names.of(address[0], names)
        self._strangers: set[str] = set()
        self._room = threading.Semaphore(_within_file_limit(connections))
        self._connections: dict[socket.socket, float] = {}
        """The time since which a connection is idle; infinity if its client has sent something."""
        self._ending = False
        try:
            # the standard library's server takes every address for IPv4
            self.address_family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0][0]
            super().__init__(address, _Handler)
        except (OSError, OverflowError) as error:
            raise PyramidionError(
                f"The study cannot be served at {address[0]} port {address[1]}: "
                f"{getattr(error, 'strerror', '') or error}",
                do="choose another port or host",
            ) from None

    @property
    def url(self) -> str:
        """The address of the start page."""
        host, port = self.server_address[:2]
        name = host.decode() if isinstance(host, bytes | bytearray) else str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give the connection a thread; if there are enough, wait for one of them to end."""
        # in short waits, so that the end of the server is noticed and idle connections make room
        while not self._room.acquire(timeout=0.1):
            if self._ending:
                super().shutdown_request(request)
                return
            self._end_idle(IDLE)
        self._connections[request] = time.monotonic()
        super().process_request(request, client_address)

    def _end_idle(self, seconds: float) -> None:
        """Read no more from connections that have been idle for so long, except what has already arrived."""
        before = time.monotonic() - seconds
        for connection, since in list(self._connections.items()):
            if since <= before:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)

    def began(self, connection: socket.socket) -> None:
        """Note that the client has sent something: its request is in flight."""
        self._connections[connection] = math.inf

    def connected(self) -> tuple[int, int]:
        """Return how many connections are idle, and how many requests are in flight."""
        since = list(self._connections.values())
        return len(since) - since.count(math.inf), since.count(math.inf)

    def shutdown_request(self, request: Any) -> None:
        """End the connection and make room for another."""
        # only a connection that took room gives it back
        if self._connections.pop(request, None) is not None:
            self._room.release()
        super().shutdown_request(request)

    def shutdown(self) -> None:
        """Take no more connections."""
        self._ending = True
        super().shutdown()

    def server_close(self) -> None:
        """Wait for requests in flight; those that have not arrived after some seconds are cut off."""
        self._ending = True
        self._end_idle(0)
        late = threading.Timer(GRACE, self.cut_off)
        late.daemon = True
        late.start()
        try:
            super().server_close()
        finally:
            late.cancel()

    def cut_off(self) -> None:
        """End every connection at once; what is being stored is stored."""
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def stranger(self, name: str) -> None:
        """Tell the operator of a request for a host that this is not: a mistake of theirs, or an attack."""
        if name not in self._strangers and len(self._strangers) < _MOST_STRANGERS:
            self._strangers.add(name)
            self.said(f"refused: a request for {name[:100]!r}; if that is this server, allow this host")

    def handle_error(self, request: object, client_address: object) -> None:
        """Report an error in one line; a client that went away is none."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            self.said(f"error: {type(error).__name__}: {error}")


def _within_file_limit(connections: int) -> int:
    """Return the number of connections that leave enough open files for SQLite to open the store."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return connections
    files = getrlimit(RLIMIT_NOFILE)[0]
    return connections if files == RLIM_INFINITY else max(1, min(connections, files - _SPARE))


class _TooLongError(Exception):
    """The client sent more than is allowed."""


class _Incoming(io.RawIOBase):
    """Reader of a request with a size limit and an absolute deadline, which slow-drip clients cannot extend."""

    def __init__(self, connection: socket.socket, until: float, began: Callable[[], None]) -> None:
        self.connection, self.until, self.began = connection, until, began
        self.room = MOST_HEADER

    def readable(self) -> bool:
        """Return that this stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what has come, as soon as something has."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        if self.room <= 0:
            raise _TooLongError
        self.connection.settimeout(left)
        count = self.connection.recv_into(memoryview(buffer)[: self.room])
        self.room -= count
        if count:
            self.began()
        return count


class _Handler(BaseHTTPRequestHandler):
    server: TaskServer
    server_version = "Pyramidion"
    sys_version = ""

    def setup(self) -> None:
        """Replace the reader of the connection by one with a deadline and a size limit."""
        super().setup()
        self.rfile.close()
        until = time.monotonic() + self.server.deadline
        self.incoming = _Incoming(self.connection, until, lambda: self.server.began(self.connection))
        self.rfile = io.BufferedReader(self.incoming)

    def parse_request(self) -> bool:
        """Read the header."""
        try:
            return super().parse_request()
        except _TooLongError:
            self.send_error(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            return False

    def _host(self) -> str:
        """Return the name by which the client calls this server; empty if it gives none, or several."""
        hosts = self.headers.get_all("Host", [])
        return hosts[0].strip() if len(hosts) == 1 else ""

    def _is_for_us(self) -> bool:
        if not self.server.names.know(self._host()):
            self.server.stranger(self._host())
            return False
        return True

    def do_GET(self) -> None:
        """Answer with a page."""
        if not self._is_for_us():
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "This server is not known by the name in the address")
            return
        try:
            address = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(address.query, max_num_fields=50).items()}
        except ValueError:
            self.send_error(HTTPStatus.BAD_REQUEST, "The address cannot be read")
            return
        place = _PLACES.get(address.path)
        self._send(
            self.server.counter.page(place, query)
            if place
            else problem_reply(HTTPStatus.NOT_FOUND, "There is no such page")
        )

    def do_HEAD(self) -> None:
        """Answer with the header of a page alone."""
        self.do_GET()

    def do_POST(self) -> None:
        """Receive an answer."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self._json(HTTPStatus.LENGTH_REQUIRED, {"error": "The request does not say how long it is."})
            return
        size = int(length[:12])  # twelve digits are more than enough to be refused
        self.incoming.room = min(size, _DRAINED)
        if size > MOST_BYTES:
            if size <= _DRAINED:
                self.rfile.read(size)
            self._json(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": "The answers are too long."})
            return
        # read even if it will be refused: the client must have sent all of it before it looks at the reply
        body = self.rfile.read(size)
        origin = self.headers.get("Origin")
        if not self._is_for_us():
            self._json(
                HTTPStatus.MISDIRECTED_REQUEST, {"error": "This server is not known by the name in the address."}
            )
        elif not self.server.names.sent_from_here(origin, self._host()):
            self.server.stranger(str(origin))
            self._json(HTTPStatus.FORBIDDEN, {"error": "Answers are taken only from this server's own pages."})
        elif self.path.partition("?")[0] != "/answer":
            self._json(HTTPStatus.NOT_FOUND, {"error": "Answers are sent to /answer."})
        elif self.headers.get_content_type() != "application/json":
            self._json(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, {"error": "Answers are sent as application/json."})
        else:
            self._send(self.server.counter.answer(body))

    def _json(self, status: HTTPStatus, value: dict[str, Any]) -> None:
        self._send(json_reply(status, value))

    def _send(self, reply: Reply) -> None:
        self.connection.settimeout(self.server.deadline)  # of all that is sent, not of its parts
        self.send_response(reply.status)
        for name, value in (reply.headers | {"Content-Length": str(len(reply.body))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send every error, those of the standard library too, as a page of ours."""
        self._send(problem_reply(HTTPStatus(code), message or ""))

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: addresses of requests name workers."""


def serve(server: TaskServer, began: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGINT (Ctrl-C) or SIGTERM, then finish the requests in flight; a second signal cuts them off.

    ``began`` is called as soon as a signal would end it cleanly.
    """
    with _handle_signals(server):
        try:
            began()
            server.serve_forever(poll_interval=0.2)
        finally:
            server.server_close()


@contextmanager
def _handle_signals(server: TaskServer) -> Iterator[None]:
    """Handle signals ourselves, because a shell starts jobs in the background with SIGINT ignored."""
    ending = threading.Event()

    def end(number: int, frame: object) -> None:
        if ending.is_set():
            server.cut_off()
        ending.set()
        # shutdown() waits for the loop, which this very thread runs.
        threading.Thread(target=server.shutdown, daemon=True).start()

    if threading.current_thread() is not threading.main_thread():  # only it can have handlers
        yield
        return
    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
