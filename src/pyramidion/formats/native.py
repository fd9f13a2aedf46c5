"""Our own JSON: a topic with everything the model knows (``.json``), or one topic a line (``.jsonl``, a corpus).

The JSON Schema is published in ``docs/topic-1.schema.json`` and printed by ``pyramidion formats --schema``. A topic
document::

    {"pyramidion": 1, "topic": "tidal-lagoon",
     "references": [{"id": "A", "text": "..."}], "peers": [...], "sources": [...],
     "pyramid": {"scus": [{"id": "1", "label": "...", "contributors": [{"reference": "A", "spans": [[0, 17]]}]}]},
     "annotations": [{"summary": "copy", "matches": [{"scu": "1", "spans": [[0, 17]]}],
                      "contradicted": [{"scu": "2", "spans": [[40, 52]], "probability": 0.9}],
                      "unmatched": [{"spans": [[40, 52]]}]}]}

Every field but ``topic`` may be left out. ``references``, ``peers`` and ``sources`` may also be written as
``{"id": "text"}``. Nothing is lost in this format, and the same topic always gives the same bytes.

Comments are free text and are read as such, also in files of earlier days, which said ``no answer`` or a segment's name
there: convert such a file's original again.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TypeVar

import msgspec
from msgspec import Meta, Struct

from pyramidion.base.files import MAX_BYTES, decode, read_bytes, readable, write_bytes
from pyramidion.base.json import Offset, check_json, decode_json, decoder, encode_json
from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.formats.join import check_ids
from pyramidion.model import (
    SCU,
    Annotation,
    Contradiction,
    Contributor,
    Match,
    Place,
    Pyramid,
    Role,
    Source,
    Span,
    Summary,
    Topic,
    Unjudged,
)
from pyramidion.notes import note

TITLE = "Pyramidion's JSON: a topic, or one topic a line"
SUFFIXES = (".json", ".jsonl")
VERSION = 1
SURE = 1.0
"""The score, or probability, that is left out of the JSON."""

Id = Annotated[str, Meta(min_length=1)]
Spans = list[tuple[Offset, Offset]]
R = TypeVar("R", bound=Struct)


class _Record(Struct, omit_defaults=True, forbid_unknown_fields=True):
    pass


class TextRecord(_Record):
    """A reference, a peer or a source; ``number`` is the writer's id in another system."""

    id: Id
    text: str
    number: str = ""


class PlaceRecord(_Record):
    """A range of characters in a source document."""

    source: Id
    span: tuple[Offset, Offset]


class UnitRecord(_Record):
    """A unit of the summary that is in no SCU."""

    spans: Spans = []
    label: str = ""
    comment: str = ""
    segment: str = ""
    place: PlaceRecord | None = None
    reason: str = ""
    supported: bool = True
    annotator: str = ""


class ContributorRecord(_Record):
    """The part of a reference that expresses an SCU: spans of its text, or only a label."""

    reference: Id
    spans: Spans = []
    label: str = ""
    comment: str = ""
    segment: str = ""
    place: PlaceRecord | None = None
    reason: str = ""
    supported: bool = True
    annotator: str = ""


class SCURecord(_Record):
    """A content unit; its weight is the number of distinct references among its contributors."""

    id: Id
    label: str
    contributors: list[ContributorRecord]
    comment: str = ""
    sentence: str = ""
    unclear: str = ""


class PyramidRecord(_Record):
    """The SCUs, and the references where they are not the topic's own."""

    scus: list[SCURecord]
    references: list[TextRecord] | None = None


class MatchRecord(_Record):
    """One expression of an SCU in the summary."""

    scu: Id
    spans: Spans = []
    score: Annotated[float, Meta(ge=0, le=1)] = SURE
    comment: str = ""
    segment: str = ""
    reason: str = ""
    supported: bool = True


class ContradictionRecord(_Record):
    """An SCU that the summary contradicts, and the words that do."""

    scu: Id
    spans: Spans = []
    probability: Annotated[float, Meta(ge=0, le=1)] = SURE
    comment: str = ""
    segment: str = ""
    reason: str = ""


