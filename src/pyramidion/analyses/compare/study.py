"""Which systems are better? All pairs of systems are tested on the same topics or over their SCUs.

The tests are those of :mod:`pyramidion.stats.paired` (``wilcoxon``, ``bootstrap``, ``randomisation``: over topics),
:mod:`pyramidion.stats.tukey` (over topics, all pairs at once) and :mod:`pyramidion.stats.scu_tests` (``mcnemar``,
``permutation``: over SCUs). Pairs are compared on the topics that both have (pairwise deletion; Tukey's test leaves out
a topic that lacks any), and p-values are adjusted for the number of pairs. Letters group the systems that are not told
apart. Intervals of differences are those of the bootstrap, each pair for itself; Tukey's are simultaneous.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pyramidion.analyses.compare.result import ComparedSystem, Comparison, Power, ScuComparison, SystemPair, Test
from pyramidion.analyses.scores.scus import Scu, ScuVectors
from pyramidion.analyses.scores.table import ScoreTable, first_ten, suspected_placeholders
from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.notes import note
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import FEWEST, Interval, few_note, mean_interval
from pyramidion.stats.corrections import Correction, adjust
from pyramidion.stats.effects import cohen_d
from pyramidion.stats.letters import letters
from pyramidion.stats.paired import (
    differences,
    paired_bootstrap,
    rank_biserial,
    sign_flips,
    square,
    wilcoxon_columns,
)
from pyramidion.stats.scu_tests import alone, mcnemar, mcnemar_p, scu_permutation

Array = NDArray[np.float64]

_OVER_SCUS = ("permutation", "mcnemar")
_POWER = 0.8


@check_choices
def compare(
    scores: ScoreTable,
    test: Test = "wilcoxon",
    *,
    score: str = "",
    systems: Sequence[str] = (),
    without: Sequence[str] = (),
    no_score: float | None = None,
    correction: Correction | None = None,
    alpha: float = 0.05,
    power: float | None = None,
    samples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare all systems, or the named ones. Two named systems are also compared by their SCUs, if there are any.

    * ``scores`` are what :func:`~pyramidion.api.score_table` returns.
    * ``test`` is ``wilcoxon``, ``bootstrap``, ``randomisation`` or ``tukey``, over topics; ``permutation`` or
      ``mcnemar``, over SCUs.
    * ``score`` is the table's column, if it has several.
    * ``systems`` are the only ones to compare, and ``without`` are left out.
    * ``no_score`` is a value that stands for a missing score.
    * ``correction`` of the p-values is ``holm``, ``bh`` or ``none``; Tukey's test has its own.
    * ``alpha`` is the level of significance.
    * ``power`` is a difference: how many topics would it take to find it?
    * ``samples`` are the draws for tests and intervals, which start from ``seed``.

    >>> import pyramidion as pm
    >>> evaluation = pm.evaluate(pm.example(), "manual")
    >>> comparison = pm.compare(pm.score_table(evaluation), systems=["paraphrase-1", "off-topic"], samples=100)
    >>> comparison.rows("pairs")[0]["better"]
    'paraphrase-1'
    """
    if not 0 < alpha < 1:
        raise ModelError(f"The level of significance is {alpha:g}", do="give a number between 0 and 1, such as 0.05")
    if test == "tukey" and correction is not None:
        raise PyramidionError("Tukey's test corrects for all pairs itself", do="leave out the correction")
    correction = correction or "holm"
    scores = _sort_scores(_select_systems(scores, score, systems, without, no_score))
    missing = np.isnan(scores.values)
    _check_common(scores, test)
    # sorted first: a sum of floats depends on their order, and the result must not depend on that of the topics
    means = np.array([np.sort(column[~np.isnan(column)]).mean() for column in scores.values.T])
    _warn_of_missing(scores, missing)
    by_pair = differences(scores.values)
    tested = _test(scores, by_pair, test, alpha, samples, seed)
    final = tested.p if test == "tukey" else adjust(tested.p, correction)
    pairs = _pairs(scores, by_pair, tested, final, alpha)
    apart = square(final, len(means)) <= alpha
    np.fill_diagonal(apart, False)
    named = letters(apart)
    used = "tukey" if test == "tukey" else correction
    parameters = (
        ("score", scores.score),
        ("test", test),
        *((("zeros", "pratt"),) if test == "wilcoxon" else ()),
        ("correction", used),
        ("level", f"{alpha:g}"),
        ("samples", str(samples)),
        ("seed", str(seed)),
    )
    return Comparison(
        Signature(scores.signature.method, (*scores.signature.parameters, *parameters)),
        scores.score,
        test,
        used,
        alpha,
        len(scores.topics),
        tuple(
            ComparedSystem(
                name,
                int((~np.isnan(column)).sum()),
                round(float(mean), 12),
                mean_interval(column[~np.isnan(column)].tolist(), samples=samples, seed=seed),
                group_letters,
            )
            for name, column, mean, group_letters in zip(scores.systems, scores.values.T, means, named, strict=True)
        ),
        pairs,
        (
            *_notes(scores, missing, by_pair, test, correction, alpha, samples, tested.left_out),
            *_rank_conflicts(pairs, test),
        ),
        None if power is None else _power(by_pair, power, alpha, seed),
        _scu_comparison(scores, samples, seed) if len(systems) == 2 and scores.scus else None,
    )


