"""Which methods are measured: what the names of judges mean, and all that can be measured if nobody names any."""

from __future__ import annotations

from collections.abc import Iterable

from pyramidion.match import MATCHERS
from pyramidion.methods import GIVEN, RECIPES, Method


def matchers() -> list[str]:
    """The matchers of any pyramid: ``edu`` knows only its own, and a family (``nli:``) wants a model."""
    named = (name for name in MATCHERS if name != "edu" and not name.endswith(":"))
    return [name for name in named if getattr(MATCHERS[name], "installed", True)]


def judge_methods(names: Iterable[str]) -> tuple[Method, ...]:
    """The methods of judges' names on the given pyramids; a recipe that is no matcher keeps its name (``lite``)."""
    recipes = {recipe.name for recipe in RECIPES} - {*MATCHERS}
    return tuple(
        Method.parse(name if name.partition("(")[0].strip() in recipes else f"{GIVEN}+{name}") for name in names
    )


def judge_name(method: Method) -> str:
    """The judge's own name: the method's without the given pyramids.

    >>> judge_name(Method.parse("given+soft"))
    'soft'
    """
    return str(method).removeprefix(f"{GIVEN}+")


def automatic_methods(sources: bool = False) -> tuple[Method, ...]:
    """The recipes that build pyramids and match peers themselves; those that need sources only if there are any."""
    return tuple(
        Method(recipe.builder, recipe.matcher)
        for recipe in RECIPES
        if GIVEN not in (recipe.builder, recipe.matcher) and (sources or not recipe.sources)
    )
