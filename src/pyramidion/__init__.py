"""Pyramidion: what content did a summary get right?

>>> import pyramidion as pm
>>> topic = pm.example()[1]
>>> scores = pm.score(topic.pyramid, topic.annotations[0])
>>> print(scores.summary, round(scores.coverage, 3))
copy 0.941
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pyramidion.version import __version__

if TYPE_CHECKING:
    from pyramidion.analyses.ablate import ablate
    from pyramidion.analyses.agree import agree
    from pyramidion.analyses.combine import combine
    from pyramidion.analyses.compare import compare
    from pyramidion.analyses.correlate import correlate
    from pyramidion.analyses.lite import Lite, Metric, lite
    from pyramidion.analyses.measure import measure
    from pyramidion.analyses.scores.table import ScoreTable
    from pyramidion.analyses.stability import stability
    from pyramidion.analyses.tune import tune
    from pyramidion.api import build, feedback, human_scores, match, report, score_table, write
    from pyramidion.crowd.results.scores import crowd_scores
    from pyramidion.errors import FormatError, InputWarning, LossError, MissingPartError, ModelError, PyramidionError
    from pyramidion.evaluation.drive import rescore, run
    from pyramidion.evaluation.evaluate import evaluate, stream
    from pyramidion.evaluation.evaluation import Evaluation
    from pyramidion.evaluation.run_folders import read_run
    from pyramidion.evaluation.run_result import RunResult
    from pyramidion.evaluation.scored import Scored
    from pyramidion.examples import example
    from pyramidion.explanation import Explanation, explain
    from pyramidion.formats.read import Reading, read
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
    from pyramidion.result import Result
    from pyramidion.scoring import Scores, Settings
    from pyramidion.scoring import scores as score
    from pyramidion.signature import Signature

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

_HOMES = {
    "Annotation": "model",
    "Contradiction": "model",
    "Contributor": "model",
    "Evaluation": "evaluation.evaluation",
    "Explanation": "explanation",
    "FormatError": "errors",
    "InputWarning": "errors",
    "Lite": "analyses.lite",
    "LossError": "errors",
    "Match": "model",
    "Method": "methods",
    "Metric": "analyses.lite",
    "MissingPartError": "errors",
    "ModelError": "errors",
    "Place": "model",
    "Pyramid": "model",
    "PyramidionError": "errors",
    "Reading": "formats.read",
    "Result": "result",
    "RunResult": "evaluation.run_result",
    "SCU": "model",
    "ScoreTable": "analyses.scores.table",
    "Scored": "evaluation.scored",
    "Scores": "scoring",
    "Settings": "scoring",
    "Signature": "signature",
    "Source": "model",
    "Span": "model",
    "Summary": "model",
    "Topic": "model",
    "ablate": "analyses.ablate",
    "agree": "analyses.agree",
    "build": "api",
    "combine": "analyses.combine",
    "compare": "analyses.compare",
    "correlate": "analyses.correlate",
    "crowd_scores": "crowd.results.scores",
    "evaluate": "evaluation.evaluate",
    "example": "examples",
    "explain": "explanation",
    "feedback": "api",
    "human_scores": "api",
    "lite": "analyses.lite",
    "match": "api",
    "measure": "analyses.measure",
    "read": "formats.read",
    "read_run": "evaluation.run_folders",
    "report": "api",
    "rescore": "evaluation.drive",
    "rouge": "metrics.rouge",
    "run": "evaluation.drive",
    "score": "scoring:scores",
    "score_table": "api",
    "stability": "analyses.stability",
    "stream": "evaluation.evaluate",
    "tune": "analyses.tune",
    "write": "api",
}
"""Module of each promised name, under the package; after a colon its name there, where that is another."""


def __getattr__(name: str) -> Any:
    # Nothing is imported before it is first asked for: importing the package stays quick.
    if name in _HOMES:
        module, _, there = _HOMES[name].partition(":")
        globals()[name] = getattr(import_module(f"pyramidion.{module}"), there or name)
        return globals()[name]
    if not name.startswith("_") and find_spec(f"pyramidion.{name}"):
        return import_module(f"pyramidion.{name}")
    raise AttributeError(f"module 'pyramidion' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
