"""Documents as pages show them: plain values, with words as pairs of offsets and what can be derived worked out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pyramidion.model import SCU, Annotation, Contributor, Pyramid, Span, Summary
from pyramidion.scoring import Scores, scores
from pyramidion.studio.log.documents import Document, Reader
from pyramidion.studio.words import pieces

SHOWN = ("raw", "quality", "coverage", "comprehensive", "precision", "recall", "scus", "repeated", "unmatched", "size")
"""The scores beside a peer."""


@lru_cache(maxsize=1000)
def _pieces(text: str) -> list[str]:
    return pieces(text)


def text_view(summary: Summary) -> dict[str, Any]:
    """Return a text in pieces that are in turn no word and a word."""
    return {"id": summary.id, "pieces": _pieces(summary.text)}


def spans_view(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Return the start and the end of each span."""
    return [(span.start, span.end) for span in spans]


def scu_view(scu: SCU) -> dict[str, Any]:
    """Return an SCU with its words."""
    return {
        "id": scu.id,
        "label": scu.label,
        "comment": scu.comment,
        "weight": scu.weight,
        "contributors": [_contributor(contributor) for contributor in scu.contributors],
    }


def _contributor(contributor: Contributor) -> dict[str, Any]:
    view: dict[str, Any] = {"summary": contributor.summary, "spans": spans_view(contributor.spans)}
    return view | ({"label": contributor.label} if contributor.label else {})


def pyramid_view(pyramid: Pyramid, before: Pyramid | None = None) -> dict[str, Any]:
    """Return the pyramid: the order of all SCUs, and, if there is a former one, only the SCUs that differ from it."""
    # edits share the SCUs that they leave alone: most are the same object, and need no comparison
    known = {scu.id: scu for scu in before.scus} if before else {}
    return {
        "order": [scu.id for scu in pyramid.scus],
        "scus": [scu_view(scu) for scu in pyramid.scus if (old := known.get(scu.id)) is not scu and old != scu],
        "tiers": {weight: len(scus) for weight, scus in pyramid.tiers.items()},
        "size": pyramid.size,
        "repeats": list(pyramid.repeats),
    }


def reading_view(document: Document, reader: Reader) -> dict[str, Any]:
    """Return a reader's annotation of a peer, and its scores."""
    annotation = document.annotation(reader)
    return {
        "matches": [{"scu": match.scu, "spans": spans_view(match.spans)} for match in annotation.matches],
        "contradicted": [{"scu": denial.scu, "spans": spans_view(denial.spans)} for denial in annotation.contradicted],
        "unmatched": [spans_view(unit.spans) for unit in annotation.unmatched],
        "remarks": dict(annotation.comments),
        "refused": sorted(refusal.scu for refusal in document.refused if refusal.reader == reader),
        "done": reader in document.done,
        "scores": scores_view(scores(document.pyramid, annotation)),
    }


def scores_view(found: Scores) -> dict[str, float | None]:
    """Return the scores that are shown."""
    return {name: getattr(found, name) for name in SHOWN}


def suggestions_view(annotation: Annotation | None, pyramid: Pyramid) -> list[dict[str, Any]]:
    """Return the proposals of a matcher, the surest first."""
    if annotation is None:
        return []
    known = {scu.id for scu in pyramid.scus}
    proposed = [
        *(("said", match.scu, match.spans, match.score, match.reason) for match in annotation.matches),
        *(
            ("contradicted", denial.scu, denial.spans, denial.probability, denial.reason)
            for denial in annotation.contradicted
        ),
    ]
    return [
        {"kind": kind, "scu": scu, "spans": spans_view(spans), "score": round(score, 3), "reason": reason}
        for kind, scu, spans, score, reason in sorted(proposed, key=lambda suggestion: -suggestion[3])
        if scu in known
    ]


def progress_view(document: Document, annotator: str | None) -> list[dict[str, Any]]:
    """Return the peers and who has read them; of one annotator, or of all."""
    rows = []
    for peer in document.topic.peers:
        readers = [
            Reader(peer.id, annotation.annotator)
            for annotation in document.topic.annotations
            if annotation.summary.id == peer.id
            and annotation.summary.role == "peer"
            and annotator in (None, annotation.annotator)
        ]
        found = [scores(document.pyramid, document.annotation(reader)) for reader in readers]
        rows.append(
            {
                "id": peer.id,
                "words": len(peer.text.split()),
                "readings": [
                    {"annotator": reader.annotator, "done": reader in document.done, **scores_view(scored)}
                    for reader, scored in zip(readers, found, strict=True)
                ],
            }
        )
    return rows


def for_reader(document: Document, annotator: str) -> Document:
    """Return the document without the annotations of others: whoever annotates independently sees only their own."""
    annotations = tuple(reading for reading in document.topic.annotations if reading.annotator == annotator)
    return replace(document, topic=replace(document.topic, annotations=annotations))
