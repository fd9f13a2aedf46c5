"""A study's cost for people and machines."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from pyramidion.crowd.cost import FAIR_PAY, Cost, PhaseCost, dollars, underpaid
from pyramidion.crowd.design import Design
from pyramidion.errors import InputWarning
from pyramidion.io.tables import Cell, Table, TableFormat, plural

COLUMNS = ("", "tasks", "assignments", "hours", "$ per hour", "rewards $", "fees $", "total $")
KEYS = ("what", "tasks", "assignments", "hours", "pay_per_hour", "rewards", "fees", "total")


def warn_of_pay(cost: Cost, design: Design, fair_pay: int | None) -> None:
    """Say where the pay is below what is fair."""
    least = FAIR_PAY[design.platform] if fair_pay is None else fair_pay
    for one in underpaid(cost, least):
        minutes = design.writing_minutes if one.phase == "writing" else design.judging_minutes
        warnings.warn(
            f"{one.phase} pays {dollars(one.pay_per_hour or 0)} an hour if a task takes {minutes:g} minutes, less than "
            f"{dollars(least)} (--fair-pay); --{one.phase}-reward {-(-least * minutes // 60):.0f} would reach it",
            InputWarning,
            stacklevel=2,
        )


def cost_json(cost: Cost, design: Design) -> dict[str, Any]:
    """Everything, for machines."""
    return {"currency": "US cents", **asdict(cost), "design": asdict(design)}


def cost_table(cost: Cost, design: Design, title: str) -> Table:
    """By phase, and per topic and system."""
    means = (
        ("per topic (writing)", cost.per_topic),
        ("per system and topic (judging)", cost.per_system_and_topic),
        ("per system (judging)", cost.per_system),
    )
    rows = (
        phase_row(cost.writing, "writing"),
        phase_row(cost.judging, "judging"),
        sum_row((cost.writing, cost.judging), "both"),
        *((name, None, None, None, None, None, None, cents / 100) for name, cents in means),
    )
    return Table(COLUMNS, rows, title, f"{_in_words(design, cost)}{estimate(cost)}", KEYS)


def money(table: Table, format: TableFormat) -> Table:
    """The table with dollars in two decimals, right-aligned; CSV keeps the numbers."""
    if format == "csv":
        return table
    columns = list(zip(*table.rows, strict=True))
    for number in range(4, len(columns)):
        shown = [f"{cell:,.2f}" if isinstance(cell, float) else "-" for cell in columns[number]]
        width = max(map(len, (table.columns[number], *shown)))
        columns[number] = tuple(cell.rjust(width) for cell in shown)
    heads = (*table.columns[:4], *(name.rjust(len(str(columns[4 + n][0]))) for n, name in enumerate(table.columns[4:])))
    return replace(table, columns=heads, rows=tuple(zip(*columns, strict=True)))


def phase_row(one: PhaseCost, name: str) -> tuple[Cell, ...]:
    """A phase as a row of :data:`COLUMNS`."""
    pay = None if one.pay_per_hour is None or not one.tasks else one.pay_per_hour / 100
    money = (one.rewards / 100, one.fees / 100, one.total / 100)
    return (name, one.tasks, one.assignments, round(one.hours, 2), pay and round(pay, 2), *money)


def sum_row(phases: Sequence[PhaseCost], name: str) -> tuple[Cell, ...]:
    """The sum of several phases."""
    tasks, assignments = sum(one.tasks for one in phases), sum(one.assignments for one in phases)
    money = (sum(one.rewards for one in phases), sum(one.fees for one in phases), sum(one.total for one in phases))
    return (name, tasks, assignments, round(sum(one.hours for one in phases), 2), None, *(one / 100 for one in money))


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


def estimate(cost: Cost) -> str:
    """What to add where not every task is known."""
    return "\nJudging is an estimate until statements are selected." if cost.estimated else ""
