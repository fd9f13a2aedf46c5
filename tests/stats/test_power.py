"""Power against statsmodels, printed tables and simulation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats.power import (
    detectable,
    power_t,
    power_wilcoxon,
    topics_needed,
    topics_needed_wilcoxon,
)


@pytest.mark.parametrize(("d", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_cohens_small_medium_and_large_effects(d: float, n: int) -> None:
    """Pairs for power .8 at .05, two-sided, as G*Power has them."""
    assert topics_needed(d, 1) == n
    assert power_t(d, 1, n) >= 0.8 > power_t(d, 1, n - 1)


def test_statsmodels_agrees() -> None:
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    for d, n, alpha in ((0.1, 50, 0.05), (0.4, 12, 0.01), (1.5, 5, 0.1)):
        assert power_t(d, 1, n, alpha) == pytest.approx(power.power(d, n, alpha), abs=1e-9)


def test_simulated_t_tests_have_that_power() -> None:
    draws = np.random.default_rng(0).normal(0.5, 1, (20, 4000))
    share = (stats.ttest_1samp(draws, 0).pvalue <= 0.05).mean()
    assert power_t(0.5, 1, 20) == pytest.approx(share, abs=0.03)


def test_the_scale_and_the_sign_do_not_matter() -> None:
    assert power_t(-0.05, 0.1, 30) == pytest.approx(power_t(0.5, 1, 30))


def test_power_rises_without_gaps_up_to_one() -> None:
    powers = [power_t(0.5, 1, n) for n in range(1, 3000, 7)]
    assert all(a <= b + 1e-9 for a, b in pairwise(powers))
    assert (powers[0], powers[-1]) == (0, 1)


def test_what_is_detectable_is_detected() -> None:
    for topics in (2, 5, 50):
        least = detectable(0.2, topics)
        assert least is not None
        assert power_t(least, 0.2, topics) == pytest.approx(0.8, abs=1e-6)
    assert detectable(0.2, 1) is None
    assert topics_needed(1e-6, 1) is None


def test_wilcoxon_needs_a_little_more_for_normal_differences() -> None:
    differences = stats.norm.ppf(np.linspace(0.005, 0.995, 100))
    needed = topics_needed_wilcoxon(differences, 0.5, samples=2000)
    assert needed is not None
    # its efficiency is 3 / pi
    assert needed == pytest.approx(34 * np.pi / 3, abs=4)
    assert power_wilcoxon(differences, 0.5, needed, samples=2000) >= 0.8
    assert topics_needed_wilcoxon(differences, 0.001) is None


def test_the_order_of_topics_does_not_matter() -> None:
    row = np.random.default_rng(0).normal(size=30)
    assert power_wilcoxon(row, 0.5, 20) == power_wilcoxon(row[::-1], 0.5, 20)


def test_bad_input_is_said() -> None:
    with pytest.raises(ModelError, match="not a difference to find"):
        topics_needed(0, 1)
    with pytest.raises(ModelError, match="do not vary"):
        topics_needed(0.1, 0)
    with pytest.raises(ModelError, match="significance"):
        power_t(0.1, 1, 10, alpha=0)
    with pytest.raises(ModelError, match="The power is 1"):
        topics_needed(0.1, 1, power=1)
    with pytest.raises(ModelError, match="drawn from"):
        power_wilcoxon([1.0], 0.1, 10)
