"""Do matchers find what a person marked by hand? Agreement on every SCU and peer of annotated topics.

An SCU that a peer contradicts is not expressed: to call it so is an error like any other. Contradictions are also
counted by themselves: how many people marked, how many the matcher named, and how many of those people marked, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from pyramidion.errors import PyramidionError
from pyramidion.io.tables import Cell, Table
from pyramidion.methods import Method, versions_of
from pyramidion.model import Topic
from pyramidion.reading import how_read
from pyramidion.signature import Signature
from pyramidion.studies.bench.candidates import judge_name
from pyramidion.studies.bench.judgements import Judgements, judgements
from pyramidion.studies.bench.matching import matched
from pyramidion.studies.result import Result

__all__ = ["AnnotationsStudy", "ContradictionCounts", "MatcherAgreement", "bench_annotations", "contradictions"]

ALL = "all"
FIGURES = ("accuracy", "precision", "recall", "f1", "kappa")
CONTRADICTIONS = ("contradicted", "named", "right")


@dataclass(frozen=True, slots=True)
class ContradictionCounts:
    """How many SCUs people and a matcher call contradicted."""

    marked: int
    """By people."""
    named: int
    """By the matcher."""
    right: int
    """By both, of the same peer."""


@dataclass(frozen=True, slots=True)
class MatcherAgreement:
    """A matcher and a person on one topic, or on all."""

    matcher: str
    topic: str
    judgements: Judgements
    contradictions: ContradictionCounts


@dataclass(frozen=True, slots=True)
class AnnotationsStudy(Result):
    """Every matcher on every annotated topic, then on all of them."""

    signature: Signature
    agreement: tuple[MatcherAgreement, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """A row for each matcher and topic."""
        rows: list[tuple[Cell, ...]] = [
            (
                one.matcher,
                one.topic,
                one.judgements.pairs,
                *(getattr(one.judgements, name) for name in FIGURES),
                *astuple(one.contradictions),
            )
            for one in self.agreement
        ]
        return {
            "agreement": Table(
                ("matcher", "topic", "pairs", "accuracy", "precision", "recall", "F1", "kappa", *CONTRADICTIONS),
                tuple(rows),
                "Agreement of matchers with hand annotations: does a peer express an SCU?",
                "contradicted: SCUs that people say a peer contradicts; named: by the matcher; right: by both.",
                keys=("matcher", "topic", "pairs", *FIGURES, *CONTRADICTIONS),
                signature=str(self.signature),
            )
        }

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {"signature": str(self.signature), "agreement": self.agreement}


def bench_annotations(
    topics: Iterable[Topic], methods: Sequence[Method], *, progress: Callable[[str], None] = lambda summary: None
) -> AnnotationsStudy:
    """Match the annotated topics by each method on their own pyramids.

    ``progress`` is told of each summary twice, when it is analysed and when it is matched.
    """
    topics = list(topics)
    human = [topic for topic in topics if topic.pyramid and topic.annotations]
    if not human:
        raise PyramidionError("no topic has a pyramid and annotations", do="add them, or take the bundled examples")
    rows = []
    for method in methods:
        answers = matched(human, method, progress=progress).topics
        name = judge_name(method)
        rows += [
            MatcherAgreement(name, topic.id, judgements([topic], [answer]), contradictions([topic], [answer]))
            for topic, answer in zip(human, answers, strict=True)
        ]
        if len(human) > 1:
            rows.append(MatcherAgreement(name, ALL, judgements(human, answers), contradictions(human, answers)))
    named = (("matchers", ",".join(map(str, methods))), *versions_of(methods))
    return AnnotationsStudy(Signature("bench-annotations", (*named, *how_read(topics))), tuple(rows))


def contradictions(human: Iterable[Topic], judged: Iterable[Topic]) -> ContradictionCounts:
    """How many contradicted SCUs people and a matcher name in the same topics; peers of both alone count."""
    marked = named = right = 0
    for topic, answer in zip(human, judged, strict=True):
        by_peer = {one.summary.id: {each.scu for each in one.contradicted} for one in answer.annotations}
        for annotation in topic.annotations:
            theirs = {each.scu for each in annotation.contradicted}
            ours = by_peer.get(annotation.summary.id)
            if ours is not None:
                marked, named, right = marked + len(theirs), named + len(ours), right + len(ours & theirs)
    return ContradictionCounts(marked, named, right)
