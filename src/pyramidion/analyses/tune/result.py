"""The result of a grid search: every cell's correlation with people, the worth of the choice, and advice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import product
from statistics import fmean
from typing import Any, Literal

from pyramidion.analyses.plots.tune import draw_tuning
from pyramidion.analyses.tune.grid import Grid, Parameters, free, value_text
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table
from pyramidion.evaluation.evaluation import Key
from pyramidion.methods import Method, Value
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.anova import Anova
from pyramidion.stats.bootstrap import Interval, few_note
from pyramidion.stats.cross_validation import Validation, best_first

FEW = 5
"""The number of the best and of the worst cells that are printed."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """One combination of parameter values: each peer's score, and how these agree with people."""

    parameters: Parameters
    scores: tuple[float, ...]
    """The scores in the order of :attr:`Tuning.peers`; empty if the method failed."""
    correlation: float | None
    """The correlation with human scores; None if all scores are the same."""
    problem: str = ""
    """Why the method failed with these values, if it did."""

    def __str__(self) -> str:
        return " ".join(f"{name}={value_text(value)}" for name, value in self.parameters) or "the method as it is"

    def to_json(self) -> dict[str, Any]:
        """Return the parameters and what they are worth, for programs."""
        return {"parameters": dict(self.parameters), "correlation": self.correlation}


@dataclass(frozen=True, slots=True)
class Tuning(Result):
    """The settings of the search, every cell, and the choice."""

    signature: Signature
    method: Method
    quantity: str
    column: str
    grid: Grid
    peers: tuple[Key, ...]
    """The topics and peers that people scored."""
    human: tuple[float, ...]
    cells: tuple[GridCell, ...]
    default: GridCell
    """The method with its own parameters."""
    default_interval: Interval | None
    """The 95 % interval of the default's correlation."""
    anova: tuple[tuple[str, Anova | None], ...]
    """Each parameter's analysis of variance over the cells (Table 5); none for a parameter of one value."""
    by: Literal["peer", "topic"]
    """The unit of the folds."""
    validation: Validation

    @property
    def ranked(self) -> tuple[int, ...]:
        """The cells that have a correlation, best first."""
        return best_first([cell.correlation for cell in self.cells], distances(self.cells, self.method))

    @property
    def best(self) -> GridCell | None:
        """The cell with the highest correlation over all peers: the flattering choice."""
        return next((self.cells[index] for index in self.ranked), None)

    @property
    def recommended(self) -> GridCell | None:
        """The cell that cross-validation recommends."""
        index = self.validation.recommended
        return None if index is None else self.cells[index]

    @property
    def undefined(self) -> int:
        """Return the number of cells without a correlation, because all their scores are the same."""
        return sum(cell.correlation is None and not cell.problem for cell in self.cells)

    @property
    def failed(self) -> int:
        """Return the number of cells with which the method failed."""
        return sum(bool(cell.problem) for cell in self.cells)

    @property
    def advice(self) -> str:
        """Return advice in a sentence or two."""
        valid = self.validation
        if valid.recommended is None:
            return "No cell has a correlation in every fold, so nothing can be recommended."
        times, folds = valid.times(valid.recommended), len(valid.folds)
        stable = "stable" if 4 * times >= 3 * folds else "fairly stable" if 2 * times >= folds else "unstable"
        sentence = (
            f"Recommended: {self.recommended} (mean r {fmean(valid.training):.3f} on training peers, "
            f"{min(valid.training):.3f} to {max(valid.training):.3f}); chosen in {times} of {folds} folds: {stable}."
        )
        if valid.held_out is None:
            return f"{sentence} The held-out predictions have no correlation."
        if self.default.correlation is None or valid.held_out > self.default.correlation:
            return sentence
        return f"{sentence} On held-out peers the choice is not better than the defaults: keep the defaults."

    def means(self, *names: str) -> dict[tuple[Value, ...], float | None]:
        """Return the mean correlation for each combination of these parameters' values, over all the others."""
        correlations: dict[tuple[Value, ...], list[float]] = {
            values: [] for values in product(*(dict(self.grid)[name] for name in names))
        }
        for cell in self.cells:
            if cell.correlation is not None:
                values = dict(cell.parameters)
                correlations[tuple(values[name] for name in names)].append(cell.correlation)
        return {values: fmean(rs) if rs else None for values, rs in correlations.items()}

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the cells, the mean correlations by parameter, the analysis of variance, and the choice."""
        several = [name for name, values in self.grid if len(values) > 1]
        return {
            "cells": _cells_table(self, whole),
            **{f"mean by {name}": _means_table(self, name) for name in several if len(several) > 1},
            "anova": _anova_table(self),
            "worth": _worth_table(self),
            "choices": _choices_table(self),
        }

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw the correlations over two parameters (Gao et al. 2019, Figure 8), or along one."""
        return draw_tuning(self, format)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        valid = self.validation
        return {
            "signature": str(self.signature),
            "method": str(self.method),
            "score": self.quantity,
            "human": self.column,
            "grid": {name: list(values) for name, values in self.grid},
            "peers": [
                {"topic": topic, "peer": peer, "human": human, "held_out": z}
                for (topic, peer), human, z in zip(self.peers, self.human, valid.predictions, strict=True)
            ],
            "cells": [
                {**asdict(cell), **cell.to_json(), "folds_chosen": valid.times(index)}
                for index, cell in enumerate(self.cells)
            ],
            "undefined": self.undefined,
            "failed": self.failed,
            "means": {
                name: [{"value": value, "correlation": mean} for (value,), mean in self.means(name).items()]
                for name, _ in self.grid
            },
            "anova": [{"parameter": name, **(asdict(found) if found else {})} for name, found in self.anova],
            "default": {**self.default.to_json(), "interval": self.default_interval},
            "in_sample_best": self.best and self.best.to_json(),
            "cross_validation": {
                "by": self.by,
                "folds": len(valid.folds),
                "correlation": valid.held_out,
                "interval": valid.interval,
                "recommended": self.recommended and self.recommended.to_json(),
                "recommended_training": list(valid.training),
                "recommended_folds": valid.times(valid.recommended),
            },
            "advice": self.advice,
        }


