"""A method is a builder, a matcher and their parameters; the named ones are recipes."""

from pyramidion.methods.method import LANGUAGE, Method, signed_by_makers, versions_of
from pyramidion.methods.names import Value
from pyramidion.methods.recipes import (
    DEFAULT_MATCHER,
    DEFAULT_METHOD,
    GIVEN,
    RECIPES,
    Recipe,
    methods_table,
    say_if_ignored,
)

__all__ = [
    "DEFAULT_MATCHER",
    "DEFAULT_METHOD",
    "GIVEN",
    "LANGUAGE",
    "RECIPES",
    "Method",
    "Recipe",
    "Value",
    "methods_table",
    "say_if_ignored",
    "signed_by_makers",
    "versions_of",
]
