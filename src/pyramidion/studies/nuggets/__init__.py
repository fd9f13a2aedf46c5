"""How many nuggets are in the answers of RAG runs?"""

from pyramidion.studies.nuggets.result import NuggetStudy
from pyramidion.studies.nuggets.study import nuggets

__all__ = ["NuggetStudy", "nuggets"]
