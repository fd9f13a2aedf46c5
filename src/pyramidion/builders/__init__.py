"""Units to pyramids: one module per algorithm.

A builder takes a topic and returns its pyramid; keyword-only parameters with defaults are its settings. Packages
contribute builders through the entry-point group ``pyramidion.builders``; ``pyramidion evaluate --method
BUILDER+MATCHER`` uses them by name.

==========  ===================================================================================
``edua-c``  the proved optimum of attraction, which needs one SCU of each weight (section 4.4)
``edua-g``  greedy, with Zipfian classes and backtracking (appendix A)
``edua-p``  ours: the packing of SCUs that has the most similarity above the threshold, exactly
``meaning`` ours: statements of one fact each, grouped where one says what the other says
``peak``    subject-predicate-object triples that several references share (Yang et al. 2016)
``lite``    every statement, sentence or clause of the references, each with the weight 1 (Zhang and Bansal 2021)
==========  ===================================================================================

The sections are those of Gao et al. (2019). ``edu-align`` and the oracles build from source documents
(:mod:`pyramidion.builders.extractive`).
"""

from __future__ import annotations

from typing import Protocol

from pyramidion.base.registry import Registry
from pyramidion.model import Pyramid, Topic

__all__ = ["BUILDERS", "Builder"]


class Builder(Protocol):
    """A function that builds a topic's pyramid from its texts."""

    def __call__(self, topic: Topic) -> Pyramid:
        """The pyramid of the topic's references or sources."""


BUILDERS: Registry[Builder] = Registry(
    "builder",
    "pyramidion.builders",
    {
        "edua-c": "pyramidion.builders.edua_c:edua_c",
        "edua-g": "pyramidion.builders.edua_g:edua_g",
        "edua-p": "pyramidion.builders.edua_p:edua_p",
        "meaning": "pyramidion.builders.meaning:meaning",
        "peak": "pyramidion.builders.peak:peak",
        "lite": "pyramidion.builders.lite:lite",
        "edu-align": "pyramidion.builders.extractive:edu_align",
        "edu-oracle-rouge": "pyramidion.builders.extractive:edu_oracle_rouge",
        "edu-oracle-be": "pyramidion.builders.extractive:edu_oracle_be",
        "llm:": "pyramidion.builders.llm:make",
    },
    also="given (the corpus's own pyramids)",
)
