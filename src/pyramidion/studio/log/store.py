"""Topics in the database: a log of edits each, to which is only ever added, and documents at some of its points.

The log is the truth. An edit is in it, committed, before anybody is told that it was made, under the next number; if
another process took that number first, the edit is tried again on what is there now. Documents are stored now and then
(:data:`SNAPSHOT`) so that reading need not replay everything, and the last ones are kept in memory.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import Engine, bindparam, insert, select
from sqlalchemy.exc import IntegrityError

from pyramidion.errors import PyramidionError
from pyramidion.model import Topic
from pyramidion.studio import schema
from pyramidion.studio.database import database_errors
from pyramidion.studio.log import documents, operations
from pyramidion.studio.log.documents import Document, document_of
from pyramidion.studio.log.edits import Operation, OperationError, conflict
from pyramidion.studio.log.history import Entry, History, replay
from pyramidion.studio.log.operations import Redo, Undo

SNAPSHOT = 64
"""Entries from one stored document to the next."""
REMEMBERED = 128
"""Documents of one topic in memory; they share all that did not change."""
TOPICS_REMEMBERED = 64
ATTEMPTS = 50
HIGHEST_GIVEN = 10**9
"""Ids of files that are larger numbers are names like any other: the database's integers have 32 bits."""
LONGEST_NUMBER = 18
"""Digits of an id that counts as a number."""


class ConflictError(OperationError):
    """Somebody else has meanwhile changed what an edit was about."""


class GoneError(PyramidionError):
    """There is no such topic."""


_ADD_ENTRY = insert(schema.entries)
_ENTRIES = (
    select(*(schema.entries.c[name] for name in ("number", "kind", "operation", "author", "time")))
    .where(schema.entries.c.topic == bindparam("of"), schema.entries.c.number > bindparam("after"))
    .order_by(schema.entries.c.number)
)


@dataclass(slots=True)
class _Known:
    """A topic in memory: its log, and its last documents by their versions."""

    last_id: int
    """The highest number that was ever the id of an SCU of this topic, also of one that is gone."""
    history: History
    documents: dict[int, Document] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def entries(self) -> list[Entry]:
        return self.history.entries

    @property
    def version(self) -> int:
        return len(self.history.entries)

    @property
    def document(self) -> Document:
        return self.documents[self.version]

    def add(self, entry: Entry) -> None:
        self.history.add(entry)
        self.last_id = max([self.last_id, *numbers_of(entry.operation.new_scus)])

    def remember(self, document: Document) -> None:
        self.documents[self.version] = document
        while len(self.documents) > REMEMBERED:
            del self.documents[min(self.documents)]


@dataclass(frozen=True, slots=True)
class State:
    """A document, the number of the last entry in its log, and what its reader can undo and redo."""

    document: Document
    version: int
    can_undo: bool = False
    can_redo: bool = False


def time_text(when: datetime) -> str:
    """Return a time as the tables have it; texts sort as their times do."""
    return when.isoformat(timespec="milliseconds")


def now() -> str:
    """Return the time, as the tables have it."""
    return time_text(datetime.now(UTC))


def storable(name: str) -> str:
    """Return a name as every database can hold it: PostgreSQL knows no character of code 0."""
    return name.replace("\0", "\N{SYMBOL FOR NULL}")


def numbers_of(ids: Iterable[str]) -> list[int]:
    """Return the ids that are numbers."""
    return [int(id) for id in ids if id.isascii() and id.isdigit() and len(id) <= LONGEST_NUMBER]


def new_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_urlsafe(9)


