"""Rows kept by content, so that a text is embedded once: in memory, and across processes in a SQLite file.

The key is the SHA-256 of the embedder's name, its dimension, its ``fingerprint`` (a hash of all the data that decides
a row), the version of this package (which stands for the code) and the text. An embedder without a fingerprint, such
as any callable, is remembered in memory only: on disk, its rows could be those of another of the same name. A stored
row carries a checksum; a row that fails it is computed again, a damaged file is replaced, and a file that cannot be
used (locked for long, read-only, disk full) is done without, with a warning. Nothing in the cache can change a result.
"""

from __future__ import annotations

import json
import sqlite3
import warnings
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.language.vectors._table import Matrix
from pyramidion.model import Span
from pyramidion.version import __version__

if TYPE_CHECKING:
    from pyramidion.language.vectors import Embedder

Rows = Mapping[bytes, bytes]


class Cached:
    """An embedder that remembers: ``memory`` rows here, ``disk`` rows in ``directory``; the oldest leave first.

    It has ``tokens`` where the embedder has, and passes them on.
    """

    tokens: Callable[[str], tuple[tuple[Span, ...], Matrix]]

    def __init__(
        self, embedder: Embedder, directory: str | Path | None = None, memory: int = 50_000, disk: int = 1_000_000
    ) -> None:
        self.embedder = embedder
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._memory: OrderedDict[bytes, bytes] = OrderedDict()
        self._limit = memory
        self._shelf = _Shelf(Path(directory), disk) if directory is not None else None
        # A fingerprint may cost a reading of the weights: memory, which serves this embedder alone, does without.
        fingerprint = "" if directory is None else _fingerprint(embedder)
        self._prefix = sha256(json.dumps([self.name, self.dimension, fingerprint, __version__]).encode())
        # On the instance, because runtime_checkable looks there and in the class, but not (from Python 3.12 on) through
        # __getattr__; and only where there is something to pass on, so that isinstance(..., TokenEmbedder) is right.
        if callable(tokens := getattr(embedder, "tokens", None)):
            self.tokens = tokens

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """The embedder's rows, computed only for texts not seen before."""
        keys = [self._key(text) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        rows = {key: self._memory[key] for key in wanted if key in self._memory}
        if self._shelf and len(rows) < len(wanted):
            rows |= self._shelf.read([key for key in wanted if key not in rows], 4 * self.dimension)
        missing = [key for key in wanted if key not in rows]
        if missing:
            computed = self.embedder([wanted[key] for key in missing])
            new = {key: row.tobytes() for key, row in zip(missing, np.ascontiguousarray(computed, "<f4"), strict=True)}
            rows |= new
            if self._shelf:
                self._shelf.write(new)
        self._remember(rows)
        joined = b"".join(rows[key] for key in keys)
        return np.frombuffer(joined, "<f4").reshape(len(texts), self.dimension).astype(np.float32)

    def _key(self, text: str) -> bytes:
        key = self._prefix.copy()
        key.update(text.encode("utf-8", "surrogatepass"))
        return key.digest()

    def _remember(self, rows: Rows) -> None:
        for key, row in rows.items():
            self._memory[key] = row
            self._memory.move_to_end(key)
        while len(self._memory) > self._limit:
            self._memory.popitem(last=False)


def _fingerprint(embedder: Embedder) -> str:
    fingerprint = getattr(embedder, "fingerprint", None)
    if not isinstance(fingerprint, str) or not fingerprint:
        raise PyramidionError(
            f"the embedder {embedder.name!r} has no fingerprint to tell its rows on disk from those of other embedders",
            do="leave out the directory to cache in memory, or give the embedder a fingerprint: a hash of everything "
            "that decides a row",
        )
    return fingerprint


class _Shelf:
    """Rows in ``vectors.sqlite``; a connection for each use, so that processes and threads may share it."""

    def __init__(self, directory: Path, limit: int) -> None:
        self._path = directory / "vectors.sqlite"
        self._limit = limit
        self._usable = True

    def read(self, keys: Sequence[bytes], size: int) -> dict[bytes, bytes]:
        stored: dict[bytes, bytes] = {}

        def query(connection: sqlite3.Connection) -> None:
            for batch in _batches(keys, 500):
                marks = ",".join("?" * len(batch))
                for key, row in connection.execute(f"SELECT key, row FROM rows WHERE key IN ({marks})", batch):
                    if isinstance(row, bytes) and len(row) == size + 4 and _checked(row[:-4]) == row:
                        stored[key] = row[:-4]

        self._use(query)
        return stored

    def write(self, rows: Rows) -> None:
        def query(connection: sqlite3.Connection) -> None:
            with connection:
                checked = [(key, _checked(row)) for key, row in rows.items()]
                connection.executemany("INSERT OR REPLACE INTO rows (key, row) VALUES (?, ?)", checked)
                surplus = connection.execute("SELECT count(*) FROM rows").fetchone()[0] - self._limit
                if surplus > 0:
                    connection.execute(
                        "DELETE FROM rows WHERE id IN (SELECT id FROM rows ORDER BY id LIMIT ?)", (surplus,)
                    )

        self._use(query)

    def _use(self, query: Callable[[sqlite3.Connection], None]) -> None:
        """Run the query; once more on a new file if this one is damaged; go without a file if that does not help."""
        if not self._usable:
            return
        for attempt in (1, 2):
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with closing(sqlite3.connect(self._path, timeout=30)) as connection:
                    connection.execute(
                        "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, key BLOB UNIQUE, row BLOB)"
                    )
                    query(connection)
                return
            except (sqlite3.Error, OSError) as error:
                damaged = not isinstance(error, OSError) and not _is_circumstance(error)
                if attempt == 1 and damaged:
                    with suppress(OSError):
                        self._path.unlink()
                    continue
                self._usable = False
                warnings.warn(
                    f"the cache of vectors {self._path} cannot be used ({error}); vectors are not cached",
                    InputWarning,
                    4,
                )
                return


def _is_circumstance(error: sqlite3.Error) -> bool:
    """Whether it is the machine's fault (a lock, permissions, space) rather than the file's."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    return code in {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_IOERR,
    }


def _checked(row: bytes) -> bytes:
    return row + zlib.crc32(row).to_bytes(4, "little")


def _batches(keys: Sequence[bytes], size: int) -> Iterable[tuple[bytes, ...]]:
    return (tuple(keys[first : first + size]) for first in range(0, len(keys), size))
