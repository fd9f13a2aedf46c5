"""Results of a project: scores, the report, feedback for a class, agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyramidion.errors import PyramidionError
from pyramidion.methods import GIVEN, Method
from pyramidion.model import Topic
from pyramidion.report.feedback import Feedback, feedback
from pyramidion.report.feedback_pages import pages
from pyramidion.report.gradebook import Grading, gradebook
from pyramidion.report.html import report_html
from pyramidion.score import Settings
from pyramidion.studies.agree import agree
from pyramidion.studies.agree.result import Reliability
from pyramidion.studies.evaluate import evaluate
from pyramidion.studio.accounts import CONSENSUS
from pyramidion.studio.jobs import Job

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


def feedback_pages(topics: Sequence[Topic], job: Job) -> dict[str, bytes]:
    """A page for each student, an index and a gradebook: by people's annotations where there are some, else by ours."""
    made: list[Feedback] = []
    gradebooks: dict[str, bytes] = {}
    for topic in topics:
        known = {one.summary.id for one in topic.annotations if one.summary.role == "peer"}
        by_hand = bool(topic.pyramid and topic.pyramid.scus) and known >= {peer.id for peer in topic.peers}
        method = "manual" if by_hand else _automatic(topic)
        ready = topic if by_hand else replace(topic, annotations=())
        evaluation = evaluate([ready], method, CAPPED, progress=job.advance)
        made += feedback(evaluation)
        name = "gradebook.csv" if len(topics) == 1 else f"gradebook-{len(gradebooks) + 1}.csv"
        gradebooks[name] = gradebook(evaluation, Grading())
    if not made:
        raise PyramidionError("There is no summary to give feedback on.", do="drop some")
    return {**pages(made), **gradebooks}


def _automatic(topic: Topic) -> Method:
    """Our own method: with the topic's pyramid, if it has one."""
    if topic.pyramid and topic.pyramid.scus:
        return Method.parse(f"{GIVEN}+entails")
    return Method.parse("pyramidion")


def agreement(topics: Sequence[Topic]) -> Reliability | None:
    """How far annotators agree who did not know of each other; nothing where no two annotated the same peer."""
    independent = (
        replace(topic, annotations=tuple(one for one in topic.annotations if one.annotator != CONSENSUS))
        for topic in topics
    )
    ready = [topic for topic in annotated(list(independent)) if len({one.annotator for one in topic.annotations}) > 1]
    return agree(ready) if ready else None
