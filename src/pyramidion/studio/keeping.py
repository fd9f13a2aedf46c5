"""What was made of a project and is kept: evaluations and feedback, each with what it was made of.

The content is an archive in the database, so that a backup holds it and every server of the workspace sees it. Beside
it stands what it was made of (:class:`Basis`): a topic that was edited since makes it old.
"""

from __future__ import annotations

import io
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
from sqlalchemy import Engine, delete, insert, select

from pyramidion.base.choices import check_choices
from pyramidion.base.json import decoder
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.record import digest_of
from pyramidion.studio import schema
from pyramidion.studio.database import database_errors
from pyramidion.studio.log.store import GoneError, Store, new_id, now, topics_of

Kind = Literal["evaluation", "feedback"]
MOST = 48 * 1024 * 1024
"""Bytes of one archive: as text it must fit where databases keep a value."""
REMEMBERED = 1000


class Basis(msgspec.Struct, frozen=True):
    """A topic as it was: its id and name, the number of its last edit, and a digest of all it held."""

    topic: str
    name: str
    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A result that is kept, but for its content."""

    id: str
    kind: Kind
    created: str
    author: str
    method: str
    signature: str
    """The signature of its scores; several, one a line, where topics were read in several ways."""
    basis: tuple[Basis, ...]

    @property
    def when(self) -> str:
        """The day and the minute."""
        return self.created[:16].replace("T", " ")

    @property
    def title(self) -> str:
        """The name under which lists show it: its time and its method."""
        return f"{self.when} {self.method}"

    def changed_topics(self, current: Sequence[Basis]) -> tuple[str, ...]:
        """Return the names of the topics that are no longer what it was made of; those that came later count, too."""
        before = {basis.topic: basis.digest for basis in self.basis}
        after = {basis.topic: basis.digest for basis in current}
        names = {basis.topic: basis.name for basis in (*self.basis, *current)}
        return tuple(names[id] for id in names if before.get(id) != after.get(id))


def current_basis(store: Store, project: str) -> tuple[Basis, ...]:
    """Return the topics of a project as they are now."""
    basis = []
    for id, name in topics_of(store.engine, project):
        state = store.state(id)
        # a digest reads the whole topic, and a page asks for those of all topics
        digest = _digests.get((id, state.version)) or digest_of(state.document.topic)
        if len(_digests) >= REMEMBERED:
            _digests.clear()
        _digests[id, state.version] = digest
        basis.append(Basis(id, name, state.version, digest))
    return tuple(basis)


_digests: dict[tuple[str, int], str] = {}
"""Digests of topics by id and version; a topic at a version never changes."""


def keep(
    engine: Engine,
    project: str,
    kind: Kind,
    files: Mapping[str, bytes],
    *,
    author: str,
    method: str,
    signature: str,
    basis: Sequence[Basis],
) -> str:
    """Keep files that were made of a project, and return their id."""
    data = zip_archive(files)
    if len(data) > MOST:
        raise PyramidionError("The result is too large to be kept.", do="divide the project")
    id = new_id()
    row = {"id": id, "project": project, "kind": kind, "created": now(), "author": author, "method": method}
    about = {"signature": signature, "basis": msgspec.json.encode(list(basis)).decode()}
    # base64, since the column is text in both databases
    with database_errors(), engine.begin() as connection:
        connection.execute(insert(schema.kept).values(**row, **about, content=b64encode(data).decode("ascii")))
    return id


@check_choices
def kept_of(engine: Engine, project: str, kind: Kind | None = None, id: str = "") -> list[Kept]:
    """Return everything that is kept of a project, or what is of one kind or has that id; the latest first."""
    table = schema.kept.c
    columns = (table.id, table.kind, table.created, table.author, table.method, table.signature, table.basis)
    query = select(*columns).where(table.project == project).order_by(table.created.desc(), table.id)
    query = query.where(table.kind == kind) if kind else query
    query = query.where(table.id == id) if id else query
    with database_errors(), engine.connect() as connection:
        rows = connection.execute(query).all()
    return [Kept(*row[:6], decoder(tuple[Basis, ...]).decode(row[6])) for row in rows]


def kept_by_id(engine: Engine, project: str, id: str) -> Kept:
    """Return the result of this project that has that id, but for its content."""
    found = kept_of(engine, project, id=id) if id else []
    if not found:
        raise GoneError("There is no such result.")
    return found[0]


def content(engine: Engine, kept: Kept) -> bytes:
    """Return the archive of its files."""
    query = select(schema.kept.c.content).where(schema.kept.c.id == kept.id)
    with database_errors(), engine.connect() as connection:
        text = connection.execute(query).scalar()
    if text is None:
        raise GoneError("There is no such result.")
    return b64decode(text)


def file_of(engine: Engine, kept: Kept, name: str) -> bytes:
    """Return one of its files."""
    with zipfile.ZipFile(io.BytesIO(content(engine, kept))) as archive:
        try:
            return archive.read(name)
        except KeyError:
            raise GoneError("There is no such page.") from None


def names(engine: Engine, kept: Kept) -> list[str]:
    """Return the names of its files."""
    with zipfile.ZipFile(io.BytesIO(content(engine, kept))) as archive:
        return archive.namelist()


def forget(engine: Engine, kept: Kept) -> None:
    """Delete what is kept."""
    with database_errors(), engine.begin() as connection:
        connection.execute(delete(schema.kept).where(schema.kept.c.id == kept.id))


def zip_archive(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files, given by their paths, in the order of the paths."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(name, data)
    return stream.getvalue()
