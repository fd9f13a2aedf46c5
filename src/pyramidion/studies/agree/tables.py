"""Agreement of annotators as tables (Tables III to V of Nenkova et al. 2007), and as the JSON that ``agree`` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pyramidion.errors import PyramidionError
from pyramidion.io.tables import Cell, Table, plural
from pyramidion.stats.agreement import Agreement
from pyramidion.studies.agree.study import Reliability, ScoreStudy, TopicAgreement

__all__ = [
    "annotators_table",
    "pairs_table",
    "study_table",
    "summaries_table",
    "to_json",
    "topics_table",
]

SHOWN = 20
"""How many pairs of annotators, and studies of them, people are shown."""


def _alpha(found: Agreement) -> tuple[Cell, Cell, Cell]:
    return (found.value, *(found.interval or (None, None)))


def topics_table(found: Reliability, whole: bool = False) -> Table:
    """Alpha of all annotators per topic and overall."""

    def row(one: TopicAgreement, name: str) -> tuple[Cell, ...]:
        return (
            name, len(one.annotators), one.summaries, one.alpha.units, one.alpha.left_out, *_alpha(one.alpha),
            one.alpha.reason,
        )  # fmt: skip

    rows = [row(one, one.topic) for one in found.topics]
    if not whole or len(rows) > 1:
        rows.append(row(found.overall, "all"))
    noted = any(cells[-1] for cells in rows) or whole
    columns = ("topic", "annotators", "summaries", "decisions", "single", "alpha", "95 % from", "to", "note")
    keys = ("topic", "annotators", "summaries", "decisions", "left_out", "alpha", "low", "high", "note")
    width = len(columns) if noted else len(columns) - 1
    what = "sets of SCUs" if found.distance == "masi" else "counts of each SCU in each summary"
    title = f"Krippendorff's alpha over {what}, distance {found.distance}"
    note = "single: decisions that fewer than two annotators made; they count nowhere."
    return Table(
        columns[:width],
        tuple(cells[:width] for cells in rows),
        title,
        note,
        keys[:width],
        str(found.signature),
    )


def pairs_table(found: Reliability, whole: bool = False) -> Table:
    """Each pair of annotators with common summaries."""
    shown = found.pairs if whole else found.pairs[:SHOWN]
    rows = tuple(
        (one.one, one.other, one.summaries, one.alpha.units, one.alpha.value, one.same, one.kappa.value, one.pi.value)
        for one in shown
    )
    hidden = len(found.pairs) - len(shown)
    note = f"and {plural(hidden, 'more pair')}: --json and --format csv have all.\n" if hidden else ""
    note += "same, kappa (Cohen) and pi (Scott) are of found or not found."
    return Table(
        ("annotator", "and", "summaries", "decisions", "alpha", "same", "kappa", "pi"),
        rows,
        "Pairs of annotators",
        note,
        ("one", "other", "summaries", "decisions", "alpha", "same", "kappa", "pi"),
        str(found.signature),
    )


def annotators_table(found: Reliability, whole: bool = False) -> Table:
    """Alpha without each annotator."""
    if not found.without_annotator:
        raise PyramidionError(
            "with two annotators, nobody can be left out", do="leave out --table annotators, or give a third's work"
        )
    overall = found.overall.alpha.value
    rows = tuple(
        (name, one.value, None if one.value is None or overall is None else round(one.value - overall, 12), one.units)
        for name, one in found.without_annotator
    )
    note = "Where alpha rises, the annotator disagrees with the others."
    columns, title = ("without", "alpha", "change", "decisions"), "Alpha of the others, without each annotator"
    return Table(columns, rows, title, note, signature=str(found.signature))


def summaries_table(found: Reliability, whole: bool = False) -> Table:
    """Alpha of each summary, and of its topic without it."""
    rows = tuple(
        (one.topic, one.summary, one.alpha.units, one.alpha.value, one.without.value, one.alpha.reason)
        for one in found.summaries
    )
    return Table(
        ("topic", "summary", "decisions", "alpha", "topic without it", "note"),
        rows,
        "Alpha of each summary, and of its topic without it",
        keys=("topic", "summary", "decisions", "alpha", "without", "note"),
        signature=str(found.signature),
    )


def study_table(found: Reliability, whole: bool = False) -> Table:
    """The paradigmatic study: Tables III, IV and V of Nenkova et al. 2007 side by side, a row for either score."""
    shown = found.studies if whole else found.studies[:SHOWN]
    rows: list[tuple[Cell, ...]] = []
    for one in shown:
        who = (one.topic or "all", one.one, one.other, one.summaries - one.left_out, one.mean_alpha)
        rows.append((*who, "original", *_score(one.original)))
        rows.append((*who, "modified", *_score(one.modified)))
    threshold = dict(found.signature.parameters)["threshold"]
    lines = [
        "alpha: mean over summaries. r: Pearson's, of the scores by the one and the other, with Fisher's interval.",
        f"difference: mean score by the first less the second's, ok below {threshold}; absolute: mean, unsigned.",
    ]
    partial = sum(one.left_out for one in shown)
    if partial:
        lines.append(f"{partial} times a summary was judged in part by one of the two: its scores are left out.")
    hidden = len(found.studies) - len(shown)
    if hidden:
        lines.insert(0, f"and {hidden} more studies: --json and --format csv have all.")
    keys = ("topic", "one", "other", "summaries", "mean_alpha", "score", "r", "low", "high", "difference", "absolute")
    return Table(
        ("topic", "annotator", "and", "n", "alpha", "score", "r", "95 % from", "to", "difference", "absolute", "ok"),
        tuple(rows),
        "Would another annotator change the scores?",
        "\n".join(lines),
        (*keys, "within_threshold"),
        str(found.signature),
    )


def _score(one: ScoreStudy) -> tuple[Cell, ...]:
    within = None if one.within_threshold is None else ("yes" if one.within_threshold else "no")
    return (one.correlation.value, *(one.fisher or (None, None)), one.difference, one.absolute_difference, within)


def to_json(found: Reliability) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "signature": str(found.signature),
        "distance": found.distance,
        "annotators": list(found.annotators),
        "overall": asdict(found.overall),
        "topics": [asdict(one) for one in found.topics],
        "pairs": [asdict(one) for one in found.pairs],
        "without_annotator": [{"annotator": name, "alpha": asdict(one)} for name, one in found.without_annotator],
        "summaries": [asdict(one) for one in found.summaries],
        "studies": [asdict(one) for one in found.studies],
    }
