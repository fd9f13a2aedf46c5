"""Which parameters agree best with people, and would others have been found?"""

from pyramidion.analyses.tune.grid import read_grid
from pyramidion.analyses.tune.result import GridCell, Tuning
from pyramidion.analyses.tune.study import tune

__all__ = ["GridCell", "Tuning", "read_grid", "tune"]
