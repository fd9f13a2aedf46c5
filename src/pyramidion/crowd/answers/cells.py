"""Cells of result files: the durations that they state, and ids for rows that have none."""

from __future__ import annotations

import math
from hashlib import blake2b


def seconds_of(cell: str) -> float | None:
    """Return the seconds that a cell states; None if it states none."""
    try:
        seconds = float(cell)
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def made_id(*content: str) -> str:
    """Make an id for a submission without one; the same content has the same id."""
    # The unit separator keeps ("ab", "c") apart from ("a", "bc").
    return blake2b("\x1f".join(content).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
