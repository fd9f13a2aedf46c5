"""Adjusted p-values against scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats.corrections import Correction, adjust

P = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(P)
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    assert np.allclose(adjust(p, "bh"), stats.false_discovery_control(p), atol=1e-15)


@given(P)
def test_holm_step_by_step(p: list[float]) -> None:
    found = adjust(p, "holm")
    order = sorted(range(len(p)), key=lambda one: p[one])
    before = 0.0
    for step, one in enumerate(order):
        before = max(before, min(1, (len(p) - step) * p[one]))
        assert found[one] == pytest.approx(before)


@pytest.mark.parametrize(("ours", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_statsmodels_agrees(ours: Correction, theirs: str) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(0).beta(0.3, 1, 40)
    assert np.allclose(adjust(p, ours), multitest.multipletests(p, method=theirs)[1])


@given(P)
def test_more_or_less_strict(p: list[float]) -> None:
    none, bh, holm = (adjust(p, name) for name in ("none", "bh", "holm"))
    assert (none <= bh + 1e-15).all()
    assert (bh <= holm + 1e-15).all()
    assert (holm <= 1).all()


def test_holm_keeps_the_family_s_level() -> None:
    p = np.random.default_rng(1).random((2000, 10))
    false = np.mean([(adjust(row, "holm") <= 0.05).any() for row in p])
    assert false <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 2000)


def test_bad_input_is_said() -> None:
    assert adjust([]).tolist() == []
    for wrong in ([1.5], [float("nan")], [[0.5]]):
        with pytest.raises(ModelError, match="not p-values"):
            adjust(wrong)
    with pytest.raises(ModelError, match="choose one of: holm, bh, none"):
        adjust([0.5], "bonferroni")  # type: ignore[arg-type]
