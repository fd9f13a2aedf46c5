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
(:mod:`pyramidion.build.extractive`).
"""

from __future__ import annotations

from typing import Protocol

from pyramidion.model import Pyramid, Topic
from pyramidion.registry import Registry

__all__ = ["BUILDERS", "Builder"]


class Builder(Protocol):
    """A function that builds a topic's pyramid from its texts."""

    def __call__(self, topic: Topic) -> Pyramid:
        """The pyramid of the topic's references or sources."""


BUILDERS: Registry[Builder] = Registry(
    "builder",
    "pyramidion.builders",
    {
        "edua-c": "pyramidion.build.edua_c:edua_c",
        "edua-g": "pyramidion.build.edua_g:edua_g",
        "edua-p": "pyramidion.build.edua_p:edua_p",
        "meaning": "pyramidion.build.meaning:meaning",
        "peak": "pyramidion.build.peak:peak",
        "lite": "pyramidion.build.lite:lite",
        "edu-align": "pyramidion.build.extractive:edu_align",
        "edu-oracle-rouge": "pyramidion.build.extractive:edu_oracle_rouge",
        "edu-oracle-be": "pyramidion.build.extractive:edu_oracle_be",
        "llm:": "pyramidion.build.llm:make",
    },
    also="given (the corpus's own pyramids)",
)
