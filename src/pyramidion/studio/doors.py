"""The way into every page: who comes, what they want to see, whether they may.

A page is a :class:`Door`: a path, a function, and what it needs. The function is called only when the visitor has the
role in the project that the path names, itself or through a topic. To others, a project does not exist. A change needs
the session's token as well. Only the tasks of a crowd study need neither an account nor a session, but the study's
link, and answers their task's ticket.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from pyramidion.errors import PyramidionError
from pyramidion.notes import collect_notes
from pyramidion.studio import sessions
from pyramidion.studio.accounts import NOBODY, ROLES, Account, RefusedError, Role
from pyramidion.studio.crowd_studies import NO_OFFER, Offer
from pyramidion.studio.database import UnwritableError
from pyramidion.studio.log.store import ConflictError, GoneError
from pyramidion.studio.sessions import Session
from pyramidion.studio.workspace import Project, Workspace

Needs = Literal["nothing", "link", "login", "admin", "viewer", "annotator", "owner"]
MOST_FILES = 1000


@dataclass(slots=True)
class Visit:
    """A request that may be answered."""

    workspace: Workspace
    request: Request
    session: Session
    account: Account
    project: Project = field(default_factory=lambda: Project("", ""))
    topic: str = ""
    role: Role | None = None
    study: Offer = NO_OFFER
    body: bytes = b""
    """The body that a worker's page sends."""
    sent: dict[str, Any] = field(default_factory=dict)
    """The values that a change brings: of a JSON object or a form."""
    files: list[tuple[str, bytes]] = field(default_factory=list)
    """Uploaded files by their paths."""

    @property
    def token(self) -> str:
        """The token that every change must carry."""
        return self.session.token(self.workspace.secret)

    @property
    def name(self) -> str:
        """The name under which the visitor edits and annotates."""
        return self.account.name

    @property
    def may_edit(self) -> bool:
        """True where the visitor may change the project's topics."""
        return self.role in ("annotator", "owner")

    @property
    def blind(self) -> bool:
        """True where the annotations of others are hidden: annotators work independently."""
        return self.role == "annotator"

    def value(self, name: str, most: int = 200) -> str:
        """Return a text that was sent, or is in the address."""
        value = self.sent.get(name, self.request.query_params.get(name, ""))
        return value[:most] if isinstance(value, str) else ""


