"""A history of edits: which of its entries stand, and what the document is after them.

An entry that was undone does not stand; an entry that was redone stands again, at its old place. So undoing takes back
one person's edit from under the edits of others, or fails visibly where these build on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from pyramidion.studio.log.documents import Document
from pyramidion.studio.log.edits import Operation
from pyramidion.studio.log.operations import Redo, Undo, apply


@dataclass(frozen=True, slots=True)
class Entry:
    """An edit in the log: its number, counted from 1, who made it and when, and what it does."""

    number: int
    operation: Operation
    author: str = ""
    time: str = ""


def replay(document: Document, entries: Sequence[Entry], gone: Collection[int]) -> Document:
    """Return the document after the entries, in their order, that are not gone."""
    for entry in entries:
        if entry.number not in gone and not isinstance(entry.operation, Undo | Redo):
            document = apply(document, entry.operation)
    return document


class History:
    """A log as it grows, and what each author can undo and redo in it: adding an entry costs the same in a long one."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        """In their order; the entry of number *n* is the *n*-th."""
        self.gone: set[int] = set()
        """The numbers of the entries that do not stand."""
        self._edits: dict[str, list[int]] = {}
        self._waiting: dict[str, list[int]] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Add the next entry."""
        self.entries.append(entry)
        waiting = self._waiting.setdefault(entry.author, [])
        match entry.operation:
            case Undo(number):
                self.gone.add(number)
                waiting.append(number)
            case Redo(number):
                self.gone.discard(number)
                waiting.remove(number)
            case _:
                # a new edit ends what its author could redo
                self._edits.setdefault(entry.author, []).append(entry.number)
                waiting.clear()

    def to_undo(self, author: str) -> int | None:
        """Return the author's last entry that stands, if there is one."""
        return next((number for number in reversed(self._edits.get(author, ())) if number not in self.gone), None)

    def to_redo(self, author: str) -> int | None:
        """Return the entry that the author undid last and has not redone; none after a new edit of theirs."""
        waiting = self._waiting.get(author)
        return waiting[-1] if waiting else None
