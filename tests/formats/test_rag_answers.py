"""Answers of TREC RAG runs: three layouts, one noun; and nuggetizer's lines as they are, in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError
from pyramidion.formats.nuggetizer import LineRecord, NuggetRecord, dumps_lines, load_lines
from pyramidion.formats.rag_answers import load_answers, loads_answers
from tests.fuzz import mutated, only_our_errors

DATA = Path(__file__).parents[1] / "data" / "nuggets"
SENTENCES = [{"text": "Rents rise.", "citations": [0]}, {"text": "Wages fall.", "citations": []}]


def read(**record: Any) -> LineRecord:
    (line,) = loads_answers(json.dumps(record), "runs/own-run.jsonl")
    return line


@pytest.mark.parametrize(
    "record",
    [
        {"topic_id": "q1", "topic": "what moves", "run_id": "a", "answer": SENTENCES},
        {"metadata": {"narrative_id": "q1", "narrative": "what moves", "run_id": "a"}, "answer": SENTENCES},
        {"metadata": {"topic_id": "q1", "run_id": "a"}, "topic": "what moves", "responses": SENTENCES},
        {"qid": "q1", "query": "what moves", "run_id": "a", "answer_text": "Rents rise. Wages fall."},
        {"qid": "q1", "query": "what moves", "run_id": "a", "answer": "Rents rise. Wages fall."},
    ],
)
def test_every_layout_gives_the_same_answer(record: dict[str, Any]) -> None:
    assert read(**record) == LineRecord("q1", (), "what moves", "a", "Rents rise. Wages fall.")


def test_a_line_without_a_run_is_of_the_run_that_the_file_is_named_after() -> None:
    assert read(topic_id=7, answer=SENTENCES).run == "own-run"


def test_an_empty_answer_is_an_answer() -> None:
    assert read(topic_id="q1", answer=[]).answer == ""


def test_passages_of_the_retrieval_mode_are_answers() -> None:
    line = read(qid="q1", text="what moves", docid="d#1", candidate_text="Rents.")
    assert (line.run, line.answer, line.question) == ("d#1", "Rents.", "what moves")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"answer": "x"}, "x.jsonl:1: The answer has no query; add its id as topic_id or qid"),
        ({"qid": "q1"}, "x.jsonl:1: The answer to 'q1' has no text; add it as answer or answer_text"),
        ({"qid": "q1", "candidate_text": "x"}, "x.jsonl:1: The passage for 'q1' has no docid; add it"),
        ({"qid": "q1", "answer": [{"citations": []}]}, "x.jsonl:1: .*missing required field 'text'"),
    ],
)
def test_errors_say_where(record: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=f"^{message}"):
        loads_answers(json.dumps(record), "x.jsonl")


def test_the_runs_of_the_data_are_read() -> None:
    assert [(line.run, line.qid) for name in ("run-a", "run-b") for line in load_answers(DATA / f"{name}.jsonl")] == [
        *(("run-a", query) for query in ("h1", "h2", "h3")),
        *(("run-b", query) for query in ("h1", "h3")),
    ]


def test_assigned_lines_come_back_as_they_were() -> None:
    path = DATA / "assigned.jsonl"
    assert dumps_lines(load_lines(path)) == path.read_bytes()


def test_assigned_passages_come_back_in_the_retrieval_mode() -> None:
    nugget = NuggetRecord("Rents rise", "vital", "support")
    line = LineRecord("q1", (nugget,), "what moves", docid="d#1", candidate_text="Rents.")
    assert json.loads(dumps_lines([line])) == {
        "text": "what moves",
        "qid": "q1",
        "candidate_text": "Rents.",
        "docid": "d#1",
        "nuggets": [{"text": "Rents rise", "importance": "vital", "assignment": "support"}],
    }


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"qid": "q", "nuggets": [], "answer_text": "x"}, "The answer to 'q' has no run_id"),
        (
            {
                "qid": "q",
                "run_id": "a",
                "answer_text": "x",
                "nuggets": [
                    {"text": "x", "importance": "vital", "assignment": "support"},
                    {"text": "y", "importance": "okay"},
                ],
            },
            "Nugget 2 has no assignment, but others have",
        ),
    ],
)
def test_lines_that_are_half_done_are_refused(record: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text(json.dumps(record))
    with pytest.raises(FormatError, match=message):
        load_lines(path)


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    only_our_errors(lambda: loads_answers(data))


@given(mutated((DATA / "run-a.jsonl").read_bytes() + (DATA / "run-b.jsonl").read_bytes()))
def test_damaged_documents(data: bytes) -> None:
    only_our_errors(lambda: loads_answers(data))