def _select_systems(
    scores: ScoreTable, score: str, systems: Sequence[str], without: Sequence[str], no_score: float | None
) -> ScoreTable:
    """Select the column and the systems that were asked for."""
    if scores.topics == ("",):
        raise PyramidionError(
            "The table has one score per system, not one per topic",
            scores.name,
            "add a column 'topic', because systems are compared on the same topics",
        )
    if len(systems) == 1:
        raise PyramidionError(
            f"Only {systems[0]!r} is named, so there is nothing to compare it with", do="name two systems"
        )
    scores = scores.column(score)
    scores = scores if no_score is None else scores.without(no_score)
    if without:
        scores.only(without)  # raises where one is not there
        scores = scores.only([name for name in scores.systems if name not in without])
    scores = scores.only(systems) if systems else scores
    if len(scores.systems) < 2:
        left = f"one system ({scores.systems[0]})" if scores.systems else "no system"
        raise PyramidionError(f"There is {left}, so there is nothing to compare", do="give two or more")
    _warn_of_placeholders(scores)
    return scores


def _sort_scores(scores: ScoreTable) -> ScoreTable:
    """Sort systems best first and topics by their scores, so that random draws do not depend on names or order."""
    means = [float(np.sort(column[~np.isnan(column)]).mean()) for column in scores.values.T]
    ranked = sorted(range(len(means)), key=lambda place: (-round(means[place], 12), scores.systems[place]))
    best_first = scores.only([scores.systems[place] for place in ranked])
    rows = sorted(
        range(len(best_first.topics)),
        key=lambda row: (*np.nan_to_num(np.sort(best_first.values[row]), nan=-np.inf).tolist(), best_first.topics[row]),
    )
    topics = tuple(best_first.topics[row] for row in rows)
    return replace(best_first, topics=topics, columns={scores.score: best_first.values[rows]})


# Input that should be looked at


def _warn_of_placeholders(scores: ScoreTable) -> None:
    for value in suspected_placeholders(scores.values):
        cells = scores.cells(scores.values == value)
        note(
            f"{len(cells)} {scores.score} value(s) are {value:g} where no other is "
            f"{'below 0' if value < 0 else 'nearly as large'}, as if it stood for 'no score': {first_ten(cells)}; "
            f"no_score={value:g} leaves them out"
        )


def _warn_of_missing(scores: ScoreTable, missing: NDArray[np.bool_]) -> None:
    if missing.any():
        cells = sorted(scores.cells(missing))
        note(f"{len(cells)} of {missing.size} scores are missing: {first_ten(cells)}")


def _check_common(scores: ScoreTable, test: Test) -> None:
    """Raise an error if nothing can be tested."""
    if test in _OVER_SCUS:
        if scores.scus is None or not scores.scus.scus:
            raise PyramidionError(
                f"The test {test} compares SCUs, which these scores do not have",
                do="give a corpus with pyramids and annotations, or choose a test over topics such as wilcoxon",
            )
        return
    there = (~np.isnan(scores.values)).astype(int)
    common = there.T @ there
    np.fill_diagonal(common, 0)
    if common.max() > 1:
        if test == "tukey" and there.all(axis=1).sum() < 2:
            gaps = [name for name, column in zip(scores.systems, there.T, strict=True) if not column.all()]
            raise PyramidionError(
                f"Fewer than two topics have a score of every system; {first_ten(gaps)} lack some",
                do="leave these systems out, or choose another test",
            )
        return
    if common.max() == 1 or len(scores.topics) == 1:
        raise PyramidionError(
            "No two systems have two topics in common, which tests over topics need",
            do="give more topics, or compare two summaries of one topic by their SCUs with the test mcnemar",
        )
    shown = "; ".join(
        f"{system}: {first_ten(sorted(topic for topic, here in zip(scores.topics, column, strict=True) if here))}"
        for system, column in list(zip(scores.systems, there.T, strict=True))[:2]
    )
    raise PyramidionError(
        f"No two systems have a topic in common ({shown})", do="check that topics have the same ids for all systems"
    )


