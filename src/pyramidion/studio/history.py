"""A history of edits: which of its entries stand, and what the document is after them.

An entry that was undone does not stand; an entry that was redone stands again, at its old place. So undoing takes back
one person's edit from under the edits of others, or fails visibly where these build on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyramidion.studio.documents import Document
from pyramidion.studio.edits import Operation
from pyramidion.studio.operations import Redo, Undo, apply


@dataclass(frozen=True, slots=True)
class Entry:
    """An edit in the log: its number, counted from 1, who made it and when, and what it does."""

    number: int
    operation: Operation
    author: str = ""
    time: str = ""


def undone(entries: Iterable[Entry]) -> frozenset[int]:
    """The numbers of the entries that do not stand."""
    gone: set[int] = set()
    for entry in entries:
        match entry.operation:
            case Undo(number):
                gone.add(number)
            case Redo(number):
                gone.discard(number)
            case _:
                pass
    return frozenset(gone)


def replayed(document: Document, entries: Sequence[Entry], gone: frozenset[int]) -> Document:
    """The document after the entries, in their order, that are not gone."""
    for entry in entries:
        if entry.number not in gone and not isinstance(entry.operation, Undo | Redo):
            document = apply(document, entry.operation)
    return document


def to_undo(entries: Sequence[Entry], author: str) -> int | None:
    """The author's last entry that stands, if there is one."""
    gone = undone(entries)
    own = (entry for entry in reversed(entries) if entry.author == author)
    return next((e.number for e in own if e.number not in gone and not isinstance(e.operation, Undo | Redo)), None)


def to_redo(entries: Sequence[Entry], author: str) -> int | None:
    """The entry that the author undid last and has not redone; none after a new edit of theirs."""
    waiting: list[int] = []
    for entry in entries:
        if entry.author == author:
            match entry.operation:
                case Undo(number):
                    waiting.append(number)
                case Redo(number):
                    waiting.remove(number)
                case _:
                    waiting.clear()
    return waiting[-1] if waiting else None
