"""What people edit together: a topic, and what they decided about it that no pyramid or annotation holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import msgspec

from pyramidion.base.json import decoder
from pyramidion.errors import ModelError
from pyramidion.formats import native
from pyramidion.model import Annotation, Pyramid, Summary, Topic, Unread


@dataclass(frozen=True, slots=True, order=True)
class Reader:
    """A peer and the person who reads it: the key of an annotation in its topic."""

    peer: str
    annotator: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """A suggestion that a reader turned down: that the peer says, or contradicts, this SCU."""

    reader: Reader
    scu: str


@dataclass(frozen=True, slots=True)
class Document:
    """A topic with a pyramid, perhaps an empty one, and its readers' other decisions."""

    topic: Topic
    refused: frozenset[Refusal] = field(default_factory=frozenset)
    done: frozenset[Reader] = field(default_factory=frozenset)
    """Readers who say that they have finished."""

    @property
    def pyramid(self) -> Pyramid:
        """The topic's pyramid."""
        assert self.topic.pyramid is not None
        return self.topic.pyramid

    def annotation(self, reader: Reader) -> Annotation:
        """Return the reader's annotation of the peer so far; an empty one if they have found nothing."""
        for annotation in self.topic.annotations:
            if annotation.summary.role == "peer" and _reader(annotation) == reader:
                return annotation
        return Annotation(self.topic.peer(reader.peer), annotator=reader.annotator)

    def with_annotation(self, annotation: Annotation) -> Document:
        """Return the document with this annotation in place of the reader's former one; an empty one is left out."""
        reader = _reader(annotation)
        rest = [old for old in self.topic.annotations if _reader(old) != reader or old.summary.role != "peer"]
        empty = annotation == Annotation(annotation.summary, annotator=annotation.annotator)
        annotations = rest if empty and reader not in self.done else [*rest, annotation]
        # so that the order does not depend on who annotated first
        order = {peer.id: place for place, peer in enumerate(self.topic.peers)}
        annotations.sort(key=lambda reading: (order.get(reading.summary.id, -1), reading.summary.id, reading.annotator))
        return replace(self, topic=replace(self.topic, annotations=tuple(annotations)))

    def with_pyramid(self, pyramid: Pyramid, readjusted: Callable[[Annotation], Annotation] | None = None) -> Document:
        """Return the document with another pyramid; matches of SCUs that it lacks become units in no SCU."""
        adjust = readjusted or (lambda annotation: annotation)
        known = {scu.id for scu in pyramid.scus}
        annotations = self.topic.annotations
        if readjusted or not known.issuperset(scu.id for scu in self.pyramid.scus):
            annotations = tuple(adjust(annotation).against(pyramid) for annotation in annotations)
        refused = frozenset(refusal for refusal in self.refused if refusal.scu in known)
        return replace(self, topic=replace(self.topic, pyramid=pyramid, annotations=annotations), refused=refused)


def _reader(annotation: Annotation) -> Reader:
    return Reader(annotation.summary.id, annotation.annotator)


def document_of(topic: Topic) -> Document:
    """Return a topic as people begin to edit it: with a pyramid, perhaps an empty one, that holds all references."""
    known = {reference.id for reference in topic.references}
    of_pyramid = topic.pyramid.references if topic.pyramid else ()
    references = (*topic.references, *(reference for reference in of_pyramid if reference.id not in known))
    scus = topic.pyramid.scus if topic.pyramid else ()
    pyramid_texts = {reference.id: reference.text for reference in of_pyramid}
    for reference in topic.references:
        if pyramid_texts.get(reference.id, reference.text) != reference.text:
            raise ModelError(
                f"The reference {reference.id!r} of topic {topic.id!r} has another text in the pyramid",
                do="give the texts that the pyramid was made from",
            )
    pyramid = Pyramid(topic.id, references, scus, repeats_told=True)
    return Document(replace(topic, references=references, pyramid=pyramid))


def with_texts(document: Document, references: tuple[Summary, ...], peers: tuple[Summary, ...]) -> Document:
    """Return the document with further references and peers."""
    topic = document.topic
    all_references = (*topic.references, *references)
    pyramid = Pyramid(topic.id, all_references, document.pyramid.scus, repeats_told=True)
    read = {peer.id for peer in peers}
    unread = tuple(peer for peer in topic.unread if peer.name not in read)
    changed = replace(topic, references=all_references, peers=(*topic.peers, *peers), pyramid=pyramid, unread=unread)
    return replace(document, topic=changed)


class _Stored(msgspec.Struct, omit_defaults=True):
    topic: native.TopicRecord
    refused: list[Refusal] = []
    done: list[Reader] = []
    unread: list[Unread] = []


def encode(document: Document) -> str:
    """Return the document as JSON: the topic in our own format, and the rest beside it."""
    unread = list(document.topic.unread)
    stored = _Stored(native.to_record(document.topic), sorted(document.refused), sorted(document.done), unread)
    return msgspec.json.encode(stored).decode()


def decode(text: str) -> Document:
    """Return the document that :func:`encode` wrote."""
    stored = decoder(_Stored).decode(text)
    topic = replace(native.from_record(stored.topic), unread=tuple(stored.unread))
    return Document(topic, frozenset(stored.refused), frozenset(stored.done))
