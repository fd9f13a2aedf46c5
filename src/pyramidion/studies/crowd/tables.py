"""A crowd evaluation as tables and as JSON: scores, agreement, who was left out; curves, designs and their price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pyramidion.crowd.cost import dollars
from pyramidion.crowd.judging.filtering import Filtered
from pyramidion.crowd.scores.cheapest import Designed, Measure
from pyramidion.crowd.scores.curves import Curves, Point, Rerun, Resource
from pyramidion.crowd.scores.scoring import CrowdScores
from pyramidion.io.tables import Cell, Table, plural

__all__ = [
    "agreement_sentence",
    "cheapest_sentence",
    "curves_json",
    "curves_table",
    "designs_table",
    "dropped_sentence",
    "rerun_json",
    "rerun_sentence",
    "scores_json",
    "summaries_table",
    "systems_table",
    "topics_table",
]

_SHOWN = 5
"""So many workers who were dropped are named."""


def agreement_sentence(scores: CrowdScores, filtered: Filtered | None = None) -> str:
    """How far workers agree."""
    found = scores.agreement
    alpha = "undefined" if found.alpha is None else f"{found.alpha:.3f}"
    within = f" ({found.interval.low:.3f} to {found.interval.high:.3f})" if found.interval else ""
    if found.alpha_of_all_votes is not None and f"{found.alpha_of_all_votes:.3f}" != alpha:
        within += f", with votes that stand alone {found.alpha_of_all_votes:.3f}"
    pairs = "undefined" if found.agreement is None else f"{found.agreement:.3f}"
    workers = f"of workers {filtered.pairwise:.3f}, " if filtered and filtered.pairwise is not None else ""
    return f"Krippendorff's alpha {alpha}{within}; agreement of pairs {workers}of votes {pairs}."


def dropped_sentence(filtered: Filtered | None) -> str:
    """Which workers were left out."""
    if filtered is None:
        return "No worker was left out: no filter."
    known = len(filtered.agreement)
    if not filtered.dropped:
        return f"No worker was left out (of {known} with a name)." if known else "Workers have no names: no filter."
    named = [f"{name} ({filtered.agreement.get(name) or 0:.2f})" for name in sorted(filtered.dropped)]
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    rounds = f", in {plural(filtered.rounds, 'round')}"
    return f"Left out for their agreement: {', '.join(named[:_SHOWN])}{more}, of {plural(known, 'worker')}{rounds}."


def systems_table(scores: CrowdScores, filtered: Filtered | None = None) -> Table:
    """A row for each system, best first."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.system, one.topics, one.mean, *(one.interval or (None, None))) for one in scores.systems
    )
    dropped = f"Topics left out, the least agreed: {', '.join(scores.dropped)}." if scores.dropped else ""
    lines = (
        agreement_sentence(scores, filtered),
        dropped_sentence(filtered),
        *((dropped,) if dropped else ()),
        *scores.notes,
    )
    return Table(
        ("system", "topics", "score", "low", "high"),
        rows,
        "Share of statements that are present, mean over topics, with 95 % bootstrap intervals",
        "\n".join(lines),
        signature=str(scores.signature),
    )


def summaries_table(scores: CrowdScores) -> Table:
    """A row for each summary."""
    rows = tuple((one.topic, one.system, one.score, one.statements, one.undecided) for one in scores.summaries)
    title = "Share of its judged statements that each summary says"
    columns = ("topic", "system", "score", "statements", "undecided")
    return Table(columns, rows, title, signature=str(scores.signature))


def topics_table(scores: CrowdScores) -> Table:
    """A row for each topic: how far workers agree on it."""
    rows = tuple(
        (one.topic, one.items, one.alpha, one.agreement, "yes" if one.topic in scores.dropped else "")
        for one in scores.agreement.topics
    )
    caption = f"Items have two votes or more. {agreement_sentence(scores)}"
    return Table(
        ("topic", "items", "alpha", "agreement", "left out"),
        rows,
        "Agreement of workers by topic",
        caption,
        ("topic", "items", "alpha", "agreement", "left_out"),
        str(scores.signature),
    )


def scores_json(scores: CrowdScores, filtered: Filtered | None = None) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "signature": str(scores.signature),
        "systems": [asdict(one) for one in scores.systems],
        "summaries": [asdict(one) for one in scores.summaries],
        "agreement": {**asdict(scores.agreement), "workers": filtered.pairwise if filtered else None},
        "dropped": {
            "topics": list(scores.dropped),
            "workers": [
                {"worker": name, "round": number, "agreement": filtered.agreement.get(name)}
                for name, number in sorted(filtered.dropped.items())
            ]
            if filtered
            else [],
        },
        "notes": list(scores.notes),
    }


