"""Scores beyond the papers' worked examples: settings, jackknife, signatures of settings."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given

from pyramidion.errors import ModelError
from pyramidion.examples import example
from pyramidion.model import Annotation, Match, Pyramid, Summary
from pyramidion.score import (
    AVERAGED,
    Settings,
    comprehensive,
    count_optimal_summaries,
    jackknife,
    jackknifed,
    optimal_summaries,
    reference_annotation,
    scores,
)
from tests.papers.test_nenkova2007 import peer, pyramid_of
from tests.strategies import annotated, pyramids

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
    )


def test_a_peer_identical_to_a_reference_of_top_tier_content_only_has_quality_1() -> None:
    pyramid = pyramid_of(3, 3, 1, references=3)
    assert scores(pyramid, peer(1, 2)).quality == 1


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
