"""The store of a study's answers: one SQLite file beside ``study.json``, to which is only ever added.

The rules:

* A submission is known by its id and task. The same answers again are *known* and change nothing. Other answers under
  the same id and task are *conflicting*: the first stands, the others are kept in a table of their own and never count.
* A later verdict of the platform (approved, rejected) does not change the submission but is kept beside it.
  The latest decision counts; of two at the same time, or without one, the stricter.
* An import is one transaction: all of a file, or nothing of it. Two processes may add at once; one waits.
* What is read back is ordered by content, so that scores do not depend on what was imported when.
* Simulated answers never stand beside real ones.

The file keeps SQLite's rollback journal, not its write-ahead log: between imports it is one file that can be copied.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec

from pyramidion.base.choices import check_choices
from pyramidion.base.files import readable
from pyramidion.base.json import decoder
from pyramidion.base.stores import CROWD_ANSWERS, check_kind
from pyramidion.crowd.answers.cells import made_id
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.study import FILE, Phase
from pyramidion.crowd.tickets import read_or_make_secret
from pyramidion.errors import PyramidionError

STORE = "answers.sqlite"
VERSION = 1
WAIT = 30.0
"""The seconds to wait for another process."""

Kind = Literal["empty", "real", "simulated"]
Became = Literal["new", "known", "conflicting"]
"""The outcome of adding a submission: see the rules above."""

_STRICTNESS = ("", "submitted", "approved", "rejected")

_SCHEMA = """
create table imports (
  number integer primary key, source text not null, time text not null, simulated integer not null,
  new integer not null, known integer not null, conflicting integer not null
);
create table texts (key text primary key, value text not null) without rowid;
create table submissions (
  id text not null, task text not null, phase text not null, topic text not null, summary text not null,
  worker text not null, asked text not null, answers text not null, written text not null, checks text not null,
  seconds real, submitted text not null, status text not null, text text not null, extra text not null,
  content text not null, import integer not null references imports (number), primary key (id, task)
);
create table conflicts as select * from submissions;
create table statuses (
  id text not null, status text not null, decided text not null, seconds real, extra text not null,
  import integer not null references imports (number), unique (id, status, decided)
);
"""
_COLUMNS = ", ".join(field.name for field in fields(Submission))
_PUT = f"insert into {{}} ({_COLUMNS}, content, import) values ({', '.join('?' * 17)})"


@dataclass(frozen=True, slots=True)
class Status:
    """What a platform says of a submission, apart from its answers."""

    id: str
    """The id of the submission: an assignment or a session."""
    status: str
    decided: str = ""
    """The time of the approval or rejection."""
    seconds: float | None = None
    """The time that the worker took, if the submission does not say it."""
    extra: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the submissions of one import."""

    new: int = 0
    known: int = 0
    conflicting: int = 0
    conflicts: tuple[str, ...] = ()
    """The ids of the conflicting submissions."""
    unmatched: int = 0
    """Statuses of submissions that have not come yet; they count once these come."""


def content_of(submission: Submission) -> str:
    """Return a digest of the worker's answers; two submissions with the same id and digest count as one."""
    # Only what the worker answered: a platform's later status or another time of submission is no other answer.
    content = (
        submission.phase,
        submission.topic,
        submission.summary,
        submission.worker,
        submission.asked.ids,
        submission.answers,
        submission.written,
        submission.checks,
    )
    return blake2b(msgspec.json.encode(content), digest_size=12).hexdigest()


def later(submission: Submission, standing: Collection[str]) -> Became:
    """Return whether answers to a task that the worker has answered before are known or conflicting.

    ``standing`` are the digests of the answers that are stored.
    """
    return "known" if content_of(submission) in standing else "conflicting"


def of_same_session(submission: Submission) -> Submission:
    """Return the submission with another id.

    Two workers who were given a link with the same session have one id: the second gets another, and both count.
    """
    return replace(submission, id=made_id(submission.id, submission.worker))


