"""How many nuggets are in the answers of RAG runs?"""

from pyramidion.analyses.nuggets.result import NuggetStudy
from pyramidion.analyses.nuggets.study import nuggets

__all__ = ["NuggetStudy", "nuggets"]
