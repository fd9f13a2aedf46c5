"""Which systems are better than which, and how sure is that?"""

from pyramidion.studies.compare.result import Comparison
from pyramidion.studies.compare.study import compare

__all__ = ["Comparison", "compare"]
