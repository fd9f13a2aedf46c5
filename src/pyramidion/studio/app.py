"""The studio as an ASGI application: every page, what it needs, and the guard before them all."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyramidion.crowd.hosts import Names
from pyramidion.studio import tours
from pyramidion.studio.doors import Door
from pyramidion.studio.guard import Guard
from pyramidion.studio.pages import accounts as account_pages
from pyramidion.studio.pages import comparisons as comparison_pages
from pyramidion.studio.pages import crowd as crowd_pages
from pyramidion.studio.pages import projects as project_pages
from pyramidion.studio.pages import results as result_pages
from pyramidion.studio.pages import runs as run_pages
from pyramidion.studio.pages import tasks as task_pages
from pyramidion.studio.pages import topics as topic_pages
from pyramidion.studio.rendering import asset, problem
from pyramidion.studio.workspace import Workspace

DOORS: Sequence[Door] = (
    Door("/", project_pages.home, "login"),
    Door("/enter", account_pages.enter, "nothing"),
    Door("/login", account_pages.login, "nothing"),
    Door("/login", account_pages.log_in, "nothing", "POST"),
    Door("/logout", account_pages.log_out, "login", "POST"),
    Door("/setup", account_pages.setup, "nothing"),
    Door("/setup", account_pages.set_up, "nothing", "POST"),
    Door("/invitations/{token}", account_pages.invitation, "nothing"),
    Door("/invitations/{token}", account_pages.join, "nothing", "POST"),
    Door("/projects", project_pages.add_project, "admin", "POST"),
    Door("/example", project_pages.add_example, "admin", "POST"),
    Door("/tour", tours.end, "login", "POST"),
    Door("/runs", run_pages.runs, "admin"),
    Door("/runs/shown", run_pages.run, "admin"),
    Door("/runs/report", run_pages.report, "admin"),
    Door("/runs/compared", run_pages.compare, "admin"),
    Door("/projects/{project}", project_pages.project, "viewer"),
    Door("/projects/{project}/files", project_pages.add_files, "annotator", "POST"),
    Door("/projects/{project}/export/{kind}", project_pages.export, "viewer"),
    Door("/projects/{project}/report", project_pages.report, "viewer"),
    Door("/projects/{project}/feedback", result_pages.start_feedback, "owner", "POST"),
    Door("/projects/{project}/feedback/{name:path}", result_pages.latest_feedback, "viewer", shows_others=True),
    Door("/projects/{project}/results", result_pages.overview, "viewer", shows_others=True),
    Door("/projects/{project}/results", result_pages.evaluate, "owner", "POST"),
    Door("/projects/{project}/results/{result}", result_pages.result, "viewer", shows_others=True),
    Door("/projects/{project}/results/{result}/report", result_pages.report, "viewer", shows_others=True),
    Door("/projects/{project}/results/{result}/archive", result_pages.archive, "viewer", shows_others=True),
    Door("/projects/{project}/results/{result}/pages/{name:path}", result_pages.feedback, "viewer", shows_others=True),
    Door("/projects/{project}/results/{result}/delete", result_pages.forget, "owner", "POST"),
    Door("/projects/{project}/compare", comparison_pages.compare, "viewer", shows_others=True),
    Door("/projects/{project}/agreement", project_pages.agreement, "viewer"),
    Door("/projects/{project}/people", project_pages.people, "owner"),
    Door("/projects/{project}/invitations", project_pages.invite, "owner", "POST"),
    Door("/projects/{project}/invitations/revoke", project_pages.revoke, "owner", "POST"),
    Door("/projects/{project}/members", project_pages.set_role, "owner", "POST"),
    Door("/projects/{project}/crowd", crowd_pages.studies, "owner"),
    Door("/projects/{project}/crowd", crowd_pages.add_study, "owner", "POST"),
    Door("/studies/{study}", crowd_pages.study, "owner"),
    Door("/studies/{study}/offer", crowd_pages.offer, "owner", "POST"),
    Door("/studies/{study}/links", crowd_pages.links, "owner", "POST"),
    Door("/studies/{study}/statements", crowd_pages.choose_statements, "owner", "POST"),
    Door("/studies/{study}/summaries", crowd_pages.add_summaries, "owner", "POST"),
    Door("/studies/{study}/report", crowd_pages.report, "owner"),
    Door("/studies/{study}/export/{kind}", crowd_pages.export, "owner"),
    Door("/crowd/{link}/", task_pages.start, "link"),
    Door("/crowd/{link}/task", task_pages.task, "link"),
    Door("/crowd/{link}/done", task_pages.thanks, "link"),
    Door("/crowd/{link}/answer", task_pages.answer, "link", "POST"),
    Door("/jobs/{job}", project_pages.job, "viewer"),
    Door("/topics/{topic}", topic_pages.editor, "viewer"),
    Door("/topics/{topic}/document", topic_pages.document, "viewer"),
    Door("/topics/{topic}/events", topic_pages.events, "viewer", streams=True),
    Door("/topics/{topic}/log", topic_pages.log, "viewer"),
    Door("/topics/{topic}/export/{kind}", topic_pages.export, "viewer"),
    Door("/topics/{topic}/peer", topic_pages.peer, "viewer"),
    Door("/topics/{topic}/adjudicate", topic_pages.adjudicate, "owner"),
    Door("/topics/{topic}/operations", topic_pages.edit, "annotator", "POST"),
    Door("/topics/{topic}/undo", topic_pages.undo, "annotator", "POST"),
    Door("/topics/{topic}/redo", topic_pages.redo, "annotator", "POST"),
    Door("/topics/{topic}/files", topic_pages.add_files, "annotator", "POST"),
    Door("/topics/{topic}/corrections", topic_pages.correct, "annotator", "POST"),
    Door("/topics/{topic}/build", topic_pages.build, "annotator", "POST"),
    Door("/topics/{topic}/suggest", topic_pages.suggest, "annotator", "POST"),
    Door("/topics/{topic}/assignments", topic_pages.assign, "owner", "POST"),
)


def _static(request: Request) -> Response:
    found = asset(request.path_params["name"])
    if found is None:
        return problem(None, 404, "no_page")
    data, kind = found
    return Response(data, media_type=kind, headers={"Cache-Control": "no-cache"})


def _no_page(request: Request, error: Exception) -> Response:
    # also 405: an address that exists for another method only is no page, either
    return problem(None, getattr(error, "status_code", 404), "no_page")


def make_app(workspace: Workspace, names: Names) -> Starlette:
    """Return the application of a workspace that is open."""
    routes = [door.route(workspace, problem) for door in DOORS]
    return Starlette(
        routes=[*routes, Route("/static/{name}", _static)],
        middleware=[Middleware(Guard, names=names)],
        exception_handlers={404: _no_page, 405: _no_page},
    )
