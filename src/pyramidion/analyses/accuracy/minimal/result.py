"""The figures of judges on minimal sets and damaged texts, as tables and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyramidion.analyses.accuracy.minimal.damage import ROWS
from pyramidion.analyses.accuracy.minimal.sets import KINDS, Half
from pyramidion.base.tables import Cell, Table
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import FEWEST, Interval

TITLES = {
    "verbatim": "verbatim",
    "light": "light paraphrase",
    "heavy": "heavy paraphrase",
    "split": "split over two sentences",
    "negation": "negated",
    "swapped": "roles swapped",
    "number": "another number",
    "name": "another name",
    "time": "another time",
    "hedged": "hedged",
    "topic": "same topic",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its interval, if there are enough sets or texts, and their number."""

    value: float | None
    interval: Interval | None
    n: int

    @property
    def shown(self) -> str | None:
        """For people."""
        if self.value is None:
            return None
        low_high = " [{:.2f}, {:.2f}]".format(*self.interval) if self.interval else ""
        return f"{self.value:.2f}{low_high}"


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """The figures of one judge."""

    judge: str
    kinds: dict[str, Figure]
    order: Figure
    auc: Figure
    true_against_false: Figure
    genres: dict[str, Figure]
    """AUC by genre."""
    texts: dict[str, Figure]
    """The share of a reference's coverage that remains (:mod:`~pyramidion.analyses.accuracy.minimal.damage`)."""

    def of_sets(self) -> Iterator[tuple[str, str, str, Figure]]:
        """Yield every figure on the sets: its group, key, title and value."""
        for kind, figure in self.kinds.items():
            yield KINDS[kind], kind, TITLES[kind], figure
        yield "all", "order", "order: said above unsaid", self.order
        yield "all", "auc", "AUC said against unsaid", self.auc
        for genre, figure in self.genres.items():
            yield "all", f"auc_{genre}", f"AUC {genre}", figure
        yield "all", "auc_true_against_false", "AUC paraphrases against negated, swapped", self.true_against_false

    def of_texts(self) -> Iterator[tuple[str, str, str, Figure]]:
        """Yield every figure on the damaged texts in the same way."""
        for row, figure in self.texts.items():
            yield ROWS[row], row.replace(" ", "_"), row, figure


@dataclass(frozen=True, slots=True)
class MinimalStudy(Result):
    """The figures of every judge; the floor comes last."""

    signature: Signature
    half: Half
    sets: int
    judges: tuple[JudgeFigures, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a table with one figure a row, and tables of sets and of damaged texts with one judge a column."""
        return {
            "figures": self._long_table(),
            "sets": self._wide_table(
                ("variant", "it is", "sets"),
                JudgeFigures.of_sets,
                "Mean probability that the passage says the statement, by kind of variant, with 95 % intervals over "
                "sets",
                "A judge that reads is near 1 for what is said, order and AUC, near 0 for the rest. A coin has AUC "
                "0.5.",
            ),
            "texts": self._wide_table(
                ("text", "it", "texts"),
                JudgeFigures.of_texts,
                "Coverage of texts made from the references of the bundled example, as a share of the reference's own",
                f"Figures of fewer than {FEWEST} texts have no interval.",
            ),
        }

    @property
    def shown(self) -> tuple[str, ...]:
        """The tables for people."""
        return ("sets", "texts")

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {"signature": str(self.signature), "half": self.half, "sets": self.sets, "judges": self.judges}

    def _wide_table(self, columns: tuple[str, ...], figures: Rows, title: str, caption: str = "") -> Table:
        rows = [
            (of_judge[0][2], of_judge[0][0], of_judge[0][3].n, *(figure.shown for *_, figure in of_judge))
            for of_judge in zip(*map(figures, self.judges), strict=True)
        ]
        names = (judge.judge for judge in self.judges)
        return Table((*columns, *names), tuple(rows), title, caption, signature=str(self.signature))

    def _long_table(self) -> Table:
        keys = ("judge", "figure", "of", "n", "value", "low", "high")
        rows: list[tuple[Cell, ...]] = [
            (judge.judge, key, of, figure.n, figure.value, *(figure.interval or (None, None)))
            for judge in self.judges
            for of, key, _, figure in (*judge.of_sets(), *judge.of_texts())
        ]
        return Table(keys, tuple(rows), keys=keys, signature=str(self.signature))


Rows = Callable[[JudgeFigures], Iterator[tuple[str, str, str, Figure]]]
