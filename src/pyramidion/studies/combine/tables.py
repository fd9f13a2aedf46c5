"""Combinations of two scores as tables (Table 1 of Steinberger et al. 2017), and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from pyramidion.io.tables import Cell, Table
from pyramidion.stats.combination import STATISTICS, Combination, Estimates, Way
from pyramidion.stats.levels import Estimate
from pyramidion.studies.combine.study import Combined

__all__ = ["LETTERS", "curve_table", "estimates_json", "gains_table", "to_json", "worth_table"]

LETTERS = {"pearson": "r", "spearman": "rho", "kendall": "tau"}
"""The statistics as tables have them."""

_COMBINED: tuple[Way, ...] = ("blind", "best", "held out")
_FEW = 10
_WAYS = """\
blind: an alpha that nobody chose; best: chosen on these very summaries, which flatters; held out: chosen on others."""


def worth_table(every: Sequence[Combined]) -> Table:
    """Each score alone, then each pair combined: blind, at its best, and with an alpha chosen on other topics."""
    rows: list[tuple[Cell, ...]] = []
    for score, estimates in _alone(every).items():
        rows.append((score, "alone", None, *_cells(estimates)))
    for one in every:
        alphas = {"blind": one.found.blind_alpha, "best": one.found.best_alpha, "held out": one.found.chosen_alpha}
        rows += ((one.name, way, alphas[way], *_cells(one.found.worth[way])) for way in _COMBINED)
    found = every[0].found
    title = f"Correlation with human scores of {found.summaries} summaries, {_level(found)}"
    return Table(
        ("score", "how", "alpha", *_headings()),
        tuple(rows),
        title,
        "\n".join([_WAYS, *map(_choice, every), *_few(every)]),
        ("score", "how", "alpha", *_keys()),
        _signatures(every),
    )


def _alone(every: Sequence[Combined]) -> dict[str, Estimates]:
    found = {str(one.first): one.found.worth["first"] for one in every}
    return {**found, str(every[0].second): every[0].found.worth["second"]}


def _level(found: Combination) -> str:
    if found.units == "peer":
        return "all of one topic; intervals over peers"
    over = {"global": "all together", "summary": "within topics, mean", "system": "systems' means"}[found.level]
    return f"{over}; intervals over topics"


def _choice(one: Combined) -> str:
    """What the folds chose, in a sentence."""
    known = [alpha for alpha in one.found.chosen if alpha is not None]
    folds = f"{len(one.found.chosen)} folds of {one.found.units}s"
    if not known:
        return f"{one.name}: no alpha could be chosen in {folds}."
    span = f"{min(known):g}" if min(known) == max(known) else f"{min(known):g} to {max(known):g} (shown: the median)"
    return f"{one.name}: {folds} chose alpha by {LETTERS[one.found.by]}: {span}."


def _few(every: Sequence[Combined]) -> list[str]:
    """A warning of intervals over few things."""
    topics = len({topic for topic, _ in every[0].peers})
    drawn = topics if every[0].found.units == "topic" else every[0].found.summaries
    return [f"Intervals over {drawn} {every[0].found.units}s are too narrow to be believed."] if drawn < _FEW else []


def gains_table(every: Sequence[Combined]) -> Table:
    """What combining adds to either score, with intervals of the difference."""
    rows: list[tuple[Cell, ...]] = []
    for one in every:
        names = {"first": str(one.first), "second": str(one.second)}
        for (way, over), estimates in one.found.gains.items():
            rows.append((one.name, way, names[over], *_cells(estimates)))
    return Table(
        ("score", "how", "less that of", *_headings()),
        tuple(rows),
        "What combining adds: differences of correlation, both drawn together",
        keys=("score", "how", "less", *_keys()),
        signature=_signatures(every),
    )


def curve_table(every: Sequence[Combined]) -> Table:
    """The correlations along alpha (Figure 2)."""
    rows = tuple(
        (one.name, alpha, *(one.found.curve[name][place] for name in STATISTICS))
        for one in every
        for place, alpha in enumerate(one.found.alphas)
    )
    title = "Correlation of alpha * first + (1 - alpha) * second with human scores"
    columns, keys = ("score", "alpha", *LETTERS.values()), ("score", "alpha", *STATISTICS)
    return Table(columns, rows, title, keys=keys, signature=_signatures(every))


def _signatures(every: Sequence[Combined]) -> str:
    return "\n".join(str(one.signature) for one in every)


def _headings() -> list[str]:
    return [heading for name in STATISTICS for heading in (LETTERS[name], "from", "to")]


def _keys() -> list[str]:
    return [f"{name}{end}" for name in STATISTICS for end in ("", "_low", "_high")]


def _cells(estimates: Estimates) -> list[Cell]:
    return [cell for name in STATISTICS for cell in (estimates[name].value, *(estimates[name].interval or (None,) * 2))]


def to_json(every: Sequence[Combined]) -> dict[str, Any]:
    """Everything, for programs."""
    return {"combinations": [_record(one) for one in every]}


def _record(one: Combined) -> dict[str, Any]:
    found = one.found
    return {
        "signature": str(one.signature),
        "first": str(one.first),
        "second": str(one.second),
        "human": one.human,
        "level": found.level,
        "scale": found.scale,
        "by": found.by,
        "summaries": found.summaries,
        "alphas": list(found.alphas),
        "curve": {name: list(found.curve[name]) for name in STATISTICS},
        "blind_alpha": found.blind_alpha,
        "best_alpha": found.best_alpha,
        "chosen_alpha": found.chosen_alpha,
        "chosen": list(found.chosen),
        "folds_of": found.units,
        "worth": {way.replace(" ", "_"): estimates_json(estimates) for way, estimates in found.worth.items()},
        "gains": [
            {"of": way.replace(" ", "_"), "over": over, **estimates_json(estimates)}
            for (way, over), estimates in found.gains.items()
        ],
        "scores": [
            {"topic": topic, "peer": peer, "first": _known(first), "second": _known(second), "human": _known(human)}
            for (topic, peer), first, second, human in zip(one.peers, *one.values, strict=True)
        ],
    }


def estimates_json(estimates: Estimates) -> dict[str, Any]:
    """Values and intervals of all statistics, for programs."""
    return {name: _estimate(estimates[name]) for name in STATISTICS}


def _estimate(one: Estimate) -> dict[str, Any]:
    return {"value": one.value, "interval": list(one.interval) if one.interval else None}


def _known(value: float) -> float | None:
    return None if isnan(value) else value
