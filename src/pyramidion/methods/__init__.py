"""A method is a builder, a matcher and their parameters; the named ones are recipes."""

from pyramidion.methods.method import (
    DEFAULT_MATCHER,
    DEFAULT_METHOD,
    GIVEN,
    LANGUAGE,
    RECIPES,
    Method,
    Recipe,
    Value,
    methods_table,
    say_if_ignored,
    signed_by_makers,
    versions_of,
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
