"""Stability: the statistics on matrices, and the scores against sub-pyramids on random pyramids."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from pyramidion.analyses.stability.result import Quantity
from pyramidion.analyses.stability.study import stability as study
from pyramidion.analyses.stability.study import sub_pyramid_scores, subsets
from pyramidion.errors import InputWarning, ModelError, PyramidionError
from pyramidion.examples import example
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Summary, Topic
from pyramidion.scoring import Settings, coverage, quality, reference_annotation, scores
from pyramidion.stats.stability import (
    Errors,
    Ranking,
    mean_divergence,
    need,
    pooled_errors,
    pooled_rankings,
    stability,
)
from tests.strategies import annotations, pyramids

SETTINGS = st.builds(
    Settings,
    average=st.sampled_from(["exact", "floor", "ceil", "round"]),
    cap=st.booleans(),
    weights=st.sampled_from(["references", "contributors"]),
    presence=st.sampled_from(["expected", "counted"]),
)


@st.composite
def judged(draw: st.DrawFn) -> tuple[Pyramid, list[Annotation]]:
    pyramid = draw(pyramids())
    made = [draw(annotations(pyramid, f"p{number}")) for number in range(draw(st.integers(1, 3)))]
    # A summary that nobody judged has no score; that a small pyramid may hold nothing but what was not judged is
    # another matter: there an SCU without a judgement counts as not expressed, as in the whole pyramid.
    made = [replace(one, unjudged=()) for one in made]
    if draw(st.booleans()):  # a judge that was not asked about everything
        made = [replace(one, probabilities=one.probabilities[::2]) for one in made]
    return pyramid, made


def every_subset(pyramid: Pyramid) -> np.ndarray:
    return np.concatenate([subsets(pyramid, size) for size in range(1, pyramid.size + 1)])


def expected(pyramid: Pyramid, annotation: Annotation, row: np.ndarray, settings: Settings, quantity: str) -> float:
    """The same, the long way; what has no coverage, because its mean number of SCUs is rounded to 0, has 0 here."""
    kept = [reference.id for reference, there in zip(pyramid.references, row, strict=True) if there]
    smaller = pyramid.restricted_to(kept)
    value = (coverage if quantity == "coverage" else quality)(smaller, annotation.against(smaller), settings)
    return float("nan") if value is None else value  # X_a is rounded to 0


@given(judged(), SETTINGS, st.sampled_from(["coverage", "quality"]))
def test_scores_are_those_of_the_restricted_pyramid(
    case: tuple[Pyramid, list[Annotation]], settings: Settings, quantity: Quantity
) -> None:
    pyramid, made = case
    chosen = every_subset(pyramid)
    assert len(chosen) == 2**pyramid.size - 1
    found = sub_pyramid_scores(pyramid, made, chosen, settings, quantity)
    for row, bits in enumerate(chosen):
        for column, one in enumerate(made):
            assert found[row, column] == pytest.approx(
                expected(pyramid, one, bits, settings, quantity), abs=1e-12, nan_ok=True
            )


@pytest.mark.filterwarnings("ignore:pyramid")
@pytest.mark.parametrize("weights", ["references", "contributors"])
def test_a_reference_that_contributes_twice_counts_as_the_settings_say(weights: str) -> None:
    texts = (Summary("a", ""), Summary("b", ""))
    twice = SCU("1", "", (Contributor("a"), Contributor("a"), Contributor("b")))
    pyramid = Pyramid("t", texts, (twice, SCU("2", "", (Contributor("b"),))))
    peer = Annotation(Summary("p", "", "peer"), (Match("1"), Match("1")))
    settings = Settings(weights=weights)  # type: ignore[arg-type]
    chosen = every_subset(pyramid)
    found = sub_pyramid_scores(pyramid, [peer], chosen, settings, "quality")[:, 0]
    assert found.tolist() == pytest.approx([expected(pyramid, peer, row, settings, "quality") for row in chosen])


@pytest.mark.parametrize("quantity", ["coverage", "quality"])
def test_a_reference_is_scored_against_the_others_only(quantity: Quantity) -> None:
    topic = example()[0]
    found = study([topic], quantity=quantity, whose="references").topics[0].stability
    pyramid = topic.pyramid
    assert pyramid
    assert found.whole == 4
    for name, value, spreads in zip(found.summaries, found.scores, found.spreads, strict=True):
        others, own = reference_annotation(pyramid, name)
        assert value == pytest.approx(getattr(scores(others, own), quantity))
        assert [spread.pyramids for spread in spreads] == [4, 6, 4, 1]
        two = [others.restricted_to(pair) for pair in combinations([one.id for one in others.references], 2)]
        values = [getattr(scores(smaller, own.against(smaller)), quantity) for smaller in two]
        assert (spreads[1].minimum, spreads[1].maximum) == pytest.approx((min(values), max(values)))
        assert spreads[1].mean == pytest.approx(sum(values) / 6)


def shuffled(topic: Topic, order: list[int]) -> Topic:
    pyramid = topic.pyramid
    assert pyramid
    references = tuple(pyramid.references[index] for index in order)
    return replace(topic, references=references, pyramid=replace(pyramid, references=references))


@settings(max_examples=20)
@given(st.permutations(range(5)), st.sampled_from([4, 10_000]), st.sampled_from(["peers", "references"]))
@pytest.mark.filterwarnings("ignore:.*more sub-pyramids")
def test_the_order_of_references_changes_nothing(order: list[int], samples: int, whose: str) -> None:
    topic = example()[1]
    if whose == "references":
        samples = 9  # fewer may be drawn so that one reference is in all of them
    one, other = (
        study([given], whose=whose, samples=samples, seed=3)  # type: ignore[arg-type]
        for given in (topic, shuffled(topic, order))
    )
    assert one == other
    assert bool(one.topics[0].sampled) == (samples < 10)


# The statistics


MATRIX = {
    1: np.array([[0.50, 0.30, 0.31], [0.20, 0.40, 0.35], [0.45, 0.42, 0.10]]),
    2: np.array([[0.50, 0.30, 0.31], [0.45, 0.35, 0.30], [0.46, 0.33, 0.36]]),
    3: np.array([[0.48, 0.34, 0.33]]),
}


def test_errors_counted_by_hand() -> None:
    """Whole: A-B .14 and A-C .15 differ, B-C .01 is the same.

    Size 1: A-B .20, -.20 (E3), .03 (E2); A-C .19, -.15 (E3), .35; B-C -.01, .05, .32 (E1).
    Size 2: A-B .20, .10, .13; A-C .19, .15, .10; B-C -.01, .05, -.03.
    """
    found = stability(MATRIX, "ABC")
    assert found.errors == (Errors(1, 3, 6, 1, 1, 2), Errors(2, 3, 6, 0, 0, 0))
    assert (found.errors[0].p1, found.errors[0].p2, found.errors[0].p3) == (1 / 3, 1 / 6, 2 / 6)
    assert found.errors[0].p == 4 / 9


def test_points_of_divergence_by_hand() -> None:
    """A's lowest at size 2 is .45, above B's highest (.35) and C's (.36); B and C only part with the whole pyramid."""
    found = {(pair.better, pair.worse): pair for pair in stability(MATRIX, "ABC").pairs}
    assert (found["A", "B"].divergence, found["A", "B"].settled) == (2, 2)
    assert (found["A", "C"].divergence, found["A", "C"].settled) == (2, 2)
    assert (found["B", "C"].divergence, found["B", "C"].settled) == (3, 3)
    assert mean_divergence(found.values()) == (2.0, 2)
    assert mean_divergence(found.values(), apart=0.5) == (None, 0)


