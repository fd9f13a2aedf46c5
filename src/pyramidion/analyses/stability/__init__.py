"""How many references are enough?"""

from pyramidion.analyses.stability.result import StabilityStudy
from pyramidion.analyses.stability.study import stability

__all__ = ["StabilityStudy", "stability"]
