"""Do matchers find what a person marked by hand? Agreement on every SCU and peer of annotated topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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

__all__ = ["AnnotationsStudy", "MatcherAgreement", "bench_annotations"]

ALL = "all"
FIGURES = ("accuracy", "precision", "recall", "f1", "kappa")


@dataclass(frozen=True, slots=True)
class MatcherAgreement:
    """A matcher and a person on one topic, or on all."""

    matcher: str
    topic: str
    judgements: Judgements


@dataclass(frozen=True, slots=True)
class AnnotationsStudy(Result):
    """Every matcher on every annotated topic, then on all of them."""

    signature: Signature
    agreement: tuple[MatcherAgreement, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """A row for each matcher and topic."""
        rows: list[tuple[Cell, ...]] = [
            (one.matcher, one.topic, one.judgements.pairs, *(getattr(one.judgements, name) for name in FIGURES))
            for one in self.agreement
        ]
        return {
            "agreement": Table(
                ("matcher", "topic", "pairs", "accuracy", "precision", "recall", "F1", "kappa"),
                tuple(rows),
                "Agreement of matchers with hand annotations: does a peer express an SCU?",
                keys=("matcher", "topic", "pairs", *FIGURES),
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
            MatcherAgreement(name, topic.id, judgements([topic], [answer]))
            for topic, answer in zip(human, answers, strict=True)
        ]
        if len(human) > 1:
            rows.append(MatcherAgreement(name, ALL, judgements(human, answers)))
    named = (("matchers", ",".join(map(str, methods))), *versions_of(methods))
    return AnnotationsStudy(Signature("bench-annotations", (*named, *how_read(topics))), tuple(rows))
