"""The answers of a crowd study in the workspace's database: where its desk keeps them.

The rules are those of a study's own file (:mod:`pyramidion.crowd.answers.store`): a worker's first answers to a task
stand, and nothing is ever changed. An answer is committed before anybody is told that it arrived. The study's texts are
not kept with every answer; whoever reads them gets them from the study.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

import msgspec
from sqlalchemy import Engine, func, insert, select
from sqlalchemy.exc import IntegrityError

from pyramidion.base.choices import check_choices
from pyramidion.base.json import decoder
from pyramidion.crowd.answers.fitting import Fit
from pyramidion.crowd.answers.store import Became, Kind, content_of, later, of_same_session
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.study import Phase, Study
from pyramidion.studio import schema
from pyramidion.studio.database import UnwritableError, database_errors
from pyramidion.studio.log.store import now, storable

ATTEMPTS = 3
"""Another process may be first once with the task, and once with the session."""

_rows = schema.crowd_answers


class StudyAnswers:
    """The answers of one study. Threads may share it; so may processes, each with its own."""

    def __init__(self, engine: Engine, id: str, study: Study, secret: str) -> None:
        self.engine, self.id = engine, id
        self._secret = bytes.fromhex(secret)
        self._fit = Fit(study)

    def add_first(self, submission: Submission, source: str) -> Became:
        """Keep a worker's first answers to a task; of later ones, only say whether they are the same."""
        submission = replace(submission, id=storable(submission.id))
        of_task = (_rows.c.study == self.id, _rows.c.task == submission.task)
        for _ in range(ATTEMPTS):
            with database_errors(), self.engine.connect() as connection:
                same_worker = select(_rows.c.content).where(*of_task, _rows.c.worker == submission.worker)
                standing = list(connection.execute(same_worker).scalars())
                same_id = select(_rows.c.worker).where(*of_task, _rows.c.id == submission.id)
                taken = connection.execute(same_id).first()
            if standing:
                return later(submission, standing)
            if taken:
                submission = of_same_session(submission)
            try:
                with database_errors(), self.engine.begin() as connection:
                    connection.execute(insert(_rows).values(self._row(submission)))
                return "new"
            except IntegrityError:  # another process was first
                continue
        raise UnwritableError("Others answer the same task at the same moment.", do="try again")

    @check_choices
    def submissions(self, phase: Phase | None = None) -> list[Submission]:
        """Return all answers, or those of a phase, in an order that does not depend on when they came."""
        query = select(_rows.c.submission).where(_rows.c.study == self.id)
        if phase:
            query = query.where(_rows.c.phase == phase)
        with database_errors(), self.engine.connect() as connection:
            stored = connection.execute(query).scalars().all()
        submissions = (self._fit(decoder(Submission).decode(text)) for text in stored)
        return sorted(submissions, key=attrgetter("phase", "topic", "summary", "task", "id"))

    def done(self, phase: Phase) -> list[tuple[str, str, str]]:
        """Return task, worker and status of every answer; the status is empty, since nobody rejects answers here."""
        query = select(_rows.c.task, _rows.c.worker).where(_rows.c.study == self.id, _rows.c.phase == phase)
        with database_errors(), self.engine.connect() as connection:
            return [(task, worker, "") for task, worker in connection.execute(query)]

    def kind(self) -> Kind:
        """Return ``real`` where there are answers, else ``empty``; rehearsals are not kept here."""
        return "real" if self.mark() else "empty"

    def mark(self) -> int:
        """Return the number of answers, by which a change is seen: nothing is ever taken away."""
        query = select(func.count()).select_from(_rows).where(_rows.c.study == self.id)
        with database_errors(), self.engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def secret(self) -> bytes:
        """Return what signs the tickets: it is with the answers, so that a restored workspace takes earlier tickets."""
        return self._secret

    def _row(self, submission: Submission) -> dict[str, str]:
        """Return a submission as its table has it."""
        # the texts are the study's: whoever reads answers puts them back in (Fit)
        bare = replace(submission, asked=Asked(submission.asked.ids), text="")
        return {
            "study": self.id,
            "task": submission.task,
            "worker": submission.worker,
            "id": submission.id,
            "phase": submission.phase,
            "time": now(),
            "content": content_of(submission),
            "submission": msgspec.json.encode(bare).decode(),
        }
