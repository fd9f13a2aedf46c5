"""The agreement of annotators, as tables (III to V of Nenkova et al. 2007) and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pyramidion.base.tables import Cell, Table, plural
from pyramidion.errors import PyramidionError
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.agreement import Agreement
from pyramidion.stats.bootstrap import Interval, few_note
from pyramidion.stats.correlation import Correlation
from pyramidion.stats.distances import DistanceName

SHOWN = 20
"""The number of pairs of annotators, and of their studies, that are printed."""


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """Alpha of all annotators on one topic, or on all topics if ``topic`` is empty."""

    topic: str
    annotators: tuple[str, ...]
    summaries: int
    """The number of summaries with two annotations or more."""
    alpha: Agreement


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """The agreement of two annotators on everything that both judged."""

    one: str
    other: str
    summaries: int
    alpha: Agreement
    same: float | None
    """The share of decisions (found or not found) on which they agree."""
    kappa: Agreement
    """Cohen's kappa of the decisions found or not found."""
    pi: Agreement
    """Scott's pi of the decisions found or not found."""


@dataclass(frozen=True, slots=True)
class SummaryAgreement:
    """Alpha of the decisions on one summary, and on the other summaries of its topic."""

    topic: str
    summary: str
    alpha: Agreement
    without: Agreement


@dataclass(frozen=True, slots=True)
class ScoreStudy:
    """One score of the same summaries by two annotators (Tables IV and V)."""

    correlation: Correlation
    """Pearson's r with a bootstrap interval."""
    fisher: Interval | None
    """The interval of r by Fisher's transformation, as in the paper; it assumes normal scores."""
    difference: float | None
    """The mean of the first annotator's score minus the second's."""
    difference_interval: Interval | None
    absolute_difference: float | None
    within_threshold: bool | None
    """True if the mean difference is smaller than the threshold."""


@dataclass(frozen=True, slots=True)
class PairStudy:
    """The paradigmatic study of two annotators on one topic, or on all topics if ``topic`` is empty."""

    topic: str
    one: str
    other: str
    summaries: int
    left_out: int
    """The number of summaries that one of them judged only in part; their scores cannot be compared."""
    alpha: Agreement
    """Alpha of all decisions together."""
    mean_alpha: float | None
    """The mean of the summaries' own alphas, as in Table III."""
    mean_alpha_interval: Interval | None
    undefined: int
    """The number of summaries without an alpha, because nothing varies in them."""
    original: ScoreStudy
    """The study of quality, the original pyramid score."""
    modified: ScoreStudy
    """The study of coverage, the modified pyramid score."""