# Curves


def curves_table(curves: Curves) -> Table:
    """The three curves, one under the other."""
    rows = tuple(
        (resource, getattr(point, resource), *_figures(point))
        for resource, points in curves.curves.items()
        for point in points
    )
    lines = (
        f"Whole: {_whole(curves.most)}. Means over {plural(curves.resamples, 'resample')}; low and high hold 95 % of "
        "them. +-: half of a system's 95 % interval.",
        *((rerun_sentence(curves.rerun),) if curves.rerun else ()),
        *curves.notes,
    )
    return Table(
        ("reduced", "to", "pearson", "low", "high", "spearman", "low", "high", "+-"),
        rows,
        f"Correlation of {plural(len(curves.systems), 'system')} with {curves.against}, as resources are reduced",
        "\n".join(lines),
        (
            "reduced",
            "to",
            "pearson",
            "pearson_low",
            "pearson_high",
            "spearman",
            "spearman_low",
            "spearman_high",
            "half",
        ),
        str(curves.signature),
    )


def _whole(most: Point) -> str:
    return (
        f"up to {plural(most.workers, 'vote')} an item, {plural(most.statements, 'statement')} a topic, "
        f"{plural(most.topics, 'topic')}"
    )


def _figures(point: Point) -> tuple[Cell, ...]:
    spreads = (
        (None, None, None) if one is None else (one.mean, one.low, one.high) for one in (point.pearson, point.spearman)
    )
    return (*(cell for spread in spreads for cell in spread), point.half_width)


def rerun_sentence(found: Rerun) -> str:
    """How far scores move when others judge."""
    how = (
        f"between two halves of {plural(found.workers, 'worker')} an item ({found.change.low:.1%} to "
        f"{found.change.high:.1%})"
        if found.workers
        else "to the second votes"
    )
    zero = f"; {plural(found.left_out, 'system')} of score 0 left out" if found.left_out else ""
    moved = f"{found.change.mean:.1%} on average {how}, over {plural(found.systems, 'system')}{zero}."
    alike = f" The two correlate by {found.pearson.mean:.3f} (Pearson)." if found.pearson else ""
    return f"Scores change by {moved}{alike}{found.note and f' {found.note}'}"


def rerun_json(found: Rerun) -> dict[str, Any]:
    """The same, for programs."""
    return asdict(found)


def designs_table(among: Sequence[Designed], caption: str = "", title: str = "", signature: str = "") -> Table:
    """A row for each design, with its price."""
    rows = tuple(
        (one.point.workers, one.point.statements, one.point.topics, dollars(one.cents), *_figures(one.point)[::3])
        for one in among
    )
    columns = ("workers", "statements", "topics", "cost", "pearson", "spearman", "+-")
    keys = (*columns[:-1], "half_width")
    return Table(columns, rows, title or "Designs that no cheaper one beats", caption, keys, signature)


def cheapest_sentence(found: Designed | None, most: Designed, wanted: str, measure: Measure = "pearson") -> str:
    """Which design is the cheapest that gives what is wanted."""
    if found is None:
        value = most.correlation(measure)
        has = [
            *([] if value is None else [f"a {measure} of {value:.3f}"]),
            *([] if most.point.half_width is None else [f"a half-width of {most.point.half_width:.3f}"]),
        ]
        return f"No design within what was collected has {wanted}; all of it has {' and '.join(has) or 'neither'}."
    point = found.point
    return (
        f"The cheapest design with {wanted}: {plural(point.workers, 'worker')} a statement, "
        f"{plural(point.statements, 'statement')} a topic, {plural(point.topics, 'topic')}, for {dollars(found.cents)} "
        f"({dollars(most.cents)} for {most.point.workers}, {most.point.statements} and {most.point.topics}, the most "
        "that was collected of each)."
    )


def curves_json(
    curves: Curves, priced: Sequence[Designed] = (), found: Designed | None = None, sentence: str = ""
) -> dict[str, Any]:
    """Everything, for programs."""

    def designed(one: Designed) -> dict[str, Any]:
        return {"cents": one.cents, **asdict(one.point)}

    resources: dict[Resource, list[dict[str, Any]]] = {
        resource: [asdict(point) for point in points] for resource, points in curves.curves.items()
    }
    return {
        "signature": str(curves.signature),
        "against": curves.against,
        "systems": list(curves.systems),
        "resamples": curves.resamples,
        "most": asdict(curves.most),
        "curves": resources,
        "rerun": asdict(curves.rerun) if curves.rerun else None,
        "designs": [designed(one) for one in priced],
        "cheapest": designed(found) if found else None,
        "sentence": sentence,
        "notes": list(curves.notes),
    }
