"""How much of a study is enough? Correlation as workers, statements or topics are reduced (Shapira et al. 2019 §4).

Figures 1 and 2 of the paper, and its paragraph on workers: systems' scores from random parts of the study
(:mod:`~pyramidion.crowd.scores.resampling`; 70 for every setting) are correlated with another score of the same
systems, the paper's being the expert pyramid. Without another score they are correlated with the whole study's own:
such curves end at 1 and tell how fast a study approaches itself, not how right it is.

Workers are filtered before, once, by all of their votes.

*Re-run* (§4, *Stability*): the mean over systems of the relative change of their scores, |b - a| / a, from a first set
of votes to a second, over the summaries that both judge; or, where nobody judged again, between two random halves of
the workers of every item, 70 times. Nothing is extrapolated: all figures are of votes that were collected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal

import numpy as np

from pyramidion.crowd.judging.aggregate import AGGREGATIONS, Aggregation
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.scores.layout import Array, Layout, mean_over_topics
from pyramidion.crowd.scores.resampling import RESAMPLES, Resampled, resample, turns
from pyramidion.crowd.study import Study
from pyramidion.errors import PyramidionError
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import percentiles
from pyramidion.stats.correlation import Statistic, correlation, correlations_by_row

Resource = Literal["workers", "statements", "topics"]
RESOURCES: tuple[Resource, ...] = ("workers", "statements", "topics")
ITSELF = "the whole study"
_FEWEST = 3
"""The fewest systems; the correlation of two is always 1 or -1."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean over resamples, and the central 95 % of them, extended to the mean where few others pull it out."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Array) -> Spread | None:
        """Return the spread of the values that are not NaN; None if there is none."""
        defined = values[~np.isnan(values)]
        if not len(defined):
            return None
        mean = round(float(defined.mean()), 12)
        central = percentiles(mean, defined)
        return central and cls(mean, *central)


@dataclass(frozen=True, slots=True)
class Point:
    """The correlations that a number of workers, statements and topics gives."""

    workers: int
    statements: int
    topics: int
    pearson: Spread | None
    spearman: Spread | None
    half_width: float | None
    """Half the width of the 95 % interval of a system's score, averaged over systems; None with few topics."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """The change of systems' scores when other workers judge."""

    change: Spread
    """The mean relative change; for a second set of votes there is one, and no spread."""
    systems: int
    workers: int
    """The number of workers in each of two halves; 0 for a second set of votes."""
    left_out: int = 0
    """The number of systems with score 0, whose relative change is undefined."""
    pearson: Spread | None = None
    """The correlation of the two sets of scores, which share no vote."""
    note: str = ""
    """A note on what could not be compared."""


@dataclass(frozen=True)
class Curves:
    """The three curves, and everything they are slices of."""

    signature: Signature
    against: str
    systems: tuple[str, ...]
    """The systems that have both scores."""
    most: Point
    """The amounts of everything that was collected."""
    curves: Mapping[Resource, tuple[Point, ...]]
    """The curve of each resource, with all of the other two."""
    points: tuple[Point, ...]
    """The points of every combination."""
    rerun: Rerun | None
    notes: tuple[str, ...]
    resamples: int = field(default=RESAMPLES)


def steps(least: int, most: int, count: int) -> tuple[int, ...]:
    """Return about ``count`` whole numbers, evenly apart, from the least (or the most, if that is smaller) to the most.

    >>> steps(4, 16, 7), steps(10, 100, 10), steps(4, 3, 7)
    ((4, 6, 8, 10, 12, 14, 16), (10, 20, 30, 40, 50, 60, 70, 80, 90, 100), (3,))
    """
    return tuple(sorted({round(float(number)) for number in np.linspace(min(least, most), most, count)}))


def system_scores(votes: Votes, aggregation: str = "majority", study: Study | None = None) -> dict[str, float]:
    """Return the scores of the systems that have one."""
    layout = Layout.of(votes, study)
    means = _means(layout, AGGREGATIONS[aggregation], votes)
    return {name: float(mean) for name, mean in zip(layout.systems, means, strict=True) if not np.isnan(mean)}


def summary_scores(
    votes: Votes, aggregation: str = "majority", study: Study | None = None
) -> dict[tuple[str, str], float]:
    """Return the scores of the summaries that have one, by topic and system."""
    layout = Layout.of(votes, study)
    scores = layout.by_topic(layout.matrix(AGGREGATIONS[aggregation](votes).value))
    return {
        (layout.topics[topic], layout.systems[system]): float(scores[topic, system])
        for topic, system in np.argwhere(~np.isnan(scores)).tolist()
    }


