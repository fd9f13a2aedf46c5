r"""Are two scores together better than each alone? The linear combination of Steinberger et al. 2017 (§5).

.. math:: \alpha A + (1 - \alpha) B, \quad 0 \le \alpha \le 1

of two scores A and B of the same summaries, and its correlation with human scores along alpha (Figure 2), at one of the
levels of :mod:`pyramidion.stats.levels`. There are three ways to choose alpha and report its worth:

* *blind*: alpha = .5, without looking at human scores.
* *best*: the alpha with the highest correlation on the same summaries, the paper's "optimal" one. This flatters: it is
  never below A or B alone.
* *held out*: in each fold, alpha is chosen on the other documents (on the other peers if there is one document), and
  combines the held-out scores. Combinations with different alphas have different scales, so each is standardised over
  all summaries (minus its mean, divided by its deviation); human scores play no part in that. If all folds choose the
  same alpha, the result is exactly the curve's value at that alpha.

Alphas of equal correlation (to nine decimals) are ranked by their distance from the blind one, then by size.

**Scale.** The paper combines raw scores, so alpha also converts units: if A varies k times as much as B, alpha = .5
gives A k times the influence, and the scales alone decide where the best alpha lies. ``scale`` first puts both scores
on one scale: ``z`` (minus the mean, divided by the deviation, over all summaries) or ``minmax`` (from 0 to 1). The best
possible combination is the same on all scales, because alpha can make up for units. The best of twenty steps and the
blind combination are not.

A constant score adds nothing: the curve is that of the other score, and undefined at its own end. Turn round a score
that is lower for better summaries before combining it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.stats.correlation import Statistic
from pyramidion.stats.cross_validation import best_first, folds_of
from pyramidion.stats.levels import Estimate, Level, correlations_by_draw, difference, estimate, matrices, times_drawn

Scale = Literal["none", "z", "minmax"]
Array = NDArray[np.float64]
Estimates = Mapping[Statistic, Estimate]
"""An estimate for each statistic."""
Way = Literal["first", "second", "blind", "best", "held out"]
"""A alone, B alone, or combined in one of three ways."""

STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
BLIND = 0.5
STEPS = 20
GAINS: tuple[tuple[Way, Way], ...] = tuple((way, over) for way in ("blind", "held out") for over in ("first", "second"))
FEWEST = 4
"""With fewer summaries nothing can be held out."""


@dataclass(frozen=True, slots=True)
class Combination:
    """The correlation of two scores' combinations with people."""

    level: Level
    scale: Scale
    by: Statistic
    """The statistic that alpha is chosen by."""
    summaries: int
    """The number of summaries with all three scores."""
    alphas: tuple[float, ...]
    curve: Mapping[Statistic, tuple[float | None, ...]]
    """The correlation at each of ``alphas``; None where it is undefined."""
    blind_alpha: float
    best_alpha: float | None
    """The best on all summaries; none where no combination has a correlation."""
    chosen: tuple[float | None, ...]
    """The alpha of each fold; none where no combination has a correlation on its training summaries."""
    units: Literal["topic", "peer"]
    """The unit of folds and of draws."""
    worth: Mapping[Way, Estimates]
    gains: Mapping[tuple[Way, Way], Estimates]
    """By how much the blind and the held-out combination correlate better than A, and than B."""

    @property
    def chosen_alpha(self) -> float | None:
        """The median of the folds' choices (the lower of two)."""
        known = [alpha for alpha in self.chosen if alpha is not None]
        return median_low(known) if known else None


def weighted_sum(first: ArrayLike, second: ArrayLike, alpha: float) -> Array:
    """Return the combination ``alpha * first + (1 - alpha) * second`` of two arrays of scores.

    >>> weighted_sum([1, 2], [3, 7], 0.25).tolist()
    [2.5, 5.75]
    """
    mixture: Array = _alpha(alpha) * np.asarray(first, np.float64) + (1 - alpha) * np.asarray(second, np.float64)
    return mixture


@check_choices
def rescale(values: ArrayLike, scale: Scale) -> Array:
    """Put scores on a common scale. Constant scores become 0; NaN, a missing score, stays NaN.

    >>> rescale([1, 2, 5], "minmax").tolist()
    [0.0, 0.25, 1.0]
    """
    known = np.asarray(values, np.float64)
    if scale == "none" or not np.isfinite(known).any():
        return known
    start = np.nanmean(known) if scale == "z" else np.nanmin(known)
    less = known - start
    size = np.nanstd(known) if scale == "z" else np.nanmax(less)
    # a deviation this small against the scores is rounding: they are constant
    return np.asarray(less / size if size > 1e-9 * np.nanmax(np.abs(known)) else 0 * known)


