"""Paired tests against scipy, against counting by hand, and under the null."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats import paired
from pyramidion.stats.paired import (
    EXACT,
    Zeros,
    differences,
    paired_bootstrap,
    rank_biserial,
    sign_flips,
    square,
    wilcoxon_columns,
)

LEVELS = (0.01, 0.05, 0.1, 0.2, 0.5)


def rejections(p: NDArray[np.float64]) -> list[float]:
    return [float((p <= level).mean()) for level in LEVELS]


def slack(level: float, trials: int) -> float:
    """Four deviations of a share that should be the level."""
    return 4 * float(np.sqrt(level * (1 - level) / trials))


def brute(values: list[float]) -> float:
    """The share of all signs whose sum is as far from 0."""
    observed = abs(sum(values)) - 1e-9
    sums = [sum(s * v for s, v in zip(signs, values, strict=True)) for signs in product((1, -1), repeat=len(values))]
    return float(np.mean([abs(one) >= observed for one in sums]))


# Signed ranks


def wilcoxon(row: ArrayLike, zeros: Zeros = "pratt") -> float:
    """The p-value of one pair."""
    return float(wilcoxon_columns(np.asarray(row)[:, None], zeros)[0])


@pytest.mark.parametrize("n", [1, 2, 5, 10, EXACT])
def test_wilcoxon_is_scipys_exact_test_without_ties(n: int) -> None:
    row = np.random.default_rng(n).normal(0.3, 1, n)
    assert wilcoxon(row) == pytest.approx(stats.wilcoxon(row, method="exact").pvalue, rel=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), [("pratt", "pratt"), ("drop", "wilcox")])
def test_wilcoxon_is_scipys_approximation_with_ties_and_zeros(ours: Zeros, theirs: str) -> None:
    row = np.random.default_rng(3).integers(-3, 5, 60).astype(float)
    assert (row == 0).any()
    expected = stats.wilcoxon(row, zero_method=theirs, method="asymptotic").pvalue
    assert wilcoxon(row, ours) == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_wilcoxon_counts_all_signs_with_ties_and_zeros(row: list[int]) -> None:
    sizes = stats.rankdata(np.abs(row))
    signed = [float(np.sign(value) * rank) for value, rank in zip(row, sizes, strict=True) if value]
    assert wilcoxon(row) == pytest.approx(brute(signed), abs=1e-12)
    assert wilcoxon([-value for value in row]) == wilcoxon(row)


def test_all_pairs_and_missing_cells() -> None:
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(30, 4)).round(1)
    scores[::7, 1] = np.nan
    found = square(wilcoxon_columns(differences(scores)), 4)
    for one in range(4):
        assert found[one, one] == 1
        for other in range(4):
            both = ~np.isnan(scores[:, one] + scores[:, other])
            if one != other:
                assert found[one, other] == pytest.approx(wilcoxon((scores[:, one] - scores[:, other])[both]))
    assert np.isfinite(found).all()


def test_equal_scores_are_no_evidence() -> None:
    assert wilcoxon([0, 0, 0]) == 1
    # .1 + .2 is not .3 in the last digit, and no difference either
    assert wilcoxon_columns(differences([[0.1 + 0.2, 0.3]] * 20)).tolist() == [1]
    assert wilcoxon_columns(differences([[1.0, np.nan], [np.nan, 1.0]])).tolist() == [1]


def test_ties_in_all_but_the_last_digit_are_ties() -> None:
    assert wilcoxon([0.1, 0.3 - 0.2, -0.1, 0.2]) == wilcoxon([1, 1, -1, 2])


def test_rank_biserial() -> None:
    assert rank_biserial([[3], [2], [-1]])[0] == pytest.approx((3 + 2 - 1) / 6)
    assert rank_biserial([[1], [2]])[0] == 1
    assert rank_biserial([[0], [0]])[0] == 0


# Exchanging


@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=1, max_size=10))
def test_sign_flips_count_all_signs(row: list[float]) -> None:
    assert sign_flips(np.array(row)[:, None])[0] == pytest.approx(brute(row), abs=1e-12)


def test_lattice_and_draws_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = np.random.default_rng(5).integers(-4, 6, (60, 5)) / 7
    exact = sign_flips(columns)
    monkeypatch.setattr(paired, "_STEPS", 0)
    drawn = sign_flips(columns, samples=20_000)
    assert drawn == pytest.approx(exact, abs=0.02)
    assert (drawn != exact).any()


def test_drawn_signs_are_seeded_and_never_zero() -> None:
    column = np.random.default_rng(1).normal(3, 0.1, (50, 1))
    first = sign_flips(column, samples=1000, seed=1)
    assert first[0] == 1 / 1001
    noisy = np.random.default_rng(1).normal(0.1, 1, (50, 1))
    assert sign_flips(noisy, 1000, 1)[0] == sign_flips(noisy, 1000, 1)[0] != sign_flips(noisy, 1000, 2)[0]


def test_scipys_permutation_test_agrees() -> None:
    row = np.random.default_rng(2).normal(0.4, 1, 11)
    found = stats.permutation_test((row,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flips(row[:, None])[0] == pytest.approx(found.pvalue, abs=1e-12)


# Drawing topics


def test_bootstrap_t_is_that_of_a_loop() -> None:
    column = np.random.default_rng(0).normal(0.3, 1, 15)
    mean, error = column.mean(), column.std(ddof=1) / np.sqrt(15)
    draws = column[np.random.default_rng(7).integers(0, 15, size=(999, 15))]
    t = np.abs(draws.mean(axis=1) - mean) / (draws.std(axis=1, ddof=1) / np.sqrt(15))
    found = paired_bootstrap(column[:, None], samples=999, seed=7)
    assert found.p[0] == pytest.approx((1 + (t >= abs(mean / error)).sum()) / 1000)
    reach = np.sort(t)[949] * error
    assert (found.low[0], found.high[0]) == pytest.approx((mean - reach, mean + reach))


def test_missing_cells_leave_the_pair_s_topics() -> None:
    generator = np.random.default_rng(0)
    whole = generator.normal(0.5, 1, (20, 1))
    gaps = np.vstack([whole, np.full((5, 1), np.nan)])
    alone, among = paired_bootstrap(whole), paired_bootstrap(gaps)
    assert among.p[0] == pytest.approx(alone.p[0], abs=0.02)
    assert among.low[0] == pytest.approx(alone.low[0], abs=0.05)


@pytest.mark.parametrize("column", [[0.2], [0.2, 0.2], [0.2] * 30, [0.0] * 30, [0.1, 0.3]])
def test_too_little_to_draw_from_has_no_interval_and_is_not_significant(column: list[float]) -> None:
    found = paired_bootstrap(np.array(column)[:, None], samples=500)
    assert found.p[0] > 0.4
    assert np.isnan([found.low[0], found.high[0]]).all()


def test_all_pairs_see_the_same_draws() -> None:
    scores = np.random.default_rng(0).normal(size=(20, 3))
    together = paired_bootstrap(differences(scores), samples=300)
    for place, (one, other) in enumerate([(0, 1), (0, 2), (1, 2)]):
        alone = paired_bootstrap(differences(scores[:, [one, other]]), samples=300)
        assert together.p[place] == alone.p[0]


# Under the null, a p-value of at most alpha comes in at most a share alpha of trials.

TRIALS = 3000


def null(kind: str, topics: int) -> NDArray[np.float64]:
    generator = np.random.default_rng([topics, len(kind)])
    match kind:
        case "normal":
            return generator.normal(size=(topics, TRIALS))
        case "steps":  # scores of few SCUs: ties and zeros
            return (generator.integers(0, 6, (topics, TRIALS)) - generator.integers(0, 6, (topics, TRIALS))) / 5
        case _:  # heavy tails
            return generator.standard_t(2, size=(topics, TRIALS))


@pytest.mark.parametrize("topics", [6, 20, 40])
@pytest.mark.parametrize("kind", ["normal", "steps", "heavy"])
def test_rank_and_sign_tests_are_calibrated(kind: str, topics: int) -> None:
    columns = null(kind, topics)
    for p in (wilcoxon_columns(columns), sign_flips(columns[:, :1000], samples=999)):
        for level, share in zip(LEVELS, rejections(p), strict=True):
            assert share <= level + slack(level, len(p)), (level, share)


def test_p_values_are_uniform_where_they_can_be() -> None:
    columns = null("normal", 40)
    for p in (wilcoxon_columns(columns), sign_flips(columns, samples=999)):
        assert stats.kstest(p, "uniform").pvalue > 0.001
    drawn = paired_bootstrap(columns[:, :1500], samples=400).p
    assert np.abs(np.sort(drawn) - np.linspace(0, 1, len(drawn))).max() < 0.05


@pytest.mark.parametrize("topics", [8, 20])
@pytest.mark.parametrize("kind", ["normal", "steps", "heavy"])
def test_bootstrap_is_calibrated_or_conservative(kind: str, topics: int) -> None:
    p = paired_bootstrap(null(kind, topics)[:, :1500], samples=400).p
    for level, share in zip(LEVELS, rejections(p), strict=True):
        assert share <= 1.25 * level + slack(level, len(p)), (level, share)


def test_bootstrap_intervals_hold_the_mean() -> None:
    columns = np.random.default_rng(0).exponential(1, (20, 1000))
    found = paired_bootstrap(columns, samples=400)
    assert ((found.low <= 1) & (found.high >= 1)).mean() == pytest.approx(0.95, abs=0.03)


# Shapes and bad input


def test_square() -> None:
    assert square([0.5], 2).tolist() == [[1, 0.5], [0.5, 1]]


def test_bad_input_is_said() -> None:
    with pytest.raises(ModelError, match="infinite"):
        wilcoxon([1, float("inf")])
    with pytest.raises(ModelError, match="not an array"):
        wilcoxon(["a"])
    with pytest.raises(ModelError, match="not a matrix"):
        wilcoxon_columns([1, 2])
    with pytest.raises(ModelError, match="draws"):
        sign_flips([[1.0]], samples=0)
    with pytest.raises(ModelError, match="confidence"):
        paired_bootstrap([[1.0]], confidence=1)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_scales_do_not_matter_to_the_bootstrap(scale: float) -> None:
    column = np.random.default_rng(6).normal(size=(9, 1))
    usual, found = paired_bootstrap(column, samples=200), paired_bootstrap(column * scale, samples=200)
    assert found.p == usual.p
    assert found.low / scale == pytest.approx(usual.low)
