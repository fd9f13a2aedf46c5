"""Accuracy by significance: outcomes by scipy, samples by a plain loop, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from pyramidion.errors import ModelError
from pyramidion.stats.metric_accuracy import metric_accuracy, outcomes


def scores(seed: int, topics: int = 20, systems: int = 6, noise: float = 1.0) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    found: NDArray[np.float64] = np.linspace(0, 1, systems) + noise * random.normal(size=(topics, systems))
    return found


def test_outcomes_are_those_of_scipys_wilcoxon() -> None:
    values = scores(1)
    expected = []
    for one, other in zip(*np.triu_indices(6, 1), strict=True):
        test = stats.wilcoxon(values[:, one], values[:, other])
        by = stats.wilcoxon(values[:, one], values[:, other], alternative="greater").pvalue
        expected.append(0 if test.pvalue >= 0.05 else 1 if by < 0.5 else -1)
    found = outcomes(values)
    assert found.tolist() == expected
    assert len(set(expected)) > 1


@settings(max_examples=20)
@given(st.integers(0, 1000), st.floats(0.1, 10), st.floats(-5, 5))
def test_a_metric_on_another_scale_finds_the_same(seed: int, scale: float, shift: float) -> None:
    values = scores(seed, 8, 3)
    found = metric_accuracy(values, values * scale + shift, samples=2)
    assert (found.mean, found.deviation, found.on_all.accuracy, found.delta) == (1.0, 0.0, 1.0, 0.0)


def test_a_metric_upside_down_is_right_only_where_nothing_is_significant() -> None:
    values = scores(2, noise=0.3)
    on_all = metric_accuracy(values, -values, samples=2).on_all
    assert (on_all.same_difference, on_all.missed, on_all.made_up) == (0, 0, 0)
    assert on_all.reversed + on_all.same_none == on_all.pairs == 15
    assert on_all.reversed > 0


def test_counts_by_hand() -> None:
    # six topics, three systems; p = 2/64 where all six agree in direction, else not below .05
    gold = np.array([[3.0, 2, 1]] * 6)  # 1 > 2 > 3
    metric = np.array([[3.0, 2, 2]] * 5 + [[1.0, 2, 2]])  # one topic against, the last two level
    on_all = metric_accuracy(gold, metric, samples=2).on_all
    assert (on_all.same_difference, on_all.same_none, on_all.missed, on_all.made_up) == (0, 0, 3, 0)
    back = metric_accuracy(metric, gold, samples=2).on_all
    assert (back.missed, back.made_up, back.accuracy) == (0, 3, 0.0)


def test_samples_are_those_of_a_plain_loop() -> None:
    gold, metric = scores(3), scores(4)
    found = metric_accuracy(gold, metric, samples=7, size=15, seed=9)
    random = np.random.default_rng(9)
    plain = []
    for _ in range(7):
        drawn = np.sort(random.choice(20, 15, replace=False))
        plain.append(np.mean(outcomes(gold[drawn]) == outcomes(metric[drawn])))
    assert found.mean == pytest.approx(np.mean(plain))
    assert found.deviation == pytest.approx(np.std(plain, ddof=1))
    reach = 1.959964 * np.std(plain, ddof=1) / np.sqrt(7)
    assert list(found.interval) == pytest.approx([np.mean(plain) - reach, np.mean(plain) + reach], abs=1e-6)
    assert found.delta == pytest.approx(found.on_all.accuracy - found.mean)


def test_the_default_sample_is_41_in_46() -> None:
    assert metric_accuracy(scores(1, 46, 2), scores(2, 46, 2), samples=2).size == 41
    assert metric_accuracy(scores(1, 100, 2), scores(2, 100, 2), samples=2).size == 89


def test_with_replacement_more_is_significant() -> None:
    equal = np.random.default_rng(1).normal(size=(12, 12))

    def significant(replace: bool) -> float:
        random = np.random.default_rng(0)
        drawn = [outcomes(equal[random.choice(12, 11, replace=replace)]) for _ in range(20)]
        return float(np.mean(np.array(drawn) != 0))

    assert significant(True) > 1.5 * significant(False)
    assert metric_accuracy(equal, equal, samples=2, replacement=True, size=30).size == 30


def test_equal_systems_are_told_apart_in_five_per_cent() -> None:
    # 40 x 45 pairs of equal systems: accuracy of two independent metrics is about .95^2 + .05^2 / 2
    random = np.random.default_rng(2)
    found = [outcomes(random.normal(size=(20, 10))) for _ in range(40)]
    assert np.mean(np.array(found) != 0) == pytest.approx(0.05, abs=0.02)


def test_missing_cells_count_on_neither_side() -> None:
    gold, metric = scores(3), scores(3)
    metric[0, 0] = gold[1, 2] = np.nan
    found = metric_accuracy(gold, metric, samples=5)
    assert found.mean == 1.0


def test_ties_everywhere_have_no_differences() -> None:
    found = metric_accuracy(np.ones((5, 3)), np.ones((5, 3)), samples=3)
    assert (found.on_all.same_none, found.mean) == (3, 1.0)


def test_two_topics_can_show_nothing() -> None:
    found = metric_accuracy([[1.0, 2.0], [1.0, 2.0]], [[2.0, 1.0], [2.0, 1.0]], samples=3)
    assert (found.on_all.same_none, found.size) == (1, 2)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"size": 0}, "Samples of 0 topics cannot be drawn from 20"),
        ({"size": 21}, "Samples of 21 topics cannot be drawn from 20"),
        ({"samples": 0}, "0 samples"),
        ({"level": 0.0}, "level"),
        ({"confidence": 1.0}, "confidence"),
    ],
)
def test_settings_that_make_no_sense(chosen: dict[str, float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        metric_accuracy(scores(1), scores(2), **chosen)  # type: ignore[arg-type]


def test_bad_scores_are_named() -> None:
    with pytest.raises(ModelError, match="one system"):
        metric_accuracy([[1.0], [2.0]], [[1.0], [2.0]])
    with pytest.raises(ModelError, match="infinite"):
        metric_accuracy([[1.0, float("inf")]], [[1.0, 2.0]])
    with pytest.raises(ModelError, match="cannot be compared"):
        metric_accuracy([[1.0, 2.0]], [[1.0, 2.0, 3.0]])
