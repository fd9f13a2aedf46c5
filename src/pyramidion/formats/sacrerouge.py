"""SacreROUGE's pyramids (``*.pyramids.jsonl``) and annotated summaries (``*.pyramid-annotations.jsonl``).

SacreROUGE (Deutsch and Roth 2020) turns DUCView files into JSON lines. A pyramid::

    {"instance_id": "d01", "summaries": ["..."], "summarizer_ids": ["A"], "scus": [
      {"scu_id": 1, "label": "...", "contributors": [
        {"summary_index": 0, "label": "...", "parts": [{"text": "...", "start": 0, "end": 3}]}]}]}

An annotation has ``summarizer_id``, ``summarizer_type`` (peer or reference) and ``summary`` instead, and only the SCUs
that the summary expresses, without ``summary_index``. Offsets count in the summary's own text, ``end`` excluded.

Either file can be read alone, and both in one file are put together. Annotations alone make topics without a pyramid;
the labels of their SCUs are kept with the annotation. SacreROUGE writes a summary as one string, its lines
joined by a space; a list of sentences is joined in the same way. Where a part's text is not what stands at its offsets,
the offsets are trusted, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from msgspec import Struct

from pyramidion.base.choices import check_choices
from pyramidion.base.files import read_bytes, write_bytes
from pyramidion.base.json import Id, Offset, encode_lines, json_lines
from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.formats._differences import find_losses
from pyramidion.formats._squashed import Squashed
from pyramidion.formats.join import first_annotations
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Role, Span, Summary, Topic
from pyramidion.notes import note

TITLE = "SacreROUGE: pyramids or annotated summaries, one a line"
SUFFIXES = ()


class PartRecord(Struct):
    """A range of characters of a summary, and its text."""

    start: Offset
    end: Offset
    text: str = ""


class ContributorRecord(Struct):
    """Words of one summary; in a pyramid, ``summary_index`` is its number."""

    parts: list[PartRecord]
    label: str = ""
    summary_index: Offset | None = None


class SCURecord(Struct):
    """A content unit and the words that express it."""

    scu_id: Id
    contributors: list[ContributorRecord]
    label: str = ""


class LineRecord(Struct):
    """A line of either file: a pyramid has ``summaries``, an annotation a ``summary``."""

    instance_id: Id
    scus: list[SCURecord]
    summaries: list[str | list[str]] | None = None
    summarizer_ids: list[Id] | None = None
    summary: str | list[str] | None = None
    summarizer_id: Id | None = None
    summarizer_type: Role = "peer"


def sniff(path: Path, head: bytes) -> bool:
    """Return whether these are JSON lines with an ``instance_id`` and SCUs."""
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
        and b'"instance_id"' in head
        and b'"scus"' in head
        and (b'"summaries"' in head or b'"summarizer_id"' in head)
    )


def load(path: Path) -> list[Topic]:
    """Return the topics of a file of pyramids or of annotations."""
    return loads(read_bytes(path), str(path))


def loads(data: bytes | str, source: str = "<string>") -> list[Topic]:
    """Return one topic per instance."""
    instances: dict[str, _Instance] = {}
    for number, record in json_lines(data, source, LineRecord):
        id = str(record.instance_id)
        try:
            instances.setdefault(id, _Instance(id)).add(record, _Line(source, number))
        except PyramidionError as error:
            # an error with a place of its own, such as a part, keeps it
            raise error if str(error.where) else error.at(Where(source, number)) from None
    try:
        return [instance.topic() for instance in instances.values()]
    except PyramidionError as error:
        raise error.at(Where(source)) from None


class _Line:
    """The place of one line, for messages and for the checks of its parts."""

    def __init__(self, source: str, number: int) -> None:
        self.source = source
        self.number = number

    def fail(self, element: str, what: str, do: str) -> FormatError:
        return FormatError(what, Where(self.source, self.number, element=element), do)

    def warn(self, element: str, what: str) -> None:
        note(f"{Where(self.source, self.number, element=element)}: {what}")

    def spans(self, parts: Sequence[PartRecord], summary: Summary, text: Squashed, element: str) -> tuple[Span, ...]:
        """Return the offsets of a contributor, checked against the text they point into."""
        spans = []
        for number, part in enumerate(parts):
            here = f"{element}.parts[{number}]"
            if not part.start < part.end <= len(summary.text):
                raise self.fail(
                    here,
                    f"{part.start}-{part.end} is not inside the {len(summary.text)} characters of {summary.id!r}",
                    "count offsets in characters of that summary's own text, from 0",
                )
            span = Span(part.start, part.end)
            if part.text and not text.reads([span], part.text):
                self.warn(here, f"The text {part.text[:60]!r} is not at {span.start}-{span.end}; the offsets are used")
            spans.append(span)
        return tuple(spans)


def _text(summary: str | list[str]) -> str:
    return summary if isinstance(summary, str) else " ".join(summary)


class _Instance:
    """The lines of one topic, as they come."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.pyramid: Pyramid | None = None
        self.annotations: dict[tuple[Role, str], Annotation] = {}

    def add(self, record: LineRecord, line: _Line) -> None:
        """Add a line, a pyramid or an annotation; a second one of either is an error."""
        if record.summaries is not None:
            if self.pyramid is not None:
                raise line.fail("$", f"There is a second pyramid for {self.id!r}", "keep one")
            self.pyramid = self.to_pyramid(record, record.summaries, line)
        elif record.summary is not None and record.summarizer_id is not None:
            key = record.summarizer_type, str(record.summarizer_id)
            if key in self.annotations:
                raise line.fail("$", f"The {key[0]} {key[1]!r} is annotated twice for {self.id!r}", "keep one")
            self.annotations[key] = _to_annotation(record, Summary(key[1], _text(record.summary), key[0]), line)
        else:
            raise line.fail(
                "$",
                "The line is neither a pyramid nor an annotation",
                "give 'summaries', or 'summary' and 'summarizer_id'",
            )

    def to_pyramid(self, record: LineRecord, texts: list[str | list[str]], line: _Line) -> Pyramid:
        """Return the pyramid of a line and the texts of its references."""
        ids = record.summarizer_ids
        if ids is None:
            line.warn(
                "$", "There are no summarizer_ids (an early SacreROUGE wrote none); the references are numbered from 1"
            )
            ids = list(range(1, len(texts) + 1))
        if len(ids) != len(texts):
            raise line.fail(
                "$.summarizer_ids", f"There are {len(ids)} ids for {len(texts)} summaries", "give one for each"
            )
        references = tuple(Summary(str(id), _text(text), "reference") for id, text in zip(ids, texts, strict=True))
        squashed = [Squashed(reference.text) for reference in references]
        scus = (_to_scu(record, index, references, squashed, line) for index in range(len(record.scus)))
        return Pyramid(self.id, references, tuple(scus))

    def topic(self) -> Topic:
        """Return the topic; annotated references that the pyramid does not have are listed with it, too."""
        annotations = self.annotations
        if self.pyramid is not None:  # which has the labels of the SCUs
            annotations = {
                key: Annotation(annotation.summary, annotation.matches) for key, annotation in annotations.items()
            }
        references = self.pyramid.references if self.pyramid else ()
        known = {reference.id for reference in references}
        summaries = [annotation.summary for annotation in annotations.values()]
        return Topic(
            self.id,
            (
                *references,
                *(summary for summary in summaries if summary.role == "reference" and summary.id not in known),
            ),
            tuple(summary for summary in summaries if summary.role == "peer"),
            pyramid=self.pyramid,
            annotations=tuple(annotations.values()),
        )


