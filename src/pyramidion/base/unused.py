"""What a reader of a folder passed over, and why: nothing in a folder vanishes without a word.

Readers call :func:`unused` for every entry that they leave aside; who wants to know opens :func:`collecting` around the
reading. Hidden entries, whose names begin with a dot, are nobody's data and are passed over in silence. Pipes, sockets
and devices are never opened: reading one may wait for ever.
"""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from pyramidion.base.files import readable
from pyramidion.base.names import clean


@dataclass(frozen=True, slots=True)
class Unused:
    """An entry of a folder that was not read, and the reason."""

    path: str
    why: str


_collected: ContextVar[list[Unused] | None] = ContextVar("unused", default=None)

_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


_aside: ContextVar[list[str] | None] = ContextVar("aside", default=None)


@contextmanager
def collecting_asides() -> Iterator[list[str]]:
    """Open a list that fills, while the block runs, with what stands in documents and is no part of their texts."""
    asides: list[str] = []
    token = _aside.set(asides)
    try:
        yield asides
    finally:
        _aside.reset(token)


def aside(path: Path, what: str) -> None:
    """Note what a document holds beside its text; outside of :func:`collecting_asides` this does nothing."""
    asides = _aside.get()
    if asides is not None:
        asides.append(f"{clean(str(path))}: {what}")


@contextmanager
def collect_unused() -> Iterator[list[Unused]]:
    """Open a list that fills, while the block runs, with what readers pass over; an inner block has its own list."""
    passed_over: list[Unused] = []
    token = _collected.set(passed_over)
    try:
        yield passed_over
    finally:
        _collected.reset(token)


def unused(path: Path, why: str) -> None:
    """Note an entry that is passed over; outside of :func:`collecting` this does nothing."""
    collected = _collected.get()
    if collected is not None and not path.name.startswith("."):
        collected.append(Unused(clean(str(path)), why))


def kind(path: Path) -> str:
    """Describe what has this name: a file, a folder, or something that must not be opened."""
    with readable(path):
        try:
            return _KINDS.get(stat.S_IFMT(path.stat().st_mode), "neither a file nor a folder")
        except FileNotFoundError:
            return "a link to nothing"


def is_file(path: Path) -> bool:
    """Return whether this is a file that can be read to its end."""
    return kind(path) == "a file"


def entries(folder: Path) -> list[Path]:
    """Return the entries of a folder that are not hidden, by name; none if there is no such folder."""
    with readable(folder):
        return sorted(path for path in folder.iterdir() if path.name[0] != ".") if folder.is_dir() else []


def files_in(folder: Path, *suffixes: str, also: Collection[str] = ()) -> list[Path]:
    """Return the files in a folder with one of these endings, by name; all else and an empty folder are unused.

    ``also`` are endings that are accepted, too, but that the notes do not recommend.
    """
    inside = entries(folder)
    if not inside and folder.is_dir():
        unused(folder, "an empty folder")
    files = []
    for path in inside:
        what = kind(path)
        if what != "a file":
            unused(path, f"{what}, not a file")
        elif path.suffix.lower() not in (*suffixes, *also):
            unused(path, f"its name does not end in {' or '.join(suffixes)}")
        else:
            files.append(path)
    return files
