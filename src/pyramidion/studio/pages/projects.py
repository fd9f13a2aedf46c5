"""The pages of a workspace and its projects: what there is, files in and out, results, people."""

from __future__ import annotations

from markupsafe import Markup
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from pyramidion.examples import example as bundled
from pyramidion.formats import native
from pyramidion.model import Topic
from pyramidion.studio import keeping, results, tours, transfer, views
from pyramidion.studio.accounts import INVITATION_DAYS, ROLES, RefusedError
from pyramidion.studio.doors import Visit
from pyramidion.studio.log.store import GoneError, topics_of
from pyramidion.studio.pages import results as result_pages
from pyramidion.studio.pages import runs as run_pages
from pyramidion.studio.pages.topics import download
from pyramidion.studio.rendering import page, standalone_headers


def home(visit: Visit) -> Response:
    """Show the projects; on the first start, what to begin with."""
    projects = [
        (project, len(topics_of(visit.workspace.engine, project.id)))
        for project in visit.workspace.projects(visit.account)
    ]
    runs = len(run_pages.folders(visit)) if visit.account.admin else 0
    tour = tours.is_offered(visit.workspace.engine, visit.account)
    return page(visit, "home.html", projects=projects, runs=runs, tour=tour)


def add_project(visit: Visit) -> Response:
    """Make an empty project."""
    return RedirectResponse(f"/projects/{visit.workspace.add_project(visit.value('name'), (), visit.account)}", 303)


def add_example(visit: Visit) -> Response:
    """Make a project of the bundled example: its texts only, or with its pyramids and annotations, for the tour too."""
    topics = bundled()
    if visit.value("whole") != "yes":
        topics = [Topic(topic.id, topic.references, topic.peers, topic.sources) for topic in topics]
    made = visit.workspace.add_project("Example", topics, visit.account)
    if visit.value("tour") == "yes":
        return RedirectResponse(f"/topics/{topics_of(visit.workspace.engine, made)[0][0]}#tour", 303)
    return RedirectResponse(f"/projects/{made}", 303)


def project(visit: Visit) -> Response:
    """Show a project's topics."""
    workspace = visit.workspace
    rows = []
    for id, name in topics_of(workspace.engine, visit.project.id):
        document = workspace.store.state(id).document
        seen = views.for_reader(document, visit.name) if visit.blind else document
        summaries = (annotation.summary for annotation in seen.topic.annotations)
        read = {summary.id for summary in summaries if summary.role == "peer"}
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
    made = [] if visit.blind else keeping.kept_of(workspace.engine, visit.project.id, "feedback")[:1]
    changed = made[0].changed_topics(keeping.current_basis(workspace.store, visit.project.id)) if made else ()
    data = {"project": visit.project.id, "edit": visit.may_edit}
    return page(visit, "project.html", rows=rows, feedback=made, changed=changed, data=data)


def add_files(visit: Visit) -> Response:
    """Add the topics of files that were dropped."""
    received = transfer.topics_of(visit.files, visit.value("name") or visit.project.name)
    added = [visit.workspace.store.add(visit.project.id, topic) for topic in received.topics]
    link = f"/topics/{added[0]}" if len(added) == 1 else f"/projects/{visit.project.id}"
    ready = visit.role == "owner" and any(topic.references and topic.peers for topic in received.topics)
    return JSONResponse({"link": link, "warnings": received.warnings, "feedback": ready})


def export(visit: Visit) -> Response:
    """Send the whole project as a corpus."""
    topics = result_pages.topics(visit)
    if visit.request.path_params["kind"] == "jsonl":
        return download(f"{visit.project.name}.jsonl", native.lines(topics))
    return download(f"{visit.project.name}.zip", transfer.corpus_archive(topics))


def report(visit: Visit) -> Response:
    """Show the report of what people annotated."""
    return HTMLResponse(results.report(result_pages.topics(visit), visit.project.name), headers=standalone_headers())


def job(visit: Visit) -> Response:
    """Return how far some work is."""
    job = visit.workspace.jobs.get(visit.request.path_params["job"])
    if job is None:
        raise GoneError("There is no such work.")
    return JSONResponse(job.to_json())


def agreement(visit: Visit) -> Response:
    """Show how far annotators agree."""
    found = results.agreement(result_pages.topics(visit)) if not visit.blind else None
    tables = Markup(found._repr_html_()) if found else ""  # which escapes every cell
    return page(visit, "agreement.html", tables=tables, signature=str(found.signature) if found else "")


# People


def people(visit: Visit) -> Response:
    """Show the members of the project, and which peers each of them is to annotate."""
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
    return page(
        visit,
        "people.html",
        members=members,
        roles=ROLES,
        topics=topics,
        invitations=accounts.invitations(visit.project.id),
        days=INVITATION_DAYS,
    )


def invite(visit: Visit) -> Response:
    """Make a link by which one person can join."""
    role = visit.value("role")
    if role not in ROLES:
        raise RefusedError("There is no such role.")
    if not visit.account.id:
        raise RefusedError("Make an account of your own first.", do="open the page of your account")
    accounts = visit.workspace.accounts
    token = accounts.invite(visit.project.id, role)
    made = accounts.invitations(visit.project.id)[-1]
    link = str(visit.request.base_url.replace(path=f"/invitations/{token}"))
    return JSONResponse({"link": link, "invitation": made.digest, "ends": made.ends})


def revoke(visit: Visit) -> Response:
    """Make an invitation useless."""
    visit.workspace.accounts.revoke(visit.project.id, visit.value("invitation"))
    return JSONResponse({"ok": True})


def set_role(visit: Visit) -> Response:
    """Change a member's role, or end it."""
    role, account = visit.value("role"), visit.value("account")
    if account not in {member.id for member, _ in visit.workspace.accounts.members(visit.project.id)}:
        raise RefusedError("This person is not in the project.")
    new_role = next((known for known in ROLES if known == role), None)  # any other value ends the membership
    visit.workspace.accounts.set_role(visit.project.id, account, new_role)
    return RedirectResponse(f"/projects/{visit.project.id}/people", 303)
