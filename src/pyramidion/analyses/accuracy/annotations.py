r"""Do matchers find what is marked? Agreement on every SCU and peer of annotated topics.

An SCU that a peer contradicts is not expressed; a matcher that finds it there is wrong. Contradictions are also
counted: those that are marked, those that the matcher named, and those in both sets.

Whether evidence stands in the right place is measured on right matches, those of SCUs that the person found in the same
peer: the share that has a word in common with the person's, and the F1 of the words of both,

.. math:: 2 |O \cap P| / (|O| + |P|),

O the words that the matcher shows and P those that the person marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from pyramidion.analyses.accuracy.candidates import judge_name
from pyramidion.analyses.accuracy.judgements import Judgements, judgements
from pyramidion.analyses.accuracy.matching import match_topics
from pyramidion.base.tables import Cell, Table
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import how_read
from pyramidion.methods import Method, versions_of
from pyramidion.model import Annotation, Topic
from pyramidion.result import Result
from pyramidion.signature import Signature

ALL = "all"
FIGURES = ("accuracy", "precision", "recall", "f1", "kappa")
CONTRADICTIONS = ("contradicted", "named", "right")


@dataclass(frozen=True, slots=True)
class ContradictionCounts:
    """The number of SCUs that are marked, and that a matcher calls, contradicted."""

    marked: int
    """The number that are marked."""
    named: int
    """The number that the matcher named."""
    right: int
    """The number that both name in the same peer."""


@dataclass(frozen=True, slots=True)
class EvidencePlaces:
    """The agreement on the places of SCUs that a matcher and a person found in the same peer."""

    matches: int
    """The number of SCUs that both found, and for which both name words."""
    overlapping: float | None
    """The share of these SCUs whose words overlap; None if there are no such SCUs."""
    words_f1: float | None
    """The mean F1 of the words of both, over these SCUs; None if there are no such SCUs."""


@dataclass(frozen=True, slots=True)
class MatcherAgreement:
    """The agreement of a matcher with a person on one topic, or on all."""

    matcher: str
    topic: str
    judgements: Judgements
    contradictions: ContradictionCounts
    places: EvidencePlaces


@dataclass(frozen=True, slots=True)
class AnnotationsStudy(Result):
    """The agreement of every matcher on every annotated topic, and on all topics together."""

    signature: Signature
    agreement: tuple[MatcherAgreement, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a row for each matcher and topic."""
        rows: list[tuple[Cell, ...]] = [
            (
                row.matcher,
                row.topic,
                row.judgements.pairs,
                *(getattr(row.judgements, name) for name in FIGURES),
                *astuple(row.contradictions),
                row.places.overlapping,
                row.places.words_f1,
            )
            for row in self.agreement
        ]
        return {
            "agreement": Table(
                (
                    "matcher",
                    "topic",
                    "pairs",
                    "accuracy",
                    "precision",
                    "recall",
                    "F1",
                    "kappa",
                    *CONTRADICTIONS,
                    "place",
                    "words F1",
                ),
                tuple(rows),
                "Agreement of matchers with hand annotations: does a peer express an SCU?",
                "contradicted: SCUs that are marked as contradicted; named: by the matcher; right: by both. "
                "place: the share of right matches whose words overlap the person's; words F1: of these words.",
                keys=("matcher", "topic", "pairs", *FIGURES, *CONTRADICTIONS, "overlapping", "words_f1"),
                signature=str(self.signature),
            )
        }

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {"signature": str(self.signature), "agreement": self.agreement}


def bench_annotations(
    topics: Iterable[Topic], methods: Sequence[Method], *, progress: Callable[[str], None] = lambda summary: None
) -> AnnotationsStudy:
    """Match the annotated topics with each method on their own pyramids.

    ``progress`` is told of each summary twice, when it is analysed and when it is matched.
    """
    topics = list(topics)
    given = [topic for topic in topics if topic.pyramid and topic.annotations]
    if not given:
        raise PyramidionError("No topic has a pyramid and annotations", do="add them, or take the bundled examples")
    rows = []
    for method in methods:
        answers = match_topics(given, method, progress=progress).topics
        name = judge_name(method)
        rows += [_agreement(name, topic.id, [topic], [answer]) for topic, answer in zip(given, answers, strict=True)]
        if len(given) > 1:
            rows.append(_agreement(name, ALL, given, answers))
    named = (("matchers", ",".join(map(str, methods))), *versions_of(methods))
    return AnnotationsStudy(Signature("bench-annotations", (*named, *how_read(topics))), tuple(rows))


def _agreement(matcher: str, topic: str, given: Sequence[Topic], judged: Sequence[Topic]) -> MatcherAgreement:
    return MatcherAgreement(
        matcher,
        topic,
        judgements(given, judged),
        contradictions(given, judged),
        evidence_places(given, judged),
    )


def evidence_places(given: Iterable[Topic], judged: Iterable[Topic]) -> EvidencePlaces:
    """Measure whether a matcher marks correct matches in the same words as the annotation."""
    shares = []
    for topic, answer in zip(given, judged, strict=True):
        by_peer = {annotation.summary.id: annotation for annotation in answer.annotations}
        for person in topic.annotations:
            matcher = by_peer.get(person.summary.id)
            for scu in person.expressed if matcher else ():
                assert matcher is not None
                theirs, ours = _words_of(person, scu), _words_of(matcher, scu)
                # an SCU that one of the two found without words has no place to compare
                if theirs and ours:
                    shares.append(2 * len(theirs & ours) / (len(theirs) + len(ours)))
    if not shares:
        return EvidencePlaces(0, None, None)
    return EvidencePlaces(len(shares), sum(map(bool, shares)) / len(shares), sum(shares) / len(shares))


def _words_of(annotation: Annotation, scu: str) -> set[int]:
    """Return the start of every word that expresses an SCU."""
    spans = [span for match in annotation.matches if match.scu == scu for span in match.spans]
    starts = [word.start() for word in re.finditer(r"\w+", annotation.summary.text)]
    return {start for start in starts if any(span.start <= start < span.end for span in spans)}


def contradictions(given: Iterable[Topic], judged: Iterable[Topic]) -> ContradictionCounts:
    """Count the contradicted SCUs that are marked, named and both, over the peers that both have."""
    marked = named = right = 0
    for topic, answer in zip(given, judged, strict=True):
        by_peer = {
            annotation.summary.id: {contradiction.scu for contradiction in annotation.contradicted}
            for annotation in answer.annotations
        }
        for annotation in topic.annotations:
            theirs = {contradiction.scu for contradiction in annotation.contradicted}
            ours = by_peer.get(annotation.summary.id)
            if ours is not None:
                marked, named, right = marked + len(theirs), named + len(ours), right + len(ours & theirs)
    return ContradictionCounts(marked, named, right)
