"""How far do two kinds of scores agree?"""

from pyramidion.studies.correlate.result import CorrelationStudy
from pyramidion.studies.correlate.study import Sampling, correlate

__all__ = ["CorrelationStudy", "Sampling", "correlate"]