class AnnotationRecord(_Record):
    """The SCUs that a summary expresses; ``text`` is set only if it differs from that of the peer (or reference)."""

    summary: Id
    matches: list[MatchRecord] = []
    unmatched: list[UnitRecord] = []
    annotator: str = ""
    matcher: str = ""
    comments: dict[str, str] = {}
    probabilities: dict[str, Annotated[float, Meta(ge=0, le=1)]] = {}
    unjudged: dict[str, Unjudged] = {}
    partial: list[Id] = []
    labels: dict[str, str] = {}
    unsupported: list[Id] = []
    contradicted: list[ContradictionRecord] = []
    role: Role = "peer"
    text: str | None = None


class TopicRecord(_Record):
    """One topic: texts, pyramid, annotations."""

    topic: Id
    pyramidion: int = VERSION
    references: list[TextRecord] | dict[Id, str] = []
    peers: list[TextRecord] | dict[Id, str] = []
    sources: list[TextRecord] | dict[Id, str] = []
    pyramid: PyramidRecord | None = None
    annotations: list[AnnotationRecord] = []


class _Versioned(Struct):
    pyramidion: int = VERSION


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a topic document."""
    generated = msgspec.json.schema(TopicRecord)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Pyramidion topic, version 1",
        **generated,
    }


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this is a JSON object with our ending or a field of ours; other tools' formats come first."""
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    return path.suffix in SUFFIXES or any(b'"%b"' % field.encode() in head for field in TopicRecord.__struct_fields__)


def loads(data: bytes | str, source: str = "<string>") -> list[Topic]:
    """Return the topic of a document, or the topics of JSON lines."""
    text = decode(data, source)
    if _is_lines(text):
        return list(_topics(enumerate(text.split("\n"), start=1), source))
    return [_topic(text, source, None)]


def load(path: Path) -> list[Topic]:
    """Return the topics of a file."""
    if path.suffix == ".jsonl":
        return list(iterload(path))
    return loads(read_bytes(path), str(path))


