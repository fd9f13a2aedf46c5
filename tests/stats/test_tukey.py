"""Tukey's test over topics, against scipy and under the null."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats.tukey import studentized_range_sf, tukey


@pytest.mark.parametrize(("k", "df"), [(2, 1), (3, 4), (3, 20), (8, 40), (25, 2376)])
def test_the_studentized_range_is_scipys(k: int, df: int) -> None:
    q = np.array([0.5, 2.0, 3.6, 6.0])
    assert studentized_range_sf(q, k, df) == pytest.approx(stats.studentized_range.sf(q, k, df), abs=1e-8)


def test_printed_tables() -> None:
    """Upper 5 % points of k means and df degrees of freedom, as in every textbook."""
    for k, df, q in ((2, 10, 3.151), (3, 10, 3.877), (5, 20, 4.232), (10, 60, 4.646)):
        assert studentized_range_sf([q], k, df)[0] == pytest.approx(0.05, abs=5e-5)


def test_two_systems_are_a_paired_t_test() -> None:
    scores = np.random.default_rng(0).normal(size=(12, 2))
    assert tukey(scores).p[0] == pytest.approx(stats.ttest_rel(*scores.T).pvalue, rel=1e-9)


def test_blocks_take_out_how_hard_topics_are() -> None:
    generator = np.random.default_rng(0)
    scores = generator.normal([0, 0.1, 0.3], 0.1, (20, 3))
    harder = scores + generator.normal(0, 10, (20, 1))
    assert tukey(harder).p == pytest.approx(tukey(scores).p, abs=1e-6)


def test_the_sums_by_hand() -> None:
    scores = np.random.default_rng(4).normal(np.arange(4) / 2, 1, size=(9, 4))
    residuals = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    unit = np.sqrt((residuals**2).sum() / (8 * 3) / 9)
    first, second = np.triu_indices(4, 1)
    q = np.abs(scores.mean(axis=0)[first] - scores.mean(axis=0)[second]) / unit
    assert tukey(scores).p == pytest.approx(stats.studentized_range.sf(q, 4, 24), abs=1e-8)


def test_the_reach_is_the_least_significant_difference() -> None:
    scores = np.random.default_rng(1).normal(size=(10, 4))
    found = tukey(scores, alpha=0.1)
    unit = found.error / np.sqrt(10)
    assert studentized_range_sf([found.reach / unit], 4, found.df)[0] == pytest.approx(0.1)


def test_the_family_s_level_is_kept() -> None:
    generator = np.random.default_rng(2)
    false = [tukey(generator.normal(size=(15, 5))).p.min() <= 0.05 for _ in range(400)]
    assert np.mean(false) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 400))


def test_topics_that_lack_a_score_are_left_out_and_counted() -> None:
    scores = np.random.default_rng(0).normal(size=(10, 3))
    gaps = np.vstack([scores, [[1, np.nan, 2]]])
    found = tukey(gaps)
    assert (found.left_out, found.topics) == (1, 10)
    assert found.p == pytest.approx(tukey(scores).p)


def test_constant_scores_and_bad_input() -> None:
    assert tukey([[1, 1], [2, 2]]).p.tolist() == [1]
    with pytest.raises(ModelError, match="the error cannot be estimated"):
        tukey([[1, 2], [2, 3]])
    with pytest.raises(ModelError, match="needs two"):
        tukey([[1, 2]])
    with pytest.raises(ModelError, match="one system"):
        tukey([[1], [2]])
    with pytest.raises(ModelError, match="infinite"):
        tukey([[1.0, np.inf], [2.0, 3.0]])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_scales_do_not_matter(scale: float) -> None:
    scores = np.random.default_rng(4).normal(size=(8, 3))
    usual, found = tukey(scores), tukey(scores * scale)
    assert found.p.tolist() == pytest.approx(usual.p.tolist())
    assert found.reach == pytest.approx(usual.reach * scale)


@pytest.mark.parametrize("alpha", [1e-9, 1e-6, 0.999, 1 - 1e-12])
def test_every_level_has_a_reach(alpha: float) -> None:
    for shape in ((2, 2), (20, 5)):
        assert tukey(np.random.default_rng(5).normal(size=shape), alpha).reach >= 0
    with pytest.raises(ModelError, match="level of significance"):
        tukey([[1, 2], [2, 4]], alpha=1e-10)
