r"""Which parameters agree best with people? A grid search that says how much of its answer is luck.

Gao et al. 2019, appendix B: every combination of parameter values (a *cell*) scores the peers that people have scored,
and a cell is worth its Pearson correlation r with the human scores. The best r of many cells flatters: it was chosen on
the peers it is reported for. So the choice is cross-validated, too. In each fold,

* the cell with the highest r on the training peers is chosen;
* it predicts each held-out peer: :math:`z = (s - \bar s) / \sigma`, its score s in that cell, with the mean and the
  deviation of the training peers' scores there. That puts the predictions of different cells on one scale.

The correlation of all z with the human scores is what a user may expect of parameters chosen in this way. For scores
that are pure noise it is 0 on average, where the best of 300 cells on 14 peers shows .71; but its own deviation is then
about .4, so with few peers only a large difference says anything. Its interval (Efron's percentile bootstrap over
peers) takes the choices as made. Cells of equal r (to nine decimals) are ranked by the number of parameters that differ
from the method's defaults, then in the grid's order.

A peer's score in a cell does not depend on folds: each cell is evaluated once. A pyramid is built once for all the
cells that differ in the matcher only, and cells that build equal pyramids are matched once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from statistics import fmean, pstdev
from typing import Any, Literal

from pyramidion.errors import InputWarning, MissingPartError, PyramidionError
from pyramidion.methods import GIVEN, Method, Value
from pyramidion.model import Pyramid, Topic
from pyramidion.run.evaluate import QUANTITIES, evaluate
from pyramidion.run.human import Human
from pyramidion.signature import Signature
from pyramidion.stats.anova import Anova, one_way
from pyramidion.stats.bootstrap import Interval
from pyramidion.stats.correlation import correlation_interval, pearson

__all__ = [
    "GAO_2019",
    "MAX_CELLS",
    "Cell",
    "Grid",
    "Tuning",
    "Validation",
    "cross_validate",
    "default_grid",
    "folds_of",
    "means",
    "read_grid",
    "tune",
]

Grid = tuple[tuple[str, tuple[Value, ...]], ...]
"""Parameters and the values that each is to take."""

GAO_2019: Grid = (
    ("alpha", (10, 20, 30, 40, 50)),
    ("beta", (1, 1.5, 2, 2.5, 3)),
    ("percentile", (60, 62, 65, 67, 70, 72, 75, 77, 80, 83, 85, 87)),
)
"""Appendix B: 5 x 5 x 12 cells. The paper prints ranges and degrees of freedom; the steps are ours, through its 83."""

MAX_CELLS = 10_000
FEWEST_PEERS = 4
LEAVE_ONE_OUT = 20
"""Up to this many peers (or topics) each is a fold of its own; of more, ten folds are made."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of parameter values: each peer's score, and how these agree with people."""

    parameters: tuple[tuple[str, Value], ...]
    scores: tuple[float, ...]
    """In the order of :attr:`Tuning.peers`; none where the method failed."""
    correlation: float | None
    """None where all scores are the same."""
    problem: str = ""
    """Why the method failed with these values, if it did."""

    def __str__(self) -> str:
        return " ".join(f"{name}={_shown(value)}" for name, value in self.parameters) or "the method as it is"


@dataclass(frozen=True, slots=True)
class Validation:
    """The cross-validated choice among cells."""

    folds: tuple[tuple[int, ...], ...]
    """The peers that each fold holds out."""
    chosen: tuple[int | None, ...]
    """The cell that each fold chose; none where no cell has a correlation on its training peers."""
    predictions: tuple[float | None, ...]
    """Each peer's standardized score by the cell that was chosen without it."""
    held_out: float | None
    """The correlation of the predictions with the human scores."""
    interval: Interval | None
    """Of ``held_out``, 95 %."""
    recommended: int | None
    """The cell with the best mean correlation on training peers, of those that have one in every fold."""
    training: tuple[float, ...]
    """The recommended cell's correlation on each fold's training peers."""

    def times(self, cell: int | None) -> int:
        """In how many folds a cell was chosen."""
        return self.chosen.count(cell) if cell is not None else 0


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
        return _ranked([cell.correlation for cell in self.cells], _distances(self.cells, self.method))

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


# The grid


