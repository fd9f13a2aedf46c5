"""Write an evaluation as one HTML page: who did how well, what was missed, the ideas, and all texts with their words.

The tables are in the page as such, and can be read without a script; the overview, pyramids, heat maps and texts are
drawn from the embedded data, one topic at a time, so that a page on a hundred topics opens as fast as a page on one.
See ``docs/report.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyramidion.corrections import digest
from pyramidion.evaluation.evaluation import Evaluation, systems_table
from pyramidion.reports.page import embedded, packed, page
from pyramidion.reports.page.data import report_data


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of scores: its key in the data, its heading, what it means, and how many decimals it has."""

    key: str
    heading: str
    meaning: str
    decimals: int = 3


_SCORES = (
    _Column("scus", "SCUs", "distinct SCUs of the pyramid that the summary expresses", 0),
    _Column("repeated", "repeated", "further expressions of SCUs already counted", 0),
    _Column(
        "contradicted",
        "contradicted",
        "SCUs of the pyramid that the summary contradicts; they do not count as matches",
        0,
    ),
    _Column("unmatched", "D0", "units of the summary that are in no SCU", 0),
    _Column("raw", "raw", "total weight of the SCUs expressed", 0),
    _Column(
        "quality",
        "quality",
        "the weight of the matched SCUs, divided by the highest weight that a summary of this size can reach",
    ),
    _Column(
        "coverage",
        "coverage",
        "the raw score, divided by the highest that a summary of average reference size can reach",
    ),
    _Column("comprehensive", "comprehensive", "the mean of quality and coverage"),
    _Column("precision", "precision", "the share of the summary's units that are in the pyramid"),
    _Column("recall", "recall", "the share of the pyramid's SCUs that the summary expresses"),
)
_EXPECTED = {
    "raw": "expected weight of the SCUs expressed: the sum of weight times probability",
    "recall": "the share of the pyramid's SCUs that the summary is expected to express",
}
_SCRIPTS = ("dom", "scores", "corrections", "state", "overview", "tables", "topic", "texts", "main")
FULL = 100.0
"""The percentage of a summary with as much as a reference has on average; a richer one has more."""
_MANY = 1_000_000
"""Characters of JSON from which the data are packed."""
_LONG = 500
"""Rows from which a script draws the table of every score, once somebody asks for it: parsing it takes most time."""
_MEANS = tuple(column for column in _SCORES if column.key in ("comprehensive", "quality", "raw"))


def _columns(data: dict[str, Any], expected: bool) -> list[_Column]:
    """Return the columns; counts get decimals only where a value is a mean or an expectation.

    The column of contradictions is there only if a summary contradicts something.
    """
    all_scores = [summary["scores"] for topic in data["topics"] for summary in topic["summaries"]]
    return [
        replace(
            column,
            meaning=_EXPECTED.get(column.key, column.meaning) if expected else column.meaning,
            decimals=column.decimals or (2 if any((scores[column.key] or 0) % 1 for scores in all_scores) else 0),
        )
        for column in _SCORES
        if column.key != "contradicted" or any(scores["contradicted"] for scores in all_scores)
    ]


def _score_rows(data: dict[str, Any], columns: Sequence[_Column]) -> list[dict[str, Any]]:
    """Return the rows of the table of every score, in the order of the data."""
    return [
        {
            "topic": topic["id"],
            "summary": summary["id"],
            "annotator": summary["annotator"],
            "role": summary["role"],
            "link": f"summary-{t}-{s}",
            "cells": [(column.key, *_cell(summary["scores"][column.key], column.decimals)) for column in columns],
        }
        for t, topic in enumerate(data["topics"])
        for s, summary in enumerate(topic["summaries"])
    ]


@dataclass(frozen=True, slots=True)
class _Glance:
    """A summary in words that need no paper: how much is covered, and what is found, unclear, missing and so on."""

    topic: str
    summary: str
    annotator: str
    role: str
    link: str
    percent: float | None
    margin: float | None
    found: int
    unclear: int
    missing: int
    contradicted: int
    copied: str
    """The share, where it is notable."""