@check_choices
def combination(
    first: ArrayLike,
    second: ArrayLike,
    human: ArrayLike,
    *,
    level: Level = "global",
    scale: Scale = "none",
    by: Statistic = "pearson",
    alpha: float = BLIND,
    steps: int = STEPS,
    folds: int | None = None,
    samples: int = 2_000,
    seed: int = 0,
) -> Combination:
    """Correlate combinations of two scores with human scores.

    All three are matrices of documents x systems; NaN marks a missing score, and a summary that misses one counts
    nowhere. ``alpha`` is the blind one, ``steps`` how many steps the curve has from 0 to 1. ``folds`` are as in
    :func:`~pyramidion.stats.cross_validation.folds_of`, of documents if there are several. Intervals come from
    ``samples`` draws of documents (or of peers), with the choices as made.

    >>> made = combination([[1, 0, 1, 0, 2]], [[0, 1, 0, 2, 1]], [[1, 1, 1, 2, 3]], steps=4, samples=0)
    >>> made.best_alpha, made.curve["pearson"]
    (0.5, (0.534522483825, 0.784464540553, 1.0, 0.784464540553, 0.534522483825))
    """
    if steps < 1:
        raise ModelError(f"A curve of {steps} steps has no points", do="ask for 1 step or more, e.g. 20")
    _alpha(alpha)
    a, b, people = _matrices(first, second, human)
    units: Literal["topic", "peer"] = "topic"
    if len(people) == 1:
        # The three levels are one level then: peers are drawn and held out, each a document of its own.
        a, b, people, level, units = a.T, b.T, people.T, "global", "peer"
    a, b = rescale(a, scale), rescale(b, scale)
    held = _folds(people, units, folds)
    training = np.ones((1 + len(held), len(people)))  # the first row: all documents
    for row, fold in enumerate(held, start=1):
        training[row, fold] = 0
    alphas = tuple(step / steps for step in range(steps + 1))
    made = [weighted_sum(a, b, weight) for weight in alphas]
    choosing = np.array([correlations_by_draw(people, scores, training, level, by) for scores in made])
    best, *chosen = (_best(_values(column), alpha) for column in choosing.T)
    ways: dict[Way, Array] = {
        "first": a,
        "second": b,
        "blind": weighted_sum(a, b, alpha),
        "best": np.full(people.shape, np.nan) if best is None else made[best],
        "held out": _held_out(made, held, chosen),
    }
    times = times_drawn(len(people), samples, seed)
    drawn = {
        way: {name: correlations_by_draw(people, scores, times, level, name) for name in STATISTICS}
        for way, scores in ways.items()
    }
    return Combination(
        level=level,
        scale=scale,
        by=by,
        summaries=int(np.isfinite(people).sum()),
        alphas=alphas,
        curve={
            name: _values(
                np.array([correlations_by_draw(people, scores, training[:1], level, name)[0] for scores in made])
            )
            for name in STATISTICS
        },
        blind_alpha=alpha,
        best_alpha=None if best is None else alphas[best],
        chosen=tuple(None if place is None else alphas[place] for place in chosen),
        units=units,
        worth={way: {name: estimate(drawn[way][name], level) for name in STATISTICS} for way in drawn},
        gains={
            (way, over): {name: difference(drawn[way][name], drawn[over][name], level) for name in STATISTICS}
            for way, over in GAINS
        },
    )


def _held_out(made: Sequence[Array], folds: Sequence[Sequence[int]], chosen: Sequence[int | None]) -> Array:
    """Score each row by the combination that was chosen without it, standardised; NaN where none was."""
    scores = np.full(made[0].shape, np.nan)
    for fold, place in zip(folds, chosen, strict=True):
        if place is not None:
            scores[list(fold)] = rescale(made[place], "z")[list(fold)]
    return scores


def _alpha(alpha: float) -> float:
    if not 0 <= alpha <= 1:
        raise ModelError(f"Alpha cannot be {alpha:g}", do="use a number from 0 to 1")
    return alpha


def _matrices(*given: ArrayLike) -> tuple[Array, Array, Array]:
    """Return the three matrices, each NaN wherever one is."""
    first, second, human = (values.copy() for values in matrices(*given))
    missing = np.isnan(first) | np.isnan(second) | np.isnan(human)
    if (~missing).sum() < FEWEST:
        raise ModelError(
            f"Only {(~missing).sum()} summaries have all three scores",
            do=f"give {FEWEST} or more, which cross-validation needs",
        )
    for values in (first, second, human):
        values[missing] = np.nan
    kept = (~missing).any(axis=1)
    first, second, human = first[kept], second[kept], human[kept]
    if _constant(human):
        raise ModelError(f"Every summary has the human score {np.nanmax(human):g}", do="choose human scores that vary")
    if _constant(first) and _constant(second):
        raise ModelError("Both scores are the same for every summary", do="combine scores that vary")
    return first, second, human


def _constant(values: Array) -> bool:
    return bool(np.nanmax(values) - np.nanmin(values) <= 1e-9 * np.nanmax(np.abs(values)))


def _folds(human: Array, units: Literal["topic", "peer"], count: int | None) -> list[list[int]]:
    """Return the rows that each fold holds out."""
    # names that sort as the rows do
    numbers = [f"{row:09}" for row in range(len(human))]
    if units == "topic":
        keys, values = [(number, "") for number in numbers], [0.0] * len(numbers)
    else:
        keys, values = [("", number) for number in numbers], human[:, 0].tolist()
    return [list(fold) for fold in folds_of(keys, values, count)]


def _values(numbers: Array) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(number) else round(float(number), 12) for number in numbers)


def _best(curve: tuple[float | None, ...], blind: float) -> int | None:
    """Return the place of the highest value; of equals, the nearest to the blind alpha, then the first."""
    steps = len(curve) - 1
    # whole numbers, so that equal distances tie
    distance = [round(1e6 * abs(place / steps - blind)) for place in range(len(curve))]
    return next(iter(best_first(curve, distance)), None)
