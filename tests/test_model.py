"""The nouns: what they derive, and what they refuse."""

from __future__ import annotations

import dataclasses
import pickle
import warnings
from dataclasses import replace
from math import nan

import pytest
from hypothesis import given

from pyramidion.errors import InputWarning, ModelError
from pyramidion.model import (
    SCU,
    Annotation,
    Contradiction,
    Contributor,
    Match,
    Place,
    Pyramid,
    Source,
    Span,
    Summary,
    Topic,
    unchecked,
)
from tests.strategies import topics

A, B = Summary("A", "Cats sleep all day."), Summary("B", "All day, cats doze.")
SLEEP = SCU("1", "Cats sleep", (Contributor("A", (Span(0, 10),)), Contributor("B", (Span(9, 18),))))
PYRAMID = Pyramid("cats", (A, B), (SLEEP, SCU("2", "All day", (Contributor("A", (Span(11, 18),)),))))


def test_values_are_frozen_slotted_and_hashable() -> None:
    for value in (
        Span(0, 1),
        A,
        SLEEP,
        PYRAMID,
        Match("1"),
        Contradiction("1"),
        Annotation(A),
        Source("1", ""),
        Topic("t"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, dataclasses.fields(value)[0].name, "other")
        assert not hasattr(value, "__dict__")
        assert hash(value) == hash(pickle.loads(pickle.dumps(value)))


def test_weight_counts_distinct_references_and_warns_once_for_the_pyramid() -> None:
    twice = SCU("3", "x", (Contributor("A", (Span(0, 4),)), Contributor("A", (Span(5, 10),)), Contributor("B")))
    again = SCU("4", "x", (Contributor("B"), Contributor("B")))
    with pytest.warns(InputWarning) as caught:
        pyramid = Pyramid("cats", (A, B), (twice, again))
    assert [scu.weight for scu in pyramid.scus] == [2, 1]
    assert len(caught) == 1
    assert "2 SCU(s) have two contributors from one reference (the first: '3')" in str(caught[0].message)


def test_spans_of_a_contributor_stand_in_text_order() -> None:
    assert Contributor("A", (Span(5, 9), Span(0, 2))) == Contributor("A", (Span(0, 2), Span(5, 9)))


def test_tiers_size_order_and_mean() -> None:
    assert {weight: [scu.id for scu in tier] for weight, tier in PYRAMID.tiers.items()} == {2: ["1"], 1: ["2"]}
    assert (PYRAMID.size, PYRAMID.order, PYRAMID.mean_scus_per_reference) == (2, 2, 1.5)
    assert Pyramid("none", (), ()).order == Pyramid("none", (), ()).mean_scus_per_reference == 0


def test_restricting_a_pyramid_drops_what_nobody_else_says() -> None:
    only_b = PYRAMID.restricted_to(["B"])
    assert [(scu.id, scu.weight) for scu in only_b.scus] == [("1", 1)]
    assert [(left_out.id, len(rest.scus)) for left_out, rest in PYRAMID.leave_one_out()] == [("A", 1), ("B", 2)]
    with pytest.raises(ModelError, match="pyramid 'cats' has no reference 'C'"):
        PYRAMID.restricted_to(["C"])


def test_an_annotation_against_a_smaller_pyramid_keeps_its_size() -> None:
    annotation = Annotation(
        Summary("p", "x", "peer"),
        (Match("1"), Match("2", (Span(0, 1),))),
        comments=(("2", "sure?"),),
        probabilities=(("1", 0.75), ("2", 0.5)),
    )
    smaller = annotation.against(PYRAMID.restricted_to(["B"]))
    assert (smaller.expressed, smaller.size) == (("1",), annotation.size)
    assert smaller.unmatched == (Contributor("p", (Span(0, 1),)),)
    assert smaller.comments == ()
    assert smaller.probabilities == (("1", 0.75),)


def test_contradictions_of_what_a_smaller_pyramid_lacks_go_away() -> None:
    denial = Contradiction("1", (Span(0, 1),), 0.75)
    annotation = Annotation(Summary("p", "x", "peer"), contradicted=(denial, Contradiction("2")))
    smaller = annotation.against(PYRAMID.restricted_to(["B"]))
    assert (smaller.contradicted, smaller.unmatched) == ((denial,), ())
    smaller.check(PYRAMID)


def test_spans_of_a_contradiction_stand_in_text_order() -> None:
    assert Contradiction("1", (Span(5, 9), Span(0, 2))) == Contradiction("1", (Span(0, 2), Span(5, 9)))


def test_what_is_known_of_units_is_kept_against_a_smaller_pyramid() -> None:
    annotation = Annotation(
        Summary("p", "x", "peer"),
        (Match("1", segment="1.1.0.0", reason="like A"), Match("2", reason="doze", supported=False)),
        matcher="llm:m",
        unjudged=(("3", "no answer"),),
        partial=("4",),
        labels=(("1", "Cats sleep"), ("2", "All day")),
    )
    only_b = annotation.against(PYRAMID.restricted_to(["B"]))
    assert only_b.matches == annotation.matches[:1]
    assert only_b.unmatched == (Contributor("p", reason="doze", supported=False),)
    assert (only_b.matcher, only_b.unjudged, only_b.partial) == ("llm:m", (), ())
    assert only_b.labels == (("1", "Cats sleep"),)
    third = replace(PYRAMID, scus=(*PYRAMID.scus, replace(SLEEP, id="3"), replace(SLEEP, id="4")))
    assert annotation.against(third) == annotation


def test_a_pyramid_of_fewer_references_keeps_the_source_sentences() -> None:
    extractive = replace(PYRAMID, scus=(replace(SLEEP, sentence="Cats sleep all day, they say."),))
    assert extractive.restricted_to(["A"]).scus[0].sentence == "Cats sleep all day, they say."


PEER = Summary("p", "Cats.", "peer")


def placed(place: Place) -> Pyramid:
    return replace(PYRAMID, scus=(replace(SLEEP, contributors=(Contributor("A", place=place),)),))


def test_a_place_may_be_in_a_source_that_is_not_at_hand() -> None:
    pyramid = placed(Place("other", Span(0, 5)))
    assert Topic("cats", sources=(Source("s", "Cats"),), pyramid=pyramid).pyramid == pyramid


def denying(*contradictions: Contradiction) -> Annotation:
    return Annotation(PEER, contradicted=contradictions)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Span(3, 3), "The span 3-3 is empty"),
        (lambda: Summary("p", None), "Summary 'p' has no text, but None; leave it out"),  # type: ignore[arg-type]
        (lambda: Span(-1, 3), "The span -1-3 is empty or negative"),
        (lambda: SCU("7", "x", ()), "SCU '7' \\('x'\\) has no contributor; add one"),
        (lambda: Pyramid("t", (A, A), ()), "Two references have the id 'A'"),
        (lambda: Pyramid("t", (A, B), (SLEEP, SLEEP)), "Two SCUs have the id '1'"),
        (
            lambda: Pyramid("t", (A,), (SLEEP,)),
            "SCU '1' has a contributor from the unknown reference 'B'; name one of the references: 'A'",
        ),
        (
            lambda: Pyramid("t", (A,), (SCU("1", "x", (Contributor("A", (Span(2, 99), Span(3, 4))),)),)),
            "A contributor of SCU '1' ends at 99, but the text of summary 'A' has 19 characters",
        ),
        (lambda: Match("1", score=1.5), "the score 1.5; give a probability from 0 to 1"),
        (lambda: Annotation(PEER, (Match("1", (Span(0, 9),)),)), "A match of SCU '1' ends at 9"),
        (lambda: Annotation(PEER, (), (Contributor("q"),)), "The annotation of 'p' has an unmatched unit of 'q'"),
        (lambda: Annotation(PEER, (), (Contributor("p", (Span(0, 9),)),)), "An unmatched unit ends at 9"),
        (lambda: Annotation(PEER, (Match("9"),)).check(PYRAMID), "matches SCU '9', which pyramid 'cats' does not have"),
        (
            lambda: Annotation(PEER, probabilities=(("9", 0.5),)).check(PYRAMID),
            "SCU '9', which pyramid 'cats' does not have",
        ),
        (
            lambda: Annotation(PEER, probabilities=(("1", 1.5),)),
            "The annotation of 'p' has the probability 1.5 for SCU '1'; give a number from 0 to 1",
        ),
        (lambda: Annotation(PEER, probabilities=(("1", nan),)), "the probability nan for SCU '1'"),
        (
            lambda: Annotation(PEER, probabilities=(("1", 0.5), ("1", 0.5))),
            "The annotation of 'p' has two probabilities of SCU '1'; keep one",
        ),
        (lambda: Topic("t", annotations=(Annotation(PEER),)), "the annotated peer 'p' is not among the peers"),
        (lambda: Match("1", segment="3.2"), "A match of SCU '1' has the segment '3.2'; name it SUMMARY.SENTENCE"),
        (lambda: Contributor("A", segment="0.1.0.0"), "A contributor from 'A' has the segment '0.1.0.0'"),
        (
            lambda: Match("1", (Span(0, 1),), supported=False),
            "A match of SCU '1' has spans and is not supported; leave out the spans of words that are not in the text",
        ),
        (
            lambda: Annotation(PEER, unjudged=(("1", "no answer"), ("1", "not asked"))),
            "has two judgements of SCU '1'; keep one",
        ),
        (lambda: Annotation(PEER, unjudged=(("1", "not asked"),), partial=("1",)), "two judgements of SCU '1'"),
        (
            lambda: Annotation(PEER, unjudged=(("1", "asleep"),)),  # type: ignore[arg-type]
            "says 'asleep' of the unjudged SCU '1'; say 'no answer' or 'not asked', and the rest in a comment",
        ),
        (
            lambda: Annotation(PEER, (Match("1"),), unjudged=(("1", "no answer"),)),
            "The annotation of 'p' calls SCU '1' unjudged and gives it a match; keep one of the two",
        ),
        (
            lambda: Annotation(PEER, probabilities=(("1", 0.0),), unjudged=(("1", "no answer"),)),
            "calls SCU '1' unjudged and gives it a probability",
        ),
        (lambda: Annotation(PEER, (Match("1"),), partial=("1",)), "calls SCU '1' partial and gives it a match"),
        (lambda: Annotation(PEER, labels=(("1", "a"), ("1", "b"))), "two labels of SCU '1'"),
        (
            lambda: Contradiction("1", probability=1.5),
            "A contradiction of SCU '1' has the probability 1.5; give a number from 0 to 1",
        ),
        (lambda: Contradiction("1", probability=nan), "the probability nan"),
        (lambda: Contradiction("1", segment="3.2"), "A contradiction of SCU '1' has the segment '3.2'"),
        (lambda: denying(Contradiction("1", (Span(0, 9),))), "A contradiction of SCU '1' ends at 9"),
        (lambda: denying(Contradiction("1"), Contradiction("1")), "two judgements of SCU '1'; keep one"),
        (lambda: replace(denying(Contradiction("1")), partial=("1",)), "two judgements of SCU '1'"),
        (lambda: replace(denying(Contradiction("1")), unjudged=(("1", "not asked"),)), "two judgements of SCU '1'"),
        (
            lambda: replace(denying(Contradiction("1")), matches=(Match("1"),)),
            "The annotation of 'p' calls SCU '1' contradicted and gives it a match; keep one of the two",
        ),
        (
            lambda: denying(Contradiction("9")).check(PYRAMID),
            "The annotation of 'p' contradicts SCU '9', which pyramid 'cats' does not have",
        ),
        (lambda: Annotation(PEER, unjudged=(("9", "not asked"),)).check(PYRAMID), "SCU '9', which pyramid 'cats'"),
        (lambda: Annotation(PEER, partial=("9",)).check(PYRAMID), "SCU '9', which pyramid 'cats' does not have"),
        (
            lambda: Topic("cats", sources=(Source("s", "Cats"),), pyramid=placed(Place("s", Span(0, 5)))),
            "A contributor of SCU '1' ends at 5, but the source 's' has 4 characters; give the source documents",
        ),
        (lambda: Topic("t", peers=(PEER, PEER)), "Two peers of topic 't' have the id 'p'"),
        (lambda: Topic("t", peers=(PEER,), annotations=(Annotation(PEER),) * 2), "summary 'p' is annotated twice"),
        (lambda: Topic("t", pyramid=PYRAMID), "Topic 't' has the pyramid of topic 'cats'"),
        (lambda: Topic("t").peer("x"), "topic 't' has no peer 'x'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ModelError, match=message):
        make()


def test_two_annotators_of_one_peer_are_welcome() -> None:
    both = (Annotation(PEER, annotator="x"), Annotation(PEER, annotator="y"))
    assert Topic("t", peers=(PEER,), annotations=both).annotations == both


@given(topics())
def test_quotes_are_the_words_under_the_spans(topic: Topic) -> None:
    assert topic.pyramid is not None
    for scu in topic.pyramid.scus:
        for contributor in scu.contributors:
            text = topic.pyramid.reference(contributor.summary).text
            pieces = [text[span.start : span.end] for span in contributor.spans]
            assert topic.pyramid.words(contributor) == "...".join(pieces)


def test_two_comments_on_one_scu_are_refused() -> None:
    with pytest.raises(ModelError, match="The annotation of 'p' has two comments on SCU '1'; make them one"):
        Annotation(Summary("p", "x", "peer"), comments=(("1", "a"), ("1", "b")))


def test_pyramids_made_from_another_do_not_warn_again() -> None:
    references = (Summary("A", "x"), Summary("B", "y"))
    scus = (SCU("1", "x", (Contributor("A"), Contributor("A"), Contributor("B"))),)
    with pytest.warns(InputWarning, match="Pyramid 't': 1 SCU"):
        pyramid = Pyramid("t", references, scus)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pyramid.restricted_to(["A"]).repeats == ("1",)
        dataclasses.replace(pyramid, topic="u")


def test_a_pyramid_with_other_scus_is_the_one_that_is_made_of_them() -> None:
    references = (Summary("A", "one two"), Summary("B", "three"))
    first = SCU("1", "one", (Contributor("A", (Span(0, 3),)),))
    pyramid = Pyramid("t", references, (first,))
    second = SCU("2", "three", (Contributor("B", (Span(0, 5),)),))
    assert pyramid.with_scus([second, first]) == Pyramid("t", references, (second, first))
    for wrong in (
        SCU("1", "again", second.contributors),
        SCU("3", "outside", (Contributor("B", (Span(0, 6),)),)),
        SCU("3", "unknown", (Contributor("C"),)),
    ):
        with pytest.raises(ModelError) as told:
            pyramid.with_scus([first, wrong])
        with pytest.raises(ModelError) as expected:
            Pyramid("t", references, (first, wrong))
        assert str(told.value) == str(expected.value)


def test_values_from_columns_are_those_of_the_constructor() -> None:
    assert unchecked(Span, start=[0, 5], end=[4, 10]) == [Span(0, 4), Span(5, 10)]
    assert unchecked(Contributor, summary=["A"], spans=[(Span(0, 4),)]) == [Contributor("A", (Span(0, 4),))]
    contributors = (Contributor("A"), Contributor("B"))
    (scu,) = unchecked(SCU, id=["1"], label=["x"], contributors=[contributors], weight=[2])
    assert (scu, scu.weight) == (SCU("1", "x", contributors), 2)
    assert unchecked(Span, start=[], end=[]) == []


@pytest.mark.parametrize("columns", [{"start": [0], "end": [1, 2]}, {"start": [0], "stop": [1]}, {}])
def test_columns_that_do_not_fit_are_refused(columns: dict[str, list[int]]) -> None:
    with pytest.raises(ValueError, match="fields of Span and have one length"):
        unchecked(Span, **columns)
