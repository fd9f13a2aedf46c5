"""Work that takes longer than a request may: building a pyramid, reading peers, feedback for a class."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from pyramidion.errors import PyramidionError
from pyramidion.notes import collect_notes
from pyramidion.studio.log.store import new_id

KEPT = 50
"""Finished jobs whose outcome can still be asked for."""


@dataclass(slots=True)
class Job:
    """Work under way: of which project, how far it is, where its result can be seen, what was noted or went wrong."""

    id: str
    project: str
    total: int = 0
    done: int = 0
    link: str = ""
    error: str = ""
    warnings: list[str] = field(default_factory=list)
    finished: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)

    def advance(self, *_: object) -> None:
        """Count one more piece as done; work that was stopped ends here."""
        self.done += 1
        if self.cancelled.is_set():
            raise PyramidionError("The work was stopped.")

    def to_json(self) -> dict[str, Any]:
        """Return what the page that waits is told."""
        return {name: getattr(self, name) for name in ("total", "done", "link", "error", "warnings", "finished")}


class Jobs:
    """A queue: one job runs, the others wait."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="studio-job")
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, project: str, total: int, work: Callable[[Job], str]) -> Job:
        """Begin work that returns where its result can be seen."""
        job = Job(new_id(), project, total)
        with self._lock:
            self._jobs[job.id] = job
            # dictionaries keep their order, so the jobs that began first are forgotten first
            finished = [id for id, known in self._jobs.items() if known.finished]
            for id in finished[: max(0, len(self._jobs) - KEPT)]:
                del self._jobs[id]
        self._pool.submit(self._run, job, work)
        return job

    def get(self, id: str) -> Job | None:
        """Return the job of that id."""
        return self._jobs.get(id)

    def close(self) -> None:
        """Stop at the next piece; nothing new begins."""
        for job in list(self._jobs.values()):
            job.cancelled.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job, work: Callable[[Job], str]) -> None:
        try:
            with collect_notes() as notes:
                job.link = work(job)
            job.warnings = [note.text for note in notes]
        except PyramidionError as error:
            job.error = str(error)
        # nobody asks the pool for the outcome: the page that waits is the only place where it can be seen
        except Exception as error:
            job.error = f"{type(error).__name__}: {error}"
        finally:
            job.finished = True
