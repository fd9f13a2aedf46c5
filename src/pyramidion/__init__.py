"""Pyramidion: what content did a summary get right?

>>> import pyramidion as pm
>>> topic = pm.example()[1]
>>> scores = pm.score(topic.pyramid, topic.annotations[0])
>>> print(scores.summary, round(scores.coverage, 3))
copy 0.941
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

# A room that has the name of a verb (build, match, score, explain, report) is imported before the verb takes the name.
import pyramidion.report  # noqa: F401
from pyramidion.api import build, feedback, human_scores, match, report, score_table, write
from pyramidion.errors import FormatError, InputWarning, LossError, MissingPartError, ModelError, PyramidionError
from pyramidion.examples import example
from pyramidion.explain import Explanation, explain
from pyramidion.methods import Method
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
from pyramidion.studies.evaluate import Evaluation, Scored, evaluate, stream
from pyramidion.studies.lite import Lite, Metric, lite
from pyramidion.studies.result import Result
from pyramidion.version import __version__

if TYPE_CHECKING:
    from pyramidion.metrics import rouge
    from pyramidion.studies.ablate import ablate
    from pyramidion.studies.agree import agree
    from pyramidion.studies.combine import combine
    from pyramidion.studies.compare import compare
    from pyramidion.studies.correlate import correlate
    from pyramidion.studies.crowd.scores import crowd_scores
    from pyramidion.studies.measure import measure
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
    "report",
    "rouge",
    "score",
    "score_table",
    "stability",
    "stream",
    "tune",
    "write",
]

_LATER = {
    "ScoreTable": "pyramidion.studies.scores.table",
    "ablate": "pyramidion.studies.ablate",
    "agree": "pyramidion.studies.agree",
    "combine": "pyramidion.studies.combine",
    "compare": "pyramidion.studies.compare",
    "correlate": "pyramidion.studies.correlate",
    "crowd_scores": "pyramidion.studies.crowd.scores",
    "measure": "pyramidion.studies.measure",
    "rouge": "pyramidion.metrics",
    "stability": "pyramidion.studies.stability",
    "tune": "pyramidion.studies.tune",
}
"""Functions that need numpy, imported when they are first asked for, so that importing the package stays quick."""

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


def __getattr__(name: str) -> Any:
    if name in _LATER:
        globals()[name] = getattr(import_module(_LATER[name]), name)
        return globals()[name]
    if name in _RENAMED:
        module, instead = _RENAMED[name]
        message = f"pyramidion.{name} has another name now: write pyramidion.{instead}."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(import_module(module), name)
    raise AttributeError(f"module 'pyramidion' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
