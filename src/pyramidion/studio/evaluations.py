"""Evaluations of a project in the background, each kept as a run: what ``evaluate --out`` writes, in the database.

So it is read, shown and compared by the studies of :mod:`pyramidion.evaluation`, and what is downloaded is a run.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine

from pyramidion.errors import PyramidionError
from pyramidion.evaluation import drive, record, run, store
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.run import Run
from pyramidion.evaluation.worklist import plan_work
from pyramidion.methods import GIVEN, RECIPES
from pyramidion.model import Topic
from pyramidion.reports.feedback_pages import file_name
from pyramidion.studio import keeping
from pyramidion.studio.jobs import Job
from pyramidion.studio.keeping import Basis, Kept
from pyramidion.studio.results import annotated_topics
from pyramidion.studio.suggesting import BUILDERS_OFFERED, MATCHERS_OFFERED, offered_method
from pyramidion.studio.workspace import Workspace

PEOPLE = next(recipe for recipe in RECIPES if recipe.builder == recipe.matcher == GIVEN)
METHODS: tuple[tuple[str, str], ...] = (
    (PEOPLE.name, PEOPLE.title),
    *((f"{GIVEN}+{matcher}", f"the topics' own pyramids, matched by {matcher}") for matcher in MATCHERS_OFFERED),
    *BUILDERS_OFFERED,
)
"""The methods that are offered, each with what it does."""
FILES = (record.FILE, store.FILE, run.LOG)
"""The files of a run that are kept."""


def start(
    workspace: Workspace, project: str, topics: Sequence[Topic], basis: Sequence[Basis], method: str, author: str
) -> Job:
    """Evaluate topics by a method, and keep what comes of it."""
    chosen = offered_method(method)
    ready = annotated_topics(topics) if chosen.matcher == GIVEN else [topic for topic in topics if topic.peers]
    if chosen.builder == GIVEN:
        ready = [topic for topic in ready if topic.pyramid and topic.pyramid.scus]
    ready = chosen.set_aside(topic for topic in ready if topic.references)
    if not ready:
        what = "annotations" if chosen.matcher == GIVEN else "SCUs" if chosen.builder == GIVEN else "summaries"
        raise PyramidionError(f"No topic has {what} yet.", do="add some, or choose another method")

    def work(job: Job) -> str:
        """Make a run in a temporary folder, keep its files, and return the page that shows it."""
        with TemporaryDirectory() as temporary:
            folder = Path(temporary) / "run"
            # progress is told once at the start, when nothing is done yet: that is no step of the job
            made = drive.run(
                ready, folder, chosen, engine=Serial(), progress=lambda done, _: job.advance() if done else None
            )
            files = {name: (folder / name).read_bytes() for name in FILES}
        id = keeping.keep(
            workspace.engine,
            project,
            "evaluation",
            files,
            author=author,
            method=str(chosen),
            signature=str(made.signature),
            basis=basis,
        )
        return f"/projects/{project}/results/{id}"

    return workspace.jobs.start(project, plan_work(ready, chosen).summaries, work)


@contextmanager
def open_run(engine: Engine, kept: Kept) -> Iterator[Run]:
    """Open the run of an evaluation that is kept; its files are there as long as it is open."""
    if kept.kind != "evaluation":
        raise PyramidionError("This is no evaluation.", do="choose one of the evaluations")
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / file_name(kept.title)
        with zipfile.ZipFile(io.BytesIO(keeping.content(engine, kept))) as archive:
            for name in FILES:
                archive.extract(name, folder)
        with run.open_run(folder) as reopened:
            yield reopened


def with_distinct_names(topics: Sequence[Topic]) -> list[Topic]:
    """Return the topics, each under a name of its own: the second of a name gets a number."""
    taken: set[str] = set()
    renamed = []
    for topic in topics:
        id, number = topic.id, 1
        # the number itself may be in somebody's name, too
        while id in taken:
            number += 1
            id = f"{topic.id} ({number})"
        taken.add(id)
        pyramid = replace(topic.pyramid, topic=id) if topic.pyramid else None
        renamed.append(topic if id == topic.id else replace(topic, id=id, pyramid=pyramid))
    return renamed
