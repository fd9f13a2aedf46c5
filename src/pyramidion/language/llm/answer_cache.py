"""The answers of a model, kept in a SQLite file, so that a question is paid for once.

A key is the SHA-256 of all that decides an answer: base URL, model, version of the prompt, messages, schema and
temperature. The file has keys, models, versions and answers; no API key and no URL is in it. Only answers that could be
read are kept. The first answer stays: of two processes that ask the same at once, both go on with the one that came
first. With an answer stands what it took: tokens, seconds, price, and when. Files of earlier versions have none of
these, and get the columns when they are first written to.

The file is in WAL mode, and there is a connection for each use, so that threads and processes may share it; a process
that is killed loses no answer that was kept. A damaged file is moved aside, with a warning, and a new one begun; a
damaged row is asked for again. A file that cannot be used (read-only, locked for long, disk full) is done without,
with a warning. A database of somebody else's is an error.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from pyramidion.base.stores import MODEL_ANSWERS, check_kind
from pyramidion.notes import note

_PATIENCE = 30.0
"""The seconds to wait for another process that writes."""

MOST = 10**9
"""A number above is no count of tokens, no price and no duration, whoever gives it."""
_BILL = {"tokens_in": "INTEGER", "tokens_out": "INTEGER", "cost": "REAL", "seconds": "REAL", "asked": "REAL"}
"""The columns that files of earlier versions lack."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bill:
    """The cost of an answer, including retries."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    """The price; None if prices were not known."""
    seconds: float = 0.0
    asked: float = 0.0
    """When, in seconds since 1970."""

    def __add__(self, more: Bill) -> Bill:
        return Bill(
            self.tokens_in + more.tokens_in,
            self.tokens_out + more.tokens_out,
            None if self.cost is None or more.cost is None else self.cost + more.cost,
            self.seconds + more.seconds,
            max(self.asked, more.asked),
        )


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer, and what it took, if that is known."""

    answer: str
    bill: Bill | None = None


def amount(value: object, most: float = MOST) -> float | None:
    """Return a number that can be an amount of something: finite, not below 0, not too large.

    >>> amount(3), amount(-1), amount(float("nan")), amount(10**400), amount(True), amount("3")
    (3, None, None, None, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= most else None  # type: ignore[operator,return-value]


class AnswerCache:
    """Answers by key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._usable = True
        self._mending = Lock()

    def get(self, key: str) -> str | None:
        """Return the cached answer, if there is one and it is whole."""
        entry = self.entry(key)
        return entry.answer if entry else None

    def entry(self, key: str) -> CachedAnswer | None:
        """Return the answer with its bill, if there is one and it is whole."""

        def look(connection: sqlite3.Connection) -> CachedAnswer | None:
            cursor = connection.execute("SELECT * FROM answers WHERE key = ?", (key,))
            names = [column[0] for column in cursor.description]
            row = dict(zip(names, cursor.fetchone() or (), strict=False))
            answer = row.get("answer")
            if not isinstance(answer, str) or _checksum(answer) != row["checksum"]:
                return None
            return CachedAnswer(answer, _bill(row))

        return self._use(look)

    def put(
        self,
        key: str,
        answer: str,
        model: str = "",
        prompt: str = "",
        bill: Bill | None = None,
        *,
        instead: bool = False,
    ) -> str:
        """Keep an answer, and return the one that is kept: another process's if that was first.

        ``instead`` replaces what is there.
        """
        row = {"key": key, "answer": answer, "checksum": _checksum(answer), "model": model, "prompt": prompt}
        row |= {name: getattr(bill, name, None) for name in _BILL}

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                _add_columns(connection)
                verb = "INSERT OR REPLACE" if instead else "INSERT OR IGNORE"
                places = ", ".join(f":{name}" for name in row)
                connection.execute(f"{verb} INTO answers ({', '.join(row)}) VALUES ({places})", row)

        self._use(write)
        first = self.get(key)
        if first is None and not instead:  # the row that was first is damaged
            return self.put(key, answer, model, prompt, bill, instead=True)
        return answer if first is None else first

    def count(self) -> int:
        """Return the number of answers in the cache."""
        return self._use(lambda connection: int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])) or 0

    def _use(self, query: Callable[[sqlite3.Connection], T]) -> T | None:
        """Run the query: on a new file if this one is damaged; nowhere if that does not help either."""
        # A damaged file is moved aside twice at most; after that, the process goes on without a cache.
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
                note(f"The cache of answers {self.path} cannot be used ({error}); answers will not be kept")
        return None

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Make the file a cache of answers if it is new; raise if it is another program's."""
        connection.execute("PRAGMA synchronous = NORMAL")  # with WAL, no process that dies loses anything
        if check_kind(connection.execute, MODEL_ANSWERS, self.path, "name another file in PYRAMIDION_LLM_CACHE"):
            return
        with suppress(sqlite3.OperationalError):  # another process is at it
            connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, "
                "checksum INTEGER NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL)"
            )
            connection.execute(MODEL_ANSWERS.mark)

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
            # The write-ahead log belongs to the damaged file, not to the new one.
            for ending in ("-wal", "-shm"):
                beside = self.path.with_name(self.path.name + ending)
                with suppress(FileNotFoundError):
                    beside.replace(aside.with_name(aside.name + ending))
        note(
            f"The cache of answers {self.path} is damaged ({error}); it was renamed to {aside.name}, and a new cache "
            "was started"
        )


def _add_columns(connection: sqlite3.Connection) -> None:
    """Give a file of an earlier version the columns it lacks; no other process can do so meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    there = {row[1] for row in connection.execute("PRAGMA table_info(answers)")}
    for name, kind in _BILL.items():
        if name not in there:
            connection.execute(f"ALTER TABLE answers ADD COLUMN {name} {kind}")


def _bill(row: dict[str, Any]) -> Bill | None:
    """Return the cost that the row records; None if the record is invalid."""
    counts = [row.get("tokens_in"), row.get("tokens_out")]
    tokens_in, tokens_out = (amount(count) if isinstance(count, int) else None for count in counts)
    seconds, asked = amount(row.get("seconds")), amount(row.get("asked"), most=1e12)
    if tokens_in is None or tokens_out is None or seconds is None or asked is None:
        return None
    return Bill(int(tokens_in), int(tokens_out), amount(row.get("cost")), seconds, asked)


def _identity(path: Path) -> tuple[int, int]:
    """Return the identity of the file that is there now."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_dev, status.st_ino)


def _is_damage(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)


def _checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