Handler = Callable[[Visit], Response] | Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Door:
    """A page or a change, and what it needs."""

    path: str
    handler: Handler
    needs: Needs
    method: Literal["GET", "POST"] = "GET"
    streams: bool = False
    """The function is asynchronous."""
    shows_others: bool = False
    """The page shows other people's annotations; annotators get 404, so that they stay independent."""

    def route(self, workspace: Workspace, problem: Callable[[Visit | None, int, str], Response]) -> Route:
        """Return the route of a server; ``problem`` makes the page of what went wrong."""

        async def endpoint(request: Request) -> Response:
            """Answer a request: find out who sends it, call the function if they may, and give them their cookie."""
            session = Session.read(request.cookies.get(sessions.cookie_name(workspace.secret), ""), workspace.secret)
            visit: Visit | None = None
            try:
                admitted, known, inside = await run_in_threadpool(self._admit, workspace, request, session)
                visit = admitted
                with collect_notes():  # what no page shows is not for the server's log: it names texts and people
                    response = await self._answer(admitted, known, inside, problem)
            except PyramidionError as error:
                response = _error_response(visit, request, error, problem)
            except ClientDisconnect:
                return Response(status_code=400)
            # workers get no cookie: their answers carry the ticket of their task
            if visit is not None and self.needs != "link":
                _keep(visit, request, response)
            return response

        return Route(self.path, endpoint, methods=[self.method], name=self.path)

    def _admit(self, workspace: Workspace, request: Request, session: Session | None) -> tuple[Visit, bool, bool]:
        """Return the visit, whether we know the visitor, and whether they may come in."""
        account = sessions.session_account(session, workspace.accounts, workspace.local)
        fresh = session is None or (bool(session.account) and account is None)
        visit = Visit(workspace, request, Session.new() if fresh or session is None else session, account or NOBODY)
        if self.needs == "link":
            return visit, account is not None, self._find(visit)
        return visit, account is not None, account is not None and self.needs in ROLES and self._enter(visit)

    async def _answer(
        self, visit: Visit, known: bool, inside: bool, problem: Callable[[Visit | None, int, str], Response]
    ) -> Response:
        """Refuse the visit with the right status, or call the page's function."""
        request = visit.request
        if self.needs not in ("nothing", "link") and not known:
            if self.method == "GET" and "text/html" in request.headers.get("accept", ""):
                return RedirectResponse("/login", 303)
            return problem(visit, 401, "log_in_first")
        if self.needs == "admin" and not visit.account.admin:
            return problem(visit, 403, "not_allowed")
        if self.needs == "link" and not inside:
            return problem(visit, 404, "no_page")
        if self.needs in ROLES and not inside:
            # without any role the project does not exist; with a lesser one, the visitor learns that it is too low
            return problem(
                visit, 404 if visit.role is None else 403, "no_page" if visit.role is None else "not_allowed"
            )
        if self.method == "POST" and self.needs == "link":
            visit.body = await request.body()
        elif self.method == "POST":
            await _read(visit)
            # against forged requests of other sites, which cannot read our pages
            token = request.headers.get("x-token") or visit.value("token")
            if not visit.session.is_token(token, visit.workspace.secret):
                return problem(visit, 403, "old_page")
        handler: Any = self.handler
        response: Response = await (handler(visit) if self.streams else run_in_threadpool(handler, visit))
        return response

    def _find(self, visit: Visit) -> bool:
        """Find the crowd study that the path's link is of."""
        found = visit.workspace.crowd.by_link(visit.request.path_params["link"])
        visit.study = found or NO_OFFER
        return found is not None

    def _enter(self, visit: Visit) -> bool:
        """Find the project that the path names; say whether the visitor has the role."""
        path = visit.request.path_params
        visit.topic = path.get("topic", "")
        if "job" in path:
            job = visit.workspace.jobs.get(path["job"])
            project = visit.workspace.project(job.project) if job else None
        elif visit.topic:
            project = visit.workspace.project_of(visit.topic)
        elif "study" in path:
            visit.study = visit.workspace.crowd.get(path["study"]) or NO_OFFER
            project = visit.workspace.project(visit.study.project)
        else:
            project = visit.workspace.project(path.get("project", ""))
        if project is None:
            return False
        visit.project = project
        visit.role = visit.workspace.accounts.role(visit.account, project.id)
        if self.shows_others and visit.blind:
            # as if the visitor were no member: the page does not exist for them
            visit.role = None
        return visit.role is not None and ROLES.index(visit.role) >= ROLES.index(self.needs)


async def _read(visit: Visit) -> None:
    """Read what was sent."""
    kind = visit.request.headers.get("content-type", "").partition(";")[0]
    if kind == "application/json":
        try:
            visit.sent = msgspec.json.decode(await visit.request.body(), type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise RefusedError("What was sent is no JSON object.") from None
        return
    form: FormData = await visit.request.form(max_files=MOST_FILES, max_fields=MOST_FILES)
    visit.sent = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    for _, value in form.multi_items():
        if isinstance(value, UploadFile):
            visit.files.append((value.filename or "file", await value.read()))
    await form.close()


def _keep(visit: Visit, request: Request, response: Response) -> None:
    """Give the browser its cookie, where it has none of this session."""
    name = sessions.cookie_name(visit.workspace.secret)
    value = visit.session.cookie_value(visit.workspace.secret)
    if request.cookies.get(name) != value:
        response.set_cookie(
            name, value, max_age=sessions.LASTS, httponly=True, samesite="lax", secure=request.url.scheme == "https"
        )


def _error_response(
    visit: Visit | None, request: Request, error: PyramidionError, problem: Callable[[Visit | None, int, str], Response]
) -> Response:
    """Return what an error says, with the status that belongs to it: a page for people, JSON for scripts."""
    if isinstance(error, GoneError):
        return problem(visit, 404, "no_page")
    status = 409 if isinstance(error, ConflictError) else 503 if isinstance(error, UnwritableError) else 422
    if "text/html" in request.headers.get("accept", ""):
        return problem(visit, status, str(error))
    return JSONResponse({"error": f"{error}"}, status)