def _notes(
    scores: ScoreTable,
    missing: NDArray[np.bool_],
    by_pair: Array,
    test: Test,
    correction: Correction,
    alpha: float,
    samples: int,
    left_out: int,
) -> list[str]:
    """Return notes on missing scores, and on what these scores cannot show."""
    notes = []
    if missing.any():
        how = (
            f"{left_out} of {len(scores.topics)} topics lack a score and are left out of the test"
            if test == "tukey"
            else "each pair is compared on the topics that both have"
        )
        notes.append(f"{int(missing.sum())} of {missing.size} scores are missing: {how}.")
    alone_there = int(((~np.isnan(by_pair)).sum(axis=0) == 0).sum())
    if alone_there:
        notes.append(f"{alone_there} pair(s) have no topic in common: nothing tells them apart.")
    if not np.nan_to_num(by_pair).any():
        notes.append("All systems have the same score on every topic: nothing tells them apart.")
    notes += _too_few(int((~np.isnan(by_pair)).sum(axis=0).max()), by_pair.shape[1], test, correction, alpha, samples)
    notes.append(few_note(int((~missing).sum(axis=0).min()), "topics"))
    if test in _OVER_SCUS:
        notes.append("A test over SCUs speaks of these summaries, not of other topics.")
    return [note for note in notes if note]


def _rank_conflicts(pairs: Sequence[SystemPair], test: Test) -> list[str]:
    """Name the significant pairs in which the ranks (which the test uses) and the mean favour different systems."""
    if test != "wilcoxon":
        return []
    names = [
        f"{pair.worse} over {pair.better}"
        for pair in pairs
        if pair.significant and pair.rank_biserial * (pair.difference or 0) < 0
    ]
    favoured = f"The test finds {first_ten(names)}: on most topics better, though lower in the mean."
    return [favoured] if names else []


def _too_few(topics: int, pairs: int, test: Test, correction: Correction, alpha: float, samples: int) -> list[str]:
    """Return a note if too few topics make significance impossible."""
    # Holm multiplies the smallest p-value by the number of pairs
    times = pairs if correction == "holm" else 1
    # the two most extreme of 2^n signs
    least = 2.0 ** (1 - topics)
    if test in ("wilcoxon", "randomisation") and least * times > alpha:
        adjusting = f", {min(1, least * times):.2g} once adjusted for {pairs} pairs" if times > 1 else ""
        return [
            f"With {topics} topics no p-value is below {least:.2g}{adjusting}: nothing can be significant at {alpha:g}."
        ]
    # the smallest p-value of so many draws is 1 / (1 + samples)
    if test in ("bootstrap", "randomisation", "permutation") and times / (1 + samples) > alpha:
        return [
            f"With {samples} draws a p-value of {pairs} pairs can be too large to be significant whatever the scores: "
            "draw more samples."
        ]
    return []


# Testing


@dataclass(frozen=True, slots=True)
class _Tested:
    """The p-value of every pair, the bounds of its difference, and the number of topics left out."""

    p: Array
    low: Array
    high: Array
    left_out: int = 0


def _test(scores: ScoreTable, by_pair: Array, test: Test, alpha: float, samples: int, seed: int) -> _Tested:
    """Test all pairs; whatever gives the p-values, the intervals are those of the bootstrap, except Tukey's."""
    drawn = paired_bootstrap(by_pair, confidence=1 - alpha, samples=samples, seed=seed)
    p = drawn.p
    match test:
        case "wilcoxon":
            p = wilcoxon_columns(by_pair)
        case "randomisation":
            p = sign_flips(by_pair, samples, seed)
        case "mcnemar":
            only, _ = alone(_vectors(scores).presence)
            first, second = np.triu_indices(len(only), 1)
            p = mcnemar_p(only[first, second], only[second, first])[0]
        case "permutation":
            vectors = _vectors(scores)
            first, second = np.triu_indices(len(scores.systems), 1)
            contributions = (vectors.presence[:, first] - vectors.presence[:, second]) * vectors.values[:, None]
            p = sign_flips(contributions, samples, seed)
        case "tukey":
            from pyramidion.stats.tukey import tukey  # only here, as power below: few comparisons need either

            honest = tukey(scores.values, alpha)
            mean = np.array(
                [column[~np.isnan(column)].mean() if (~np.isnan(column)).any() else 0 for column in by_pair.T]
            )
            reach = honest.reach if honest.topics >= FEWEST else np.nan
            return _Tested(honest.p, mean - reach, mean + reach, honest.left_out)
    return _Tested(p, drawn.low, drawn.high)


