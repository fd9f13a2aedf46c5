"""Corrections that a report saved, brought to a topic of the studio."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pyramidion.corrections import (
    Correction,
    Corrections,
    Drop,
    Judge,
    Merge,
    Rename,
    TopicCorrections,
    Verdict,
    digest,
    dumps,
)
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.scoring import scores
from pyramidion.studio.accounts import CONSENSUS, Account
from pyramidion.studio.log import operations
from pyramidion.studio.log.annotation_edits import AddMatch
from pyramidion.studio.log.correction_edits import ApplyCorrections, edit_of
from pyramidion.studio.log.documents import Document, Reader, document_of
from pyramidion.studio.log.edits import Operation, OperationError, conflict
from pyramidion.studio.log.pyramid_edits import AddTexts, DeleteSCU, SetComment, SetLabel
from pyramidion.studio.workspace import Workspace
from tests.studio.desk import PASSWORD, Visitor, opened

TEXT = "The dam broke. Nobody was hurt."
PEER = "A dam broke, ten were hurt."
PYRAMID = Pyramid(
    "dam",
    (Summary("A", TEXT), Summary("B", "A dam burst.")),
    (
        SCU("1", "A dam broke", (Contributor("A", (Span(0, 13),)), Contributor("B", (Span(0, 11),)))),
        SCU("2", "Nobody was hurt", (Contributor("A", (Span(15, 30),)),)),
        SCU("3", "It burst", (Contributor("B", (Span(6, 11),)),)),
    ),
)
BOB = Annotation(Summary("p", PEER, "peer"), (Match("1", (Span(0, 11),)), Match("3", (Span(6, 11),))), annotator="bob")
TOPIC = Topic("dam", PYRAMID.references, (BOB.summary, Summary("q", TEXT, "peer")), pyramid=PYRAMID, annotations=(BOB,))


def verdict(idea: str, said: Verdict, annotator: str = "", text: str = PEER) -> Judge:
    return Judge("p", digest(text), idea, said, annotator)


def saved(*corrections: Correction, pyramid: Pyramid = PYRAMID) -> Corrections:
    return Corrections(topics=(TopicCorrections.of(pyramid, corrections),))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = opened(tmp_path)
    yield made
    made.close()


@pytest.fixture
def people(workspace: Workspace) -> dict[str, Account]:
    made = {
        name: workspace.accounts.add(name, PASSWORD, admin=name == "admin") for name in ("admin", "ann", "bob", "eve")
    }
    project = workspace.add_project("Class", owner=made["admin"])
    workspace.accounts.set_role(project, made["ann"].id, "annotator")
    workspace.accounts.set_role(project, made["bob"].id, "annotator")
    workspace.accounts.set_role(project, made["eve"].id, "viewer")
    return made


@pytest.fixture
def topic(workspace: Workspace, people: dict[str, Account]) -> str:
    (project,) = workspace.projects(people["admin"])
    return workspace.store.add(project.id, TOPIC)


def bring(visitor: Visitor, topic: str, file: Corrections | bytes) -> Any:
    data = file if isinstance(file, bytes) else dumps(file)
    return visitor.upload(f"/topics/{topic}/corrections", {"corrections.json": data})


def labels(document: Document) -> dict[str, str]:
    return {scu.id: scu.label for scu in document.pyramid.scus}


def test_the_scores_are_those_of_evaluate_with_the_same_file() -> None:
    (topic, *_) = example()
    assert topic.pyramid is not None
    first, second, third, fourth, *_ = topic.pyramid.scus
    made: list[Correction] = [Rename(first.id, "Another label"), Merge(second.id, first.id), Drop(third.id)]
    for peer in topic.peers:
        made += [
            Judge(peer.id, digest(peer.text), first.id, "missing"),
            Judge(peer.id, digest(peer.text), fourth.id, "found"),
        ]
    file = saved(*made, pyramid=topic.pyramid)
    document = operations.apply(document_of(topic), edit_of(file, topic, ""))
    results = evaluate([topic], "manual", corrections=file).results
    expected = {one.scores.summary: one.scores for one in results if one.scores.role == "peer"}
    assert len(expected) == len(topic.peers)
    for peer, wanted in expected.items():
        found = scores(document.pyramid, document.annotation(Reader(peer)))
        assert (found.raw, found.coverage, found.quality) == (wanted.raw, wanted.coverage, wanted.quality)
    assert labels(document)[first.id] == "Another label"


def test_a_file_is_one_edit_that_one_undo_takes_back(
    workspace: Workspace, people: dict[str, Account], topic: str
) -> None:
    ann = Visitor(workspace).log_in(people["ann"])
    page = ann.get(f"/topics/{topic}").text
    assert f'data-to="/topics/{topic}/corrections"' in page
    file = saved(Rename("1", "The dam broke"), verdict("2", "contradicted"), verdict("1", "found"), Merge("3", "1"))
    answer = bring(ann, topic, file)
    assert (answer.status_code, answer.json()) == (200, {"link": f"/topics/{topic}", "warnings": []})
    after = workspace.store.state(topic).document
    assert labels(after) == {"1": "The dam broke", "2": "Nobody was hurt"}
    assert [match.scu for match in after.annotation(Reader("p", "bob")).matches] == ["1", "1"]
    own = after.annotation(Reader("p", "ann"))
    assert (own.matches, own.contradicted) == ((Match("1"),), (Contradiction("2"),))
    again = opened(workspace.folder)  # what another process reads
    try:
        assert again.store.state(topic).document == after
    finally:
        again.close()
    assert len(workspace.store.log(topic)) == 1
    ann.post(f"/topics/{topic}/undo")
    assert workspace.store.state(topic).document == document_of(TOPIC)
    ann.post(f"/topics/{topic}/redo")
    assert workspace.store.state(topic).document == after


def test_verdicts_change_the_readers_own_annotation_alone(
    workspace: Workspace, people: dict[str, Account], topic: str
) -> None:
    bob = Visitor(workspace).log_in(people["bob"])
    assert bring(bob, topic, saved(verdict("3", "missing"), verdict("2", "found", "bob"))).status_code == 200
    document = workspace.store.state(topic).document
    (annotation,) = document.topic.annotations
    assert (annotation.annotator, [match.scu for match in annotation.matches]) == ("bob", ["1", "2"])
    assert [unit.spans for unit in annotation.unmatched] == [(Span(6, 11),)]  # the words that were struck
    ann = Visitor(workspace).log_in(people["ann"])
    answer = bring(ann, topic, saved(verdict("3", "found", "bob")))
    assert (answer.status_code, answer.json()["error"]) == (
        422,
        "The file corrects what 'bob' found in 'p', and you annotate under your own name only; leave this file to "
        "them, or correct the report of a program.",
    )
    assert workspace.store.state(topic).document == document


def test_the_consensus_is_the_owners(workspace: Workspace, people: dict[str, Account], topic: str) -> None:
    file = saved(verdict("1", "found", CONSENSUS))
    assert bring(Visitor(workspace).log_in(people["ann"]), topic, file).status_code == 422
    assert bring(Visitor(workspace).log_in(people["admin"]), topic, file).status_code == 200
    assert workspace.store.state(topic).document.annotation(Reader("p", CONSENSUS)).matches == (Match("1"),)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (saved(Drop("1"), pyramid=Pyramid("dam", PYRAMID.references, PYRAMID.scus[:1])), "do not know the idea '2'"),
        (saved(verdict("1", "found", text="Another text.")), "The text of summary 'p' of topic 'dam' is not the one"),
        (saved(Judge("z", "", "1", "found")), "Topic 'dam' has no summary 'z', but there are corrections of it"),
        (saved(Drop("1"), Rename("1", "x")), "which an earlier one took away"),
        (saved(Drop("1"), pyramid=Pyramid("lake", PYRAMID.references, PYRAMID.scus)), "corrections of topic 'lake'"),
        (saved(), "The file has no correction"),
        (b'{"topics": []}', "corrections.json: This is no file of corrections"),
        (b"\xff", "corrections.json"),
    ],
)
def test_a_file_for_something_else_is_refused_and_changes_nothing(
    workspace: Workspace, people: dict[str, Account], topic: str, file: Corrections | bytes, why: str
) -> None:
    answer = bring(Visitor(workspace).log_in(people["ann"]), topic, file)
    assert answer.status_code == 422
    assert why in answer.json()["error"]
    assert workspace.store.version(topic) == 0


def test_one_file_is_brought_by_those_who_may_edit(
    workspace: Workspace, people: dict[str, Account], topic: str
) -> None:
    file = dumps(saved(Drop("1")))
    eve, ann = Visitor(workspace).log_in(people["eve"]), Visitor(workspace).log_in(people["ann"])
    assert "/corrections" not in eve.get(f"/topics/{topic}").text
    assert bring(eve, topic, file).status_code == 403
    assert ann.upload(f"/topics/{topic}/corrections", {"a.json": file, "b.json": file}).status_code == 422
    assert ann.edit(topic, "ApplyCorrections", {"corrections": [{"do": "drop", "idea": "1"}]}).status_code == 422
    assert workspace.store.version(topic) == 0


def test_other_topics_of_the_file_are_named(workspace: Workspace, people: dict[str, Account], topic: str) -> None:
    lake = TopicCorrections.of(Pyramid("lake", PYRAMID.references, PYRAMID.scus), [Drop("1")])
    file = Corrections(topics=(*saved(Drop("3")).topics, lake))
    answer = bring(Visitor(workspace).log_in(people["ann"]), topic, file)
    assert answer.json()["warnings"] == ["The file also corrects the topic 'lake'; drop it there, too."]
    assert set(labels(workspace.store.state(topic).document)) == {"1", "2"}


@pytest.mark.parametrize(
    ("corrections", "other", "conflicts"),
    [
        ([Rename("1", "x")], SetLabel("1", "y"), True),
        ([Rename("1", "x")], SetComment("1", "y"), False),
        ([Drop("1")], SetComment("1", "y"), True),
        ([Merge("2", "1")], SetLabel("1", "y"), True),
        ([Merge("2", "1")], DeleteSCU("3"), False),
        ([verdict("1", "found", "ann")], AddMatch(Reader("p", "ann"), "1"), True),
        ([verdict("1", "found", "ann")], AddMatch(Reader("p", "bob"), "1"), False),
        ([verdict("1", "found", "ann")], AddMatch(Reader("p", "ann"), "2"), False),
    ],
)
def test_they_get_in_the_way_of_edits_of_the_same_parts(
    corrections: list[Correction], other: Operation, conflicts: bool
) -> None:
    edit = ApplyCorrections(tuple(corrections))
    assert conflict(edit, other) == conflict(other, edit) == conflicts
    assert operations.decode(*operations.encode(edit)) == edit


def test_a_page_that_is_older_than_the_corrections_is_told_so(
    workspace: Workspace, people: dict[str, Account], topic: str
) -> None:
    bring(Visitor(workspace).log_in(people["ann"]), topic, saved(Rename("1", "The dam broke")))
    late = Visitor(workspace).log_in(people["bob"]).edit(topic, "SetLabel", {"scu": "1", "label": "late"}, base=0)
    assert (late.status_code, late.json()["error"].startswith("ann has meanwhile changed")) == (409, True)


def test_what_corrections_build_on_cannot_be_undone_below_them(
    workspace: Workspace, people: dict[str, Account], topic: str
) -> None:
    store = workspace.store
    store.edit(topic, AddTexts(peers=(Summary("r", TEXT, "peer"),)), "bob", 0)
    store.edit(topic, SetLabel("2", "No one was hurt"), "admin", 1)
    pyramid = store.state(topic).document.pyramid
    file = saved(Judge("r", digest(TEXT), "1", "found"), Rename("1", "x"), pyramid=pyramid)
    assert bring(Visitor(workspace).log_in(people["ann"]), topic, file).status_code == 200
    with pytest.raises(OperationError, match="undo those first"):
        store.undo(topic, "bob")
    assert labels(store.undo(topic, "admin").document) == {"1": "x", "2": "Nobody was hurt", "3": "It burst"}


def test_the_history_hides_verdicts_from_those_who_annotate_independently(
    workspace: Workspace, people: dict[str, Account], topic: str
) -> None:
    ann, bob = Visitor(workspace).log_in(people["ann"]), Visitor(workspace).log_in(people["bob"])
    bring(ann, topic, saved(verdict("2", "found"), Rename("1", "The dam broke")))
    bring(ann, topic, saved(verdict("2", "missing"), pyramid=workspace.store.state(topic).document.pyramid))
    seen = [reader.get(f"/topics/{topic}/log").text for reader in (ann, bob)]
    assert [(text.count("ApplyCorrections"), text.count("rename"), text.count("verdict&#34;")) for text in seen] == [
        (2, 1, 2),
        (1, 1, 0),
    ]
