"""How far a crowd study is, as its owner's page shows it: tasks, votes, people, money, and the scores so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from pyramidion.base.tables import Table, render
from pyramidion.crowd import study as studies
from pyramidion.crowd.answers.progress import Progress, progress
from pyramidion.crowd.answers.results import results
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.cost import cost_so_far, dollars, study_cost
from pyramidion.crowd.judging.judgements import Judgements
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.results.scores import CrowdEvaluation, crowd_scores
from pyramidion.crowd.results.workers import crowd_workers
from pyramidion.crowd.study import Study
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.formats import native
from pyramidion.studio.keeping import zip_archive

FILES = ("zip", "answers", "systems", "summaries", "workers", "topics")
"""The kinds of files that can be downloaded."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A study and what has come in."""

    study: Study
    submissions: Sequence[Submission]

    @property
    def now(self) -> Progress:
        """The progress of the phase that workers are in."""
        return progress(self.study, self.submissions)[-1]

    @property
    def judged(self) -> list[Submission]:
        """The answers to judging tasks."""
        return [submission for submission in self.submissions if submission.phase == "judging"]

    def judgements(self) -> Judgements:
        """Return the votes."""
        return Judgements(Votes.of(self.judged), self.study)

    def tasks(self) -> list[dict[str, Any]]:
        """Return every task of the phase, and how many workers it has and wants."""
        workers = Counter(submission.task for submission in self.submissions)
        return [
            {
                "topic": task.topic,
                "summary": task.summary,
                "asked": len(task.statements) or self.study.design.written,
                "had": workers[task.id],
                "wanted": task.workers,
            }
            for task in self.study.of_phase(self.study.phase)
        ]

    def statements(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """Return, by topic, every statement that is judged, with the answers to it over all summaries."""
        votes: Counter[tuple[str, str, str]] = Counter()
        for submission in self.judged:
            answers = zip(submission.asked.ids, submission.answers, strict=True)
            votes.update((submission.topic, id, letter) for id, letter in answers)
        wanted: Counter[tuple[str, str]] = Counter()
        for task in self.study.of_phase("judging"):
            wanted.update({(task.topic, id): task.workers for id in task.statements})
        return [
            (
                topic.id,
                [
                    {
                        "text": statement.text,
                        "present": votes[topic.id, statement.id, "p"],
                        "absent": votes[topic.id, statement.id, "n"],
                        "unsure": votes[topic.id, statement.id, "?"],
                        "wanted": wanted[topic.id, statement.id],
                    }
                    for statement in self.study.sampled(topic.id)
                ],
            )
            for topic in self.study.topics
            if self.study.sampled(topic.id)
        ]

    def workers(self) -> Table:
        """Return a table of how each worker judges, the most suspicious first; when writing, of what each wrote."""
        if self.judged:
            return crowd_workers(self.judgements().votes, study=self.study).table()
        by_worker: dict[str, list[Submission]] = {}
        for submission in self.submissions:
            by_worker.setdefault(submission.worker, []).append(submission)
        rows = [
            (
                worker,
                len(done),
                sum(len(submission.written) for submission in done),
                median([submission.seconds for submission in done if submission.seconds is not None] or [0.0]),
            )
            for worker, done in sorted(by_worker.items())
        ]
        return Table(("worker", "tasks", "statements", "seconds"), tuple(rows))

    def cost(self) -> dict[str, Any]:
        """Return the cost of the whole study, and of the work that has come in so far."""
        cost = study_cost(self.study)
        hours = cost.writing.hours + cost.judging.hours
        return {
            "total": dollars(cost.total),
            "paid": dollars(cost_so_far(self.study, self.submissions)),
            "hours": f"{hours:.1f}",
            "estimated": cost.estimated,
            "unpaid": not cost.total,
        }

    def scores(self) -> CrowdEvaluation:
        """Return the scores from the answers so far, with the paper's screening of workers."""
        if not self.judged:
            raise PyramidionError("Nobody has judged anything yet.", do="wait for answers")
        return crowd_scores(self.judgements())

    def file(self, kind: str) -> tuple[str, bytes]:
        """Return a file by its kind: its name and content."""
        name = self.study.name
        if kind == "zip":
            return f"{name}.zip", self._folder()
        if kind == "answers":
            phase = self.study.phase
            return f"{name}-{phase}.csv", results(self.study, phase, self.submissions)
        if kind == "topics":
            return f"{name}.jsonl", native.lines(self.scores().topics())
        if kind == "workers":
            return f"{name}-workers.csv", _csv(self.scores().workers().table(whole=True))
        if kind in ("systems", "summaries"):
            return f"{name}-{kind}.csv", _csv(self.scores().table(kind, whole=True))
        raise FormatError(f"There is no file {kind[:20]!r} here.", do=f"choose one of: {', '.join(FILES)}")

    def _folder(self) -> bytes:
        """Return the study's folder, as the command line reads it: the plan and the answers."""
        with TemporaryDirectory() as temporary:
            folder = Path(temporary) / "study"
            studies.dump(self.study, folder)
            if self.submissions:
                Store(folder).add(self.submissions, "studio")
            return zip_archive({f"study/{path.name}": path.read_bytes() for path in folder.iterdir()})


def _csv(table: Table) -> bytes:
    return render(table, "csv").encode("utf-8", "replace")
