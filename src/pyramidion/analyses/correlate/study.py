"""How far do columns of scores agree with human scores, which agree better, and which can replace others?

For a gold column and each other one: the correlation at a level, all four coefficients, the chosen one with a bootstrap
interval (:mod:`pyramidion.stats.levels`) and, for Pearson's r over systems, Fisher's; whether it exceeds .95
(Nenkova et al. 2007 §4.2); tests of one metric against others (:mod:`pyramidion.stats.correlation_tests`); the
correlations of every two columns (Table VI); and the metrics' accuracy in finding people's significant differences
(:mod:`pyramidion.stats.metric_accuracy`).

The permutation test exchanges whole documents where documents are drawn, and whole systems where systems are, alone or
with documents. Exchanging single summaries (PERM-BOTH) is in the library only, since it assumes that a metric misjudges
a system independently from document to document. Where two metrics as good as each other each misjudge systems in their
own way, it rejected 39 % of 200 nulls at 5 %, exchanging documents 42 %, systems 7 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pyramidion.analyses.correlate.result import ColumnCorrelation, ColumnTest, CorrelationStudy, TestName
from pyramidion.analyses.scores.table import ScoreTable
from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import FEWEST, few_note
from pyramidion.stats.corrections import Correction, adjust
from pyramidion.stats.correlation import COEFFICIENTS, Coefficient, fisher_interval
from pyramidion.stats.correlation_tests import (
    SUBSTITUTABLE,
    WilliamsTest,
    bootstrap_difference,
    permutation_test,
    substitutability,
    williams,
)
from pyramidion.stats.levels import (
    Draws,
    Level,
    Means,
    correlation_at,
    correlation_matrix,
)
from pyramidion.stats.metric_accuracy import MetricAccuracy, metric_accuracy

FEW = 10
"""With fewer systems or topics to draw from, a note says that intervals are unreliable."""


@check_choices
@dataclass(frozen=True, slots=True)
class Sampling:
    """The samples of topics for metric accuracy: Table 4 of Gao et al. 2019."""

    size: int | None = None
    """The number of topics in a sample; by default 41 of every 46."""
    samples: int = 100
    replacement: bool = False
    level: float = 0.05


@check_choices
def correlate(
    scores: ScoreTable,
    gold: str = "",
    *,
    columns: Sequence[str] = (),
    level: Level = "system",
    statistic: Coefficient = "pearson",
    means: Means = "own",
    draws: Draws | None = None,
    against: str = "",
    correction: Correction = "holm",
    threshold: float = SUBSTITUTABLE,
    accuracy: Sampling | None = None,
) -> CorrelationStudy:
    r"""Correlate every column of scores with the gold one, and all with each other.

    * ``scores`` are what :func:`~pyramidion.api.score_table` returns of a table with several columns.
    * ``gold`` is the column to compare with, people's; the first if none is named.
    * ``columns`` are the only ones that take part, beside those that ``gold`` and ``against`` name.
    * ``level`` is ``system`` or ``summary``, ``statistic`` what to sort and to test by.
    * ``means`` of systems are over the cells that a column has (``own``) or those that both have (``common``).
    * ``draws`` say what intervals and tests resample: documents, systems or both.
    * ``against`` is a column that each other one is tested against, with a ``correction`` of the p-values.
    * ``threshold`` is the correlation above which one column may stand for another.
    * ``accuracy`` asks how often a metric tells systems apart as people do, by sampling topics.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyramidion as pm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     rows = (f"t{t},s{s},{s * t},{s * t + (s == 2)}" for t in (1, 2) for s in (1, 2, 3))
    ...     size = file.write_text("\n".join(["topic,system,human,metric", *rows]))
    ...     study = pm.correlate(pm.score_table(file), "human")
    >>> round(study.rows()[0]["pearson"], 3)
    0.933
    """
    draws = draws or Draws("both")
    if columns:
        first = scores.column_name(gold) if gold else next(iter(scores.columns))
        # each column once, in the order in which they were named
        scores = scores.select(dict.fromkeys([first, *columns, *([against] if against else [])]))
    if len(scores.columns) < 2:
        raise PyramidionError(
            f"There is only one column of scores ({next(iter(scores.columns))})",
            do="give a second column to correlate it with",
        )
    _check_sizes(scores, level)
    people = scores.column_name(gold) if gold else next(iter(scores.columns))
    metrics = [name for name in scores.columns if name != people]
    rows = tuple(_correlate_column(scores, people, name, level, statistic, means, draws, threshold) for name in metrics)
    tests: tuple[ColumnTest, ...] = ()
    if against:
        base = scores.column_name(against)
        if base == people or len(metrics) < 2:
            raise PyramidionError(
                f"Nothing can be tested against {base!r}", do="name another column than the gold column"
            )
        tests = _correct(
            [
                _test_column(scores, people, name, base, level, statistic, means, draws)
                for name in metrics
                if name != base
            ],
            correction,
        )
    accuracies: tuple[tuple[str, MetricAccuracy], ...] = ()
    if accuracy:
        accuracies = tuple(
            (
                name,
                metric_accuracy(
                    scores.columns[people],
                    scores.columns[name],
                    size=accuracy.size,
                    samples=accuracy.samples,
                    replacement=accuracy.replacement,
                    level=accuracy.level,
                    seed=draws.seed,
                ),
            )
            for name in metrics
        )
    return CorrelationStudy(
        Signature(
            "correlate",
            (
                ("gold", people),
                ("level", level),
                ("statistic", statistic),
                *((("means", means),) if level == "system" else ()),
                ("resample", draws.resample),
                ("samples", str(draws.samples)),
                ("seed", str(draws.seed)),
                *((("against", tests[0].against), ("correction", correction)) if tests else ()),
                *scores.made,
                *_of_accuracy(accuracies, accuracy),
            ),
        ),
        people,
        level,
        statistic,
        scores.topics,
        scores.systems,
        rows,
        tests,
        correction,
        correlation_matrix(scores.columns, level, statistic, means=means),
        accuracies,
        (*scores.notes, *_remarks(scores, level, means, draws)),
    )


def _check_sizes(scores: ScoreTable, level: Level) -> None:
    pairs = len(scores.systems) * (len(scores.topics) if level == "global" else 1)
    if pairs < 2:
        raise PyramidionError(
            f"There is only one system ({scores.systems[0]}), so there is no correlation over systems",
            do="give the scores of several systems, or choose the global level over several topics",
        )


def _correlate_column(
    scores: ScoreTable,
    gold: str,
    name: str,
    level: Level,
    statistic: Coefficient,
    means: Means,
    draws: Draws,
    threshold: float,
) -> ColumnCorrelation:
    """Correlate a column with the gold column by every coefficient; the chosen one gets an interval."""
    x, y = scores.columns[gold], scores.columns[name]
    correlations = {
        coefficient: correlation_at(
            level, x, y, coefficient, means=means, draws=draws if coefficient == statistic else None
        )
        for coefficient in COEFFICIENTS
    }
    chosen = correlations[statistic]
    # Fisher's interval is that of Pearson's r of independent pairs
    normal = level == "system" and statistic == "pearson"
    fisher = fisher_interval(chosen.value, chosen.n, draws.confidence) if normal else None
    # an interval drawn from few systems or topics must not decide (see _remarks)
    believed = None if _few(scores, draws) else chosen.interval
    return ColumnCorrelation(name, correlations, fisher, substitutability(chosen.value, believed, threshold))


def _few(scores: ScoreTable, draws: Draws) -> str:
    """Name what is too few to draw from; intervals are then too wide or too narrow."""
    return " and ".join(f"{count} {things}" for things, count in _units_drawn(scores, draws) if count < FEW)


def _units_drawn(scores: ScoreTable, draws: Draws) -> list[tuple[str, int]]:
    """Return the things that are drawn, and how many there are."""
    there = {"systems": len(scores.systems), "documents": len(scores.topics)}
    return [(things, count) for things, count in there.items() if draws.resample in (things, "both")]


def _test_column(
    scores: ScoreTable,
    gold: str,
    name: str,
    base: str,
    level: Level,
    statistic: Coefficient,
    means: Means,
    draws: Draws,
) -> ColumnTest:
    """Test whether a column correlates better with the gold column than the base column does."""
    people, scored, base_scores = (scores.columns[column] for column in (gold, name, base))
    # single summaries are never exchanged: that rejects too many true nulls (see the module)
    exchanged = replace(draws, resample="documents" if draws.resample == "documents" else "systems")
    return ColumnTest(
        name,
        base,
        permutation_test(people, scored, base_scores, level, statistic, means=means, draws=exchanged),
        bootstrap_difference(people, scored, base_scores, level, statistic, means=means, draws=draws),
        _williams(scores, gold, name, base, statistic, means) if level == "system" else None,
        {},
    )


def _correct(tests: Sequence[ColumnTest], correction: Correction) -> tuple[ColumnTest, ...]:
    """Adjust p-values for the number of columns, separately for each kind of test."""
    by_test: dict[TestName, list[float | None]] = {
        "permutation": [test.permutation.p for test in tests],
        "bootstrap": [test.bootstrap.p for test in tests],
        "williams": [test.williams.p if test.williams else None for test in tests],
    }
    for name, p in by_test.items():
        made = iter(adjust([value for value in p if value is not None], correction))
        by_test[name] = [None if value is None else round(float(next(made)), 12) for value in p]
    return tuple(
        replace(test, adjusted={name: p[place] for name, p in by_test.items()}) for place, test in enumerate(tests)
    )


def _williams(
    scores: ScoreTable, gold: str, name: str, base: str, statistic: Coefficient, means: Means
) -> WilliamsTest | None:
    """Return Williams' test; None for coefficients that it is not made for."""
    if statistic not in ("pearson", "spearman"):
        return None
    # a cell that one of the two columns lacks counts for neither
    missing = np.isnan(scores.columns[name]) | np.isnan(scores.columns[base])
    scored, base_scores = (np.where(missing, np.nan, scores.columns[column]) for column in (name, base))
    people = scores.columns[gold]
    a, b, ab = (
        correlation_at("system", x, y, statistic, means=means)
        for x, y in ((people, scored), (people, base_scores), (scored, base_scores))
    )
    if a.value is None or b.value is None or ab.value is None:
        return WilliamsTest(None, 0, None, None, "a correlation is undefined")
    return williams(a.value, b.value, ab.value, a.n)


