"""Whatever is drawn from, an interval holds its estimate and nothing that is impossible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pyramidion.crowd.judging.aggregate import AGGREGATIONS
from pyramidion.crowd.scores.curves import Spread
from pyramidion.crowd.scores.scoring import score
from pyramidion.errors import ModelError
from pyramidion.stats.agreement import krippendorff_alpha
from pyramidion.stats.bootstrap import FEWEST, Interval, few_note, mean_interval, percentiles, reach
from pyramidion.stats.combination import combination
from pyramidion.stats.correlation import (
    angle_interval,
    correlation_interval,
    fisher_interval,
)
from pyramidion.stats.correlation_tests import bootstrap_difference
from pyramidion.stats.cross_validation import cross_validate, folds_of
from pyramidion.stats.distances import DistanceName
from pyramidion.stats.effects import cohen_d
from pyramidion.stats.levels import Draws, Level, Resample, correlation_at, summary_level, system_level
from pyramidion.stats.metric_accuracy import metric_accuracy
from pyramidion.stats.paired import paired_bootstrap
from pyramidion.stats.scu_tests import mcnemar
from tests.crowd.ballots import votes

Array = NDArray[np.float64]
Rows = Sequence[Sequence[float]]
Found = tuple[str, float | None, Interval | None, float, float]
"""What it is, the estimate, its interval, and the least and the largest that is possible."""

STATISTICS = ("pearson", "spearman", "kendall")
SAMPLES = 20
INFINITE = float("inf")


def from_pairs(x: Array, y: Array) -> Iterator[Found]:
    pairs = np.isfinite(x) & np.isfinite(y)
    one, other = x[pairs], y[pairs]
    for statistic in STATISTICS:
        found = correlation_interval(one, other, statistic, samples=SAMPLES)
        yield f"correlation_interval {statistic}", found.value, found.interval, -1, 1
    value = correlation_interval(one, other, samples=1).value
    yield "fisher_interval", value, fisher_interval(value, len(one)), -1, 1
    if len(one) > 2:
        keys = [("", f"{number:03}") for number in range(len(one))]
        validated = cross_validate([one.tolist()], other.tolist(), folds_of(keys, other.tolist(), 2))
        yield "cross_validate", validated.held_out, validated.interval, -1, 1


def from_matrices(human: Array, metric: Array, third: Array) -> Iterator[Found]:
    for statistic in STATISTICS:
        for level_of in (summary_level, system_level):
            try:
                found = level_of(human, metric, statistic, samples=SAMPLES)
            except ModelError:  # a system without any pair of scores
                continue
            yield f"{level_of.__name__} {statistic}", found.value, found.interval, -1, 1
    levels: tuple[Level, ...] = ("system", "summary", "global")
    drawn: tuple[Resample, ...] = ("documents", "systems", "both")
    for level in levels:
        for resample in drawn:
            draws = Draws(resample, SAMPLES)
            for coefficient in (*STATISTICS, "krippendorff"):
                at = correlation_at(level, human, metric, coefficient, draws=draws)
                yield f"correlation_at {level} {resample} {coefficient}", at.value, at.interval, -1, 1
            test = bootstrap_difference(human, metric, third, level, draws=draws)
            yield f"bootstrap_difference {level} {resample}", test.difference, test.interval, -2, 2
        try:
            mixed = combination(metric, third, human, level=level, steps=2, samples=SAMPLES)
        except ModelError:  # too few summaries, or nothing varies
            continue
        for way, worth in mixed.worth.items():
            for name, estimate in worth.items():
                yield f"combination {level} {way} {name}", estimate.value, estimate.interval, -1, 1
        for ways, gain in mixed.gains.items():
            for name, estimate in gain.items():
                yield f"combination {level} {ways} {name}", estimate.value, estimate.interval, -2, 2


def from_topics(scores: Array, other: Array) -> Iterator[Found]:
    """Topics x systems of shares."""
    for column in scores.T:
        known = column[np.isfinite(column)].tolist()
        mean = float(np.mean(known)) if known else None
        yield "mean_interval", mean, mean_interval(known, samples=SAMPLES), 0, 1
        spread = Spread.of(column)
        if spread:
            yield "Spread", spread.mean, Interval(spread.low, spread.high), 0, 1
    by = scores[:, :1] - scores[:, -1:]
    drawn, effect = paired_bootstrap(by, samples=SAMPLES), cohen_d(by, confidence=0.3)
    some = np.isfinite(by).any()
    yield (
        "paired_bootstrap",
        float(np.nanmean(by)) if some else None,
        _bounds(drawn.low, drawn.high),
        -INFINITE,
        INFINITE,
    )
    value = None if np.isnan(effect.value[0]) else float(effect.value[0])
    yield "cohen_d", value, _bounds(effect.low, effect.high), -INFINITE, INFINITE
    if scores.shape[1] > 1:
        accuracy = metric_accuracy(scores, other, samples=5)
        yield "metric_accuracy", accuracy.mean, accuracy.interval, 0, 1


def _bounds(low: Array, high: Array) -> Interval | None:
    assert np.isnan(low).tolist() == np.isnan(high).tolist()
    return None if np.isnan(low[0]) else Interval(float(low[0]), float(high[0]))


def from_coders(ratings: Array) -> Iterator[Found]:
    """Coders x units, each of 0 or 1."""
    distances: tuple[DistanceName, ...] = ("nominal", "ordinal", "interval", "ratio")
    for distance in distances:
        for groups in (None, [unit // 2 for unit in range(ratings.shape[1])]):
            found = krippendorff_alpha(ratings, distance, groups=groups, samples=SAMPLES)
            yield f"krippendorff_alpha {distance} {groups}", found.value, found.interval, -INFINITE, 1
    odds = mcnemar(ratings[0], ratings[1])
    yield "mcnemar", odds.odds_ratio if odds.only_second else INFINITE, odds.interval, 0, INFINITE


def from_votes(ratings: Array) -> Iterator[Found]:
    """A topic for each unit, in which the coders are the workers who judge two systems."""
    units = ratings.shape[1]
    letters = {0.0: "n", 1.0: "p"}
    judged = {
        (f"topic {unit:02}", system): [letters.get(float(given), "?") for given in ratings[:, (unit + shift) % units]]
        for unit in range(units)
        for shift, system in enumerate("ab")
    }
    given = votes(judged)
    found = score(given, AGGREGATIONS["majority"](given), samples=SAMPLES)
    for system in found.systems:
        yield f"crowd score {system.system}", system.mean, system.interval, 0, 1
    if len(found.systems) == 2:
        first, second = found.systems
        yield "crowd difference", first.mean - second.mean, found.difference(first.system, second.system), -1, 1
    yield "crowd alpha", found.agreement.alpha, found.agreement.interval, -INFINITE, 1


def check(every: Iterator[Found]) -> None:
    for name, estimate, interval, least, largest in every:
        if interval is None:
            continue
        low, high = interval
        assert estimate is not None, name
        assert not isnan(low), name
        assert not isnan(high), name
        # estimates and ends are rounded to twelve decimals
        assert least - 1e-12 <= low <= estimate + 1e-9, (name, estimate, interval)
        assert estimate - 1e-9 <= high <= largest + 1e-12, (name, estimate, interval)


def check_all(human: Array, metric: Array, third: Array) -> None:
    """Every interval that three matrices of documents x systems, of scores from 0 to 4, can have."""
    check(from_pairs(human.ravel(), metric.ravel()))
    check(from_pairs(human[0], metric[0]))
    check(from_matrices(human, metric, third))
    check(from_topics(human / 4, metric / 4))
    ratings = np.where(np.isnan(human), nan, human > 1)
    check(from_coders(ratings if len(ratings) > 1 else np.vstack([ratings, ratings])))
    if np.isfinite(ratings).any():
        check(from_votes(ratings))


RISING = [[0, 1, 2, 3], [1, 2, 3, 4], [0, 2, 3, 4], [1, 1, 2, 4]]
MIXED = [[1, 0, 2, 4], [2, 1, 3, 3], [1, 2, 1, 4], [0, 3, 2, 3]]
FALLING = [row[::-1] for row in RISING]
CONSTANT_COLUMN = [[2, row[1], 2, row[3]] for row in RISING]
TIED = [[1, 1, 1, 3], [1, 1, 3, 3], [3, 3, 3, 1], [1, 1, 1, 1]]
ONE_MISSING = [[nan, *RISING[0][1:]], *RISING[1:]]


@pytest.mark.parametrize(
    ("human", "metric", "third"),
    [
        pytest.param(RISING, RISING, MIXED, id="perfect correlation"),
        pytest.param(RISING, FALLING, RISING, id="perfect anti-correlation"),
        pytest.param(RISING, MIXED, CONSTANT_COLUMN, id="constant columns"),
        pytest.param(TIED, TIED[::-1], MIXED, id="ties"),
        pytest.param([[2] * 4] * 4, MIXED, RISING, id="constant scores"),
        pytest.param(RISING[:2], MIXED[:2], FALLING[:2], id="two documents"),
        pytest.param(
            [row[:2] for row in MIXED], [row[:2] for row in RISING], [row[:2] for row in FALLING], id="two systems"
        ),
        pytest.param(RISING[:1], MIXED[:1], FALLING[:1], id="one document"),
        pytest.param(
            [row[:1] for row in RISING], [row[:1] for row in MIXED], [row[:1] for row in TIED], id="one system"
        ),
        pytest.param(ONE_MISSING, MIXED, TIED, id="one missing for people"),
        pytest.param(MIXED, ONE_MISSING, RISING, id="one missing for the metric"),
    ],
)
def test_degenerate_draws(human: Rows, metric: Rows, third: Rows) -> None:
    matrices = [np.array(rows, dtype=float) for rows in (human, metric, third)]
    check_all(*matrices)
    check_all(*(np.tile(matrix, (3, 3)) for matrix in matrices))  # as few are not drawn from


def test_from_five_nothing_is_drawn_and_from_six_it_is() -> None:
    """By whatever is drawn; :data:`FEWEST` says why six."""

    def named(size: int) -> dict[str, Interval | None]:
        random = np.random.default_rng(size)
        human = random.integers(0, 5, (size, size)).astype(float)
        near = human + random.normal(0, 0.5, human.shape)
        far = human + random.normal(0, 1, human.shape)
        found = [*from_pairs(human[0], near[0]), *from_matrices(human, near, far), *from_coders((human > 1) * 1.0)]
        found += from_votes((human > 1) * 1.0)
        found.append(("mean_interval", human[0].mean(), mean_interval(human[0].tolist(), samples=SAMPLES), 0, 4))
        by = paired_bootstrap(human[:, :1] - far[:, 1:2])
        found.append(("paired_bootstrap", None, _bounds(by.low, by.high), 0, 0))
        accuracy = metric_accuracy(human, near, samples=5)
        found.append(("metric_accuracy", accuracy.mean, accuracy.interval, 0, 1))
        return {name: interval for name, _, interval, *_ in found if name != "mcnemar" and " [0" not in name}

    assert set(named(5).values()) == {None}
    assert None not in named(6).values()
    assert FEWEST == 6
    assert few_note(5, "topics") == "No intervals: it takes 6 topics, and here are 5."
    assert few_note(6, "topics") == ""


@st.composite
def benchmarks(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    documents, systems = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    cell = st.sampled_from([0.0, 1.0, 1.0, 2.0, 4.0, nan])
    rows = st.lists(st.lists(cell, min_size=systems, max_size=systems), min_size=documents, max_size=documents)
    first, second, third = (np.array(draw(rows), dtype=float) for _ in range(3))
    return first, second, third


@settings(max_examples=30, deadline=None)
@given(benchmarks())
def test_small_benchmarks(matrices: tuple[Array, Array, Array]) -> None:
    check_all(*matrices)


@given(
    st.floats(-1, 1),
    st.lists(st.one_of(st.floats(-1, 1), st.just(1.0), st.just(-1.0), st.just(nan)), min_size=1, max_size=30),
    st.floats(0.01, 0.99),
)
def test_any_draws(value: float, drawn: list[float], confidence: float) -> None:
    draws = np.array(drawn)
    check(
        iter(
            [
                ("angle_interval", value, angle_interval(value, draws, confidence), -1, 1),
                ("percentiles", value, percentiles(value, draws, confidence), -1, 1),
            ]
        )
    )


def test_ten_systems_whose_ranks_are_often_the_same_have_no_interval_down_to_minus_1() -> None:
    """Spearman's rho of ten systems is .9394 (two pairs of neighbours apart by 1, one by 2: 1 - 6 x 10 / 990).

    A tenth of the draws have 1, the angle of .9394 away, which is the farthest: cos(2 arccos .9394) = 2 x .9394^2 - 1.
    On Fisher's scale it is an infinite way, and the interval began at -1.
    """
    rho = 1 - 6 * 10 / 990
    drawn = np.repeat([0.9, rho, 0.96, 1.0], [30, 30, 30, 10])
    assert angle_interval(rho, drawn) == pytest.approx((2 * rho**2 - 1, 1.0))
    assert 2 * rho**2 - 1 == pytest.approx(0.7649, abs=5e-5)


def test_draws_on_one_side_leave_the_estimate_inside() -> None:
    """What few documents do to systems' means: every draw is lower. 60 degrees from 30 and 0 are -+ 30: 0 to 60."""
    low, high = np.cos(np.radians([60, 0]))
    assert angle_interval(np.cos(np.radians(30)), np.cos(np.radians([60.0] * 20))) == pytest.approx((low, high))
    assert percentiles(0.8, np.array([0.5, 0.6, 0.7])) == (pytest.approx(0.505), 0.8)


@pytest.mark.parametrize("interval", [percentiles, reach, angle_interval])
def test_without_an_estimate_or_with_half_of_the_draws_undefined_there_is_none(
    interval: Callable[[float, Array], Interval | float | None],
) -> None:
    assert interval(0.5, np.array([0.4, nan])) is None
    assert interval(0.5, np.array([0.4, 0.6, nan])) is not None
    assert interval(nan, np.array([0.4, 0.6])) is None
