"""The pages of a workspace and its projects: what there is, files in and out, results, people."""

from __future__ import annotations

from pathlib import PurePosixPath

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from pyramidion import formats
from pyramidion.examples import example as bundled
from pyramidion.model import Topic
from pyramidion.studio import results, transfer, views
from pyramidion.studio.accounts import ROLES, RefusedError
from pyramidion.studio.doors import Visit
from pyramidion.studio.jobs import Job
from pyramidion.studio.rendering import page
from pyramidion.studio.store import GoneError, topics_of
from pyramidion.studio.topic_pages import download

OWN_POLICY = {"Content-Security-Policy": "frame-ancestors 'none'"}
"""For pages that stand alone and state in themselves what they may load."""


def home(visit: Visit) -> Response:
    """The projects; on the first start, what to begin with."""
    projects = [
        (project, len(topics_of(visit.workspace.engine, project.id)))
        for project in visit.workspace.projects(visit.account)
    ]
    return page(visit, "home.html", projects=projects)


def add_project(visit: Visit) -> Response:
    """Make an empty project."""
    return RedirectResponse(f"/projects/{visit.workspace.add_project(visit.value('name'), (), visit.account)}", 303)


def add_example(visit: Visit) -> Response:
    """Make a project of the bundled example: its texts only, or with its pyramids and annotations."""
    topics = bundled()
    if visit.value("whole") != "yes":
        topics = [Topic(topic.id, topic.references, topic.peers, topic.sources) for topic in topics]
    return RedirectResponse(f"/projects/{visit.workspace.add_project('Example', topics, visit.account)}", 303)


def project(visit: Visit) -> Response:
    """A project's topics."""
    workspace = visit.workspace
    rows = []
    for id, name in topics_of(workspace.engine, visit.project.id):
        document = workspace.store.state(id).document
        seen = views.for_reader(document, visit.name) if visit.blind else document
        read = {one.summary.id for one in seen.topic.annotations if one.summary.role == "peer"}
        assigned = [peer for peer, who in workspace.accounts.assignments(id) if who == visit.name]
        rows.append(
            {
                "id": id,
                "name": name,
                "references": len(document.topic.references),
                "scus": len(document.pyramid.scus),
                "peers": len(document.topic.peers),
                "read": len(read),
                "assigned": len([peer for peer in assigned if peer not in read]),
            }
        )
    return page(visit, "project.html", rows=rows, data={"project": visit.project.id, "edit": visit.may_edit})


def add_files(visit: Visit) -> Response:
    """Add the topics of files that were dropped."""
    received = transfer.topics_of(visit.files, visit.value("name") or visit.project.name)
    added = [visit.workspace.store.add(visit.project.id, topic) for topic in received.topics]
    link = f"/topics/{added[0]}" if len(added) == 1 else f"/projects/{visit.project.id}"
    return JSONResponse({"link": link, "warnings": received.warnings})


def _topics(visit: Visit) -> list[Topic]:
    """The project's topics as the visitor may see them, each under a name of its own."""
    made: list[Topic] = []
    for id, _ in topics_of(visit.workspace.engine, visit.project.id):
        document = visit.workspace.store.state(id).document
        seen = views.for_reader(document, visit.name) if visit.blind else document
        made.append(seen.topic)
    return made


def export(visit: Visit) -> Response:
    """The whole project as a corpus."""
    topics = _topics(visit)
    if visit.request.path_params["kind"] == "jsonl":
        return download(f"{visit.project.name}.jsonl", formats.dumps(topics, "json"))
    return download(f"{visit.project.name}.zip", transfer.archived(topics))


def report(visit: Visit) -> Response:
    """The report of what people annotated."""
    return HTMLResponse(results.report(_topics(visit), visit.project.name), headers=OWN_POLICY)


def start_feedback(visit: Visit) -> Response:
    """Make feedback pages for every peer of the project."""
    topics = [topic for topic in _topics(visit) if topic.peers and topic.references]
    kept, where = visit.workspace.feedback, visit.project.id

    def work(job: Job) -> str:
        kept[where] = results.feedback_pages(topics, job)
        return f"/projects/{where}/feedback/index.html"

    job = visit.workspace.jobs.start(where, sum(len(topic.peers) for topic in topics), work)
    return JSONResponse({"job": job.id})


def feedback(visit: Visit) -> Response:
    """A page of the feedback that was made last, or all of it."""
    made = visit.workspace.feedback.get(visit.project.id, {})
    name = visit.request.path_params["name"]
    if visit.blind:
        raise GoneError("Feedback is for owners and viewers.")
    if name == "feedback.zip" and made:
        return download(f"{visit.project.name}-feedback.zip", transfer.zipped(made))
    if name not in made:
        raise GoneError("There is no such page.")
    if PurePosixPath(name).suffix == ".html":
        return HTMLResponse(made[name], headers=OWN_POLICY)
    return download(name, made[name])


def job(visit: Visit) -> Response:
    """How far some work is."""
    found = visit.workspace.jobs.get(visit.request.path_params["job"])
    if found is None:
        raise GoneError("There is no such work.")
    return JSONResponse(found.to_json())


def agreement(visit: Visit) -> Response:
    """How far annotators agree."""
    found = results.agreement(_topics(visit)) if not visit.blind else None
    tables = [found.table(name) for name in found.shown] if found else []
    return page(visit, "agreement.html", tables=tables, signature=str(found.signature) if found else "")


# People


def people(visit: Visit) -> Response:
    """Who is in the project, and who is to annotate what."""
    accounts = visit.workspace.accounts
    topics = []
    for id, name in topics_of(visit.workspace.engine, visit.project.id):
        document = visit.workspace.store.state(id).document
        assigned = accounts.assignments(id)
        peers = [
            (row["id"], [who for peer, who in assigned if peer == row["id"]], row["readings"])
            for row in views.progress_view(document, None)
        ]
        topics.append((id, name, peers))
    members = accounts.members(visit.project.id)
    return page(visit, "people.html", members=members, roles=ROLES, topics=topics, invitation="")


def invite(visit: Visit) -> Response:
    """Make a link by which one person can join."""
    role = visit.value("role")
    if role not in ROLES:
        raise RefusedError("There is no such role.")
    if not visit.account.id:
        raise RefusedError("Make an account of your own first.", do="open the page of your account")
    token = visit.workspace.accounts.invite(visit.project.id, role)
    return JSONResponse({"link": str(visit.request.base_url.replace(path=f"/invitations/{token}"))})


def set_role(visit: Visit) -> Response:
    """Change a member's role, or end it."""
    role, account = visit.value("role"), visit.value("account")
    if account not in {one.id for one, _ in visit.workspace.accounts.members(visit.project.id)}:
        raise RefusedError("This person is not in the project.")
    visit.workspace.accounts.set_role(visit.project.id, account, next((one for one in ROLES if one == role), None))
    return RedirectResponse(f"/projects/{visit.project.id}/people", 303)
