"""The pages of results: evaluations and feedback that are kept, and their reports."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from pyramidion.errors import PyramidionError
from pyramidion.evaluation.from_run import evaluation_of
from pyramidion.evaluation.run_folders import show_run
from pyramidion.model import Topic
from pyramidion.reports.html import report_html
from pyramidion.studio import evaluations, keeping, results, views
from pyramidion.studio.doors import Visit
from pyramidion.studio.jobs import Job
from pyramidion.studio.keeping import Kept
from pyramidion.studio.log.store import GoneError, topics_of
from pyramidion.studio.pages.topics import download
from pyramidion.studio.rendering import page, standalone_headers, with_links
from pyramidion.studio.strings import STRINGS

ARCHIVE = "feedback.zip"
"""The name of the archive of all pages of feedback."""


def topics(visit: Visit) -> list[Topic]:
    """Return the project's topics as the visitor may see them, each under a name of its own."""
    visible: list[Topic] = []
    for id, _ in topics_of(visit.workspace.engine, visit.project.id):
        document = visit.workspace.store.state(id).document
        seen = views.for_reader(document, visit.name) if visit.blind else document
        visible.append(seen.topic)
    return evaluations.with_distinct_names(visible)


def _kept_result(visit: Visit) -> Kept:
    return keeping.kept_by_id(visit.workspace.engine, visit.project.id, visit.request.path_params["result"])


def _base(visit: Visit) -> str:
    return f"/projects/{visit.project.id}"


def overview(visit: Visit) -> Response:
    """Show everything that is kept of the project, and what can be made."""
    current = keeping.current_basis(visit.workspace.store, visit.project.id)
    kept_results = keeping.kept_of(visit.workspace.engine, visit.project.id)
    return page(
        visit,
        "results.html",
        evaluations=[(kept, kept.changed_topics(current)) for kept in kept_results if kept.kind == "evaluation"],
        feedbacks=[(kept, kept.changed_topics(current)) for kept in kept_results if kept.kind == "feedback"],
        methods=evaluations.METHODS,
        data={"project": visit.project.id},
    )


def evaluate(visit: Visit) -> Response:
    """Evaluate the project's peers by a method, in the background."""
    basis = keeping.current_basis(visit.workspace.store, visit.project.id)
    chosen = visit.value("method") or evaluations.PEOPLE.name
    job = evaluations.start(visit.workspace, visit.project.id, topics(visit), basis, chosen, visit.name)
    return JSONResponse({"job": job.id})


def result(visit: Visit) -> Response:
    """Show one result that is kept: what it was made of and how, and what can be seen of it."""
    kept = _kept_result(visit)
    tables = Markup()
    if kept.kind == "evaluation":
        with evaluations.open_run(visit.workspace.engine, kept) as run:
            found = show_run(run)
        tables = Markup(found._repr_html_())  # which escapes every cell
        notes = [note.text for note in found.notes]
    else:
        notes = _feedback_notes(visit, kept)
    changed = kept.changed_topics(keeping.current_basis(visit.workspace.store, visit.project.id))
    gradebooks = _gradebooks(visit, kept) if kept.kind == "feedback" else []
    return page(visit, "result.html", kept=kept, tables=tables, notes=notes, changed=changed, gradebooks=gradebooks)


def report(visit: Visit) -> Response:
    """Show the report of an evaluation."""
    kept = _kept_result(visit)
    with evaluations.open_run(visit.workspace.engine, kept) as run:
        html = report_html(evaluation_of(run), title=visit.project.name)
    return HTMLResponse(_with_ways_back(visit, html, kept), headers=standalone_headers())


def archive(visit: Visit) -> Response:
    """Send all files of a result: the folder of a run, or the pages of feedback."""
    kept = _kept_result(visit)
    data = keeping.content(visit.workspace.engine, kept)
    what = "run" if kept.kind == "evaluation" else "feedback"
    return download(f"{visit.project.name}-{what}-{kept.when.replace(':', '.')}.zip", data)


def forget(visit: Visit) -> Response:
    """Delete a result."""
    keeping.forget(visit.workspace.engine, _kept_result(visit))
    return RedirectResponse(f"{_base(visit)}/results", 303)


# Feedback


def start_feedback(visit: Visit) -> Response:
    """Make feedback pages for every peer of the project."""
    workspace, where, author = visit.workspace, visit.project.id, visit.name
    basis = keeping.current_basis(workspace.store, where)
    present = topics(visit)
    ready = [topic for topic in present if topic.peers and topic.references]
    bare = [topic.id for topic in present if topic.peers and not topic.references]
    if bare and not ready:
        raise PyramidionError(
            f"The topic {bare[0]!r} has no model answer (reference) yet.", do="open the topic and drop one there"
        )

    def work(job: Job) -> str:
        made = results.feedback_pages(ready, job)
        about = {"method": ", ".join(made.methods), "signature": "\n".join(made.signatures)}
        keeping.keep(workspace.engine, where, "feedback", made.files, author=author, basis=basis, **about)
        return f"/projects/{where}/feedback/index.html"

    job = workspace.jobs.start(where, sum(len(topic.peers) for topic in ready), work)
    return JSONResponse({"job": job.id})


def latest_feedback(visit: Visit) -> Response:
    """Show a page of the feedback that was made last, or all of it."""
    made = keeping.kept_of(visit.workspace.engine, visit.project.id, "feedback")
    if not made:
        raise GoneError("There is no feedback yet.")
    return _feedback(visit, made[0])


def feedback(visit: Visit) -> Response:
    """Show a page of feedback that is kept, or all of it."""
    return _feedback(visit, _kept_result(visit))


def _feedback(visit: Visit, kept: Kept) -> Response:
    name = visit.request.path_params["name"]
    if name == ARCHIVE:
        return download(f"{visit.project.name}-{ARCHIVE}", keeping.content(visit.workspace.engine, kept))
    data = keeping.file_of(visit.workspace.engine, kept, name)
    if PurePosixPath(name).suffix != ".html":
        return download(PurePosixPath(name).name, data)
    return HTMLResponse(_with_ways_back(visit, data.decode(), kept), headers=standalone_headers())


def _feedback_notes(visit: Visit, kept: Kept) -> list[str]:
    """Return the notes that stand beside the pages of feedback."""
    if results.NOTES not in keeping.names(visit.workspace.engine, kept):
        return []
    return keeping.file_of(visit.workspace.engine, kept, results.NOTES).decode().splitlines()


def _gradebooks(visit: Visit, kept: Kept) -> list[tuple[str, str]]:
    """Return the gradebooks of feedback, each with the words of its link."""
    names = [name for name in keeping.names(visit.workspace.engine, kept) if name.endswith(".csv")]
    return [(name, f"{STRINGS['gradebook']} ({name})") for name in names]


def _with_ways_back(visit: Visit, html: str, kept: Kept) -> str:
    """Return a page that stands alone, with links to what it belongs to."""
    links = [(f"{_base(visit)}/results/{quote(kept.id)}", STRINGS["back_to_studio"])]
    if kept.kind == "feedback":
        base = f"{_base(visit)}/results/{quote(kept.id)}"
        links += [(f"{base}/pages/index.html", STRINGS["all_students"]), (f"{base}/archive", STRINGS["download_pages"])]
        links += [(f"{base}/pages/{quote(name)}", words) for name, words in _gradebooks(visit, kept)]
    old = kept.changed_topics(keeping.current_basis(visit.workspace.store, visit.project.id))
    return with_links(html, links, STRINGS["old_result"] if old else "")
