"""Rows on disk by key: what was computed once, for whoever needs it again, on a shelf of bounded size.

It is a SQLite file in WAL mode, so that threads and processes may share it. The rows that were used longest ago leave
first when the shelf is full. A row carries a checksum: one that fails it is not found, and a damaged file is begun
anew. A file that cannot be used (locked for long, read-only, disk full) is done without, with a warning. So nothing on
the shelf can change a result, and everything on it may be deleted at any time. A database of another kind in its place
is an error, and left as it is.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar
from weakref import finalize

from pyramidion.base.stores import CACHE, check_kind
from pyramidion.errors import PyramidionError
from pyramidion.notes import note

NAME = "cache.sqlite"
MEGABYTE = 1 << 20
LIMIT = 1024 * MEGABYTE
"""The default size of a shelf in bytes."""
RECENT = 3600
"""The seconds after which the use of a row is noted again."""
_AT_ONCE = 500  # keys in one query: SQLite limits the parameters of a statement
_SPARE = 8
"""When the shelf is full, one row of so many leaves."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, row BLOB NOT NULL, "
    "used INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS by_use ON rows (used, id)",
)
_CIRCUMSTANCES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_IOERR,
}
"""Errors that are the machine's fault, not the file's."""

T = TypeVar("T")


class Shelf:
    """The rows of a folder."""

    def __init__(self, folder: Path, limit: int = LIMIT, what: str = "results") -> None:
        """Take the size ``limit`` in bytes, and ``what`` the shelf holds, for the warning that nothing is cached."""
        self.path = folder / NAME
        self._limit = limit
        self._what = what
        self._usable = True
        self._lock = Lock()
        self._connection: tuple[int, sqlite3.Connection] | None = None

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the rows that exist and are intact."""
        stored: dict[bytes, bytes] = {}

        def query(connection: sqlite3.Connection) -> None:
            now = int(time.time())
            for batch in _batches(keys):
                marks = ",".join("?" * len(batch))
                found = connection.execute(f"SELECT key, row, used FROM rows WHERE key IN ({marks})", batch).fetchall()
                stored.update((key, row[:-4]) for key, row, _ in found if _is_whole(row))
                if aged := [(now, key) for key, _, used in found if not now - RECENT < used <= now]:
                    with connection:
                        connection.executemany("UPDATE rows SET used = ? WHERE key = ?", aged)

        self._use(query)
        return stored

    def write(self, rows: Mapping[bytes, bytes]) -> None:
        """Keep rows; others leave for them where the shelf is full."""

        def query(connection: sqlite3.Connection) -> None:
            now = int(time.time())
            with connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO rows (key, row, used) VALUES (?, ?, ?)",
                    [(key, row + _checksum(row), now) for key, row in rows.items()],
                )
            while _size(connection) > self._limit and self._drop(connection):
                pass

        self._use(query)

    def size(self) -> int:
        """Return the bytes in use."""
        return self._use(_size) or 0

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._let_go()

    @staticmethod
    def _drop(connection: sqlite3.Connection) -> int:
        """Remove the rows that were used longest ago, and return how many."""
        with connection:
            cursor = connection.execute(
                "DELETE FROM rows WHERE id IN "
                f"(SELECT id FROM rows ORDER BY used, id LIMIT (SELECT count(*) / {_SPARE} + 1 FROM rows))"
            )
            return cursor.rowcount

    def _use(self, query: Callable[[sqlite3.Connection], T]) -> T | None:
        """Run the query; once more on a new file if this one is damaged; go without a file if that does not help."""
        with self._lock:
            for attempt in (1, 2):
                if not self._usable:
                    break
                try:
                    return query(self._open())
                except (sqlite3.Error, OSError) as error:
                    self._let_go()
                    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
                    if attempt == 1 and isinstance(error, sqlite3.Error) and code not in _CIRCUMSTANCES:
                        self._begin_anew()
                        continue
                    self._usable = False
                    note(f"The cache {self.path} cannot be used ({error}); {self._what} are not cached")
        return None

    def _open(self) -> sqlite3.Connection:
        """Return the connection of this process, opened if need be: SQLite forbids using that of a parent process."""
        if self._connection and self._connection[0] == os.getpid():
            return self._connection[1]
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self.path, timeout=30, check_same_thread=False)
        finalize(self, connection.close)
        try:
            is_begun = check_kind(connection.execute, CACHE, self.path, "move it away, or name another folder")
        except PyramidionError:
            connection.close()
            raise
        with suppress(sqlite3.OperationalError):  # another process is at it
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # what a power cut damages is computed again
        with connection:
            for statement in (*_TABLE, *([] if is_begun else [CACHE.mark])):
                connection.execute(statement)
        self._connection = os.getpid(), connection
        return connection

    def _let_go(self) -> None:
        if self._connection and self._connection[0] == os.getpid():
            with suppress(sqlite3.Error):
                self._connection[1].close()
        self._connection = None

    def _begin_anew(self) -> None:
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self.path.name + ending).unlink()


def _size(connection: sqlite3.Connection) -> int:
    """Return the bytes of the pages that hold something."""
    pages, free, page_size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * page_size)


def _is_whole(row: object) -> bool:
    return isinstance(row, bytes) and len(row) >= 4 and _checksum(row[:-4]) == row[-4:]


def _checksum(row: bytes) -> bytes:
    return zlib.crc32(row).to_bytes(4, "little")


def _batches(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (keys[first : first + _AT_ONCE] for first in range(0, len(keys), _AT_ONCE))
