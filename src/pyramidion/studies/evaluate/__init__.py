"""Score every summary of a corpus by a method."""

from pyramidion.runs.scored import Scored
from pyramidion.studies.evaluate.result import Evaluation, SystemMeans
from pyramidion.studies.evaluate.study import evaluate, stream

__all__ = ["Evaluation", "Scored", "SystemMeans", "evaluate", "stream"]
