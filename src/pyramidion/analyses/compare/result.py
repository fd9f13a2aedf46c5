"""The result of a comparison of systems, as tables, JSON and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from pyramidion.analyses.plots.compare import draw_comparison
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table, plural
from pyramidion.errors import PyramidionError
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval
from pyramidion.stats.corrections import CORRECTIONS

if TYPE_CHECKING:
    from pyramidion.analyses.scores.scus import Scu
    from pyramidion.stats.scu_tests import McNemar

Test = Literal["wilcoxon", "bootstrap", "randomisation", "permutation", "mcnemar", "tukey"]

SHOWN = 15
"""The most pairs that are printed unless the table is asked for."""
_TESTS = {
    "wilcoxon": "Wilcoxon signed rank test over topics",
    "bootstrap": "paired bootstrap test over topics",
    "randomisation": "randomisation test over topics",
    "permutation": "permutation test over SCUs",
    "mcnemar": "McNemar's exact test over SCUs",
    "tukey": "Tukey's HSD over topics",
}
_SMALLEST = 0.0001


@dataclass(frozen=True, slots=True)
class ComparedSystem:
    """A system's mean over its topics, and the letters of its groups."""

    system: str
    topics: int
    mean: float
    interval: Interval | None
    letters: str


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two systems; the one with the higher mean comes first."""

    better: str
    worse: str
    n: int
    """The number of topics that both have."""
    difference: float | None
    """The mean difference over these topics; None if there are none."""
    interval: Interval | None
    p: float
    adjusted: float
    significant: bool
    d: float | None
    """Cohen's d_z; None if the differences do not vary."""
    d_interval: Interval | None
    rank_biserial: float
    only_better: int | None = None
    """The number of SCUs that only the better system expresses; None if there are no SCUs."""
    only_worse: int | None = None


@dataclass(frozen=True, slots=True)
class Power:
    """The number of topics needed to find a difference, for a typical pair and for the pair that varies most."""

    difference: float
    power: float
    alpha: float
    topics: int
    """The largest number of topics that a pair has in common."""
    deviation: float
    """The deviation of the pair with the median deviation."""
    largest: float
    needed: int | None
    needed_largest: int | None
    needed_wilcoxon: int | None
    """The number of topics by simulation from the pair with the median deviation."""
    detectable: float | None
    detectable_largest: float | None