def curves(
    votes: Votes,
    aggregation: str = "majority",
    *,
    against: Mapping[str, float] | None = None,
    name: str = "",
    study: Study | None = None,
    workers: Sequence[int] = (),
    statements: Sequence[int] = (),
    topics: Sequence[int] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
    screening: Sequence[tuple[str, str]] = (),
    progress: Callable[[int], None] = lambda number: None,
) -> Curves:
    """Compute correlations for each of these amounts and for the whole study; by default a handful of amounts.

    ``against`` has another score by system, called ``name``. ``screening`` says how the votes were chosen, for the
    signature.
    """
    layout = Layout.of(votes, study)
    whole = system_scores(votes, aggregation, study)
    target = whole if against is None else against
    shared = _in_both(whole, target, against is None)
    amounts, notes = _to_try(votes, layout, (workers, statements, topics))
    if against is None:
        notes.append(
            "Correlated with the whole study's own scores: how fast it approaches itself, not how right it is."
        )
    missing = [system for system in whole if system not in target]
    if missing:
        notes.append(f"Without another score, and left out: {', '.join(missing[:10])}.")
    resampled = resample(
        votes,
        layout,
        AGGREGATIONS[aggregation],
        *amounts,
        resamples=resamples,
        seed=seed,
        progress=progress,
    )
    columns = [layout.systems.index(system) for system in shared]
    points = _points(resampled, columns, np.array([target[system] for system in shared]))
    called = ITSELF if against is None else name or "the given scores"
    parameters = (
        ("aggregation", aggregation),
        *AGGREGATIONS.signed(aggregation),
        *screening,
        ("against", called),
        ("resamples", str(resamples)),
        ("seed", str(seed)),
    )
    return Curves(
        Signature("crowd curves", parameters),
        called,
        tuple(shared),
        points[-1],
        {resource: _slice(points, resource) for resource in RESOURCES},
        points,
        halves(votes, aggregation, study=study, resamples=resamples, seed=seed),
        tuple(notes),
        resamples,
    )


def _in_both(whole: Mapping[str, float], target: Mapping[str, float], itself: bool) -> list[str]:
    """Return the systems that have both scores."""
    shared = [system for system in whole if system in target]
    if len(shared) < _FEWEST:
        theirs = "" if itself else f"; the other scores are of {', '.join(sorted(target)[:10])}"
        raise PyramidionError(
            f"A correlation needs {_FEWEST} systems that have both scores, and there are {len(shared)}{theirs}",
            do="give more systems" if itself else "name systems as the votes do",
        )
    return shared


def _to_try(votes: Votes, layout: Layout, asked: Sequence[Sequence[int]]) -> tuple[list[tuple[int, ...]], list[str]]:
    """Return the amounts of each resource to try, up to what the study has, and notes on amounts beyond that."""
    items, statements, topics = int(votes.counts.sum(axis=1).max()), int(layout.sizes.max()), len(layout.topics)
    default = (range(1, items + 1), steps(4, statements, 7), steps(10 if topics > 10 else 2, topics, 10))
    amounts, notes = [], []
    for resource, wanted, usual, most in zip(RESOURCES, asked, default, (items, statements, topics), strict=True):
        # everything that was collected is always the last amount, so that the last point is the whole study
        amounts.append(tuple(sorted({*(amount for amount in wanted or usual if amount < most), most})))
        beyond = sorted({amount for amount in wanted if amount > most})
        if beyond:
            names = ", ".join(map(str, beyond))
            notes.append(f"{resource}: {names} would go beyond the {most} collected; left out.")
    return amounts, notes


def _slice(points: Sequence[Point], resource: Resource) -> tuple[Point, ...]:
    """Return the points that have all of the other two resources."""
    most = points[-1]
    fixed = [name for name in RESOURCES if name != resource]
    return tuple(point for point in points if all(getattr(point, name) == getattr(most, name) for name in fixed))


def _points(resampled: Resampled, columns: Sequence[int], target: Array) -> tuple[Point, ...]:
    """Return a point for every combination of amounts, the whole study last; ``columns`` are the systems compared."""
    scores = resampled.scores[..., columns]
    pearson, spearman = (_correlations(scores, target, statistic) for statistic in ("pearson", "spearman"))
    points = []
    for i, workers in enumerate(resampled.workers):
        for j, statements in enumerate(resampled.statements):
            for k, topics in enumerate(resampled.topics):
                at = (slice(None), i, j, k)
                width = Spread.of(resampled.half_width[at])
                points.append(
                    Point(
                        workers,
                        statements,
                        topics,
                        Spread.of(pearson[at]),
                        Spread.of(spearman[at]),
                        width.mean if width else None,
                    )
                )
    return tuple(points)


