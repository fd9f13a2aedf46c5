"""Pyramidion: what content did a summary get right?

>>> import pyramidion as pm
>>> topic = pm.example()[1]
>>> scores = pm.score(topic.pyramid, topic.annotations[0])
>>> print(scores.summary, round(scores.coverage, 3))
copy 0.941
"""

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pyramidion.version import __version__

if TYPE_CHECKING:
    from pyramidion.api import build, feedback, human_scores, match, report, score_table, write
    from pyramidion.errors import FormatError, InputWarning, LossError, MissingPartError, ModelError, PyramidionError
    from pyramidion.examples import example
    from pyramidion.explain import Explanation, explain
    from pyramidion.methods import Method
    from pyramidion.metrics.rouge import rouge
    from pyramidion.model import (
        SCU,
        Annotation,
        Contradiction,
        Contributor,
        Match,
        Place,
        Pyramid,
        Source,
        Span,
        Summary,
        Topic,
    )
    from pyramidion.reading import Reading, read
    from pyramidion.score import Scores, Settings
    from pyramidion.score import scores as score
    from pyramidion.signature import Signature
    from pyramidion.studies.ablate import ablate
    from pyramidion.studies.agree import agree
    from pyramidion.studies.combine import combine
    from pyramidion.studies.compare import compare
    from pyramidion.studies.correlate import correlate
    from pyramidion.studies.crowd.scores import crowd_scores
    from pyramidion.studies.evaluate import Evaluation, Scored, evaluate, stream
    from pyramidion.studies.lite import Lite, Metric, lite
    from pyramidion.studies.measure import measure
    from pyramidion.studies.result import Result
    from pyramidion.studies.runs import RunResult, read_run, rescore, run
    from pyramidion.studies.scores.table import ScoreTable
    from pyramidion.studies.stability import stability
    from pyramidion.studies.tune import tune

__all__ = [
    "SCU",
    "Annotation",
    "Contradiction",
    "Contributor",
    "Evaluation",
    "Explanation",
    "FormatError",
    "InputWarning",
    "Lite",
    "LossError",
    "Match",
    "Method",
    "Metric",
    "MissingPartError",
    "ModelError",
    "Place",
    "Pyramid",
    "PyramidionError",
    "Reading",
    "Result",
    "RunResult",
    "ScoreTable",
    "Scored",
    "Scores",
    "Settings",
    "Signature",
    "Source",
    "Span",
    "Summary",
    "Topic",
    "__version__",
    "ablate",
    "agree",
    "build",
    "combine",
    "compare",
    "correlate",
    "crowd_scores",
    "evaluate",
    "example",
    "explain",
    "feedback",
    "human_scores",
    "lite",
    "match",
    "measure",
    "read",
    "read_run",
    "report",
    "rescore",
    "rouge",
    "run",
    "score",
    "score_table",
    "stability",
    "stream",
    "tune",
    "write",
]

_PLACES = {
    "api": "build feedback human_scores match report score_table write",
    "errors": "FormatError InputWarning LossError MissingPartError ModelError PyramidionError",
    "examples": "example",
    "explain": "Explanation explain",
    "methods": "Method",
    "metrics.rouge": "rouge",
    "model": "Annotation Contradiction Contributor Match Place Pyramid SCU Source Span Summary Topic",
    "reading": "Reading read",
    "score": "Scores Settings score=scores",
    "signature": "Signature",
    "studies.ablate": "ablate",
    "studies.agree": "agree",
    "studies.combine": "combine",
    "studies.compare": "compare",
    "studies.correlate": "correlate",
    "studies.crowd.scores": "crowd_scores",
    "studies.evaluate": "Evaluation Scored evaluate stream",
    "studies.lite": "Lite Metric lite",
    "studies.measure": "measure",
    "studies.result": "Result",
    "studies.runs": "RunResult read_run rescore run",
    "studies.scores.table": "ScoreTable",
    "studies.stability": "stability",
    "studies.tune": "tune",
}
"""Where the names are: nothing is imported before it is first asked for, so that importing the package stays quick."""

_WHERE = {
    name: (module, there or name)
    for module, names in _PLACES.items()
    for name, _, there in (each.partition("=") for each in names.split())
}

_RENAMED = {
    "dump": ("pyramidion.formats", "write"),
    "dumps": ("pyramidion.formats", "formats.dumps"),
    "load": ("pyramidion.formats", "read"),
    "loads": ("pyramidion.formats", "formats.loads"),
    "losses": ("pyramidion.formats", "formats.losses"),
    "scores": ("pyramidion.score", "score"),
    "sniff": ("pyramidion.formats", "formats.sniff"),
    "Where": ("pyramidion.errors", "errors.Where"),
}
"""Names of version 0.1: where they are now, and what to write instead. They work in this version, with a warning."""


class _Face(ModuleType):
    """The package. A room that has the name of a verb (build, match, score, explain, report) does not take it."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in _WHERE):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        """Pickle the package by its name, like any module, so that functions that use it can be sent to Ray or Dask."""
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Face


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        module, there = _WHERE[name]
        globals()[name] = getattr(import_module(f"pyramidion.{module}"), there)
        return globals()[name]
    if name in _RENAMED:
        module, instead = _RENAMED[name]
        message = f"pyramidion.{name} has another name now: write pyramidion.{instead}."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(import_module(module), name)
    if not name.startswith("_") and find_spec(f"pyramidion.{name}"):
        return import_module(f"pyramidion.{name}")
    raise AttributeError(f"module 'pyramidion' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
