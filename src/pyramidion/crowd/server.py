"""A study's tasks served to workers who come one at a time: hands out pages, receives answers, stores them at once.

The standard library's server, a thread per request: enough for a lab, or for a marketplace's participants behind a web
server that adds HTTPS. Nobody logs in: whoever knows a worker's name can answer for them, as with a link in a mail.

========================  =================================================================================
``/``                     asks for a name, or takes ``worker`` or ``PROLIFIC_PID`` from the address
``/task?worker=``         the page of the worker's next task
``POST /answer``          the JSON that the page sends; answered by JSON: ``next``, or ``error``
``/done?worker=``         thanks, and the way back to the marketplace for who has answered something
========================  =================================================================================

A task is held for whom it was given to for some minutes, so that two who come at once do not overfill it. If the time
is over and it was given to another, both answers are kept: work done is never refused.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec

from pyramidion.crowd.answers.cells import made_id
from pyramidion.crowd.answers.page_answers import submission_from_page
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.assignment import Distinct, next_task, own_tasks
from pyramidion.crowd.page import Page, render
from pyramidion.crowd.pages import completion_code, task_page
from pyramidion.crowd.study import Phase, Study, Task
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.formats._files import readable

__all__ = ["LONGEST_NAME", "MOST_BYTES", "Desk", "TaskServer", "serve"]

MOST_BYTES = 256 * 1024
"""Of an answer; a long one has a tenth of it."""

LONGEST_NAME = 100

_DRAINED = 16 * MOST_BYTES
"""What is read of a body that is too long, so that its sender hears so; of a longer one, nothing."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """What the store held when it was last looked at."""

    mark: tuple[int, bytes]
    """The file's time and SQLite's count of changes: within one tick of the clock, several may answer."""
    workers: dict[str, set[str]]
    """By task, who has answered it; rejected answers do not count."""
    rejected: dict[str, set[str]]


class Desk:
    """Which task a worker gets, and what becomes of the answers: the server without HTTP."""

    def __init__(
        self,
        study: Study,
        store: Store,
        phase: Phase,
        *,
        each: int = 0,
        hold: float = 1800.0,
        distinct: Distinct = "item",
        completion: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``each``: tasks that one worker does at most, 0 for all; ``hold``: seconds that a task is kept for them."""
        self.study, self.store, self.phase = study, store, phase
        self.each, self.hold, self.distinct, self.clock = each, hold, distinct, clock
        self.completion, self.code = completion, completion_code(completion) if completion else ""
        self.tasks = {task.id: task for task in study.of_phase(phase)}
        self.wrote = own_tasks(study)
        if not self.tasks:
            raise PyramidionError(
                f"study {study.name!r} has no {phase} tasks",
                do="select statements first: pyramidion crowd select" if phase == "judging" else "serve judging tasks",
            )
        if store.kind() == "simulated":
            raise PyramidionError(
                "the store holds a rehearsal's answers, to which people's cannot be added",
                str(store.path),
                "move it away, or serve a copy of the study without it",
            )
        self._held: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()
        self._seen = _Answered((-1, b""), {}, {})

    def next_task(self, worker: str) -> Task | None:
        """The worker's next task, which is held for them from now on; the one they have, if they did not answer it."""
        with self._lock:
            answered = self._answered()
            now = self.clock()
            self._held = {at: until for at, until in self._held.items() if until > now}
            mine = [id for id, who in self._held if who == worker and worker not in answered.workers.get(id, ())]
            task = self.tasks[mine[0]] if mine else self._fresh(answered, worker)
            if task is not None:
                self._held[task.id, worker] = now + self.hold
            return task

    def _fresh(self, answered: _Answered, worker: str) -> Task | None:
        if self.each and self._done(answered, worker) >= self.each:
            return None
        taken: dict[str, Collection[str]] = {
            id: answered.workers.get(id, set()) | {who for task, who in self._held if task == id} for id in self.tasks
        }
        open_to = [task for id, task in self.tasks.items() if worker not in answered.rejected.get(id, ())]
        wrote = self.wrote.get(worker, ())
        return next_task(open_to, taken, worker, distinct=self.distinct, seed=self.study.design.seed, wrote=wrote)

    def done_by(self, worker: str) -> int:
        """How many tasks the worker has answered."""
        with self._lock:
            return self._done(self._answered(), worker)

    @staticmethod
    def _done(answered: _Answered, worker: str) -> int:
        every = (*answered.workers.values(), *answered.rejected.values())
        return sum(worker in workers for workers in every)

    def receive(self, record: dict[str, Any]) -> Submission:
        """Store what a page sent; sent twice, it is stored once, and the first stands."""
        worker = name_of(record.get("worker"))
        if not worker:
            raise FormatError("the answers say no worker", do="give a name")
        if record.get("study") != self.study.name or str(record.get("task")) not in self.tasks:
            raise FormatError("the answers are of a task that is not served here", do="open the start page again")
        submission = submission_from_page(record | {"worker": worker}, self.study)
        with self._lock:
            if self.store.add([submission], "crowd serve").conflicting:
                self._keep_apart(submission)
            self._held.pop((submission.task, worker), None)
        return submission

    def _keep_apart(self, submission: Submission) -> None:
        """Another worker's answers under the same session: a link that two were given. Both count."""
        if submission.worker not in self._answered().workers.get(submission.task, ()):
            own = replace(submission, id=made_id(submission.id, submission.worker))
            self.store.add([own], "crowd serve")

    def progress(self) -> tuple[int, int]:
        """How many assignments are answered, and how many there are; those beyond what a task wants do not count."""
        with self._lock:
            workers = self._answered().workers
        had = sum(min(task.workers, len(workers.get(id, ()))) for id, task in self.tasks.items())
        return had, sum(task.workers for task in self.tasks.values())

    def _answered(self) -> _Answered:
        """Read the store again if it has changed: others may add to it, too."""
        mark = self._mark()
        if mark != self._seen.mark:
            workers: dict[str, set[str]] = {}
            rejected: dict[str, set[str]] = {}
            for task, worker, status in self.store.done(self.phase):
                (rejected if status == "rejected" else workers).setdefault(task, set()).add(worker)
            self._seen = _Answered(mark, workers, rejected)
        return self._seen

    def _mark(self) -> tuple[int, bytes]:
        path = self.store.path
        if not path.exists():
            return 0, b""
        with readable(path), path.open("rb") as file:
            return path.stat().st_mtime_ns, file.read(28)[24:]


