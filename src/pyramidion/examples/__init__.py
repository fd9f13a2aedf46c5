"""Two invented topics with everything: sources, references, peers, a pyramid, and marks of what every peer says.

``tidal-lagoon`` is a news story and ``lake-revival`` an article of the kind that students summarize; each has five
references, six peers of clearly different quality, three source documents, and a pyramid of 23 SCUs with weights 1 to
5. A language model wrote and marked them (PROVENANCE.md).
"""

from __future__ import annotations

from importlib.resources import as_file, files

from pyramidion.formats import folder
from pyramidion.model import Topic

__all__ = ["example"]


def example() -> list[Topic]:
    """The two bundled topics, each with references, peers, a pyramid and reference marks.

    A language model wrote the texts and the marks.

    >>> import pyramidion as pm
    >>> [(topic.id, len(topic.references), len(topic.peers)) for topic in pm.example()]
    [('lake-revival', 5, 6), ('tidal-lagoon', 5, 6)]
    """
    with as_file(files("pyramidion.examples")) as path:
        return folder.load(path)
