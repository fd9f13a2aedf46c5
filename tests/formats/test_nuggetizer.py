"""Nuggets as SCUs: importance as weight, assignments as annotations, several runs in one topic, and back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.formats import dump, nuggetizer, sniff
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Span, Summary, Topic
from tests.fuzz import mutated, only_our_errors
from tests.strategies import topics

NUGGETS = (("Rents rise", "vital"), ("Wages rise", "okay"), ("Nobody moves", "vital"))


def created(**changes: Any) -> dict[str, Any]:
    nuggets = [{"text": text, "importance": importance} for text, importance in NUGGETS]
    return {"query": "what rises", "qid": "q1", "nuggets": nuggets} | changes


def assigned(*assignments: str, run: str = "run-a", **changes: Any) -> dict[str, Any]:
    nuggets = [
        {"text": text, "importance": importance, "assignment": assignment}
        for (text, importance), assignment in zip(NUGGETS, assignments, strict=True)
    ]
    made = {"query": "what rises", "qid": "q1", "answer_text": f"By {run}.", "response_length": 2, "run_id": run}
    return {**made, "nuggets": nuggets} | changes


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def read(*records: dict[str, Any], **options: Any) -> Topic:
    (topic,) = nuggetizer.loads(lines(*records), "n.jsonl", **options)
    return topic


def weights(topic: Topic) -> dict[str, int]:
    assert topic.pyramid is not None
    return {scu.id: scu.weight for scu in topic.pyramid.scus}


ASSIGNED = assigned("support", "partial_support", "not_support")


def test_a_nugget_is_an_scu_and_importance_its_weight() -> None:
    topic = read(created())
    assert topic.id == "q1"
    assert topic.pyramid is not None
    assert topic.references == (Summary("importance-1", ""), Summary("importance-2", ""))
    assert topic.pyramid.scus[:2] == (
        SCU("1", "Rents rise", tuple(Contributor(f"importance-{n}", label="Rents rise") for n in (1, 2))),
        SCU("2", "Wages rise", (Contributor("importance-1", label="Wages rise"),)),
    )
    assert weights(topic) == {"1": 2, "2": 1, "3": 2}


def test_the_weights_of_vital_and_okay_can_be_chosen() -> None:
    assert weights(read(created(), vital="3", okay="2")) == {"1": 3, "2": 2, "3": 3}
    assert weights(read(created(), vital=1, okay=0)) == {"1": 1, "3": 1}
    assert weights(read(created(), vital=0, okay=20)) == {"2": 20}
    for wrong in ("-1", "21", "two", "1.5", "", 1.5, "²"):
        with pytest.raises(PyramidionError, match=r"The option vital is .*; give a whole number from 0 to 20"):
            read(created(), vital=wrong)


def test_nuggets_of_trec_rag_have_further_fields_and_no_query() -> None:
    nugget = {"text": "Rents rise", "importance": "vital", "mapped_sub_narrative": "x", "source": "post-edit"}
    assert weights(read({"qid": 21, "nuggets": [nugget]})) == {"1": 2}


def test_a_failed_importance_counts_as_okay() -> None:
    with pytest.warns(
        InputWarning, match=r"^n\.jsonl: The importance of 1 nugget\(s\) is 'failed'; they count as okay"
    ):
        assert weights(read(created(nuggets=[{"text": "Rents rise", "importance": "failed"}]))) == {"1": 1}


def test_support_is_a_match_and_partial_support_only_noted() -> None:
    topic = read(ASSIGNED)
    peer = Summary("run-a", "By run-a.", "peer")
    assert topic.peers == (peer,)
    assert topic.annotations == (Annotation(peer, (Match("1"),), partial=("2",)),)


def test_partial_support_can_be_half_a_match() -> None:
    (annotation,) = read(ASSIGNED, partial="match").annotations
    assert annotation.matches == (Match("1"), Match("2", score=0.5))
    assert annotation.partial == ()


def test_nuggets_without_weight_are_matched_by_nobody() -> None:
    (annotation,) = read(assigned("support", "support", "support"), okay=0).annotations
    assert annotation.expressed == ("1", "3")


def test_a_failed_assignment_is_noted_and_no_match() -> None:
    with pytest.warns(InputWarning, match=r"^n\.jsonl: 1 assignment\(s\) 'failed'"):
        (annotation,) = read(assigned("support", "failed", "not_support")).annotations
    assert annotation.unjudged == (("2", "no answer"),)


def test_runs_of_one_query_join_one_topic() -> None:
    topic = read(created(), ASSIGNED, assigned("not_support", "support", "not_support", run="run-b"))
    assert [(annotation.summary.id, annotation.expressed) for annotation in topic.annotations] == [
        ("run-a", ("1",)),
        ("run-b", ("2",)),
    ]


def test_the_retrieval_mode_names_passages_instead_of_runs() -> None:
    passage = {
        "text": "what rises",
        "qid": "q1",
        "candidate_text": "Rents.",
        "docid": "doc#4",
        "nuggets": ASSIGNED["nuggets"],
    }
    assert read(passage).peers == (Summary("doc#4", "Rents.", "peer"),)


def test_an_answer_that_was_not_assigned_yet_is_a_peer_without_annotation() -> None:
    topic = read(created(run_id="run-a", answer_text="x"))
    assert (len(topic.peers), len(topic.annotations)) == (1, 0)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([created(), created(nuggets=created()["nuggets"][:2])], "2: The nuggets of 'q1' are not those of line 1"),
        ([ASSIGNED, ASSIGNED], "2: 'run-a' has a second answer to 'q1'"),
        ([ASSIGNED | {"run_id": None}], "1: The answer to 'q1' has no run_id"),
        ([ASSIGNED | {"answer_text": None}], "1: The answer to 'q1' has no answer_text"),
        (
            [ASSIGNED | {"nuggets": [*ASSIGNED["nuggets"], created()["nuggets"][0]]}],
            "1: Nugget 4 has no assignment, but others have one",
        ),
        (
            [created(nuggets=[{"text": "x", "importance": "high"}])],
            r"1: \$.nuggets\[0\].importance: Invalid enum value 'high'",
        ),
        ([created(nuggets=[{"text": "x"}])], r"1: \$.nuggets\[0\]: Object missing required field 'importance'"),
        ([created(qid=None)], r"1: \$.qid: Expected .*, got 'null'"),
    ],
)
def test_errors_say_where(records: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(FormatError, match=f"^n.jsonl:{message}"):
        read(*records)


def test_sniffing(tmp_path: Path) -> None:
    for record in (created(), ASSIGNED):
        (tmp_path / "x.jsonl").write_text(lines(record))
        assert sniff(tmp_path / "x.jsonl") == "nuggetizer"
        assert nuggetizer.load(tmp_path / "x.jsonl")[0].id == "q1"
    assert not nuggetizer.sniff(tmp_path, b'{"qid": "q1", "strict_vital_score": 0.5}\n')


def test_created_and_assigned_lines_come_back(tmp_path: Path) -> None:
    topic = read(created())
    dump([topic], tmp_path / "created.jsonl", "nuggetizer", strict=True)
    assert json.loads((tmp_path / "created.jsonl").read_text()) == created()
    for partial in ("match", "miss"):
        topic = read(ASSIGNED, partial=partial)
        dump([topic], tmp_path / "assigned.jsonl", "nuggetizer", strict=True)
        assert json.loads((tmp_path / "assigned.jsonl").read_text()) == ASSIGNED
        assert nuggetizer.load(tmp_path / "assigned.jsonl", partial=partial) == [topic]


def test_the_kind_and_the_weight_of_vital_can_be_chosen() -> None:
    topic = read(ASSIGNED, vital=3, okay=2)
    record = json.loads(nuggetizer.dumps([topic], kind="create", vital="3"))
    assert record == created()
    with pytest.raises(FormatError, match="No topic has a pyramid and an annotated peer"):
        nuggetizer.dumps([read(created())], kind="assign")
    with pytest.raises(FormatError, match="No topic has a pyramid; build"):
        nuggetizer.dumps([Topic("t")])


def test_what_nuggets_cannot_hold_is_listed() -> None:
    references = (Summary("A", "a cat"), Summary("B", ""), Summary("C", ""))
    contributors = (Contributor("A", (Span(0, 1),), comment="sure"), Contributor("B", label="cats"), Contributor("C"))
    pyramid = Pyramid("t", references, (SCU("7", "Cats", contributors),))
    peers = (Summary("p", "x", "peer"), Summary("q", "y", "peer"))
    annotations = (
        Annotation(
            peers[0], (Match("7", (Span(0, 1),)), Match("7", score=0.9)), (Contributor("p"),), "ann", (("7", "hm"),)
        ),
        Annotation(peers[0], annotator="bob"),
    )
    full = Topic("t", references, peers, (Source("1", "x"),), pyramid, annotations)
    bare = replace(read(created()), annotations=())
    assert nuggetizer.losses([full, bare, Topic("u")], Path("n.jsonl")) == [
        "topic 't': 3 reference(s): 'A', 'B', 'C'; 2 other(s) come back",
        "topic 't': 1 peer(s): 'q'",
        "topic 't': 1 source document(s): '1'",
        "topic 't': the id of 1 SCU(s) (the first: '7' becomes '1')",
        "topic 't': the number of contributors of 1 SCU(s) (the first: 3 becomes 2)",
        "topic 't': the summary of 2 contributor(s) (the first: 'A' becomes 'importance-1')",
        "topic 't': the spans of 1 contributor(s) (the first: 0-1 becomes nowhere)",
        "topic 't': the label of 1 contributor(s) (the first: 'cats' becomes '')",
        "topic 't': the comment of 1 contributor(s) (the first: 'sure' becomes '')",
        "topic 't': 2 annotation(s): 'p by ann', 'p by bob'",
        "topic 'q1': everything: nothing of it can be written",
        "topic 'u': everything: nothing of it can be written",
    ]
    record = json.loads(nuggetizer.dumps([full]))
    assert record["nuggets"] == [{"text": "Cats", "importance": "vital", "assignment": "support"}]
    assert record["response_length"] == 1


@pytest.mark.filterwarnings("ignore:.*'failed'; they count neither as answers:pyramidion.errors.InputWarning")
@given(topics())
def test_what_is_written_can_be_read_again(topic: Topic) -> None:
    for kind in nuggetizer.KINDS:
        try:
            written = nuggetizer.dumps([topic], kind=kind)
        except FormatError:
            continue
        assert nuggetizer.dumps(nuggetizer.loads(written), kind=kind) == written


UNDAMAGED = st.text(st.characters(codec="utf-8", exclude_characters="\ufffd"), max_size=9)
"""Any text but the sign of an earlier damage, of which a reader warns."""


@given(
    st.lists(st.tuples(UNDAMAGED, st.sampled_from(["vital", "okay"])), max_size=6),
    st.sampled_from(["match", "miss"]),
    st.data(),
)
def test_what_was_read_is_written_without_loss(
    nuggets: list[tuple[str, str]], partial: str, data: st.DataObject
) -> None:
    labels = st.sampled_from(["support", "partial_support", "not_support"])
    records = [
        created(
            qid=qid,
            run_id=run,
            answer_text=data.draw(UNDAMAGED),
            nuggets=[
                {"text": text, "importance": importance, "assignment": data.draw(labels)}
                for text, importance in nuggets
            ],
        )
        for qid in ("q1", "q2")
        for run in ("a", "b")
    ]
    read = nuggetizer.loads(lines(*records), partial=partial)
    assert nuggetizer.losses(read, Path("n.jsonl")) == []
    assert nuggetizer.loads(nuggetizer.dumps(read), partial=partial) == read


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    only_our_errors(lambda: nuggetizer.loads(data))


@given(mutated(lines(created(), ASSIGNED, assigned("support", "failed", "support", run="b")).encode()))
def test_damaged_documents(data: bytes) -> None:
    only_our_errors(lambda: nuggetizer.loads(data))
