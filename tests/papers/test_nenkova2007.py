"""Nenkova, Passonneau and McKeown 2007, The Pyramid Method: each formula and worked example of §2."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, max_weight
from pyramidion.scoring import (
    Settings,
    average_scus,
    count_optimal_summaries,
    coverage,
    optimal_summaries,
    precision,
    presence,
    quality,
    raw,
    recall,
    scores,
    tier_counts,
)
from tests.strategies import annotated, pyramids


def pyramid_of(*weights: int, references: int = 5) -> Pyramid:
    """A pyramid with SCUs of these weights, ids "1", "2", ... in that order."""
    models = tuple(Summary(f"r{number}", "") for number in range(references))
    scus = tuple(
        SCU(str(number), f"unit {number}", tuple(Contributor(model.id) for model in models[:weight]))
        for number, weight in enumerate(weights, start=1)
    )
    return Pyramid("t", models, scus)


def peer(*scus: int, unmatched: int = 0) -> Annotation:
    """A peer that expresses these SCUs, and units that are in none."""
    summary = Summary("peer", "", "peer")
    return Annotation(summary, tuple(Match(str(scu)) for scu in scus), (Contributor("peer"),) * unmatched)


# §2.1 The two SCUs about Lopez: the paper's contributors, in sentences of our own.

SENTENCES = {
    "A": "It began with the hiring of Jose Ignacio Lopez, an employee of GM at that time, by VW.",
    "B": "In the end he left GM for VW.",
    "C": "He left GM for VW in March 1993.",
    "D": "Behind it lay the recruitment of GM's head of purchasing, Jose Ignacio Lopez.",
    "E": "On March 16, 1993 Agnacio Lopez De Arriortua, left his job in purchasing at General Motor's Opel, eager "
    "to become Volkswagen's next director.",
    "F": "In March 1993 Lopez, and some of his GM staff, moved to VW.",
}


def contributor(summary: str, *pieces: str) -> Contributor:
    text = SENTENCES[summary]
    return Contributor(summary, tuple(Span(text.index(piece), text.index(piece) + len(piece)) for piece in pieces))


@pytest.fixture(scope="module")
def lopez() -> Pyramid:
    left = SCU(
        "1",
        "Lopez left GM for VW",
        (
            contributor("A", "the hiring of Jose Ignacio Lopez, an employee of GM", "by VW"),
            contributor("B", "he left GM for VW"),
            contributor("C", "He left GM for VW"),
            contributor("D", "recruitment of GM's", "Jose Ignacio Lopez"),
            contributor(
                "E",
                "Agnacio Lopez De Arriortua, left his job",
                "at General Motor's Opel",
                "to become Volkswagen's",
                "director",
            ),
            contributor("F", "Lopez", "GM", "moved to VW"),
        ),
    )
    when = SCU(
        "2",
        "Lopez changes employers in March 1993",
        (contributor("C", "in March 1993"), contributor("E", "On March 16, 1993"), contributor("F", "In March 1993")),
    )
    return Pyramid("D311", tuple(Summary(id, text) for id, text in SENTENCES.items()), (left, when))


def test_weights_of_the_worked_scus(lopez: Pyramid) -> None:
    assert [scu.weight for scu in lopez.scus] == [6, 3]


def test_discontinuous_contributors_read_as_in_the_paper(lopez: Pyramid) -> None:
    words = [lopez.words(one) for one in lopez.scu("1").contributors]
    assert words[3] == "recruitment of GM's...Jose Ignacio Lopez"
    assert words[5] == "Lopez...GM...moved to VW"


def test_size_and_order_differ_when_no_unit_is_in_all_references(lopez: Pyramid) -> None:
    assert (lopez.size, lopez.order) == (6, 6)
    without = lopez.restricted_to(["A", "C", "D"])
    assert (without.size, without.order) == (3, 3)
    assert [scu.weight for scu in without.scus] == [3, 1]
    assert (pyramid_of(3, 1).size, pyramid_of(3, 1).order) == (5, 3)


# §2.2 Max and the original score

FIGURE_1 = pyramid_of(4, 4, 3, 3, 3, 3, 2, 1, references=4)


def test_max_of_figure_1() -> None:
    assert FIGURE_1.max_weight(4) == 2 * 4 + 2 * 3


def test_six_optimal_summaries_of_figure_1() -> None:
    optima = list(optimal_summaries(FIGURE_1, 4))
    assert count_optimal_summaries(FIGURE_1, 4) == len(optima) == 6  # both of tier 4, and 4 choose 2 of tier 3
    assert len({frozenset(scu.id for scu in summary) for summary in optima}) == 6
    for summary in optima:
        assert {scu.id for scu in summary} >= {"1", "2"}
        assert sum(scu.weight for scu in summary) == 14


def test_max_within_the_top_tier_is_x_times_n() -> None:
    assert FIGURE_1.max_weight(1) == 1 * 4


def test_max_beyond_the_pyramid_is_its_whole_weight() -> None:
    assert FIGURE_1.max_weight(8) == FIGURE_1.max_weight(100) == 4 * 2 + 3 * 4 + 2 + 1


def test_max_with_an_empty_tier_between() -> None:
    assert max_weight({5: 1, 2: 3}, 3) == 5 + 2 * 2


def test_original_score_of_the_worked_example() -> None:
    annotation = peer(1, 3, 7, unmatched=1)  # weights 4, 3 and 2, and one unit outside: X = 4
    assert raw(FIGURE_1, annotation) == 4 + 3 + 2
    assert quality(FIGURE_1, annotation) == pytest.approx(9 / 14)


def test_saying_a_unit_twice_earns_its_weight_once_and_takes_room_twice() -> None:
    annotation = peer(1, 1, 3)
    assert raw(FIGURE_1, annotation) == 4 + 3
    assert quality(FIGURE_1, annotation) == pytest.approx(7 / (4 + 4 + 3))


# §2.3 The modified score, precision and recall, SCU vectors


def test_modified_score_uses_the_references_average_size() -> None:
    annotation = peer(1, 3, 7, unmatched=1)
    total = 4 + 4 + 3 + 3 + 3 + 3 + 2 + 1
    assert average_scus(FIGURE_1) == total / 4 == 5.75
    assert coverage(FIGURE_1, annotation) == pytest.approx(9 / (4 + 4 + 3 + 3 + 3 + 0.75 * 3))


@pytest.mark.parametrize(
    ("average", "x", "best"), [("floor", 5, 17), ("round", 6, 20), ("ceil", 6, 20), ("exact", 5.75, 19.25)]
)
def test_roundings_of_the_average(average: str, x: float, best: float) -> None:
    found = scores(FIGURE_1, peer(1), Settings(average=average))  # type: ignore[arg-type]
    assert (found.average_scus, found.max_for_average) == (x, best)
    assert found.coverage == pytest.approx(4 / best)


def test_modified_score_can_exceed_1_and_be_capped() -> None:
    pyramid = pyramid_of(2, 1, 1, references=2)  # a reference has 2 units on average: Max = 2 + 1
    everything = peer(1, 2, 3)
    assert coverage(pyramid, everything) == pytest.approx(4 / 3)
    assert coverage(pyramid, everything, Settings(cap=True)) == 1


def test_unweighted_precision_and_recall() -> None:
    annotation = peer(1, 3, 7, unmatched=2)
    assert precision(annotation) == 3 / (3 + 2)
    assert recall(FIGURE_1, annotation) == 3 / 8
    assert tier_counts(FIGURE_1, annotation) == {4: 1, 3: 1, 2: 1, 1: 0, 0: 2}


def test_presence_vector() -> None:
    assert presence(FIGURE_1, peer(1, 3, 3, 7)) == (1, 0, 1, 0, 0, 0, 1, 0)


def test_an_empty_summary_scores_0() -> None:
    found = scores(FIGURE_1, peer())
    assert (found.raw, found.quality, found.coverage, found.comprehensive, found.precision, found.recall) == (0,) * 6


# Properties


@given(annotated())
def test_quality_is_between_0_and_1(case: tuple[Pyramid, Annotation]) -> None:
    assert 0 <= quality(*case) <= 1


@given(pyramids(), st.integers(0, 30))
def test_max_is_monotone_and_concave(pyramid: Pyramid, x: int) -> None:
    before, here, after = (pyramid.max_weight(x + step) for step in (0, 1, 2))
    assert before <= here <= after
    assert here - before >= after - here


@given(pyramids(), st.integers(0, 12), st.floats(0, 1))
def test_max_is_linear_between_whole_numbers(pyramid: Pyramid, x: int, part: float) -> None:
    low, high = pyramid.max_weight(x), pyramid.max_weight(x + 1)
    assert pyramid.max_weight(x + part) == pytest.approx(low + part * (high - low))


@given(pyramids(), st.integers(0, 5))
def test_max_is_the_best_of_all_summaries_of_that_size(pyramid: Pyramid, x: int) -> None:
    x = min(x, len(pyramid.scus))
    every = [sum(scu.weight for scu in chosen) for chosen in combinations(pyramid.scus, x)]
    assert pyramid.max_weight(x) == max(every)
    assert count_optimal_summaries(pyramid, x) == every.count(max(every))


@given(annotated(), st.randoms())
def test_order_of_anything_is_irrelevant(case: tuple[Pyramid, Annotation], random: st.randoms) -> None:  # type: ignore[valid-type]
    pyramid, annotation = case

    def shuffled(things: tuple) -> tuple:  # type: ignore[type-arg]
        return tuple(random.sample(things, len(things)))  # type: ignore[attr-defined]

    other = Pyramid(
        pyramid.topic,
        shuffled(pyramid.references),
        tuple(SCU(scu.id, scu.label, shuffled(scu.contributors), scu.comment) for scu in shuffled(pyramid.scus)),
    )
    again = Annotation(
        annotation.summary,
        shuffled(annotation.matches),
        shuffled(annotation.unmatched),
        probabilities=shuffled(annotation.probabilities),
        contradicted=shuffled(annotation.contradicted),
    )
    assert scores(pyramid, annotation) == scores(other, again)


@given(annotated(), st.data())
def test_a_further_match_never_lowers_raw(case: tuple[Pyramid, Annotation], data: st.DataObject) -> None:
    pyramid, annotation = case
    if pyramid.scus:
        more = Match(data.draw(st.sampled_from(pyramid.scus)).id)
        richer = Annotation(annotation.summary, (*annotation.matches, more), annotation.unmatched)
        assert raw(pyramid, richer) >= scores(pyramid, annotation).counted


@given(annotated())
def test_scores_agree_with_their_ingredients(case: tuple[Pyramid, Annotation]) -> None:
    found = scores(*case)
    assert found.counted == sum(weight * count for weight, (count, _) in found.tiers.items())
    if not case[1].probabilities:
        assert found.raw == found.counted
    assert found.size == found.scus + found.repeated + found.unmatched
    assert found.quality == (found.counted / found.max_for_size if found.max_for_size else 0)
    assert found.coverage == (found.raw / found.max_for_average if found.max_for_average else 0)
