"""A report on each worker: their judgements, the agreement of the others with them, and signs of carelessness.

Flags are hints for a person, not verdicts; only the filter (:mod:`~pyramidion.crowd.judging.filtering`) leaves workers
out.

* *disagrees*: below the filter's threshold.
* *only present*, *only not present*: that answer to 16 statements or more, in two assignments or more.
* *answers reversed*: says the opposite of what the others say, after 16 votes or more: how far the worker follows the
  others (:mod:`~pyramidion.crowd.judging.following`; 0 is chance) is clearly below 0; the flag shows the interval.
* *near chance*: a trust below .6 after 16 votes or more, and not reversed; a half is what never looking gives.
* *fails checks*: fewer than three in four attention checks answered as they should be.
* *too fast*: half of the assignments were done at more words a second, of summary and statements, than can be read. The
  default, 10, is twice what fast readers read. Words are separated by spaces: in languages without them, nobody is too
  fast.
* *answers little*: more than half of the answers blank or "cannot tell".

Trust is Dawid-Skene's (:mod:`~pyramidion.crowd.judging.dawid_skene`), learned from all votes before anybody is left
out. Workers who were never paired with anybody have neither agreement nor trust. Workers without a name share one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from pyramidion.base.choices import check_choices
from pyramidion.base.tables import Cell, Table, plural
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.judging.agreement import pairs
from pyramidion.crowd.judging.dawid_skene import dawid_skene
from pyramidion.crowd.judging.filtering import Filtered, filter_workers
from pyramidion.crowd.judging.following import ENOUGH, Following, following
from pyramidion.crowd.judging.screening import AgreementName
from pyramidion.crowd.judging.topic_agreement import agreement_of
from pyramidion.crowd.judging.votes import MISSING, Votes
from pyramidion.crowd.study import Study
from pyramidion.errors import PyramidionError
from pyramidion.result import Result
from pyramidion.signature import Signature

UNNAMED = "#"
"""The name of all workers without a name."""

_CHANCE = 0.6
"""The trust below which a worker is near chance."""
_PASSING = 0.75
"""The share of attention checks below which a worker fails them."""
_LITTLE = 0.5
"""The share of blank or undecided answers above which a worker answers little."""

_COLUMNS = {
    "worker": "worker",
    "assignments": "tasks",
    "votes": "votes",
    "present": "present",
    "agreement": "agree",
    "trust": "trust",
    "follows": "follows",
    "follows_low": "low",
    "follows_high": "high",
    "checks": "checks",
    "passed": "passed",
    "seconds": "seconds",
    "cannot_tell": "?",
    "blank": "blank",
    "dropped": "dropped",
    "flags": "flags",
}
"""The keys and headings of the columns."""
_RARE = {key: key for key in ("checks", "cannot_tell", "blank", "dropped", "flags")} | {"passed": "checks"}
"""Columns that are printed only if this column is neither 0 nor empty for some worker."""
_WHOLE = ("follows", "follows_low", "follows_high")
"""Columns that are only in CSV; people read them in the flag of those who answer reversed."""


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """One worker, or all unnamed ones."""

    worker: str
    assignments: int
    votes: int
    """The number of votes that count."""
    present: float | None
    """The share of these votes that say present."""
    agreement: float | None
    """The agreement with the others, as the filter saw it; None for a worker in no pair."""
    checks: int
    """The number of answered attention checks whose right answer is known."""
    passed: int
    seconds: float | None
    """The median time of an assignment, if it is known."""
    cannot_tell: float
    """The share of answers that are "cannot tell"."""
    blank: float
    """The share of statements without an answer."""
    trust: float | None
    """The share of right answers by Dawid-Skene, the mean over present and absent statements; guessing gives 0.5."""
    follows: float | None
    """The degree to which the answers follow those of the others: 1 always, 0 by chance, -1 reversed."""
    follows_low: float | None
    """The lower end of its 95 % interval."""
    follows_high: float | None
    dropped: int
    """The round of the filter that dropped them; 0 if they stay."""
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CrowdWorkers(Result):
    """The crowd and each worker in it."""

    signature: Signature
    workers: tuple[WorkerReport, ...]
    """The named workers, the most suspicious first: dropped, then by flags, then by agreement."""
    unnamed: WorkerReport | None
    """All workers without a name, as one; None if there are none."""
    agreement: float | None
    """The mean agreement over pairs of assignments, of all workers."""
    alpha: float | None
    """Krippendorff's alpha of all votes."""
    agreement_left: float | None
    """The mean agreement of the workers whom the filter keeps."""
    alpha_left: float | None
    rounds: int
    """The number of rounds of the filter."""

    @property
    def dropped(self) -> tuple[WorkerReport, ...]:
        """The workers that the filter drops."""
        return tuple(worker for worker in self.workers if worker.dropped)

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a table with a row for each named worker; people get rounded numbers, and only the columns in use."""
        rows: list[dict[str, Cell]] = [{**asdict(worker), "flags": "; ".join(worker.flags)} for worker in self.workers]
        if not whole:
            rows = [
                {key: round(cell, 2) if isinstance(cell, float) else cell for key, cell in row.items()} for row in rows
            ]
        kept = [key for key in _COLUMNS if whole or (key not in _WHOLE and any(_tells(row, key) for row in rows))]
        return {
            "workers": Table(
                tuple(_COLUMNS[key] for key in kept),
                tuple(tuple(row[key] for key in kept) for row in rows),
                "Workers, the most suspicious first" if rows else "",
                "\n".join([*self.summary, str(self.signature)]),
                tuple(kept),
            )
        }

    @property
    def summary(self) -> tuple[str, ...]:
        """The crowd, in sentences."""
        lines = [f"{plural(len(self.workers), 'worker')} with a name; {_crowd(self.agreement, self.alpha)}"]
        if self.dropped:
            nobody = len(self.dropped) == len(self.workers) and not self.unnamed
            left = "nobody is left" if nobody else f"{_crowd(self.agreement_left, self.alpha_left)} without them"
            lines.append(f"the filter drops {len(self.dropped)} in {plural(self.rounds, 'round')}; {left}")
        elif self.workers:
            lines.append("the filter drops nobody")
        if self.unnamed:
            work = f"{plural(self.unnamed.assignments, 'assignment')} with {plural(self.unnamed.votes, 'vote')}"
            rates = f"present {_number(self.unnamed.present)}, trust {_number(self.unnamed.trust)}"
            lines.append(f"{work} of workers without a name, who are never dropped: {rates}")
        return tuple(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {**asdict(self), "signature": str(self.signature)}


def _tells(row: dict[str, Cell], key: str) -> bool:
    return bool(row[_RARE[key]]) if key in _RARE else row[key] is not None


def _crowd(agreement: float | None, alpha: float | None) -> str:
    return f"agreement {_number(agreement)}, alpha {_number(alpha)}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


@check_choices
def crowd_workers(
    votes: Votes,
    *,
    study: Study | None = None,
    threshold: float = 0.5,
    agreement: AgreementName = "positional",
    fastest: float = 10.0,
) -> CrowdWorkers:
    """Make the report; a study has the right answers of attention checks and the texts that were read."""
    if not fastest > 0:
        raise PyramidionError(f"The reading speed is {fastest:g} words a second", do="give a number above 0")
    filtered = filter_workers(votes, threshold=threshold, agreement=agreement, all_may_go=True)
    maker = _Maker(votes, filtered, study, fastest)
    done: dict[str, list[int]] = {name: [] for name, named in zip(votes.workers, votes.named, strict=True) if named}
    nameless: list[int] = []
    for number, worker in enumerate(votes.worker.tolist()):
        # all workers without a name share one row
        done.get(votes.workers[worker], nameless).append(number)
    whole, left = agreement_of(votes), agreement_of(filtered.votes)
    return CrowdWorkers(
        Signature("crowd-workers", (("agreement", agreement), ("threshold", f"{threshold:g}"))),
        tuple(sorted((maker.report(name, numbers) for name, numbers in done.items()), key=_suspicion)),
        maker.report(UNNAMED, nameless) if nameless else None,
        pairs(votes, agreement).mean,
        whole.alpha,
        filtered.pairwise,
        left.alpha,
        filtered.rounds,
    )


def _suspicion(worker: WorkerReport) -> tuple[bool, int, float, str]:
    # agreement is at most 1, so workers in no pair come last
    return not worker.dropped, -len(worker.flags), 2.0 if worker.agreement is None else worker.agreement, worker.worker


class _Maker:
    """The data from which the rows of a report are made."""

    def __init__(self, votes: Votes, filtered: Filtered, study: Study | None, fastest: float) -> None:
        """Count the votes of each assignment, and look up right answers and texts."""
        self.votes, self.filtered = votes, filtered
        self.fastest = fastest
        self.trust = dawid_skene(votes).trust
        self.following = following(votes)
        answered = votes.answer != MISSING
        count = len(votes.assignments)
        self.given = np.bincount(votes.assignment[answered], minlength=count)
        self.present = np.bincount(votes.assignment[votes.answer == 1], minlength=count)
        self.expected: dict[tuple[str, str], str] = {}
        self.texts, self.words = dict(votes.texts), dict(votes.words)
        if study is not None:
            self.expected = {(task.id, check.id): check.expected for task in study.tasks for check in task.checks}
            self.texts |= {(topic.id, peer.id): peer.text for topic in study.topics for peer in topic.peers}
            self.words |= {(statement.topic, statement.id): statement.text for statement in study.statements}
        self.length: dict[tuple[str, str, tuple[str, ...]], int] = {}

    def report(self, name: str, numbers: Sequence[int]) -> WorkerReport:
        """Return the row of a worker who has the assignments of these numbers."""
        done = [self.votes.assignments[number] for number in numbers]
        votes, present = int(self.given[numbers].sum()), int(self.present[numbers].sum())
        checked = [
            answer == self.expected[submission.task, check]
            for submission in done
            for check, answer in submission.checks
            if (submission.task, check) in self.expected
        ]
        letters = "".join(submission.answers for submission in done)
        agreement = self.filtered.agreement.get(name)
        # of a worker who is paired with nobody, the model knows only its prior
        trust = self.trust.get(name) if agreement is not None or name == UNNAMED else None
        follows = self.following.get(name)
        dropped = self.filtered.dropped.get(name, 0)
        asked = max(1, len(letters))
        times = [submission.seconds for submission in done if submission.seconds is not None]
        flags = (
            "disagrees" if dropped else "",
            self._alike(done, votes, present) if name != UNNAMED else "",
            self._below_chance(follows, trust, votes),
            "fails checks" if sum(checked) < _PASSING * len(checked) else "",
            self._fast(done),
            "answers little" if letters.count("?") + letters.count("-") > _LITTLE * asked else "",
        )
        return WorkerReport(
            name,
            len(done),
            votes,
            round(present / votes, 12) if votes else None,
            agreement,
            len(checked),
            sum(checked),
            float(median(times)) if times else None,
            round(letters.count("?") / asked, 12),
            round(letters.count("-") / asked, 12),
            trust,
            follows.value if follows else None,
            follows.low if follows else None,
            follows.high if follows else None,
            dropped,
            tuple(filter(None, flags)),
        )

    @staticmethod
    def _below_chance(follows: Following | None, trust: float | None, votes: int) -> str:
        if follows and follows.is_reversed:
            return f"answers reversed: {follows}"
        return "near chance" if trust is not None and trust < _CHANCE and votes >= ENOUGH else ""

    def _alike(self, done: Sequence[Submission], votes: int, present: int) -> str:
        if votes < ENOUGH or len(done) < 2 or present not in (0, votes):
            return ""
        return "only present" if present else "only not present"

    def _fast(self, done: Sequence[Submission]) -> str:
        speeds = [
            self._words_shown(submission) / max(1.0, submission.seconds)
            for submission in done
            if submission.seconds is not None
        ]
        usual = median(speeds) if speeds else 0.0
        return f"too fast: {usual:.0f} words a second" if usual > self.fastest else ""

    def _words_shown(self, submission: Submission) -> int:
        key = submission.topic, submission.summary, submission.asked.ids
        if key not in self.length:
            shown = [
                self.texts.get(key[:2], ""),
                *(self.words.get((submission.topic, id), "") for id in submission.asked.ids),
            ]
            self.length[key] = sum(len(text.split()) for text in shown)
        return self.length[key]
