"""How much one document may hold, so that no file can fill the memory.

A value takes some hundred bytes however few a file needs to name it: 60 MB of ``<a/>`` are 3 GB of elements. So what a
reader makes is counted before it is made. Documents of this field hold some thousands of anything.
"""

from __future__ import annotations

from pyramidion.errors import FormatError, Where

MOST = 1_000_000
"""Elements, objects, rows, units of one document."""


def check_count(count: int, things: str, where: Where | str, most: int = MOST) -> None:
    """Raise an error if a document holds more than it may."""
    if count > most:
        raise FormatError(
            f"The document holds more than {most:,} {things}", where, "check that it is the file you meant, or split it"
        )
