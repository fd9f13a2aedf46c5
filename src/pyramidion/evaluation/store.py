"""The results of a run as they come: one SQLite file, to which is only ever added.

An item is one transaction: the file has all of it or nothing, and what it lacks is done again. The file is in
write-ahead mode. What was added survives the end of the process, however that comes; a power cut costs the last second
(:data:`SYNCED`) at most, and a journal whose last pages are torn is read up to them.

What is kept of a summary is enough to score it anew with other settings: its annotation with its text, and its topic's
pyramid. Scores stand in columns of their own, for exports and for whoever has SQLite.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from pyramidion.base.choices import check_choices
from pyramidion.base.json import decoder
from pyramidion.base.stores import RUN, check_kind
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.record import digest_of
from pyramidion.evaluation.scored import RECORDED, Scored
from pyramidion.evaluation.work import STAGES, Failure, Outcome
from pyramidion.formats import native
from pyramidion.metrics.copying import Copied
from pyramidion.model import Annotation, Pyramid, Role, Topic, Unread
from pyramidion.notes import Note

FILE = "results.sqlite"
SYNCED = 1.0
"""Seconds after which results are brought to the disk itself."""
WAIT = 30.0
"""Seconds to wait for another process."""
COLUMNS = (*RECORDED, "pyramids", "missing", "percent", "uncertainty", "copied")
"""The columns that are kept of every summary's scores."""
_MARKS = ", ".join("?" * (len(COLUMNS) + 3))
Noted = tuple[str, str, str, str]
"""A topic's id and digest, and what reading it decided."""
TEXTS = ("topic", "summary", "annotator", "role")
_ORDER = "topic, summary, annotator, role"

_NOTES = "create table if not exists notes (text text primary key)"
"""Stores of version 0.2 have no such table."""
_SCHEMA = f"""
create table topics (topic text primary key, digest text not null, reading text not null, unread text not null);
create table pyramids (topic text primary key, pyramid blob not null);
create table summaries (
  {", ".join(f"{name} text not null" if name in TEXTS else name for name in COLUMNS)},
  unsupported integer not null, runs text not null, annotation blob, primary key (topic, role, summary, annotator)
);
create table items (
  topic text not null, part integer not null, summaries integer not null,
  {", ".join(f"{name} real not null" for name in STAGES)}
);
create table failures (topic text not null, summary text not null, kind text not null, error text not null);
create table ends (whole integer not null);
{_NOTES};
{RUN.mark};
"""
_OPEN = """
  select distinct topic, summary, kind, error from failures
  where rowid in (select max(rowid) from failures group by topic, summary)
  and not exists (
    select 1 from summaries where role = 'peer' and summaries.topic = failures.topic
    and (summaries.summary = failures.summary or failures.summary = '')
  )
"""
"""The latest failure of each summary that was never scored.

A failure without a summary is that of a pyramid, which is over once a peer of the topic is scored.
"""


@dataclass(frozen=True, slots=True)
class StoredSummary:
    """A summary's annotation, with all that is needed to score it again."""

    annotation: Annotation
    normalised: float | None
    copied: Copied


@dataclass(frozen=True, slots=True)
class Counts:
    """The progress of a run."""

    topics: int
    summaries: int
    """Peers that were scored."""
    failed: int
    is_whole: bool
    """True if its work list came to an end."""


