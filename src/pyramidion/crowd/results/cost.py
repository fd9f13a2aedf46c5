"""The cost of a crowd evaluation, as numbers, as a plan, or as an extension of one (Shapira et al. 2019 §4).

:mod:`~pyramidion.crowd.cost` has the arithmetic; here are its results as tables and JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pyramidion.base.tables import Cell, Table, plural
from pyramidion.crowd.assignment import workers_needed
from pyramidion.crowd.cost import Cost, PhaseCost, added_cost, cost_of, dollars, study_cost
from pyramidion.crowd.design import Design
from pyramidion.crowd.study import Study
from pyramidion.result import Result
from pyramidion.signature import Signature

_COLUMNS = ("", "tasks", "assignments", "hours", "$ per hour", "rewards $", "fees $", "total $")
_KEYS = ("what", "tasks", "assignments", "hours", "pay_per_hour", "rewards", "fees", "total")
_MONEY = 4
"""The first column with dollars."""


def crowd_cost(design: Design, *, topics: int, systems: int, references: int = 4) -> CrowdCost:
    """Return the cost of judging a number of systems on a number of topics, each with a number of references."""
    return CrowdCost(_signature(design), design, cost_of(design, topics=topics, references=references, systems=systems))


def planned_cost(study: Study) -> CrowdCost:
    """Return the cost of a study; topics without selected statements are estimated from the design."""
    return CrowdCost(_signature(study.design), study.design, study_cost(study))


def crowd_plan(study: Study, folder: str = "") -> CrowdPlan:
    """Return the size, the workers and the cost of a planned study in ``folder``."""
    return CrowdPlan(_signature(study.design), study, study_cost(study), folder)


def crowd_extension(before: Study, after: Study) -> CrowdExtension:
    """Return what an extension adds to a study, and its cost."""
    return CrowdExtension(_signature(after.design), before, after, study_cost(before), study_cost(after))


def _signature(design: Design) -> Signature:
    fields = asdict(design).items()
    return Signature("crowd-cost", tuple((name, str(value)) for name, value in fields if value is not None))


@dataclass(frozen=True, slots=True)
class CrowdCost(Result):
    """The cost of both phases, and per topic and system."""

    signature: Signature
    design: Design
    cost: Cost

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the cost of the phases, and the means per topic and system; dollars are rounded unless ``whole``."""
        return {"cost": _cost_table(self.cost, self.design, "What it costs", whole)}

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return _cost_json(self.cost, self.design)


@dataclass(frozen=True, slots=True)
class CrowdPlan(Result):
    """A planned study before anything is spent."""

    signature: Signature
    study: Study
    cost: Cost
    folder: str

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a table of its cost, by phase."""
        study, place = self.study, f" in {self.folder}" if self.folder else ""
        title = (
            f"Study {study.name!r}{place}: {plural(len(study.topics), 'topic')}, "
            f"{plural(self._references, 'reference')}, {plural(len(study.systems), 'system')}"
        )
        return {"cost": _cost_table(self.cost, study.design, title, whole)}

    @property
    def workers_needed(self) -> dict[str, int]:
        """Return the fewest workers of each phase; the last number holds if nobody may meet a statement twice."""
        return {
            "writing": workers_needed(self.study, "writing"),
            "judging": workers_needed(self.study, "judging"),
            "judging_distinct_statements": workers_needed(self.study, "judging", "statement"),
        }

    @property
    def _references(self) -> int:
        return sum(len(topic.references) for topic in self.study.topics)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        study = self.study
        peers = [peer for topic in study.topics for peer in topic.peers]
        return {
            "study": study.name,
            "folder": self.folder,
            "topics": len(study.topics),
            "references": self._references,
            "systems": study.systems,
            "summaries": len(peers),
            "empty": sum(not peer.text.strip() for peer in peers),
            "statements": sum(statement.sampled for statement in study.statements),
            "workers_at_least": self.workers_needed,
            "cost": _cost_json(self.cost, study.design),
        }


@dataclass(frozen=True, slots=True)
class CrowdExtension(Result):
    """A study before and after systems or topics were added."""

    signature: Signature
    before: Study
    after: Study
    cost_before: Cost
    cost: Cost

    @property
    def added(self) -> tuple[PhaseCost, PhaseCost]:
        """The additional cost of each phase."""
        return (
            added_cost(self.cost_before.writing, self.cost.writing),
            added_cost(self.cost_before.judging, self.cost.judging),
        )

    @property
    def systems(self) -> list[str]:
        """The new systems."""
        return sorted(set(self.after.systems) - set(self.before.systems))

    @property
    def topics(self) -> list[str]:
        """The new topics."""
        return [topic.id for topic in self.after.topics[len(self.before.topics) :]]

    @property
    def shown(self) -> tuple[str, ...]:
        """The tables that are printed: none if nothing was added."""
        return ("cost",) if self.after != self.before else ()

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a table of what the extension costs, by phase."""
        new = [*(f"topic {id!r}" for id in self.topics), *(f"system {name!r}" for name in self.systems)]
        title = f"Study {self.after.name!r}: new {', '.join(new) or 'are no topics and no systems'}"
        rows = (*(_phase_row(phase, phase.phase) for phase in self.added), _sum_row(self.added, "all that is added"))
        caption = f"The whole study now costs {dollars(self.cost.total)}.{_estimate(self.cost)}"
        return {"cost": _money(rows, title, caption, whole)}

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {
            "study": self.after.name,
            "systems": self.systems,
            "topics": self.topics,
            "tasks": [task.id for task in self.after.tasks[len(self.before.tasks) :]],
            "added": {phase.phase: asdict(phase) for phase in self.added},
            "cost": _cost_json(self.cost, self.after.design),
        }


