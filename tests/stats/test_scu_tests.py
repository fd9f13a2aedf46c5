"""Two summaries as vectors of SCUs (Nenkova et al. 2007 §2.3)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats.scu_tests import alone, mcnemar, mcnemar_p, scu_permutation

BITS = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(1, 5)), min_size=1, max_size=10)


def test_the_paper_s_vectors_by_hand() -> None:
    """N = 8 SCUs: one summary has five alone, the other one. P(at most 1 of 6) = 7/64, twice that is 14/64."""
    one, other = [1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1, 0]
    found = mcnemar(one, other)
    assert (found.both, found.only_first, found.only_second, found.neither) == (1, 5, 1, 1)
    assert found.p == 14 / 64
    assert found.mid_p == 14 / 64 - 6 / 64
    assert found.odds_ratio == 5


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_a_binomial_test(b: int, c: int) -> None:
    exact, mid = (float(one[0]) for one in mcnemar_p([b], [c]))
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert exact == pytest.approx(expected, abs=1e-12)
    assert 0 <= mid <= exact <= 1


def test_statsmodels_agrees() -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    one = np.random.default_rng(0).random(60) < 0.6
    other = np.random.default_rng(1).random(60) < 0.4
    found = mcnemar(one, other)
    table = [[found.both, found.only_first], [found.only_second, found.neither]]
    assert found.p == pytest.approx(tables.mcnemar(table, exact=True).pvalue)


def test_the_odds_ratio_s_interval_is_clopper_and_pearson_s() -> None:
    found = mcnemar([1] * 8 + [0] * 3, [0] * 8 + [1] * 3)
    share = stats.binomtest(8, 11).proportion_ci(method="exact")
    assert found.interval is not None
    assert found.interval.low == pytest.approx(share.low / (1 - share.low))
    assert found.interval.high == pytest.approx(share.high / (1 - share.high))
    one_sided = mcnemar([1, 1], [0, 0])
    assert one_sided.odds_ratio is None
    assert one_sided.interval is not None
    assert one_sided.interval.high == float("inf")
    assert mcnemar([1, 0], [1, 0]).interval is None


@given(BITS)
def test_permutation_counts_all_exchanges(rows: list[tuple[bool, bool, int]]) -> None:
    one, other, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    observed = abs(((one - other) * weights).sum())
    hits = [
        abs(sum(s * w * (a - b) for s, a, b, w in zip(signs, one, other, weights, strict=True))) >= observed
        for signs in product((1, -1), repeat=len(rows))
    ]
    assert scu_permutation(one, other, weights) == pytest.approx(np.mean(hits), abs=1e-12)


@given(BITS)
def test_with_equal_weights_the_permutation_is_mcnemars_test(rows: list[tuple[bool, bool, int]]) -> None:
    one, other, _ = zip(*rows, strict=True)
    assert scu_permutation(one, other) == pytest.approx(mcnemar(one, other).p, abs=1e-12)


def test_unjudged_scus_are_left_out() -> None:
    nan = float("nan")
    found = mcnemar([1, 1, nan, 0], [0, 0, 1, nan])
    assert (found.only_first, found.only_second, found.left_out) == (2, 0, 2)
    assert scu_permutation([1, nan], [0, 1]) == 1
    only, judged = alone([[1.0, 0.0], [1.0, nan], [0.0, 1.0]])
    assert only.tolist() == [[0, 1], [1, 0]]
    assert judged.tolist() == [[3, 2], [2, 2]]


def test_calibration_under_the_null() -> None:
    generator = np.random.default_rng(0)
    chance = generator.random((40, 1))
    one, other = (generator.random((40, 2000)) < chance for _ in range(2))
    exact, mid = mcnemar_p((one & ~other).sum(axis=0), (other & ~one).sum(axis=0))
    for level in (0.01, 0.05, 0.1, 0.2, 0.5):
        slack = 4 * np.sqrt(level * (1 - level) / 2000)
        assert (exact <= level).mean() <= level + slack
        assert (mid <= level).mean() <= 1.15 * level + slack
    weights = generator.integers(1, 5, 40)
    p = np.array([scu_permutation(a, b, weights) for a, b in zip(one.T[:600], other.T[:600], strict=True)])
    for level in (0.05, 0.2, 0.5):
        assert (p <= level).mean() == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 600) + 0.03)


def test_no_scus_and_bad_input() -> None:
    assert scu_permutation([], []) == 1
    assert mcnemar([], []).p == 1
    with pytest.raises(ModelError, match="neither 0 nor 1"):
        mcnemar([2], [0])
    with pytest.raises(ModelError, match="same SCUs"):
        mcnemar([1], [0, 1])
    with pytest.raises(ModelError, match="same SCUs"):
        scu_permutation([1], [0], [1, 2])
