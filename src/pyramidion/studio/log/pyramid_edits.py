"""Edits of the pyramid: SCUs, the words that contribute to them, labels and comments; and further texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

from pyramidion.model import SCU, Annotation, Contributor, Summary
from pyramidion.studio.log.documents import Document, with_texts
from pyramidion.studio.log.edits import Operation, OperationError, Part, Spans, Words, check_words


class _NewSCU(Operation):
    """An edit that makes one SCU; the store gives it an id."""

    __slots__ = ()

    id: str

    @property
    def new_scus(self) -> tuple[str, ...]:
        """The new SCU, once it has an id."""
        return (self.id,) if self.id else ()

    def with_ids_after(self, last: int) -> Self:
        """Return the operation with an id for its SCU."""
        named: dict[str, Any] = {} if self.id else {"id": str(last + 1)}
        return replace(self, **named)


@dataclass(frozen=True, slots=True)
class AddSCU(_NewSCU):
    """Make an SCU of words of one reference. The store gives it an id."""

    words: Words
    label: str = ""
    id: str = ""

    @property
    def touches(self) -> frozenset[Part]:
        """The new SCU: two people may add SCUs at once, but a pyramid built meanwhile must not replace them."""
        return frozenset(("scu", id) for id in self.new_scus)

    def apply(self, document: Document) -> Document:
        """Put the SCU behind the others."""
        check_words(self.words.spans)
        contributor = Contributor(self.words.summary, self.words.spans)
        label = self.label.strip() or document.pyramid.reference(self.words.summary).quote(self.words.spans)
        return _with_scus(document, (*document.pyramid.scus, SCU(self.id, label, (contributor,))))


@dataclass(frozen=True, slots=True)
class AddContributor(Operation):
    """Add words of a reference to an SCU."""

    PARTS = ("scu/{scu}/words/{words.summary}",)

    scu: str
    words: Words

    def apply(self, document: Document) -> Document:
        """Add the contributor, once."""
        check_words(self.words.spans)
        scu = _scu(document, self.scu)
        if any(self.words.match(contributor) for contributor in scu.contributors):
            raise OperationError("These words are in this SCU already.")
        contributor = Contributor(self.words.summary, self.words.spans)
        return _with_changed(document, replace(scu, contributors=(*scu.contributors, contributor)))


@dataclass(frozen=True, slots=True)
class SetContributorWords(Operation):
    """Give a contributor other words of the same reference."""

    PARTS = ("scu/{scu}/words/{words.summary}",)

    scu: str
    words: Words
    spans: Spans

    def apply(self, document: Document) -> Document:
        """Replace the spans."""
        check_words(self.spans)
        scu = _scu(document, self.scu)
        found = _contributor(scu, self.words)
        changed = tuple(
            replace(contributor, spans=self.spans, label="") if contributor is found else contributor
            for contributor in scu.contributors
        )
        return _with_changed(document, replace(scu, contributors=changed))


@dataclass(frozen=True, slots=True)
class RemoveContributor(Operation):
    """Take words out of an SCU; without any, the SCU goes, too."""

    PARTS = ("scu/{scu}/words/{words.summary}",)

    scu: str
    words: Words

    def apply(self, document: Document) -> Document:
        """Remove the contributor."""
        scu = _scu(document, self.scu)
        found = _contributor(scu, self.words)
        return _with_changed(document, _without(scu, [found]), scu.id)


@dataclass(frozen=True, slots=True)
class MoveContributor(Operation):
    """Move words from one SCU to another."""

    PARTS = ("scu/{scu}/words/{words.summary}", "scu/{to}/words/{words.summary}")

    scu: str
    words: Words
    to: str

    def apply(self, document: Document) -> Document:
        """Remove the contributor here and add it there."""
        source, target = _scu(document, self.scu), _scu(document, self.to)
        if source.id == target.id:
            raise OperationError("The words are in this SCU already.")
        found = _contributor(source, self.words)
        added = _with_changed(document, replace(target, contributors=(*target.contributors, found)))
        return _with_changed(added, _without(source, [found]), source.id)


@dataclass(frozen=True, slots=True)
class SetLabel(Operation):
    """Say an SCU's idea in one's own words."""

    PARTS = ("scu/{scu}/label",)

    scu: str
    label: str

    def apply(self, document: Document) -> Document:
        """Set the label."""
        if not self.label.strip():
            raise OperationError("A label cannot be empty.", do="write what the words have in common")
        return _with_changed(document, replace(_scu(document, self.scu), label=self.label.strip()))


@dataclass(frozen=True, slots=True)
class SetComment(Operation):
    """Note something about an SCU."""

    PARTS = ("scu/{scu}/comment",)

    scu: str
    comment: str

    def apply(self, document: Document) -> Document:
        """Set the comment."""
        return _with_changed(document, replace(_scu(document, self.scu), comment=self.comment.strip()))


@dataclass(frozen=True, slots=True)
class MergeSCUs(Operation):
    """Make two SCUs one: the second takes the words of the first and keeps its own label."""

    PARTS = ("scu/{scu}", "scu/{into}")

    scu: str
    into: str

    def apply(self, document: Document) -> Document:
        """Move the contributors, and the matches of peers with them."""
        source, target = _scu(document, self.scu), _scu(document, self.into)
        if source.id == target.id:
            raise OperationError("An SCU cannot be merged with itself.")
        new = tuple(contributor for contributor in source.contributors if contributor not in target.contributors)
        comment = "\n".join(filter(None, (target.comment, source.comment)))
        merged = replace(target, contributors=(*target.contributors, *new), comment=comment)
        scus = tuple(merged if scu.id == target.id else scu for scu in document.pyramid.scus if scu.id != source.id)
        return _with_scus(document, scus, lambda annotation: _with_findings_moved(annotation, source.id, target.id))


@dataclass(frozen=True, slots=True)
class SplitSCU(_NewSCU):
    """Make an SCU of some of another's words. The store gives it an id; what peers say stays with the first."""

    PARTS = ("scu/{scu}/words",)

    scu: str
    words: tuple[Words, ...]
    label: str = ""
    id: str = ""

    def apply(self, document: Document) -> Document:
        """Put the new SCU right behind the one that it comes from."""
        scu = _scu(document, self.scu)
        found = [_contributor(scu, words) for words in self.words]
        if not found or len(found) == len(scu.contributors):
            raise OperationError("Choose some of the SCU's words, not all of them, for the new SCU.")
        rest = _without(scu, found)
        assert rest is not None
        label = self.label.strip() or document.pyramid.words(found[0]) or scu.label
        new = SCU(self.id, label, tuple(found))
        parts = ((rest, new) if old.id == scu.id else (old,) for old in document.pyramid.scus)
        return _with_scus(document, tuple(chain.from_iterable(parts)))


