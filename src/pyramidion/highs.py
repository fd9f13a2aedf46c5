"""scipy's integer programs by HiGHS, quietly.

Where rounding breaks a solution HiGHS repairs it and says so on standard output, whatever its options are (seen with
scipy 1.17). Our results go there, so the remark is taken out; one thread at a time solves.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from threading import Lock
from typing import Any

from scipy import optimize

__all__ = ["milp"]

REMARK = b"HighsMipSolverData::transformNewIntegerFeasibleSolution tmpSolver.run();"
_SOLVING = Lock()


def milp(*args: Any, **options: Any) -> Any:
    """:func:`scipy.optimize.milp`, with nothing of its own on standard output."""
    with _SOLVING, _without_remarks():
        return optimize.milp(*args, **options)


@contextmanager
def _without_remarks() -> Iterator[None]:
    """Standard output without HiGHS's remark; where a process has no standard output, nothing changes."""
    try:
        own = os.dup(1)
    except OSError:
        yield
        return
    sys.stdout.flush()
    _flush()
    with TemporaryFile() as meanwhile:
        os.dup2(meanwhile.fileno(), 1)
        try:
            yield
        finally:
            _flush()
            os.dup2(own, 1)
            meanwhile.seek(0)
            with os.fdopen(own, "wb") as output:
                output.writelines(line for line in meanwhile if line.strip() != REMARK)


def _flush() -> None:
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
