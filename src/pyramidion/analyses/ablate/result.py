"""The worth of scores without each relation of meaning graphs, as a table and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from textwrap import fill
from typing import Any

from pyramidion.analyses.combine.result import LETTERS
from pyramidion.analyses.scores.corpus import Score
from pyramidion.base.tables import Cell, Table
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import few_note
from pyramidion.stats.combination import STATISTICS, Estimates
from pyramidion.stats.correlation import Statistic
from pyramidion.stats.levels import Estimate, Level


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation type, and where it occurs."""

    name: str
    spellings: tuple[str, ...]
    """The names in the graphs: op1, op2, ... for ``op``."""
    in_pyramids: int
    """The number of its triples in the graphs of references and of contributors with a text of their own."""
    in_peers: int
    topics: tuple[str, ...]
    """The topics whose pyramids have it."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The correlation of the scores with people when a relation is left out."""

    relation: Relation
    changed: int
    """The number of summaries whose score changes without it."""
    differences: Estimates
    """The correlation without it minus the correlation with all relations."""


@dataclass(frozen=True, slots=True)
class Ablation(Result):
    """The effect of every relation; those that help most come first."""

    signature: Signature
    score: Score
    human: str
    level: Level
    by: Statistic
    """The statistic that the effects are sorted by."""
    summaries: int
    topics: int
    whole: Estimates
    """The correlation with all relations."""
    effects: tuple[Effect, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the table of effects; without ``whole``, it leaves out relations that change no score."""
        return {"effects": _effects_table(self, whole)}

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
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
    """Make a row for each relation, with the change of correlation without it; those that help most come first.

    Relations that change no score are only named, unless the table is ``whole``.
    """
    shown = [effect for effect in ablation.effects if effect.changed or whole]
    few = few_note(ablation.topics, "topics") if ablation.topics > 1 else few_note(ablation.summaries, "summaries")
    idle = [effect.relation.name for effect in ablation.effects if not effect.changed]
    rows: list[tuple[Cell, ...]] = []
    for effect in shown:
        relation = effect.relation
        cells = (cell for name in STATISTICS for cell in _cells(effect.differences[name]))
        rows.append((relation.name, relation.in_pyramids, relation.in_peers, effect.changed, *cells))
    with_all = ", ".join(f"{LETTERS[name]} {_three_decimals(ablation.whole[name].value)}" for name in STATISTICS)
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
            *(heading for letter in LETTERS.values() for heading in (letter, "from", "to")),
        ),
        tuple(rows),
        f"{ablation.score} over {ablation.summaries} summaries: {with_all} with all relations; differences without one",
        "\n".join(filter(None, (f"{fill(f'{note}: ' + ', '.join(idle) if idle else note, 120)}.", few))),
        (
            *("relation", "in_pyramids", "in_peers", "changed"),
            *(f"{name}{end}" for name in STATISTICS for end in ("", "_low", "_high")),
        ),
        str(ablation.signature),
    )


def _count(ablation: Ablation, sign: int) -> int:
    return sum(sign * (effect.differences[ablation.by].value or 0) > 0 for effect in ablation.effects)


def _cells(estimate: Estimate) -> tuple[Cell, ...]:
    return (estimate.value, *(estimate.interval or (None, None)))


def _three_decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
