"""Pictures of combinations."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from pyramidion.analyses.combine import Combined, combine
from pyramidion.analyses.plots.combine import draw_curves
from pyramidion.errors import PyramidionError
from pyramidion.examples import example

NAMES = ("lexical-pyramid", "rouge-1", "rouge-su4")


@cache
def found() -> tuple[Combined, ...]:
    return combine(example(), NAMES, samples=10).combinations


def test_figure_2_has_three_lines_for_each_pair_and_the_same_bytes_each_time() -> None:
    drawn = draw_curves(found()).decode()
    assert drawn == draw_curves(found()).decode()
    for statistic in ("Pearson", "Spearman", "Kendall"):
        for first in NAMES[:2]:
            assert f"{statistic}: {first} + rouge-su4" in drawn
    assert "best alpha (flattering)" in drawn
    assert "alpha chosen on others" in drawn
    assert "method:combine|first:lexical-pyramid" in re.sub(r"\s+", " ", drawn)


def test_points_stand_at_the_best_alpha_and_at_the_one_chosen_on_others() -> None:
    """A star and a ring for each statistic: without a choice there is no ring."""
    one = found()[0]
    nothing = {name: replace(value, value=None) for name, value in one.combination.worth["held out"].items()}
    bare = replace(
        one, combination=replace(one.combination, worth={**one.combination.worth, "held out": nothing}, best_alpha=None)
    )
    with_points, without = (draw_curves([each]).decode().count("<use ") for each in (one, bare))
    assert with_points == without + 6


@pytest.mark.parametrize(("format", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_formats(format: str, start: bytes) -> None:
    assert draw_curves(found()[:1], format).startswith(start)  # type: ignore[arg-type]


def test_nothing_to_draw_is_said() -> None:
    one = found()[0]
    empty = {name: (None,) * len(line) for name, line in one.combination.curve.items()}
    with pytest.raises(PyramidionError, match="there is nothing to draw"):
        draw_curves([replace(one, combination=replace(one.combination, curve=empty))])
