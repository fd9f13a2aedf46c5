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
    """A text in pieces: in turn no word and a word."""
    return {"id": summary.id, "pieces": _pieces(summary.text)}


def spans_view(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Offsets."""
    return [(span.start, span.end) for span in spans]


def scu_view(scu: SCU) -> dict[str, Any]:
    """An SCU with its words."""
    return {
        "id": scu.id,
        "label": scu.label,
        "comment": scu.comment,
        "weight": scu.weight,
        "contributors": [_contributor(one) for one in scu.contributors],
    }


def _contributor(one: Contributor) -> dict[str, Any]:
    view: dict[str, Any] = {"summary": one.summary, "spans": spans_view(one.spans)}
    return view | ({"label": one.label} if one.label else {})


def pyramid_view(pyramid: Pyramid, before: Pyramid | None = None) -> dict[str, Any]:
    """The pyramid, or, beside a former one, what of it is new: all SCUs in order, and those that differ."""
    known = {scu.id: scu for scu in before.scus} if before else {}
    return {
        "order": [scu.id for scu in pyramid.scus],
        "scus": [scu_view(scu) for scu in pyramid.scus if (old := known.get(scu.id)) is not scu and old != scu],
        "tiers": {weight: len(scus) for weight, scus in pyramid.tiers.items()},
        "size": pyramid.size,
        "repeats": list(pyramid.repeats),
    }


def reading_view(document: Document, reader: Reader) -> dict[str, Any]:
    """What a reader found in a peer, and its scores."""
    annotation = document.annotation(reader)
    return {
        "matches": [{"scu": one.scu, "spans": spans_view(one.spans)} for one in annotation.matches],
        "contradicted": [{"scu": one.scu, "spans": spans_view(one.spans)} for one in annotation.contradicted],
        "unmatched": [spans_view(one.spans) for one in annotation.unmatched],
        "remarks": dict(annotation.comments),
        "refused": sorted(one.scu for one in document.refused if one.reader == reader),
        "done": reader in document.done,
        "scores": scores_view(scores(document.pyramid, annotation)),
    }


def scores_view(found: Scores) -> dict[str, float | None]:
    """The scores that are shown."""
    return {name: getattr(found, name) for name in SHOWN}


def suggestions_view(annotation: Annotation | None, pyramid: Pyramid) -> list[dict[str, Any]]:
    """What a matcher proposes, the surest first."""
    if annotation is None:
        return []
    known = {scu.id for scu in pyramid.scus}
    proposed = [
        *(("said", one.scu, one.spans, one.score, one.reason) for one in annotation.matches),
        *(("contradicted", one.scu, one.spans, one.probability, one.reason) for one in annotation.contradicted),
    ]
    return [
        {"kind": kind, "scu": scu, "spans": spans_view(spans), "score": round(score, 3), "reason": reason}
        for kind, scu, spans, score, reason in sorted(proposed, key=lambda one: -one[3])
        if scu in known
    ]


def progress_view(document: Document, annotator: str | None) -> list[dict[str, Any]]:
    """The peers and who has read them; of one annotator, or of all."""
    rows = []
    for peer in document.topic.peers:
        readers = [
            Reader(peer.id, one.annotator)
            for one in document.topic.annotations
            if one.summary.id == peer.id and one.summary.role == "peer" and annotator in (None, one.annotator)
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
    """The document without the annotations of others: whoever annotates independently sees only their own."""
    own = tuple(one for one in document.topic.annotations if one.annotator == annotator)
    return replace(document, topic=replace(document.topic, annotations=own))
