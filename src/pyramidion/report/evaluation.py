"""An evaluation as tables and as the JSON that ``score`` and ``evaluate`` print."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pyramidion.report.explain import explain
from pyramidion.report.table import Cell, Table
from pyramidion.run.evaluate import QUANTITIES, Evaluation, Scored, System
from pyramidion.score import Scores

__all__ = ["explanation_lines", "scores_table", "systems_table", "to_json"]

SHOWN = ("raw", "max_for_size", "quality", "max_for_average", "coverage", "comprehensive", "precision", "recall")
COUNTS = ("scus", "repeated", "unmatched")
HEADINGS = {
    "scus": "SCUs", "repeated": "rep.", "unmatched": "D0", "max_for_size": "Max(X)", "max_for_average": "Max(Xa)",
    "comprehensive": "compreh.", "precision": "prec.",
}  # fmt: skip


def _annotated_by(evaluation: Evaluation) -> bool:
    return any(one.scores.annotator for one in evaluation.results)


def scores_table(evaluation: Evaluation) -> Table:
    """One row a summary: what it was scored, and what the scores were made of."""
    names = (*COUNTS, *SHOWN)
    annotators = ("annotator",) if _annotated_by(evaluation) else ()
    fields = ("topic", "summary", *annotators, *names)
    rows: list[tuple[Cell, ...]] = [tuple(getattr(one.scores, name) for name in fields) for one in evaluation.results]
    return Table(tuple(HEADINGS.get(name, name) for name in fields), tuple(rows), "", str(evaluation.signature), fields)


def systems_table(evaluation: Evaluation) -> Table:
    """One row a system: its means over topics, and the interval of its mean coverage."""
    rows: list[tuple[Cell, ...]] = []
    for system in evaluation.systems:
        interval = system.intervals["coverage"] or (None, None)
        rows.append((system.summary, system.n, *(system.means[quantity] for quantity in QUANTITIES), *interval))
    columns = ("system", "topics", *(HEADINGS.get(name, name) for name in QUANTITIES), "95 % from", "to")
    keys = ("system", "topics", *QUANTITIES, "coverage_low", "coverage_high")
    title = "Means over topics, with the 95 % interval of coverage"
    return Table(columns, tuple(rows), title, str(evaluation.signature), keys)


def _score_record(one: Scored, explained: bool) -> dict[str, Any]:
    scores = one.scores
    record: dict[str, Any] = {"topic": scores.topic, "summary": scores.summary}
    record |= {
        name: getattr(scores, name) for name in (*QUANTITIES, "scus", "unmatched", "max_for_size", "max_for_average")
    }
    record |= {name: getattr(scores, name) for name in ("average_scus", "repeated", "size", "annotator", "role")}
    if scores.pyramids == 1:
        record["tiers"] = [
            {"weight": weight, "expressed": count, "scus": size} for weight, (count, size) in scores.tiers.items()
        ]
    else:
        record["pyramids"] = scores.pyramids
    if explained:
        told = explain(one.pyramid, one.annotation, one.scores.settings)
        record["explanation"] = asdict(told)
    return record


def _system_record(system: System) -> dict[str, Any]:
    intervals = {name: None if interval is None else list(interval) for name, interval in system.intervals.items()}
    return {"summary": system.summary, "role": system.role, "n": system.n, **system.means, "intervals": intervals}


def to_json(evaluation: Evaluation, *, explained: bool = False) -> dict[str, Any]:
    """The machine-readable result."""
    return {
        "signature": str(evaluation.signature),
        "scores": [_score_record(one, explained) for one in evaluation.results],
        "systems": [_system_record(system) for system in evaluation.systems],
    }


def _arithmetic(scores: Scores) -> str:
    """The two main scores with the ratios they are; a mean of ratios is none."""
    if scores.pyramids > 1:
        return f"mean over {scores.pyramids} pyramids: coverage {scores.coverage:.4f}, quality {scores.quality:.4f}"
    return (
        f"coverage {scores.coverage:.4f} = {scores.raw:g} / {scores.max_for_average:g}, "
        f"quality {scores.quality:.4f} = {scores.raw:g} / {scores.max_for_size:g}"
    )


def explanation_lines(one: Scored) -> list[str]:
    """The explanation of one score, for reading."""
    told = explain(one.pyramid, one.annotation, one.scores.settings)
    scores = one.scores
    lines = [f"{scores.topic} / {scores.summary}: {_arithmetic(scores)}"]
    for scu in told.expressed:
        times = f" (said {len(scu.words)} times)" if len(scu.words) > 1 else ""
        lines.append(f"  + [{scu.weight}] {scu.label}{times}")
        lines += (
            f"        \N{LEFT DOUBLE QUOTATION MARK}{words}\N{RIGHT DOUBLE QUOTATION MARK}" for words in scu.words
        )
    lines += (f"  - [{scu.weight}] {scu.label}" for scu in told.missed)
    lines += (f"  ? {words}" for words in told.unmatched)
    return lines
