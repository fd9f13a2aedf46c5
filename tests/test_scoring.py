"""Scores beyond the papers' worked examples: settings, jackknife, signatures of settings."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given

from pyramidion.errors import ModelError
from pyramidion.examples import example
from pyramidion.model import Annotation, Contradiction, Contributor, Match, Pyramid, Summary
from pyramidion.scoring import (
    AVERAGED,
    LIKE,
    QUANTITIES,
    Settings,
    beliefs,
    comprehensive,
    count_optimal_summaries,
    coverage,
    jackknife,
    jackknifed,
    optimal_summaries,
    presence,
    reference_annotation,
    scores,
)
from tests.papers.test_nenkova2007 import peer, pyramid_of
from tests.strategies import annotated, pyramids

COUNTED = Settings(presence="counted")

PYRAMID = pyramid_of(3, 2, 1, references=3)


def test_comprehensive_is_the_harmonic_mean_or_the_arithmetic_one() -> None:
    assert comprehensive(0.5, 1.0) == pytest.approx(2 / 3)
    assert comprehensive(0.5, 1.0, "arithmetic") == 0.75
    assert comprehensive(0, 0) == 0


def test_the_arithmetic_mean_is_used_when_asked_for() -> None:
    found = scores(PYRAMID, peer(1), Settings(mean="arithmetic"))
    assert found.comprehensive == (found.quality + found.coverage) / 2


def test_round_is_half_up() -> None:
    pyramid = pyramid_of(2, 2, 1, references=2)  # 2.5 SCUs a reference
    assert scores(pyramid, peer(1), Settings(average="round")).average_scus == 3


def test_settings_print_as_parameters() -> None:
    assert Settings(average="floor", cap=True).parameters() == (
        ("average", "floor"),
        ("cap", "yes"),
        ("mean", "harmonic"),
        ("weights", "references"),
        ("presence", "expected"),
    )


def test_a_peer_identical_to_a_reference_of_top_tier_content_only_has_quality_1() -> None:
    pyramid = pyramid_of(3, 3, 1, references=3)
    assert scores(pyramid, peer(1, 2)).quality == 1


def test_a_summary_that_nobody_annotated_has_no_scores_and_one_that_was_read_has() -> None:
    """Every SCU is unjudged; one judged, or one unit noted as being in no SCU, makes it a reading of nothing."""
    nobody = tuple((scu.id, "not asked") for scu in PYRAMID.scus)
    unread = Annotation(Summary("p", "Words.", "peer"), unjudged=nobody)
    found = scores(PYRAMID, unread)
    assert [getattr(found, name) for name in QUANTITIES] == [None] * 6
    assert (found.counted, found.size) == (0, 0)
    assert jackknifed(PYRAMID, unread).raw is None
    for read in (replace(unread, unjudged=nobody[1:]), replace(unread, unmatched=(Contributor("p"),))):
        assert [getattr(scores(PYRAMID, read), name) for name in QUANTITIES] == [0] * 6


def test_there_is_no_coverage_where_the_mean_is_rounded_to_0() -> None:
    """Three references, two SCUs of weight 1: X_a = 2/3, whose floor has no best to compare with."""
    pyramid = pyramid_of(1, 1, references=3)
    one = peer(1)
    found = scores(pyramid, one, LIKE["ducview"])
    assert (found.raw, found.quality, found.coverage, found.comprehensive) == (1, 1, None, None)
    assert coverage(pyramid, one, LIKE["ducview"]) is None
    assert scores(pyramid, one).coverage == pytest.approx(1 / (2 / 3))
    assert scores(Pyramid("t", pyramid.references, ()), Annotation(one.summary), LIKE["ducview"]).coverage == 0


def test_annotations_of_another_pyramid_are_refused() -> None:
    with pytest.raises(ModelError, match="matches SCU '9'"):
        scores(PYRAMID, peer(9))


def test_a_peers_jackknifed_scores_are_means_over_the_smaller_pyramids() -> None:
    annotation = peer(1, 3)  # weights 3 and 1; SCU 3 is said by r0 alone
    every = jackknife(PYRAMID, annotation)
    assert [one.raw for one in every] == [2, 2 + 1, 2 + 1]  # without r0 SCU 3 is gone, and SCU 1 always loses one
    assert [one.unmatched for one in every] == [1, 0, 0]
    mean = jackknifed(PYRAMID, annotation)
    assert mean.coverage == pytest.approx(fmean(one.coverage for one in every))
    assert mean.raw == pytest.approx(8 / 3)


def test_a_reference_is_scored_against_the_others() -> None:
    others, annotation = reference_annotation(PYRAMID, "r0")
    found = scores(others, annotation)
    assert (others.size, [scu.weight for scu in others.scus]) == (2, [2, 1])
    assert (found.raw, found.scus, found.unmatched) == (3, 2, 1)  # what only r0 says is in no SCU of the others


def test_one_reference_cannot_be_left_out() -> None:
    with pytest.raises(ModelError, match="has 1 reference"):
        jackknifed(pyramid_of(1, references=1), peer(1))


def test_optimal_summaries_larger_than_the_pyramid_do_not_exist() -> None:
    with pytest.raises(ModelError, match="no summary of 4 can be made"):
        list(optimal_summaries(PYRAMID, 4))
    assert list(optimal_summaries(PYRAMID, 0)) == [()]
    assert count_optimal_summaries(PYRAMID, 0) == 1


@given(pyramids())
def test_identical_texts_get_identical_scores(pyramid: Pyramid) -> None:
    matches = tuple(Match(scu.id) for scu in pyramid.scus[::2])
    one, two = (scores(pyramid, Annotation(Summary(id, "same", "peer"), matches)) for id in ("a", "b"))
    assert [getattr(one, name) for name in AVERAGED] == [getattr(two, name) for name in AVERAGED]


@given(annotated())
def test_capped_coverage_is_at_most_1_and_otherwise_unchanged(case: tuple[Pyramid, Annotation]) -> None:
    free, capped = scores(*case), scores(*case, Settings(cap=True))
    assert capped.coverage == min(free.coverage, 1)


def test_a_reference_outscores_every_peer_of_the_example_only_fairly() -> None:
    for topic in example():
        assert topic.pyramid is not None
        people = [scores(*reference_annotation(topic.pyramid, one.id)).coverage for one in topic.references]
        systems = {one.summary.id: jackknifed(topic.pyramid, one).coverage for one in topic.annotations}
        assert min(people) > systems["padded"]
        assert systems["off-topic"] == systems["empty"] == 0


def judged(*probabilities: float) -> Annotation:
    """What a judge makes of a peer with two units, if it matches what it finds at least as likely as not."""
    summary = Summary("judged", "", "peer")
    named = tuple((str(number), one) for number, one in enumerate(probabilities, start=1))
    matches = tuple(Match(scu, (), one) for scu, one in named if one >= 0.5)
    return Annotation(summary, matches, (Contributor("judged"),), probabilities=named)


def test_a_judges_raw_coverage_and_recall_are_expectations_and_the_rest_counts() -> None:
    # Weights 3, 2, 1; X_a = 6 / 3 = 2, so that Max(X_a) = 3 + 2; the peer has the units 1 and D_0 = 1: Max(2) = 5.
    found = scores(PYRAMID, judged(0.75, 0.25, 0.125))
    assert found.raw == 3 * 0.75 + 2 * 0.25 + 0.125 == 2.875
    assert found.coverage == pytest.approx(2.875 / 5)
    assert found.recall == pytest.approx((0.75 + 0.25 + 0.125) / 3)
    assert (found.counted, found.quality, found.precision) == (3, 3 / 5, 1 / 2)
    assert found.comprehensive == pytest.approx(comprehensive(3 / 5, 2.875 / 5))
    assert (found.scus, found.unmatched, found.tiers) == (1, 1, {3: (1, 1), 2: (0, 1), 1: (0, 1)})


def test_a_judges_matches_are_counted_when_asked_for() -> None:
    annotation = judged(0.75, 0.25, 0.125)
    found = scores(PYRAMID, annotation, COUNTED)
    assert beliefs(annotation, COUNTED) == {"1": 1}
    assert (found.raw, found.counted, found.coverage, found.recall) == (3, 3, 3 / 5, 1 / 3)


def test_an_empty_text_of_which_a_judge_believes_nothing_scores_0() -> None:
    found = scores(PYRAMID, Annotation(Summary("p", "", "peer"), probabilities=(("1", 0.0), ("2", 0.0), ("3", 0.0))))
    assert (found.raw, found.coverage, found.recall, found.quality, found.comprehensive) == (0, 0, 0, 0, 0)


def test_with_weights_of_contributors_expectations_use_them() -> None:
    assert scores(PYRAMID, judged(0.5, 0.5, 0.5), Settings(weights="contributors")).raw == 3


@given(annotated())
def test_a_person_is_a_judge_who_is_sure(case: tuple[Pyramid, Annotation]) -> None:
    pyramid, annotation = case
    person = replace(annotation, probabilities=(), unjudged=())
    sure = replace(person, probabilities=tuple((scu.id, float(scu.id in person.expressed)) for scu in pyramid.scus))
    assert scores(pyramid, person) == scores(pyramid, sure)
    assert replace(scores(pyramid, person, COUNTED), settings=Settings()) == scores(pyramid, person)
    assert scores(pyramid, annotation, COUNTED) == scores(pyramid, person, COUNTED)


@given(annotated())
def test_expectations_lie_between_nothing_and_the_whole_pyramid(case: tuple[Pyramid, Annotation]) -> None:
    pyramid, annotation = case
    found = scores(pyramid, annotation)
    assert 0 <= found.raw <= sum(scu.weight for scu in pyramid.scus) + 1e-9
    assert 0 <= found.recall <= 1 + 1e-9
    assert found.counted == scores(pyramid, annotation, COUNTED).raw


def test_jackknifed_expectations_are_means_of_expectations_over_the_smaller_pyramids() -> None:
    # SCU 1 is said by r0 r1 r2, SCU 2 by r0 r1, SCU 3 by r0 alone.
    annotation = judged(0.75, 0.25, 0.5)
    every = jackknife(PYRAMID, annotation)
    assert [one.raw for one in every] == [
        2 * 0.75 + 1 * 0.25,  # without r0 SCU 3 is gone, and its probability with it
        2 * 0.75 + 1 * 0.25 + 1 * 0.5,
        2 * 0.75 + 2 * 0.25 + 1 * 0.5,
    ]
    assert [one.counted for one in every] == [2, 3, 3]
    assert [one.unmatched for one in every] == [2, 1, 1]
    mean = jackknifed(PYRAMID, annotation)
    assert mean.raw == pytest.approx((1.75 + 2.25 + 2.5) / 3)
    assert mean.counted == pytest.approx(8 / 3)
    assert mean.recall == pytest.approx(fmean((1 / 2, 1.5 / 3, 1.5 / 3)))


@given(annotated())
def test_a_contradicted_scu_is_credited_by_nothing(case: tuple[Pyramid, Annotation]) -> None:
    pyramid, annotation = case
    found, without = scores(pyramid, annotation), scores(pyramid, replace(annotation, contradicted=()))
    assert found == replace(without, contradicted=len(annotation.contradicted))
    vector = dict(zip((scu.id for scu in pyramid.scus), presence(pyramid, annotation), strict=True))
    assert not any(vector[one.scu] for one in annotation.contradicted)


def test_jackknifed_contradictions_are_a_mean() -> None:
    # SCU 3 is said by r0 alone: without r0 nothing is left that could be contradicted.
    annotation = Annotation(Summary("p", "", "peer"), contradicted=(Contradiction("3"),))
    assert [one.contradicted for one in jackknife(PYRAMID, annotation)] == [0, 1, 1]
    assert jackknifed(PYRAMID, annotation).contradicted == pytest.approx(2 / 3)
