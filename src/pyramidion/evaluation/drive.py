"""Begin a run, go on with one, or score the matches of one anew: the functions behind ``evaluate --out``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from pyramidion.base.choices import check_choices
from pyramidion.base.files import check_not_among
from pyramidion.evaluation.corpus import Corpus, corpus_of
from pyramidion.evaluation.engines import PATIENCE, Engine
from pyramidion.evaluation.evaluation import nothing_to_score
from pyramidion.evaluation.record import Record, is_run, record_of
from pyramidion.evaluation.run import Driver, Interrupted, drive_run, open_run
from pyramidion.evaluation.run_folders import read_run
from pyramidion.evaluation.run_result import RunResult
from pyramidion.evaluation.work import Scoring, Tick
from pyramidion.formats.read import READING, Reading
from pyramidion.methods import DEFAULT_METHOD, GIVEN, Method
from pyramidion.model import Topic
from pyramidion.notes import collect_notes
from pyramidion.scoring import DEFAULT, Settings

Progress = Callable[[int, int], object]
"""Called with how many summaries are scored, and how many there are."""


def unseen(done: int, of: int) -> None:
    """Ignore the progress: the default."""


@check_choices
def run(
    corpus: str | PathLike[str] | Iterable[Topic] | Any,
    out: str | PathLike[str],
    method: Method | str = DEFAULT_METHOD,
    settings: Settings = DEFAULT,
    *,
    leave_one_out: bool = False,
    resume: bool = False,
    jobs: int = 1,
    timeout: float = PATIENCE,
    engine: Engine | None = None,
    reading: Reading = READING,
    progress: Progress = unseen,
) -> RunResult:
    """Score every peer of a corpus of any size, and keep each result on disk as it comes.

    A run that was interrupted, killed or out of disk space goes on where it stopped with ``resume``. What cannot be
    scored is listed in the result (``failures``), and the run goes on without it. Ctrl-C finishes what is under way,
    keeps it, and is raised then (``KeyboardInterrupt``).

    * ``corpus`` is a file or folder, which is read as it is needed; or topics, a data frame, an Arrow table, a data set
      or rows as dictionaries, which are held in memory.
    * ``out`` is the folder of the run, a new one unless it is resumed.
    * ``method``, ``settings`` and ``leave_one_out`` are those of :func:`evaluate`.
    * ``resume`` goes on with the run that is there, and begins it if there is none. A run whose corpus, method,
      settings or versions are not what they were is refused, and the error says what changed.
    * ``jobs`` is the number of processes that match; the result is the same for any number.
    * ``timeout`` is how many seconds a pyramid or a summary may take before it counts as failed; 0 sets no limit.
    * ``engine`` does the work in place of processes: ``pyramidion.evaluation.engines.ray.Ray(address, gpus=0.25)``.
    * ``reading`` says how files are read (:class:`~pyramidion.formats.read.Reading`).
    * ``progress`` is called with the number of summaries that are scored, and of all: at the start, and after each.

    >>> import tempfile
    >>> import pyramidion as pm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = pm.run(pm.example(), f"{folder}/monday", "manual", resume=True)
    ...     best = max(result.stream(), key=lambda scored: scored.scores.coverage)
    >>> result.status, [system.system for system in result.systems][:2]
    ('finished', ['copy', 'paraphrase-1'])
    >>> best.scores.topic, best.percent
    ('tidal-lagoon', 94.09)
    """
    folder = Path(out)
    work = Scoring(Method.parse(method) if isinstance(method, str) else method, settings, leave_one_out)
    source = corpus_of(corpus, folder, reading)
    # a run that goes on was planned when it began: its topics need not be read twice
    record = source.record(work) if resume and is_run(folder) else _new_record(source, work)
    with drive_run(folder, record, resume=resume) as driver:
        if not driver.go(work, source.topics(), engine or _processes(jobs, timeout), _progress_tick(driver, progress)):
            raise Interrupted(driver.run)
    with collect_notes():  # the driver has passed all of them on already
        return read_run(folder)


@check_choices
def rescore(
    source: str | PathLike[str],
    out: str | PathLike[str],
    settings: Settings = DEFAULT,
    *,
    leave_one_out: bool = False,
    resume: bool = False,
    progress: Progress = unseen,
) -> RunResult:
    """Score the matches of a finished run with other settings, as a new run: nothing is matched again.

    What the old run could not score is listed in the new one, too. ``read_run(source).evaluation(settings)`` does the
    same in memory.

    * ``source`` is the folder of the finished run.
    * ``out`` is the folder of the new one.
    * ``settings`` and ``leave_one_out`` are those of :func:`evaluate`.
    * ``resume`` goes on with a new run that was interrupted.
    * ``progress`` is that of :func:`run`.

    >>> import tempfile
    >>> import pyramidion as pm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = pm.run(pm.example(), f"{folder}/monday", "manual")
    ...     second = pm.rescore(f"{folder}/monday", f"{folder}/floor", pm.Settings(average="floor"))
    >>> round(first.systems[0].means["coverage"], 3), round(second.systems[0].means["coverage"], 3)
    (0.914, 0.944)
    """
    old, folder = Path(source), Path(out)
    check_not_among(folder, [old])
    with open_run(old) as finished:
        work = Scoring(Method.parse(finished.record.method), settings, leave_one_out)
        with drive_run(folder, _rescored_record(finished.record, work, old), resume=resume) as driver:
            if not driver.take(finished, work, _progress_tick(driver, progress)):
                raise Interrupted(driver.run)
    with collect_notes():  # the driver has passed all of them on already
        return read_run(folder)


def _new_record(source: Corpus, work: Scoring) -> Record:
    """Return the record of a new run; raise if there is nothing to score."""
    plan = source.plan(work)
    if not plan.summaries and not work.leave_one_out:
        raise nothing_to_score(source.name, by_people=work.method.matcher == GIVEN)
    return source.record(work, plan)


def _rescored_record(old: Record, work: Scoring, source: Path) -> Record:
    return record_of(
        work,
        old.inputs,
        old.reading,
        topics=old.topics,
        summaries=old.summaries,
        rescored=source.resolve().name,
        models=old.models,  # those that matched; other versions may be installed now
    )


def _processes(jobs: int, timeout: float) -> Engine:
    from pyramidion.evaluation.engines.processes import (
        Processes,  # here, because whoever only imports needs no processes
    )

    return Processes(jobs, timeout)


def _progress_tick(driver: Driver, progress: Progress) -> Tick:
    """Report the progress of a run now, and return a tick that reports it after every summary."""
    done, total = driver.run.store.counts().summaries, driver.run.record.summaries or 0
    progress(done, total)

    def tick(step: str) -> None:
        nonlocal done
        if step:
            done += 1
            progress(done, total)

    return tick