def _vectors(scores: ScoreTable) -> ScuVectors:
    assert scores.scus is not None  # checked before
    return scores.scus


def _pairs(scores: ScoreTable, by_pair: Array, tested: _Tested, final: Array, alpha: float) -> tuple[SystemPair, ...]:
    """Return all pairs, each with its difference, p-values and effect sizes."""
    effect = cohen_d(by_pair, 1 - alpha)
    enough = (~np.isnan(by_pair)).sum(axis=0) >= FEWEST
    # this interval takes differences for normal, which so few cannot show them to be
    low, high = (np.where(enough, bound, np.nan) for bound in (effect.low, effect.high))
    ranks = rank_biserial(by_pair)
    only = alone(scores.scus.presence)[0] if scores.scus else None
    rows = []
    for place, (first, second) in enumerate(combinations(range(len(scores.systems)), 2)):
        column = by_pair[:, place]
        there = np.sort(column[~np.isnan(column)])
        rows.append(
            SystemPair(
                scores.systems[first],
                scores.systems[second],
                len(there),
                round(float(there.mean()), 12) + 0.0 if len(there) else None,  # + 0.0 makes 0 of -0
                _interval(tested.low[place], tested.high[place]),
                round(float(tested.p[place]), 12),
                round(float(final[place]), 12),
                bool(final[place] <= alpha),
                None if np.isnan(effect.value[place]) else round(float(effect.value[place]), 12),
                _interval(low[place], high[place]),
                round(float(ranks[place]), 12) + 0.0,
                None if only is None else int(only[first, second]),
                None if only is None else int(only[second, first]),
            )
        )
    return tuple(rows)


def _interval(low: float, high: float) -> Interval | None:
    return None if np.isnan(low) or np.isnan(high) else Interval(round(float(low), 12), round(float(high), 12))


def _power(by_pair: Array, difference: float, alpha: float, seed: int) -> Power:
    """Compute how many topics it takes to find a difference, by the deviations of the pairs."""
    from pyramidion.stats.power import detectable, topics_needed, topics_needed_wilcoxon

    counts = (~np.isnan(by_pair)).sum(axis=0)
    deviations = {
        pair: float(column[~np.isnan(column)].std(ddof=1))
        for pair, column in enumerate(by_pair.T)
        # differences that do not vary have no power to compute
        if counts[pair] > 1 and np.ptp(column[~np.isnan(column)]) > 0
    }
    if not deviations:
        raise PyramidionError(
            "The differences between systems do not vary over topics, so they say nothing about other topics",
            do="add topics, or leave out the power",
        )
    ranked = sorted(deviations, key=lambda pair: (deviations[pair], pair))
    # the median, the lower of two
    typical = ranked[(len(ranked) - 1) // 2]
    median, largest = deviations[typical], deviations[ranked[-1]]
    topics = int(counts.max())
    return Power(
        difference,
        _POWER,
        alpha,
        topics,
        round(median, 12),
        round(largest, 12),
        topics_needed(difference, median, _POWER, alpha),
        topics_needed(difference, largest, _POWER, alpha),
        topics_needed_wilcoxon(by_pair[:, typical], difference, _POWER, alpha, seed=seed),
        detectable(median, topics, _POWER, alpha),
        detectable(largest, topics, _POWER, alpha),
    )


def _scu_comparison(scores: ScoreTable, samples: int, seed: int) -> ScuComparison:
    """Compare the only two systems by their SCUs."""
    vectors = _vectors(scores)
    first, second = vectors.presence.T
    first_system, second_system = scores.systems
    return ScuComparison(
        first_system,
        second_system,
        len({scu.topic for scu, a, b in zip(vectors.scus, first, second, strict=True) if not np.isnan(a + b)}),
        mcnemar(first, second),
        scu_permutation(first, second, vectors.values, samples=samples, seed=seed),
        _alone(vectors.scus, first, second),
        _alone(vectors.scus, second, first),
    )


def _alone(scus: Sequence[Scu], here: Array, there: Array) -> tuple[Scu, ...]:
    only_here = [scu for scu, a, b in zip(scus, here, there, strict=True) if a == 1 and b == 0]
    return tuple(sorted(only_here, key=lambda scu: (-scu.weight, scu.topic, scu.id)))
