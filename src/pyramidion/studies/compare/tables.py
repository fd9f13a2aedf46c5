"""A comparison of systems as tables, and as the JSON that ``compare`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pyramidion.io.tables import Cell, Table, plural
from pyramidion.studies.compare.study import Comparison, Pair, Power, ScuComparison

__all__ = ["CORRECTIONS", "pairs_table", "power_sentences", "scus_table", "systems_table", "to_json"]

_TESTS = {
    "wilcoxon": "Wilcoxon signed rank test over topics",
    "bootstrap": "paired bootstrap test over topics",
    "randomisation": "randomisation test over topics",
    "permutation": "permutation test over SCUs",
    "mcnemar": "McNemar's exact test over SCUs",
    "tukey": "Tukey's HSD over topics",
}
CORRECTIONS = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
    "tukey": "for all pairs",
}
"""Corrections as captions have them."""
_SMALLEST = 0.0001


def systems_table(comparison: Comparison) -> Table:
    """A row for each system, best first: mean, interval, letters."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.system, one.topics, one.mean, *(one.interval or (None, None)), one.letters) for one in comparison.systems
    )
    found = sum(pair.significant for pair in comparison.pairs)
    lines = (
        f"Significant at {comparison.alpha:g}: {found} of {plural(len(comparison.pairs), 'pair')} "
        f"({_TESTS[comparison.test]}, {CORRECTIONS[comparison.correction]}). "
        "Systems that share a letter are not told apart.",
        *comparison.notes,
        *(power_sentences(comparison.power) if comparison.power else ()),
    )
    return Table(
        ("system", "topics", "mean", "low", "high", "groups"),
        rows,
        f"Mean {comparison.score} over topics, with 95 % bootstrap intervals",
        "\n".join(lines),
        signature=str(comparison.signature),
    )


def pairs_table(comparison: Comparison, *, whole: bool = False) -> Table:
    """A row for each pair; with ``whole``, for machines, all numbers."""
    scus = any(pair.only_better is not None for pair in comparison.pairs)
    keys = ["better", "worse", "topics", "difference", "low", "high", "p", "p_adjusted", "significant", "d", "d_low"]
    keys += ["d_high", "rank_biserial", *(["only_better", "only_worse"] if scus else [])]
    level = f"{1 - comparison.alpha:.0%}".replace("%", " %")
    reach = "simultaneous" if comparison.test == "tukey" else "bootstrap"
    title = f"Differences of mean {comparison.score}, with {level} {reach} intervals"
    if whole:
        numbers = tuple(_numbers(pair, scus) for pair in comparison.pairs)
        return Table(tuple(keys), numbers, title, signature=str(comparison.signature))
    rows = []
    for pair in comparison.pairs:
        cells: list[Cell] = [pair.better, pair.worse, pair.n, pair.difference, *(pair.interval or (None, None))]
        cells += [_shown_p(pair.p), _shown_p(pair.adjusted) + ("*" if pair.significant else ""), pair.d]
        cells += [pair.rank_biserial, *((pair.only_better, pair.only_worse) if scus else ())]
        rows.append(tuple(cells))
    lines = (
        f"p: {_TESTS[comparison.test]}; adj. p: {CORRECTIONS[comparison.correction]}, * significant at "
        f"{comparison.alpha:g}. d: mean by deviation of the differences (Cohen's d_z). rb: rank-biserial correlation."
        + (" +, -: SCUs that only the better, only the worse expresses." if scus else ""),
    )
    columns = ("better", "worse", "topics", "difference", "low", "high", "p", "adj. p", "d", "rb")
    shown = (*columns, *(("+", "-") if scus else ()))
    return Table(shown, tuple(rows), title, "\n".join(lines), signature=str(comparison.signature))


def _numbers(pair: Pair, scus: bool) -> tuple[Cell, ...]:
    none = (None, None)
    cells: tuple[Cell, ...] = (
        *(pair.better, pair.worse, pair.n, pair.difference, *(pair.interval or none), pair.p, pair.adjusted),
        *(int(pair.significant), pair.d, *(pair.d_interval or none), pair.rank_biserial),
    )
    return (*cells, pair.only_better, pair.only_worse) if scus else cells


