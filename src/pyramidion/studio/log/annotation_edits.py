"""Edits of an annotation: what one reader finds in one peer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyramidion.model import Annotation, Contradiction, Contributor, Match
from pyramidion.studio.log.documents import Document, Reader, Refusal
from pyramidion.studio.log.edits import AnnotationOperation, OperationError, Spans, check_words


@dataclass(frozen=True, slots=True)
class AddMatch(AnnotationOperation):
    """The peer says this SCU, in these words."""

    PARTS = ("reader/{reader.peer}/{reader.annotator}/scu/{scu}",)

    scu: str
    spans: Spans = ()

    def apply(self, document: Document) -> Document:
        """Add the match; a unit in no SCU of the same words, and a contradiction of the SCU, are taken away."""
        before = manual_annotation(document, self.reader)
        match = Match(_known_scu(document, self.scu), self.spans)
        if any((known.scu, known.spans) == (match.scu, match.spans) for known in before.matches):
            raise OperationError("These words are marked for this SCU already.")
        unmatched = tuple(unit for unit in before.unmatched if unit.spans != self.spans or not unit.spans)
        undecided = _undecided(before, self.scu)
        return document.with_annotation(replace(undecided, matches=(*before.matches, match), unmatched=unmatched))


@dataclass(frozen=True, slots=True)
class RemoveMatch(AnnotationOperation):
    """Take a match back."""

    PARTS = ("reader/{reader.peer}/{reader.annotator}/scu/{scu}",)

    scu: str
    spans: Spans = ()

    def apply(self, document: Document) -> Document:
        """Remove the first match with these words."""
        before = manual_annotation(document, self.reader)
        same_words = (match for match in before.matches if (match.scu, match.spans) == (self.scu, self.spans))
        found = next(same_words, None)
        if found is None:
            raise OperationError("This match is gone already.")
        return document.with_annotation(
            replace(before, matches=tuple(match for match in before.matches if match is not found))
        )


@dataclass(frozen=True, slots=True)
class SetContradiction(AnnotationOperation):
    """The peer contradicts this SCU in these words, or, if not ``contradicted``, no longer does."""

    PARTS = ("reader/{reader.peer}/{reader.annotator}/scu/{scu}",)

    scu: str
    spans: Spans = ()
    contradicted: bool = True

    def apply(self, document: Document) -> Document:
        """Set or remove the contradiction; an SCU that is contradicted is not said."""
        before = manual_annotation(document, self.reader)
        undecided = _undecided(before, self.scu)
        if not self.contradicted:
            if len(undecided.contradicted) == len(before.contradicted):
                raise OperationError("This contradiction is gone already.")
            return document.with_annotation(undecided)
        denied = (*undecided.contradicted, Contradiction(_known_scu(document, self.scu), self.spans))
        matches = tuple(match for match in before.matches if match.scu != self.scu)
        return document.with_annotation(replace(undecided, matches=matches, contradicted=denied))


@dataclass(frozen=True, slots=True)
class SetUnmatched(AnnotationOperation):
    """These words of the peer are content in no SCU, or, if not ``unmatched``, no longer are."""

    PARTS = ("reader/{reader.peer}/{reader.annotator}/unit/{spans}",)

    spans: Spans
    unmatched: bool = True

    def apply(self, document: Document) -> Document:
        """Add or remove the unit."""
        before = manual_annotation(document, self.reader)
        rest = tuple(unit for unit in before.unmatched if unit.spans != self.spans)
        if not self.unmatched:
            if len(rest) == len(before.unmatched):
                raise OperationError("These words are not marked any more.")
            return document.with_annotation(replace(before, unmatched=rest))
        check_words(self.spans)
        if len(rest) < len(before.unmatched):
            raise OperationError("These words are marked already.")
        unit = Contributor(self.reader.peer, self.spans)
        return document.with_annotation(replace(before, unmatched=(*before.unmatched, unit)))


@dataclass(frozen=True, slots=True)
class SetRemark(AnnotationOperation):
    """Note something about an SCU in this peer."""

    PARTS = ("reader/{reader.peer}/{reader.annotator}/remark/{scu}",)

    scu: str
    comment: str

    def apply(self, document: Document) -> Document:
        """Set the remark, or remove it."""
        before = manual_annotation(document, self.reader)
        rest = tuple(pair for pair in before.comments if pair[0] != self.scu)
        comment = self.comment.strip()
        comments = (*rest, (_known_scu(document, self.scu), comment)) if comment else rest
        return document.with_annotation(replace(before, comments=comments))


@dataclass(frozen=True, slots=True)
class RefuseSuggestion(AnnotationOperation):
    """Turn a suggestion down: the peer neither says nor contradicts this SCU."""

    scu: str

    def apply(self, document: Document) -> Document:
        """Remember the refusal."""
        refusal = Refusal(self.reader, _known_scu(document, self.scu))
        return replace(document, refused=document.refused | {refusal})


@dataclass(frozen=True, slots=True)
class SetDone(AnnotationOperation):
    """Say that the annotation is finished, or not."""

    PARTS = ("reader/{reader.peer}/{reader.annotator}/done",)

    done: bool = True

    def apply(self, document: Document) -> Document:
        """Remember who has finished; a finished annotation without a match is one that found nothing."""
        done = document.done | {self.reader} if self.done else document.done - {self.reader}
        return replace(document, done=done).with_annotation(document.annotation(self.reader))


@dataclass(frozen=True, slots=True)
class TakeAnnotation(AnnotationOperation):
    """Begin with what another reader found: in adjudication, with one of the two."""

    PARTS = ("reader/{reader.peer}/{reader.annotator}",)

    other: str

    def apply(self, document: Document) -> Document:
        """Copy the other reader's annotation."""
        taken = document.annotation(Reader(self.reader.peer, self.other))
        return document.with_annotation(replace(taken, annotator=self.reader.annotator))


def manual_annotation(document: Document, reader: Reader) -> Annotation:
    """Return the reader's annotation as a person's: without what only a matcher gives, such as probabilities."""
    return replace(document.annotation(reader), probabilities=(), matcher="", unsupported=())


def _undecided(annotation: Annotation, scu: str) -> Annotation:
    """Return the annotation without verdicts on an SCU; its matches stay."""
    return replace(
        annotation,
        contradicted=tuple(denial for denial in annotation.contradicted if denial.scu != scu),
        partial=tuple(partial for partial in annotation.partial if partial != scu),
        unjudged=tuple(pair for pair in annotation.unjudged if pair[0] != scu),
    )


def _known_scu(document: Document, scu: str) -> str:
    """Return the id, if there is such an SCU; otherwise raise an error."""
    if all(known.id != scu for known in document.pyramid.scus):
        raise OperationError("This SCU is gone.", do="look at the pyramid as it is now")
    return scu
