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
"""Settings for percentages as teachers expect them: 100 at most."""


def annotated_topics(topics: Sequence[Topic]) -> list[Topic]:
    """Return the topics with what people annotated, ready to be scored by hand."""
    ready = []
    for topic in topics:
        known = _annotated_peers(topic)
        peers = tuple(peer for peer in topic.peers if peer.id in known)
        if peers and topic.pyramid and topic.pyramid.scus:
            ready.append(replace(topic, peers=peers))
    return ready


def _annotated_peers(topic: Topic) -> set[str]:
    """Return the ids of the peers that somebody annotated."""
    return {annotation.summary.id for annotation in topic.annotations if annotation.summary.role == "peer"}


def report(topics: Sequence[Topic], title: str) -> str:
    """Return the report of what people annotated."""
    ready = annotated_topics(topics)
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
    """Return each student's page, an index and a gradebook: by people's annotations where there are any, else ours."""
    feedbacks: list[Feedback] = []
    unread: list[tuple[str, Unread]] = []
    gradebooks: dict[str, bytes] = {}
    evaluations: list[Evaluation] = []
    for topic in topics:
        parts = _readings(topic, job)
        evaluations += parts
        feedbacks += (page for part in parts for page in feedback(part))
        # every part names all unread files of the topic: one of them is enough
        unread += parts[-1].unread
        # a gradebook for each topic: for a class with one topic, the name needs no number
        name = "gradebook.csv" if len(topics) == 1 else f"gradebook-{len(gradebooks) + 1}.csv"
        results = tuple(result for part in parts for result in part.results)
        gradebooks[name] = gradebook(replace(parts[-1], results=results), Grading())
    if not feedbacks:
        raise PyramidionError("There is no summary to give feedback on.", do="drop some")
    methods = dict.fromkeys(evaluation.signature.method for evaluation in evaluations)
    signatures = dict.fromkeys(str(evaluation.signature) for evaluation in evaluations)
    notes = dict.fromkeys(" ".join(note.text.split()) for evaluation in evaluations for note in evaluation.notes)
    notes_file = {NOTES: "".join(f"{line}\n" for line in notes).encode()} if notes else {}
    return Pages({**pages(feedbacks, unread), **gradebooks, **notes_file}, tuple(methods), tuple(signatures))


def _readings(topic: Topic, job: Job) -> list[Evaluation]:
    """Return a topic's evaluations: by people of the peers that they annotated, by our own method of all others."""
    known = _annotated_peers(topic) if topic.pyramid and topic.pyramid.scus else set()
    by_people = tuple(peer for peer in topic.peers if peer.id in known)
    by_program = tuple(peer for peer in topic.peers if peer.id not in known)
    readings = []
    if by_people:
        readings.append(evaluate([replace(topic, peers=by_people)], "manual", CAPPED, progress=job.advance))
    if by_program or not by_people:
        method = _automatic(topic)
        ready = method.set_aside([replace(topic, peers=by_program, annotations=())])
        readings.append(evaluate(ready, method, CAPPED, progress=job.advance))
    return readings


def _automatic(topic: Topic) -> Method:
    """Return our own method: with the topic's pyramid, if it has one."""
    has_scus = topic.pyramid and topic.pyramid.scus
    return Method.parse(f"{GIVEN}+{DEFAULT_MATCHER}" if has_scus else DEFAULT_METHOD)


def agreement(topics: Sequence[Topic]) -> Reliability | None:
    """Return how far independent annotators agree; nothing where no topic was annotated by two."""
    independent = (
        replace(topic, annotations=tuple(reading for reading in topic.annotations if reading.annotator != CONSENSUS))
        for topic in topics
    )
    ready = [topic for topic in annotated_topics(list(independent)) if _annotators(topic) > 1]
    return agree(ready) if ready else None


def _annotators(topic: Topic) -> int:
    """Return how many people annotated the topic."""
    return len({annotation.annotator for annotation in topic.annotations})
