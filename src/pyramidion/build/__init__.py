"""Units to pyramids: one module per algorithm.

A builder takes a topic and returns its pyramid; keyword-only parameters with defaults are its settings. Packages
contribute builders through the entry-point group ``pyramidion.builders``; ``pyramidion evaluate --method
BUILDER+MATCHER`` uses them by name.
"""

from __future__ import annotations

from typing import Protocol

from pyramidion.model import Pyramid, Topic
from pyramidion.registry import Registry

__all__ = ["BUILDERS", "Builder"]


class Builder(Protocol):
    """From a topic's texts to its pyramid."""

    def __call__(self, topic: Topic) -> Pyramid:
        """The pyramid of the topic's references or sources."""


BUILDERS: Registry[Builder] = Registry("builder", "pyramidion.builders", {}, also="given (the corpus's own pyramids)")
