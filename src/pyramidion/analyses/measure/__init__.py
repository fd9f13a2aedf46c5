"""Score every summary of a corpus by ROUGE and other baselines."""

from pyramidion.analyses.measure.result import Measured
from pyramidion.analyses.measure.study import chosen_metrics, measure

__all__ = ["Measured", "chosen_metrics", "measure"]
