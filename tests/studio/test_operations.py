"""What each edit does to a document, and which edits get in each other's way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.examples import example
from pyramidion.model import Annotation, Span, Summary, Topic
from pyramidion.scoring import scores
from pyramidion.studio.log import documents, operations
from pyramidion.studio.log.annotation_edits import (
    AddMatch,
    RefuseSuggestion,
    RemoveMatch,
    SetContradiction,
    SetDone,
    SetRemark,
    SetUnmatched,
    TakeAnnotation,
)
from pyramidion.studio.log.documents import Document, Reader, Refusal, document_of
from pyramidion.studio.log.edits import Operation, OperationError, Words, conflict
from pyramidion.studio.log.pyramid_edits import (
    AddContributor,
    AddSCU,
    AddTexts,
    DeleteSCU,
    MergeSCUs,
    MoveContributor,
    RemoveContributor,
    SetComment,
    SetContributorWords,
    SetLabel,
    SplitSCU,
)

A, B = "The dam broke. Nobody was hurt.", "A dam burst on Monday."
PEER = "On Monday a dam broke; ten were hurt."
READER = Reader("p", "ann")


def start() -> Document:
    return document_of(Topic("t", (Summary("A", A), Summary("B", B)), (Summary("p", PEER, "peer"),)))


def words(summary: str, *spans: tuple[int, int]) -> Words:
    return Words(summary, tuple(Span(*span) for span in spans))


def after(*edits: Operation) -> Document:
    document = start()
    for edit in edits:
        document = operations.apply(document, edit)
    return document


DAM = AddSCU(words("A", (0, 13)), "A dam broke", "1")
HURT = AddSCU(words("A", (15, 30)), "Nobody was hurt", "2")
MONDAY = AddSCU(words("B", (12, 21)), "It was Monday", "3")


def test_words_of_two_references_make_an_scu_of_weight_two() -> None:
    document = after(DAM, AddContributor("1", words("B", (0, 11))))
    (scu,) = document.pyramid.scus
    assert (scu.label, scu.weight) == ("A dam broke", 2)
    assert [document.pyramid.words(one) for one in scu.contributors] == ["The dam broke", "A dam burst"]


def test_an_scu_without_a_label_is_called_by_its_words() -> None:
    assert after(AddSCU(words("A", (0, 7), (15, 21)), id="1")).pyramid.scus[0].label == "The dam...Nobody"


def test_the_same_words_are_added_once() -> None:
    with pytest.raises(OperationError, match="already"):
        after(DAM, AddContributor("1", words("A", (0, 13))))


def test_words_move_and_an_scu_without_words_is_gone() -> None:
    document = after(DAM, HURT, MoveContributor("2", words("A", (15, 30)), "1"))
    assert [(scu.id, len(scu.contributors), scu.weight) for scu in document.pyramid.scus] == [("1", 2, 1)]
    assert after(DAM, RemoveContributor("1", words("A", (0, 13)))).pyramid.scus == ()


def test_a_contributor_gets_other_words() -> None:
    document = after(DAM, SetContributorWords("1", words("A", (0, 13)), (Span(4, 13),)))
    assert document.pyramid.words(document.pyramid.scus[0].contributors[0]) == "dam broke"


def test_merging_keeps_the_second_label_and_what_peers_say_of_either() -> None:
    said = (AddMatch(READER, "1", (Span(10, 21),)), AddMatch(READER, "3", (Span(0, 9),)))
    document = after(DAM, MONDAY, *said, SetComment("1", "one"), SetComment("3", "two"), MergeSCUs("3", "1"))
    (scu,) = document.pyramid.scus
    assert (scu.id, scu.label, scu.weight, scu.comment) == ("1", "A dam broke", 2, "one\ntwo")
    assert [match.scu for match in document.annotation(READER).matches] == ["1", "1"]


def test_merging_what_is_said_with_what_is_contradicted_leaves_it_said() -> None:
    denied = (SetContradiction(READER, "2", (Span(23, 36),)), AddMatch(READER, "1", (Span(10, 21),)))
    annotation = after(DAM, HURT, *denied, MergeSCUs("2", "1")).annotation(READER)
    assert ([match.scu for match in annotation.matches], annotation.contradicted) == (["1"], ())


def test_splitting_moves_some_words_right_behind() -> None:
    document = after(
        DAM, AddContributor("1", words("B", (0, 11))), HURT, SplitSCU("1", (words("B", (0, 11)),), "Burst", "9")
    )
    assert [(scu.id, scu.label, scu.weight) for scu in document.pyramid.scus] == [
        ("1", "A dam broke", 1), ("9", "Burst", 1), ("2", "Nobody was hurt", 1),
    ]  # fmt: skip
    with pytest.raises(OperationError, match="not all"):
        after(DAM, SplitSCU("1", (words("A", (0, 13)),), "", "9"))


def test_deleting_an_scu_leaves_what_a_peer_said_of_it_as_content_in_no_scu() -> None:
    annotation = after(DAM, AddMatch(READER, "1", (Span(10, 21),)), DeleteSCU("1")).annotation(READER)
    assert (annotation.matches, [unit.spans for unit in annotation.unmatched]) == ((), [(Span(10, 21),)])


def test_an_scu_has_one_verdict() -> None:
    document = after(HURT, AddMatch(READER, "2", (Span(23, 36),)), SetContradiction(READER, "2", (Span(23, 36),)))
    annotation = document.annotation(READER)
    assert (annotation.matches, [one.scu for one in annotation.contradicted]) == ((), ["2"])
    again = operations.apply(document, AddMatch(READER, "2", (Span(23, 36),))).annotation(READER)
    assert ([one.scu for one in again.matches], again.contradicted) == (["2"], ())


def test_repeated_expressions_and_content_in_no_scu_count_towards_the_size() -> None:
    document = after(
        DAM,
        AddMatch(READER, "1", (Span(10, 21),)),
        AddMatch(READER, "1", (Span(12, 21),)),
        SetUnmatched(READER, (Span(23, 36),)),
    )
    found = scores(document.pyramid, document.annotation(READER))
    assert (found.scus, found.repeated, found.unmatched, found.size) == (1, 1, 1, 3)
    less = operations.apply(document, RemoveMatch(READER, "1", (Span(12, 21),)))
    less = operations.apply(less, SetUnmatched(READER, (Span(23, 36),), False))
    assert less.annotation(READER).size == 1


def test_a_person_who_edits_a_programs_annotation_decides() -> None:
    document = start()
    guess = Annotation(document.topic.peers[0], annotator="ann", probabilities=(("1", 0.4),), matcher="soft")
    document = operations.apply(document, DAM).with_annotation(guess)
    annotation = operations.apply(document, AddMatch(READER, "1", (Span(10, 21),))).annotation(READER)
    assert (annotation.probabilities, annotation.matcher) == ((), "")


def test_refusals_and_finished_readings_are_kept_and_an_empty_finished_one_counts() -> None:
    document = after(DAM, RefuseSuggestion(READER, "1"), SetDone(READER))
    assert document.refused == {Refusal(READER, "1")}
    assert document.done == {READER}
    assert [one.annotator for one in document.topic.annotations] == ["ann"]
    assert operations.apply(document, SetDone(READER, False)).topic.annotations == ()


def test_remarks_are_set_and_removed() -> None:
    document = after(DAM, SetRemark(READER, "1", "not sure"))
    assert document.annotation(READER).comments == (("1", "not sure"),)
    assert operations.apply(document, SetRemark(READER, "1", " ")).topic.annotations == ()


def test_adjudication_begins_with_one_of_the_readings() -> None:
    document = after(DAM, AddMatch(READER, "1", (Span(10, 21),)), TakeAnnotation(Reader("p", "consensus"), "ann"))
    assert document.annotation(Reader("p", "consensus")).expressed == ("1",)


def test_texts_are_added_with_an_id_of_their_own() -> None:
    document = after(AddTexts((Summary("C", "Water came."),), (Summary("q", "Nothing.", "peer"),)))
    assert [one.id for one in document.pyramid.references] == ["A", "B", "C"]
    with pytest.raises(OperationError, match="'A'"):
        after(AddTexts((Summary("A", "again"),)))


def test_words_outside_a_text_and_empty_labels_are_refused() -> None:
    for wrong in (
        AddSCU(words("A", (0, 99)), "x", "1"),
        AddSCU(words("A"), "x", "1"),
        AddSCU(words("Z", (0, 1)), "x", "1"),
    ):
        with pytest.raises(OperationError):
            after(wrong)
    with pytest.raises(OperationError, match="empty"):
        after(DAM, SetLabel("1", " "))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (SetLabel("1", "x"), SetLabel("1", "y"), True),
        (SetLabel("1", "x"), SetLabel("2", "y"), False),
        (SetLabel("1", "x"), AddContributor("1", words("A", (0, 3))), False),
        (AddContributor("1", words("A", (0, 3))), AddContributor("1", words("B", (0, 3))), False),
        (AddContributor("1", words("A", (0, 3))), AddContributor("1", words("A", (4, 7))), True),
        (SetLabel("1", "x"), DeleteSCU("1"), True),
        (SetLabel("1", "x"), MergeSCUs("2", "1"), True),
        (SplitSCU("1", (), "x", "5"), AddContributor("1", words("B", (0, 3))), True),
        (AddMatch(READER, "1"), AddMatch(Reader("p", "bob"), "1"), False),
        (AddMatch(READER, "1"), SetContradiction(READER, "1"), True),
        (AddMatch(READER, "1"), SetLabel("1", "x"), False),
        (AddSCU(words("A", (0, 3))), AddSCU(words("A", (0, 3))), False),
    ],
)
def test_edits_conflict_where_they_change_the_same_part(one: Operation, other: Operation, expected: bool) -> None:
    assert conflict(one, other) is conflict(other, one) is expected


@pytest.mark.parametrize("topic", example(), ids=lambda topic: topic.id)
def test_documents_come_back_from_json_as_they_were(topic: Topic) -> None:
    document = operations.apply(document_of(topic), RefuseSuggestion(Reader("copy"), topic.pyramid.scus[0].id))  # type: ignore[union-attr]
    document = operations.apply(document, SetDone(Reader("copy")))
    assert documents.decode(documents.encode(document)) == document


def test_operations_come_back_from_json_as_they_were() -> None:
    for operation in (
        DAM,
        SplitSCU("1", (words("B", (0, 11)),)),
        AddMatch(READER, "1", (Span(1, 2),)),
        SetDone(READER),
    ):
        assert operations.decode(*operations.encode(operation)) == operation


@given(st.sampled_from(sorted(operations.KINDS)), st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_what_is_no_operation_is_refused(kind: str, values: bytes) -> None:
    with pytest.raises(OperationError):
        operations.decode(kind, values)


def test_overlong_labels_and_unknown_kinds_are_refused() -> None:
    with pytest.raises(OperationError, match="longer"):
        operations.decode("SetLabel", b'{"scu":"1","label":"%s"}' % (b"x" * 20_001))
    with pytest.raises(OperationError, match="no operation"):
        operations.decode("Explode", b"{}")
