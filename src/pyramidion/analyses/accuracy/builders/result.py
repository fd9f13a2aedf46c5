"""The result of a comparison of builders with given pyramids, as tables, JSON and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pyramidion.analyses.accuracy.builders.plot import draw_builders
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, few_note

ALL = "all"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and its confidence interval; both are None if there is nothing to compute them from."""

    value: float | None
    interval: Interval | None = None

    def __str__(self) -> str:
        if self.value is None:
            return ""
        return f"{self.value:.3f}" + (f" [{self.interval.low:.3f}, {self.interval.high:.3f}]" if self.interval else "")


@dataclass(frozen=True, slots=True)
class PyramidFigures:
    """Properties of pyramids, given or built by a method."""

    method: str
    topic: str
    scus: int
    weights: dict[int, int]
    """The number of SCUs of each weight, heaviest first."""
    labels: Figure
    """The share of labels that pass the rule of :mod:`~pyramidion.analyses.accuracy.builders.labels`."""


@dataclass(frozen=True, slots=True)
class BuilderFigures(PyramidFigures):
    """A method compared with the given pyramids, on one topic or on all."""

    purity: Figure
    completeness: Figure
    f1: Figure
    word_purity: Figure
    word_completeness: Figure
    word_f1: Figure
    coverage: Figure
    """The mean absolute difference from the coverage by the given annotations, over annotated peers."""
    correlation: float | None
    """Pearson's r of coverage with that by the given annotations, over annotated peers."""
    peers: int


@dataclass(frozen=True, slots=True)
class BuildersStudy(Result):
    """Every method on every topic, and on all topics together."""

    signature: Signature
    figures: tuple[BuilderFigures, ...]
    given: PyramidFigures
    """Properties of the given pyramids."""

    def of(self, topic: str = ALL) -> tuple[BuilderFigures, ...]:
        """Return the figures on one topic, or on all of them if none is named."""
        chosen = tuple(figure for figure in self.figures if figure.topic == topic)
        return chosen or (self.figures if topic == ALL else ())

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the tables of grouping, of pyramids and labels, of the difference in coverage, and of all topics."""
        grouping = ("purity", "completeness", "f1", "word_purity", "word_completeness", "word_f1")
        return {
            "grouping": _whole(self, grouping) if whole else _grouping(self),
            "pyramids": _pyramids(self, self.figures if whole else (self.given, *self.of())),
            "coverage": _whole(self, ("coverage",), ("correlation", "peers")) if whole else _coverage(self),
            "topics": _topics(self),
        }

    @property
    def shown(self) -> tuple[str, ...]:
        """Name all tables but that of the topics, which may be long."""
        return ("grouping", "pyramids", "coverage")

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw purity, completeness and F1 of every method, with intervals."""
        return draw_builders(self, format)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        figures = [asdict(figure) for figure in self.figures]
        return {"signature": str(self.signature), "figures": figures, "given": asdict(self.given)}


def _grouping(study: BuildersStudy) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for figures in study.of():
        words = figures.word_purity, figures.word_completeness, figures.word_f1
        rows.append((figures.method, *map(str, (figures.purity, figures.completeness, figures.f1, *words))))
    return Table(
        ("method", "purity", "completeness", "F1", "words: purity", "completeness", "F1"),
        tuple(rows),
        "Which contributors, and which words, are in one SCU as in given pyramids",
        f"Pairs from different references. In brackets: 95 % intervals over topics and SCUs.{_few(study)}",
        signature=str(study.signature),
    )


def _few(study: BuildersStudy) -> str:
    topics = len({figure.topic for figure in study.figures} - {ALL})
    few = few_note(topics, "topics") if topics > 1 else ""
    return f"\n{few}" if few else ""


def _pyramids(study: BuildersStudy, figures: Sequence[PyramidFigures]) -> Table:
    """Make a row for each method's pyramids: their SCUs by weight, and the share of readable labels."""
    heaviest = max((weight for figure in figures for weight in figure.weights), default=0)
    weights = tuple(range(heaviest, 0, -1))
    rows = tuple(
        (
            figure.method,
            figure.topic,
            figure.scus,
            *(figure.weights.get(weight, 0) for weight in weights),
            figure.labels.value,
        )
        for figure in figures
    )
    return Table(
        ("method", "topic", "SCUs", *(f"weight {weight}" for weight in weights), "labels"),
        rows,
        "SCUs by weight, and the share of labels that can be read by themselves",
        "labels: by a rule over the label's words and parse, not by a reader.",
        ("method", "topic", "scus", *(f"weight_{weight}" for weight in weights), "labels"),
        str(study.signature),
    )


def _coverage(study: BuildersStudy) -> Table:
    return Table(
        ("method", "difference", "r", "peers"),
        tuple((figures.method, str(figures.coverage), figures.correlation, figures.peers) for figures in study.of()),
        "Coverage of peers by a method's own pyramids and matches, beside that by the given ones",
        "difference: mean absolute, in brackets 95 % intervals over topics and peers; r: Pearson's, over peers."
        f"{_few(study)}",
        signature=str(study.signature),
    )


def _topics(study: BuildersStudy) -> Table:
    shown = ("purity", "completeness", "f1", "word_f1", "labels", "coverage")
    return Table(
        ("method", "topic", "SCUs", "purity", "completeness", "F1", "F1 of words", "labels", "difference"),
        tuple(
            (figure.method, figure.topic, figure.scus, *(getattr(figure, name).value for name in shown))
            for figure in study.figures
        ),
        "Every method on every topic",
        keys=("method", "topic", "scus", *shown),
        signature=str(study.signature),
    )


def _whole(study: BuildersStudy, intervals: Sequence[str], plain: Sequence[str] = ()) -> Table:
    rows = []
    for figures in study.figures:
        cells: list[Cell] = [figures.method, figures.topic]
        for name in intervals:
            figure: Figure = getattr(figures, name)
            cells += (figure.value, *(figure.interval or (None, None)))
        rows.append((*cells, *(getattr(figures, name) for name in plain)))
    named = (column for name in intervals for column in (name, f"{name}_low", f"{name}_high"))
    return Table(("method", "topic", *named, *plain), tuple(rows), signature=str(study.signature))
