"""Pyramidion: what content did a summary get right?

>>> import pyramidion
>>> topic = pyramidion.example()[1]
>>> found = pyramidion.scores(topic.pyramid, topic.annotations[0])
>>> print(found.summary, round(found.coverage, 3))
copy 0.941
"""

from pyramidion import metrics
from pyramidion.errors import FormatError, InputWarning, LossError, MissingPartError, ModelError, PyramidionError, Where
from pyramidion.examples import example
from pyramidion.explain import Explanation, explain
from pyramidion.formats import dump, dumps, load, loads, losses, sniff
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
from pyramidion.score import Scores, Settings, scores
from pyramidion.signature import Signature
from pyramidion.studies.evaluate.study import Evaluation, evaluate
from pyramidion.studies.lite import Lite, Metric, lite
from pyramidion.version import __version__

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
    "Scores",
    "Settings",
    "Signature",
    "Source",
    "Span",
    "Summary",
    "Topic",
    "Where",
    "__version__",
    "dump",
    "dumps",
    "evaluate",
    "example",
    "explain",
    "lite",
    "load",
    "loads",
    "losses",
    "metrics",
    "read",
    "scores",
    "sniff",
]
