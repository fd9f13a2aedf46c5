"""Answers of TREC RAG runs, a query a line, as they are submitted; nuggets are assigned to them.

Three layouts are read. TREC RAG 2024 has ``{"topic_id", "topic", "run_id", "answer": [{"text", "citations"}]}``. RAG
2025, RAGTIME and TREC AutoJudge have the ids under ``metadata`` (``narrative_id`` or ``topic_id``, ``run_id``) and the
sentences under ``answer`` or ``responses``. Nuggetizer's own lines have ``qid``, ``run_id`` and ``answer_text``,
perhaps with ``nuggets``. The sentences of an answer are joined by spaces, as nuggetizer joins them. A line without a
run is of the run that the file is named after. Further fields are ignored.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from pyramidion.base.files import read_bytes
from pyramidion.base.json import Id, json_lines
from pyramidion.errors import FormatError, Where
from pyramidion.formats.nuggetizer import LineRecord, NuggetRecord


class _Sentence(Struct):
    text: str


class _MetadataRecord(Struct, frozen=True):
    run_id: Id | None = None
    topic_id: Id | None = None
    narrative_id: Id | None = None
    request_id: Id | None = None
    narrative: str = ""


class _AnswerRecord(Struct):
    qid: Id | None = None
    topic_id: Id | None = None
    query: str = ""
    topic: str = ""
    run_id: Id | None = None
    answer_text: str | None = None
    answer: str | list[_Sentence] | None = None
    responses: list[_Sentence] | None = None
    response_length: int | None = None
    docid: Id | None = None
    candidate_text: str | None = None
    text: str = ""
    nuggets: tuple[NuggetRecord, ...] = ()
    metadata: _MetadataRecord = _MetadataRecord()

    @property
    def id(self) -> Id | None:
        """The query's id, by the first of its names that is there."""
        about = self.metadata
        names = (self.qid, self.topic_id, about.topic_id, about.narrative_id, about.request_id)
        return next((name for name in names if name is not None), None)

    @property
    def words(self) -> str | None:
        """The answer's text, by the first of its names that is there."""
        answer = self.answer if self.answer_text is None else self.answer_text
        answer = self.responses if answer is None else answer
        return answer if answer is None or isinstance(answer, str) else " ".join(sentence.text for sentence in answer)


def load_answers(path: Path) -> list[LineRecord]:
    """Return the answers of a file, in its order."""
    return loads_answers(read_bytes(path), str(path))


def loads_answers(data: bytes | str, source: str = "<string>") -> list[LineRecord]:
    """Return the answers of a run's lines; ``source`` names the run where they do not."""
    return [_line(record, Where(source, number)) for number, record in json_lines(data, source, _AnswerRecord)]


def _line(record: _AnswerRecord, where: Where) -> LineRecord:
    """Return a line of any layout as nuggetizer's; a query, and a text or a passage, must be there."""
    if record.id is None:
        raise FormatError("The answer has no query", where, "add its id as topic_id or qid")
    question = record.query or record.topic or record.text or record.metadata.narrative
    # a passage of nuggetizer's retrieval mode, which has no run
    if record.candidate_text is not None and record.words is None:
        if record.docid is None:
            raise FormatError(f"The passage for {record.id!r} has no docid", where, "add it")
        return LineRecord(record.id, record.nuggets, question, docid=record.docid, candidate_text=record.candidate_text)
    if record.words is None:
        raise FormatError(f"The answer to {record.id!r} has no text", where, "add it as answer or answer_text")
    run = next((id for id in (record.run_id, record.metadata.run_id) if id is not None), Path(where.source).stem)
    return LineRecord(record.id, record.nuggets, question, run, record.words, response_length=record.response_length)
