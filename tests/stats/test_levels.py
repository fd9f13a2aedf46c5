"""Correlations at three levels, their intervals over documents, systems and both, many draws at once, and gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats.agreement import krippendorff_alpha
from pyramidion.stats.correlation import (
    Coefficient,
    Statistic,
    correlation,
    correlations_by_row,
    fisher_interval,
)
from pyramidion.stats.levels import (
    Draws,
    Estimate,
    Level,
    Resample,
    correlation_at,
    correlation_matrix,
    correlations_by_draw,
    difference,
    estimate,
    summary_level,
    system_level,
    times_drawn,
)

COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall", "krippendorff")
STATISTICS: tuple[Statistic, ...] = ("pearson", "spearman", "kendall")
LEVELS: tuple[Level, ...] = ("system", "summary", "global")
RESAMPLES: tuple[Resample, ...] = ("documents", "systems", "both")
Array = NDArray[np.float64]
values = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=9)


def benchmark(seed: int, documents: int = 8, systems: int = 6) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    quality = random.normal(size=systems)
    people = quality + random.normal(size=(documents, 1)) + random.normal(size=(documents, systems))
    return people, quality + random.normal(size=systems) / 2 + random.normal(size=(documents, systems))


@given(pairs=values)
def test_krippendorff_is_alpha_of_two_coders_with_the_interval_distance(pairs: list[tuple[int, int]]) -> None:
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    ours, theirs = correlation(x, y, "krippendorff"), krippendorff_alpha([x, y], "interval").value
    assert ours == (pytest.approx(theirs, abs=1e-9) if theirs is not None else None)


@given(pairs=values, scale=st.floats(0.01, 100), shift=st.floats(-50, 50), coefficient=st.sampled_from(COEFFICIENTS))
def test_symmetry_and_what_each_does_not_see(
    pairs: list[tuple[int, int]], scale: float, shift: float, coefficient: Coefficient
) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    found = correlation(x, y, coefficient)
    assert correlation(y, x, coefficient) == pytest.approx(found)
    moved = x * scale + shift if coefficient != "krippendorff" else x
    assert correlation(moved, y, coefficient) == pytest.approx(found, abs=1e-6)
    if coefficient in ("spearman", "kendall"):
        assert correlation(np.exp(x), y, coefficient) == pytest.approx(found, abs=1e-9)
    if coefficient == "krippendorff":
        assert correlation(x * scale + shift, y * scale + shift, coefficient) == pytest.approx(found, abs=1e-6)


def test_long_rows_of_kendall_are_those_of_scipy() -> None:
    random = np.random.default_rng(3)
    x, y = random.integers(0, 20, size=(2, 2, 300)).astype(float)
    expected = [stats.kendalltau(one, other).statistic for one, other in zip(x, y, strict=True)]
    assert correlations_by_row(x, y, "kendall").tolist() == pytest.approx(expected)


def test_levels_by_hand() -> None:
    people, metric = np.array([[1.0, 2, 3], [3, 4, 8]]), np.array([[1.0, 3, 2], [2, 2, 5]])
    # means 2 3 5.5 and 1.5 2.5 3.5
    assert correlation_at("system", people, metric).value == pytest.approx(
        stats.pearsonr([2, 3, 5.5], [1.5, 2.5, 3.5]).statistic
    )
    each = [stats.pearsonr(x, y).statistic for x, y in zip(people, metric, strict=True)]
    assert correlation_at("summary", people, metric).value == pytest.approx(sum(each) / 2)
    pooled = stats.pearsonr([1, 2, 3, 3, 4, 8], [1, 3, 2, 2, 2, 5]).statistic
    found = correlation_at("global", people, metric)
    assert found.value == pytest.approx(pooled)
    assert (found.n, found.cells) == (6, 6)


def test_complete_data_have_the_values_of_the_older_functions() -> None:
    people, metric = benchmark(1)
    assert correlation_at("system", people, metric).value == system_level(people, metric, samples=10).value
    assert correlation_at("summary", people, metric).value == summary_level(people, metric, samples=10).value


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("resample", RESAMPLES)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_intervals_are_those_of_a_plain_loop(level: Level, resample: Resample, coefficient: Coefficient) -> None:
    people, metric = benchmark(2)
    draws = Draws(resample, 60, seed=5)
    found = correlation_at(level, people, metric, coefficient, draws=draws)
    assert found.interval is not None
    assert found.value is not None
    [(documents, systems)] = list(draws.indices(8, 6, 1))
    same = [
        correlation_at(level, people[d][:, s], metric[d][:, s], coefficient).value
        for d, s in zip(documents, systems, strict=True)
    ]
    again = np.array([np.nan if one is None else one for one in same])
    if level == "summary":
        exact = np.nanquantile(again, [0.025, 0.975])
    else:
        angle = np.arccos(found.value)
        reach = np.nanquantile(np.abs(np.arccos(np.clip(again, -1, 1)) - angle), 0.95)
        exact = np.cos([min(np.pi, angle + reach), max(0, angle - reach)])
    assert list(found.interval) == pytest.approx(exact.tolist(), abs=1e-6)


def test_both_is_wider_than_documents() -> None:
    people, metric = benchmark(4, 30, 15)
    width: dict[Resample, float] = {}
    for resample in RESAMPLES:
        interval = correlation_at("system", people, metric, draws=Draws(resample, 500)).interval
        assert interval is not None
        width[resample] = interval.high - interval.low
    assert width["documents"] < width["both"]
    assert width["documents"] < width["systems"]


def test_intervals_over_both_hold_the_truth_for_other_systems_and_those_over_documents_do_not() -> None:
    # the metric's own error of a system has deviation .5: with endless documents, r = 1 / sqrt(1.25)
    truth = 1.25**-0.5
    held: dict[Resample, int] = {"documents": 0, "both": 0}
    for seed in range(60):
        random = np.random.default_rng(seed)
        quality = random.normal(size=20)
        people = quality + random.normal(size=(50, 20))
        metric = quality + random.normal(size=20) / 2 + random.normal(size=(50, 20))
        for resample in held:
            interval = correlation_at("system", people, metric, draws=Draws(resample, 200, seed)).interval
            assert interval is not None
            held[resample] += interval.low <= truth <= interval.high
    assert held["both"] >= 51
    assert held["documents"] <= 42


def test_missing_cells_by_their_own_means_or_the_common_ones() -> None:
    nan = float("nan")
    people, metric = [[1.0, 2, 3], [5, 6, nan]], [[1.0, 4, 2], [3, nan, 9]]
    own = correlation_at("system", people, metric, means="own").value
    assert own == pytest.approx(stats.pearsonr([3, 4, 3], [2, 4, 5.5]).statistic)
    common = correlation_at("system", people, metric, means="common").value
    assert common == pytest.approx(stats.pearsonr([3, 2, 3], [2, 4, 2]).statistic)
    pooled = correlation_at("global", people, metric)
    assert pooled.value == pytest.approx(stats.pearsonr([1, 2, 3, 5], [1, 4, 2, 3]).statistic)
    assert (pooled.n, pooled.cells) == (4, 4)
    summary = correlation_at("summary", people, metric)
    assert (summary.n, summary.undefined) == (1, 1)  # the second document has one pair left


def test_a_system_without_a_score_is_left_out() -> None:
    nan = float("nan")
    found = correlation_at("system", [[1.0, 2, 3, nan]], [[1.0, 2, 4, 9]])
    assert found.n == 3
    assert correlation_at("system", [[1.0, 2, 3]], [[nan, nan, nan]]).value is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_constant_scores_have_no_correlation(level: Level, coefficient: Coefficient) -> None:
    found = correlation_at(level, [[1.0, 1, 1]] * 3, [[1.0, 1, 1]] * 3, coefficient, draws=Draws("both", 100))
    assert (found.value, found.interval) == (None, None)


def test_one_document_or_system_has_nothing_to_draw() -> None:
    people, metric = [[1.0, 2, 3, 5, 4, 1]], [[1.0, 3, 2, 6, 5, 3]]
    assert correlation_at("system", people, metric, draws=Draws("documents", 100)).interval is None
    assert correlation_at("system", people, metric, draws=Draws("both", 100)).interval is None
    assert correlation_at("system", people, metric, draws=Draws("systems", 100)).interval is not None
    one = np.array(people).T, np.array(metric).T
    assert correlation_at("global", *one, draws=Draws("both", 100)).interval is None
    assert correlation_at("global", *one, draws=Draws("documents", 100)).interval is not None
    assert correlation_at("system", *one).value is None


def test_six_of_what_is_drawn_can_be_drawn_from() -> None:
    """By documents and systems; what is not drawn may be one."""
    sizes = [(5, 5), (1, 6), (6, 1), (6, 6)]
    assert [Draws("documents").possible(*size) for size in sizes] == [False, False, True, True]
    assert [Draws("systems").possible(*size) for size in sizes] == [False, True, False, True]
    assert [Draws("both").possible(*size) for size in sizes] == [False, False, False, True]


def test_bad_input_is_named() -> None:
    with pytest.raises(ModelError, match="infinite"):
        correlation_at("system", [[1.0, float("inf")]], [[1.0, 2]])
    with pytest.raises(ModelError, match="cannot be compared"):
        correlation_at("system", [[1.0, 2]], [[1.0, 2, 3]])
    with pytest.raises(ModelError, match="matrix of numbers"):
        correlation_at("system", [["a", "b"]], [[1.0, 2]])
    with pytest.raises(ModelError, match="0 draws"):
        Draws(samples=0)
    with pytest.raises(ModelError, match="confidence"):
        Draws(confidence=1.0)


def test_the_matrix_is_symmetric_and_has_ones() -> None:
    people, metric = benchmark(7)
    found = correlation_matrix({"a": people, "b": metric, "c": -people}, "summary", "kendall")
    table = np.array(found.values, dtype=float)
    assert (table == table.T).all()
    assert np.diag(table).tolist() == [1, 1, 1]
    assert found.values[0][2] == -1


def test_fisher_needs_four_pairs_and_no_certainty() -> None:
    assert fisher_interval(0.5, 3) is None
    assert fisher_interval(1.0, 10) is None
    assert fisher_interval(None, 10) is None
    found = fisher_interval(0.5, 28)
    assert found is not None
    assert list(found) == pytest.approx(list(np.tanh(np.arctanh(0.5) + np.array([-1, 1]) * 1.959964 / 5)), abs=1e-6)


# Documents that count several times


def judged(seed: int = 0, documents: int = 6, systems: int = 5) -> tuple[Array, Array]:
    """Human scores with ties, a metric that follows them with noise, and one summary that is missing."""
    random = np.random.default_rng(seed)
    human = random.integers(0, 4, (documents, systems)).astype(float)
    metric = (human + random.normal(0, 1, human.shape)).round(1)
    metric[1, 2] = np.nan
    return human, metric


def by_repeating(human: Array, metric: Array, times: Array, level: Level, statistic: Statistic) -> float | None:
    """The same by definition: documents stand in the matrix as often as they count."""
    rows = np.repeat(np.arange(len(human)), times.astype(int))
    ours, theirs = human[rows], metric[rows]
    if level == "global":
        there = np.isfinite(ours) & np.isfinite(theirs)
        return correlation(ours[there], theirs[there], statistic)
    found = {"summary": summary_level, "system": system_level}[level]
    return found(ours, theirs, statistic, samples=1).value


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_pair_alone_has_no_correlation_however_often_it_counts(statistic: Statistic) -> None:
    """Of three documents with one summary each, a draw may have one alone, once or three times; two are a line."""
    human, metric = np.array([[1.0], [2], [3]]), np.array([[1.0], [3], [2]])
    times = np.array([[1.0, 0, 0], [0, 3, 0], [0, 0, 0], [0, 2, 1]])
    found = correlations_by_draw(human, metric, times, "global", statistic)
    assert np.isnan(found[:3]).all()
    assert found[3] == pytest.approx(-1)  # 2 and 3 against 3 and 2


@settings(max_examples=30)
@given(st.lists(st.integers(0, 3), min_size=6, max_size=6).filter(any), st.integers(0, 20))
def test_a_document_that_counts_twice_is_as_good_as_two(times: list[int], seed: int) -> None:
    human, metric = judged(seed)
    rows = np.array([times], dtype=float)
    for statistic in STATISTICS:
        for level in ("global", "summary"):
            expected = by_repeating(human, metric, rows[0], level, statistic)
            found = correlations_by_draw(human, metric, rows, level, statistic)[0]
            assert np.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("level", LEVELS)
def test_the_first_value_is_that_of_all_documents(level: Level, statistic: Statistic) -> None:
    human, metric = judged()
    found = correlations_by_draw(human, metric, times_drawn(len(human), 50), level, statistic)
    assert found[0] == pytest.approx(by_repeating(human, metric, np.ones(6), level, statistic), abs=1e-9)
    assert len(found) == 51


def test_system_level_leaves_documents_out() -> None:
    human, metric = judged(3)
    rows = np.array([[1, 0, 1, 1, 1, 1.0]])
    kept = [0, 2, 3, 4, 5]
    expected = system_level(human[kept], metric[kept], "kendall").value
    assert correlations_by_draw(human, metric, rows, "system", "kendall")[0] == pytest.approx(expected)


def test_intervals_are_those_of_the_other_modules() -> None:
    human, metric = judged(1, 30, 8)
    times = times_drawn(30, 4000)
    for level, other in (("summary", summary_level), ("system", system_level)):
        found = estimate(correlations_by_draw(human, metric, times, level, "pearson"), level)  # type: ignore[arg-type]
        known = other(human, metric)
        assert found.value == pytest.approx(known.value)
        assert tuple(found.interval or ()) == pytest.approx(tuple(known.interval or ()), abs=0.04)


def test_summaries_of_one_document_are_not_independent() -> None:
    """Documents that differ in difficulty make the interval over documents wider than one over pairs would be."""
    random = np.random.default_rng(0)
    easy = random.normal(0, 3, (20, 1))
    human = easy + random.normal(size=(20, 10))
    metric = easy + random.normal(0, 3, (20, 1)) + random.normal(size=(20, 10))
    over_documents = estimate(
        correlations_by_draw(human, metric, times_drawn(20), "global", "pearson"), "global"
    ).interval
    flat = human.reshape(-1, 1), metric.reshape(-1, 1)
    over_pairs = estimate(correlations_by_draw(*flat, times_drawn(200), "global", "pearson"), "global").interval
    assert over_documents
    assert over_pairs
    assert over_documents.high - over_documents.low > 2 * (over_pairs.high - over_pairs.low)


def test_undefined_is_none_and_never_nan() -> None:
    constant = np.ones((3, 4))
    varied = np.arange(12.0).reshape(3, 4)
    for level in LEVELS:
        for statistic in STATISTICS:
            found = correlations_by_draw(constant, varied, times_drawn(3, 20), level, statistic)
            assert np.isnan(found).all()
            assert estimate(found, level) == Estimate(None)
            assert difference(found, found, level) == Estimate(None)


def test_nearly_equal_values_are_ties() -> None:
    human = np.array([[1.0, 2, 3, 4]])
    metric = np.array([[0.3, 0.1 + 0.2, 0.5, 0.7]])
    exact = np.array([[0.3, 0.3, 0.5, 0.7]])
    for statistic in STATISTICS:
        found = [correlations_by_draw(human, one, np.ones((1, 1)), "global", statistic)[0] for one in (metric, exact)]
        assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_a_metric_differs_from_itself_by_nothing() -> None:
    human, metric = judged(2)
    drawn = correlations_by_draw(human, metric, times_drawn(6, 100), "global", "spearman")
    assert difference(drawn, drawn, "global") == Estimate(0.0, (0.0, 0.0))  # type: ignore[arg-type]


def test_a_clear_difference_has_an_interval_above_0() -> None:
    random = np.random.default_rng(5)
    human = random.normal(size=(40, 10))
    good, bad = human + random.normal(0, 0.3, human.shape), human + random.normal(0, 3, human.shape)
    times = times_drawn(40)
    for level in ("global", "summary"):
        better, worse = (correlations_by_draw(human, one, times, level, "pearson") for one in (good, bad))
        found = difference(better, worse, level)
        assert found.interval
        assert 0 < found.interval.low < found.interval.high
        assert found.value == pytest.approx(better[0] - worse[0])
