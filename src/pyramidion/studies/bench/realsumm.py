"""Do methods judge systems, and single summaries, as people did? REALSumm and data published in its layout.

REALSumm (Bhandari et al. 2020; in the layout of :mod:`pyramidion.formats.lite3pyramid`): 100 documents with one
reference each, the summaries of 25 systems, and for every SCU of a reference whether a summary has it. The human score
is the share of SCUs present. Every method sees the reference alone, its markup (``<t> ... </t>``) turned into one
sentence a line; only a method that asks for the *given* pyramid sees the human SCUs.

For every method and the floor (recall of ROUGE-1, ROUGE-2, ROUGE-L; the lexical pyramid) Pearson's r, Spearman's rho
and Kendall's tau-b at system and at summary level, with bootstrap intervals over documents
(:mod:`pyramidion.stats.correlation`); with folds (:mod:`pyramidion.studies.bench.folds`) also their means over folds,
as some papers print them. ROUGE stems words. The difference of a method's Pearson's r at summary level and that of
ROUGE-1 is estimated by drawing documents, both metrics together (:mod:`pyramidion.stats.levels`); p is twice the
smaller share of draws on either side of 0. A method on the given pyramids is also measured judgement by judgement
(:mod:`pyramidion.studies.bench.judgements`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import FormatError, PyramidionError
from pyramidion.io.tables import Cell, Table
from pyramidion.methods import GIVEN, Method
from pyramidion.metrics import metric
from pyramidion.metrics.basic_elements import BasicElements
from pyramidion.metrics.rouge import Rouge
from pyramidion.model import Topic
from pyramidion.reading import READING, Reading
from pyramidion.score import scores
from pyramidion.stats.bootstrap import Interval
from pyramidion.stats.correlation import Correlation, Statistic, summary_level, system_level
from pyramidion.stats.levels import correlation_at, difference, resampled, times_drawn
from pyramidion.studies.bench.floor import Key, Metric, floor
from pyramidion.studies.bench.folds import Fold, check_not_seen
from pyramidion.studies.bench.judgements import Judgements, judgements
from pyramidion.studies.bench.matching import Matched, matched

__all__ = [
    "Lead",
    "Measured",
    "Study",
    "correlations_table",
    "human_scores",
    "judgements_table",
    "measure",
    "read",
    "to_json",
]

Level = Literal["system", "summary"]
LEVELS: tuple[Level, ...] = get_args(Level)
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
CLOSE = 1e-12
"""Differences this close are none."""
FIGURES = ("accuracy", "f1", "auc", "ece", "brier")
ROUGE = (Rouge("1", stem=True), Rouge("2", stem=True), Rouge("L", stem=True))

NOTE = """Skipped are documents whose correlation is undefined: everybody scored alike.
System-level intervals allow for the noise of few documents, which lowers a correlation: they are wide."""
SPEED_NOTE = """ECE: ten bins of equal width, for judges with probabilities. p: two-sided, from draws of documents.
Pairs of SCU and summary a second of processor time, matching alone: models loaded and summaries analysed before."""


@dataclass(frozen=True, slots=True)
class Lead:
    """How much better than ROUGE-1 something correlates with people, and the two-sided p of no difference."""

    difference: float | None
    interval: Interval | None
    p: float | None


@dataclass(frozen=True, slots=True)
class Measured:
    """One method or metric against people."""

    metric: str
    score: str
    correlations: dict[Level, dict[Statistic, Correlation]]
    by_fold: dict[Level, dict[Statistic, float | None]]
    """The means over folds; empty without folds."""
    against_floor: Lead | None = None
    """Of Pearson's r at summary level and that of ROUGE-1; None for ROUGE-1 itself."""
    judgements: Judgements | None = None
    """None where the SCUs are not those that people judged."""
    pairs: int = 0
    pairs_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """Methods, and the floor below them."""

    methods: tuple[Measured, ...]
    floor: tuple[Measured, ...]
    documents: int
    folds: int
    samples: int


def read(directory: str | Path, documents: int | None = None, reading: Reading = READING) -> list[Topic]:
    """The documents that people judged, or the first so many of them."""
    topics = reading.topics(directory)
    judged = [topic for topic in topics if topic.pyramid and topic.pyramid.scus and topic.annotations]
    if not judged:
        raise FormatError(
            "no summary here is labelled with SCUs", str(directory), "name a folder with SCUs.txt and labels/*.label"
        )
    return judged[:documents]