class Store:
    """The answers in a study's folder, or in a file. No file is made before something is added.

    Every call opens the file and closes it, so that threads may share a store.
    """

    def __init__(self, path: Path) -> None:
        folder = path.parent if path.name == FILE else path
        self.path = folder / STORE if folder.is_dir() or not folder.suffix else folder

    def add(
        self,
        submissions: Iterable[Submission],
        source: str,
        *,
        statuses: Sequence[Status] = (),
        simulated: bool = False,
        dry_run: bool = False,
    ) -> Imported:
        """Add what is not known yet, all or nothing; ``dry_run`` only says what would become of it."""
        if dry_run and not self.path.exists():
            # a dry run must not make the file
            with _readable(self.path), closing(sqlite3.connect(":memory:")) as connection:
                return _add(_create_tables(connection), submissions, source, statuses, simulated)
        with self._open() as connection:
            _lock(connection)
            imported = _add(connection, submissions, source, statuses, simulated)
            connection.execute("rollback" if dry_run else "commit")
            return imported

    def add_first(self, submission: Submission, source: str) -> Became:
        """Add a worker's first answers to a task; for later answers, only say whether they are the same."""
        with self._open() as connection:
            _lock(connection)
            query = "select content from submissions where task = ? and worker = ?"
            standing = [row[0] for row in connection.execute(query, (submission.task, submission.worker))]
            if standing:
                connection.execute("rollback")
                return later(submission, standing)
            query = "select 1 from submissions where id = ? and task = ?"
            if connection.execute(query, (submission.id, submission.task)).fetchone():
                submission = of_same_session(submission)
            _add(connection, [submission], source, (), simulated=False)
            connection.execute("commit")
            return "new"

    @check_choices
    def submissions(self, phase: Phase | None = None) -> list[Submission]:
        """Return all valid submissions, or those of a phase, sorted by phase, topic, summary, task and id."""
        if not self.path.exists():
            return []
        with self._open() as connection:
            connection.execute("begin")
            texts = dict(connection.execute("select key, value from texts"))
            asked = lru_cache(maxsize=None)(lambda key: decoder(Asked).decode(texts[key]))
            latest = _latest(connection)
            rows = connection.execute(
                f"select {_COLUMNS} from submissions where ?1 is null or phase = ?1 "
                "order by phase, topic, summary, task, id",
                (phase,),
            )
            return [_submission(row, asked, texts, latest) for row in rows]

    def done(self, phase: Phase) -> list[tuple[str, str, str]]:
        """Return task, worker and status of every valid submission: without answers, because a server asks often."""
        if not self.path.exists():
            return []
        with self._open() as connection:
            connection.execute("begin")
            latest = _latest(connection)
            rows = connection.execute("select id, task, worker, status from submissions where phase = ?", (phase,))
            return [(task, worker, latest[id].status if id in latest else status) for id, task, worker, status in rows]

    def kind(self) -> Kind:
        """Return whether the store is empty, or has answers of people, or those that a rehearsal made up."""
        if not self.path.exists():
            return "empty"
        with self._open() as connection:
            return _kind(connection)

    def mark(self) -> tuple[int, bytes]:
        """Return the file's time and SQLite's count of changes: within one tick of the clock, several may answer."""
        if not self.path.exists():
            return 0, b""
        with readable(self.path), self.path.open("rb") as file:
            # bytes 24 to 27 of the header are the file change counter (https://www.sqlite.org/fileformat.html)
            return self.path.stat().st_mtime_ns, file.read(28)[24:]

    def secret(self) -> bytes:
        """Return the secret that signs tickets; it is stored beside the answers."""
        return read_or_make_secret(self.path.parent)

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Connect to the file, which is made if it is not there, and check its kind and version."""
        with (
            _readable(self.path),
            # without an isolation level, Python begins no transaction by itself: add() and add_first() do
            closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as connection,
        ):
            if _is_empty(connection):
                # another process may have made the tables between the look and the lock, so look again
                _lock(connection)
                if _is_empty(connection):
                    _create_tables(connection)
                connection.execute("commit")
            check_kind(connection.execute, CROWD_ANSWERS, self.path, "move it away, or name another")
            version = connection.execute("pragma user_version").fetchone()[0]
            if version != VERSION:
                raise PyramidionError(
                    f"The store has version {version}",
                    str(self.path),
                    f"this Pyramidion reads version {VERSION}; update it",
                )
            yield connection


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about a file into ours."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise PyramidionError(
            f"An answer holds a lone surrogate ({error.object[error.start]!r})", do="repair the file it came from"
        ) from None
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise PyramidionError(
                "Another process writes to the store", str(path), "try again when it is done"
            ) from None
        raise PyramidionError(
            f"The store cannot be used: {error}", str(path), "check the folder, its permissions and the disk"
        ) from None
    except (sqlite3.DatabaseError, msgspec.MsgspecError, KeyError) as error:
        raise PyramidionError(
            f"The store is damaged ({error})", str(path), "restore it from a copy, or move it away and collect again"
        ) from None


def _lock(connection: sqlite3.Connection) -> None:
    """Begin to write; other processes that want to write wait from here on."""
    connection.execute("begin immediate")


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("select count(*) from sqlite_master").fetchone()[0]


def _create_tables(connection: sqlite3.Connection) -> sqlite3.Connection:
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(CROWD_ANSWERS.mark)
    connection.execute(f"pragma user_version = {VERSION}")
    return connection


def _latest(connection: sqlite3.Connection) -> dict[str, Status]:
    statuses = (Status(*row) for row in connection.execute("select id, status, decided, seconds from statuses"))
    return {status.id: status for status in sorted(statuses, key=_decision_order)}


def _kind(connection: sqlite3.Connection) -> Kind:
    row = connection.execute("select simulated from submissions join imports on import = number limit 1").fetchone()
    return "empty" if row is None else "simulated" if row[0] else "real"


def _add(
    connection: sqlite3.Connection,
    submissions: Iterable[Submission],
    source: str,
    statuses: Sequence[Status],
    simulated: bool,
) -> Imported:
    """Add what is not known yet within the open transaction, and count what became of it."""
    stored_kind, new_kind = _kind(connection), "simulated" if simulated else "real"
    if stored_kind not in ("empty", new_kind):
        raise PyramidionError(
            f"The store holds {stored_kind} answers, so {new_kind} ones cannot be added",
            do="use a copy of the study without its answers.sqlite",
        )
    number = connection.execute("select coalesce(max(number), 0) + 1 from imports").fetchone()[0]
    time = datetime.now(UTC).isoformat(timespec="seconds")
    connection.execute("insert into imports values (?, ?, ?, ?, 0, 0, 0)", (number, source, time, simulated))
    texts = _Texts(connection)
    counts = {"new": 0, "known": 0, "conflicting": 0}
    conflicts = []
    for submission in submissions:
        content = content_of(submission)
        stored = connection.execute(
            "select content from submissions where id = ? and task = ?", (submission.id, submission.task)
        ).fetchone()
        if stored is None:
            counts["new"] += 1
            connection.execute(_PUT.format("submissions"), (*_row(submission, texts), content, number))
        elif stored[0] == content or _conflict_known(connection, submission, content):
            counts["known"] += 1
        else:
            counts["conflicting"] += 1
            conflicts.append(submission.id)
            connection.execute(_PUT.format("conflicts"), (*_row(submission, texts), content, number))
    unmatched = 0
    for status in statuses:
        connection.execute(
            # the same status may come in many exports, but is kept once
            "insert or ignore into statuses values (?, ?, ?, ?, ?, ?)",
            (status.id, status.status, status.decided, status.seconds, _json(status.extra), number),
        )
        matched = connection.execute("select 1 from submissions where id = ? limit 1", (status.id,)).fetchone()
        unmatched += matched is None
    connection.execute(
        "update imports set new = ?, known = ?, conflicting = ? where number = ?", (*counts.values(), number)
    )
    return Imported(**counts, conflicts=tuple(conflicts), unmatched=unmatched)


def _conflict_known(connection: sqlite3.Connection, submission: Submission, content: str) -> bool:
    query = "select 1 from conflicts where id = ? and task = ? and content = ? limit 1"
    return connection.execute(query, (submission.id, submission.task, content)).fetchone() is not None


class _Texts:
    """Long texts that many submissions share, stored once under a key."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.known: dict[str | Asked, str] = {}

    def key(self, value: str | Asked) -> str:
        key = self.known.get(value)
        if key is None:
            text = value if isinstance(value, str) else _json(value)
            key = self.known[value] = blake2b(text.encode(), digest_size=12).hexdigest()
            self.connection.execute("insert or ignore into texts values (?, ?)", (key, text))
        return key


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _row(submission: Submission, texts: _Texts) -> list[Any]:
    encoded = {"asked": texts.key, "text": texts.key, "written": _json, "checks": _json, "extra": _json}
    row = [(field.name, getattr(submission, field.name)) for field in fields(submission)]
    return [encoded[name](value) if name in encoded else value for name, value in row]


