r"""How good is the best of many candidates on items that were not used to choose it?

Every candidate (a *cell* of a grid) has a score for each item, and is worth its Pearson correlation r with the human
scores. The best r of many cells flatters, because it is reported on the items it was chosen on. So, in each fold,

* the cell with the highest r on the training items is chosen;
* it predicts each held-out item: :math:`z = (s - \bar s) / \sigma`, its score s in that cell, with the mean and the
  deviation of all items' scores there. That puts the predictions of different cells on one scale; human scores play no
  part in it. If all folds choose the same cell, the predictions are that cell's own scores, and r is its r. (The mean
  and deviation of the training items would give each fold a scale of its own, which moves r by itself, also upwards.)

The correlation of all z with the human scores is what to expect of a cell chosen in this way. For scores that are pure
noise it is 0 on average, whereas the best of 300 cells on 14 items shows .71. Its own deviation is then about .4, so
with few items only a large difference means anything. Its interval
(:func:`~pyramidion.stats.levels.correlation_of_peers`) takes the choices as made. Cells of equal r (to nine
decimals) are ranked by their distance from the defaults, then in their order. The interval is drawn over topics, where
there are several, since peers of one topic share their pyramid, and else over peers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from pyramidion.errors import ModelError
from pyramidion.stats.bootstrap import Interval
from pyramidion.stats.correlation import pearson
from pyramidion.stats.levels import correlation_of_peers

LEAVE_ONE_OUT = 20
"""Up to this many peers (or topics) each is a fold of its own; of more, ten folds are made."""


@dataclass(frozen=True, slots=True)
class Validation:
    """The cross-validated choice among cells."""

    folds: tuple[tuple[int, ...], ...]
    """The peers that each fold holds out."""
    chosen: tuple[int | None, ...]
    """The cell that each fold chose; none where no cell has a correlation on its training peers."""
    predictions: tuple[float | None, ...]
    """Each peer's standardised score by the cell that was chosen without it."""
    held_out: float | None
    """The correlation of the predictions with the human scores."""
    interval: Interval | None
    """Of ``held_out``, 95 %."""
    recommended: int | None
    """The cell with the best mean correlation on training peers, of those that have one in every fold."""
    training: tuple[float, ...]
    """The recommended cell's correlation on each fold's training peers."""

    def times(self, cell: int | None) -> int:
        """Return the number of folds that chose a cell."""
        return self.chosen.count(cell) if cell is not None else 0


def folds_of(
    peers: Sequence[tuple[str, str]], human: Sequence[float], count: int | None = None
) -> tuple[tuple[int, ...], ...]:
    """Return the peers, named by topic and peer, that each fold holds out, by position.

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
        raise ModelError(
            f"{count} folds cannot be made of {len(units)} {'topics' if len(topics) > 1 else 'peers'}",
            do=f"ask for 2 to {len(units)}",
        )
    return tuple(tuple(i for unit in units[first::count] for i in unit) for first in range(count))


def best_first(correlations: Sequence[float | None], distance: Sequence[int]) -> tuple[int, ...]:
    """Return the positions from the highest down; of equals, the nearest to the defaults, then the first."""
    defined = [(-round(r, 9), distance[i], i) for i, r in enumerate(correlations) if r is not None]
    return tuple(i for _, _, i in sorted(defined))


def _best(correlations: Sequence[float | None], distance: Sequence[int]) -> int | None:
    return next(iter(best_first(correlations, distance)), None)


def cross_validate(
    scores: Sequence[Sequence[float]],
    human: Sequence[float],
    folds: Sequence[Sequence[int]],
    distance: Sequence[int] | None = None,
    topics: Sequence[str] | None = None,
) -> Validation:
    """Choose among cells on each fold's training peers, and predict the peers held out (see the module).

    ``scores`` has a row a cell, with a column a peer or empty; ``distance`` says how far a cell is from the defaults,
    ``topics`` of which topic each peer is, if there are several.

    >>> found = cross_validate([[1, 2, 4, 3]], [1, 2, 3, 4], [(0,), (1,), (2,), (3,)])
    >>> found.held_out == pearson([1, 2, 4, 3], [1, 2, 3, 4])           # there is one cell to choose
    True
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
            # of all peers, lest each fold have a scale of its own (see the module)
            mean, deviation = fmean(scores[best]), pstdev(scores[best])
            for i in fold:
                predictions[i] = (scores[best][i] - mean) / deviation
    telling = [correlations for correlations, best in zip(trained, chosen, strict=True) if best is not None]
    over_folds = [[correlations[cell] for correlations in telling] for cell in range(len(scores))] if telling else []
    whole = [[r for r in rs if r is not None] for rs in over_folds]
    recommended = _best([fmean(rs) if len(rs) == len(telling) else None for rs in whole], distance)
    known_topics = topics or [""] * len(human)
    pairs = [(z, h, of) for z, h, of in zip(predictions, human, known_topics, strict=True) if z is not None]
    worth = correlation_of_peers([z for z, _, _ in pairs], [h for _, h, _ in pairs], [of for *_, of in pairs])
    return Validation(
        folds=tuple(map(tuple, folds)),
        chosen=tuple(chosen),
        predictions=tuple(predictions),
        held_out=worth.value,
        interval=worth.interval,
        recommended=recommended,
        training=tuple(whole[recommended]) if recommended is not None else (),
    )
