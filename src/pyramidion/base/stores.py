"""The kinds of SQLite files that we write, and which of them a file is.

Each kind has an application id of its own in the file's head, so that we can tell them apart whatever a file is called.
Files of earlier versions stay readable: the cache of a language model's answers had the id of a crowd's answers, and
the other caches and the studio had none; these are known by their tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyramidion.errors import PyramidionError


@dataclass(frozen=True, slots=True)
class StoreKind:
    """A kind of SQLite file."""

    what: str
    application: int
    """The application id: four letters."""
    tables: frozenset[str]
    """Tables by which a file is known whose id does not tell."""
    earlier: int = 0
    """The id that earlier versions wrote."""

    @property
    def mark(self) -> str:
        """Return the statement that gives a new file its id."""
        return f"pragma application_id = {self.application}"


def _id(letters: str) -> int:
    return int.from_bytes(letters.encode("ascii"), "big")


CROWD_ANSWERS = StoreKind(
    "the answers of a crowd study", _id("PYRA"), frozenset({"submissions", "imports"}), earlier=_id("PYRA")
)
RUN = StoreKind("the results of a run", _id("PYRU"), frozenset({"topics", "summaries", "ends"}), earlier=_id("PYRU"))
MODEL_ANSWERS = StoreKind(
    "a cache of a language model's answers", _id("PYRL"), frozenset({"answers"}), earlier=_id("PYRA")
)
CACHE = StoreKind("a cache of results that can be computed again", _id("PYRC"), frozenset({"rows"}))
STUDIO = StoreKind("the workspace of a studio", _id("PYRS"), frozenset({"studio_schema"}))
KINDS = (CROWD_ANSWERS, RUN, MODEL_ANSWERS, CACHE, STUDIO)


def check_kind(execute: Callable[[str], Any], wanted: StoreKind, path: Path, do: str) -> bool:
    """Return whether a database is of the wanted kind; False if it is empty. Any other is an error that names it.

    ``execute`` runs a statement in the database; ``do`` says what to do about the error.
    """
    application = int(execute("pragma application_id").fetchone()[0])
    if application == wanted.application != CROWD_ANSWERS.application:  # an id that caches had, too
        return True
    tables = frozenset(row[0] for row in execute("select name from sqlite_master where type = 'table'").fetchall())
    application = int(execute("pragma application_id").fetchone()[0])  # again: another process may have begun the file
    if not application and not tables:
        return False
    kind = _kind_of(application, tables)
    if kind is not wanted:
        what = kind.what if kind else f"a database of another program (application id {application})"
        raise PyramidionError(f"This file is {what}, not {wanted.what}", str(path), do)
    return True


def _kind_of(application: int, tables: frozenset[str]) -> StoreKind | None:
    """Return the kind of a file: by its id, or by its tables where earlier versions gave several kinds one id."""
    named = [kind for kind in KINDS if kind.application == application]
    told = [kind for kind in KINDS if kind.earlier == application and kind.tables <= tables]
    return next(iter([*told, *named]), None)
