"""Stability of scores as tables (Tables I and II of Nenkova et al. 2007), and as the JSON of ``stability``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pyramidion.io.tables import Cell, Table, plural
from pyramidion.stats.stability import Errors, Ranking, Spread
from pyramidion.studies.stability.study import Study

__all__ = ["errors_table", "pairs_table", "scores_table", "to_json"]


def _error_row(topic: str, errors: Errors, ranking: Ranking | None) -> tuple[Cell, ...]:
    return (
        topic,
        errors.size,
        errors.p1,
        errors.p2,
        errors.p3,
        errors.p,
        errors.observations,
        ranking.mean if ranking else None,
        ranking.pyramids if ranking else 0,
        ranking.undefined if ranking else 0,
    )


def errors_table(study: Study) -> Table:
    """Tables I and II of the paper side by side, for each topic and for all together."""
    rows = [
        _error_row(one.topic, row, {rank.size: rank for rank in one.found.rankings}.get(row.size))
        for one in study.topics
        for row in one.found.errors
    ]
    if len(study.topics) > 1:
        ranks = {rank.size: rank for rank in study.rankings}
        rows += (_error_row("all topics", row, ranks.get(row.size)) for row in study.errors)
    title = (
        f"Errors and rankings of {study.quantity} against the whole pyramid, by number of references; "
        f"threshold {study.threshold:g}"
    )
    if study.divergence is None:
        divergence = "No pair of summaries is more than 0.1 apart."
    else:
        pairs = plural(study.diverging, "pair")
        divergence = f"Mean point of divergence of the {pairs} more than 0.1 apart: {study.divergence:.1f} references."
    caption = f"{study.need}\n{divergence}"
    columns = ("topic", "n", "p1", "p2", "p3", "p", "data points", "mean r_s", "pyramids", "undefined")
    keys = ("topic", "size", "p1", "p2", "p3", "p", "observations", "spearman", "pyramids", "undefined")
    return Table(columns, tuple(rows), title, caption, keys, str(study.signature))


def scores_table(study: Study, *, every_column: bool = False) -> Table:
    """The range of each summary's scores by size (Figure 2); with ``every_column``, one row a size with all numbers."""
    if every_column:
        rows: list[tuple[Cell, ...]] = [
            (one.topic, name, *asdict(spread).values())
            for one in study.topics
            for name, spreads in zip(one.found.summaries, one.found.spreads, strict=True)
            for spread in spreads
        ]
        names = ("size", "pyramids", "minimum", "lower", "median", "upper", "maximum", "mean")
        return Table(("topic", "summary", *names), tuple(rows), signature=str(study.signature))
    sizes = sorted({spread.size for one in study.topics for spread in one.found.spreads[0]})
    shown = []
    for one in study.topics:
        found = one.found
        for index in sorted(range(len(found.summaries)), key=lambda i: (-found.scores[i], found.summaries[i])):
            ranges = {spread.size: _range(spread) for spread in found.spreads[index]}
            shown.append((one.topic, found.summaries[index], *(ranges.get(size, "") for size in sizes)))
    title = f"Lowest and highest {study.quantity} over the pyramids of each number of references"
    return Table(("topic", "summary", *map(str, sizes)), tuple(shown), title, signature=str(study.signature))


def _range(spread: Spread) -> str:
    low, high = f"{spread.minimum:.2f}", f"{spread.maximum:.2f}"
    return low if spread.pyramids == 1 else f"{low}-{high}"


def pairs_table(study: Study) -> Table:
    """All pairs that the whole pyramid tells apart, with the sizes from which on smaller ones do."""
    rows = tuple(
        (one.topic, pair.better, pair.worse, pair.difference, pair.divergence, pair.settled)
        for one in study.topics
        for pair in one.found.pairs
    )
    title = f"From how many references on {study.quantity} tells two summaries apart"
    caption = (
        "divergence: every score of the better is above every score of the worse; "
        "settled: no pyramid ranks them otherwise."
    )
    columns = ("topic", "better", "worse", "difference", "divergence", "settled")
    return Table(columns, rows, title, caption, signature=str(study.signature))


def _error_record(row: Errors) -> dict[str, Any]:
    return {**asdict(row), "p1": row.p1, "p2": row.p2, "p3": row.p3, "p": row.p, "observations": row.observations}


def _ranking_record(row: Ranking) -> dict[str, Any]:
    return {"size": row.size, "spearman": row.mean, "pyramids": row.pyramids, "undefined": row.undefined}


def to_json(study: Study) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "signature": str(study.signature),
        "score": study.quantity,
        "summaries": study.whose,
        "threshold": study.threshold,
        "need": {**asdict(study.need), "sentence": str(study.need)},
        "divergence": {"mean": study.divergence, "pairs": study.diverging},
        "errors": [_error_record(row) for row in study.errors],
        "rankings": [_ranking_record(row) for row in study.rankings],
        "topics": [
            {
                "topic": one.topic,
                "references": one.found.whole,
                "sampled": [{"size": size, "drawn": drawn, "there": there} for size, drawn, there in one.sampled],
                "summaries": [
                    {"summary": name, "score": value, "sizes": [asdict(spread) for spread in spreads]}
                    for name, value, spreads in zip(
                        one.found.summaries, one.found.scores, one.found.spreads, strict=True
                    )
                ],
                "errors": [_error_record(row) for row in one.found.errors],
                "rankings": [_ranking_record(row) for row in one.found.rankings],
                "pairs": [asdict(pair) for pair in one.found.pairs],
            }
            for one in study.topics
        ],
    }
