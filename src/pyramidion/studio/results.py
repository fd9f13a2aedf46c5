"""Results of a project: scores, the report, feedback for a class, agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyramidion.analyses.agree import agree
from pyramidion.analyses.agree.result import Reliability
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.methods import DEFAULT_MATCHER, DEFAULT_METHOD, GIVEN, Method
from pyramidion.model import Topic, Unread
from pyramidion.reports.feedback import Feedback, feedback
from pyramidion.reports.feedback_pages import pages
from pyramidion.reports.gradebook import Grading, gradebook
from pyramidion.reports.html import report_html
from pyramidion.scoring import Settings
from pyramidion.studio.accounts import CONSENSUS
from pyramidion.studio.jobs import Job

NOTES = "notes.txt"
"""The file of what a teacher should know of the pages beside it, one note a line."""
CAPPED = Settings(cap=True)
"""What teachers expect of a percentage."""


def annotated(topics: Sequence[Topic]) -> list[Topic]:
    """The topics with what people annotated, ready to be scored by hand."""
    kept = []
    for topic in topics:
        known = {one.summary.id for one in topic.annotations if one.summary.role == "peer"}
        peers = tuple(peer for peer in topic.peers if peer.id in known)
        if peers and topic.pyramid and topic.pyramid.scus:
            kept.append(replace(topic, peers=peers))
    return kept


def report(topics: Sequence[Topic], title: str) -> str:
    """The report of what people annotated."""
    ready = annotated(topics)
    if not ready:
        raise PyramidionError("Nothing is annotated yet.", do="open a peer and mark what it says")
    return report_html(evaluate(ready, "manual"), title=title)


@dataclass(frozen=True, slots=True)
class Pages:
    """Feedback for a class: files by their names, and how the texts were read."""

    files: dict[str, bytes]
    methods: tuple[str, ...]
    signatures: tuple[str, ...]


def feedback_pages(topics: Sequence[Topic], job: Job) -> Pages:
    """A page for each student, an index and a gradebook: by people's annotations where there are some, else by ours."""
    made: list[Feedback] = []
    unread: list[tuple[str, Unread]] = []
    gradebooks: dict[str, bytes] = {}
    read: list[Evaluation] = []
    for topic in topics:
        parts = _readings(topic, job)
        read += parts
        made += (one for part in parts for one in feedback(part))
        unread += parts[-1].unread
        name = "gradebook.csv" if len(topics) == 1 else f"gradebook-{len(gradebooks) + 1}.csv"
        every = tuple(result for part in parts for result in part.results)
        gradebooks[name] = gradebook(replace(parts[-1], results=every), Grading())
    if not made:
        raise PyramidionError("There is no summary to give feedback on.", do="drop some")
    methods = dict.fromkeys(one.signature.method for one in read)
    signatures = dict.fromkeys(str(one.signature) for one in read)
    notes = dict.fromkeys(" ".join(note.text.split()) for one in read for note in one.notes)
    noted = {NOTES: "".join(f"{line}\n" for line in notes).encode()} if notes else {}
    return Pages({**pages(made, unread), **gradebooks, **noted}, tuple(methods), tuple(signatures))


def _readings(topic: Topic, job: Job) -> list[Evaluation]:
    """What people say of the peers that they annotated, and what our own method says of all others."""
    known = {one.summary.id for one in topic.annotations if one.summary.role == "peer"}
    known = known if topic.pyramid and topic.pyramid.scus else set()
    by_people = tuple(peer for peer in topic.peers if peer.id in known)
    others = tuple(peer for peer in topic.peers if peer.id not in known)
    found = []
    if by_people:
        found.append(evaluate([replace(topic, peers=by_people)], "manual", CAPPED, progress=job.advance))
    if others or not by_people:
        method = _automatic(topic)
        ready = method.set_aside([replace(topic, peers=others, annotations=())])
        found.append(evaluate(ready, method, CAPPED, progress=job.advance))
    return found


def _automatic(topic: Topic) -> Method:
    """Our own method: with the topic's pyramid, if it has one."""
    own = topic.pyramid and topic.pyramid.scus
    return Method.parse(f"{GIVEN}+{DEFAULT_MATCHER}" if own else DEFAULT_METHOD)


def agreement(topics: Sequence[Topic]) -> Reliability | None:
    """How far annotators agree who did not know of each other; nothing where no two annotated the same peer."""
    independent = (
        replace(topic, annotations=tuple(one for one in topic.annotations if one.annotator != CONSENSUS))
        for topic in topics
    )
    ready = [topic for topic in annotated(list(independent)) if len({one.annotator for one in topic.annotations}) > 1]
    return agree(ready) if ready else None
