"""How many references are enough?"""

from pyramidion.studies.stability.result import StabilityStudy
from pyramidion.studies.stability.study import stability

__all__ = ["StabilityStudy", "stability"]
