"""Pyramid and summary to annotation: one module per matcher.

A matcher takes a pyramid and a summary and returns what the summary expresses; keyword-only parameters with defaults
are its settings. Packages contribute matchers through the entry-point group ``pyramidion.matchers``.
"""

from __future__ import annotations

from typing import Protocol

from pyramidion.model import Annotation, Pyramid, Summary
from pyramidion.registry import Registry

__all__ = ["MATCHERS", "Matcher"]


class Matcher(Protocol):
    """From a pyramid and a summary to what the summary expresses of it."""

    def __call__(self, pyramid: Pyramid, summary: Summary) -> Annotation:
        """The annotation of the summary."""


MATCHERS: Registry[Matcher] = Registry(
    "matcher",
    "pyramidion.matchers",
    {
        "soft": "pyramidion.match.soft:soft",
        "wmin": "pyramidion.match.wmin:wmin",
        "mwis": "pyramidion.match.mwis:mwis",
    },
    also="given (the corpus's own annotations)",
)
