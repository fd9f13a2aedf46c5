"""The result of a study of a corpus: correlations with people, and the SCUs of every method's pyramids by weight.

Gao et al. 2019 describe their pyramids by SCUs per weight (Table 2) and their scores by Pearson's r with the manual
pyramid's (Table 3); of the authors' student summaries on cryptocurrency these are :data:`GAO_2019` and
:data:`GAO_2019_SCUS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pyramidion.base.tables import Cell, Table
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import few_note
from pyramidion.stats.correlation import Correlation

Score = Literal["raw", "quality", "coverage", "comprehensive"]
SCORES: tuple[Score, ...] = ("raw", "quality", "coverage", "comprehensive")

COLUMNS = {
    "raw": ("totalWeight", "raw"),
    "quality": ("qualityScore", "quality"),
    "coverage": ("coverageScore", "coverage"),
    "comprehensive": ("comprehensiveScore", "comprehensive"),
}
"""The human column of each score: DUCView's name and ours."""

PAPER = "Gao et al. 2019"

GAO_2019: dict[str, dict[Score, float]] = {
    "EDUA-G": {"raw": 0.72, "quality": 0.63, "coverage": 0.72, "comprehensive": 0.69},
    "EDUA-C": {"raw": 0.55, "quality": 0.48, "coverage": 0.55, "comprehensive": 0.51},
    "ROUGE-2": {"raw": 0.66},
}
"""Table 3, topic CC: Pearson's r with the manual pyramid over all students; raw and coverage share a column."""

GAO_2019_STUDENTS = 37
"""The students of Table 3. The marks of 14 of them are public, and no figure over these is one over all."""

GAO_2019_SCUS = {"manual": (34, 0, 3, 5, 26), "EDUA-G": (31, 1, 2, 4, 24), "EDUA-C": (39, 1, 1, 1, 36)}
"""Table 2, topic CC: all SCUs, then those of weight 5, 4, 3, and 2 or 1."""


@dataclass(frozen=True, slots=True)
class HumanCorrelation:
    """The correlation of one metric's score with one human column."""

    metric: str
    score: str
    human: str
    pearson: Correlation
    spearman: float | None


@dataclass(frozen=True, slots=True)
class PyramidSizes:
    """The number of SCUs of each weight in a method's pyramids, over all topics."""

    method: str
    weights: dict[int, int]
    """The number of SCUs by weight, heaviest first."""


@dataclass(frozen=True, slots=True)
class CorpusStudy(Result):
    """Every correlation, and the pyramids of the methods."""

    signature: Signature
    correlations: tuple[HumanCorrelation, ...]
    pyramids: tuple[PyramidSizes, ...]
    scored: int
    """The number of peers with a human score."""
    unscored: int
    paper: bool = False
    """True if the table also has the figures of the paper."""

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the correlations and, if pyramids were built or the paper's are wanted, the SCUs by weight."""
        sizes = {"pyramids": _sizes_table(self)} if self.pyramids or self.paper else {}
        return {"correlations": _correlations_table(self), **sizes}

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {
            "signature": str(self.signature),
            "scored": self.scored,
            "unscored": self.unscored,
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
                for row in self.correlations
            ],
            "pyramids": [
                {"method": pyramid.method, "scus": sum(pyramid.weights.values()), "weights": pyramid.weights}
                for pyramid in self.pyramids
            ],
            **(
                {"gao_2019": {"students": GAO_2019_STUDENTS, "pearson": GAO_2019, "scus": GAO_2019_SCUS}}
                if self.paper
                else {}
            ),
        }


def _correlations_table(study: CorpusStudy) -> Table:
    """Make a row for each score of each metric, and then the paper's rows, if wanted."""
    rows: list[tuple[Cell, ...]] = [
        (
            row.metric,
            row.score,
            row.human,
            row.pearson.n,
            row.pearson.value,
            *(row.pearson.interval or (None, None)),
            row.spearman,
            *([f"{row.pearson.n} students, ours"] if study.paper else []),
        )
        for row in study.correlations
    ]
    columns: tuple[str, ...] = ("metric", "score", "human", "n", "r", "95 % from", "to", "rho")
    keys: tuple[str, ...] = ("metric", "score", "human", "n", "pearson", "pearson_low", "pearson_high", "spearman")
    caption = f"{study.scored} of {study.scored + study.unscored} peers have a human score. "
    caption = f"{caption}{few_note(study.scored, 'peers')}".rstrip()
    if study.paper:
        rows += (
            (
                f"{variant} ({PAPER})",
                "recall" if variant.startswith("ROUGE") else score,
                COLUMNS[score][0],
                GAO_2019_STUDENTS,
                printed[score],
                None,
                None,
                None,
                f"{GAO_2019_STUDENTS} students, published",
            )
            for score in SCORES
            for variant, printed in GAO_2019.items()
            if score in printed
        )
        columns, keys = (*columns, "over"), (*keys, "over")
        caption += f" {PAPER} is over {GAO_2019_STUDENTS} students, ours over {study.scored}: they do not compare."
    return Table(columns, tuple(rows), "Correlation with human scores, over peers", caption, keys, str(study.signature))


def _sizes_table(study: CorpusStudy) -> Table:
    """Count SCUs by weight, one method a row, as in Table 2 of the paper, which counts weights 2 and 1 together."""
    heaviest = max([5] * study.paper + [weight for pyramid in study.pyramids for weight in pyramid.weights], default=0)
    weights = range(heaviest, 0, -1)
    rows: list[tuple[Cell, ...]] = [
        (
            pyramid.method,
            sum(pyramid.weights.values()),
            *(pyramid.weights.get(weight, 0) for weight in weights),
            pyramid.weights.get(2, 0) + pyramid.weights.get(1, 0),
        )
        for pyramid in study.pyramids
    ]
    if study.paper:
        for variant, (total, *upper, lower) in GAO_2019_SCUS.items():
            # the paper counts weights 2 and 1 together, so neither is known alone
            counts = dict(zip((5, 4, 3), upper, strict=True)) | dict.fromkeys((2, 1), None)
            rows.append((f"{variant} ({PAPER})", total, *(counts.get(weight, 0) for weight in weights), lower))
    columns = ("pyramid", "SCUs", *(f"w={weight}" for weight in weights), "w<=2")
    return Table(columns, tuple(rows), "SCUs by weight", signature=str(study.signature))
