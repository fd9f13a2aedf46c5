"""The owner's pages of crowd studies: make one of a project, give its link away, see how far it is, take results."""

from __future__ import annotations

from dataclasses import fields
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from pyramidion.base.tables import html as as_html
from pyramidion.crowd.assignment import Distinct, workers_needed
from pyramidion.crowd.design import Design
from pyramidion.crowd.desk import LONGEST_NAME, name_of
from pyramidion.crowd.pages import completion_code
from pyramidion.crowd.panel import names
from pyramidion.crowd.plan import extend, plan
from pyramidion.crowd.statements.drafts import open_topics, rules_of
from pyramidion.crowd.statements.select import select
from pyramidion.errors import PyramidionError
from pyramidion.model import Topic
from pyramidion.reports.crowd_page import crowd_html
from pyramidion.studio.accounts import RefusedError
from pyramidion.studio.crowd_progress import FILES, Standing
from pyramidion.studio.crowd_studies import Service
from pyramidion.studio.doors import Visit
from pyramidion.studio.jobs import Job
from pyramidion.studio.log.store import topics_of
from pyramidion.studio.pages.topics import download
from pyramidion.studio.rendering import page, standalone_headers, with_links
from pyramidion.studio.strings import STRINGS

PROLIFIC = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
"""The parameters that Prolific fills in when it leads a worker to an address."""
ASKED = ("workers", "per_task", "sample", "checks", "writers", "written", "judging_reward", "writing_reward")
"""The numbers of a design that the page asks for."""
MOST = 100_000


def studies(visit: Visit) -> Response:
    """Show the crowd studies of a project, and what a new one can be made of."""
    crowd = visit.workspace.crowd
    studies = [(offer, *crowd.open_study(offer).desk.progress()) for offer in crowd.of(visit.project.id)]
    topics = [
        (id, topic.id, len(topic.pyramid.scus) if topic.pyramid else 0, len(topic.references), len(topic.peers))
        for id, topic in _topics(visit)
    ]
    usual = {field.name: field.default for field in fields(Design) if field.name in ASKED}
    usual |= dict.fromkeys(("judging_reward", "writing_reward", "each"), 0)  # one's own people are seldom paid
    return page(visit, "crowd.html", studies=studies, topics=topics, usual=usual)


def add_study(visit: Visit) -> Response:
    """Make a study of the chosen topics."""
    chosen = [topic for id, topic in _topics(visit) if visit.value(f"topic-{id}") == "yes"]
    if not chosen:
        raise RefusedError("No topic is chosen.", do="tick one or more")
    completion = visit.value("completion", 500).strip()
    if completion:
        completion_code(completion)  # is it an address?
    design = Design(platform="prolific" if completion else "own", **{name: _number(visit, name) for name in ASKED})
    name = " ".join(visit.value("name", 100).split()) or visit.project.name
    study = plan(chosen, design, name=name, statements="pyramid" if visit.value("from") == "scus" else "written")
    tasks_each = _number(visit, "each") or (1 if completion else 0)
    distinct: Distinct = "statement" if visit.value("distinct") == "yes" else "item"
    id = visit.workspace.crowd.add(visit.project.id, study, Service(tasks_each, distinct, completion))
    return RedirectResponse(f"/studies/{id}", 303)


def study(visit: Visit) -> Response:
    """Show how far a study is."""
    opened = visit.workspace.crowd.open_study(visit.study)
    state = Standing(opened.study, opened.answers.submissions())
    scores, untold = Markup(), ""
    if state.judged:
        try:
            scores = Markup(state.scores()._repr_html_())  # which escapes every cell
        except PyramidionError as error:
            untold = str(error)
    link = _address(visit, f"/crowd/{visit.study.link}/")
    phase = opened.study.phase
    return page(
        visit,
        "study.html",
        phase=phase,
        now=state.now,
        least=workers_needed(opened.study, phase, opened.service.distinct),
        each=opened.service.each,
        link=link,
        prolific=f"{link}?{PROLIFIC}" if opened.service.completion else "",
        tasks=state.tasks(),
        statements=state.statements(),
        workers=Markup(as_html(state.workers())) if state.submissions else "",
        cost=state.cost(),
        scores=scores,
        untold=untold,
        files=FILES,
        data={"study": visit.study.id},
    )