def _to_scu(
    record: LineRecord, index: int, references: Sequence[Summary], squashed: Sequence[Squashed], line: _Line
) -> SCU:
    """Return an SCU of a pyramid; a contributor's label is kept if it is not the text at its offsets."""
    scu = record.scus[index]
    contributors = []
    for number, contributor in enumerate(scu.contributors):
        element = f"$.scus[{index}].contributors[{number}]"
        if contributor.summary_index is None or contributor.summary_index >= len(references):
            raise line.fail(
                element,
                f"The summary_index is {contributor.summary_index}, but there are {len(references)} summaries",
                "count the summaries from 0",
            )
        reference, text = references[contributor.summary_index], squashed[contributor.summary_index]
        spans = line.spans(contributor.parts, reference, text, element)
        is_quoted = text.reads(spans, contributor.label)
        contributors.append(Contributor(reference.id, spans, "" if is_quoted else contributor.label))
    return SCU(str(scu.scu_id), scu.label, tuple(contributors))


def _to_annotation(record: LineRecord, summary: Summary, line: _Line) -> Annotation:
    """Return the annotation of a summary, a match for each contributor, with the labels of its SCUs."""
    matches: list[Match] = []
    text = Squashed(summary.text)
    for index, scu in enumerate(record.scus):
        element = f"$.scus[{index}]"
        if not scu.contributors:
            line.warn(
                element, f"SCU {scu.scu_id} has no contributor, so the summary does not express it; it was left out"
            )
        for number, contributor in enumerate(scu.contributors):
            spans = line.spans(contributor.parts, summary, text, f"{element}.contributors[{number}]")
            matches.append(Match(str(scu.scu_id), spans))
    labels = {str(scu.scu_id): scu.label for scu in record.scus if scu.label and scu.contributors}
    return Annotation(summary, tuple(matches), labels=tuple(labels.items()))