def iterload(path: Path) -> Iterator[Topic]:
    """Yield the topics of a JSON-lines file, one at a time, so that a corpus of any size fits."""
    empty = True
    for topic in _topics(_lines(path), str(path)):
        empty = False
        yield topic
    if empty:
        raise FormatError("The file is empty", str(path), "write one topic per line")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers."""
    with readable(path), path.open("rb") as file:
        if file.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff"):
            yield from _utf16_lines(file, str(path))
            return
        # a byte more than is allowed shows that a line is too long, however long it is
        for number, line in enumerate(iter(lambda: file.readline(MAX_BYTES + 1), b""), start=1):
            _check_length(line, str(path), number)
            yield number, decode(line, str(path), may_be_empty=True)


def _utf16_lines(file: BinaryIO, source: str) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        with io.TextIOWrapper(file, "utf-16", newline="\n") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(MAX_BYTES + 1), ""), start=1):
                _check_length(line, source, number)
                yield number, line
    except UnicodeError:
        raise FormatError("The line is not valid UTF-16", Where(source, number + 1), "save the file as UTF-8") from None


def _check_length(line: bytes | str, source: str, number: int) -> None:
    if len(line) > MAX_BYTES:
        raise FormatError(
            f"The line has more than {MAX_BYTES // 2**20} MiB", Where(source, number), "write one topic per line"
        )


def _topics(lines: Iterable[tuple[int, str]], source: str) -> Iterator[Topic]:
    """Yield the topic of each line that is not blank; an id that comes again is an error."""
    seen: dict[str, int] = {}
    for number, line in lines:
        if not line or line.isspace():
            continue
        topic = _topic(line, source, number)
        if topic.id in seen:
            raise FormatError(
                f"Topic {topic.id!r} occurs twice, in lines {seen[topic.id]} and {number}",
                Where(source, number),
                "join them in one line, or give each topic its own id",
            )
        seen[topic.id] = number
        yield topic


def _is_lines(text: str) -> bool:
    """Return whether the first line is a whole object and another follows."""
    first, _, rest = text.strip().partition("\n")
    return first.rstrip().endswith("}") and rest.lstrip().startswith("{")


def _topic(text: str, source: str, line: int | None) -> Topic:
    """Return the topic of a document, or of one line, and warn of an SCU with two contributors from one reference."""
    check_json(text, Where(source, line))
    # the version first: an unknown field of a later version should not be reported as a mistake
    version = decode_json(text, _Versioned, source, line).pyramidion
    if version < 1:
        raise FormatError(
            f"This format has no version {version}",
            Where(source, line),
            f"write 1 to {VERSION}, or leave 'pyramidion' out" if VERSION > 1 else "write 1, or leave 'pyramidion' out",
        )
    if version > VERSION:
        raise FormatError(
            f"The file has version {version} of this format, but this program only knows versions up to {VERSION}",
            Where(source, line),
            "run: pip install --upgrade pyramidion",
        )
    record = decode_json(text, TopicRecord, source, line)
    try:
        topic = from_record(record)
    except PyramidionError as error:
        raise error.at(Where(source, line)) from None
    if topic.pyramid and topic.pyramid.repeats:
        first = next(n for n, scu in enumerate(topic.pyramid.scus) if scu.id == topic.pyramid.repeats[0])
        where = Where(source, line, element=f"$.pyramid.scus[{first}]")
        note(f"{where}: {topic.pyramid.repeats_in_words}")
    return topic


def _values(record: Struct) -> dict[str, Any]:
    """Return the fields of a record of words, as the model has them."""
    values = msgspec.structs.asdict(record)
    values["spans"] = tuple(Span(start, end) for start, end in values["spans"])
    if place := values.get("place"):
        values["place"] = Place(place.source, Span(*place.span))
    return values


def _texts(records: list[TextRecord] | dict[str, str]) -> list[TextRecord]:
    return records if isinstance(records, list) else [TextRecord(id, text) for id, text in records.items()]


def from_record(record: TopicRecord) -> Topic:
    """Return the topic of a record."""
    references = tuple(Summary(text.id, text.text, "reference") for text in _texts(record.references))
    peers = tuple(Summary(text.id, text.text, "peer", number=text.number) for text in _texts(record.peers))
    pyramid = None
    if record.pyramid is not None:
        texts = record.pyramid.references
        pyramid = Pyramid(
            record.topic,
            references if texts is None else tuple(Summary(text.id, text.text, "reference") for text in texts),
            tuple(_to_scu(scu) for scu in record.pyramid.scus),
            repeats_told=True,
        )
    known = {
        (summary.role, summary.id): summary
        for summary in (*references, *(pyramid.references if pyramid else ()), *peers)
    }
    return Topic(
        record.topic,
        references,
        peers,
        tuple(Source(text.id, text.text) for text in _texts(record.sources)),
        pyramid,
        tuple(_to_annotation(annotation, known) for annotation in record.annotations),
    )


def _to_scu(record: SCURecord) -> SCU:
    units = map(_values, record.contributors)
    contributors = tuple(Contributor(values.pop("reference"), **values) for values in units)
    return SCU(record.id, record.label, contributors, record.comment, sentence=record.sentence, unclear=record.unclear)


def _to_annotation(record: AnnotationRecord, known: dict[tuple[Role, str], Summary]) -> Annotation:
    """Return the annotation of a record; its text is that of the record or of a known summary of that role and id."""
    if record.text is not None:
        summary = Summary(record.summary, record.text, record.role)
    elif (record.role, record.summary) in known:
        summary = known[record.role, record.summary]
    else:
        raise FormatError(
            f"The annotated {record.role} {record.summary!r} has no text",
            do=f"list it under {record.role}s or give 'text'",
        )
    return Annotation(
        summary,
        tuple(Match(**_values(match)) for match in record.matches),
        tuple(Contributor(summary.id, **_values(unit)) for unit in record.unmatched),
        record.annotator,
        tuple(record.comments.items()),
        tuple(record.probabilities.items()),
        matcher=record.matcher,
        unjudged=tuple(record.unjudged.items()),
        partial=tuple(record.partial),
        labels=tuple(record.labels.items()),
        unsupported=tuple(record.unsupported),
        contradicted=tuple(Contradiction(**_values(contradiction)) for contradiction in record.contradicted),
    )


def losses(topics: Sequence[Topic], path: Path) -> list[str]:
    """Return nothing, since this format can hold everything."""
    return []


def dumps(topics: Sequence[Topic]) -> bytes:
    """Return one topic as an indented document, any other number as JSON lines."""
    if len(topics) != 1:
        return lines(topics)
    pretty = msgspec.json.format(_encode(topics[0]), indent=2)
    # a span stays on one line; a text cannot match, because JSON writes its newlines as \n
    return re.sub(rb"\[\n\s*(\d+),\n\s*(\d+)\n\s*\]", rb"[\1, \2]", pretty) + b"\n"


def dump(topics: Sequence[Topic], path: Path) -> None:
    """Write a document, or JSON lines where the name says so or there are several topics."""
    write_bytes(path, lines(topics) if path.suffix == ".jsonl" else dumps(topics))


def lines(topics: Sequence[Topic]) -> bytes:
    """Return the topics as JSON lines, also if there is one."""
    check_ids(topics)
    return b"".join(map(line, topics))


def _encode(topic: Topic) -> bytes:
    return b'{"pyramidion":%d,' % VERSION + encode_json(to_record(topic))[1:]


def _record(kind: type[R], words: Contributor | Match | Contradiction, **more: Any) -> R:
    """Return the record of some words: their fields of the same names, and more."""
    values: dict[str, Any] = {name: getattr(words, name) for name in kind.__struct_fields__ if name not in more}
    values["spans"] = [(span.start, span.end) for span in words.spans]
    if place := values.get("place"):
        values["place"] = PlaceRecord(place.source, (place.span.start, place.span.end))
    for name in ("score", "probability"):
        if values.get(name) == SURE:
            values[name] = SURE  # also where it is the whole number 1: the default is left out
    return kind(**values, **more)


def to_record(topic: Topic) -> TopicRecord:
    """Return the record of a topic, as it is written."""
    pyramid = topic.pyramid
    known = {(summary.role, summary.id): summary for summary in topic.references}
    known |= {(summary.role, summary.id): summary for summary in (pyramid.references if pyramid else ())}
    known |= {(summary.role, summary.id): summary for summary in topic.peers}
    return TopicRecord(
        topic=topic.id,
        references=_text_records(topic.references),
        peers=_text_records(topic.peers),
        sources=_text_records(topic.sources),
        pyramid=None if pyramid is None else _from_pyramid(pyramid, topic),
        annotations=[_from_annotation(annotation, known) for annotation in topic.annotations],
    )


def line(topic: Topic) -> bytes:
    """Return a topic as a line of a corpus."""
    return _encode(topic) + b"\n"


def annotation_json(annotation: Annotation) -> bytes:
    """Return an annotation by itself, with its summary's text."""
    return encode_json(_from_annotation(annotation, {}))


