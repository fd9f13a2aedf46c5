"""What programs propose: a pyramid to begin with, and what a peer says of it. People decide."""

from __future__ import annotations

from sqlalchemy import Engine, delete, insert, select

from pyramidion.errors import PyramidionError
from pyramidion.formats import native
from pyramidion.methods import DEFAULT_MATCHER, GIVEN, RECIPES, Method
from pyramidion.model import Annotation, Topic
from pyramidion.studio import schema
from pyramidion.studio.database import database_errors
from pyramidion.studio.jobs import Job
from pyramidion.studio.log.pyramid_edits import ReplacePyramid
from pyramidion.studio.log.store import ConflictError
from pyramidion.studio.workspace import Workspace

MATCHERS_OFFERED = (DEFAULT_MATCHER, "soft", "unigram", "wmin")
"""Matchers that work right after installation, the best first."""
BUILDERS_OFFERED = tuple(
    (recipe.name, recipe.title) for recipe in RECIPES if recipe.builder != GIVEN and not recipe.sources
)
_SLOW = ("llm:", "nli:")


def proposed_annotation(engine: Engine, topic: str, peer: str) -> Annotation | None:
    """Return the last proposal of a matcher for a peer, if one was asked for."""
    table = schema.suggestions
    query = select(table.c.annotation).where(table.c.topic == topic, table.c.peer == peer)
    with database_errors(), engine.connect() as connection:
        text = connection.execute(query).scalar()
    return native.loads(text)[0].annotations[0] if text else None


def start_suggesting(workspace: Workspace, project: str, topic: str, peer: str, matcher: str) -> Job:
    """Ask a matcher about a peer; its proposals then stand beside the pyramid."""
    method = offered_method(f"{GIVEN}+{matcher or DEFAULT_MATCHER}")
    document = workspace.store.state(topic).document
    summary = document.topic.peer(peer)
    if not document.pyramid.scus:
        raise PyramidionError("The pyramid has no SCU yet.", do="make some first")

    def work(job: Job) -> str:
        """Match the peer, and keep the proposals in the place of earlier ones."""
        method.check_language([Topic(document.topic.id, document.topic.references, (summary,))])
        annotation = method.match(document.pyramid, summary)
        text = native.dumps([Topic(document.topic.id, (), (summary,), annotations=(annotation,))]).decode()
        table = schema.suggestions
        with database_errors(), workspace.engine.begin() as connection:
            # a peer has the suggestions of one matcher: those that were asked for last
            connection.execute(delete(table).where(table.c.topic == topic, table.c.peer == peer))
            row = {"topic": topic, "peer": peer, "matcher": annotation.matcher, "annotation": text}
            connection.execute(insert(table).values(**row))
        job.advance()
        return ""

    return workspace.jobs.start(project, 1, work)


def start_building(workspace: Workspace, project: str, topic: str, method: str, author: str) -> Job:
    """Build a pyramid of the topic's references and put it in the place of the one that is there; it can be undone.

    If somebody edits the pyramid, its references or a peer's marks meanwhile, their work stays and the built pyramid
    is refused.
    """
    chosen = offered_method(method)
    state = workspace.store.state(topic)
    if not state.document.topic.references:
        raise PyramidionError("The topic has no reference yet.", do="drop some first")

    def work(job: Job) -> str:
        """Build the pyramid and put it in place, unless somebody has edited the topic meanwhile."""
        texts = Topic(state.document.topic.id, state.document.topic.references, sources=state.document.topic.sources)
        chosen.check_language([texts])
        built = ReplacePyramid(chosen.pyramid(texts).scus, str(chosen))
        try:
            workspace.store.edit(topic, built, author, state.version)
        except ConflictError:
            raise PyramidionError(
                "Somebody edited the topic while its pyramid was built, so the built pyramid was not put in place.",
                do="look at the topic as it is now; build again if the new pyramid shall replace it",
            ) from None
        job.advance()
        return f"/topics/{topic}"

    return workspace.jobs.start(project, 1, work)


def offered_method(text: str) -> Method:
    """Return the method of that name; one that sends texts elsewhere, or loads what a form names, is refused."""
    if any(name in text for name in _SLOW) or "(" in text:
        raise PyramidionError("This method is not offered here.", do="run it on the command line")
    return Method.parse(text)
