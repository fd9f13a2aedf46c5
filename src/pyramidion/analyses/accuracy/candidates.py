"""The methods to measure: those of the judges that are named, or else all that can be measured."""

from __future__ import annotations

from collections.abc import Iterable

from pyramidion.matchers import MATCHERS
from pyramidion.methods import GIVEN, RECIPES, Method
from pyramidion.parts import distributions_of


def matchers() -> list[str]:
    """Return the matchers that work with any pyramid; ``edu`` needs its own, and a family (``nli:``) needs a model."""
    named = (name for name in MATCHERS if name != "edu" and not name.endswith(":"))
    return [name for name in named if not any(part.problem for part in distributions_of(MATCHERS[name], {}))]


def judge_methods(names: Iterable[str]) -> tuple[Method, ...]:
    """Return the methods that match given pyramids with these judges; a recipe without a matcher stays (``lite``)."""
    recipes = {recipe.name for recipe in RECIPES} - {*MATCHERS}
    return tuple(
        Method.parse(name if name.partition("(")[0].strip() in recipes else f"{GIVEN}+{name}") for name in names
    )


def judge_name(method: Method) -> str:
    """Return the judge's own name, which is the method's without ``given+``.

    >>> judge_name(Method.parse("given+soft"))
    'soft'
    """
    return str(method).removeprefix(f"{GIVEN}+")


def automatic_methods(sources: bool = False) -> tuple[Method, ...]:
    """Return the recipes that build pyramids and match peers; those that need sources only if there are sources."""
    return tuple(
        Method(recipe.builder, recipe.matcher)
        for recipe in RECIPES
        if GIVEN not in (recipe.builder, recipe.matcher) and (sources or not recipe.sources)
    )
