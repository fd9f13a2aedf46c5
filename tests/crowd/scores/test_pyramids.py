"""A crowd's decisions as topics, and merged statements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.judging.aggregate import majority, mean
from pyramidion.crowd.scores.pyramids import CROWD, topics, unlike
from pyramidion.crowd.scores.scoring import score
from pyramidion.crowd.statements.merging import ReferenceStatement, doubtful, merge_statements
from pyramidion.crowd.study import Study
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.formats import dumps, loads
from pyramidion.formats.mturk_ratings import REFERENCE
from tests.crowd.ballots import crowd, study, votes


def test_statements_are_scus_of_weight_1_and_present_ones_are_matched() -> None:
    given = votes({("a", "s"): ["ppn?", "pnn?", "ppp?"]})
    [topic] = topics(given, majority(given))
    assert topic.pyramid is not None
    assert [(scu.id, scu.label, scu.weight) for scu in topic.pyramid.scus] == [
        (str(number), f"a has fact {number}.", 1) for number in range(4)
    ]
    assert [reference.id for reference in topic.references] == [REFERENCE]
    [annotation] = topic.annotations
    assert (annotation.annotator, annotation.summary.text) == (CROWD, "What s says of a.")
    assert [(match.scu, match.score) for match in annotation.matches] == [("0", 1.0), ("1", pytest.approx(2 / 3))]
    assert annotation.unjudged == (("3", "no answer"),)


def test_a_study_tells_references_texts_and_who_said_nothing() -> None:
    given = votes({("a", "s"): ["pppn"] * 3, ("a", "mute"): ["pnnn"] * 3})
    [topic] = topics(given, majority(given), study())
    assert topic.pyramid is not None
    assert [scu.contributors[0].summary for scu in topic.pyramid.scus] == ["r1", "r2", "r1", "r2"]
    assert [reference.text for reference in topic.references] == ["Reference one.", "Reference two."]
    assert {one.summary.id: len(one.matches) for one in topic.annotations} == {"s": 3, "mute": 0}


def test_a_summary_without_text_is_annotated_though_nobody_was_asked() -> None:
    """Its score is 0, so its recall is; without an annotation its system would be scored on fewer topics."""
    given = votes({("a", "s"): ["pppn"] * 3})
    decisions = majority(given)
    [topic] = topics(given, decisions, study())
    assert {one.summary.id: len(one.matches) for one in topic.annotations} == {"s": 3, "mute": 0}
    assert unlike([topic], score(given, decisions, study=study(), samples=0).summaries) == 0


def test_votes_on_a_summary_that_the_study_does_not_have_count() -> None:
    given = votes({("a", "new"): ["pppn"] * 3})
    nameless = replace(given, texts={})
    [topic] = topics(nameless, majority(nameless), study())
    assert {one.summary.id: len(one.matches) for one in topic.annotations}["new"] == 3


def test_where_recall_is_not_the_score_is_counted() -> None:
    given = votes({("a", "s"): ["pp", "pn", "pn"], ("a", "t"): ["pp", "p?", "p?"], ("a", "u"): ["p-", "p-", "p-"]})
    plain, degrees = majority(given), mean(given)
    made = topics(given, plain)
    assert unlike(made, score(given, plain, samples=0).summaries) == 1  # u: 1 of 1 decided, 1 of 2 statements
    assert unlike(topics(given, degrees), score(given, degrees, samples=0).summaries) == 2


def test_the_order_of_statements_is_that_of_their_numbers() -> None:
    given = votes({("a", "s"): ["p" * 12]})
    [topic] = topics(given, majority(given))
    assert topic.pyramid is not None
    assert [scu.id for scu in topic.pyramid.scus] == [str(number) for number in range(12)]


def test_recall_is_the_crowds_score() -> None:
    given = votes(crowd({"a": 0.3, "b": 0.6, "c": 0.8}, topics=6))
    decisions = majority(given)
    found = score(given, decisions, samples=0)
    evaluation = evaluate(topics(given, decisions), "manual")
    recall = {(one.scores.topic, one.scores.summary): one.scores.recall for one in evaluation.results}
    assert recall == {(one.topic, one.system): pytest.approx(one.score) for one in found.summaries}
    assert {one.system: one.means["recall"] for one in evaluation.systems} == {
        one.system: pytest.approx(one.mean) for one in found.systems
    }
    assert {one.system: one.means["coverage"] for one in evaluation.systems} == {
        one.system: pytest.approx(one.mean) for one in found.systems
    }


def test_topics_survive_a_file() -> None:
    given = votes(crowd({"a": 0.3, "b": 0.6}, topics=2))
    made = topics(given, majority(given), study(("t00", "t01"), {"a": "A text.", "b": "Another."}, 8))
    assert loads(dumps(made, "json"), "json") == made


# Merging


BRIDGES = (
    ReferenceStatement("r1", "The bridge was closed.", "1"),
    ReferenceStatement("r2", "They closed the bridge.", "2"),
    ReferenceStatement("r2", "A ferry sank in the storm.", "3"),
    ReferenceStatement("r3", "They closed the bridge ...", "4"),
    ReferenceStatement("r1", "The bridge is closed now.", "5"),
)


def ids(groups: list[list[ReferenceStatement]]) -> set[frozenset[str]]:
    return {frozenset(one.id for one in group) for group in groups}


def test_statements_of_different_references_that_say_the_same_are_one() -> None:
    found = merge_statements(BRIDGES[:4])
    assert [[one.id for one in group] for group in found] == [["1", "2", "4"], ["3"]]


def test_a_group_has_one_statement_a_reference_and_every_two_are_alike() -> None:
    found = merge_statements(BRIDGES)
    for group in found:
        assert len({one.reference for one in group}) == len(group)
    assert len(found) == 3
    assert ids(merge_statements(BRIDGES, 1.01)) == {frozenset({one.id}) for one in BRIDGES}


@given(st.permutations(range(len(BRIDGES))))
def test_neither_order_nor_ids_decide_what_is_merged(order: list[int]) -> None:
    assert ids(merge_statements([BRIDGES[place] for place in order])) == ids(merge_statements(BRIDGES))
    renamed = [replaced._replace(id=str(9 - int(replaced.id))) for replaced in BRIDGES]
    assert {frozenset(str(9 - int(one)) for one in group) for group in ids(merge_statements(renamed))} == ids(
        merge_statements(BRIDGES)
    )


def test_names_of_references_do_not_decide_what_is_merged() -> None:
    """The second is as alike to the first as to the third, which are not alike enough for one unit."""
    said = ("The old wooden bridge was closed.", "The bridge was closed.", "The new steel bridge was closed.")
    one, other = (
        ids(merge_statements([ReferenceStatement(name, text, text) for name, text in zip(names, said, strict=True)]))
        for names in ("ABC", "CBA")
    )
    assert one == other
    assert len(one) == 2


def bridges() -> Study:
    made = study(statements=3)
    said = ("The bridge was closed.", "They closed the bridge.", "A ferry sank.")
    return replace(
        made,
        statements=tuple(replace(one, text=text) for one, text in zip(made.statements, said, strict=True)),
    )


def test_a_merged_unit_weighs_its_references_and_is_present_by_the_mean_of_its_votes() -> None:
    given = votes({("a", "s"): ["pnn", "pnn", "ppn"]})
    [topic] = topics(given, majority(given), bridges(), merge=True)
    assert topic.pyramid is not None
    assert [(scu.label, scu.weight) for scu in topic.pyramid.scus] == [
        ("The bridge was closed.", 2),
        ("A ferry sank.", 1),
    ]
    annotation = topic.annotations[0]
    assert [(match.scu, match.score) for match in annotation.matches] == [("0", pytest.approx(2 / 3))]  # (1 + 1/3) / 2


def test_what_one_reference_denies_is_never_merged_with_what_another_says() -> None:
    said = [
        ReferenceStatement("r1", "The mayor did not resign.", "1"),
        ReferenceStatement("r2", "The mayor resigned.", "2"),
    ]
    assert merge_statements(said) == [[said[0]], [said[1]]]
    (doubt,) = doubtful(said)
    assert (doubt.first, doubt.second, doubt.difference) == (said[0], said[1], "not")
    assert doubtful([said[0], said[1]._replace(reference="r1")]) == []  # of one reference nothing is merged anyway


def test_a_pair_that_a_person_must_decide_is_named() -> None:
    made = study(statements=2)
    said = ("The mayor did not resign.", "The mayor resigned.")
    denied = replace(
        made, statements=tuple(replace(one, text=text) for one, text in zip(made.statements, said, strict=True))
    )
    given = votes({("a", "s"): ["pn", "pn", "pn"]})
    with pytest.warns(InputWarning, match=r"1 pair\(s\) of statements .* not merged: topic 'a', .* \(not\); merge by"):
        [topic] = topics(given, majority(given), denied, merge=True)
    assert topic.pyramid is not None
    assert [(scu.label, scu.weight) for scu in topic.pyramid.scus] == [(said[0], 1), (said[1], 1)]


def test_a_tie_of_merged_statements_is_not_present() -> None:
    given = votes({("a", "s"): ["pnn", "pnn"]})
    [topic] = topics(given, majority(given), bridges(), merge=True)
    assert topic.annotations[0].matches == ()


def test_merging_without_references_is_refused() -> None:
    given = votes({("a", "s"): ["pp"]})
    with pytest.raises(PyramidionError, match="the references are not known"):
        topics(given, majority(given), merge=True)
    single = study(statements=2)
    one = replace(single.topics[0], references=single.topics[0].references[:1])
    alone = replace(single, topics=(one,), statements=())
    with pytest.raises(PyramidionError, match="two references or more"):
        topics(given, majority(given), alone, merge=True)


def test_values_that_are_degrees_are_matched_above_one_half() -> None:
    given = votes({("a", "s"): ["pn", "pn", "np"]})
    decisions = replace(majority(given), probability=np.array([0.51, 0.5]))
    [topic] = topics(given, decisions)
    assert [match.scu for match in topic.annotations[0].matches] == ["0"]
