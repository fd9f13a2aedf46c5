"""What cells of result files say: durations, and ids for rows that have none."""

from __future__ import annotations

import math
from hashlib import blake2b


def seconds_of(cell: str) -> float | None:
    """The seconds that a cell states; None if it states none."""
    try:
        seconds = float(cell)
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def made_id(*content: str) -> str:
    """An id for a submission without one; the same content has the same id."""
    return blake2b("\x1f".join(content).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