def _correlations(scores: Array, target: Array, statistic: Statistic) -> Array:
    """Correlate the last axis with the target, without systems that lack a score; NaN for fewer than three systems."""
    known = ~np.isnan(target)
    rows, target = scores.reshape(-1, scores.shape[-1])[:, known], target[known]
    correlations = np.full(len(rows), np.nan)
    whole = ~np.isnan(rows).any(axis=1) & (len(target) >= _FEWEST)
    # rows without gaps, nearly all, are correlated at once; the others one by one
    correlations[whole] = correlations_by_row(rows[whole], np.broadcast_to(target, rows[whole].shape), statistic)
    for number in np.flatnonzero(~whole):
        scored = ~np.isnan(rows[number])
        value = correlation(rows[number][scored], target[scored], statistic) if scored.sum() >= _FEWEST else None
        correlations[number] = np.nan if value is None else value
    return correlations.reshape(scores.shape[:-1])


# Re-runs


def halves(
    votes: Votes,
    aggregation: str = "majority",
    *,
    study: Study | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Rerun | None:
    """Return the relative change between two random halves of the workers of every item; None if items have one vote.

    Half is half of what most items have: of three workers, one against one other.
    """
    usual = int(np.bincount(votes.counts.sum(axis=1))[1:].argmax()) + 1  # items without a vote do not count
    half = usual // 2
    if not half:
        return None
    layout, decide = Layout.of(votes, study), AGGREGATIONS[aggregation]
    changes, correlations, systems, zeros = [], [], 0, 0
    for number in range(resamples):
        random = np.random.default_rng([seed, number])
        turn = turns(votes, random.permutation(len(votes.assignments))[votes.assignment])
        first = _means(layout, decide, votes.where(turn < half))
        second = _means(layout, decide, votes.where((turn >= half) & (turn < 2 * half)))
        change, defined, undefined = _change(first, second)
        changes.append(change)
        correlations.append(float(_correlations(first[None], second, "pearson")[0]))
        systems, zeros = max(systems, defined), max(zeros, undefined)
    spread = Spread.of(np.array(changes))
    return None if spread is None else Rerun(spread, systems, half, zeros, Spread.of(np.array(correlations)))


def rerun(first: Mapping[str, float], second: Mapping[str, float]) -> Rerun:
    """Return the mean relative change of the systems that two sets of votes have in common.

    >>> rerun({"a": 0.5, "b": 0.4}, {"a": 0.55, "b": 0.36, "c": 1.0}).change.mean
    0.1
    """
    shared = sorted(set(first) & set(second))
    before, after = (np.array([scores[name] for name in shared]) for scores in (first, second))
    change, defined, undefined = _change(before, after)
    if not defined:
        raise PyramidionError(
            "The second votes have no system in common with the first" if not shared else "Every system scores 0",
            do=f"judge some of {', '.join(sorted(first)[:10])} again",
        )
    moved = Spread.of(np.array([change]))
    assert moved is not None  # some systems have one
    return Rerun(moved, defined, 0, undefined, Spread.of(_correlations(before[None], after, "pearson")))


def judged_again(first: Mapping[tuple[str, str], float], second: Mapping[tuple[str, str], float]) -> Rerun:
    """Compare two sets of scores by topic and system, like :func:`rerun`, over the summaries that both have."""
    shared = sorted(first.keys() & second.keys())
    before, after = (_by_system({key: scores[key] for key in shared}) for scores in (first, second))
    if not shared:
        raise PyramidionError(
            "The second votes have no summary in common with the first", do="judge some of the same summaries again"
        )
    moved = rerun(before, after)
    if len(shared) == len(first) == len(second):
        return moved
    note = f"Only the {len(shared)} summaries that both judge are compared, of {len(first)} and {len(second)}."
    return replace(moved, note=note)


def _by_system(scores: Mapping[tuple[str, str], float]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for (_, system), value in scores.items():
        values.setdefault(system, []).append(value)
    return {system: fmean(scores_of_system) for system, scores_of_system in values.items()}


def _means(layout: Layout, decide: Aggregation, votes: Votes) -> Array:
    return mean_over_topics(layout.by_topic(layout.matrix(decide(votes).value)))


def _change(first: Array, second: Array) -> tuple[float, int, int]:
    """Return the mean relative change, the number of systems, and the number of systems with score 0."""
    scored = ~np.isnan(first) & ~np.isnan(second)
    moved = scored & (first > 0)
    changes = np.abs(second[moved] - first[moved]) / first[moved]
    return (float(changes.mean()) if len(changes) else np.nan), int(moved.sum()), int((scored & ~moved).sum())