_TEXTS = msgspec.json.Decoder(tuple[str, ...])
_PAIRS = msgspec.json.Decoder(tuple[tuple[str, str], ...])


def _submission(row: tuple[Any, ...], asked: Any, texts: dict[str, str], latest: dict[str, Status]) -> Submission:
    *about, key, answers, written, checks, seconds, submitted, status, text, extra = row
    written = _TEXTS.decode(written) if written != "[]" else ()
    checks, extra = (_PAIRS.decode(pairs) if pairs != "[]" else () for pairs in (checks, extra))
    answered: tuple[Any, ...] = (asked(key), answers, written, checks, seconds, submitted, status, texts[text], extra)
    submission = Submission(*about, *answered)
    return _with_status(submission, latest.get(submission.id)) if latest else submission


def with_statuses(submissions: Iterable[Submission], statuses: Iterable[Status]) -> list[Submission]:
    """Return the submissions with the platforms' decisions: of each the latest, or the strictest of the same time."""
    latest = {status.id: status for status in sorted(statuses, key=_decision_order)}
    return [_with_status(submission, latest.get(submission.id)) for submission in submissions]


def _with_status(submission: Submission, latest: Status | None) -> Submission:
    if latest is None or (latest.status == submission.status and submission.seconds is not None):
        return submission
    return replace(
        submission, status=latest.status, seconds=latest.seconds if submission.seconds is None else submission.seconds
    )


def _decision_order(status: Status) -> tuple[str, int, str, float]:
    strictness = _STRICTNESS.index(status.status) if status.status in _STRICTNESS else 1
    return status.decided, strictness, status.status, status.seconds or 0.0
