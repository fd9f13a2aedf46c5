"""Methods are read from and printed as text, and wrong ones are refused where they are written."""

from __future__ import annotations

import pytest

from pyramidion.errors import PyramidionError
from pyramidion.methods import DEFAULT_METHOD, RECIPES, Method


@pytest.mark.parametrize(
    "text",
    [
        *(recipe.name for recipe in RECIPES),
        "edua-p+wmin",
        "pyreval(alpha=20,beta=2.0,backtrack=false)",
        "pyreval(threshold=0.6,similarity=centroid,embedder=static)",
        "given+mwis(threshold=1)",
    ],
)
def test_a_method_prints_as_it_parses(text: str) -> None:
    method = Method.parse(text)
    assert str(method) == text
    assert Method.parse(str(method)) == method


def test_a_recipe_is_a_name_for_its_parts() -> None:
    assert Method.parse("edua-g+wmin(beta=2.0)") == Method.parse("pyreval( beta = 2.0 )")
    assert Method.parse(DEFAULT_METHOD).name == DEFAULT_METHOD


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a method; write NAME"),
        ("pyreval(", "is not a method; write NAME"),
        ("pyreval(alpha)", "'alpha' in .* is not a parameter; write parameter=value"),
        ("nobody", "There is no method 'nobody'; choose one of: pyramidion, pyreval"),
        ("edua-p+nobody", "There is no matcher 'nobody'"),
        ("nobody+soft", "There is no builder 'nobody'"),
        ("pyreval(gamma=1)", "The method 'pyreval' has no parameter 'gamma'; it has percentile, t_edge, alpha"),
        ("manual(alpha=1)", "The method 'manual' has no parameter 'alpha'; it has none"),
        ("pyreval(alpha=high)", "alpha of 'pyreval' cannot be 'high'; its default is 10.0"),
        ("pyreval(alpha=true)", "alpha of 'pyreval' cannot be True"),
        ("pyreval(limit=1e3)", "limit of 'pyreval' cannot be 1000.0"),
        ("pyramidion(threshold=nan)", "threshold of 'pyramidion' cannot be nan"),
        ("pyreval(alpha=1,alpha=2)", "alpha of 'pyreval' is given twice; give it once"),
    ],
)
def test_what_is_no_method(text: str, message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        Method.parse(text)
