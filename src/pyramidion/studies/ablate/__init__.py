"""What does each relation of a meaning graph contribute?"""

from pyramidion.studies.ablate.result import Ablation, Effect, Relation
from pyramidion.studies.ablate.study import ablate, relations

__all__ = ["Ablation", "Effect", "Relation", "ablate", "relations"]