def offer(visit: Visit) -> Response:
    """Begin or stop to give out tasks, change the link, or take away a study that has no answers."""
    crowd, wish = visit.workspace.crowd, visit.value("wish")
    if wish == "remove":
        crowd.remove(visit.study)
        return RedirectResponse(f"/projects/{visit.project.id}/crowd", 303)
    if wish == "link":
        crowd.renew_link(visit.study)
    elif wish in ("open", "close"):
        crowd.set_open(visit.study, wish == "open")
    else:
        raise RefusedError("This cannot be done with a study.")
    return RedirectResponse(f"/studies/{visit.study.id}", 303)


def links(visit: Visit) -> Response:
    """Return a personal link for each name, with which nobody need write their name."""
    text = visit.value("names", MOST)
    workers = names(text) if text.strip() else []
    unusable = [name for name in workers if not name_of(name)]
    if unusable or not workers:
        words = f"{unusable[0][:LONGEST_NAME]!r} cannot be used as a name." if unusable else "No name is written."
        raise RefusedError(words, do=f"write letters and digits, {LONGEST_NAME} at most, one name a line")
    link = _address(visit, f"/crowd/{visit.study.link}/")
    return JSONResponse({"links": [(name, f"{link}?{urlencode({'worker': name})}") for name in workers]})


def choose_statements(visit: Visit) -> Response:
    """Choose the statements to judge from what people wrote; then judging begins."""
    crowd, before = visit.workspace.crowd, visit.study
    opened = crowd.open_study(before)
    rules = rules_of("paper", analyser="en-minilm" if visit.value("language") == "english" else "unicode")

    def work(job: Job) -> str:
        selected = select(opened.study, opened.answers.submissions(), rules).study
        waiting = open_topics(selected)
        if waiting:
            raise PyramidionError(
                f"Nobody has written about the topic {waiting[0].id!r} yet.", do="wait until each has statements"
            )
        crowd.grow(before, selected)
        return f"/studies/{before.id}"

    return JSONResponse({"job": visit.workspace.jobs.start(visit.project.id, 1, work).id})


def add_summaries(visit: Visit) -> Response:
    """Add the summaries that have come into the study's topics since it was made."""
    crowd = visit.workspace.crowd
    before = crowd.open_study(visit.study).study
    known = {topic.id for topic in before.topics}
    after = extend(before, [topic for _, topic in _topics(visit) if topic.id in known])
    if after == before:
        raise RefusedError("The study has every summary of its topics already.")
    crowd.grow(visit.study, after)
    return RedirectResponse(f"/studies/{visit.study.id}", 303)


def report(visit: Visit) -> Response:
    """Show the report of what the crowd found."""
    html = crowd_html(_state(visit).scores(), title=visit.study.name)
    return HTMLResponse(
        with_links(html, [(f"/studies/{visit.study.id}", visit.study.name)]), headers=standalone_headers()
    )


def export(visit: Visit) -> Response:
    """Send a file of the study."""
    return download(*_state(visit).file(visit.request.path_params["kind"]))


def _state(visit: Visit) -> Standing:
    opened = visit.workspace.crowd.open_study(visit.study)
    return Standing(opened.study, opened.answers.submissions())


def _topics(visit: Visit) -> list[tuple[str, Topic]]:
    """Return the project's topics, by their ids in the workspace."""
    store = visit.workspace.store
    return [(id, store.state(id).document.topic) for id, _ in topics_of(visit.workspace.engine, visit.project.id)]


def _number(visit: Visit, name: str) -> int:
    text = visit.value(name).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= MOST):
        raise RefusedError(f"{STRINGS[f'crowd_{name}']}: {text!r} cannot be used.", do="write a whole number")
    return int(text)


def _address(visit: Visit, path: str) -> str:
    """Return the whole address of a page, as others can open it."""
    return str(visit.request.base_url.replace(path=path))
