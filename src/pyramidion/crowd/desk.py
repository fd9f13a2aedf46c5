"""The desk: hands out tasks to workers and receives their answers. A server without HTTP.

A task stays reserved for its worker for some minutes, so that two workers who come at once do not overfill it. If the
time is over and another worker got the task, both answers are kept: work that is done is never refused.

Answers must come with the ticket that was handed out with the task (:mod:`~pyramidion.crowd.tickets`) and
must be complete. A worker's first submission for a task stands: the same answers again are acknowledged, others are
refused.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol

from pyramidion.base.choices import check_choices
from pyramidion.crowd.answers.fitting import Fit
from pyramidion.crowd.answers.page_answers import submission_for
from pyramidion.crowd.answers.store import Became, Kind
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.assignment import Distinct, next_task, own_tasks
from pyramidion.crowd.pages import completion_code
from pyramidion.crowd.study import Phase, Study, Task
from pyramidion.crowd.tickets import is_ticket, ticket
from pyramidion.errors import FormatError, PyramidionError

LONGEST_NAME = 100


class TicketError(FormatError):
    """The task was not handed out to this worker."""


class AnsweredError(FormatError):
    """The worker has answered this task before, with other answers."""


class Answers(Protocol):
    """The store of a desk's answers: a study's file (:class:`~pyramidion.crowd.answers.store.Store`), or a studio."""

    def add_first(self, submission: Submission, source: str) -> Became:
        """Keep a worker's first answers to a task; of later ones, only say whether they are the same."""

    def done(self, phase: Phase) -> list[tuple[str, str, str]]:
        """Return task, worker and status of every submission that counts."""

    def kind(self) -> Kind:
        """Return whether there are no answers, those of people, or simulated ones."""

    def mark(self) -> object:
        """Return a value that changes whenever answers come."""

    def secret(self) -> bytes:
        """Return the secret that signs tickets."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """The contents of the store when it was last looked at."""

    mark: object
    workers: dict[str, set[str]]
    """By task, who has answered it; rejected answers do not count."""
    rejected: dict[str, set[str]]


class Desk:
    """Hands out the tasks of one phase and receives the answers."""

    @check_choices
    def __init__(
        self,
        study: Study,
        store: Answers,
        phase: Phase,
        *,
        each: int = 0,
        hold: float = 1800.0,
        distinct: Distinct = "item",
        completion: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``each``: the most tasks that one worker gets, 0 for all; ``hold``: seconds that a task stays reserved."""
        self.study, self.store, self.phase = study, store, phase
        self.each, self.hold, self.distinct, self.clock = each, hold, distinct, clock
        self.completion, self.code = completion, completion_code(completion) if completion else ""
        self.tasks = {task.id: task for task in study.of_phase(phase)}
        self.wrote = own_tasks(study)
        if not self.tasks:
            raise PyramidionError(
                f"Study {study.name!r} has no {phase} tasks",
                do="select statements first: pyramidion crowd select" if phase == "judging" else "serve judging tasks",
            )
        if store.kind() == "simulated":
            raise PyramidionError(
                "The store holds simulated answers, so real ones cannot be added",
                str(store),
                "move it away, or serve a copy of the study without it",
            )
        self.refused = 0
        """Submissions that were refused: without a ticket, incomplete, or with other answers than the first."""
        self._secret = store.secret()
        self._fit = Fit(study)
        self._held: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()
        self._seen = _Answered(None, {}, {})

    def next_task(self, worker: str) -> Task | None:
        """Return the worker's next task and hold it for them; a task that they hold unanswered is given again."""
        with self._lock:
            answered = self._read_store()
            now = self.clock()
            # reservations that have run out are forgotten whenever somebody asks
            self._held = {at: until for at, until in self._held.items() if until > now}
            unanswered = [
                id for id, holder in self._held if holder == worker and worker not in answered.workers.get(id, ())
            ]
            task = self.tasks[unanswered[0]] if unanswered else self._fresh(answered, worker)
            if task is not None:
                self._held[task.id, worker] = now + self.hold
            return task

    def _fresh(self, answered: _Answered, worker: str) -> Task | None:
        if self.each and self._count_done(answered, worker) >= self.each:
            return None
        taken: dict[str, Collection[str]] = {
            id: answered.workers.get(id, set()) | {holder for task, holder in self._held if task == id}
            for id in self.tasks
        }
        # whoever was rejected on a task does not get it again
        open_to = [task for id, task in self.tasks.items() if worker not in answered.rejected.get(id, ())]
        wrote = self.wrote.get(worker, ())
        return next_task(open_to, taken, worker, distinct=self.distinct, seed=self.study.design.seed, wrote=wrote)

    def ticket(self, task: Task, worker: str) -> str:
        """Return the ticket that the page of the task must send with the worker's answers."""
        return ticket(self._secret, self.study.name, task.id, worker)

    def done_by(self, worker: str) -> int:
        """Return the number of tasks that the worker has answered."""
        with self._lock:
            return self._count_done(self._read_store(), worker)

    @staticmethod
    def _count_done(answered: _Answered, worker: str) -> int:
        workers_by_task = (*answered.workers.values(), *answered.rejected.values())
        return sum(worker in workers for workers in workers_by_task)

    def receive(self, record: dict[str, Any]) -> Submission:
        """Store the answers that a page sent, unless they are there already; an error says why they are refused."""
        try:
            submission = self._check_record(record)
            with self._lock:
                if self.store.add_first(submission, "crowd serve") == "conflicting":
                    raise AnsweredError(
                        f"{submission.worker!r} has answered this task before, and the first answers stand",
                        do="go on with the next task",
                    )
                self._held.pop((submission.task, submission.worker), None)
        except FormatError:
            with self._lock:
                self.refused += 1
            raise
        return submission

    def _check_record(self, record: dict[str, Any]) -> Submission:
        """Return the submission in a record that has a name, a served task, its ticket and all answers."""
        worker = name_of(record.get("worker"))
        if not worker:
            raise FormatError("The answers name no worker", do="give a name")
        task = str(record.get("task"))
        if record.get("study") != self.study.name or task not in self.tasks:
            raise FormatError("The answers are of a task that is not served here", do="open the start page again")
        if not is_ticket(record.get("ticket"), self._secret, self.study.name, task, worker):
            raise TicketError(f"This task was not handed out to {worker!r}", do="reload the page and send it again")
        fields = {name: value for name, value in record.items() if name != "ticket"}
        submission = submission_for(fields | {"worker": worker}, self._fit)
        lacking = describe_missing(submission, self.study.design.written)
        if lacking:
            raise FormatError(f"Not everything is answered: {lacking}", do="answer all of it and send it again")
        return submission

    def progress(self) -> tuple[int, int]:
        """Return how many assignments are answered, and how many there are; surplus answers to a task do not count."""
        with self._lock:
            workers = self._read_store().workers
        done = sum(min(task.workers, len(workers.get(id, ()))) for id, task in self.tasks.items())
        return done, sum(task.workers for task in self.tasks.values())

    def _read_store(self) -> _Answered:
        """Read the store again if it has changed: other processes may add to it, too."""
        mark = self.store.mark()
        if mark != self._seen.mark:
            workers: dict[str, set[str]] = {}
            rejected: dict[str, set[str]] = {}
            for task, worker, status in self.store.done(self.phase):
                (rejected if status == "rejected" else workers).setdefault(task, set()).add(worker)
            self._seen = _Answered(mark, workers, rejected)
        return self._seen


def describe_missing(submission: Submission, written: int) -> str:
    """Describe what a submission lacks, if ``written`` statements are asked for. Our pages send complete answers."""
    if submission.phase == "writing":
        lacking = written - len(submission.written)
        return f"{lacking} of {written} statements are missing" if lacking > 0 else ""
    answers = submission.answers + "".join(letter for _, letter in submission.checks)
    blank = answers.count("-")
    return f"{blank} of {len(answers)} answers are missing" if blank else ""


def name_of(sent: object) -> str:
    """Return a worker's name as it is stored: one line with single spaces; empty if it is no name."""
    text = " ".join(sent.split()) if isinstance(sent, str) else ""
    return text if text.isprintable() and len(text) <= LONGEST_NAME else ""
