"""The workers of a crowd evaluation as a table and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pyramidion.crowd.judging.workers import CrowdReport, WorkerReport
from pyramidion.io.tables import Cell, Table, plural

__all__ = ["summary", "table", "to_json"]

_COLUMNS = {
    "worker": "worker",
    "assignments": "tasks",
    "votes": "votes",
    "present": "present",
    "agreement": "agree",
    "trust": "trust",
    "checks": "checks",
    "passed": "passed",
    "seconds": "seconds",
    "cannot_tell": "?",
    "blank": "blank",
    "dropped": "dropped",
    "flags": "flags",
}
"""Keys and headings."""
_RARE = {key: key for key in ("checks", "cannot_tell", "blank", "dropped", "flags")} | {"passed": "checks"}
"""Columns for people only where, for somebody, this one is not 0 or empty."""


def table(found: CrowdReport, whole: bool) -> Table:
    """A row per named worker: ``whole`` for machines, else rounded and without columns in which nothing is told."""
    rows = [_cells(one) for one in found.workers]
    if not whole:
        rows = [{key: _rounded(cell) for key, cell in row.items()} for row in rows]
    kept = [key for key in _COLUMNS if whole or any(_tells(row, key) for row in rows)]
    return Table(
        tuple(_COLUMNS[key] for key in kept),
        tuple(tuple(row[key] for key in kept) for row in rows),
        "Workers, the most suspicious first",
        summary(found),
        tuple(kept),
    )


def _cells(one: WorkerReport) -> dict[str, Cell]:
    return {**asdict(one), "flags": "; ".join(one.flags)}


def _tells(row: dict[str, Cell], key: str) -> bool:
    return bool(row[_RARE[key]]) if key in _RARE else row[key] is not None


def _rounded(cell: Cell) -> Cell:
    return round(cell, 2) if isinstance(cell, float) else cell


def summary(found: CrowdReport) -> str:
    """What the crowd is like, in lines."""
    gone = len(found.dropped)
    lines = [f"{plural(len(found.workers), 'worker')} with a name; {_crowd(found.agreement, found.alpha)}"]
    if gone:
        left = f"{_crowd(found.agreement_left, found.alpha_left)} without them"
        nobody = gone == len(found.workers) and not found.unnamed
        lines.append(
            f"the filter drops {gone} in {plural(found.rounds, 'round')}; {'nobody is left' if nobody else left}"
        )
    elif found.workers:
        lines.append("the filter drops nobody")
    if found.unnamed:
        one = found.unnamed
        lines.append(
            f"{plural(one.assignments, 'assignment')} with {plural(one.votes, 'vote')} of workers without a name, "
            f"who are never dropped: present {_number(one.present)}, trust {_number(one.trust)}"
        )
    return "\n".join([*lines, str(found.signature)])


def _crowd(agreement: float | None, alpha: float | None) -> str:
    return f"agreement {_number(agreement)}, alpha {_number(alpha)}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def to_json(found: CrowdReport) -> dict[str, Any]:
    """The report for machines."""
    return {**asdict(found), "signature": str(found.signature)}
