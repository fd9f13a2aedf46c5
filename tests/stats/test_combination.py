"""Linear combinations of two scores: arithmetic, choice of alpha, cross-validation, bad input."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pyramidion.errors import ModelError
from pyramidion.stats.combination import STATISTICS, Combination, Scale, combination, rescale, weighted_sum
from pyramidion.stats.correlation import correlation, pearson
from pyramidion.stats.cross_validation import folds_of
from pyramidion.stats.levels import Level

Array = NDArray[np.float64]
LEVELS: tuple[Level, ...] = ("global", "summary", "system")


def halves(seed: int = 0, documents: int = 12, systems: int = 6, noise: float = 0.3) -> tuple[Array, Array, Array]:
    """People add up two things, of which each score sees one."""
    random = np.random.default_rng(seed)
    first, second = random.normal(size=(2, documents, systems))
    return first, second, first + second + random.normal(0, noise, first.shape)


def values(found: Combination, way: str) -> list[float | None]:
    return [found.worth[way][name].value for name in STATISTICS]  # type: ignore[index]


def test_the_combination_of_the_paper() -> None:
    assert weighted_sum([0.8], [0.2], 0.2) == pytest.approx([0.2 * 0.8 + 0.8 * 0.2])


@settings(max_examples=15)
@given(st.integers(0, 50), st.sampled_from(LEVELS))
def test_the_ends_of_the_curve_are_the_scores_alone(seed: int, level: Level) -> None:
    found = combination(*halves(seed, 6), level=level, steps=4, samples=0)
    for place, way in ((-1, "first"), (0, "second")):
        assert [found.curve[name][place] for name in STATISTICS] == values(found, way)
    assert [found.curve[name][2] for name in STATISTICS] == values(found, "blind")
    assert found.best_alpha is not None
    best = found.curve["pearson"][found.alphas.index(found.best_alpha)]
    assert best == max(value for value in found.curve["pearson"] if value is not None)
    assert best == found.worth["best"]["pearson"].value


def test_the_curve_is_what_correlation_says_of_all_pairs_together() -> None:
    first, second, human = halves()
    found = combination(first, second, human, steps=5, samples=0)
    for place, alpha in enumerate(found.alphas):
        mixed = alpha * first + (1 - alpha) * second
        for name in STATISTICS:
            assert found.curve[name][place] == pytest.approx(correlation(mixed.ravel(), human.ravel(), name))


def test_two_halves_are_better_together_and_the_interval_says_so() -> None:
    found = combination(*halves(), samples=500)
    assert found.best_alpha == pytest.approx(0.5, abs=0.15)
    for over in ("first", "second"):
        gain = found.gains["held out", over]["pearson"]  # type: ignore[index]
        assert gain.interval
        assert gain.interval.low > 0.1
        blind = found.gains["blind", over]["kendall"]  # type: ignore[index]
        difference = found.worth["blind"]["kendall"].value - found.worth[over]["kendall"].value  # type: ignore
        assert blind.value == pytest.approx(difference)


def test_alpha_is_chosen_without_the_topics_held_out() -> None:
    """A fold's alpha is the best of the others, and its topics' scores are combined with that."""
    first, second, human = halves(3, 5, 6, noise=3)
    found = combination(first, second, human, steps=10, samples=0)
    assert found.units == "topic"
    expected, chosen = np.full(human.shape, np.nan), []
    for topic in range(5):
        rest = [row for row in range(5) if row != topic]
        curve = [
            pearson(weighted_sum(first, second, step / 10)[rest].ravel(), human[rest].ravel()) or -2
            for step in range(11)
        ]
        chosen.append(int(np.argmax(curve)) / 10)
        mixed = weighted_sum(first, second, chosen[-1])
        expected[topic] = ((mixed - mixed.mean()) / mixed.std())[topic]
    assert found.chosen == tuple(chosen)
    assert len(set(chosen)) > 1
    assert found.worth["held out"]["spearman"].value == pytest.approx(
        correlation(expected.ravel(), human.ravel(), "spearman")
    )


@pytest.mark.parametrize("level", LEVELS)
def test_where_all_folds_agree_what_is_held_out_is_the_curve(level: Level) -> None:
    found = combination(*halves(1), level=level, steps=2, samples=0)
    assert set(found.chosen) == {0.5}
    assert values(found, "held out") == pytest.approx(values(found, "best"), abs=1e-9)


def test_noise_flatters_only_the_best() -> None:
    """With scores that have nothing to do with people, the best alpha looks better than the one held out."""
    best, held_out = [], []
    for seed in range(40):
        first, second, human = np.random.default_rng(seed).normal(size=(3, 1, 12))
        found = combination(first, second, human, steps=4, folds=4, samples=0)
        best.append(found.worth["best"]["pearson"].value or 0)
        held_out.append(found.worth["held out"]["pearson"].value or 0)
    assert np.mean(best) > np.mean(held_out) + 0.1
    assert np.mean(held_out) < 0.05


def test_of_one_topic_peers_are_held_out_and_the_levels_are_one() -> None:
    first, second, human = halves(0, 1, 8)
    found = [combination(first, second, human, level=level, samples=20) for level in LEVELS]
    assert found[0] == found[1] == found[2]
    assert (found[0].units, len(found[0].chosen), found[0].level) == ("peer", 8, "global")
    assert found[0].worth["first"]["pearson"].interval
    held = folds_of([("", str(peer)) for peer in range(8)], human[0].tolist(), 3)
    assert len(combination(first, second, human, folds=3, samples=0).chosen) == len(held)


@settings(max_examples=15)
@given(st.integers(0, 30), st.sampled_from(["z", "minmax"]), st.floats(0.01, 100), st.floats(-5, 5))
def test_on_one_scale_units_do_not_matter(seed: int, scale: Scale, factor: float, shift: float) -> None:
    first, second, human = halves(seed, 4, 4)
    one = combination(first, second, human, scale=scale, samples=0)
    other = combination(first * factor + shift, second, human, scale=scale, samples=0)
    for name in STATISTICS:
        assert one.curve[name] == pytest.approx(other.curve[name], abs=1e-6)


def test_without_one_scale_the_wider_score_decides_the_blind_combination() -> None:
    first, second, human = halves()
    found = combination(1000 * first, second, human, samples=0)
    assert found.worth["blind"]["pearson"].value == pytest.approx(found.worth["first"]["pearson"].value, abs=0.01)
    assert (found.best_alpha or 0) <= 0.05
    even = combination(1000 * first, second, human, scale="z", samples=0)
    assert even.best_alpha == pytest.approx(0.5, abs=0.15)
    assert (even.worth["best"]["pearson"].value or 0) > (found.worth["best"]["pearson"].value or 0) + 0.1


def test_scales() -> None:
    assert rescale([1, 2, 3, 4], "z").tolist() == pytest.approx([-1.3416, -0.4472, 0.4472, 1.3416], abs=1e-4)
    assert rescale([[2, np.nan], [4, 3]], "minmax")[1].tolist() == [1, 0.5]
    assert rescale([3, 3, np.nan], "z")[:2].tolist() == [0, 0]
    assert np.isnan(rescale([3, 3, np.nan], "minmax")[2])


def test_a_constant_score_adds_nothing() -> None:
    first, second, human = halves()
    for scale in ("none", "z", "minmax"):
        found = combination(np.full_like(first, 0.3), second, human, scale=scale, steps=4, samples=10)  # type: ignore
        assert found.curve["pearson"][-1] is None
        assert found.curve["pearson"][:-1] == pytest.approx([found.worth["second"]["pearson"].value] * 4)
        assert found.worth["first"]["kendall"].value is None
        assert found.gains["held out", "first"]["pearson"].value is None
        assert found.best_alpha == 0.5


def test_a_missing_score_counts_nowhere() -> None:
    first, second, human = halves(0, 6, 5)
    for hole in (first, second, human):
        hole[2, 3] = np.nan
    found = combination(first, second, human, samples=0)
    first[2, 3] = 99.0
    assert combination(first, second, human, samples=0) == found
    assert found.summaries == 29
    gone = np.where(np.arange(6)[:, None] == 4, np.nan, first)
    without = [np.delete(one, 4, axis=0) for one in (first, second, human)]
    assert combination(gone, second, human, samples=9) == combination(*without, samples=9)


def test_the_same_again_is_the_same() -> None:
    assert asdict(combination(*halves(), samples=50)) == asdict(combination(*halves(), samples=50))


A, B, H = halves(0, 3, 4)


@pytest.mark.parametrize(
    ("arguments", "more", "message"),
    [
        ((A, B, H), {"steps": 0}, "A curve of 0 steps has no points"),
        ((A, B, H), {"alpha": 1.1}, "Alpha cannot be 1.1; use a number from 0 to 1"),
        ((A, B, H), {"alpha": float("nan")}, "Alpha cannot be nan"),
        ((A, B, H), {"folds": 4}, "4 folds cannot be made of 3 topics"),
        ((A, B, np.ones_like(H)), {}, "Every summary has the human score 1"),
        ((np.ones_like(A), np.zeros_like(B), H), {}, "Both scores are the same for every summary"),
        ((A[:1, :2], B[:1, :2], H[:1, :2]), {}, "2 summaries have all three scores"),
        ((A, B[:2], H), {}, "cannot be compared"),
        ((A[0], B[0], H[0]), {}, "cannot be compared"),
        ((A, B * np.inf, H), {}, "A score is infinite"),
        ((A, [["a"]], H), {}, "not a matrix of numbers"),
        (([], [], []), {}, "cannot be compared"),
    ],
)
def test_bad_input_is_said(arguments: tuple[Array, Array, Array], more: dict[str, float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        combination(*arguments, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", [-0.1, 2, float("nan")])
def test_alpha_is_from_0_to_1(alpha: float) -> None:
    with pytest.raises(ModelError, match="Alpha cannot be"):
        weighted_sum([1], [2], alpha)