def test_a_ranking_can_be_settled_before_the_ranges_part() -> None:
    moving = {1: np.array([[0.3, 0.1], [0.9, 0.7]]), 2: np.array([[0.6, 0.4]])}
    (pair,) = stability(moving, "AB").pairs
    assert (pair.divergence, pair.settled) == (2, 1)


def test_divergence_that_does_not_last_is_none() -> None:
    scores = {1: np.array([[0.9, 0.1]] * 2), 2: np.array([[0.2, 0.3], [0.6, 0.3]]), 3: np.array([[0.6, 0.4]])}
    (pair,) = stability(scores, "AB").pairs
    assert (pair.divergence, pair.settled) == (3, 3)


@pytest.mark.parametrize(("gap", "e1"), [(0.05, 0), (0.06, 1), (0.07, 1)])
def test_a_difference_of_exactly_the_threshold_is_one(gap: float, e1: int) -> None:
    found = stability({1: np.array([[0.5, 0.5 - gap]] * 2), 2: np.array([[0.5, 0.5]])}, "AB")
    assert found.errors[0].e1 == 2 * e1
    assert found.errors[0].p2 is None


def test_spreads_by_hand() -> None:
    spread = stability(MATRIX, "ABC").spreads[0][0]
    assert (spread.size, spread.pyramids) == (1, 3)
    assert (spread.minimum, spread.median, spread.maximum) == (0.2, 0.45, 0.5)
    assert spread.mean == pytest.approx(1.15 / 3)
    assert (spread.lower, spread.upper) == (0.325, 0.475)