@dataclass(frozen=True, slots=True)
class ScuComparison:
    """The SCUs that only one of two systems expresses."""

    one: str
    other: str
    topics: int
    mcnemar: McNemar
    permutation: float
    """The p-value of exchanging SCUs, each with its part of coverage."""
    only_one: tuple[Scu, ...]
    """These SCUs, heaviest first."""
    only_other: tuple[Scu, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """The systems, best first, and all pairs of them."""

    signature: Signature
    score: str
    test: Test
    correction: str
    alpha: float
    topics: int
    systems: tuple[ComparedSystem, ...]
    pairs: tuple[SystemPair, ...]
    notes: tuple[str, ...]
    """Notes on what was left out, and on the limits of the numbers."""
    power: Power | None = None
    scus: ScuComparison | None = None

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the pairs, the systems and, for two systems of a corpus, the SCUs that only one of them expresses."""
        tables = {"pairs": _pairs_table(self, whole=whole), "systems": _systems_table(self)}
        return {**tables, "scus": _scus_table(self, self.scus)} if self.scus else tables

    def table(self, name: str = "", *, whole: bool = False) -> Table:
        """Return the table of this name; the default is the pairs."""
        if name == "scus" and self.scus is None:
            raise PyramidionError(
                "There is no comparison of two systems by SCUs", do="name two systems of a corpus that has annotations"
            )
        return Result.table(self, name, whole=whole)

    @property
    def shown(self) -> tuple[str, ...]:
        """Name the systems, the pairs unless there are many, and the SCUs if there are any."""
        pairs = ("pairs",) if len(self.pairs) <= SHOWN else ()
        return ("systems", *pairs, *(("scus",) if self.scus else ()))

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw the systems' means with their intervals, best on top, and the letters of their groups."""
        return draw_comparison(self, format)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        record = {**asdict(self), "signature": str(self.signature)}
        if self.scus and self.scus.mcnemar.interval:  # JSON has no infinity
            low, high = self.scus.mcnemar.interval
            record["scus"]["mcnemar"]["interval"] = [low, high if high < float("inf") else None]
        return record


def _systems_table(comparison: Comparison) -> Table:
    """Make a row for each system, best first: mean, interval, letters."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (system.system, system.topics, system.mean, *(system.interval or (None, None)), system.letters)
        for system in comparison.systems
    )
    significant = sum(pair.significant for pair in comparison.pairs)
    lines = (
        f"Significant at {comparison.alpha:g}: {significant} of {plural(len(comparison.pairs), 'pair')} "
        f"({_TESTS[comparison.test]}, {_correction(comparison)}). "
        "Systems that share a letter are not told apart.",
        *comparison.notes,
        *(_power_sentences(comparison.power) if comparison.power else ()),
    )
    return Table(
        ("system", "topics", "mean", "low", "high", "groups"),
        rows,
        f"Mean {comparison.score} over topics, with 95 % bootstrap intervals",
        "\n".join(lines),
        signature=str(comparison.signature),
    )


def _pairs_table(comparison: Comparison, *, whole: bool) -> Table:
    """Make a row for each pair; with ``whole``, for machines, all numbers."""
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
        f"p: {_TESTS[comparison.test]}; adj. p: {_correction(comparison)}, * significant at "
        f"{comparison.alpha:g}. d: mean by deviation of the differences (Cohen's d_z). rb: rank-biserial correlation."
        + (" +, -: SCUs that only the better, only the worse expresses." if scus else ""),
    )
    columns = ("better", "worse", "topics", "difference", "low", "high", "p", "adj. p", "d", "rb")
    shown = (*columns, *(("+", "-") if scus else ()))
    return Table(shown, tuple(rows), title, "\n".join(lines), signature=str(comparison.signature))


def _numbers(pair: SystemPair, scus: bool) -> tuple[Cell, ...]:
    no_interval = (None, None)
    cells: tuple[Cell, ...] = (
        *(pair.better, pair.worse, pair.n, pair.difference, *(pair.interval or no_interval), pair.p, pair.adjusted),
        *(int(pair.significant), pair.d, *(pair.d_interval or no_interval), pair.rank_biserial),
    )
    return (*cells, pair.only_better, pair.only_worse) if scus else cells


def _correction(comparison: Comparison) -> str:
    return "for all pairs" if comparison.test == "tukey" else CORRECTIONS[comparison.correction]


def _shown_p(p: float) -> str:
    """Write a p-value to four decimals.

    >>> _shown_p(.01234), _shown_p(1e-9), _shown_p(1)
    ('0.0123', '<.0001', '1.0000')
    """
    return f"<{_SMALLEST:.4f}".replace("0.", ".") if p < _SMALLEST else f"{p:.4f}"


def _scus_table(comparison: Comparison, compared: ScuComparison) -> Table:
    """List the SCUs that only one of two systems expresses, heaviest first."""
    only = ((compared.one, compared.only_one), (compared.other, compared.only_other))
    rows = tuple((name, scu.topic, scu.weight, scu.label or scu.id) for name, scus in only for scu in scus)
    return Table(
        ("only in", "topic", "weight", "SCU"),
        rows,
        f"SCUs that only {compared.one} or only {compared.other} expresses",
        "\n".join(_scu_sentences(compared)),
        ("only_in", "topic", "weight", "scu"),
        str(comparison.signature),
    )


def _scu_sentences(comparison: ScuComparison) -> Sequence[str]:
    """Say how many SCUs both systems, one of them or neither express, and what the tests find."""
    test = comparison.mcnemar
    ratio = "" if test.odds_ratio is None else f" Odds ratio {test.odds_ratio:.2f}"
    if test.odds_ratio is not None and test.interval is not None:
        high = f"{test.interval.high:.2f}" if test.interval.high < float("inf") else "infinity"
        ratio += f" ({test.interval.low:.2f} to {high})."
    judged = f" {test.left_out} SCUs were not judged in both." if test.left_out else ""
    return (
        f"Of {test.both + test.only_first + test.only_second + test.neither} SCUs of "
        f"{plural(comparison.topics, 'topic')}, {test.both} are in both, {test.only_first} only in {comparison.one}, "
        f"{test.only_second} only in {comparison.other}, {test.neither} in neither.{judged}",
        f"McNemar: p = {_shown_p(test.p)} (mid-p {_shown_p(test.mid_p)}).{ratio} "
        f"Permutation of SCUs by their part of coverage: p = {_shown_p(comparison.permutation)}.",
    )


def _power_sentences(power: Power) -> tuple[str, ...]:
    """Say how many topics a difference needs, and which difference these topics can show."""
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
