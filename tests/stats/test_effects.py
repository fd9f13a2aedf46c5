"""Effect sizes and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats.effects import cohen_d


def test_the_interval_is_where_noncentral_t_has_its_tails() -> None:
    column = np.random.default_rng(0).normal(0.5, 1, 15)
    found = cohen_d(column[:, None])
    d = column.mean() / column.std(ddof=1)
    assert found.value[0] == pytest.approx(d)
    t, root = d * np.sqrt(15), np.sqrt(15)
    assert stats.nct.sf(t, 14, found.low[0] * root) == pytest.approx(0.025, abs=1e-5)
    assert stats.nct.cdf(t, 14, found.high[0] * root) == pytest.approx(0.025, abs=1e-5)


def test_turning_the_pair_turns_the_effect() -> None:
    column = np.random.default_rng(1).normal(0.5, 1, (12, 1))
    there, back = cohen_d(column), cohen_d(-column)
    assert (back.value, back.low, back.high) == (-there.value, -there.high, -there.low)


def test_intervals_hold_the_truth() -> None:
    found = cohen_d(np.random.default_rng(2).normal(0.4, 1, (12, 2000)))
    assert ((found.low <= 0.4) & (found.high >= 0.4)).mean() == pytest.approx(0.95, abs=0.02)


def test_missing_and_constant_differences() -> None:
    found = cohen_d([[0.1, 0.0, 1.0], [0.1, 0.0, np.nan], [0.1, 0.0, np.nan]])
    assert np.isnan([found.value, found.low, found.high]).all()
    gaps = cohen_d([[1.0], [2.0], [np.nan], [4.0]])
    assert gaps.value[0] == pytest.approx(cohen_d([[1.0], [2.0], [4.0]]).value[0])


def test_bad_input_is_said() -> None:
    with pytest.raises(ModelError, match="not differences"):
        cohen_d([1.0, 2.0])


def test_scales_do_not_matter_and_huge_effects_take_no_time() -> None:
    differences = np.random.default_rng(2).normal(3, 1, size=(12, 1))
    usual = cohen_d(differences)
    for scale in (1e-200, 1e200):
        found = cohen_d(differences * scale)
        assert (found.value, found.low, found.high) == (
            pytest.approx(usual.value), pytest.approx(usual.low), pytest.approx(usual.high)
        )  # fmt: skip
    # where the deviation alone is uncertain: sqrt(chi^2 / df) times d
    nearly_constant = cohen_d([[1.0], [1.0], [1.0], [1 + 1e-6]])
    ratio = np.sqrt(stats.chi2.ppf([0.025, 0.975], 3) / 3) * nearly_constant.value[0]
    assert [nearly_constant.low[0], nearly_constant.high[0]] == pytest.approx(ratio.tolist())
    at_the_seam = [cohen_d(np.array([[-1.0], [1], [0], [1]]) + mean).low[0] for mean in (478.0, 480.0)]
    assert at_the_seam[0] == pytest.approx(at_the_seam[1], rel=0.01)
