"""One driver on a run at a time.

The lock is the operating system's, on a file of the run's folder. It is gone when its process is, however that ended,
so that no lock is ever stale.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from pyramidion.base.files import writable
from pyramidion.errors import PyramidionError

LOCK = "lock"
GLANCE = 0.5
"""Seconds to try for: a process that only looks whether a run is locked holds the lock for a moment."""
_TAKEN = {errno.EAGAIN, errno.EACCES, errno.EDEADLK, getattr(errno, "EDEADLOCK", errno.EDEADLK)}
"""The error numbers of a lock that another process holds; all others, such as of a disk without locks, are raised."""


def _take(file: IO[bytes]) -> bool:
    """Lock a file; return False if another process holds the lock."""
    file.seek(0)  # Windows locks from where one is: all must be at the same byte
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _TAKEN:
            raise
        return False
    return True


def _take_soon(file: IO[bytes]) -> bool:
    """Lock a file; return False if another process holds the lock for longer than a glance."""
    until = monotonic() + GLANCE
    while not (taken := _take(file)) and monotonic() < until:
        sleep(GLANCE / 25)
    return taken


@contextmanager
def lock_run(folder: Path) -> Iterator[None]:
    """Hold the lock of a run; raise if another process has it."""
    with writable(folder / LOCK):
        file = (folder / LOCK).open("a+b")
    with file:
        with writable(folder / LOCK):
            taken = _take_soon(file)
        if not taken:
            file.seek(1)  # Windows does not let others read the first byte
            owner = file.read().decode("ascii", "replace").strip()
            raise PyramidionError(
                f"Another process{f' ({owner})' if owner else ''} works on this run.",
                str(folder),
                "wait until it is done, or name another folder",
            )
        # who holds it is written behind the locked byte, for the message of the next process
        file.truncate(0)
        file.write(f" {os.getpid()}".encode())
        file.flush()
        yield


def is_locked(folder: Path) -> bool:
    """Return whether a process works on a run."""
    try:
        with (folder / LOCK).open("r+b") as file:
            return not _take(file)
    except OSError:
        return False
