"""Which systems are better than which, and how sure is that?"""

from pyramidion.analyses.compare.result import Comparison
from pyramidion.analyses.compare.study import compare

__all__ = ["Comparison", "compare"]
