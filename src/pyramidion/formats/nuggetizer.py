"""Nuggets of nuggetizer (Pradeep et al. 2024), the tool of the TREC RAG tracks: created or assigned, in JSON lines.

A created line is ``{"query", "qid", "nuggets": [{"text", "importance"}]}``; an assigned line adds ``run_id``,
``answer_text`` and to each nugget an ``assignment``: ``support``, ``partial_support`` or ``not_support``. Lines of the
retrieval mode have ``docid`` and ``candidate_text`` instead. The development nuggets of TREC RAG are created lines.
The query's text is kept as the source document ``query``, which is written as the query again; further fields are
ignored.

A topic is a ``qid``, an SCU is a nugget, numbered from 1. Importance becomes weight: a vital nugget has contributors
from ``vital`` made references (2 unless told), one that is okay from ``okay`` of them (1). With weight 0 the nugget is
left out; ``failed`` counts as okay, with a warning. Partial support is no match (the strict score) unless ``partial``
is ``match``, and then one with the score 0.5. An assignment that ``failed`` is no answer.

For nuggetizer's own scores nothing is weighed: :func:`load_lines` and :func:`dumps_lines` read and write the lines as
they are, each with a list of nuggets of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args

from msgspec import Struct

from pyramidion.base.choices import check_choices
from pyramidion.base.files import read_bytes, write_bytes
from pyramidion.base.json import Id, encode_lines, json_lines
from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.formats._differences import find_losses
from pyramidion.formats.join import first_annotations
from pyramidion.model import (
    NO_ANSWER,
    SCU,
    Annotation,
    Contributor,
    Match,
    Pyramid,
    Source,
    Summary,
    Topic,
    Unjudged,
)
from pyramidion.notes import note

TITLE = "nuggetizer and TREC RAG: created or assigned nuggets, a query or an answer a line"
SUFFIXES = ()
HEAVIEST = 20
PARTIAL = "partial_support"
HALF = 0.5
"""The score of a match that is a partial one."""
QUERY = "query"
"""The id of the source that holds the query's text."""


Partial = Literal["match", "miss"]
Assignment = Literal["support", "partial_support", "not_support", "failed"]


class NuggetRecord(Struct, frozen=True):
    """A nugget; ``assignment`` only where it was assigned to an answer."""

    text: str
    importance: Literal["vital", "okay", "failed"]
    assignment: Assignment | None = None


class LineRecord(Struct, frozen=True):
    """A created line, or an assigned one in either mode."""

    qid: Id
    nuggets: tuple[NuggetRecord, ...]
    query: str = ""
    run_id: Id | None = None
    answer_text: str | None = None
    docid: Id | None = None
    candidate_text: str | None = None
    response_length: int | None = None
    text: str = ""
    """The query, as the retrieval mode calls it."""

    @property
    def question(self) -> str:
        """The query's text, whatever the line calls it."""
        return self.query or self.text

    @property
    def run(self) -> str | None:
        """The run that answers or, in the retrieval mode, the passage."""
        id = self.docid if self.run_id is None else self.run_id
        return None if id is None else str(id)

    @property
    def answer(self) -> str | None:
        """The text that nuggets are assigned to."""
        return self.candidate_text if self.answer_text is None else self.answer_text

    @property
    def is_assigned(self) -> bool:
        """True if every nugget has an assignment, even a failed one."""
        return self.answer is not None and all(nugget.assignment is not None for nugget in self.nuggets)


class Weights(Struct, frozen=True):
    """The weight of each importance, and whether partial support is a match."""

    vital: int
    okay: int
    partial: bool

    def of(self, nugget: NuggetRecord) -> int:
        """Return the weight of a nugget."""
        return self.vital if nugget.importance == "vital" else self.okay


def sniff(path: Path, head: bytes) -> bool:
    """Return whether these are JSON lines with a ``qid`` and nuggets."""
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
        and b'"qid"' in head
        and b'"nuggets"' in head
        and b'"importance"' in head
    )


@check_choices
def load(path: Path, *, vital: str | int = 2, okay: str | int = 1, partial: Partial = "miss") -> list[Topic]:
    """Return the topics of a file; ``vital`` and ``okay`` are weights, ``partial`` support is ``match`` or ``miss``."""
    return loads(read_bytes(path), str(path), vital=vital, okay=okay, partial=partial)


@check_choices
def loads(
    data: bytes | str,
    source: str = "<string>",
    *,
    vital: str | int = 2,
    okay: str | int = 1,
    partial: Partial = "miss",
) -> list[Topic]:
    """Return one topic per query, with all answers to it."""
    weights = Weights(_weight("vital", vital), _weight("okay", okay), partial == "match")
    queries: dict[str, _Query] = {}
    for line, record in json_lines(data, source, LineRecord):
        id = str(record.qid)
        if id not in queries:
            queries[id] = _Query(id, record.nuggets, line)
        queries[id].add(record, Where(source, line), weights)
    _report(queries, source)
    try:
        return [query.topic(weights) for query in queries.values()]
    except PyramidionError as error:
        raise error.at(Where(source)) from None