def _of_accuracy(
    accuracies: tuple[tuple[str, MetricAccuracy], ...], settings: Sampling | None
) -> tuple[tuple[str, str], ...]:
    if not accuracies or settings is None:
        return ()
    first = accuracies[0][1]
    drawn = "with" if settings.replacement else "without"
    return (
        ("accuracy", f"wilcoxon-{settings.level:g}"),
        ("topics", f"{first.samples} samples of {first.size} of {first.topics} {drawn} replacement"),
    )


def _remarks(scores: ScoreTable, level: Level, means: Means, draws: Draws) -> list[str]:
    """Return remarks that help to read the numbers."""
    remarks = [few_note(count, things) for things, count in _units_drawn(scores, draws) if count < FEWEST]
    if few := _few(scores, draws):
        what = "Tests" if remarks else "Intervals and tests"
        remarks.append(f"{what} that draw from {few} are not to be believed: nothing is shown by them.")
    constant = [name for name, matrix in scores.columns.items() if np.nanmin(matrix) == np.nanmax(matrix)]
    if constant:
        remarks.append(f"All scores are the same, so that nothing correlates: {', '.join(constant[:10])}.")
    if any(np.isnan(matrix).any() for matrix in scores.columns.values()):
        if level == "system" and means == "own":
            remarks.append(
                "Each column's means are over the cells it has; means=common takes those that both columns have."
            )
        else:
            remarks.append("A cell that one of two columns lacks counts for neither (pairwise deletion).")
    if len(scores.systems) == 2 and level != "global":
        remarks.append("There are two systems: any correlation over them is 1 or -1.")
    return remarks
