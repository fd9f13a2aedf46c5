"""The result of a study of judges and methods: correlations at two levels, single judgements, leads and speed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from pyramidion.analyses.accuracy.judgements import Judgements
from pyramidion.analyses.accuracy.realsumm.plot import draw_reliability
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, few_note
from pyramidion.stats.correlation import Correlation, Statistic

Level = Literal["system", "summary"]
LEVELS: tuple[Level, ...] = get_args(Level)
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
FIGURES = ("accuracy", "f1", "auc", "ece", "brier")

NOTE = """Skipped are documents whose correlation is undefined: everybody scored alike.
System-level intervals allow for the noise of few documents, which lowers a correlation: they are wide."""
SPEED_NOTE = """ECE: ten bins of equal width, for judges with probabilities. p: two-sided, from draws of documents.
Pairs of SCU and summary a second of processor time, matching alone: models loaded and summaries analysed before."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The lead over ROUGE-1 in correlation with people, and the two-sided p-value of no difference."""

    difference: float | None
    interval: Interval | None
    p: float | None


@dataclass(frozen=True, slots=True)
class AgainstPeople:
    """One method or metric, compared with people."""

    metric: str
    score: str
    correlations: dict[Level, dict[Statistic, Correlation]]
    by_fold: dict[Level, dict[Statistic, float | None]]
    """The means over folds; empty without folds."""
    lead: Lead | None = None
    """The lead of Pearson's r at summary level over that of ROUGE-1; None for ROUGE-1 itself."""
    signature: Signature | None = None
    """The signature of a method; None for a metric."""
    judgements: Judgements | None = None
    """The judgements of single SCUs; None if the SCUs are not those that people judged."""
    pairs: int = 0
    pairs_per_second: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        levels: dict[str, dict[str, Any]] = {
            level: {
                **{name: by_statistic[name].value for name in STATISTICS},
                "undefined": by_statistic["pearson"].undefined,
                "documents": by_statistic["pearson"].n,
                "intervals": {name: by_statistic[name].interval for name in STATISTICS},
            }
            for level, by_statistic in self.correlations.items()
        }
        return {
            **({"signature": str(self.signature)} if self.signature else {}),
            "metric": self.metric,
            "score": self.score,
            **levels,
            # a record has the same fields with judgements and without
            "scu": self.judgements or dict.fromkeys(Judgements.__dataclass_fields__),
            "folds": self.by_fold or None,
            "against_rouge_1": self.lead and asdict(self.lead),
            "pairs": self.pairs,
            "pairs_per_second": self.pairs_per_second,
        }


@dataclass(frozen=True, slots=True)
class RealsummStudy(Result):
    """The figures of methods, and those of the floor."""

    signature: Signature
    methods: tuple[AgainstPeople, ...]
    floor: tuple[AgainstPeople, ...]
    folds: int
    peak_memory: float | None = None
    """The peak memory of the process in MB; None if the system does not report it."""

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return correlations with people and, of methods, their single judgements, leads and speed."""
        judgements = {"judgements": _judgements_table(self)} if self.methods else {}
        return {"correlations": _correlations_table(self), **judgements}

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw a reliability diagram for each judge with probabilities."""
        judges = {method.metric: method.judgements.reliability for method in self.methods if method.judgements}
        return draw_reliability(judges, format, str(self.signature))

    def results(self) -> list[dict[str, Any]]:
        """Return every method's figures, for programs."""
        return [{**method.to_json(), "peak_memory_mb": self.peak_memory} for method in self.methods]

    def to_json(self) -> dict[str, Any]:
        """Return everything for programs: a single method's figures, or a list of them, and the floor's."""
        results = self.results()
        several = {"signature": str(self.signature), "results": results}
        return {**(results[0] if len(results) == 1 else several), "floor": [metric.to_json() for metric in self.floor]}


def _correlations_table(study: RealsummStudy) -> Table:
    """Make a row for each metric at each level; with folds, another row for the means over them."""
    rows: list[tuple[Cell, ...]] = []
    metrics = (*study.methods, *study.floor)
    documents = int(dict(study.signature.parameters)["documents"])
    for level in LEVELS:
        for measured in metrics:
            statistics = [measured.correlations[level][name] for name in STATISTICS]
            cells = (
                cell
                for correlation in statistics
                for cell in (correlation.value, *(correlation.interval or (None, None)))
            )
            rows.append((level, measured.metric, measured.score, *cells, statistics[0].undefined))
        for measured in metrics:
            if means := measured.by_fold.get(level):
                cells = (cell for name in STATISTICS for cell in (means[name], None, None))
                rows.append((f"{level}, mean of {study.folds} folds", measured.metric, measured.score, *cells, None))
    headings = (heading for name in ("r", "rho", "tau") for heading in (name, "from", "to"))
    keys = (f"{statistic}{end}" for statistic in STATISTICS for end in ("", "_low", "_high"))
    return Table(
        ("level", "metric", "score", *headings, "skipped"),
        tuple(rows),
        "Correlation with the share of SCUs that people found, and its 95 % interval over documents",
        "\n".join(filter(None, (NOTE, few_note(documents, "documents")))),
        ("level", "metric", "score", *keys, "skipped"),
        str(study.signature),
    )


def _judgements_table(study: RealsummStudy) -> Table:
    """Make a row for each method: its judgements, its lead over ROUGE-1, and how fast it is."""
    rows: list[tuple[Cell, ...]] = []
    for method in study.methods:
        judged, lead = method.judgements, method.lead
        figures = [getattr(judged, name) if judged else None for name in FIGURES]
        difference = (lead.difference, *(lead.interval or (None, None)), lead.p) if lead else (None,) * 4
        speed = None if method.pairs_per_second is None else round(method.pairs_per_second)
        rows.append((method.metric, *figures, *difference, method.pairs, speed))
    memory = f"\nThe process held {study.peak_memory:.0f} MB at most." if study.peak_memory else ""
    return Table(
        ("metric", "accuracy", "F1", "AUC", "ECE", "Brier", "r - ROUGE-1's", "from", "to", "p", "pairs", "a second"),
        tuple(rows),
        "Single judgements of SCUs; the difference to ROUGE-1 at summary level; and speed",
        SPEED_NOTE + memory,
        ("metric", *FIGURES, "difference", "difference_low", "difference_high", "p", "pairs", "pairs_per_second"),
        str(study.signature),
    )
