"""Metrics that compare a summary with references without a pyramid.

>>> from pyramidion import metrics
>>> metrics.rouge("police kill the gunman", ["police killed the gunman"], "L").recall
0.75
>>> print(metrics.metric("rouge-su4", stem=True))
rouge:SU4|stem:yes|stop:no|words:rouge155|references:average|alpha:0.5|variant:rouge155
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Protocol

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.metrics._combine import RougeScore
from pyramidion.metrics.basic_elements import BasicElements, Matching
from pyramidion.metrics.lexical_pyramid import LexicalPyramid, LexicalScore
from pyramidion.metrics.rouge import Rouge, rouge

__all__ = [
    "NAMES",
    "BasicElements",
    "LexicalPyramid",
    "LexicalScore",
    "Metric",
    "Rouge",
    "RougeScore",
    "be",
    "metric",
    "rouge",
    "settings_of",
]

NAMES = (
    *("rouge-1", "rouge-2", "rouge-3", "rouge-4", "rouge-l", "rouge-w", "rouge-s4", "rouge-su4"),
    *("be-hm", "be-hmr", "lexical-pyramid"),
)
"""The names that :func:`metric` knows; ``rouge-N``, ``rouge-sN`` and ``rouge-suN`` with any other number, too."""


class Metric(Protocol):
    """What all metrics have in common. A score is a named tuple of numbers."""

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Every setting that the number depends on, for a signature."""

    def score(self, candidate: str, references: Iterable[str]) -> RougeScore | LexicalScore:
        """Score one candidate against its references."""

    def scores(
        self, candidates: Sequence[str], references: Sequence[Iterable[str]]
    ) -> Sequence[RougeScore | LexicalScore]:
        """Score many candidates, each against its own references."""


def metric(name: str, **settings: Any) -> Metric:
    """Return the metric of a name, with the settings of its class.

    >>> print(metric("be-hmr", references="best"))
    be:hmr|analyser:en-minilm|references:best|alpha:0.5
    """
    kind, arguments = _metric_class(name)
    wrong = sorted(set(settings) - set(settings_of(name)))
    if wrong:
        known = ", ".join(settings_of(name))
        raise ModelError(f"The metric {name!r} has no setting {wrong[0]!r}", do=f"choose from: {known}")
    made: Metric = kind(*arguments, **settings)
    return made


def settings_of(name: str) -> tuple[str, ...]:
    """Return the names of the settings that the metric of a name has.

    >>> settings_of("be-hm")
    ('analyser', 'references', 'alpha')
    """
    kind, arguments = _metric_class(name)
    return tuple(field.name for field in fields(kind))[len(arguments) :]


def _metric_class(name: str) -> tuple[Any, tuple[str, ...]]:
    """Return the class of the metric of a name, and the arguments that the name stands for."""
    plain = name.lower()
    if plain == "lexical-pyramid":
        return LexicalPyramid, ()
    known: dict[str, Any] = {"rouge-": Rouge, "be-": BasicElements}
    for prefix, kind in known.items():
        if plain.startswith(prefix):
            try:
                kind(plain)
            except ModelError:  # it would speak of ROUGE or BE alone; ours below names all metrics
                break
            return kind, (plain,)
    raise ModelError(f"There is no metric {name!r}", do=f"choose from: {', '.join(NAMES)}")


@check_choices
def be(candidate: str, references: Iterable[str], matching: Matching = "hm", **settings: Any) -> RougeScore:
    """Return the score of one candidate by :class:`~pyramidion.metrics.basic_elements.BasicElements`.

    >>> be("Police killed a gunman.", ["The gunman was killed by police."])
    RougeScore(recall=1.0, precision=1.0, f=1.0)
    """
    return BasicElements(matching, **settings).score(candidate, references)