def _glances(data: dict[str, Any]) -> list[_Glance]:
    """Return the summaries by topic, and within it by falling coverage."""
    low, high = data["unclear"]
    return [
        _Glance(
            topic["id"],
            summary["id"],
            summary["annotator"],
            summary["role"],
            f"summary-{t}-{s}",
            summary["percent"],
            summary["margin"],
            len(summary["expressed"]),
            sum(
                low <= probability < high
                for number, probability in enumerate(summary["probabilities"], 1)
                if all(denied["scu"] != number for denied in summary["contradicted"])
            ),
            len(summary["missed"]),
            len(summary["contradicted"]),
            f"{100 * summary['copied']['share']:.0f}\N{NO-BREAK SPACE}%" if summary["copied"]["told"] else "",
        )
        for t, topic in enumerate(data["topics"])
        for s, summary in sorted(enumerate(topic["summaries"]), key=lambda pair: -(pair[1]["percent"] or 0))
    ]


def _cell(value: float | None, decimals: int) -> tuple[float, str]:
    """Return the value that a cell is sorted by, and its text: without a score, a dash that is sorted below all."""
    return (-1, "-") if value is None else (value, f"{value:.{decimals}f}")


def _system_rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the systems with each mean and its interval; ``bar`` holds places on an axis of 0 to 100 for coverage."""
    whole = max((_low_mean_high(system, "coverage")[2] for system in data["systems"]), default=1.0)
    # a coverage above 1 makes the axis longer, so that every bar fits
    axis = max(1.0, whole)
    return [
        {
            "system": system["id"],
            "role": system["role"],
            "n": system["n"],
            "coverage": _mean(system, "coverage", 3),
            "percent": [round(100 * value, 2) for value in _low_mean_high(system, "coverage")],
            "bar": [round(100 * value / axis, 2) for value in _low_mean_high(system, "coverage")],
            "cells": [_mean(system, column.key, column.decimals or 1) for column in _MEANS],
        }
        for system in data["systems"]
    ]


def _low_mean_high(system: dict[str, Any], key: str) -> tuple[float, float, float]:
    mean = system["means"][key] or 0.0
    low, high = system["intervals"][key] or (mean, mean)
    return low, mean, high


def _mean(system: dict[str, Any], key: str, decimals: int) -> dict[str, Any]:
    low, _, high = _low_mean_high(system, key)
    value, shown = _cell(system["means"][key], decimals)
    return {
        "value": value,
        "mean": shown,
        "interval": f"{low:.{decimals}f}\N{EN DASH}{high:.{decimals}f}" if system["intervals"][key] else "",
    }


def report_html(evaluation: Evaluation, *, title: str = "What the summaries say") -> str:
    """Return the report as one self-contained page; the same evaluation and title give the same bytes."""
    data = {"title": title, **report_data(evaluation)}
    topics = data["topics"]
    expected = any(
        result.annotation.probabilities and result.scores.settings.presence == "expected"
        for result in evaluation.results
    )
    columns = _columns(data, expected)
    glances = _glances(data)
    # under this key the browser keeps the corrections of this very report
    data["key"] = digest(text := str(embedded(data)))
    is_packed = len(text) > _MANY
    return page(
        "report.html",
        styles=["report.css"],
        scripts=[f"js/{name}.js" for name in _SCRIPTS],
        title=title,
        signature=data["signature"],
        method=evaluation.signature.method,
        counts={
            "topic": len(topics),
            "reference": sum(len(topic["references"]) for topic in topics),
            "summary": sum(len(topic["summaries"]) for topic in topics),
            "idea": sum(len(topic["scus"]) for topic in topics),
        },
        expected=expected,
        above=any(glance.percent is not None and glance.percent > FULL for glance in glances),
        mean=evaluation.results[0].scores.settings.mean if evaluation.results else "harmonic",
        columns=columns,
        rows=_score_rows(data, columns) if len(glances) <= _LONG else [],
        glances=glances,
        several_topics=len(topics) > 1,
        unclear=any(glance.unclear for glance in glances),
        contradicted=any(glance.contradicted for glance in glances),
        copied=any(glance.copied for glance in glances),
        annotated=any(glance.annotator for glance in glances),
        means=_MEANS,
        few=systems_table(evaluation.systems, evaluation.signature).caption,
        systems=_system_rows(data) if any(system["n"] > 1 for system in data["systems"]) else [],
        is_packed=is_packed,
        data=packed(data) if is_packed else embedded(data),
    )
