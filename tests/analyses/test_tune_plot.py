"""Pictures of a tuning."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from pyramidion.analyses.plots.tune import surface
from pyramidion.analyses.scores.table import ScoreTable
from pyramidion.analyses.tune import Tuning, tune
from pyramidion.analyses.tune.grid import Grid
from pyramidion.base.pictures import check_picture
from pyramidion.errors import InputWarning, MissingPartError, PyramidionError
from pyramidion.examples import example
from tests.analyses.test_tune import people, register

FIGURE_8: Grid = (("percentile", (60, 87, 75)), ("alpha", (10, 20)), ("beta", (3, 1, 2)))


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


@cache
def human() -> ScoreTable:
    return people(example())


@cache
def tuned(grid: Grid) -> Tuning:
    return tune(example(), human(), "toy+toy", grid)


def test_beta_goes_across_and_the_percentile_up_as_in_figure_8() -> None:
    found = tuned(FIGURE_8)
    shown = surface(found)
    assert (shown.x, shown.y) == ("beta", "percentile")
    assert (shown.x_values, shown.y_values) == ((1, 2, 3), (60, 75, 87))
    table = found.means("beta", "percentile")
    assert shown.means == tuple(tuple(table[x, y] for x in (1, 2, 3)) for y in (60, 75, 87))


def test_else_the_first_two_parameters_with_several_values() -> None:
    shown = surface(tuned((("alpha", (10,)), ("threshold", (0.7, 0.3)), ("stem", ("yes", "no")), ("beta", (1, 2)))))
    assert (shown.x, shown.y) == ("threshold", "stem")
    assert (shown.x_values, shown.y_values) == ((0.3, 0.7), ("yes", "no"))


def test_one_parameter_makes_a_line_and_none_an_error() -> None:
    shown = surface(tuned((("threshold", (0.5, 0.3, 0.7)),)))
    assert (shown.y, shown.x_values, len(shown.means[0])) == ("", (0.3, 0.5, 0.7), 3)
    with pytest.raises(PyramidionError, match="There is only one cell, so there is nothing to draw"):
        surface(tuned((("threshold", (0.5,)),)))
    with pytest.raises(PyramidionError, match="nothing to draw"):
        surface(tuned((("threshold", (2, 3)),)))


@pytest.mark.parametrize("format", ["svg", "png", "pdf"])
def test_the_same_tuning_gives_the_same_bytes(format: str) -> None:
    found = tuned(FIGURE_8)
    first = found.draw(format)  # type: ignore[arg-type]
    assert first == found.draw(format)  # type: ignore[arg-type]
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[format])
    assert b"dc:date" not in first
    assert b"CreationDate" not in first


@pytest.mark.parametrize(
    "grid",
    [
        FIGURE_8,
        (("threshold", (0.3, 0.5)),),
        (("stem", ("no", "yes")), ("alpha", (10, 20))),  # a plane: neither does anything
        (("threshold", (0.3, 0.5, 2)), ("beta", (1, 2, 3))),  # a column without correlations
    ],
)
def test_a_picture_says_what_it_shows(grid: Grid) -> None:
    found = tuned(grid)
    text = found.draw().decode()
    shown = surface(found)
    for words in (shown.x, shown.y, "Pearson", "toy+toy", *map(str, shown.x_values)):
        assert words in text


def test_names_that_look_like_mathematics_are_only_names() -> None:
    found = replace(tuned(FIGURE_8), column="cost_$x$ \\frac")
    assert "cost_$x$ \\frac" in found.draw().decode()


def test_failed_cells_leave_holes() -> None:
    with pytest.warns(InputWarning, match="failed"):
        found = tuned((("beta", (1, 2, 3)), ("percentile", (60, 80, 95))))
    assert surface(found).means[2] == (None, None, None)
    assert b"<svg" in found.draw()


def test_names_of_pictures(tmp_path: Path) -> None:
    assert check_picture(tmp_path / "a.SVG") == "svg"
    assert check_picture(tmp_path / "a.b.pdf") == "pdf"
    with pytest.raises(PyramidionError, match="a.jpg: A picture of this kind cannot be drawn; name it .svg"):
        check_picture(Path("a.jpg"))


def test_without_matplotlib_the_pip_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tuned(FIGURE_8)
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPartError, match="pip install 'pyramidion\\[plot\\]'"):
        found.draw()
    with pytest.raises(MissingPartError, match="pip install 'pyramidion\\[plot\\]'"):
        check_picture(Path("a.svg"))