@given(st.integers(0, 10_000))
def test_rankings_are_scipys(seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix, whole = random.integers(0, 4, (5, 6)) / 4, random.integers(0, 4, 6) / 4
    found = stability({1: matrix, 2: whole[None]}, "abcdef").rankings
    varied = [row for row in matrix if len(set(row)) > 1] if len(set(whole)) > 1 else []
    assert (found[0].pyramids, found[0].undefined) == (len(varied), 5 - len(varied))
    if varied:
        assert found[0].mean == pytest.approx(np.mean([spearmanr(row, whole).statistic for row in varied]))


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 5), st.sampled_from([0.06, 0.3]))
def test_errors_are_those_of_a_plain_loop(seed: int, summaries: int, pyramids: int, threshold: float) -> None:
    random = np.random.default_rng(seed)
    matrix, whole = random.random((pyramids, summaries)), random.random(summaries)
    counts = [0] * 5
    for row in matrix:
        for i, j in combinations(range(summaries), 2):
            truth, here = whole[i] - whole[j], row[i] - row[j]
            same, alike = abs(truth) < threshold, abs(here) < threshold
            counts[0 if same else 1] += 1
            counts[2] += same and not alike
            counts[3] += not same and alike
            counts[4] += not same and not alike and truth * here < 0
    found = stability({1: matrix, 2: whole[None]}, [str(n) for n in range(summaries)], threshold).errors[0]
    assert found == Errors(1, *counts)
    assert found.p == pytest.approx(
        (found.p1 or 0) * found.same / found.observations
        + ((found.p2 or 0) + (found.p3 or 0)) * (1 - found.same / found.observations)
    )


def test_topics_are_pooled_by_summing_counts() -> None:
    one = stability(MATRIX, "ABC")
    small = stability({1: np.array([[0.5, 0.1], [0.1, 0.5]]), 2: np.array([[0.5, 0.2]])}, "AB")
    assert pooled_errors([one, small]) == (Errors(1, 3, 8, 1, 1, 3), Errors(2, 3, 6, 0, 0, 0))
    ranking = pooled_rankings([one, small])[0]
    assert ranking.pyramids == 5
    assert ranking.mean == pytest.approx((one.rankings[0].total + 1 - 1) / 5)


def test_enough_means_from_there_on() -> None:
    errors = [Errors(1, 0, 100, 0, 5, 0), Errors(2, 0, 100, 0, 20, 0), Errors(3, 0, 100, 0, 8, 0)]
    rankings = [Ranking(size, 9.0, 10) for size in (1, 2, 3)]
    assert need(errors, rankings).size == 3
    assert need(errors, rankings, error=0.2).size == 1
    assert need(errors, rankings, ranking=0.95).size is None
    assert need(errors, [Ranking(size, 0, 0, 10) for size in (1, 2, 3)]).size is None
    assert str(need(errors, rankings)) == (
        "3 references are enough for these summaries "
        "(probability of error at most 0.1, mean Spearman at least 0.85; with 3: 0.08 and 0.90)."
    )
    assert str(need(errors, [])).startswith("3 references are too few for these summaries (")
    few = need(errors, rankings, ranking=0.95)
    assert (few.size, few.largest, few.p) == (None, 3, 8 / 100)  # of the largest size: 20 / 100 is of 2
    with pytest.raises(ModelError, match="No size of pyramids"):
        need([], [])


# Drawing


def test_all_subsets_are_tried_where_that_is_possible() -> None:
    pyramid = example()[0].pyramid
    assert pyramid
    rows = subsets(pyramid, 2, samples=10)
    assert {tuple(np.flatnonzero(row)) for row in rows} == set(combinations(range(5), 2))


