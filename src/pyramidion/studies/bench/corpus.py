"""Do methods score peers as people did? Correlation with human scores of a corpus, the floor beside it.

For every method and every metric of the floor (ROUGE-1 and ROUGE-2 recall, stemmed; the lexical pyramid; length in
words) over the peers that people scored: Pearson's r with a bootstrap interval over peers, and Spearman's rho
(:mod:`pyramidion.stats.correlation`). Peers of several topics are pooled.

Which score stands against which column: where the table has columns for our scores, DUCView's (``totalWeight``,
``qualityScore``, ``coverageScore``, ``comprehensiveScore``) or our own names, each of ours stands against its own.
Otherwise, raw stands against the table's column (:data:`pyramidion.studies.scores.human.DEFAULT_COLUMNS`). Metrics with
one score stand against all.

Gao et al. 2019 describe their pyramids by SCUs per weight (Table 2) and their scores by Pearson's r with the manual
pyramid's (Table 3); of the data here, the authors' student summaries on cryptocurrency, these are :data:`GAO_2019` and
:data:`GAO_2019_SCUS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pyramidion.io.tables import Cell, Table
from pyramidion.methods import Method
from pyramidion.metrics.rouge import Rouge
from pyramidion.model import Topic
from pyramidion.stats.correlation import Correlation, correlation_interval, spearman
from pyramidion.studies.bench.floor import Metric, floor, of_evaluation
from pyramidion.studies.evaluate import evaluate
from pyramidion.studies.scores.human import Human, HumanTable

__all__ = [
    "GAO_2019",
    "GAO_2019_SCUS",
    "SCORES",
    "Result",
    "Row",
    "Sizes",
    "correlations_table",
    "measure",
    "sizes_table",
    "to_json",
]

Score = Literal["raw", "quality", "coverage", "comprehensive"]
SCORES: tuple[Score, ...] = ("raw", "quality", "coverage", "comprehensive")

COLUMNS = {
    "raw": ("totalWeight", "raw"),
    "quality": ("qualityScore", "quality"),
    "coverage": ("coverageScore", "coverage"),
    "comprehensive": ("comprehensiveScore", "comprehensive"),
}
"""The human column of each score: DUCView's name and ours."""

ROUGE = (Rouge("1", stem=True), Rouge("2", stem=True))


@dataclass(frozen=True, slots=True)
class Row:
    """One metric's score against one human column."""

    metric: str
    score: str
    human: str
    pearson: Correlation
    spearman: float | None


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many SCUs of each weight a method's pyramids have, all topics together."""

    metric: str
    weights: dict[int, int]
    """Weight -> SCUs, heaviest first."""


@dataclass(frozen=True, slots=True)
class Result:
    """Every correlation, and the pyramids of the methods."""

    rows: tuple[Row, ...]
    pyramids: tuple[Sizes, ...]
    scored: int
    """Peers with a human score."""
    unscored: int


def measure(
    topics: Sequence[Topic],
    human: HumanTable,
    methods: Iterable[Method] = (),
    *,
    column: str = "",
    scores: Sequence[Score] = (),
    progress: Callable[[str], None] = lambda topic: None,
) -> Result:
    """Evaluate every method on the corpus and correlate it, and the floor, with the human scores."""
    pairs = _pairs(human, column, scores)
    metrics, pyramids = [], []
    for method in methods:
        evaluation = evaluate(topics, method, progress=progress)
        metrics.append(of_evaluation(evaluation, str(method), SCORES))
        built = {one.scores.topic: one.pyramid for one in evaluation.results}
        weights = Counter(scu.weight for pyramid in built.values() for scu in pyramid.scus)
        pyramids.append(Sizes(str(method), {weight: weights[weight] for weight in sorted(weights, reverse=True)}))
    metrics += floor(topics, ROUGE, length=True)
    rows = [
        _row(metric, score if score in metric.scores else next(iter(metric.scores)), theirs)
        for score, theirs in pairs
        for metric in metrics
    ]
    return Result(tuple(rows), tuple(pyramids), len(pairs[0][1].values), pairs[0][1].without)


def _pairs(human: HumanTable, column: str, scores: Sequence[Score]) -> list[tuple[Score, Human]]:
    """Our score and the human column that it stands against."""
    if column:
        theirs = human.column(column)
        own = [score for score in SCORES if theirs.column.casefold() in _folded(COLUMNS[score])]
        return [(score, theirs) for score in (scores or own or ("raw",))]
    own_columns = {score: found for score in SCORES if (found := _own(human, score))}
    if not scores:
        return list(own_columns.items()) or [("raw", human.column())]
    return [(score, own_columns.get(score) or human.column()) for score in scores]


