"""What work costs, counted: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pyramidion

OURS = str(Path(pyramidion.__file__).parent)


def steps(work: Callable[[], object]) -> int:
    """How many lines of ours Python runs for it, each time it runs them.

    What C does within a line (an expression's search, an array) is not counted; ``bench/growth.py`` measures that.
    """
    count = 0

    def trace(frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
