"""A study's tasks served to workers who come one at a time: hands out pages, receives answers, stores them at once.

The standard library's server, a thread per connection: enough for a lab, or for a marketplace's participants behind a
web server that adds HTTPS. Nobody logs in: whoever knows a worker's name can answer for them, as with a link in a mail.

========================  =================================================================================
``/``                     asks for a name, or takes ``worker`` or ``PROLIFIC_PID`` from the address
``/task?worker=``         the page of the worker's next task, with its ticket
``POST /answer``          the JSON that the page sends; answered by JSON: ``next``, or ``error``
``/done?worker=``         thanks, and the way back to the marketplace for those who have answered
========================  =================================================================================

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
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec

from pyramidion.crowd.desk import LONGEST_NAME, AnsweredError, Desk, TicketError, name_of
from pyramidion.crowd.hosts import Names
from pyramidion.crowd.page import Page, render
from pyramidion.crowd.page.task import task_page
from pyramidion.errors import FormatError, PyramidionError

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
"""How much of a body that is too long is read, so that its sender gets the error; nothing of a longer one."""

_TOLD = 20
"""The most foreign host names that the operator is told about."""


class TaskServer(ThreadingHTTPServer):
    """The server of a desk. ``said`` is told of each answer that comes in; ``names`` are further host names of it."""

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
        self.desk, self.said, self.deadline = desk, said, deadline
        self.names = Names.of(address[0], names)
        self._strangers: set[str] = set()
        self._room = threading.Semaphore(_within_file_limit(connections))
        self._connections: dict[socket.socket, float] = {}
        """Since when a connection is idle; those whose client has sent something, for ever."""
        self._ending = False
        try:
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
        """Where the start page is."""
        host, port = self.server_address[:2]
        name = host.decode() if isinstance(host, bytes | bytearray) else str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give the connection a thread; where there are enough, wait for one of them to end."""
        while not self._room.acquire(timeout=0.1):
            if self._ending:
                super().shutdown_request(request)
                return
            self._end_idle(IDLE)
        self._connections[request] = time.monotonic()
        super().process_request(request, client_address)

    def _end_idle(self, seconds: float) -> None:
        """Read no more from connections on which nothing has come for so long; what has arrived can still be read."""
        before = time.monotonic() - seconds
        for connection, since in list(self._connections.items()):
            if since <= before:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)

    def began(self, connection: socket.socket) -> None:
        """The client has sent something: its request is in flight."""
        self._connections[connection] = math.inf

    def connected(self) -> tuple[int, int]:
        """How many connections are idle, and how many requests in flight."""
        since = list(self._connections.values())
        return len(since) - since.count(math.inf), since.count(math.inf)

    def shutdown_request(self, request: Any) -> None:
        """End the connection and make room for another."""
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
        if name not in self._strangers and len(self._strangers) < _TOLD:
            self._strangers.add(name)
            self.said(f"refused: a request for {name[:100]!r}; if that is this server, allow this host")

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error; of anything else, one line."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            self.said(f"error: {type(error).__name__}: {error}")


