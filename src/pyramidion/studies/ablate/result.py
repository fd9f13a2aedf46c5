"""What the scores are worth without each relation of meaning graphs, as a table and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from textwrap import fill
from typing import Any

from pyramidion.io.tables import Cell, Table
from pyramidion.signature import Signature
from pyramidion.stats.combination import STATISTICS, Estimates
from pyramidion.stats.correlation import Statistic
from pyramidion.stats.levels import Estimate, Level
from pyramidion.studies.combine.result import LETTERS
from pyramidion.studies.result import Result
from pyramidion.studies.scores.corpus import Score


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation type, and where it occurs."""

    name: str
    spellings: tuple[str, ...]
    """As the graphs have it: op1, op2, ... of ``op``."""
    in_pyramids: int
    """Triples of it in the graphs of references, and of contributors that are a text of their own."""
    in_peers: int
    topics: tuple[str, ...]
    """Those in whose pyramids it is."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What the scores are worth without a relation."""

    relation: Relation
    changed: int
    """How many summaries have another score without it."""
    differences: Estimates
    """Correlation without it less correlation with all."""


@dataclass(frozen=True, slots=True)
class Ablation(Result):
    """Every relation's effect, that of the greatest help first."""

    signature: Signature
    score: Score
    human: str
    level: Level
    by: Statistic
    """Which statistic the effects are sorted by."""
    summaries: int
    whole: Estimates
    """With all relations."""
    effects: tuple[Effect, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """The effects; for people, without the relations that change no score."""
        return {"effects": _effects_table(self, whole)}

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        relations = []
        for effect in self.effects:
            record = asdict(effect)
            relation = record.pop("relation")
            del relation["topics"]
            relations.append({"relation": relation.pop("name"), **relation, **record})
        return {
            "signature": str(self.signature),
            "score": str(self.score),
            "human": self.human,
            "level": self.level,
            "summaries": self.summaries,
            "whole": {name: asdict(self.whole[name]) for name in STATISTICS},
            "relations": relations,
        }


def _effects_table(ablation: Ablation, whole: bool) -> Table:
    """A row for each relation: the difference of correlation without it, that of the greatest help first.

    For people, relations without which no score changes are only named, unless it is ``whole``.
    """
    shown = [effect for effect in ablation.effects if effect.changed or whole]
    idle = [effect.relation.name for effect in ablation.effects if not effect.changed]
    rows: list[tuple[Cell, ...]] = []
    for effect in shown:
        relation = effect.relation
        cells = (cell for name in STATISTICS for cell in _cells(effect.differences[name]))
        rows.append((relation.name, relation.in_pyramids, relation.in_peers, effect.changed, *cells))
    with_all = ", ".join(f"{LETTERS[name]} {_shown(ablation.whole[name].value)}" for name in STATISTICS)
    note = (
        f"Of {len(ablation.effects)} relations in the pyramids' graphs {_count(ablation, -1)} help (a negative "
        f"difference of {LETTERS[ablation.by]}), {_count(ablation, 1)} harm; {len(idle)} do not change any score"
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
        f"{ablation.score} over {ablation.summaries} summaries: {with_all} with all relations; differences without one",
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
