"""Pyramid and summary to annotation: one module per matcher.

A matcher takes a pyramid and a summary and returns what the summary expresses; keyword-only parameters with defaults
are its settings. Packages contribute matchers through the entry-point group ``pyramidion.matchers``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pyramidion.base.registry import Registry
from pyramidion.model import Annotation, Pyramid, Summary

__all__ = ["MATCHERS", "NORMALISERS", "Matcher"]


class Matcher(Protocol):
    """From a pyramid and a summary to what the summary expresses of it."""

    def __call__(self, pyramid: Pyramid, summary: Summary) -> Annotation:
        """The annotation of the summary."""


MATCHERS: Registry[Matcher] = Registry(
    "matcher",
    "pyramidion.matchers",
    {
        "entails": "pyramidion.matchers.entails:entails",
        "either": "pyramidion.matchers.either:either",
        "soft": "pyramidion.matchers.soft:soft",
        "unigram": "pyramidion.matchers.unigram:unigram",
        "wmin": "pyramidion.matchers.wmin:wmin",
        "mwis": "pyramidion.matchers.mwis:mwis",
        "ape": "pyramidion.matchers.ape:ape",
        "harnly": "pyramidion.matchers.harnly:harnly",
        "passonneau": "pyramidion.matchers.passonneau:passonneau",
        "peak": "pyramidion.matchers.peak:peak",
        "edu": "pyramidion.matchers.edu:edu",
        "nli:": "pyramidion.matchers.nli:make",
        "llm:": "pyramidion.matchers.llm:make",
    },
    also="given (the corpus's own annotations)",
    retired=dict.fromkeys(("reader", "learned"), "choose entails, which took its place"),
)

NORMALISERS: Registry[Callable[[Pyramid, Annotation], float]] = Registry(
    "normaliser",
    "pyramidion.normalisers",
    {"edu": "pyramidion.matchers.knapsack:normalised", "lite": "pyramidion.builders.lite:normalised"},
)
"""Functions that normalise what is matched, by the name of the matcher or builder that has one of its own."""