def _shown_p(p: float) -> str:
    """A p-value to four decimals.

    >>> _shown_p(.01234), _shown_p(1e-9), _shown_p(1)
    ('0.0123', '<.0001', '1.0000')
    """
    return f"<{_SMALLEST:.4f}".replace("0.", ".") if p < _SMALLEST else f"{p:.4f}"


def scus_table(comparison: Comparison) -> Table:
    """The SCUs that only one of two systems expresses, heaviest first."""
    found = comparison.scus
    if found is None:
        return Table(("only in", "topic", "weight", "SCU"), ())
    rows: list[tuple[Cell, ...]] = []
    for name, scus in ((found.one, found.only_one), (found.other, found.only_other)):
        rows += ((name, scu.topic, scu.weight, scu.label or scu.id) for scu in scus)
    return Table(
        ("only in", "topic", "weight", "SCU"),
        tuple(rows),
        f"SCUs that only {found.one} or only {found.other} expresses",
        "\n".join(_scu_sentences(found)),
        ("only_in", "topic", "weight", "scu"),
        str(comparison.signature),
    )


def _scu_sentences(found: ScuComparison) -> Sequence[str]:
    test = found.mcnemar
    ratio = "" if test.odds_ratio is None else f" Odds ratio {test.odds_ratio:.2f}"
    if test.odds_ratio is not None and test.interval is not None:
        high = f"{test.interval.high:.2f}" if test.interval.high < float("inf") else "infinity"
        ratio += f" ({test.interval.low:.2f} to {high})."
    judged = f" {test.left_out} SCUs were not judged in both." if test.left_out else ""
    return (
        f"Of {test.both + test.only_first + test.only_second + test.neither} SCUs of "
        f"{plural(found.topics, 'topic')}, {test.both} are in both, {test.only_first} only in {found.one}, "
        f"{test.only_second} only in {found.other}, {test.neither} in neither.{judged}",
        f"McNemar: p = {_shown_p(test.p)} (mid-p {_shown_p(test.mid_p)}).{ratio} "
        f"Permutation of SCUs by their part of coverage: p = {_shown_p(found.permutation)}.",
    )


def power_sentences(power: Power) -> tuple[str, ...]:
    """How many topics a difference takes, and what the topics there are can find."""
    there = f"With the {power.topics} topics there are, "
    if power.detectable is None:
        least = there + "nothing can be found."
    else:
        least = f"{there}a difference of {power.detectable:.4f} is found with that power" + (
            f" ({power.detectable_largest:.4f} for the pair that varies most)."
            if power.detectable_largest is not None
            else "."
        )
    return (
        f"To find a difference of {power.difference:g} with power {power.power:g} at {power.alpha:g} (one comparison) "
        f"takes {_topics(power.needed)} by a paired t-test for a pair of median deviation ({power.deviation:.4f}), "
        f"{_topics(power.needed_largest)} for the one that varies most ({power.largest:.4f}); "
        f"{_topics(power.needed_wilcoxon)} by the Wilcoxon test, simulated.",
        least,
    )


def _topics(needed: int | None) -> str:
    return "more topics than can be computed" if needed is None else plural(needed, "topic")


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Everything, for programs."""
    found = comparison.scus
    odds = found.mcnemar.interval if found else None
    return {
        "signature": str(comparison.signature),
        "score": comparison.score,
        "test": comparison.test,
        "correction": comparison.correction,
        "alpha": comparison.alpha,
        "topics": comparison.topics,
        "notes": list(comparison.notes),
        "systems": [asdict(one) for one in comparison.systems],
        "pairs": [asdict(pair) for pair in comparison.pairs],
        "power": asdict(comparison.power) if comparison.power else None,
        "scus": found
        and {
            **asdict(found),
            # JSON has no infinity
            "mcnemar": {
                **asdict(found.mcnemar),
                "interval": odds and [odds.low, odds.high if odds.high < float("inf") else None],
            },
        },
    }
