"""One driver on a run at a time.

The lock is the operating system's, on a file of the run's folder. It is gone when its process is, however that ended,
so that no lock is ever stale.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pyramidion.errors import PyramidionError

LOCK = "lock"


def _take(file: IO[bytes]) -> bool:
    """Lock a file if nobody else has."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Have a run to oneself; refuse if another process has it."""
    with (folder / LOCK).open("a+b") as file:
        if not _take(file):
            file.seek(1)  # Windows does not let others read the first byte
            owner = file.read().decode("ascii", "replace").strip()
            raise PyramidionError(
                f"Another process{f' ({owner})' if owner else ''} works on this run.",
                str(folder),
                "wait until it is done, or name another folder",
            )
        file.truncate(0)
        file.write(f" {os.getpid()}".encode())
        file.flush()
        yield


def is_locked(folder: Path) -> bool:
    """Whether a process works on a run."""
    try:
        with (folder / LOCK).open("r+b") as file:
            return not _take(file)
    except OSError:
        return False
