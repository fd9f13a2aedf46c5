"""Which parameters agree best with people? A grid search that says how much of its answer is luck.

Gao et al. 2019, appendix B: every combination of parameter values (a *cell*) scores the peers that people have scored,
and a cell is worth its Pearson correlation r with the human scores. The choice of a cell is cross-validated, since the
best of many flatters (:mod:`pyramidion.stats.cross_validation`). A peer's score in a cell does not depend on folds:
each cell is evaluated once (:mod:`pyramidion.analyses.tune.cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from pyramidion.analyses.scores.table import ScoreTable
from pyramidion.analyses.tune.cells import keep_scored, rows, scores_of
from pyramidion.analyses.tune.grid import Grid, cells_of, check_grid, default_grid, value_text
from pyramidion.analyses.tune.result import GridCell, Tuning, distances
from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import how_read
from pyramidion.methods import Method, Value
from pyramidion.model import Topic
from pyramidion.notes import note
from pyramidion.scoring import Quantity
from pyramidion.signature import Signature
from pyramidion.stats.anova import Anova, one_way
from pyramidion.stats.correlation import pearson
from pyramidion.stats.cross_validation import cross_validate, folds_of
from pyramidion.stats.levels import correlation_of_peers

FEWEST_PEERS = 4


def _anova(cells: Sequence[GridCell], name: str, values: Sequence[Value]) -> Anova | None:
    groups = [
        [cell.correlation for cell in cells if cell.correlation is not None and dict(cell.parameters)[name] == value]
        for value in values
    ]
    return one_way(groups) if sum(bool(group) for group in groups) > 1 else None


@check_choices
def tune(
    topics: Sequence[Topic],
    human: ScoreTable,
    method: Method | str,
    grid: Grid | None = None,
    *,
    quantity: Quantity = "raw",
    folds: int | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Tuning:
    """Score the peers that people scored with every cell of a grid of parameters, and choose among the cells.

    The method's own parameters must work; a cell that fails is counted and left out, with a warning.

    * ``topics`` have the peers that people scored.
    * ``human`` are people's scores (:func:`~pyramidion.api.human_scores`).
    * ``method`` is the one to tune.
    * ``grid`` has the values of each parameter; that of the method's paper if none is given.
    * ``quantity`` is the score to compare: ``raw``, ``coverage``, ...
    * ``folds`` is the number of folds of the cross-validation; the default is one for each peer.
    * ``progress`` is called after each cell.

    >>> import pyramidion as pm
    >>> from pyramidion.analyses.tune import read_grid
    >>> topics = pm.example()
    >>> method = pm.Method.parse("given+soft")
    >>> tuning = pm.tune(topics, pm.human_scores(topics), method, read_grid(["threshold=0.3,0.6"], method))
    >>> len(tuning.rows())
    2
    """
    method = Method.parse(method) if isinstance(method, str) else method
    grid = check_grid(grid, method) if grid else default_grid(method)
    scores = human.by_peer()
    kept = keep_scored(topics, scores)
    peers = tuple(sorted((topic.id, peer.id) for topic in kept for peer in topic.peers))
    known = tuple(scores[peer] for peer in peers)
    if len(peers) < FEWEST_PEERS:
        raise PyramidionError(
            f"{len(peers)} peer(s) have a human score", do=f"give human scores of {FEWEST_PEERS} peers or more"
        )
    if len(set(known)) == 1:
        raise PyramidionError(
            f"Every peer has the human score {known[0]:g} in {human.score!r}", do="choose a column that varies"
        )
    method.check_language(kept)
    held_out = folds_of(peers, known, folds)
    default_scores = scores_of(kept, method, quantity, peers)
    of_topics = [topic for topic, _ in peers]
    worth = correlation_of_peers(default_scores, known, of_topics)
    default = GridCell(method.parameters, default_scores, worth.value)
    cell_rows = rows(kept, method, grid, quantity, peers, progress)
    cells = tuple(
        GridCell(cell, cell_scores, pearson(cell_scores, known) if cell_scores else None, problem)
        for cell, (cell_scores, problem) in zip(cells_of(grid), cell_rows, strict=True)
    )
    problems = [f"{cell}: {cell.problem}" for cell in cells if cell.problem]
    if problems:
        note(f"{len(problems)} of {len(cells)} cells failed and are left out; the first: {problems[0]}")
    # as folds_of holds out whole topics, if there are several
    by: Literal["peer", "topic"] = "topic" if len(kept) > 1 else "peer"
    tried = " ".join(f"{name}={','.join(map(value_text, values))}" for name, values in grid)
    signature = Signature(
        str(method),
        (
            *method.versions,
            ("tuned", tried),
            ("score", quantity),
            ("human", human.score),
            ("folds", f"{len(held_out)} by {by}"),
            *how_read(topics),
        ),
    )
    return Tuning(
        signature=signature,
        method=method,
        quantity=quantity,
        column=human.score,
        grid=grid,
        peers=peers,
        human=known,
        cells=cells,
        default=default,
        default_interval=worth.interval,
        anova=tuple((name, _anova(cells, name, values)) for name, values in grid),
        by=by,
        validation=cross_validate(
            [cell.scores for cell in cells], known, held_out, distances(cells, method), of_topics
        ),
    )