@dataclass(frozen=True, slots=True)
class Reliability(Result):
    """Everything that several annotations of the same summaries say about the annotators."""

    signature: Signature
    distance: DistanceName
    annotators: tuple[str, ...]
    topics: tuple[TopicAgreement, ...]
    overall: TopicAgreement
    pairs: tuple[AnnotatorPair, ...]
    without_annotator: tuple[tuple[str, Agreement], ...]
    """Alpha without each annotator, where there are three or more."""
    summaries: tuple[SummaryAgreement, ...]
    studies: tuple[PairStudy, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return alpha by topic, pair, left-out annotator and summary, and the study of every pair."""
        pairs, studies = (self.pairs, self.studies) if whole else (self.pairs[:SHOWN], self.studies[:SHOWN])
        tables = {
            "topics": _topics_table(self, whole),
            "pairs": _pairs_table(self, pairs),
            "annotators": _annotators_table(self),
            "summaries": _summaries_table(self),
            "study": _study_table(self, studies),
        }
        return {name: table for name, table in tables.items() if table}

    def table(self, name: str = "", *, whole: bool = False) -> Table:
        """Return the table of that name; that of the topics if none is named."""
        if name == "annotators" and not self.without_annotator:
            do = "choose another table, or give a third's work"
            raise PyramidionError("There are only two annotators, so none can be left out", do=do)
        return Result.table(self, name, whole=whole)

    @property
    def shown(self) -> tuple[str, ...]:
        """Name all tables but that of the summaries, which are many."""
        return tuple(name for name in self.tables() if name != "summaries")

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {
            **asdict(self),
            "signature": str(self.signature),
            "without_annotator": [
                {"annotator": name, "alpha": asdict(alpha)} for name, alpha in self.without_annotator
            ],
        }


def _alpha(agreement: Agreement) -> tuple[Cell, Cell, Cell]:
    return (agreement.value, *(agreement.interval or (None, None)))


def _topics_table(reliability: Reliability, whole: bool) -> Table:
    """Show alpha of all annotators per topic and overall."""

    def cells_of(topic: TopicAgreement, name: str) -> tuple[Cell, ...]:
        return (
            name, len(topic.annotators), topic.summaries, topic.alpha.units, topic.alpha.left_out, *_alpha(topic.alpha),
            topic.alpha.reason,
        )  # fmt: skip

    rows = [cells_of(topic, topic.topic) for topic in reliability.topics]
    if not whole or len(rows) > 1:
        rows.append(cells_of(reliability.overall, "all"))
    noted = any(row[-1] for row in rows) or whole
    columns = ("topic", "annotators", "summaries", "decisions", "single", "alpha", "95 % from", "to", "note")
    keys = ("topic", "annotators", "summaries", "decisions", "left_out", "alpha", "low", "high", "note")
    width = len(columns) if noted else len(columns) - 1
    what = "sets of SCUs" if reliability.distance == "masi" else "counts of each SCU in each summary"
    title = f"Krippendorff's alpha over {what}, distance {reliability.distance}"
    few = few_note(min(topic.summaries for topic in (*reliability.topics, reliability.overall)), "summaries")
    note = "\n".join(filter(None, ("single: decisions that fewer than two annotators made; they count nowhere.", few)))
    cells = tuple(row[:width] for row in rows)
    return Table(columns[:width], cells, title, note, keys[:width], str(reliability.signature))


def _pairs_table(reliability: Reliability, shown: Sequence[AnnotatorPair]) -> Table:
    """List each pair of annotators with common summaries."""
    rows: list[tuple[Cell, ...]] = []
    for pair in shown:
        alpha, kappa, pi = pair.alpha, pair.kappa.value, pair.pi.value
        rows.append((pair.one, pair.other, pair.summaries, alpha.units, alpha.value, pair.same, kappa, pi))
    hidden = len(reliability.pairs) - len(shown)
    note = f"and {plural(hidden, 'more pair')}: JSON and CSV have all.\n" if hidden else ""
    note += "same, kappa (Cohen) and pi (Scott) are of found or not found."
    return Table(
        ("annotator", "and", "summaries", "decisions", "alpha", "same", "kappa", "pi"),
        tuple(rows),
        "Pairs of annotators",
        note,
        ("one", "other", "summaries", "decisions", "alpha", "same", "kappa", "pi"),
        str(reliability.signature),
    )


def _annotators_table(reliability: Reliability) -> Table | None:
    """Show alpha without each annotator, where there are three or more."""
    if not reliability.without_annotator:
        return None
    overall = reliability.overall.alpha.value
    rows: list[tuple[Cell, ...]] = []
    for name, alpha in reliability.without_annotator:
        change = None if alpha.value is None or overall is None else round(alpha.value - overall, 12)
        rows.append((name, alpha.value, change, alpha.units))
    note = "Where alpha rises, the annotator disagrees with the others."
    columns, title = ("without", "alpha", "change", "decisions"), "Alpha of the others, without each annotator"
    return Table(columns, tuple(rows), title, note, signature=str(reliability.signature))


def _summaries_table(reliability: Reliability) -> Table:
    """Show alpha of each summary, and of its topic without it."""
    rows: list[tuple[Cell, ...]] = []
    for summary in reliability.summaries:
        alpha = summary.alpha
        rows.append((summary.topic, summary.summary, alpha.units, alpha.value, summary.without.value, alpha.reason))
    return Table(
        ("topic", "summary", "decisions", "alpha", "topic without it", "note"),
        tuple(rows),
        "Alpha of each summary, and of its topic without it",
        keys=("topic", "summary", "decisions", "alpha", "without", "note"),
        signature=str(reliability.signature),
    )


def _study_table(reliability: Reliability, shown: Sequence[PairStudy]) -> Table:
    """Show the paradigmatic study, a row for either score: Tables III, IV and V of Nenkova et al. 2007 side by side."""
    rows: list[tuple[Cell, ...]] = []
    for study in shown:
        varying = study.summaries - study.undefined
        who = (study.topic or "all", study.one, study.other, study.mean_alpha, varying)
        rows.append((*who, "original", *_score(study.original)))
        rows.append((*who, "modified", *_score(study.modified)))
    threshold = dict(reliability.signature.parameters)["threshold"]
    lines = [
        "alpha: mean over the summaries that have one (of). r: Pearson's, of n scores by the one and the other, with",
        f"Fisher's interval. difference: mean of n scores by the first less the second's, ok below {threshold}; "
        "absolute: mean, unsigned.",
    ]
    if any(study.undefined for study in shown):
        lines.append("A summary in which nothing varies (nobody found anything) has no alpha.")
    partial = sum(study.left_out for study in shown)
    if partial:
        lines.append(f"{partial} times a summary was judged in part by one of the two: its scores are left out.")
    hidden = len(reliability.studies) - len(shown)
    if hidden:
        lines.insert(0, f"and {hidden} more studies: JSON and CSV have all.")
    columns = ("topic", "annotator", "and", "alpha", "of", "score", "n", "r", "95 % from", "to", "difference")
    keys = ("topic", "one", "other", "mean_alpha", "alphas", "score", "summaries", "r", "low", "high", "difference")
    return Table(
        (*columns, "absolute", "ok"),
        tuple(rows),
        "Would another annotator change the scores?",
        "\n".join(lines),
        (*keys, "absolute", "within_threshold"),
        str(reliability.signature),
    )


def _score(study: ScoreStudy) -> tuple[Cell, ...]:
    within = None if study.within_threshold is None else ("yes" if study.within_threshold else "no")
    return (
        study.correlation.n,
        study.correlation.value,
        *(study.fisher or (None, None)),
        study.difference,
        study.absolute_difference,
        within,
    )
