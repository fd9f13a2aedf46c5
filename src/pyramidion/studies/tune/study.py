"""Which parameters agree best with people? A grid search that says how much of its answer is luck.

Gao et al. 2019, appendix B: every combination of parameter values (a *cell*) scores the peers that people have scored,
and a cell is worth its Pearson correlation r with the human scores. The choice of a cell is cross-validated, since the
best of many flatters (:mod:`pyramidion.stats.cross_validation`). A peer's score in a cell does not depend on folds:
each cell is evaluated once (:mod:`pyramidion.studies.tune.cells`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Literal

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.methods import Method, Value
from pyramidion.model import Topic
from pyramidion.reading import how_read
from pyramidion.score import QUANTITIES
from pyramidion.signature import Signature
from pyramidion.stats.anova import Anova, one_way
from pyramidion.stats.bootstrap import Interval
from pyramidion.stats.correlation import correlation_interval, pearson
from pyramidion.stats.cross_validation import Validation, cross_validate, folds_of, ranked
from pyramidion.studies.scores.human import Human
from pyramidion.studies.tune.cells import Key, labelled, rows, scores_of
from pyramidion.studies.tune.grid import Grid, Parameters, cells_of, checked, default_grid, free, shown

__all__ = ["Cell", "Tuning", "means", "tune"]

FEWEST_PEERS = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of parameter values: each peer's score, and how these agree with people."""

    parameters: Parameters
    scores: tuple[float, ...]
    """In the order of :attr:`Tuning.peers`; none where the method failed."""
    correlation: float | None
    """None where all scores are the same."""
    problem: str = ""
    """Why the method failed with these values, if it did."""

    def __str__(self) -> str:
        return " ".join(f"{name}={shown(value)}" for name, value in self.parameters) or "the method as it is"


@dataclass(frozen=True, slots=True)
class Tuning:
    """What was asked, every cell, and what they say."""

    signature: Signature
    method: Method
    quantity: str
    column: str
    grid: Grid
    peers: tuple[Key, ...]
    """Topic and peer of those that people scored."""
    human: tuple[float, ...]
    cells: tuple[Cell, ...]
    default: Cell
    """The method with its own parameters."""
    default_interval: Interval | None
    """Of the default's correlation, 95 %."""
    anova: tuple[tuple[str, Anova | None], ...]
    """Each parameter's analysis of variance over the cells (Table 5); none for a parameter of one value."""
    by: Literal["peer", "topic"]
    """What folds are made of."""
    validation: Validation

    @property
    def ranked(self) -> tuple[int, ...]:
        """The cells that have a correlation, best first."""
        return ranked([cell.correlation for cell in self.cells], _distances(self.cells, self.method))

    @property
    def best(self) -> int | None:
        """The cell with the highest correlation over all peers: the flattering choice."""
        return next(iter(self.ranked), None)

    @property
    def undefined(self) -> int:
        """How many cells have no correlation, since all their scores are the same."""
        return sum(cell.correlation is None and not cell.problem for cell in self.cells)

    @property
    def failed(self) -> int:
        """With how many cells the method failed."""
        return sum(bool(cell.problem) for cell in self.cells)

    @property
    def advice(self) -> str:
        """What to make of it, in a sentence or two."""
        valid = self.validation
        if valid.recommended is None:
            return "No cell has a correlation in every fold: nothing can be recommended."
        times, folds = valid.times(valid.recommended), len(valid.folds)
        stable = "stable" if 4 * times >= 3 * folds else "fairly stable" if 2 * times >= folds else "unstable"
        told = (
            f"Recommended: {self.cells[valid.recommended]} (mean r {fmean(valid.training):.3f} on training peers, "
            f"{min(valid.training):.3f} to {max(valid.training):.3f}); chosen in {times} of {folds} folds: {stable}."
        )
        if valid.held_out is None:
            return f"{told} The held-out predictions have no correlation."
        if self.default.correlation is None or valid.held_out > self.default.correlation:
            return told
        return f"{told} On held-out peers the choice does no better than the defaults: keep the defaults."


