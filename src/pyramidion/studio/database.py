"""The database of a workspace: a SQLite file in a folder, or PostgreSQL by its URL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from pyramidion.base.files import writable
from pyramidion.base.stores import STUDIO, check_kind
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.studio.schema import migrate

FILE = "studio.sqlite"
WAIT = 30
"""Seconds to wait for another writer."""


class UnwritableError(PyramidionError):
    """What was sent cannot be kept now: the disk is full, or the database is out of reach."""


def is_url(workspace: str) -> bool:
    """Return whether a workspace is named by a database's URL; otherwise it is a folder."""
    return "://" in workspace


def open_database(folder: Path, url: str = "") -> Engine:
    """Return the database of a workspace, made and brought up to date where that is needed."""
    if not url:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / FILE).exists():
            with writable(folder / FILE):
                (folder / FILE).touch(0o600)  # also in a folder that others may read; its log gets the same mode
        _check_file(folder / FILE)
        engine = create_engine(
            f"sqlite:///{folder / FILE}",
            connect_args={"timeout": WAIT},
            hide_parameters=True,
            pool_size=10,
            max_overflow=30,
        )  # a connection for each thread
        event.listen(engine, "connect", _prepare)
        with database_errors():
            migrate(engine)
        return engine
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "postgresql":
            raise PyramidionError(
                f"The database {parsed.get_backend_name()!r} is not supported.",
                do="give a folder, or the URL of a PostgreSQL database",
            )
        # SQLAlchemy's own choice would be psycopg2; the driver that we ask for is psycopg 3
        if parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        engine = create_engine(parsed, pool_pre_ping=True, pool_size=10, max_overflow=20, hide_parameters=True)
    except ArgumentError:
        raise PyramidionError("The URL of the database cannot be read.", do="write postgresql://HOST/NAME") from None
    except ImportError:
        raise MissingPartError(
            "PostgreSQL needs its driver.", do="run: pip install 'pyramidion[studio]' 'psycopg[binary]'"
        ) from None
    with database_errors():
        migrate(engine)
    return engine


def _check_file(path: Path) -> None:
    """Raise an error if the file is a database of another kind, before anything in it is changed."""
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path, timeout=WAIT)) as connection:
        check_kind(connection.execute, STUDIO, path, "name another folder")


def _prepare(connection: sqlite3.Connection, record: Any) -> None:
    """Readers never wait for writers; what is committed is on the disk."""
    for setting in ("journal_mode = wal", "synchronous = full", "foreign_keys = on"):
        connection.execute(f"pragma {setting}")


@contextmanager
def database_errors() -> Iterator[None]:
    """Turn what a database says into one of our errors, without the statement and its values."""
    try:
        yield
    except OperationalError as error:
        raise UnwritableError(
            f"The workspace cannot be used: {str(error.orig).strip().splitlines()[0]}.",
            do="check the disk, the folder and the database, then try again",
        ) from None
    except PoolTimeoutError:
        raise UnwritableError("Too many people wait for the database.", do="try again") from None
    except DBAPIError as error:
        # an answer and not a failure: callers learn from it that another process was first
        if type(error).__name__ == "IntegrityError":
            raise
        raise UnwritableError(f"The workspace cannot be used: {type(error.orig).__name__}.") from None
