"""Effects of relations as a table, and as the JSON that ``ablate`` prints."""

from __future__ import annotations

from textwrap import fill
from typing import Any

from pyramidion.io.tables import Cell, Table
from pyramidion.stats.combination import STATISTICS
from pyramidion.stats.levels import Estimate
from pyramidion.studies.ablate.study import Ablation
from pyramidion.studies.combine.tables import LETTERS, estimates_json

__all__ = ["ablation_table", "to_json"]


def ablation_table(ablation: Ablation, *, every_row: bool = False) -> Table:
    """A row for each relation: the difference of correlation without it, that of the greatest help first.

    For people, relations without which no score changes are only named, unless ``every_row``.
    """
    shown = [effect for effect in ablation.effects if effect.changed or every_row]
    idle = [effect.relation.name for effect in ablation.effects if not effect.changed]
    rows: list[tuple[Cell, ...]] = []
    for effect in shown:
        relation = effect.relation
        cells = (cell for name in STATISTICS for cell in _cells(effect.differences[name]))
        rows.append((relation.name, relation.in_pyramids, relation.in_peers, effect.changed, *cells))
    with_all = ", ".join(f"{LETTERS[name]} {_shown(ablation.whole[name].value)}" for name in STATISTICS)
    note = (
        f"Of {len(ablation.effects)} relations in the pyramids' graphs {_count(ablation, -1)} help (a negative "
        f"difference of {LETTERS[ablation.by]}), {_count(ablation, 1)} harm; {len(idle)} change no score"
    )
    return Table(
        (
            "without",
            "in pyramids",
            "in peers",
            "changed",
            *(h for one in LETTERS.values() for h in (one, "from", "to")),
        ),
        tuple(rows),
        f"{ablation.score} over {ablation.summaries} summaries: {with_all} with all relations; the difference without",
        f"{fill(f'{note}: ' + ', '.join(idle) if idle else note, 120)}.",
        (
            *("relation", "in_pyramids", "in_peers", "changed"),
            *(f"{name}{end}" for name in STATISTICS for end in ("", "_low", "_high")),
        ),
        str(ablation.signature),
    )


def _count(ablation: Ablation, sign: int) -> int:
    return sum(sign * (effect.differences[ablation.by].value or 0) > 0 for effect in ablation.effects)


def _cells(one: Estimate) -> tuple[Cell, ...]:
    return (one.value, *(one.interval or (None, None)))


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def to_json(ablation: Ablation) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "signature": str(ablation.signature),
        "score": str(ablation.score),
        "human": ablation.human,
        "level": ablation.level,
        "summaries": ablation.summaries,
        "whole": estimates_json(ablation.whole),
        "relations": [
            {
                "relation": effect.relation.name,
                "spellings": list(effect.relation.spellings),
                "in_pyramids": effect.relation.in_pyramids,
                "in_peers": effect.relation.in_peers,
                "changed": effect.changed,
                "differences": estimates_json(effect.differences),
            }
            for effect in ablation.effects
        ],
    }
