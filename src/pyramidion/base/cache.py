"""What was computed once is not computed again: in this process from memory, and in the next from disk.

There is a :class:`Cache` for each kind of thing: parses, vectors, the answers of a judge, pyramids. A key is the hash
of all that decides the value: the kind, the model's fingerprint, the versions of this package and of the libraries that
compute (numpy, onnxruntime, ...), its source files, and the input. All caches of a process share one
:class:`~pyramidion.base.shelf.Shelf`:

==========================  =============================================================================
``PYRAMIDION_CACHE``        the folder; ``off`` or nothing for none. The command uses that of the user's
                            system (``~/.cache/pyramidion``) unless it is set
``PYRAMIDION_CACHE_MB``     its size, in megabytes; 1024 if not set
==========================  =============================================================================

Values are data, never code: whoever can write to the folder can make scores wrong, and do nothing worse. Texts are not
kept, except pyramids with their references, and statements that a network wrote.
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from pyramidion.base.libraries import source, versions
from pyramidion.errors import PyramidionError

if TYPE_CHECKING:
    from pyramidion.base.shelf import Shelf

FOLDER, SIZE = "PYRAMIDION_CACHE", "PYRAMIDION_CACHE_MB"
OFF = "off"


class Hits(NamedTuple):
    """The numbers of requests and of hits."""

    found: int = 0
    asked: int = 0

    def __str__(self) -> str:
        return f"{self.found} of {self.asked}"

    def __sub__(self, earlier: Hits) -> Hits:
        """Return the difference from an earlier count."""
        return Hits(self.found - earlier.found, self.asked - earlier.asked)


def add_hits(counts: Iterable[Mapping[str, Hits]]) -> dict[str, Hits]:
    """Return the counts of several workers, added up.

    >>> print(add_hits([{"parses": Hits(1, 2)}, {"parses": Hits(3, 3)}])["parses"])
    4 of 5
    """
    sums: dict[str, Hits] = {}
    for count in counts:
        for kind, (hits, asked) in count.items():
            old = sums.get(kind, Hits())
            sums[kind] = Hits(old.found + hits, old.asked + asked)
    return sums


_counts: dict[str, Hits] = {}
_counting = Lock()


def hits() -> dict[str, Hits]:
    """Return, by kind, the requests of this process to its caches, and the hits."""
    with _counting:
        return dict(sorted(_counts.items()))


def user_folder() -> Path:
    """Return the folder for this user's data that can be computed again."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(folder) if folder else Path.home() / ".cache") / "pyramidion"


def use_by_default() -> None:
    """Keep results in the user's folder, in this process and those that it starts, unless the environment says else."""
    with suppress(RuntimeError):  # a user without a home
        os.environ.setdefault(FOLDER, str(user_folder()))


def shared_shelf() -> Shelf | None:
    """Return the shelf of all caches of this process, if there is one."""
    folder = os.environ.get(FOLDER, "").strip()
    return None if folder in ("", OFF) else _shelf(folder, os.environ.get(SIZE, str(1024)))


@lru_cache(maxsize=8)
def _shelf(folder: str, megabytes: str) -> Shelf:
    from pyramidion.base.shelf import MEGABYTE, Shelf

    if not re.fullmatch(r"[1-9][0-9]{0,6}", megabytes):
        raise PyramidionError(f"{SIZE} is {megabytes!r}", do="set it to a number of megabytes, 1 or more")
    return Shelf(Path(folder).expanduser(), int(megabytes) * MEGABYTE)


class Cache:
    """Values of one kind by key: the ``memory`` used last in this process, and those on a shelf."""

    def __init__(
        self, kind: str, decided_by: str, memory: int = 4096, shelf: Callable[[], Shelf | None] = shared_shelf
    ) -> None:
        """``decided_by`` is what decides a value besides code and input: a model's fingerprint, parameters."""
        self.kind = kind
        self._prefix = sha256(repr((kind, decided_by, sorted(versions().items()), source())).encode())
        self._memory: OrderedDict[bytes, bytes] = OrderedDict()
        self._limit = memory
        self._shelf = shelf
        self._lock = Lock()

    def key(self, *parts: str | bytes) -> bytes:
        """Return the key of an input; the same text cut into other parts has another key."""
        key = self._prefix.copy()
        for part in parts:
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            # without the lengths, "ab", "c" and "a", "bc" would have one key
            key.update(len(data).to_bytes(8, "little"))
            key.update(data)
        return key.digest()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the values that are there, from memory or from the shelf."""
        wanted = list(dict.fromkeys(keys))
        with self._lock:
            values = {key: self._memory[key] for key in wanted if key in self._memory}
        if len(values) < len(wanted) and (shelf := self._shelf()):
            values |= shelf.read([key for key in wanted if key not in values])
        self._remember(values)
        with _counting:
            found, asked = _counts.get(self.kind, Hits())
            _counts[self.kind] = Hits(found + len(values), asked + len(wanted))
        return values

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values in memory and on the shelf."""
        self._remember(values)
        if values and (shelf := self._shelf()):
            shelf.write(values)

    def _remember(self, values: Mapping[bytes, bytes]) -> None:
        with self._lock:
            for key, value in values.items():
                self._memory[key] = value
                self._memory.move_to_end(key)
            while len(self._memory) > self._limit:
                self._memory.popitem(last=False)
