"""Do several scores together predict people's better than each alone?"""

from pyramidion.studies.combine.result import Combinations, Combined
from pyramidion.studies.combine.study import combine

__all__ = ["Combinations", "Combined", "combine"]