class Store:
    """The topics of a workspace. Threads may share it; so may processes, each with its own."""

    def __init__(self, engine: Engine, on_change: Callable[[str, int], None] = lambda topic, version: None) -> None:
        self.engine = engine
        self.on_change = on_change
        self._known: dict[str, _Known] = {}
        self._lock = threading.Lock()

    def add(self, project: str, topic: Topic) -> str:
        """Add a topic to a project and return its id."""
        document = document_of(topic)
        id = new_id()
        numbers = numbers_of(scu.id for scu in document.pyramid.scus)
        first_id = max((number for number in numbers if number <= HIGHEST_GIVEN), default=0)
        with database_errors(), self.engine.begin() as connection:
            connection.execute(
                insert(schema.topics).values(
                    id=id, project=project, name=storable(topic.id), first_id=first_id, created=now()
                )
            )
            connection.execute(insert(schema.snapshots).values(topic=id, number=0, document=documents.encode(document)))
        return id

    def state(self, topic: str, reader: str = "") -> State:
        """Return the topic as it is now."""
        known = self._current(topic)
        with known.lock:
            return self._state(known, reader)

    def version(self, topic: str) -> int:
        """Return the number of the last entry."""
        return self._current(topic).version

    def remembered_document(self, topic: str, version: int) -> Document | None:
        """Return the document at a recent version, if it is in memory."""
        known = self._known.get(topic)
        return known.documents.get(version) if known else None

    def log(self, topic: str) -> list[Entry]:
        """Return every edit of the topic, the first one first."""
        return list(self._current(topic).entries)

    def edit(self, topic: str, operation: Operation, author: str, base: int) -> State:
        """Commit an edit that was made for version ``base``, and return the topic as it is then."""
        return self._commit(topic, author, lambda known: self._merge(known, operation, base), base)

    def undo(self, topic: str, author: str) -> State:
        """Take back the author's last edit that stands."""

        def prepare_undo(known: _Known) -> tuple[Operation, Document]:
            number = known.history.to_undo(author)
            if number is None:
                raise OperationError("There is nothing to undo.")
            return Undo(number), self._document_without(known, topic, number, known.history.gone | {number})

        return self._commit(topic, author, prepare_undo)

    def redo(self, topic: str, author: str) -> State:
        """Make the edit again that the author took back last."""

        def prepare_redo(known: _Known) -> tuple[Operation, Document]:
            number = known.history.to_redo(author)
            if number is None:
                raise OperationError("There is nothing to redo.")
            return Redo(number), self._document_without(known, topic, number, known.history.gone - {number})

        return self._commit(topic, author, prepare_redo)

    # Within

    def _commit(
        self, topic: str, author: str, prepare: Callable[[_Known], tuple[Operation, Document]], seen: int | None = None
    ) -> State:
        """Commit an edit, and return the topic as it is then.

        Where what is in memory is as new as what the author has ``seen``, the database is not asked first for what
        others wrote: if they did, the number is taken, and the edit is tried again on what is there.
        """
        for attempt in range(ATTEMPTS):
            known = self._known.get(topic)
            asked = bool(attempt) or known is None or seen is None or seen > known.version
            if asked or known is None:
                known = self._current(topic)
            with known.lock:
                try:
                    operation, document = prepare(known)
                except OperationError:
                    if asked:
                        raise
                    continue  # others may have written what allows it
                entry = Entry(known.version + 1, operation, author, now())
                try:
                    self._write(topic, entry, document)
                except IntegrityError:  # another process was first
                    continue
                known.add(entry)
                known.remember(document)
                state = self._state(known, author)
            self.on_change(topic, state.version)
            return state
        raise ConflictError("Others are editing too fast.", do="try again")

    def _write(self, topic: str, entry: Entry, document: Document) -> None:
        kind, values = operations.encode(entry.operation)
        row = {"topic": topic, "number": entry.number, "time": entry.time, "author": entry.author}
        with database_errors(), self.engine.begin() as connection:
            # the number is part of the key: an entry that another process added under it makes this fail
            connection.execute(_ADD_ENTRY, {**row, "kind": kind, "operation": values})
            if entry.number % SNAPSHOT == 0:
                text = documents.encode(document)
                connection.execute(insert(schema.snapshots).values(topic=topic, number=entry.number, document=text))

    def _merge(self, known: _Known, operation: Operation, base: int) -> tuple[Operation, Document]:
        """Return the edit and the document after it, on top of what came after its version; a conflict is an error."""
        for entry in known.entries[max(base, 0) :]:
            done = entry.operation
            meant = known.entries[done.entry - 1].operation if isinstance(done, Undo | Redo) else done
            if conflict(meant, operation):
                raise ConflictError(
                    f"{entry.author or 'Somebody'} has meanwhile changed the same part.",
                    do="look at it as it is now, then decide again",
                )
        operation = operation.with_ids_after(known.last_id)
        return operation, operations.apply(known.document, operation)

    def _document_without(self, known: _Known, topic: str, number: int, gone: Collection[int]) -> Document:
        """Return the document without the entries ``gone``, which differ from those gone so far by entry ``number``."""
        base, document = self._document_before(known, topic, number)
        try:
            return replay(document, known.entries[base:], gone)
        except OperationError as error:
            raise ConflictError(f"Later edits build on this one: {error.what}", do="undo those first") from None

    def _document_before(self, known: _Known, topic: str, number: int) -> tuple[int, Document]:
        """Return number and content of the last document before entry ``number`` that no later undoing changed."""
        moved = [(e.number, e.operation.entry) for e in known.entries if isinstance(e.operation, Undo | Redo)]

        def holds(version: int) -> bool:  # nothing that the document contains was undone or redone after it
            return version < number and all(when <= version or what > version for when, what in moved)

        stored = {version for version in known.documents if holds(version)}
        with database_errors(), self.engine.connect() as connection:
            numbers = connection.execute(
                select(schema.snapshots.c.number).where(schema.snapshots.c.topic == topic)
            ).scalars()
            best = max([*stored, *(version for version in numbers if holds(version))])
        return best, known.documents[best] if best in stored else self._stored_document(topic, best)

    def _stored_document(self, topic: str, number: int) -> Document:
        query = select(schema.snapshots.c.document).where(
            schema.snapshots.c.topic == topic, schema.snapshots.c.number == number
        )
        with database_errors(), self.engine.connect() as connection:
            return documents.decode(connection.execute(query).scalar_one())

    def _state(self, known: _Known, reader: str) -> State:
        history = known.history
        can_undo, can_redo = (history.to_undo(reader) is not None, history.to_redo(reader) is not None)
        return State(known.document, known.version, can_undo, can_redo)

    def _current(self, topic: str) -> _Known:
        """Bring what is in memory of a topic up to date with the database, and return it."""
        with self._lock:
            known = self._known.get(topic)
        if known is None:
            known = self._load(topic)
            with self._lock:
                # another thread may have loaded it meanwhile; all must share one lock
                known = self._known.setdefault(topic, known)
                while len(self._known) > TOPICS_REMEMBERED:
                    del self._known[next(iter(self._known))]
        with known.lock:
            new = self._entries(topic, known.version)
            if new:
                last = known.version
                for entry in new:
                    known.add(entry)
                # undoing changes what stands further back, so that the last document is no start
                if any(isinstance(e.operation, Undo | Redo) for e in new):
                    known.remember(self._last_document(known, topic))
                else:
                    known.remember(replay(known.documents[last], known.entries[last:], frozenset()))
        return known

    def _load(self, topic: str) -> _Known:
        """Read a topic's whole log from the database, and its document at the end."""
        with database_errors(), self.engine.connect() as connection:
            first_id = connection.execute(select(schema.topics.c.first_id).where(schema.topics.c.id == topic)).scalar()
        if first_id is None:
            raise GoneError("There is no such topic.")
        known = _Known(first_id, History())
        for entry in self._entries(topic, 0):
            known.add(entry)
        known.remember(self._last_document(known, topic))
        return known

    def _last_document(self, known: _Known, topic: str) -> Document:
        """Return the document after all entries, from the last stored one that still holds."""
        base, document = self._document_before(known, topic, known.version + 1)
        return replay(document, known.entries[base:], known.history.gone)

    def _entries(self, topic: str, after: int) -> list[Entry]:
        with database_errors(), self.engine.connect() as connection:
            rows = connection.execute(_ENTRIES, {"of": topic, "after": after}).all()
        return [Entry(row[0], operations.decode(row[1], row[2]), row[3], row[4]) for row in rows]


def topics_of(engine: Engine, project: str) -> Sequence[tuple[str, str]]:
    """Return id and name of a project's topics, by name."""
    query = (
        select(schema.topics.c.id, schema.topics.c.name)
        .where(schema.topics.c.project == project)
        .order_by(schema.topics.c.name, schema.topics.c.created)
    )
    with database_errors(), engine.connect() as connection:
        return [(row[0], row[1]) for row in connection.execute(query)]
