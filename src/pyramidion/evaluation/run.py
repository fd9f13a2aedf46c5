"""A run: a folder with what decides its results, the results, and a log.

``run.json`` is the record, ``results.sqlite`` the store, ``log.txt`` what happened when. One process at a time drives a
run; any number may read it meanwhile.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from pyramidion.base.cache import Hits, add_hits
from pyramidion.base.files import is_part, writable
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.evaluation import record as records
from pyramidion.evaluation.engines import Engine
from pyramidion.evaluation.lock import LOCK, is_locked, lock_run
from pyramidion.evaluation.record import Record, changes
from pyramidion.evaluation.scored import Scored
from pyramidion.evaluation.store import Store
from pyramidion.evaluation.work import Outcome, Scoring, Tick, references, silent
from pyramidion.evaluation.worklist import Item, items
from pyramidion.methods import GIVEN, signed_by_makers
from pyramidion.model import Topic
from pyramidion.notes import copy_notes, repeat_notes
from pyramidion.scoring import Settings, jackknifed, scores
from pyramidion.signature import Signature

LOG = "log.txt"
MINUTE = 60.0
"""Seconds between lines of the log, while all goes well."""
Status = Literal["running", "finished", "unfinished"]


@dataclass(frozen=True, slots=True)
class Run:
    """A run that is read: its record and its results."""

    folder: Path
    record: Record
    store: Store

    @property
    def status(self) -> Status:
        """``running`` while a process works on it; then ``finished`` if all of its work list was done."""
        if is_locked(self.folder):
            return "running"
        return "finished" if self.store.counts().is_whole else "unfinished"

    @property
    def settings(self) -> Settings:
        """The settings of its scores."""
        named: dict[str, Any] = {name: value for name, value in self.record.settings.items() if name != "jackknife"}
        return Settings(**(named | {"cap": named["cap"] == "yes"}))

    @property
    def leave_one_out(self) -> bool:
        """True if its summaries are scored with each reference left out."""
        return self.record.settings["jackknife"] == "yes"

    @property
    def signature(self) -> Signature:
        """The signature of its scores, as an evaluation in memory has it."""
        return self.signature_with(self.settings, self.leave_one_out)

    def signature_with(self, settings: Settings, leave_one_out: bool) -> Signature:
        """The signature of its matches, scored with other settings."""
        unsupported = self.store.unsupported()
        name, made_by = signed_by_makers(self.record.method, self.store.makers())
        parameters = (
            *self.record.models.items(),
            *made_by,
            *settings.parameters(),
            *((("jackknife", "yes"),) if leave_one_out else ()),
            *self.store.reading(),
            *((("unsupported", str(unsupported)),) if unsupported else ()),
        )
        return Signature(name, parameters, self.record.versions["pyramidion"])


@contextmanager
def open_run(folder: Path) -> Iterator[Run]:
    """Read a run."""
    if not records.is_run(folder):
        raise FormatError("This folder holds no run.", str(folder), "name the folder of a run")
    with Store(folder) as store:
        yield Run(folder, records.load(folder), store)


def rescored_outcomes(store: Store, settings: Settings, leave_one_out: bool = False) -> Iterator[Outcome]:
    """Score the stored matches with these settings, and yield an outcome for each topic; nothing is matched again."""
    score = jackknifed if leave_one_out else scores
    for pyramid, summaries in store.topics():
        scored = [
            Scored(
                replace(score(pyramid, stored.annotation, settings), normalised=stored.normalised),
                pyramid,
                stored.annotation,
                stored.copied,
            )
            for stored in summaries
        ]
        if leave_one_out:
            scored += references(pyramid, settings)
        yield Outcome((pyramid.topic, 0), pyramid, tuple(scored))


class Interrupted(KeyboardInterrupt):
    """Somebody asked a run to stop: everything that was finished is kept, and it can be resumed."""

    def __init__(self, run: Run) -> None:
        counts = run.store.counts()
        of = "" if run.record.summaries is None else f" of {run.record.summaries}"
        self.kept = f"{counts.summaries}{of} summaries are scored and kept in {run.folder}."
        super().__init__(f"{self.kept} To go on, do the same with resume=True.")


@contextmanager
def drive_run(folder: Path, record: Record, *, resume: bool = False) -> Iterator[Driver]:
    """Begin a run in a new folder, or go on with the one that is there; nobody else may at the same time."""
    with writable(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with lock_run(folder):
        if records.is_run(folder):
            if not resume:
                raise PyramidionError(
                    "This folder already holds a run.", str(folder), "resume it, or name another folder"
                )
            begun = records.load(folder)
            if changed := changes(begun, record):
                pins = records.pins(begun, record)
                raise PyramidionError(
                    f"The run cannot be resumed: {'; '.join(changed)}.",
                    str(folder),
                    "begin a new run in a new folder" + (f", or: pip install {' '.join(pins)}" if pins else ""),
                )
            record = begun
        elif any(not _is_leftover(entry) for entry in folder.iterdir()):
            raise PyramidionError("This folder is not empty, and holds no run.", str(folder), "name a new folder")
        else:
            for entry in folder.iterdir():
                if entry.name != LOCK:  # half a record, of a start that was killed
                    entry.unlink()
            records.save(folder, record)
        with Store(folder, writing=True) as store:
            if resume:  # the run may have ended with the machine: find a damaged page before anything is added
                store.check()
            yield Driver(Run(folder, record, store))


def _is_leftover(entry: Path) -> bool:
    """Return whether a file is a leftover of a start that was killed: its lock, or half a record."""
    return entry.name == LOCK or is_part(entry, records.FILE)


class Driver:
    """Does what a run has not done yet."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._stopped = False
        """True once somebody asked to stop."""
        self._listed = False
        """True once everything that there is to do was handed out."""

    def go(self, work: Scoring, topics: Iterable[Topic], engine: Engine, tick: Tick = silent) -> bool:
        """Do the topics' items and keep the outcomes; return whether the whole work list was done or tried.

        A first interrupt (Ctrl-C, or the signal that asks a process to end) lets what is under way finish; a second one
        ends it at once. Either way everything that was finished is kept.
        """
        return self._keep_outcomes(engine.run(work, self._todo(topics, work), tick))

    def take(self, source: Run, work: Scoring, tick: Tick = silent) -> bool:
        """Keep another run's matches, scored with the settings of ``work``; return whether all were taken.

        What could not be matched there has no score here either, and is listed with its error.
        """
        if source.status != "finished":
            raise PyramidionError("This run is not finished.", str(source.folder), "resume it first")
        for row in source.store.topic_rows():
            self.run.store.note_row(row)
        self.run.store.fail(source.store.failures())
        self.run.store.tell(source.store.notes())
        return self._keep_outcomes(self._rescored(source, work, tick))

    def _rescored(self, source: Run, work: Scoring, tick: Tick) -> Generator[Outcome]:
        for outcome in rescored_outcomes(source.store, work.settings, work.leave_one_out):
            if self._stopped:
                return
            for scored in outcome.scored:
                tick(scored.scores.summary)
            yield outcome
        self._listed = True

    def _keep_outcomes(self, outcomes: Generator[Outcome]) -> bool:
        """Keep outcomes as they come, with their notes, and write the log; return whether the whole list was done."""
        store = self.run.store
        self._log(f"begins; {self._progress()}")
        begin = logged = monotonic()
        cached: dict[str, Hits] = {}
        repeat_notes(store.notes())  # of what was done before
        with self._interruptible(), closing(outcomes), copy_notes() as notes:
            for outcome in outcomes:
                repeat_notes(outcome.notes)  # of a worker elsewhere; those of this process are among the notes already
                store.add(replace(outcome, notes=tuple(notes)))
                notes.clear()
                cached = add_hits((cached, outcome.cached))
                for failure in outcome.failures:
                    self._log(f"failed: {failure}")
                if monotonic() - logged > MINUTE:
                    logged = monotonic()
                    self._log(self._progress())
        store.tell(notes)  # since the last outcome
        if self._listed:
            store.end()
        how = "ends" if self._listed else "is interrupted"
        self._log(f"{how} after {monotonic() - begin:.1f} seconds; {self._progress()}")
        if cached:
            self._log(f"found in the cache: {', '.join(f'{kind} {count}' for kind, count in sorted(cached.items()))}")
        return self._listed

    def _progress(self) -> str:
        counts, total = self.run.store.counts(), self.run.record.summaries
        return f"{counts.summaries}{'' if total is None else f' of {total}'} summaries scored, {counts.failed} failed"

    def _log(self, line: str) -> None:
        """Write a line to the run's log."""
        with writable(self.run.folder / LOG), (self.run.folder / LOG).open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n")

    def _todo(self, topics: Iterable[Topic], work: Scoring) -> Iterator[Item]:
        """Yield the items that are not done, until somebody asks to stop."""
        annotated = work.method.matcher == GIVEN
        store = self.run.store
        for topic in topics:
            store.note(topic, work.method.makers([topic]))
            scored = store.scored_summaries(topic.id)
            first = work.leave_one_out and not store.scored_summaries(topic.id, "reference")
            for item in items([topic], annotated=annotated):
                if self._stopped:
                    return
                if annotated:
                    if not scored and (topic.annotations or topic.peers or first):
                        yield item
                elif left := [peer for peer in item.peers if peer.id not in scored]:
                    yield item.of(left, first=item.first and first) if scored else item
                elif item.first and first:
                    yield item.of(())
        self._listed = True

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Let the first signal end the work list after the items in progress, and the second one raise at once."""
        # Python lets only the main thread set handlers of signals
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, _: object) -> None:
            if self._stopped:
                raise KeyboardInterrupt
            self._stopped = True

        before = {name: signal.signal(name, stop) for name in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for name, handler in before.items():
                # None stands for a handler that was not set in Python, and cannot be set again
                signal.signal(name, signal.SIG_DFL if handler is None else handler)