def _cost_json(cost: Cost, design: Design) -> dict[str, Any]:
    return {"currency": "US cents", **asdict(cost), "design": asdict(design)}


def _cost_table(cost: Cost, design: Design, title: str, whole: bool) -> Table:
    """Make a table with the phases, their sum, and the means per topic and system."""
    means = (
        ("per topic (writing)", cost.per_topic),
        ("per system and topic (judging)", cost.per_system_and_topic),
        ("per system (judging)", cost.per_system),
    )
    rows = (
        _phase_row(cost.writing, "writing"),
        _phase_row(cost.judging, "judging"),
        _sum_row((cost.writing, cost.judging), "both"),
        *((name, *[None] * (len(_COLUMNS) - 2), cents / 100) for name, cents in means),
    )
    return _money(rows, title, f"{_in_words(design, cost)}{_estimate(cost)}", whole)


def _money(rows: Iterable[tuple[Cell, ...]], title: str, caption: str, whole: bool) -> Table:
    """Make a table of :data:`_COLUMNS`; unless ``whole``, dollars have two decimals and are right-aligned."""
    if whole:
        return Table(_COLUMNS, tuple(rows), title, caption, _KEYS)
    # column by column, so that each is as wide as its widest cell
    columns = list(zip(_COLUMNS, *rows, strict=True))
    for number in range(_MONEY, len(columns)):
        heading, *cells = columns[number]
        shown = [heading, *(f"{cell:,.2f}" if isinstance(cell, float) else "-" for cell in cells)]
        width = max(len(str(cell)) for cell in shown)
        columns[number] = tuple(str(cell).rjust(width) for cell in shown)
    headings, *lines = zip(*columns, strict=True)
    return Table(tuple(map(str, headings)), tuple(lines), title, caption, _KEYS)


def _phase_row(phase: PhaseCost, name: str) -> tuple[Cell, ...]:
    pay = None if phase.pay_per_hour is None or not phase.tasks else round(phase.pay_per_hour / 100, 2)
    money = (phase.rewards / 100, phase.fees / 100, phase.total / 100)
    return (name, phase.tasks, phase.assignments, round(phase.hours, 2), pay, *money)


def _sum_row(phases: Sequence[PhaseCost], name: str) -> tuple[Cell, ...]:
    hours = round(sum(phase.hours for phase in phases), 2)
    tasks, assignments, *cents = (
        sum(getattr(phase, field) for phase in phases) for field in ("tasks", "assignments", "rewards", "fees", "total")
    )
    return (name, tasks, assignments, hours, None, *(amount / 100 for amount in cents))


def _in_words(design: Design, cost: Cost) -> str:
    writing = (
        f"Writing: {plural(design.writers, 'worker')} a reference, {plural(design.written, 'statement')} each, "
        f"{dollars(design.writing_reward)} for {design.writing_minutes:g} minutes.\n"
    )
    judging = (
        f"Judging: {plural(design.sample, 'statement')} a topic, {design.per_task} a task, "
        f"{plural(design.workers, 'worker')}, {dollars(design.judging_reward)} for {design.judging_minutes:g} minutes."
    )
    fee = f"{design.fee:.1%} of each reward" if design.fee is not None else f"those of {design.platform}"
    return f"{writing if cost.writing.tasks else ''}{judging} Fees: {fee}."


def _estimate(cost: Cost) -> str:
    return "\nJudging is an estimate until statements are selected." if cost.estimated else ""