def _weight(name: str, value: str | int) -> int:
    if str(value) not in map(str, range(HEAVIEST + 1)):
        raise PyramidionError(f"The option {name} is {value!r}", do=f"give a whole number from 0 to {HEAVIEST}")
    return int(value)


def _report(queries: dict[str, _Query], source: str) -> None:
    failed = sum(nugget.importance == "failed" for query in queries.values() for nugget in query.nuggets)
    if failed:
        note(f"{source}: The importance of {failed} nugget(s) is 'failed'; they count as okay")
    unassigned = sum(query.failed for query in queries.values())
    if unassigned:
        note(f"{source}: {unassigned} assignment(s) 'failed'; they count neither as answers nor as matches")


def _without_assignments(nuggets: Sequence[NuggetRecord]) -> list[tuple[str, str]]:
    return [(nugget.text, nugget.importance) for nugget in nuggets]


class _Query:
    """The lines of one query, as they come."""

    def __init__(self, id: str, nuggets: Sequence[NuggetRecord], line: int) -> None:
        self.id = id
        self.nuggets = nuggets
        self.line = line
        self.query = ""
        self.peers: dict[str, Summary] = {}
        self.annotations: list[Annotation] = []
        self.failed = 0

    def add(self, record: LineRecord, where: Where, weights: Weights) -> None:
        """Add a line: its answer as a peer, and its assignments as an annotation; all lines have the same nuggets."""
        if _without_assignments(record.nuggets) != _without_assignments(self.nuggets):
            raise FormatError(
                f"The nuggets of {self.id!r} are not those of line {self.line}",
                where,
                "assign the same list to all answers",
            )
        if record.query and self.query not in ("", record.query):
            raise FormatError(
                f"The query of {self.id!r} is not that of an earlier line", where, "give each query its own qid"
            )
        self.query = self.query or record.query
        _check_answer(record, where)
        run, text = record.run, record.answer
        if run is None or text is None:
            return
        if run in self.peers:
            raise FormatError(f"{run!r} has a second answer to {self.id!r}", where, "give each answer its own run_id")
        peer = self.peers[run] = Summary(run, text, "peer")
        # an answer to which nobody assigned the nuggets is a peer without an annotation
        if not record.nuggets or any(nugget.assignment is not None for nugget in record.nuggets):
            self.annotations.append(self.annotation(peer, record, where, weights))

    def annotation(self, peer: Summary, record: LineRecord, where: Where, weights: Weights) -> Annotation:
        """Return the annotation of an answer; a failed assignment is no answer, nuggets of weight 0 are left out."""
        matches: list[Match] = []
        partial: list[str] = []
        unjudged: list[tuple[str, Unjudged]] = []
        for number, nugget in enumerate(record.nuggets, start=1):
            if nugget.assignment is None:
                _refuse_unassigned(number, where)
            self.failed += nugget.assignment == "failed"
            if not weights.of(nugget):
                continue
            if nugget.assignment == "support":
                matches.append(Match(str(number)))
            elif nugget.assignment == PARTIAL and weights.partial:
                matches.append(Match(str(number), score=HALF))
            elif nugget.assignment == PARTIAL:
                partial.append(str(number))
            elif nugget.assignment == "failed":
                unjudged.append((str(number), NO_ANSWER))
        return Annotation(peer, tuple(matches), partial=tuple(partial), unjudged=tuple(unjudged))

    def topic(self, weights: Weights) -> Topic:
        """Return the topic; a nugget of weight w gets contributors from the made references 1 to w."""
        names = [f"importance-{number}" for number in range(1, max(weights.vital, weights.okay) + 1)]
        references = tuple(Summary(name, "", "reference") for name in names)
        scus = tuple(
            SCU(
                str(number),
                nugget.text,
                tuple(Contributor(name, label=nugget.text) for name in names[: weights.of(nugget)]),
            )
            for number, nugget in enumerate(self.nuggets, start=1)
            if weights.of(nugget)
        )
        pyramid = Pyramid(self.id, references, scus)
        sources = (Source(QUERY, self.query),) if self.query else ()
        return Topic(
            self.id, references, tuple(self.peers.values()), sources, pyramid, annotations=tuple(self.annotations)
        )


def load_lines(path: Path) -> list[LineRecord]:
    """Return the lines of a file as they are; an answer without a run, or assigned in part, is an error."""
    lines = []
    for number, record in json_lines(read_bytes(path), str(path), LineRecord):
        _check_answer(record, Where(str(path), number))
        assigned = [nugget.assignment is not None for nugget in record.nuggets]
        if any(assigned) and not all(assigned):
            _refuse_unassigned(assigned.index(False) + 1, Where(str(path), number))
        lines.append(record)
    return lines