def distances(cells: Iterable[GridCell], method: Method) -> list[int]:
    """Return, for each cell, the number of parameters that differ from the method's defaults."""
    defaults = free(method)
    return [sum(value != defaults[name] for name, value in cell.parameters) for cell in cells]


def _cell(value: Value) -> Cell:
    return value_text(value) if isinstance(value, bool) else value


def _cells_table(tuning: Tuning, whole: bool) -> Table:
    """Make a row for each cell, best first; unless ``whole``, only the best and the worst of many cells."""
    names = tuple(name for name, _ in tuning.grid)
    defined = tuning.ranked
    show_all = whole or len(tuning.cells) <= 4 * FEW

    def row(rank: int | None, index: int) -> tuple[Cell, ...]:
        cell = tuning.cells[index]
        values = (_cell(value) for _, value in cell.parameters)
        problem = (cell.problem,) if whole else ()
        return (rank, *values, cell.correlation, tuning.validation.times(index), *problem)

    rows = [row(rank, index) for rank, index in enumerate(defined, start=1)]
    if show_all:
        rows += (row(None, index) for index in range(len(tuning.cells)) if index not in set(defined))
    elif len(rows) > 2 * FEW:
        rows = rows[:FEW] + rows[-FEW:]
    title = (
        f"{tuning.method}: correlation (Pearson) of {tuning.quantity} with {tuning.column} over "
        f"{len(tuning.peers)} peers, {len(tuning.cells)} cells{'' if show_all else f'; the best and the worst {FEW}'}"
    )
    notes = [f"{tuning.failed} cell(s) failed."] if tuning.failed else []
    if tuning.undefined:
        notes.append(f"{tuning.undefined} cell(s) give all peers the same score and have no correlation.")
    problem = ("problem",) if whole else ()
    keys = ("rank", *names, "correlation", "folds_chosen", *problem)
    columns = ("rank", *names, "r", "chosen", *problem)
    return Table(columns, tuple(rows), title, "\n".join(notes), keys, str(tuning.signature))


def _means_table(tuning: Tuning, name: str) -> Table:
    """Show the mean correlation at each value of a parameter, over all the others."""
    return Table((name, "mean r"), tuple((_cell(value), mean) for (value,), mean in tuning.means(name).items()))


def _anova_table(tuning: Tuning) -> Table:
    """Make Table 5 of Gao et al. 2019, with the share of variance beside it."""
    rows: list[tuple[Cell, ...]] = []
    for name, anova in tuning.anova:
        if anova is None:
            rows.append((name, 0, None, None, None, None))
        else:
            rows.append((name, anova.df_between, anova.df_within, anova.f, anova.p, anova.eta_squared))
    title = f"One-way analysis of variance over {len(tuning.ranked)} cells"
    note = "The cells score the same peers: F and eta squared describe the grid; p assumes that they are independent."
    columns = ("parameter", "DF", "DF within", "F", "p", "eta squared")
    return Table(columns, tuple(rows), title, note, ("parameter", "df", "df_within", "f", "p", "eta_squared"))


def _worth_table(tuning: Tuning) -> Table:
    """Compare the worth of the choice with that of the method's own parameters."""
    valid, best = tuning.validation, tuning.best
    by = f"chosen on the others ({len(valid.folds)} folds by {tuning.by})"
    rows: tuple[tuple[Cell, ...], ...] = (
        ("the method's own parameters", tuning.default.correlation, *(tuning.default_interval or (None, None))),
        ("chosen and measured on the same peers (flattering)", best.correlation if best else None, None, None),
        (by, valid.held_out, *(valid.interval or (None, None))),
    )
    units = len({topic for topic, _ in tuning.peers}) if tuning.by == "topic" else len(tuning.peers)
    note = few_note(units, f"{tuning.by}s") or f"Intervals are drawn over {tuning.by}s."
    return Table(("parameters", "r", "95 % from", "to"), rows, "What the choice is worth", note)


def _choices_table(tuning: Tuning) -> Table:
    """Show which cells the folds chose, and the advice."""
    valid = tuning.validation
    chosen = sorted(
        {index for index in valid.chosen if index is not None}, key=lambda index: (-valid.times(index), index)
    )
    rows = tuple((str(tuning.cells[index]), valid.times(index)) for index in chosen[: 2 * FEW])
    more = len(chosen) - len(rows)
    note = (f"and {more} more\n\n" if more > 0 else "") + tuning.advice
    return Table(("cell", "folds that chose it"), rows, "", note)
