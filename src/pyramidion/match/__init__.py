"""Pyramid and summary to annotation: one module per matcher.

A matcher takes a pyramid and a summary and returns what the summary expresses; keyword-only parameters with defaults
are its settings. Packages contribute matchers through the entry-point group ``pyramidion.matchers``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pyramidion.model import Annotation, Pyramid, Summary
from pyramidion.registry import Registry

__all__ = ["MATCHERS", "NORMALISERS", "Matcher"]


class Matcher(Protocol):
    """From a pyramid and a summary to what the summary expresses of it."""

    def __call__(self, pyramid: Pyramid, summary: Summary) -> Annotation:
        """The annotation of the summary."""


MATCHERS: Registry[Matcher] = Registry(
    "matcher",
    "pyramidion.matchers",
    {
        "entails": "pyramidion.match.entails:entails",
        "either": "pyramidion.match.either:either",
        "soft": "pyramidion.match.soft:soft",
        "unigram": "pyramidion.match.unigram:unigram",
        "wmin": "pyramidion.match.wmin:wmin",
        "mwis": "pyramidion.match.mwis:mwis",
        "ape": "pyramidion.match.ape:ape",
        "harnly": "pyramidion.match.harnly:harnly",
        "passonneau": "pyramidion.match.passonneau:passonneau",
        "peak": "pyramidion.match.peak:peak",
        "edu": "pyramidion.match.edu:edu",
        "nli:": "pyramidion.match.nli:make",
        "llm:": "pyramidion.match.llm:make",
    },
    also="given (the corpus's own annotations)",
    retired=dict.fromkeys(("reader", "learned"), "choose entails, which took its place"),
)

NORMALISERS: Registry[Callable[[Pyramid, Annotation], float]] = Registry(
    "normaliser",
    "pyramidion.normalisers",
    {"edu": "pyramidion.match.knapsack:normalised", "lite": "pyramidion.build.lite:normalised"},
)
"""By the name of a matcher or builder, how it normalises what is matched, where it does so in a way of its own."""