class Store:
    """The results of a run; ``writing`` makes the file if it is not there."""

    def __init__(self, folder: Path, *, writing: bool = False) -> None:
        """Open the file; make it or, for a file of an earlier version, its missing table if ``writing``."""
        self.path = folder / FILE
        if not writing and not self.path.is_file():
            raise PyramidionError("The results of this run are missing.", str(folder), "run it again")
        self._synced = -inf
        with self._database_errors():
            # without an isolation level, transactions begin and end where :meth:`_adding` says
            self._data = sqlite3.connect(
                self.path, timeout=WAIT, isolation_level=None, check_same_thread=writing
            )  # who reads Arrow may do so in a thread of its own
            if not check_kind(self._data.execute, RUN, self.path, "run it again, into another folder"):
                if not writing:
                    raise PyramidionError("The results of this run are empty.", str(self.path), "run it again")
                self._data.execute("pragma journal_mode = wal")
                self._data.executescript(f"begin; {_SCHEMA} commit;")
            elif writing:
                self._data.execute(_NOTES)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._data.close()

    @contextmanager
    def _database_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise PyramidionError(
                f"The results cannot be written or read ({error}).",
                str(self.path),
                "free some disk space if it is full, and resume the run",
            ) from None
        except sqlite3.DatabaseError as error:
            raise PyramidionError(
                f"The store is damaged ({error}).", str(self.path), "restore the folder from a copy, or run it again"
            ) from None

    # Writing

    def check(self) -> None:
        """Raise if a page of the file is damaged."""
        with self._database_errors():
            verdict = self._data.execute("pragma quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)

    def note(self, topic: Topic, makers: Iterable[str] = ()) -> None:
        """Keep what reading a topic decided and who made its annotations; refuse a topic that has changed."""
        made_by = (("annotations", maker) for maker in sorted(makers))
        self.note_row((topic.id, digest_of(topic), _json([*topic.reading, *made_by]), _json(topic.unread)))

    def note_row(self, row: Noted) -> None:
        """Keep a row of :meth:`topic_rows`."""
        with self._adding():
            known = self._data.execute("select digest from topics where topic = ?", row[:1]).fetchone()
            if known is None:
                self._data.execute("insert into topics values (?, ?, ?, ?)", row)
            elif known[0] != row[1]:
                raise PyramidionError(
                    f"The topic {row[0]!r} has changed since the run began.",
                    do="begin a new run, or give the topic as it was",
                )

    def add(self, outcome: Outcome) -> None:
        """Keep what came of an item."""
        topic, part = outcome.key
        times = [outcome.seconds.get(stage, 0.0) for stage in STAGES]
        rows = [_row(scored) for scored in outcome.scored]
        with self._adding():
            if outcome.pyramid is not None:
                row = (topic, _compress(_pyramid_json(outcome.pyramid)))
                self._data.execute("insert or ignore into pyramids values (?, ?)", row)
            self._data.executemany(f"insert or ignore into summaries values ({_MARKS})", rows)
            if rows:
                values = (topic, part, len(rows), *times)
                self._data.execute(f"insert into items values (?, ?, ?{', ?' * len(STAGES)})", values)
            self._insert(outcome.failures)
            self._note(outcome.notes)

    def fail(self, failures: Sequence[Failure]) -> None:
        """Keep what another run could not score; failures that are kept already are left out."""
        known = set(self.failures())
        with self._adding():
            self._insert([failure for failure in failures if failure not in known])

    def tell(self, notes: Sequence[Note]) -> None:
        """Keep what was noted of another run."""
        with self._adding():
            self._note(notes)

    def _note(self, notes: Sequence[Note]) -> None:
        self._data.executemany("insert or ignore into notes values (?)", [(note.text,) for note in notes])

    def _insert(self, failures: Sequence[Failure]) -> None:
        rows = [(failure.topic, failure.summary, failure.kind, failure.error) for failure in failures]
        self._data.executemany("insert into failures values (?, ?, ?, ?)", rows)

    @contextmanager
    def _adding(self) -> Iterator[None]:
        """Add within a transaction: all of the block is kept, or nothing of it."""
        # ``full`` waits for the disk, so it is due once in SYNCED seconds at most
        is_due = monotonic() - self._synced > SYNCED
        with self._database_errors():
            self._data.execute(f"pragma synchronous = {'full' if is_due else 'normal'}")
            self._data.execute("begin immediate")
            try:
                yield
                self._data.execute("commit")
            except BaseException:
                if self._data.in_transaction:  # unless the disk is full, which ended it
                    self._data.execute("rollback")
                raise
        if is_due:
            self._synced = monotonic()

    def end(self) -> None:
        """Note that the work list came to an end."""
        # due at once: a run that says that it is finished must be on the disk
        self._synced = -inf
        with self._adding():
            self._data.execute("insert into ends values (1)")

    # Reading

    @check_choices
    def scored_summaries(self, topic: str, role: Role = "peer") -> set[str]:
        """Return the ids of the summaries of a topic that were scored."""
        rows = self._rows("select summary from summaries where topic = ? and role = ?", topic, role)
        return {summary for (summary,) in rows}

    def counts(self) -> Counts:
        """Count the topics, summaries and failures so far."""
        ((topics, summaries),) = self._rows("select count(distinct topic), count(*) from summaries where role = 'peer'")
        ((failed,),) = self._rows(f"select count(*) from ({_OPEN})")
        ((ends,),) = self._rows("select count(*) from ends")
        return Counts(topics, summaries, failed, bool(ends))

    def seconds(self) -> dict[str, float]:
        """The seconds of all workers by stage."""
        ((*sums,),) = self._rows(f"select {', '.join(f'total({stage})' for stage in STAGES)} from items")
        return dict(zip(STAGES, sums, strict=True))

    def failures(self) -> tuple[Failure, ...]:
        """The summaries that could not be scored, by topic and name."""
        return tuple(Failure(*row) for row in self._rows(f"{_OPEN} order by topic, summary"))

    def notes(self) -> tuple[Note, ...]:
        """Return the notes of the run, in the order in which they came."""
        if not list(self._rows("select name from sqlite_master where name = 'notes'")):
            return ()
        return tuple(Note(text) for (text,) in self._rows("select text from notes order by rowid"))

    def scores(self, columns: Sequence[str] = COLUMNS) -> Iterator[tuple[Any, ...]]:
        """These columns of every summary, one at a time, in the order of topics, summaries and annotators."""
        unknown = set(columns) - set(COLUMNS)
        if unknown:
            raise PyramidionError(f"A run has no column {min(unknown)!r}.", do=f"choose from {', '.join(COLUMNS)}")
        return self._rows(f"select {', '.join(columns)} from summaries order by {_ORDER}")

    def reading(self) -> tuple[tuple[str, str], ...]:
        """Return what reading decided of the topics, for a signature."""
        return tuple(sorted(pair for pair in self._noted_pairs() if pair[0] != "annotations"))

    def makers(self) -> set[str]:
        """Return the makers of the annotations that are scored as they are, if there are any."""
        return {maker for name, maker in self._noted_pairs() if name == "annotations"}

    def _noted_pairs(self) -> set[tuple[str, str]]:
        return {pair for (text,) in self._rows("select distinct reading from topics") for pair in _pairs(text)}

    def unread(self) -> tuple[tuple[str, Unread], ...]:
        """The summaries that could not be read, each with its topic."""
        rows = self._rows("select topic, unread from topics where unread != '[]' order by topic")
        return tuple((topic, peer) for topic, text in rows for peer in decoder(list[Unread]).decode(text))

    def topic_rows(self) -> Iterator[Noted]:
        """Return a row for each topic, what reading it decided, for :meth:`note_row` of another store."""
        return self._rows("select topic, digest, reading, unread from topics order by topic")

    def unsupported(self) -> int:
        """Return the number of SCUs that a judge claimed by words that are not there."""
        ((count,),) = self._rows("select total(unsupported) from summaries")
        return int(count)

    def topics(self) -> Iterator[tuple[Pyramid, list[StoredSummary]]]:
        """The topics with their matches, one at a time, in the order of their ids."""
        query = (
            "select normalised, copied, runs, annotation from summaries "
            f"where topic = ? and role = 'peer' order by {_ORDER}"
        )
        for topic, data in self._rows("select topic, pyramid from pyramids order by topic"):
            yield _pyramid_of(_decompress(data)), [_stored_summary(*row) for row in self._rows(query, topic)]

    def _rows(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        with self._database_errors():
            yield from self._data.execute(query, values)


def _row(scored: Scored) -> tuple[Any, ...]:
    values = {name: getattr(scored.scores, name) for name in (*RECORDED, "pyramids")}
    values |= {"missing": scored.missing, "percent": scored.percent, "uncertainty": scored.margin}
    values["copied"] = scored.copied.share
    is_peer = scored.scores.role == "peer"  # what a reference expresses, its pyramid says
    annotation = _compress(native.annotation_json(scored.annotation)) if is_peer else None
    runs = _json(asdict(scored.copied)) if scored.copied.share else ""
    return (*(values[name] for name in COLUMNS), len(scored.annotation.unsupported), runs, annotation)


def _stored_summary(normalised: float | None, share: float, runs: str, annotation: bytes) -> StoredSummary:
    copied = decoder(Copied).decode(runs) if runs else Copied(share)
    return StoredSummary(native.annotation_of(_decompress(annotation)), normalised, copied)


def _pyramid_json(pyramid: Pyramid) -> bytes:
    return msgspec.json.encode(native.to_record(Topic(pyramid.topic, pyramid.references, pyramid=pyramid)))


def _pyramid_of(data: bytes) -> Pyramid:
    (topic,) = native.loads(data)
    assert topic.pyramid is not None
    return topic.pyramid


def _compress(data: bytes) -> bytes:
    return zlib.compress(data, 1)


def _decompress(data: bytes) -> bytes:
    return zlib.decompress(data)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _pairs(text: str) -> list[tuple[str, str]]:
    return msgspec.json.decode(text, type=list[tuple[str, str]])