def _check_answer(record: LineRecord, where: Where) -> None:
    """Raise an error if an answer has no run, or a run no answer."""
    if (record.run is None) != (record.answer is None):
        missing = "run_id" if record.run is None else "answer_text"
        raise FormatError(f"The answer to {str(record.qid)!r} has no {missing}", where, "add it")


def _refuse_unassigned(number: int, where: Where) -> NoReturn:
    raise FormatError(f"Nugget {number} has no assignment, but others have one", where, "assign every nugget")


def dumps_lines(lines: Iterable[LineRecord]) -> bytes:
    """Return assigned lines as nuggetizer writes them, in either mode."""
    return encode_lines([_line(line) for line in lines])


def _line(line: LineRecord) -> dict[str, Any]:
    """Return a line with the field names of its mode: those of retrieval if it has a passage and no run."""
    nuggets = [
        {"text": nugget.text, "importance": nugget.importance, "assignment": nugget.assignment}
        for nugget in line.nuggets
    ]
    if line.docid is not None and line.run_id is None:
        named = {"text": line.question, "qid": line.qid, "candidate_text": line.answer, "docid": line.docid}
    else:
        words = len((line.answer or "").split())
        length = words if line.response_length is None else line.response_length
        named = {"query": line.question, "qid": line.qid, "answer_text": line.answer, "response_length": length}
        named["run_id"] = line.run
    return {**named, "nuggets": nuggets}


Kind = Literal["create", "assign"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def kind_for(topics: Sequence[Topic]) -> Kind:
    """Return ``assign`` if there is an annotation to write, else ``create``."""
    return "assign" if any(topic.pyramid and first_annotations(topic, "peer") for topic in topics) else "create"


@check_choices
def losses(topics: Sequence[Topic], path: Path, *, kind: Kind | Literal[""] = "", vital: str | int = 2) -> list[str]:
    """List what is lost when the lines are read again, with the same rule for partial support."""
    is_match = any(
        match.score == HALF for topic in topics for annotation in topic.annotations for match in annotation.matches
    )
    partial: Partial = "match" if is_match else "miss"
    return find_losses(
        topics,
        lambda chosen: dumps(chosen, kind=kind, vital=vital),
        lambda data: loads(data, str(path), partial=partial),
    )


@check_choices
def dump(topics: Sequence[Topic], path: Path, *, kind: Kind | Literal[""] = "", vital: str | int = 2) -> None:
    """Write assigned lines where there are annotations, else created ones; ``kind`` overrules that."""
    write_bytes(path, dumps(topics, kind=kind, vital=vital))


@check_choices
def dumps(topics: Sequence[Topic], *, kind: Kind | Literal[""] = "", vital: str | int = 2) -> bytes:
    """Return lines of a ``kind``, create or assign; SCUs that weigh ``vital`` or more are vital, others okay."""
    kind = kind or kind_for(topics)
    threshold = _weight("vital", vital)
    records: list[dict[str, Any]] = []
    for topic in topics:
        if topic.pyramid is None:
            continue
        if kind == "create":
            nuggets = [_nugget(scu, threshold) for scu in topic.pyramid.scus]
            records.append({"query": _query(topic), "qid": topic.id, "nuggets": nuggets})
        else:
            records += (
                {"query": _query(topic), **_assigned_line(annotation, topic.pyramid, threshold)}
                for annotation in first_annotations(topic, "peer")
            )
    if not records:
        raise FormatError(
            "No topic has a pyramid" + (" and an annotated peer" if kind == "assign" else ""),
            do="build or annotate one first",
        )
    return encode_lines(records)


def _query(topic: Topic) -> str:
    return next((source.text for source in topic.sources if source.id == QUERY), "")


def _nugget(scu: SCU, vital: int) -> dict[str, Any]:
    return {"text": scu.label, "importance": "vital" if scu.weight >= vital else "okay"}


def _assigned_line(annotation: Annotation, pyramid: Pyramid, vital: int) -> dict[str, Any]:
    """Return an answer with its assignments; a nugget that is neither matched nor partial nor failed has no support."""
    assigned = dict.fromkeys(annotation.partial, PARTIAL) | dict.fromkeys(dict(annotation.unjudged), "failed")
    for match in annotation.matches:
        # full support of a nugget outweighs a partial match of it
        if match.score != HALF:
            assigned[match.scu] = "support"
        else:
            assigned.setdefault(match.scu, PARTIAL)
    return {
        "qid": pyramid.topic,
        "answer_text": annotation.summary.text,
        "response_length": len(annotation.summary.text.split()),
        "run_id": annotation.summary.id,
        "nuggets": [{**_nugget(scu, vital), "assignment": assigned.get(scu.id, "not_support")} for scu in pyramid.scus],
    }