def test_else_different_ones_are_drawn_by_seed() -> None:
    references = tuple(Summary(f"r{number}", f"text {number}") for number in range(20))
    pyramid = Pyramid("t", references, (SCU("1", "", (Contributor("r0"),)),))
    rows = subsets(pyramid, 10, samples=500, seed=1)
    assert rows.shape == (500, 20)
    assert len(np.unique(rows, axis=0)) == 500
    assert set(rows.sum(axis=1)) == {10}
    assert (rows == subsets(pyramid, 10, 500, 1)).all()
    assert (rows != subsets(pyramid, 10, 500, 2)).any()
    assert np.abs(rows.mean(axis=0) - 0.5).max() < 0.1  # each reference is in half of them
    nearly = subsets(pyramid, 2, samples=comb(20, 2) - 1)
    assert len(np.unique(nearly, axis=0)) == 189


def test_a_drawn_study_says_so() -> None:
    with pytest.warns(InputWarning, match="2 topic.s. have more sub-pyramids .* 6 drawn of the 10 of 2 references"):
        found = study(example(), samples=6)
    assert found.topics[0].sampled == ((2, 6, 10), (3, 6, 10))
    assert "|sub-pyramids:6 a size, seed 0|" in str(found.signature)


def test_too_few_draws_to_leave_out_every_reference_is_an_error() -> None:
    with pytest.raises(ModelError, match="leaves out .*raise samples"):
        study(example(), whose="references", samples=1)


@pytest.mark.parametrize("samples", [0, 10**9])
def test_numbers_of_samples_that_cannot_be(samples: int) -> None:
    with pytest.raises(
        ModelError, match=f"The number of sub-pyramids to try is {samples}; give a number from 1 to 1000000"
    ):
        study(example(), samples=samples)


# Bad input


def test_one_reference_or_one_summary_cannot_be_compared() -> None:
    first, second = example()
    pyramid = first.pyramid
    assert pyramid
    lone = pyramid.restricted_to([pyramid.references[0].id])
    annotated = tuple(one.against(lone) for one in first.annotations)
    small = replace(first, pyramid=lone, references=lone.references, annotations=annotated)
    with pytest.warns(InputWarning, match="'lake-revival' is left out: its pyramid has 1 reference"):
        found = study([small, second])
    assert [one.topic for one in found.topics] == ["tidal-lagoon"]
    single = replace(second, peers=second.peers[:1], annotations=second.annotations[:1])
    with (
        pytest.warns(InputWarning, match="left out"),
        pytest.raises(PyramidionError, match="No topic's scores can be compared"),
    ):
        study([small, single])


def test_constant_scores_have_no_ranking() -> None:
    topic = example()[0]
    nothing = tuple(Annotation(peer) for peer in topic.peers)
    with pytest.warns(InputWarning, match="give all summaries the same score"):
        found = study([replace(topic, annotations=nothing)])
    assert found.errors[0].p == 0
    assert (found.errors[0].p1, found.errors[0].p2) == (0, None)
    assert all(row.mean is None for row in found.rankings)
    assert found.divergence is None
    assert found.need.size is None
    assert "undefined" in str(found.need)


def test_several_annotations_of_a_summary_count_as_their_mean() -> None:
    topic = example()[0]
    best, empty = (next(one for one in topic.annotations if one.summary.id == id) for id in ("copy", "empty"))
    other = replace(best, matches=(), unmatched=(), annotator="second")
    topic = replace(topic, peers=(best.summary, empty.summary), annotations=(best, empty))
    with pytest.warns(InputWarning, match="several annotations"):
        found = study([replace(topic, annotations=(best, other, empty))]).topics[0].stability
    alone = study([topic]).topics[0].stability
    assert found.scores == pytest.approx([value / 2 for value in alone.scores])


@pytest.mark.parametrize(
    ("scores", "names", "threshold", "message"),
    [
        (MATRIX, "ABC", 0.0, "The threshold 0.0"),
        (MATRIX, "ABC", float("nan"), "The threshold nan"),
        ({1: MATRIX[1][:, :1], 3: MATRIX[3][:, :1]}, "A", 0.06, "one summary"),
        ({3: MATRIX[3]}, "ABC", 0.06, "A pyramid of one reference"),
        (MATRIX, "ABCD", 0.06, "not a matrix of pyramids x 4"),
        ({1: np.full((1, 2), np.inf), 2: np.ones((1, 2))}, "AB", 0.06, "not a matrix"),
        ({1: np.array([[1, np.nan], [1, 1]]), 2: np.ones((1, 2))}, "AB", 0.06, "different numbers"),
        ({1: np.ones((2, 2)), 2: np.ones((2, 2))}, "AB", 0.06, "several scores"),
    ],
)
def test_matrices_that_are_none(scores: dict[int, np.ndarray], names: str, threshold: float, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        stability(scores, names, threshold)