def _metric(name: str) -> Rouge | BasicElements:
    found = metric(name, **({"stem": True} if name.startswith("rouge-") else {}))
    if not isinstance(found, Rouge | BasicElements):
        raise PyramidionError(f"{name!r} is there already, or has no recall", do="choose ROUGE or Basic Elements")
    return found


def human_scores(topics: Iterable[Topic]) -> dict[Key, float]:
    """The share of SCUs that each labelled summary expresses, by document and system."""
    return {
        (topic.id, annotation.summary.id): len(annotation.expressed) / len(topic.pyramid.scus)
        for topic in topics
        if topic.pyramid and topic.pyramid.scus
        for annotation in topic.annotations
    }


def measure(
    topics: Sequence[Topic],
    methods: Iterable[Method] = (),
    score: str = "coverage",
    more: Iterable[str] = (),
    folds: Sequence[Fold] = (),
    known: Sequence[Topic] = (),
    *,
    samples: int = 10_000,
    progress: Callable[[str], None] = lambda summary: None,
) -> Study:
    """Match every summary by every method and correlate its scores, and the floor's, with the human scores.

    ``more`` are names of metrics that stand beside the floor's: ROUGE of another kind, Basic Elements. ``known`` are
    the documents that judges may learn from, with folds: those of other folds, be they measured or not.
    """
    methods = tuple(methods)
    if folds:
        for method in methods:  # before long work
            check_not_seen(method, topics)
    people = human_scores(topics)
    against = _Against(topics, people, folds, samples)
    metrics = floor(topics, (*ROUGE, *map(_metric, more)), length=False)
    rouge_1 = against.matrix(metrics[0].scores["recall"])
    found = []
    for method in methods:
        answer = matched(topics, method, folds, known, progress=progress)
        row = against.measured(str(method), score, _scores(answer, method, score), rouge_1)
        found.append(
            replace(
                row,
                judgements=judgements(topics, answer.topics) if method.builder == GIVEN else None,
                pairs=answer.pairs,
                pairs_per_second=answer.pairs_per_second,
            )
        )
    below = [against.of_floor(one, score, None if one is metrics[0] else rouge_1) for one in metrics]
    return Study(tuple(found), tuple(below), len(topics), len(against.folds), samples)


def _scores(answer: Matched, method: Method, score: str) -> dict[Key, float]:
    """A score of every summary; several annotations of one count as their mean."""
    found: dict[Key, list[float]] = {}
    for topic in answer.topics:
        assert topic.pyramid is not None
        for one in topic.annotations:
            made = replace(scores(topic.pyramid, one), normalised=method.normalised(topic.pyramid, one))
            value = getattr(made, score)
            if value is None:
                raise PyramidionError(f"the method {method.name!r} has no score {score!r}", do="choose another score")
            found.setdefault((topic.id, one.summary.id), []).append(float(value))
    return {key: fmean(values) for key, values in found.items()}


class _Against:
    """People's scores, and how to set others beside them."""

    def __init__(self, topics: Sequence[Topic], people: dict[Key, float], folds: Sequence[Fold], samples: int) -> None:
        self.documents = [topic.id for topic in topics]
        self.systems = sorted({system for _, system in people})
        self.people = self.matrix(people)
        inside = (np.array([id in fold for id in self.documents]) for fold in folds)
        self.folds = [fold for fold in inside if fold.any()]
        self.samples = samples

    def matrix(self, values: dict[Key, float]) -> NDArray[np.float64]:
        return np.array([[values.get((id, system), nan) for system in self.systems] for id in self.documents])

    def measured(
        self, metric: str, score: str, values: dict[Key, float], floor: NDArray[np.float64] | None
    ) -> Measured:
        theirs = self.matrix(values)
        levels: dict[Level, Callable[..., Correlation]] = {"system": system_level, "summary": summary_level}
        return Measured(
            metric,
            score,
            {
                level: {name: correlate(self.people, theirs, name, samples=self.samples) for name in STATISTICS}
                for level, correlate in levels.items()
            },
            {level: {name: self._over_folds(level, theirs, name) for name in STATISTICS} for level in levels}
            if self.folds
            else {},
            None if floor is None else self._lead(theirs, floor),
        )

    def _lead(self, theirs: NDArray[np.float64], floor: NDArray[np.float64]) -> Lead:
        times = times_drawn(len(self.documents), self.samples)
        one, other = (resampled(self.people, side, times, "summary", "pearson") for side in (theirs, floor))
        found = difference(one, other, "summary")
        drawn = (one - other)[1:]
        drawn = drawn[~np.isnan(drawn)]
        if found.interval is None:
            return Lead(found.value, None, None)
        smaller = min((drawn <= CLOSE).sum(), (drawn >= -CLOSE).sum())
        return Lead(found.value, found.interval, min(1.0, 2 * (1 + int(smaller)) / (1 + len(drawn))))

    def of_floor(self, metric: Metric, score: str, rouge_1: NDArray[np.float64] | None) -> Measured:
        name = score if score in metric.scores else next(iter(metric.scores))
        return self.measured(metric.name, name, metric.scores[name], rouge_1)

    def _over_folds(self, level: Level, theirs: NDArray[np.float64], statistic: Statistic) -> float | None:
        found = [correlation_at(level, self.people[fold], theirs[fold], statistic).value for fold in self.folds]
        defined = [value for value in found if value is not None]
        return round(fmean(defined), 12) if defined else None


