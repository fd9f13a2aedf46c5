"""Read texts from files: documents of any kind, by the names of their files, and those that match a pattern."""

from __future__ import annotations

from collections.abc import Iterable
from glob import glob
from pathlib import Path

from pyramidion.base.names import clean
from pyramidion.base.unused import aside, unused
from pyramidion.errors import FormatError
from pyramidion.formats.documents import SUFFIXES, is_unreadable, read_document, why_unread
from pyramidion.model import Summary

SHOWN = 60
"""The most characters of a left-out part that a note shows."""


def text_of(file: Path) -> str:
    """Return a document's text; a note tells callers what in the file is not part of it."""
    document = read_document(file)
    if document.left_out:
        parts = "; ".join(f"{what}: {' '.join(words.split())[:SHOWN]!r}" for what, words in document.left_out)
        aside(file, f"left out, as no part of the text: {parts}")
    return document.text


def texts(files: Iterable[Path], unread: dict[str, str] | None = None) -> dict[str, str]:
    """Return texts by the names of their files.

    A document that cannot be read is an error, or is put into ``unread`` with the reason, where there is such a
    dictionary. A plain text that cannot be read is always an error. A file of a kind that nothing reads
    (:data:`~pyramidion.formats.documents.UNREADABLE`) is passed over if there is a document of the same name.
    """
    read: dict[str, str] = {}
    # readable kinds first, so that a document of the same name is known when an unreadable one comes
    for file in sorted(files, key=is_unreadable):
        name = clean(file.stem)
        if is_unreadable(file) and (name in read or name in (unread or ())):
            unused(file, "a document of the same name is there")
            continue
        if name in read:
            raise FormatError(f"Two files have the name {name!r}", str(file.parent), "rename one")
        try:
            read[name] = text_of(file)
        except FormatError as error:
            if unread is None or file.suffix.lower() == ".txt":
                raise
            unread[name] = why_unread(error)
    return read


def references_at(pattern: str, folder: Path) -> list[Summary]:
    """Return the references that a file's name, a folder or a pattern stands for, here or in a folder."""
    for base in (Path(), folder):
        files = sorted(Path(name) for name in glob(str(base / pattern), recursive=True))  # noqa: PTH207 (a pattern may begin at the root)
        files = [file for path in files for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
        if chosen := [file for file in files if file.suffix.lower() in SUFFIXES and file.is_file()]:
            return [Summary(name, text) for name, text in texts(chosen).items()]
    raise FormatError(
        f"No document is called {pattern!r}.", str(folder), f"name files that end in {', '.join(SUFFIXES)}"
    )
