"""How far do two kinds of scores agree?"""

from pyramidion.analyses.correlate.result import CorrelationStudy
from pyramidion.analyses.correlate.study import Sampling, correlate

__all__ = ["CorrelationStudy", "Sampling", "correlate"]
