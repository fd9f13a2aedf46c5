"""The counter: the pages that a worker gets from a desk, and its replies to answers. HTTP without a server.

``crowd serve`` (:mod:`~pyramidion.crowd.server`) and the studio serve the same four places, below whatever address
(``at``) they stand:

============  =================================================================================
``start``     asks for a name, or takes ``worker`` or ``PROLIFIC_PID`` from the address
``task``      the page of the worker's next task, with its ticket
``answer``    the JSON that the page sends; answered by JSON: ``next``, or ``error``
``done``      thanks, and the way back to the marketplace for those who have answered
============  =================================================================================

Nobody logs in: whoever knows a worker's name can answer for them, as with a link in a mail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import urlencode

import msgspec

from pyramidion.crowd.desk import LONGEST_NAME, AnsweredError, Desk, TicketError, name_of
from pyramidion.crowd.page import Page, render
from pyramidion.crowd.page.task import task_page
from pyramidion.errors import FormatError, PyramidionError

Place = Literal["start", "task", "done"]

_NOTHING = "default-src 'none'"


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to a request."""

    status: HTTPStatus
    body: bytes = b""
    kind: str = "text/plain; charset=utf-8"
    policy: str = _NOTHING
    location: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers, apart from the length."""
        headers = {
            "Content-Type": self.kind,
            "Content-Security-Policy": f"{self.policy}; frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
        return headers | ({"Location": self.location} if self.location else {})


def page_reply(page: Page, status: HTTPStatus = HTTPStatus.OK) -> Reply:
    """Return a reply with a page."""
    return Reply(status, page.html.encode(), "text/html; charset=utf-8", page.policy)


def json_reply(status: HTTPStatus, value: dict[str, Any]) -> Reply:
    """Return a reply for a script."""
    return Reply(status, msgspec.json.encode(value), "application/json")


def problem_reply(status: HTTPStatus, words: str = "", at: str = "") -> Reply:
    """Return a page that says what is wrong and leads to the start page."""
    lines = ["Open the start page to go on."]
    return page_reply(_notice(words or status.phrase, lines, link=f"{at}/", words="Start page"), status)


class Counter:
    """The web address of a desk. ``at`` is the path before its places; ``said`` is called with a line for the log."""

    def __init__(self, desk: Desk, at: str = "", said: Callable[[str], None] = lambda line: None) -> None:
        self.desk, self.at, self.said = desk, at, said

    def page(self, place: Place, query: Mapping[str, str]) -> Reply:
        """Return the page of a place."""
        asked = query.get("worker") or query.get("PROLIFIC_PID")
        worker = name_of(asked)
        session = name_of(query.get("session") or query.get("SESSION_ID"))
        known = urlencode({"worker": worker} | ({"session": session} if session else {}))
        try:
            if place == "done":
                return self._done_page(worker)
            if not worker:
                return self._start_page(refused=bool(asked))
            return self._task_page(worker, session, known) if place == "task" else self._redirect("task", known)
        except PyramidionError as error:
            # such as a damaged store: the operator is told what it is, since a worker can do nothing about it
            self.said(f"error: {error}")
            return self.problem(HTTPStatus.SERVICE_UNAVAILABLE, "Something is wrong here; please try again later")

    def answer(self, body: bytes) -> Reply:
        """Receive the answers that a page sends, and reply where to go next or why they are refused."""
        try:
            record = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return json_reply(HTTPStatus.BAD_REQUEST, {"error": "The answers are no JSON object."})
        try:
            submission = self.desk.receive(record)
        except AnsweredError as error:
            # the first answers stand, so the page can go on to the next task
            return self._refuse(HTTPStatus.CONFLICT, error, next=self._next(name_of(record.get("worker"))))
        except TicketError as error:
            return self._refuse(HTTPStatus.FORBIDDEN, error)
        except FormatError as error:
            return self._refuse(HTTPStatus.BAD_REQUEST, error)
        except PyramidionError as error:
            self.said(f"error: {error}")
            return json_reply(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "The answers could not be stored."})
        done, wanted = self.desk.progress()
        self.said(f"{submission.worker}: {submission.task} stored; {done} of {wanted} assignments done")
        return json_reply(HTTPStatus.OK, {"ok": True, "next": self._next(submission.worker)})

    def problem(self, status: HTTPStatus, words: str = "") -> Reply:
        """Return a page that says what is wrong and leads to this counter's start page."""
        return problem_reply(status, words, self.at)

    def _start_page(self, refused: bool) -> Reply:
        lines = ["Please write your name, or the code that you were given. It tells your answers from those of others."]
        if refused:
            lines.append(f"This name cannot be used. Please write letters and digits, {LONGEST_NAME} at most.")
        return page_reply(_notice("Welcome", lines, ask=f"{self.at}/task"))

    def _task_page(self, worker: str, session: str, known: str) -> Reply:
        desk = self.desk
        task = desk.next_task(worker)
        if task is None:
            return self._redirect("done", known)
        signed = desk.ticket(task, worker)
        post = f"{self.at}/answer"
        return page_reply(task_page(desk.study, task, worker=worker, session=session, post=post, ticket=signed))

    def _done_page(self, worker: str) -> Reply:
        if not worker or not self.desk.done_by(worker):
            return page_reply(_notice("No task", ["There is no task for you at the moment. Thank you for coming."]))
        lines = ["Your answers have arrived. There is nothing more to do."]
        if self.desk.code:
            lines.append(f"Completion code: {self.desk.code}")
        return page_reply(_notice("Thank you", lines, link=self.desk.completion))

    def _redirect(self, place: Place, known: str) -> Reply:
        return Reply(HTTPStatus.SEE_OTHER, location=f"{self.at}/{place}?{known}")

    def _next(self, worker: str) -> str:
        return f"{self.at}/task?{urlencode({'worker': worker})}"

    def _refuse(self, status: HTTPStatus, error: FormatError, **more: str) -> Reply:
        self.said(f"refused: {error}")
        return json_reply(status, {"error": str(error), **more})


def _notice(title: str, lines: list[str], *, ask: str = "", link: str = "", words: str = "Return and finish") -> Page:
    """Return a page with some lines; ``ask`` is where its form sends the worker's name."""
    return render("notice.html", title=title, lines=lines, ask=ask, link=link, link_words=words)
