"""A class of thirteen, made up, with the texts that are hard on feedback, as the default judge reads them.

``tests/data/classroom.json`` has the texts, the bundled example's pyramid of ``lake-revival``, and what the
judge said of each text on 2026-11-16: ``pm.evaluate([topic], "given+entails(language=any)").annotated(topic)``, which
takes 36 CPU seconds. Pages are about what was read; how well the judge reads, ``pyramidion bench`` measures.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.formats import native
from pyramidion.methods import Method
from pyramidion.reports.feedback import Feedback, feedback
from pyramidion.reports.feedback_pages import pages
from pyramidion.scoring import Settings
from tests.reports.evaluations import crowded

CLASSROOM = Path(__file__).parent.parent / "data" / "classroom.json"


@cache
def classroom() -> Evaluation:
    """Its scores; one of the class writes Spanish and is not scored."""
    topics = Method.parse("given+entails").set_aside(native.load(CLASSROOM))
    return evaluate(topics, "manual", Settings(cap=True))


@cache
def students() -> dict[str, Feedback]:
    """What each is told, by name."""
    return {one.student: one for one in feedback(classroom())}


@cache
def class_pages() -> dict[str, str]:
    """All pages, by path."""
    evaluation = classroom()
    return {path: data.decode() for path, data in pages(feedback(evaluation), evaluation.unread).items()}


@cache
def thousand() -> dict[str, bytes]:
    """The pages of a thousand students, who differ in their names and in how many words they wrote."""
    (one, *_) = feedback(crowded(20, 1))
    return pages([replace(one, student=f"student {number:04}", words=number) for number in range(1000)])
