"""Score every summary of a corpus by a method."""

from pyramidion.studies.evaluate.result import Evaluation, Scored, SystemMeans
from pyramidion.studies.evaluate.study import evaluate

__all__ = ["Evaluation", "Scored", "SystemMeans", "evaluate"]
