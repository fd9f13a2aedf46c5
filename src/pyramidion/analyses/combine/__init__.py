"""Do several scores together predict people's better than each alone?"""

from pyramidion.analyses.combine.result import Combinations, Combined
from pyramidion.analyses.combine.study import combine

__all__ = ["Combinations", "Combined", "combine"]
