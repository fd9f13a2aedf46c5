"""Metrics over a corpus as tables, and as the JSON that ``metrics`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pyramidion.io.tables import Cell, Table
from pyramidion.studies.measure.study import Measured, SystemMean

__all__ = ["Score", "scores_table", "systems_table", "to_json"]

Score = Literal["recall", "precision", "f"]

_LEXICAL: dict[Score, str] = {"recall": "coverage", "precision": "quality", "f": "comprehensive"}
"""What comes nearest in the lexical pyramid."""
_ENDS = ("low", "high")
_SHORT = {"recall": "R", "precision": "P", "f": "F"}


def scores_table(measured: Measured) -> Table:
    """A row for each peer, a column for each score."""
    several = len({topic for topic, _ in measured.peers}) > 1
    scores = [(metric, score) for metric, found in measured.values.items() for score in found]
    rows: list[tuple[Cell, ...]] = []
    for place, (topic, peer) in enumerate(measured.peers):
        cells = (measured.values[metric][score][place] for metric, score in scores)
        rows.append((*([topic] if several else []), peer, *cells))
    names = (*(["topic"] if several else []), "peer")
    return Table(
        (*names, *(f"{metric} {_SHORT.get(score, score)}" for metric, score in scores)),
        tuple(rows),
        keys=(*names, *(f"{metric} {score}" for metric, score in scores)),
        signature=_signatures(measured),
    )


def systems_table(measured: Measured, score: Score = "recall") -> Table:
    """A row for each system: the mean of one score of each metric over topics, with its 95 % interval."""
    chosen = {metric: score if score in found else _LEXICAL[score] for metric, found in measured.values.items()}
    rows: list[tuple[Cell, ...]] = []
    for system, places in measured.systems().items():
        means = [measured.mean(system, metric, own) for metric, own in chosen.items()]
        rows.append(
            (system, len(places), *(cell for one in means for cell in (one.mean, *(one.interval or (None, None)))))
        )
    headings = (heading for metric, own in chosen.items() for heading in (f"{metric} {_SHORT.get(own, own)}", *_ENDS))
    return Table(
        ("system", "topics", *headings),
        tuple(rows),
        "Means over topics, with 95 % bootstrap intervals",
        keys=(
            "system",
            "topics",
            *(f"{metric} {own}{end}" for metric, own in chosen.items() for end in ("", *(f" {one}" for one in _ENDS))),
        ),
        signature=_signatures(measured),
    )


def _signatures(measured: Measured) -> str:
    return "\n".join(map(str, measured.signatures.values()))


def to_json(measured: Measured) -> dict[str, Any]:
    """Every value, and every mean with its interval."""

    def means(system: str) -> dict[str, Any]:
        return {
            metric: {score: _mean(measured.mean(system, metric, score)) for score in found}
            for metric, found in measured.values.items()
        }

    return {
        "signatures": {name: str(signature) for name, signature in measured.signatures.items()},
        "scores": [
            {"topic": topic, "peer": peer, **_at(measured.values, place)}
            for place, (topic, peer) in enumerate(measured.peers)
        ],
        "systems": [
            {"system": system, "topics": len(places), **means(system)} for system, places in measured.systems().items()
        ],
    }


def _at(values: Mapping[str, Mapping[str, Sequence[float]]], place: int) -> dict[str, dict[str, float]]:
    return {metric: {score: row[place] for score, row in found.items()} for metric, found in values.items()}


def _mean(found: SystemMean) -> dict[str, Any]:
    interval: Iterable[float] | None = found.interval
    return {"mean": found.mean, "interval": list(interval) if interval else None}
