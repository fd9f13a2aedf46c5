"""Corrections that somebody saved in a report, as one edit of a topic.

They change the pyramid and every annotation of it as they do in ``evaluate`` (:mod:`pyramidion.corrections`). A verdict
becomes that of whoever brings the file, on their own reading of the peer: the studio does not hold the annotations of
programs, and nobody writes in another's.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from pyramidion.corrections import Correction, Corrections, Judge, Merge, Rename, TopicCorrections
from pyramidion.model import Annotation, Topic
from pyramidion.studio.log.annotation_edits import manual_annotation
from pyramidion.studio.log.documents import Document, Reader
from pyramidion.studio.log.edits import Operation, OperationError, Part


@dataclass(frozen=True, slots=True)
class ApplyCorrections(Operation):
    """Corrections in their order, each verdict under the name of its reader; all of them, or none."""

    corrections: tuple[Correction, ...]

    def apply(self, document: Document) -> Document:
        """Correct the pyramid, the annotations that are there, and those that begin with a verdict."""
        corrected = TopicCorrections.of(document.pyramid, self.corrections)
        pyramids = corrected.pyramids(document.pyramid)

        def adjusted(annotation: Annotation) -> Annotation:
            return next(corrected.annotations([annotation], pyramids))

        after = document.with_pyramid(pyramids[-1], adjusted)
        for reader in dict.fromkeys(_reader(verdict) for verdict in self.verdicts):
            after = after.with_annotation(adjusted(manual_annotation(document, reader)))
        return after

    @property
    def verdicts(self) -> list[Judge]:
        """The corrections of what a peer says."""
        return [correction for correction in self.corrections if isinstance(correction, Judge)]

    @property
    def touches(self) -> frozenset[Part]:
        """The SCUs, or their labels alone, and what was found of an SCU in a peer."""
        return frozenset(part for correction in self.corrections for part in _parts(correction))

    @property
    def public(self) -> ApplyCorrections | None:
        """The corrections of the pyramid alone, if there are any."""
        rest = tuple(correction for correction in self.corrections if not isinstance(correction, Judge))
        return ApplyCorrections(rest) if rest else None


def edit_of(
    corrections: Corrections, topic: Topic, annotator: str, further_names: Collection[str] = ()
) -> ApplyCorrections:
    """Return the corrections of a topic as an edit by an annotator, who may also write under ``further_names``.

    They are refused where they were made for another pyramid or another text, or correct what another person found.
    """
    assert topic.pyramid is not None
    corrected = corrections.of(topic.id)
    if corrected is None:
        corrections.check_topics([topic.id])
    if corrected is None or not corrected.corrections:
        raise OperationError("The file has no correction.", do="correct something in a report, and save it again")
    readers = {"", annotator, *further_names}
    for verdict in corrected.corrections:
        if isinstance(verdict, Judge) and verdict.annotator not in readers:
            raise OperationError(
                f"The file corrects what {verdict.annotator!r} found in {verdict.summary!r}, and you annotate under "
                "your own name only",
                do="leave this file to them, or correct the report of a program",
            )
    known = ((topic.id, peer.id, reader) for peer in topic.peers for reader in readers)
    corrections.only(topic.id).check_summaries(known)
    corrected.pyramids(topic.pyramid)
    return ApplyCorrections(tuple(_with_annotator(correction, annotator) for correction in corrected.corrections))


def _with_annotator(correction: Correction, annotator: str) -> Correction:
    if isinstance(correction, Judge) and not correction.annotator:
        return msgspec.structs.replace(correction, annotator=annotator)
    return correction


def _reader(verdict: Judge) -> Reader:
    return Reader(verdict.summary, verdict.annotator)


def _parts(correction: Correction) -> tuple[Part, ...]:
    match correction:
        case Judge():
            return (("reader", correction.summary, correction.annotator, "scu", correction.idea),)
        case Rename():
            return (("scu", correction.idea, "label"),)
        case Merge():
            return (("scu", correction.idea), ("scu", correction.into))
    return (("scu", correction.idea),)
