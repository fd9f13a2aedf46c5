"""Grids for methods of a toy builder and matcher."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pyramidion.analyses.tune.grid import GAO_2019, cells_of, default_grid, read_grid
from pyramidion.errors import PyramidionError
from pyramidion.methods import Method
from tests.analyses.test_tune import register


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


def test_the_paper_has_300_cells_with_the_degrees_of_freedom_of_table_5() -> None:
    assert [len(values) - 1 for _, values in GAO_2019] == [4, 4, 11]
    assert default_grid(Method.parse("toy+toy")) == GAO_2019
    ends = {name: (values[0], values[-1]) for name, values in GAO_2019}
    assert ends == {"alpha": (10, 50), "beta": (1, 3), "percentile": (60, 87)}
    steps = [later - one for one, later in pairwise(dict(GAO_2019)["percentile"])]
    assert set(steps) <= {2, 3}


def test_what_a_method_lacks_or_fixes_is_left_out_of_the_default_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [name for name, _ in default_grid(Method.parse("toy+toy(beta=2)"))] == ["alpha", "percentile"]
    with pytest.raises(PyramidionError, match="has none of alpha, beta, percentile to try; .*it has threshold, stem"):
        default_grid(Method.parse("given+toy"))
    with pytest.raises(PyramidionError, match="choose a method with parameters"):
        default_grid(Method.parse("manual"))


def test_grids_are_read_as_the_parameters_types() -> None:
    method = Method.parse("toy+toy")
    texts = ["alpha=10, 20", " threshold =0.4,1", "heavy=true,false", "stem=no,yes"]
    assert read_grid(texts, method) == (
        ("alpha", (10, 20)), ("threshold", (0.4, 1)), ("heavy", (True, False)), ("stem", ("no", "yes")),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ["gamma=1"],
            "The method 'toy\\+toy' has no parameter 'gamma'; it has alpha, percentile, heavy, threshold, stem",
        ),
        (["alpha=1.5"], "alpha of 'toy\\+toy' cannot be 1.5; its default is 10"),
        (["threshold=0.5,high"], "threshold of 'toy\\+toy' cannot be 'high'"),
        (["heavy=1"], "heavy of 'toy\\+toy' cannot be 1"),
        (["alpha"], "'alpha' is not a parameter with values; write NAME=VALUE,VALUE"),
        (["alpha="], "is not a parameter with values"),
        (["alpha=1,,2"], "is not a parameter with values"),
        (["alpha=1,1"], "alpha has the value 1 twice"),
        (["threshold=1,1.0"], "threshold has the value 1 twice"),
        (["alpha=1", "alpha=2"], "alpha is in the grid twice"),
        (["beta=1"], "The method 'toy\\+toy\\(beta=2\\)' fixes beta already"),
        (["alpha=" + ",".join(map(str, range(10_001)))], "10001 cells, more than 10000"),
    ],
)
def test_grids_that_cannot_be(texts: list[str], message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        read_grid(texts, Method.parse("toy+toy(beta=2)"))


def test_cells_are_all_combinations_in_order() -> None:
    assert list(cells_of((("a", (1, 2)), ("b", ("x", "y"))))) == [
        (("a", 1), ("b", "x")),
        (("a", 1), ("b", "y")),
        (("a", 2), ("b", "x")),
        (("a", 2), ("b", "y")),
    ]