def _distances(cells: Iterable[Cell], method: Method) -> list[int]:
    """How many parameters of each cell differ from the method's defaults."""
    defaults = free(method)
    return [sum(value != defaults[name] for name, value in cell.parameters) for cell in cells]


def means(tuning: Tuning, *names: str) -> dict[tuple[Value, ...], float | None]:
    """The mean correlation for each combination of these parameters' values, over all the others."""
    found: dict[tuple[Value, ...], list[float]] = {
        values: [] for values in product(*(dict(tuning.grid)[name] for name in names))
    }
    for cell in tuning.cells:
        if cell.correlation is not None:
            given = dict(cell.parameters)
            found[tuple(given[name] for name in names)].append(cell.correlation)
    return {values: fmean(rs) if rs else None for values, rs in found.items()}


def _anova(cells: Sequence[Cell], name: str, values: Sequence[Value]) -> Anova | None:
    groups = [
        [cell.correlation for cell in cells if cell.correlation is not None and dict(cell.parameters)[name] == value]
        for value in values
    ]
    return one_way(groups) if sum(bool(group) for group in groups) > 1 else None


def tune(
    topics: Sequence[Topic],
    human: Human,
    method: Method | str,
    grid: Grid | None = None,
    *,
    quantity: str = "raw",
    folds: int | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Tuning:
    """Score the peers that people scored with every cell of the grid, and choose among the cells.

    ``quantity`` is the score to compare (one of ``QUANTITIES``); ``progress`` is called after each cell. The method's
    own parameters must work; a cell that fails is counted and left out, with a warning.
    """
    method = Method.parse(method) if isinstance(method, str) else method
    grid = checked(grid, method) if grid else default_grid(method)
    if quantity not in QUANTITIES:
        raise PyramidionError(f"there is no score {quantity!r}", do=f"choose one of: {', '.join(QUANTITIES)}")
    kept = labelled(topics, human.values)
    peers = tuple(sorted((topic.id, peer.id) for topic in kept for peer in topic.peers))
    known = tuple(human.values[peer] for peer in peers)
    if len(peers) < FEWEST_PEERS:
        raise PyramidionError(f"{len(peers)} peer(s) have a human score", do=f"tuning needs {FEWEST_PEERS} or more")
    if len(set(known)) == 1:
        raise PyramidionError(
            f"every peer has the human score {known[0]:g} in {human.column!r}", do="choose a column that varies"
        )
    method.check_language(kept)
    held_out = folds_of(peers, known, folds)
    own = scores_of(kept, method, quantity, peers)
    worth = correlation_interval(own, known)
    default = Cell(method.parameters, own, worth.value)
    found = rows(kept, method, grid, quantity, peers, progress)
    cells = tuple(
        Cell(cell, scores, pearson(scores, known) if scores else None, problem)
        for cell, (scores, problem) in zip(cells_of(grid), found, strict=True)
    )
    problems = [f"{cell}: {cell.problem}" for cell in cells if cell.problem]
    if problems:
        warnings.warn(
            f"{len(problems)} of {len(cells)} cells failed and are left out; the first: {problems[0]}",
            InputWarning,
            stacklevel=2,
        )
    by: Literal["peer", "topic"] = "topic" if len(kept) > 1 else "peer"
    tried = " ".join(f"{name}={','.join(map(shown, values))}" for name, values in grid)
    signature = Signature(
        str(method),
        (
            *method.versions,
            ("tuned", tried),
            ("score", quantity),
            ("human", human.column),
            ("folds", f"{len(held_out)} by {by}"),
            *how_read(topics),
        ),
    )
    return Tuning(
        signature=signature,
        method=method,
        quantity=quantity,
        column=human.column,
        grid=grid,
        peers=peers,
        human=known,
        cells=cells,
        default=default,
        default_interval=worth.interval,
        anova=tuple((name, _anova(cells, name, values)) for name, values in grid),
        by=by,
        validation=cross_validate([cell.scores for cell in cells], known, held_out, _distances(cells, method)),
    )
