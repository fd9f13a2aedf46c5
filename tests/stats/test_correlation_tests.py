"""Tests of two metrics' correlations: published examples, plain loops, nulls, bad input."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import Interval
from pyramidion.stats.correlation import correlation
from pyramidion.stats.correlation_tests import (
    bootstrap_difference,
    permutation_test,
    substitutability,
    williams,
)
from pyramidion.stats.levels import Draws, Level, Resample

Array = NDArray[np.float64]


def metrics(random: np.random.Generator, documents: int, systems: int, own: float) -> tuple[Array, Array, Array]:
    """People and two metrics as good as each other, on two scales, which misjudge systems in their own ways."""
    quality, topic = random.normal(size=systems), random.normal(size=(documents, 1))

    def scores(error: float) -> Array:
        found: Array = quality + error * random.normal(size=systems) + topic
        return found + random.normal(size=(documents, systems))

    return scores(0), scores(own), 3 * scores(own) + 1


# Williams' t


def test_williams_of_howells_example() -> None:
    # Howell, Statistical Methods for Psychology (6th ed., p. 262), as computed by B. Weaver's SPSS program
    # (imaging.mrc-cbu.cam.ac.uk/statswiki/FAQ/Will): t = 1.361, df = 23, p = .187
    found = williams(0.80, 0.72, 0.89, 26)
    assert [found.t, found.p] == pytest.approx([1.361, 0.187], abs=5e-4)
    assert found.degrees == 23


def test_williams_of_the_example_that_comes_with_nlp_williams() -> None:
    # README of inmoonlight/nlp-williams: r12 .65, r13 .55, r23 .3, n 50: P-value 0.20928617286753592, one-sided
    assert williams(0.65, 0.55, 0.3, 50).p_better == pytest.approx(0.20928617286753592)


def test_williams_on_scores_is_that_of_psych() -> None:
    # danieldeutsch/nlpstats, tests/correlations/williams_test.py, checked there against R's psych::r.test
    np.random.seed(12)  # the published numbers are of this generator
    x, y, z = (np.random.random((9, 5)).ravel() for _ in range(3))
    a, b, both = correlation(x, z), correlation(y, z), correlation(x, y)
    assert a is not None
    assert b is not None
    assert both is not None
    # they take absolute values of correlations first
    found = williams(abs(a), abs(b), abs(both), 45)
    assert found.p == pytest.approx(0.5433956, abs=1e-5)
    assert found.p_better == pytest.approx(0.2716978, abs=1e-5)


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=5, max_size=12))
def test_williams_is_antisymmetric(rows: list[tuple[int, int, int]]) -> None:
    human, one, other = np.array(rows, dtype=float).T
    a, b, both = correlation(human, one), correlation(human, other), correlation(one, other)
    if a is None or b is None or both is None:
        return
    there, back = williams(a, b, both, len(rows)), williams(b, a, both, len(rows))
    if there.t is None:
        assert back.t is None
        return
    assert back.t is not None
    assert back.t == pytest.approx(-there.t)
    assert back.p == pytest.approx(there.p)
    assert there.p_better is not None
    assert back.p_better == pytest.approx(1 - there.p_better)
    assert (there.p_better < 0.5) == (a > b)


def test_williams_holds_its_level_under_the_null() -> None:
    random = np.random.default_rng(5)
    found = []
    for _ in range(600):
        human = random.normal(size=20)
        one, other = human + random.normal(size=20), human + random.normal(size=20)
        a, b, both = correlation(human, one), correlation(human, other), correlation(one, other)
        assert a is not None
        assert b is not None
        assert both is not None
        p = williams(a, b, both, 20).p
        assert p is not None
        found.append(p)
    shares = [(np.array(found) <= level).mean() for level in (0.05, 0.2, 0.5)]
    assert shares == pytest.approx([0.05, 0.2, 0.5], abs=0.04)


def test_williams_where_it_is_undefined_or_impossible() -> None:
    assert williams(0.5, 0.4, 0.3, 3).reason == "fewer than four pairs"
    same = williams(0.5, 0.5, 1.0, 10)
    assert (same.t, same.p) == (None, None)
    assert same.reason
    with pytest.raises(ModelError, match="not a correlation"):
        williams(1.2, 0.5, 0.5, 10)
    with pytest.raises(ModelError, match="No three variables"):
        williams(0.9, -0.9, 0.9, 10)


# Exchanging


@pytest.mark.parametrize("resample", ["documents", "systems", "both"])
@pytest.mark.parametrize("level", ["system", "summary", "global"])
def test_permutations_come_near_the_share_of_all(level: Level, resample: Resample) -> None:
    human, one, other = metrics(np.random.default_rng(8), 3, 3, 0.5)
    found = permutation_test(human, one, other, level, draws=Draws(resample, 4000))
    shape = {"documents": (3, 1), "systems": (1, 3), "both": (3, 3)}[resample]
    scaled = [_scaled(level, scores) for scores in (one, other)]
    every = []
    for bits in product((False, True), repeat=shape[0] * shape[1]):
        swapped = np.broadcast_to(np.array(bits).reshape(shape), (3, 3))
        first, second = np.where(swapped, scaled[1], scaled[0]), np.where(swapped, scaled[0], scaled[1])
        every.append(_plain(level, first, human) - _plain(level, second, human))
    assert found.difference == pytest.approx(every[0])
    assert found.p == pytest.approx(np.mean(np.abs(every) >= abs(every[0]) - 1e-9), abs=0.03)
    assert found.p_better == pytest.approx(np.mean(np.array(every) >= every[0] - 1e-9), abs=0.03)


def _scaled(level: Level, scores: Array) -> Array:
    mean = scores.mean(axis=1, keepdims=True) if level == "summary" else scores.mean()
    spread = {
        "system": scores.mean(axis=0).std(),
        "summary": scores.std(axis=1, keepdims=True),
        "global": scores.std(),
    }
    scaled: Array = (scores - mean) / spread[level]
    return scaled


def _plain(level: Level, scores: Array, human: Array) -> float:
    if level == "system":
        return float(np.corrcoef(scores.mean(axis=0), human.mean(axis=0))[0, 1])
    if level == "summary":
        return float(np.mean([np.corrcoef(x, y)[0, 1] for x, y in zip(scores, human, strict=True)]))
    return float(np.corrcoef(scores.ravel(), human.ravel())[0, 1])


def test_scales_do_not_matter_and_the_order_of_metrics_only_for_the_sign() -> None:
    human, one, other = metrics(np.random.default_rng(3), 10, 8, 0.5)
    draws = Draws("systems", 300)
    found = permutation_test(human, one, other, draws=draws)
    moved = permutation_test(human, one * 7 - 2, other / 100, draws=draws)
    assert moved.p == found.p
    assert moved.difference == pytest.approx(found.difference)
    back = permutation_test(human, other, one, draws=draws)
    assert found.difference is not None
    assert back.difference == pytest.approx(-found.difference)
    assert back.p == found.p


def test_exchanging_systems_holds_its_level_and_exchanging_documents_speaks_of_these_systems_only() -> None:
    rejected: dict[Resample, int] = {"documents": 0, "systems": 0}
    p = []
    for seed in range(100):
        scores = metrics(np.random.default_rng(seed), 12, 12, 0.5)
        for resample in rejected:
            found = permutation_test(*scores, draws=Draws(resample, 199, seed)).p
            assert found is not None
            rejected[resample] += found <= 0.05
            if resample == "systems":
                p.append(found)
    assert rejected["systems"] <= 11  # 5 expected of 100
    assert np.mean(np.array(p) <= 0.5) == pytest.approx(0.5, abs=0.15)
    assert rejected["documents"] >= 20


def test_exchanging_documents_holds_its_level_where_systems_are_judged_alike() -> None:
    found = []
    for seed in range(100):
        scores = metrics(np.random.default_rng(seed), 12, 12, 0)
        p = permutation_test(*scores, draws=Draws("documents", 199, seed)).p
        assert p is not None
        found.append(p)
    assert sum(p <= 0.05 for p in found) <= 11
    assert np.mean(np.array(found) <= 0.5) == pytest.approx(0.5, abs=0.15)


def test_a_better_metric_is_found() -> None:
    random = np.random.default_rng(1)
    quality = random.normal(size=30)
    human, good, bad = (quality + error * random.normal(size=(20, 30)) for error in (0.3, 0.3, 4.0))
    for test in (permutation_test, bootstrap_difference):
        found = test(human, good, bad, draws=Draws("systems", 400))
        assert found.p is not None
        assert found.p_better is not None
        assert found.difference is not None
        assert found.p < 0.05
        assert found.p_better <= found.p
        assert found.difference > 0


# Drawing


def test_the_bootstrap_of_both_is_careful_and_that_of_systems_holds_its_level() -> None:
    rejected: dict[Resample, int] = {"systems": 0, "both": 0}
    for seed in range(100):
        scores = metrics(np.random.default_rng(seed), 12, 15, 0.5)
        for resample in rejected:
            found = bootstrap_difference(*scores, draws=Draws(resample, 199, seed))
            assert found.p is not None
            assert found.interval is not None
            rejected[resample] += found.p <= 0.05
    assert rejected["systems"] <= 12  # 5 expected of 100
    assert rejected["both"] <= 6


def test_a_metric_against_itself() -> None:
    human, one, _ = metrics(np.random.default_rng(3), 6, 6, 0.5)
    for test in (permutation_test, bootstrap_difference):
        found = test(human, one, one, "summary", "kendall", draws=Draws("both", 100))
        assert (found.difference, found.p) == (0.0, 1.0)


def test_a_cell_that_one_metric_misses_counts_for_neither() -> None:
    human, one, other = metrics(np.random.default_rng(3), 6, 5, 0.5)
    holes = one.copy()
    holes[0, 0] = np.nan
    ours = permutation_test(human, holes, other, "global", draws=Draws("both", 100)).difference
    both = permutation_test(human, holes, np.where(np.isnan(holes), np.nan, other), "global").difference
    assert ours == pytest.approx(both)
    assert bootstrap_difference(human, holes, other, "global", draws=Draws("both", 100)).difference == ours


@pytest.mark.parametrize("level", ["system", "summary", "global"])
def test_constant_metrics_have_no_test(level: Level) -> None:
    human = np.arange(12.0).reshape(3, 4)
    for test in (permutation_test, bootstrap_difference):
        found = test(human, human, np.ones((3, 4)), level, draws=Draws("both", 100))
        assert (found.difference, found.p, found.p_better, found.interval) == (None, None, None, None)


def test_one_document_cannot_be_drawn() -> None:
    human = np.array([[1.0, 2, 3, 4]])
    found = bootstrap_difference(human, human, human[:, ::-1], draws=Draws("documents", 100))
    assert (found.difference, found.p) == (2.0, None)


def test_bad_input_is_named() -> None:
    with pytest.raises(ModelError, match="cannot be compared"):
        permutation_test([[1, 2]], [[1, 2]], [[1, 2, 3]])
    with pytest.raises(ModelError, match="infinite"):
        bootstrap_difference([[1, 2]], [[1, 2]], [[1, float("inf")]])


# .95


@pytest.mark.parametrize(
    ("value", "interval", "by_estimate", "by_interval"),
    [
        (0.96, Interval(0.91, 0.98), True, "open"),
        (0.98, Interval(0.955, 0.99), True, "yes"),
        (0.80, Interval(0.6, 0.9), False, "no"),
        (0.95, None, False, "open"),  # "exceeding 0.95"
        (None, None, None, "open"),
    ],
)
def test_substitutability(
    value: float | None, interval: Interval | None, by_estimate: bool | None, by_interval: str
) -> None:
    found = substitutability(value, interval)
    assert (found.by_estimate, found.by_interval) == (by_estimate, by_interval)


def test_a_threshold_is_a_correlation() -> None:
    with pytest.raises(ModelError, match="threshold"):
        substitutability(0.5, None, 1.5)
