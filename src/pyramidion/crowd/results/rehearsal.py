"""The rehearsal of a study: simulated workers do its open tasks, and their answers go into its store."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from pyramidion.base.choices import check_choices
from pyramidion.base.tables import Table, plural
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.rehearsal import Rehearsal, next_phase, rehearse
from pyramidion.crowd.study import Phase, Study
from pyramidion.errors import PyramidionError
from pyramidion.result import Result
from pyramidion.signature import Signature


@check_choices
def crowd_rehearsal(
    study: Study,
    store: Store,
    phase: Phase | None = None,
    *,
    workers: int | None = None,
    careless: float = 0.1,
    accuracy: float = 0.9,
    bias: float = 0.0,
    judge: str = "unigram",
    seed: int = 0,
) -> CrowdRehearsal:
    """Simulate all tasks of a phase that nobody has done, and store the answers; the default is the next phase.

    The settings are those of :func:`~pyramidion.crowd.rehearsal.rehearse`. A store with real answers is refused.
    """
    if store.kind() == "real":
        raise PyramidionError(
            "The study has real answers, so simulated ones cannot be added",
            str(store.path),
            f"rehearse in a copy of the study without {store.path.name}",
        )
    done = {submission.task for submission in store.submissions()}
    left = tuple(task for task in study.tasks if task.id not in done)
    # with nothing left, the phase of the whole study, which the error then names
    phase = phase or next_phase(replace(study, tasks=left or study.tasks))
    if study.of_phase(phase) and not any(task.phase == phase for task in left):
        raise PyramidionError(
            f"All {phase} tasks are rehearsed already",
            str(store.path),
            f"go on with crowd {'select' if phase == 'writing' else 'score'}, or remove the file to begin again",
        )
    settings: dict[str, Any] = {"careless": careless, "accuracy": accuracy, "bias": bias, "judge": judge, "seed": seed}
    rehearsal = rehearse(replace(study, tasks=left), phase, workers=workers, **settings)
    store.add(rehearsal.submissions, f"rehearsal, seed {seed}", simulated=True)
    parameters = tuple((name, str(value)) for name, value in settings.items())
    return CrowdRehearsal(Signature("crowd-rehearsal", parameters), rehearsal, judge, str(store.path))


@dataclass(frozen=True, slots=True)
class CrowdRehearsal(Result):
    """The answers of simulated workers, and the right answers. They are no data."""

    signature: Signature
    rehearsal: Rehearsal
    judge: str
    """The matcher that decides which answers are right."""
    store: str
    """The path of the answers."""

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a table with a row for each simulated worker, with the rates that a model of workers should find."""
        columns = ("name", "habit", "sensitivity", "specificity")
        rows = tuple(tuple(getattr(member, name) for name in columns) for member in self.rehearsal.members)
        return {"members": Table(columns, rows, "Simulated workers", signature=str(self.signature))}

    @property
    def shown(self) -> tuple[str, ...]:
        """The tables that are printed: none, only the summary is."""
        return ()

    @property
    def summary(self) -> str:
        """The tasks that were done and their outcome, in sentences."""
        rehearsal = self.rehearsal
        careless = [member.habit for member in rehearsal.members if member.habit != "careful"]
        tasks = len({submission.task for submission in rehearsal.submissions})
        if rehearsal.truth:
            truth = rehearsal.truth
            outcome = f"The truth ({self.judge}): {sum(truth.values())} of {len(truth)} items are present."
        else:
            written = sum(len(submission.written) for submission in rehearsal.submissions)
            outcome = f"{written} statements were written."
        return (
            f"{plural(len(rehearsal.members), 'simulated worker')} did {plural(tasks, f'{rehearsal.phase} task')}: "
            f"{plural(len(rehearsal.submissions), 'submission')} in {self.store}.\n"
            f"{len(careless)} of them careless{': ' if careless else ''}{', '.join(careless)}.\n"
            f"{outcome}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        rehearsal = self.rehearsal
        return {
            "simulated": True,
            "store": self.store,
            "phase": rehearsal.phase,
            "submissions": len(rehearsal.submissions),
            "members": [asdict(member) for member in rehearsal.members],
            "truth": [{**item._asdict(), "present": present} for item, present in rehearsal.truth.items()],
        }
