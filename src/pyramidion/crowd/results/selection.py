"""The statements that are judged, selected from everything that writers wrote (Shapira et al. 2019 §3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pyramidion.base.tables import Cell, Table, plural
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.statements.drafts import Rules, open_topics
from pyramidion.crowd.statements.review import Decision, Draft
from pyramidion.crowd.statements.select import Selection, propose, select
from pyramidion.crowd.study import Study
from pyramidion.result import Result
from pyramidion.signature import Signature


def crowd_selection(
    study: Study,
    submissions: Iterable[Submission],
    rules: Rules,
    *,
    decisions: Sequence[Decision] | None = None,
    again: bool = False,
    folder: str = "",
) -> CrowdSelection:
    """Select the statements of every topic that has none; ``decisions`` are a reviewer's, ``folder`` is the study's."""
    selection = select(study, submissions, rules, decisions=decisions, again=again)
    return CrowdSelection(_signature(study, rules), selection, folder)


def review_list(
    study: Study, submissions: Iterable[Submission], rules: Rules, *, again: bool = False, file: str = ""
) -> ReviewList:
    """Return the statements before the selection, for a person to review; ``file`` is the path of the list."""
    _, drafts = propose(study, submissions, rules, again=again)
    return ReviewList(_signature(study, rules), drafts, file)


def _signature(study: Study, rules: Rules) -> Signature:
    settings = {**asdict(rules), "seed": study.design.seed}
    return Signature("crowd-select", tuple((name, str(value)) for name, value in settings.items() if value is not None))


@dataclass(frozen=True, slots=True)
class CrowdSelection(Result):
    """The study with its statements, and how many were written, dropped, kept and sampled."""

    signature: Signature
    selection: Selection
    folder: str
    """The study's folder; empty if it has none."""

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a table with a row for each topic."""
        counts = self.selection.counts
        reasons = sorted({reason for count in counts for reason in count.dropped})
        rows: list[tuple[Cell, ...]] = []
        for topic in dict.fromkeys(count.topic for count in counts):
            of_topic = [count for count in counts if count.topic == topic]
            dropped = (sum(count.dropped.get(reason, 0) for count in of_topic) for reason in reasons)
            written, kept, sampled = (
                sum(getattr(count, field) for count in of_topic) for field in ("written", "kept", "sampled")
            )
            rows.append((topic, len(of_topic), written, *dropped, kept, sampled))
        return {"topics": Table(("topic", "references", "written", *reasons, "kept", "sampled"), tuple(rows))}

    @property
    def summary(self) -> str:
        """The number of statements that are kept, on average and in all, in a sentence."""
        counts = self.selection.counts
        written, kept, sampled = (
            sum(getattr(count, field) for count in counts) for field in ("written", "kept", "sampled")
        )
        topics = len({count.topic for count in counts})
        return (
            f"{kept} of {plural(written, 'statement')} kept: {kept / len(counts):.1f} a reference, "
            f"{kept / topics:.1f} a topic; {sampled} sampled."
        )

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        study = self.selection.study
        return {
            "study": self.folder or None,
            "rules": asdict(self.selection.rules),
            "seed": study.design.seed,
            "counts": [asdict(count) for count in self.selection.counts],
            "doubtful": [
                {"topic": draft.statement.topic, "statement": draft.statement.id, "why": draft.doubt}
                for draft in self.selection.drafts
                if draft.doubt
            ],
            "judging_tasks": len(study.of_phase("judging")),
            "waiting": [topic.id for topic in open_topics(study)],
        }


@dataclass(frozen=True, slots=True)
class ReviewList(Result):
    """Every statement, kept or dropped by the rules, before a person decides."""

    signature: Signature
    drafts: tuple[Draft, ...]
    file: str

    @property
    def dropped(self) -> int:
        """The number of statements that the rules drop."""
        return sum(bool(draft.statement.dropped) for draft in self.drafts)

    @property
    def summary(self) -> str:
        """The number of statements in the list, in a sentence."""
        return f"{plural(len(self.drafts), 'statement')}, {self.dropped} of them to be dropped, in {self.file}."

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a table with one row: the file and its numbers of statements."""
        return {"review": Table(("review", "statements", "dropped"), ((self.file, len(self.drafts), self.dropped),))}

    @property
    def shown(self) -> tuple[str, ...]:
        """The tables that are printed: none, only the summary is."""
        return ()

    def to_json(self) -> dict[str, Any]:
        """Return the row of the table as a dictionary for JSON."""
        return self.rows()[0]