def annotation_of(data: bytes) -> Annotation:
    """Read what :func:`annotation_json` wrote."""
    return _to_annotation(decoder(AnnotationRecord).decode(data), {})


def _from_pyramid(pyramid: Pyramid, topic: Topic) -> PyramidRecord:
    """Return the record of a pyramid, with its references only where they are not the topic's."""
    scus = [
        SCURecord(
            scu.id,
            scu.label,
            [_record(ContributorRecord, unit, reference=unit.summary) for unit in scu.contributors],
            scu.comment,
            scu.sentence,
            scu.unclear,
        )
        for scu in pyramid.scus
    ]
    return PyramidRecord(scus, None if pyramid.references == topic.references else _text_records(pyramid.references))


def _from_annotation(annotation: Annotation, known: dict[tuple[Role, str], Summary]) -> AnnotationRecord:
    """Return the record of an annotation, with its text only if no known summary has the same."""
    summary = annotation.summary
    return AnnotationRecord(
        summary=summary.id,
        matches=[_record(MatchRecord, match) for match in annotation.matches],
        unmatched=[_record(UnitRecord, unit) for unit in annotation.unmatched],
        annotator=annotation.annotator,
        matcher=annotation.matcher,
        comments=dict(annotation.comments),
        probabilities=dict(annotation.probabilities),
        unjudged=dict(annotation.unjudged),
        partial=list(annotation.partial),
        labels=dict(annotation.labels),
        unsupported=list(annotation.unsupported),
        contradicted=[_record(ContradictionRecord, contradiction) for contradiction in annotation.contradicted],
        role=summary.role,
        text=None if known.get((summary.role, summary.id)) == summary else summary.text,
    )


def _text_records(texts: Sequence[Summary | Source]) -> list[TextRecord]:
    return [TextRecord(text.id, text.text, getattr(text, "number", "")) for text in texts]