def correlations_table(study: Study, signature: str = "") -> Table:
    """A row for each metric at each level; with folds, a row more for the means over them."""
    names = [f"{statistic}{end}" for statistic in STATISTICS for end in ("", "_low", "_high")]
    rows: list[tuple[Cell, ...]] = []
    every = (*study.methods, *study.floor)
    for level in LEVELS:
        for one in every:
            found = one.correlations[level]
            cells = (cell for name in STATISTICS for cell in _cells(found[name]))
            rows.append((level, one.metric, one.score, *cells, found["pearson"].undefined))
        for one in every:
            if means := one.by_fold.get(level):
                cells = (cell for name in STATISTICS for cell in (means[name], None, None))
                rows.append((f"{level}, mean of {study.folds} folds", one.metric, one.score, *cells, None))
    return Table(
        (
            "level",
            "metric",
            "score",
            *(heading for name in ("r", "rho", "tau") for heading in (name, "from", "to")),
            "skipped",
        ),
        tuple(rows),
        "Correlation with the share of SCUs that people found, and its 95 % interval over documents",
        NOTE,
        ("level", "metric", "score", *names, "skipped"),
        signature,
    )


def _cells(one: Correlation) -> tuple[Cell, ...]:
    return (one.value, *(one.interval or (None, None)))


def judgements_table(study: Study, caption: str = "", signature: str = "") -> Table:
    """A row for each method: its judgements, its lead over ROUGE-1, and how fast it is."""
    rows: list[tuple[Cell, ...]] = []
    for one in study.methods:
        judged, lead = one.judgements, one.against_floor
        figures = [getattr(judged, name) if judged else None for name in FIGURES]
        difference = (lead.difference, *(lead.interval or (None, None)), lead.p) if lead else (None,) * 4
        speed = None if one.pairs_per_second is None else round(one.pairs_per_second)
        rows.append((one.metric, *figures, *difference, one.pairs, speed))
    return Table(
        ("metric", "accuracy", "F1", "AUC", "ECE", "Brier", "r - ROUGE-1's", "from", "to", "p", "pairs", "a second"),
        tuple(rows),
        "Single judgements of SCUs; the difference to ROUGE-1 at summary level; and speed",
        "\n".join(filter(None, (SPEED_NOTE, caption))),
        ("metric", *FIGURES, "difference", "difference_low", "difference_high", "p", "pairs", "pairs_per_second"),
        signature,
    )


def to_json(one: Measured) -> dict[str, Any]:
    """The machine-readable result of one method or metric."""
    levels: dict[str, dict[str, Any]] = {}
    for level, found in one.correlations.items():
        levels[level] = {
            **{name: found[name].value for name in STATISTICS},
            "undefined": found["pearson"].undefined,
            "documents": found["pearson"].n,
            "intervals": {name: found[name].interval for name in STATISTICS},
        }
    lead = one.against_floor
    judged = asdict(one.judgements) if one.judgements else dict.fromkeys(Judgements.__dataclass_fields__)
    return {
        "metric": one.metric,
        "score": one.score,
        **levels,
        "scu": judged,
        "folds": one.by_fold or None,
        "against_rouge_1": lead and {"difference": lead.difference, "interval": lead.interval, "p": lead.p},
        "pairs": one.pairs,
        "pairs_per_second": one.pairs_per_second,
    }
