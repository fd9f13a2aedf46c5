"""The result of a study of stability, as tables (Tables I and II of Nenkova et al. 2007), JSON and a picture."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from pyramidion.analyses.plots.stability import draw_stability
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table, plural
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.stability import Errors, Need, Ranking, Spread, Stability

Quantity = Literal["coverage", "quality"]
Whose = Literal["peers", "references"]


@dataclass(frozen=True, slots=True)
class TopicStability:
    """The stability of one topic, and the sizes for which only some sub-pyramids were tried."""

    topic: str
    stability: Stability
    sampled: tuple[tuple[int, int, int], ...] = ()
    """The size, the number of sub-pyramids drawn, and the number of all sub-pyramids."""
    without_coverage: int = 0
    """The number of sub-pyramids that are left out, because the settings round X_a to 0."""


@dataclass(frozen=True, slots=True)
class StabilityStudy(Result):
    """All topics, alone and together: how scores and rankings depend on the number of references."""

    signature: Signature
    quantity: Quantity
    whose: Whose
    threshold: float
    topics: tuple[TopicStability, ...]
    errors: tuple[Errors, ...]
    rankings: tuple[Ranking, ...]
    divergence: float | None
    """The mean point of divergence of the pairs that are apart."""
    diverging: int
    """The number of these pairs."""
    need: Need
    drawn_topic: str = ""
    """The topic whose ranges the picture shows; the first if none is named."""
    drawn_summaries: tuple[str, ...] = ()
    """The summaries that the picture shows; a pair that diverges late if none is named."""

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return errors and rankings by size, scores by size, and the size from which two summaries are told apart."""
        return {
            "errors": _errors_table(self),
            "scores": _every_score(self) if whole else _scores_table(self),
            "pairs": _pairs_table(self),
        }

    @property
    def shown(self) -> tuple[str, ...]:
        """Name all tables but the pairs, which are many."""
        return ("scores", "errors")

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw Figure 2 of the paper, and the curves of its Tables I and II."""
        return draw_stability(self, format)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {
            "signature": str(self.signature),
            "score": self.quantity,
            "summaries": self.whose,
            "threshold": self.threshold,
            "need": {**asdict(self.need), "sentence": str(self.need)},
            "divergence": {"mean": self.divergence, "pairs": self.diverging},
            "errors": [_error_record(row) for row in self.errors],
            "rankings": [_ranking_record(row) for row in self.rankings],
            "topics": [
                {
                    "topic": topic.topic,
                    "references": topic.stability.whole,
                    "sampled": [{"size": size, "drawn": drawn, "there": there} for size, drawn, there in topic.sampled],
                    "without_coverage": topic.without_coverage,
                    "summaries": [
                        {"summary": name, "score": value, "sizes": [asdict(spread) for spread in spreads]}
                        for name, value, spreads in zip(
                            topic.stability.summaries, topic.stability.scores, topic.stability.spreads, strict=True
                        )
                    ],
                    "errors": [_error_record(row) for row in topic.stability.errors],
                    "rankings": [_ranking_record(row) for row in topic.stability.rankings],
                    "pairs": [asdict(pair) for pair in topic.stability.pairs],
                }
                for topic in self.topics
            ],
        }


def _error_row(topic: str, errors: Errors, ranking: Ranking | None) -> tuple[Cell, ...]:
    """Make a row of Tables I and II together."""
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


def _errors_table(study: StabilityStudy) -> Table:
    """Show Tables I and II of the paper side by side, for each topic and for all together."""
    rows = [
        _error_row(topic.topic, row, {rank.size: rank for rank in topic.stability.rankings}.get(row.size))
        for topic in study.topics
        for row in topic.stability.errors
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


def _every_score(study: StabilityStudy) -> Table:
    """Make a row for each summary and size, with all numbers."""
    rows: list[tuple[Cell, ...]] = [
        (topic.topic, name, *asdict(spread).values())
        for topic in study.topics
        for name, spreads in zip(topic.stability.summaries, topic.stability.spreads, strict=True)
        for spread in spreads
    ]
    names = ("size", "pyramids", "minimum", "lower", "median", "upper", "maximum", "mean")
    return Table(("topic", "summary", *names), tuple(rows), signature=str(study.signature))


def _scores_table(study: StabilityStudy) -> Table:
    """Show the range of each summary's scores by size (Figure 2)."""
    sizes = sorted({spread.size for topic in study.topics for spread in topic.stability.spreads[0]})
    shown = []
    for topic in study.topics:
        stability = topic.stability
        for index in sorted(
            range(len(stability.summaries)), key=lambda i: (-stability.scores[i], stability.summaries[i])
        ):
            ranges = {spread.size: _range(spread) for spread in stability.spreads[index]}
            shown.append((topic.topic, stability.summaries[index], *(ranges.get(size, "") for size in sizes)))
    title = f"Lowest and highest {study.quantity} over the pyramids of each number of references"
    return Table(("topic", "summary", *map(str, sizes)), tuple(shown), title, signature=str(study.signature))


def _range(spread: Spread) -> str:
    low, high = f"{spread.minimum:.2f}", f"{spread.maximum:.2f}"
    return low if spread.pyramids == 1 else f"{low}-{high}"


def _pairs_table(study: StabilityStudy) -> Table:
    """List all pairs that the whole pyramid tells apart, with the size from which smaller pyramids do."""
    rows = tuple(
        (topic.topic, pair.better, pair.worse, pair.difference, pair.divergence, pair.settled)
        for topic in study.topics
        for pair in topic.stability.pairs
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
