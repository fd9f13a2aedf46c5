"""Which parameters agree best with people, and would others have been found?"""

from pyramidion.studies.tune.grid import read_grid
from pyramidion.studies.tune.result import GridCell, Tuning
from pyramidion.studies.tune.study import tune

__all__ = ["GridCell", "Tuning", "read_grid", "tune"]
