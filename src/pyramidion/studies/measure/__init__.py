"""Score every summary of a corpus by ROUGE and other baselines."""

from pyramidion.studies.measure.result import Measured
from pyramidion.studies.measure.study import chosen_metrics, measure

__all__ = ["Measured", "chosen_metrics", "measure"]
