"""Topics with pyramids and annotated peers, which a language model wrote and marked, for measuring methods.

The *open* topics and the bundled examples are for choosing settings. The *sealed* topics are for reporting, once
everything is decided. ``tests/data/topics/README.md`` says who wrote them, when, and by which rules.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.errors import MissingPartError
from pyramidion.examples import example
from pyramidion.formats import folder
from pyramidion.model import Topic

Half = Literal["open", "sealed"]

_PLACES = (Path(__file__).with_name("topics"), Path(__file__).parents[4] / "tests" / "data" / "topics")
"""The folders of the topics: in an installed package, and in a checkout."""


@check_choices
def marked_topics(half: Half = "open") -> list[Topic]:
    """Return the bundled examples and the open topics; or the sealed topics alone."""
    for place in _PLACES:
        if (place / half).is_dir():
            topics = folder.load(place / half)
            return topics if half == "sealed" else [*example(), *topics]
    raise MissingPartError(
        "The marked topics are not part of this installation.",
        do="install Pyramidion from its wheel or work in a checkout of it, or name a corpus of your own",
    )