@dataclass(frozen=True, slots=True)
class DeleteSCU(Operation):
    """Delete an SCU; what peers say of it becomes content in no SCU."""

    PARTS = ("scu/{scu}",)

    scu: str

    def apply(self, document: Document) -> Document:
        """Delete the SCU."""
        return _with_changed(document, None, _scu(document, self.scu).id)


@dataclass(frozen=True, slots=True)
class ReplacePyramid(Operation):
    """Begin with a pyramid that a program built.

    It goes in the place of all SCUs, so it conflicts with every edit of an SCU, with new references, and with every
    mark of a peer, made since the building began.
    """

    PARTS = ("scu", "references", "reader")

    scus: tuple[SCU, ...]
    method: str = ""

    @property
    def new_scus(self) -> tuple[str, ...]:
        """All SCUs of the pyramid."""
        return tuple(scu.id for scu in self.scus)

    def with_ids_after(self, last: int) -> ReplacePyramid:
        """Return the operation with new numbers for its SCUs, in their order."""
        scus = (replace(scu, id=str(number)) for number, scu in enumerate(self.scus, start=last + 1))
        return replace(self, scus=tuple(scus))

    def apply(self, document: Document) -> Document:
        """Put these SCUs in the place of all others."""
        return _with_scus(document, self.scus)


@dataclass(frozen=True, slots=True)
class AddTexts(Operation):
    """Add references and peers to the topic."""

    references: tuple[Summary, ...] = ()
    peers: tuple[Summary, ...] = ()

    @property
    def touches(self) -> frozenset[Part]:
        """The references or the peers: a pyramid depends on the references alone."""
        return frozenset((name,) for name in ("references", "peers") if getattr(self, name))

    def apply(self, document: Document) -> Document:
        """Put the texts behind the others."""
        return with_texts(document, self.references, self.peers)


def _scu(document: Document, id: str) -> SCU:
    for scu in document.pyramid.scus:
        if scu.id == id:
            return scu
    raise OperationError("This SCU is gone.", do="look at the pyramid as it is now")


def _contributor(scu: SCU, words: Words) -> Contributor:
    for contributor in scu.contributors:
        if words.match(contributor):
            return contributor
    raise OperationError("These words are not in the SCU any more.", do="look at the pyramid as it is now")


def _without(scu: SCU, removed: Sequence[Contributor]) -> SCU | None:
    """Return the SCU without some contributors; nothing if none is left."""
    left = tuple(words for words in scu.contributors if not any(words is gone for gone in removed))
    return replace(scu, contributors=left) if left else None


def _with_scus(
    document: Document, scus: Sequence[SCU], readjusted: Callable[[Annotation], Annotation] | None = None
) -> Document:
    return document.with_pyramid(document.pyramid.with_scus(scus), readjusted)


def _with_changed(document: Document, changed: SCU | None, id: str = "") -> Document:
    """Return the document with one SCU changed, or without it."""
    # without a changed SCU, the one of this id goes
    id = changed.id if changed else id
    scus = (changed if scu.id == id else scu for scu in document.pyramid.scus)
    return _with_scus(document, tuple(scu for scu in scus if scu is not None))


def _with_findings_moved(annotation: Annotation, old: str, new: str) -> Annotation:
    """Return the annotation with all that it says of the SCU ``old`` said of ``new``.

    An SCU that is said is not contradicted, and it has one verdict.
    """
    moved = (replace(match, scu=new) if match.scu == old else match for match in annotation.matches)
    matches = tuple(dict.fromkeys(moved))
    said = {match.scu for match in matches}
    # reversed twice: where both SCUs are contradicted, the first contradiction is the one that stays
    denials = (
        replace(denial, scu=new) if denial.scu == old else denial for denial in reversed(annotation.contradicted)
    )
    contradicted = {denial.scu: denial for denial in denials if denial.scu not in said}
    remarks = dict(annotation.comments)
    if old in remarks:
        remarks[new] = "\n".join(filter(None, (remarks.get(new, ""), remarks.pop(old))))
    return replace(
        annotation,
        matches=matches,
        contradicted=tuple(reversed(contradicted.values())),
        comments=tuple(remarks.items()),
        partial=tuple(scu for scu in annotation.partial if scu != new or new not in said),
        unjudged=tuple(pair for pair in annotation.unjudged if pair[0] != new or new not in said),
    )