def _within_file_limit(connections: int) -> int:
    """As many connections as the process may have open files for: without one, SQLite could not open the store."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return connections
    files = getrlimit(RLIMIT_NOFILE)[0]
    return connections if files == RLIM_INFINITY else max(1, min(connections, files - _SPARE))


class _TooLongError(Exception):
    """The client sent more than is allowed."""


class _Incoming(io.RawIOBase):
    """What a client sends: until a deadline, which a byte now and then does not put off, and up to so many bytes."""

    def __init__(self, connection: socket.socket, until: float, began: Callable[[], None]) -> None:
        self.connection, self.until, self.began = connection, until, began
        self.room = MOST_HEADER

    def readable(self) -> bool:
        """It is."""
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
        """Read from the connection only what, and as long as, is allowed."""
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
        """What the client calls this server; nothing if it says none, or several."""
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
        workers = query.get("worker") or query.get("PROLIFIC_PID")
        worker = name_of(workers)
        session = name_of(query.get("session") or query.get("SESSION_ID"))
        known = urlencode({"worker": worker} | ({"session": session} if session else {}))
        try:
            if address.path == "/" and worker:
                self._redirect(f"/task?{known}")
            elif address.path == "/" or (address.path == "/task" and not worker):
                self._start(refused=bool(workers))
            elif address.path == "/task":
                self._task(worker, session, known)
            elif address.path == "/done":
                self._done(worker)
            else:
                self.send_error(HTTPStatus.NOT_FOUND, "There is no such page")
        except PyramidionError as error:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "Something is wrong here; please try again later")
            self.server.said(f"error: {error}")

    def do_HEAD(self) -> None:
        """The same without the page."""
        self.do_GET()

    def do_POST(self) -> None:
        """Receive an answer."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self._json(HTTPStatus.LENGTH_REQUIRED, {"error": "The request does not say how long it is."})
            return
        size = int(length[:12])
        self.incoming.room = min(size, _DRAINED)
        if size > MOST_BYTES:
            if size <= _DRAINED:
                self.rfile.read(size)
            self._json(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": "The answers are too long."})
            return
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
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        try:
            record = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self._json(HTTPStatus.BAD_REQUEST, {"error": "The answers are no JSON object."})
            return
        try:
            submission = self.server.desk.receive(record)
        except AnsweredError as error:
            self._refuse(HTTPStatus.CONFLICT, error, next=_next(name_of(record.get("worker"))))
        except TicketError as error:
            self._refuse(HTTPStatus.FORBIDDEN, error)
        except FormatError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, error)
        except PyramidionError as error:
            self._json(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "The answers could not be stored."})
            self.server.said(f"error: {error}")
        else:
            had, wanted = self.server.desk.progress()
            self.server.said(f"{submission.worker}: {submission.task} stored; {had} of {wanted} assignments done")
            self._json(HTTPStatus.OK, {"ok": True, "next": _next(submission.worker)})

    def _refuse(self, status: HTTPStatus, error: FormatError, **more: str) -> None:
        self.server.said(f"refused: {error}")
        self._json(status, {"error": str(error), **more})

    def _start(self, refused: bool) -> None:
        lines = ["Please write your name, or the code that you were given. It tells your answers from those of others."]
        if refused:
            lines.append(f"This name cannot be used. Please write letters and digits, {LONGEST_NAME} at most.")
        self._page(HTTPStatus.OK, _notice("Welcome", lines, ask=True))

    def _task(self, worker: str, session: str, known: str) -> None:
        desk = self.server.desk
        task = desk.next_task(worker)
        if task is None:
            self._redirect(f"/done?{known}")
            return
        self._page(
            HTTPStatus.OK,
            task_page(
                desk.study, task, worker=worker, session=session, post="/answer", ticket=desk.ticket(task, worker)
            ),
        )

    def _done(self, worker: str) -> None:
        desk = self.server.desk
        if not worker or not desk.done_by(worker):
            self._page(
                HTTPStatus.OK, _notice("No task", ["There is no task for you at the moment. Thank you for coming."])
            )
            return
        lines = ["Your answers have arrived. There is nothing more to do."]
        if desk.code:
            lines.append(f"Completion code: {desk.code}")
        self._page(HTTPStatus.OK, _notice("Thank you", lines, link=desk.completion))

    def _redirect(self, path: str) -> None:
        self._respond(HTTPStatus.SEE_OTHER, b"", "text/plain; charset=utf-8", _NOTHING, {"Location": path})

    def _page(self, status: HTTPStatus, page: Page) -> None:
        self._respond(status, page.html.encode(), "text/html; charset=utf-8", page.policy)

    def _json(self, status: HTTPStatus, value: dict[str, Any]) -> None:
        self._respond(status, msgspec.json.encode(value), "application/json", _NOTHING)

    def _respond(
        self, status: HTTPStatus, body: bytes, kind: str, policy: str, headers: dict[str, str] | None = None
    ) -> None:
        self.connection.settimeout(self.server.deadline)  # of all that is sent, not of its parts
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Every error, those of the standard library too, as a page of ours."""
        status = HTTPStatus(code)
        self._page(
            status, _notice(message or status.phrase, ["Open the start page to go on."], link="/", words="Start page")
        )

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: addresses of requests name workers."""


_NOTHING = "default-src 'none'"


def _notice(
    title: str, lines: list[str], *, ask: bool = False, link: str = "", words: str = "Return and finish"
) -> Page:
    return render("notice.html", title=title, lines=lines, ask=ask, link=link, link_words=words)


def _next(worker: str) -> str:
    return f"/task?{urlencode({'worker': worker})}"


def serve(server: TaskServer, began: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGINT (Ctrl-C) or SIGTERM, then finish the requests in flight; a second signal cuts them off.

    ``began`` is called as soon as a signal would end it cleanly.
    """
    with _ended_by_signals(server):
        try:
            began()
            server.serve_forever(poll_interval=0.2)
        finally:
            server.server_close()


@contextmanager
def _ended_by_signals(server: TaskServer) -> Iterator[None]:
    """Own handlers, whatever was inherited: a shell that starts a job in the background has it ignore SIGINT."""
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
