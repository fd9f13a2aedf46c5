"""The answers of a model, kept in a SQLite file, so that a question is paid for once.

A key is the SHA-256 of all that decides an answer: base URL, model, version of the prompt, messages, schema and
temperature. The file has keys, models, versions and answers; no API key and no URL is in it. Only answers that could be
read are kept. The first answer stays: of two processes that ask the same at once, both go on with the one that came
first.

The file is in WAL mode, and there is a connection for each use, so that threads and processes may share it; a process
that is killed loses no answer that was kept. A damaged file is moved aside, with a warning, and a new one begun; a
damaged row is asked for again. A file that cannot be used (read-only, locked for long, disk full) is done without,
with a warning. A database of somebody else's is an error.
"""

from __future__ import annotations

import sqlite3
import warnings
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

from pyramidion.errors import InputWarning, PyramidionError

__all__ = ["AnswerCache"]

_OURS = 0x50595241
"""The application id in the file's head."""
_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""

T = TypeVar("T")


class AnswerCache:
    """Answers by key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._usable = True
        self._mending = Lock()

    def get(self, key: str) -> str | None:
        """The answer that is kept, if there is one and it is whole."""

        def look(connection: sqlite3.Connection) -> str | None:
            row = connection.execute("SELECT answer, checksum FROM answers WHERE key = ?", (key,)).fetchone()
            return row[0] if row and isinstance(row[0], str) and _checksum(row[0]) == row[1] else None

        return self._use(look)

    def put(self, key: str, answer: str, model: str = "", prompt: str = "", *, instead: bool = False) -> str:
        """Keep an answer, and return the one that is kept: another process's if that was first.

        ``instead`` replaces what is there.
        """
        row = (key, answer, _checksum(answer), model, prompt)

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                verb = "INSERT OR REPLACE" if instead else "INSERT OR IGNORE"
                connection.execute(
                    f"{verb} INTO answers (key, answer, checksum, model, prompt) VALUES (?, ?, ?, ?, ?)", row
                )

        self._use(write)
        kept = self.get(key)
        if kept is None and not instead:  # the row that was first is damaged
            return self.put(key, answer, model, prompt, instead=True)
        return answer if kept is None else kept

    def count(self) -> int:
        """How many answers are kept."""
        return self._use(lambda connection: int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])) or 0

    def _use(self, query: Callable[[sqlite3.Connection], T]) -> T | None:
        """Run the query: on a new file if this one is damaged; nowhere if that does not help either."""
        for attempt in (1, 2, 3):
            if not self._usable:
                break
            seen = _identity(self.path)
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as connection:
                    self._begin(connection)
                    return query(connection)
            except (sqlite3.Error, OSError) as error:
                if attempt < 3 and isinstance(error, sqlite3.Error) and _is_damage(error):
                    self._move_aside(seen, error)
                    continue
                self._usable = False
                warnings.warn(
                    f"the cache of answers {self.path} cannot be used ({error}); answers will not be kept",
                    InputWarning,
                    stacklevel=4,
                )
        return None

    def _begin(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = NORMAL")  # with WAL, no process that dies loses anything
        whose = connection.execute("PRAGMA application_id").fetchone()[0]
        if whose == _OURS:
            return
        if whose or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            # Another process may have begun the file between the two questions.
            if connection.execute("PRAGMA application_id").fetchone()[0] == _OURS:
                return
            raise PyramidionError(
                "this database is no cache of answers", str(self.path), "name another file in PYRAMIDION_LLM_CACHE"
            )
        with suppress(sqlite3.OperationalError):  # another process is at it
            connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, "
                "checksum INTEGER NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL)"
            )
            connection.execute(f"PRAGMA application_id = {_OURS}")

    def _move_aside(self, seen: tuple[int, int], error: sqlite3.Error) -> None:
        """Rename the damaged file, unless another thread or process has done so already."""
        with self._mending:
            if _identity(self.path) != seen:
                return
            number = 1
            while (aside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
                number += 1
            with suppress(FileNotFoundError):
                self.path.replace(aside)
            for ending in ("-wal", "-shm"):
                beside = self.path.with_name(self.path.name + ending)
                with suppress(FileNotFoundError):
                    beside.replace(aside.with_name(aside.name + ending))
        warnings.warn(
            f"the cache of answers {self.path} is damaged ({error}); it is now {aside.name}, and a new one is begun",
            InputWarning,
            stacklevel=5,
        )


def _identity(path: Path) -> tuple[int, int]:
    """Which file is there at the moment."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def _is_damage(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)


def _checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