def _own(human: HumanTable, score: Score) -> Human | None:
    there = set(_folded([*human.columns, *human.texts]))
    return next((human.column(name) for name in COLUMNS[score] if name.casefold() in there), None)


def _folded(names: Iterable[str]) -> list[str]:
    return [name.casefold() for name in names]


def _row(metric: Metric, score: str, human: Human) -> Row:
    values = metric.scores[score]
    keys = [key for key in human.values if key in values]
    x, y = [human.values[key] for key in keys], [values[key] for key in keys]
    return Row(metric.name, score, human.column, correlation_interval(x, y), spearman(x, y))


# What the paper prints


GAO_2019: dict[str, dict[Score, float]] = {
    "EDUA-G": {"raw": 0.72, "quality": 0.63, "coverage": 0.72, "comprehensive": 0.69},
    "EDUA-C": {"raw": 0.55, "quality": 0.48, "coverage": 0.55, "comprehensive": 0.51},
    "ROUGE-2": {"raw": 0.66},
}
"""Table 3, topic CC: Pearson's r with the manual pyramid over all 37 students; raw and coverage share a column."""

GAO_2019_SCUS = {"manual": (34, 0, 3, 5, 26), "EDUA-G": (31, 1, 2, 4, 24), "EDUA-C": (39, 1, 1, 1, 36)}
"""Table 2, topic CC: all SCUs, then those of weight 5, 4, 3, and 2 or 1."""

PAPER = "Gao et al. 2019"


def correlations_table(result: Result, *, paper: bool = False, signature: str = "") -> Table:
    """A row for each score of each metric, above the paper's, if wanted."""
    rows: list[tuple[Cell, ...]] = [
        (row.metric, row.score, row.human, row.pearson.n, *_cells(row.pearson), row.spearman) for row in result.rows
    ]
    if paper:
        rows += (
            (f"{variant} ({PAPER})", _named(variant, score), COLUMNS[score][0], 37, printed[score], None, None, None)
            for score in SCORES
            for variant, printed in GAO_2019.items()
            if score in printed
        )
    people = f"{result.scored} of {result.scored + result.unscored} peers have a human score."
    return Table(
        ("metric", "score", "human", "n", "r", "95 % from", "to", "rho"),
        tuple(rows),
        "Correlation with human scores, over peers",
        people,
        ("metric", "score", "human", "n", "pearson", "pearson_low", "pearson_high", "spearman"),
        signature,
    )


def _named(variant: str, score: str) -> str:
    return "recall" if variant.startswith("ROUGE") else score


def _cells(one: Correlation) -> tuple[Cell, ...]:
    return (one.value, *(one.interval or (None, None)))


def sizes_table(result: Result, *, paper: bool = False, signature: str = "") -> Table:
    """SCUs by weight, a method a row, as in Table 2 of the paper, which puts weights 2 and 1 together."""
    weights = range(max([5] * paper + [weight for one in result.pyramids for weight in one.weights], default=0), 0, -1)
    rows: list[tuple[Cell, ...]] = [
        (
            one.metric,
            sum(one.weights.values()),
            *(one.weights.get(weight, 0) for weight in weights),
            one.weights.get(2, 0) + one.weights.get(1, 0),
        )
        for one in result.pyramids
    ]
    if paper:
        for variant, (every, *upper, lower) in GAO_2019_SCUS.items():
            counts = dict(zip((5, 4, 3), upper, strict=True)) | dict.fromkeys((2, 1), None)
            rows.append((f"{variant} ({PAPER})", every, *(counts.get(weight, 0) for weight in weights), lower))
    return Table(
        ("pyramid", "SCUs", *(f"w={weight}" for weight in weights), "w<=2"),
        tuple(rows),
        "SCUs by weight",
        signature=signature,
    )


def to_json(result: Result, *, paper: bool = False) -> dict[str, Any]:
    """The machine-readable result."""
    made: dict[str, Any] = {
        "scored": result.scored,
        "unscored": result.unscored,
        "correlations": [
            {
                "metric": row.metric,
                "score": row.score,
                "human": row.human,
                "n": row.pearson.n,
                "pearson": row.pearson.value,
                "pearson_interval": row.pearson.interval,
                "spearman": row.spearman,
            }
            for row in result.rows
        ],
        "pyramids": [
            {"method": one.metric, "scus": sum(one.weights.values()), "weights": one.weights} for one in result.pyramids
        ],
    }
    if paper:
        made["gao_2019"] = {"pearson": GAO_2019, "scus": GAO_2019_SCUS}
    return made