def _shown(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_grid(method: Method) -> Grid:
    """The paper's grid, without the parameters that the method lacks or that it fixes already."""
    free = _free(method)
    grid = tuple((name, values) for name, values in GAO_2019 if name in free)
    if not grid:
        raise PyramidionError(
            f"the method '{method}' has none of {', '.join(name for name, _ in GAO_2019)} to try",
            do=f"name others with --grid; it has {', '.join(free)}" if free else "choose a method with parameters",
        )
    return _checked(grid, method)


def read_grid(texts: Sequence[str], method: Method) -> Grid:
    """The grid of ``name=value,value,...`` texts; without any, :func:`default_grid`."""
    if not texts:
        return default_grid(method)
    grid = []
    for text in texts:
        name, equals, values = text.partition("=")
        name, items = name.strip(), [item.strip() for item in values.split(",")]
        if not equals or not name or not all(items):
            raise PyramidionError(f"{text!r} is not a parameter with values", do="write NAME=VALUE,VALUE,...")
        _check_name(name, method)
        grid.append((name, items))
    _check_size(len(items) for _, items in grid)
    return _checked(tuple((name, tuple(_value(name, item, method) for item in items)) for name, items in grid), method)


def _value(name: str, text: str, method: Method) -> Value:
    return dict(Method.parse(f"{method.builder}+{method.matcher}({name}={text})").parameters)[name]


def _free(method: Method) -> dict[str, Any]:
    """The parameters that the method has and does not fix, with their defaults."""
    fixed = dict(method.parameters)
    return {name: default for name, default in method.settings.items() if name not in fixed}


def _check_name(name: str, method: Method) -> None:
    free = _free(method)
    if name in free:
        return
    if name in dict(method.parameters):
        raise PyramidionError(f"the method '{method}' fixes {name} already", do="leave it out there or in the grid")
    raise PyramidionError(
        f"the method {method.name!r} has no parameter {name!r}",
        do=f"it has {', '.join(free)}" if free else "it has none to try",
    )


def _check_size(counts: Iterable[int]) -> None:
    if (cells := prod(counts)) > MAX_CELLS:
        raise PyramidionError(f"the grid has {cells} cells, more than {MAX_CELLS}", do="try fewer values")


def _checked(grid: Grid, method: Method) -> Grid:
    """The grid, if every value can be one of its parameter and no cell stands in it twice."""
    _check_size(len(values) for _, values in grid)
    names = [name for name, _ in grid]
    for name, values in grid:
        _check_name(name, method)
        if names.count(name) > 1:
            raise PyramidionError(f"{name} is in the grid twice", do="give all its values at once")
        if not values:
            raise PyramidionError(f"{name} has no values to try", do="give one or more")
        for value in values:
            Method(method.builder, method.matcher, ((name, value),))
            if values.count(value) > 1:
                raise PyramidionError(f"{name} has the value {_shown(value)} twice", do="give each once")
    return grid


# Every cell's scores


def _labelled(topics: Iterable[Topic], human: Mapping[Key, float]) -> list[Topic]:
    """The topics with only the peers that people scored."""
    kept = []
    for topic in topics:
        peers = tuple(peer for peer in topic.peers if (topic.id, peer.id) in human)
        ids = {peer.id for peer in peers}
        annotations = tuple(one for one in topic.annotations if one.summary.role == "peer" and one.summary.id in ids)
        if peers:
            kept.append(replace(topic, peers=peers, annotations=annotations))
    return kept


def _scores(topics: Sequence[Topic], method: Method, quantity: str, peers: Sequence[Key]) -> tuple[float, ...]:
    """Each peer's score; of several annotations, the mean."""
    found: dict[Key, list[float]] = {}
    for one in evaluate(topics, method).results:
        found.setdefault((one.scores.topic, one.scores.summary), []).append(float(getattr(one.scores, quantity)))
    for topic, peer in peers:
        if (topic, peer) not in found:
            raise PyramidionError(
                f"peer {peer!r} of topic {topic!r} has a human score, but '{method}' gives it none",
                do="annotate it, take it out of the table, or choose a method that matches peers itself",
            )
    return tuple(fmean(found[peer]) for peer in peers)


def _built(topics: Iterable[Topic], method: Method) -> list[Topic]:
    """The topics with their pyramids built, ready for the matcher alone."""
    given = method.matcher == GIVEN
    return [
        replace(topic, pyramid=method.pyramid(topic), annotations=topic.annotations if given else ())
        for topic in topics
    ]


def _cells(grid: Grid) -> Iterator[tuple[tuple[str, Value], ...]]:
    names = [name for name, _ in grid]
    for values in product(*(values for _, values in grid)):
        yield tuple(zip(names, values, strict=True))


def _with(method: Method, parameters: Iterable[tuple[str, Value]]) -> Method:
    return Method(method.builder, method.matcher, (*method.parameters, *parameters))


def _matching(method: Method) -> Method:
    """The method's matcher alone, for pyramids that are built."""
    known = Method(GIVEN, method.matcher).settings
    return Method(GIVEN, method.matcher, tuple(pair for pair in method.parameters if pair[0] in known))


Row = tuple[tuple[float, ...], str]
"""A cell's scores, or why there are none."""


def _rows(
    topics: Sequence[Topic], method: Method, grid: Grid, quantity: str, peers: Sequence[Key], done: Callable[[], None]
) -> list[Row]:
    """What each cell gives, in the grid's order; values that the method fails with do not end the search."""
    of_builder = Method(method.builder, GIVEN).settings
    cells = list(_cells(grid))
    alike: dict[tuple[tuple[str, Value], ...], list[int]] = {}
    for index, cell in enumerate(cells):
        alike.setdefault(tuple(pair for pair in cell if pair[0] in of_builder), []).append(index)
    rows: dict[int, Row] = {}
    known: dict[tuple[tuple[Pyramid | None, ...], Method], Row] = {}
    for building, indices in alike.items():
        built, problem = _build(topics, _with(method, building))
        pyramids = tuple(topic.pyramid for topic in built)
        for index in indices:
            matching = _matching(_with(method, cells[index]))
            if problem:
                rows[index] = ((), problem)
            elif (pyramids, matching) in known:
                rows[index] = known[pyramids, matching]
            else:
                rows[index] = known[pyramids, matching] = _row(built, matching, quantity, peers)
            done()
    return [rows[index] for index in range(len(cells))]


def _build(topics: Sequence[Topic], method: Method) -> tuple[list[Topic], str]:
    try:
        return _built(topics, method), ""
    except MissingPartError:
        raise
    except PyramidionError as error:
        return [], str(error)


def _row(built: Sequence[Topic], method: Method, quantity: str, peers: Sequence[Key]) -> Row:
    try:
        return _scores(built, method, quantity, peers), ""
    except MissingPartError:
        raise
    except PyramidionError as error:
        return (), str(error)


# The choice


def folds_of(peers: Sequence[Key], human: Sequence[float], count: int | None = None) -> tuple[tuple[int, ...], ...]:
    """The peers that each fold holds out, by position.

    Whole topics where there are several, since peers of one topic share their pyramid; else single peers. Up to twenty
    are a fold each, more are dealt to ten folds; ``count`` asks for another number. Peers are dealt in the order of
    their human scores, so that every fold spans good and bad ones; topics in that of their ids.

    >>> folds_of([("t", "a"), ("t", "b"), ("t", "c"), ("t", "d")], [3, 1, 4, 2], 2)
    ((1, 0), (3, 2))
    """
    topics = sorted({topic for topic, _ in peers})
    if len(topics) > 1:
        units = [tuple(i for i, peer in enumerate(peers) if peer[0] == topic) for topic in topics]
    else:
        units = [(i,) for i in sorted(range(len(peers)), key=lambda i: (human[i], peers[i]))]
    if count is None:
        count = len(units) if len(units) <= LEAVE_ONE_OUT else 10
    if not 2 <= count <= len(units):
        raise PyramidionError(
            f"{count} folds cannot be made of {len(units)} {'topics' if len(topics) > 1 else 'peers'}",
            do=f"ask for 2 to {len(units)}",
        )
    return tuple(tuple(i for unit in units[first::count] for i in unit) for first in range(count))


def _ranked(correlations: Sequence[float | None], distance: Sequence[int]) -> tuple[int, ...]:
    """The positions from the highest down; of equals, the nearest to the defaults, then the first."""
    defined = [(-round(r, 9), distance[i], i) for i, r in enumerate(correlations) if r is not None]
    return tuple(i for _, _, i in sorted(defined))


def _distances(cells: Iterable[Cell], method: Method) -> list[int]:
    """How many parameters of each cell differ from the method's defaults."""
    free = _free(method)
    return [sum(value != free[name] for name, value in cell.parameters) for cell in cells]


def _best(correlations: Sequence[float | None], distance: Sequence[int]) -> int | None:
    return next(iter(_ranked(correlations, distance)), None)


def cross_validate(
    scores: Sequence[Sequence[float]],
    human: Sequence[float],
    folds: Sequence[Sequence[int]],
    distance: Sequence[int] | None = None,
) -> Validation:
    """Choose among cells on each fold's training peers, and predict the peers held out (see the module).

    ``scores`` has a row a cell, with a column a peer or empty; ``distance`` says how far a cell is from the defaults.
    """
    distance = distance or [0] * len(scores)
    trained: list[list[float | None]] = []
    chosen: list[int | None] = []
    predictions: list[float | None] = [None] * len(human)
    for fold in folds:
        out = set(fold)
        training = [i for i in range(len(human)) if i not in out]
        known = [human[i] for i in training]
        trained.append([pearson([row[i] for i in training], known) if row else None for row in scores])
        best = _best(trained[-1], distance)
        chosen.append(best)
        if best is not None:
            seen = [scores[best][i] for i in training]
            mean, deviation = fmean(seen), pstdev(seen)
            for i in fold:
                predictions[i] = (scores[best][i] - mean) / deviation
    telling = [one for one, best in zip(trained, chosen, strict=True) if best is not None]
    over_folds = [[one[cell] for one in telling] for cell in range(len(scores))] if telling else []
    whole = [[r for r in rs if r is not None] for rs in over_folds]
    recommended = _best([fmean(rs) if len(rs) == len(telling) else None for rs in whole], distance)
    pairs = [(z, h) for z, h in zip(predictions, human, strict=True) if z is not None]
    worth = correlation_interval([z for z, _ in pairs], [h for _, h in pairs])
    return Validation(
        folds=tuple(map(tuple, folds)),
        chosen=tuple(chosen),
        predictions=tuple(predictions),
        held_out=worth.value,
        interval=worth.interval,
        recommended=recommended,
        training=tuple(whole[recommended]) if recommended is not None else (),
    )


# All of it


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
    grid = _checked(grid, method) if grid else default_grid(method)
    if quantity not in QUANTITIES:
        raise PyramidionError(f"there is no score {quantity!r}", do=f"choose one of: {', '.join(QUANTITIES)}")
    kept = _labelled(topics, human.values)
    peers = tuple(sorted((topic.id, peer.id) for topic in kept for peer in topic.peers))
    known = tuple(human.values[peer] for peer in peers)
    if len(peers) < FEWEST_PEERS:
        raise PyramidionError(f"{len(peers)} peer(s) have a human score", do=f"tuning needs {FEWEST_PEERS} or more")
    if len(set(known)) == 1:
        raise PyramidionError(
            f"every peer has the human score {known[0]:g} in {human.column!r}", do="choose a column that varies"
        )
    held_out = folds_of(peers, known, folds)
    own = _scores(_built(kept, method), _matching(method), quantity, peers)
    worth = correlation_interval(own, known)
    default = Cell(method.parameters, own, worth.value)
    rows = _rows(kept, method, grid, quantity, peers, progress)
    cells = tuple(
        Cell(cell, scores, pearson(scores, known) if scores else None, problem)
        for cell, (scores, problem) in zip(_cells(grid), rows, strict=True)
    )
    problems = [f"{cell}: {cell.problem}" for cell in cells if cell.problem]
    if problems:
        warnings.warn(
            f"{len(problems)} of {len(cells)} cells failed and are left out; the first: {problems[0]}",
            InputWarning,
            stacklevel=2,
        )
    by: Literal["peer", "topic"] = "topic" if len(kept) > 1 else "peer"
    shown = " ".join(f"{name}={','.join(map(_shown, values))}" for name, values in grid)
    signature = Signature(
        str(method),
        (("tuned", shown), ("score", quantity), ("human", human.column), ("folds", f"{len(held_out)} by {by}")),
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
