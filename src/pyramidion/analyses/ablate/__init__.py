"""What does each relation of a meaning graph contribute?"""

from pyramidion.analyses.ablate.result import Ablation, Effect, Relation
from pyramidion.analyses.ablate.study import ablate, relations

__all__ = ["Ablation", "Effect", "Relation", "ablate", "relations"]