def name_of(given: object) -> str:
    """A worker's name as it is kept: one line, white space once; nothing if it is none."""
    text = " ".join(given.split()) if isinstance(given, str) else ""
    return text if text.isprintable() and len(text) <= LONGEST_NAME else ""


class TaskServer(ThreadingHTTPServer):
    """The server of a desk. ``said`` is told of each answer that comes in."""

    request_queue_size = 128

    def __init__(self, address: tuple[str, int], desk: Desk, said: Callable[[str], None] = lambda line: None) -> None:
        self.desk, self.said = desk, said
        try:
            self.address_family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0][0]
            super().__init__(address, _Handler)
        except (OSError, OverflowError) as error:
            raise PyramidionError(
                f"cannot serve at {address[0]} port {address[1]}: {getattr(error, 'strerror', '') or error}",
                do="choose another --port or --host",
            ) from None

    @property
    def url(self) -> str:
        """Where the start page is."""
        host, port = self.server_address[:2]
        name = host.decode() if isinstance(host, bytes | bytearray) else str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error; of anything else, one line."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            self.said(f"error: {type(error).__name__}: {error}")


class _Handler(BaseHTTPRequestHandler):
    server: TaskServer
    timeout = 30
    server_version = "Pyramidion"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with a page."""
        try:
            address = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(address.query, max_num_fields=50).items()}
        except ValueError:
            self.send_error(HTTPStatus.BAD_REQUEST, "The address cannot be read")
            return
        given = query.get("worker") or query.get("PROLIFIC_PID")
        worker = name_of(given)
        session = name_of(query.get("session") or query.get("SESSION_ID"))
        known = urlencode({"worker": worker} | ({"session": session} if session else {}))
        try:
            if address.path == "/" and worker:
                self._redirect(f"/task?{known}")
            elif address.path == "/" or (address.path == "/task" and not worker):
                self._start(refused=bool(given))
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
        if size > MOST_BYTES:
            if size <= _DRAINED:
                self.rfile.read(size)
            self._json(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": "The answers are too long."})
            return
        body = self.rfile.read(size)
        if self.path.partition("?")[0] != "/answer":
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
        except FormatError as error:
            self._json(HTTPStatus.BAD_REQUEST, {"error": f"{error}."})
        except PyramidionError as error:
            self._json(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "The answers could not be stored."})
            self.server.said(f"error: {error}")
        else:
            had, wanted = self.server.desk.progress()
            self.server.said(f"{submission.worker}: {submission.task} stored; {had} of {wanted} assignments done")
            self._json(HTTPStatus.OK, {"ok": True, "next": f"/task?{urlencode({'worker': submission.worker})}"})

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
        self._page(HTTPStatus.OK, task_page(desk.study, task, worker=worker, session=session, post="/answer"))

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
        """Requests are not written down: their addresses name workers."""


_NOTHING = "default-src 'none'"


def _notice(
    title: str, lines: list[str], *, ask: bool = False, link: str = "", words: str = "Return and finish"
) -> Page:
    return render("notice.html", title=title, lines=lines, ask=ask, link=link, link_words=words)


def serve(server: TaskServer) -> None:
    """Serve until Ctrl-C."""
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
