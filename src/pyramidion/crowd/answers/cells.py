"""What cells of result files say: answers as letters, durations, and ids for rows that have none."""

from __future__ import annotations

import math
from hashlib import blake2b

from pyramidion.errors import FormatError

__all__ = ["LETTERS", "letter_of", "made_id", "seconds_of"]

LETTERS = {"p": "p", "n": "n", "?": "?", "": "-"}
"""The letters of answers as they should stand."""


def letter_of(cell: str, what: str) -> str:
    """The letter of an answer."""
    letter = LETTERS.get(cell) or LETTERS.get(cell.strip().lower())
    if letter is None:
        raise FormatError(f"the answer to {what} is {cell[:40]!r}", do="it must be p, n, ? or nothing")
    return letter


def seconds_of(cell: str) -> float | None:
    """A duration that can be one."""
    try:
        seconds = float(cell)
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def made_id(*content: str) -> str:
    """An id for a submission that brings none: the same for the same content."""
    return blake2b("\x1f".join(content).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