Kind = Literal["pyramids", "annotations"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def kind_of(path: Path) -> Kind:
    """Return the kind of content of a file of this name."""
    return "annotations" if path.name.endswith("annotations.jsonl") else "pyramids"


@check_choices
def losses(topics: Sequence[Topic], path: Path, *, kind: Kind | Literal[""] = "") -> list[str]:
    """List what is lost when the file of this name, or kind, is read again."""
    return find_losses(topics, lambda chosen: dumps(chosen, kind=kind or kind_of(path)), loads)


@check_choices
def dump(topics: Sequence[Topic], path: Path, *, kind: Kind | Literal[""] = "") -> None:
    """Write the pyramids, or the annotations if the name ends ``annotations.jsonl``; ``kind`` overrules the name."""
    write_bytes(path, dumps(topics, kind=kind or kind_of(path)))


@check_choices
def dumps(topics: Sequence[Topic], *, kind: Kind = "pyramids") -> bytes:
    """Return one pyramid or one annotation a line; ``kind`` is ``pyramids`` or ``annotations``."""
    if kind == "pyramids":
        records = [_pyramid_record(topic.pyramid) for topic in topics if topic.pyramid]
    else:
        records = [
            _annotation_record(annotation, topic)
            for topic in topics
            for annotation in first_annotations(topic, "peer", "reference")
        ]
    if not records:
        raise FormatError(f"There are no {kind} to write", do=f"choose another kind than {kind}")
    return encode_lines(records)


def _number(id: str) -> str | int:
    """Return an id as SacreROUGE writes it, as a whole number; any other is written as it is."""
    return int(id) if re.fullmatch(r"0|[1-9][0-9]{0,15}", id) else id


def _parts(spans: Sequence[Span], text: str) -> list[dict[str, Any]]:
    return [{"text": span.of(text), "start": span.start, "end": span.end} for span in spans]


def _pyramid_record(pyramid: Pyramid) -> dict[str, Any]:
    """Return the line of a pyramid; a contributor without a label is labelled with its words."""
    index = {reference.id: number for number, reference in enumerate(pyramid.references)}
    scus = [
        {
            "scu_id": _number(scu.id),
            "label": scu.label,
            "contributors": [
                {
                    "summary_index": index[contributor.summary],
                    "label": contributor.label or pyramid.words(contributor),
                    "parts": _parts(contributor.spans, pyramid.reference(contributor.summary).text),
                }
                for contributor in scu.contributors
            ],
        }
        for scu in pyramid.scus
    ]
    return {
        "instance_id": pyramid.topic,
        "summaries": [reference.text for reference in pyramid.references],
        "summarizer_ids": [reference.id for reference in pyramid.references],
        "scus": scus,
    }


def _annotation_record(annotation: Annotation, topic: Topic) -> dict[str, Any]:
    """Return the line of an annotation; matches of one SCU are its contributors."""
    summary = annotation.summary
    matches: dict[str, list[Match]] = {}
    for match in annotation.matches:
        matches.setdefault(match.scu, []).append(match)
    labels = {scu.id: scu.label for scu in topic.pyramid.scus} if topic.pyramid else dict(annotation.labels)
    return {
        "instance_id": topic.id,
        "summarizer_id": summary.id,
        "summarizer_type": summary.role,
        "summary": summary.text,
        "scus": [
            {
                "scu_id": _number(scu),
                "label": labels.get(scu, ""),
                "contributors": [
                    {"label": summary.quote(match.spans), "parts": _parts(match.spans, summary.text)}
                    for match in expressions
                ],
            }
            for scu, expressions in matches.items()
        ],
    }
