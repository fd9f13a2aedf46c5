"""The result of a study of correlations, as tables, JSON and a picture of its matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from pyramidion.analyses.plots.correlate import draw_matrix
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table, plural
from pyramidion.errors import PyramidionError
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, few_note
from pyramidion.stats.corrections import CORRECTIONS, Correction
from pyramidion.stats.correlation import COEFFICIENTS, SIGNS, Coefficient

if TYPE_CHECKING:
    from pyramidion.stats.correlation_tests import DifferenceTest, Substitutability, WilliamsTest
    from pyramidion.stats.levels import Level, LevelCorrelation, Matrix
    from pyramidion.stats.metric_accuracy import MetricAccuracy

TestName = Literal["permutation", "bootstrap", "williams"]

WIDE = 10
"""The most columns whose matrix is printed unless it is asked for."""


@dataclass(frozen=True, slots=True)
class ColumnCorrelation:
    """The correlation of one column with the gold column."""

    column: str
    by_coefficient: dict[Coefficient, LevelCorrelation]
    """The correlation by each coefficient; the chosen coefficient has an interval."""
    fisher: Interval | None
    substitutability: Substitutability


@dataclass(frozen=True, slots=True)
class ColumnTest:
    """The test whether a column correlates better with the gold column than another."""

    column: str
    against: str
    permutation: DifferenceTest
    bootstrap: DifferenceTest
    williams: WilliamsTest | None
    """Williams' test; None at summary level and for coefficients that it is not made for."""
    adjusted: Mapping[TestName, float | None]
    """Each test's two-sided p-value, corrected for the number of columns tested."""


@dataclass(frozen=True, slots=True)
class CorrelationStudy(Result):
    """The correlations of columns of scores of the same summaries, with tests and accuracies."""

    signature: Signature
    gold: str
    level: Level
    statistic: Coefficient
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    correlations: tuple[ColumnCorrelation, ...]
    tests: tuple[ColumnTest, ...]
    correction: Correction
    matrix: Matrix
    accuracies: tuple[tuple[str, MetricAccuracy], ...]
    notes: tuple[str, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the correlations and the matrix of all columns, and the tests and accuracies if there are any."""
        tables = {"correlations": _correlations_table(self)}
        if self.tests:
            tables["tests"] = _tests_table(self, whole=whole)
        tables["matrix"] = _matrix_table(self, whole=whole)
        if self.accuracies:
            tables["accuracy"] = _accuracy_table(self)
        made = str(self.signature)
        return {name: replace(table, signature=made, notes=self.notes) for name, table in tables.items()}

    def table(self, name: str = "", *, whole: bool = False) -> Table:
        """Return the table of this name; the default is the correlations."""
        if name == "tests" and not self.tests:
            raise PyramidionError("There are no tests", do="name a column to test the others against")
        if name == "accuracy" and not self.accuracies:
            raise PyramidionError("The accuracy of metrics was not computed", do="turn it on")
        return Result.table(self, name, whole=whole)

    @property
    def shown(self) -> tuple[str, ...]:
        """Name all tables, except a matrix of many columns."""
        return tuple(name for name in self.tables() if name != "matrix" or len(self.matrix.names) <= WIDE)

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw the matrix of correlations."""
        return draw_matrix(self, format)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        record = {**asdict(self), "signature": str(self.signature)}
        for row in record["correlations"]:
            row |= {**row.pop("by_coefficient"), "substitutable": row.pop("substitutability")}
        record["matrix"]["columns"] = record["matrix"].pop("names")
        del record["accuracies"]
        record["accuracy"] = [
            {"metric": name, **asdict(accuracy), "accuracy_on_all": accuracy.on_all.accuracy, "delta": accuracy.delta}
            for name, accuracy in self.accuracies
        ]
        return record


def _pair(interval: Interval | None) -> tuple[Cell, Cell]:
    return interval or (None, None)


def _scope(study: CorrelationStudy) -> str:
    systems, topics = plural(len(study.systems), "system"), plural(len(study.topics), "topic")
    over = {
        "system": f"of the means of {systems} over {topics}",
        "summary": f"over {systems} within each of {topics}, averaged",
        "global": f"over all summaries of {systems} and {topics}",
    }
    return over[study.level]


def _correlations_table(study: CorrelationStudy) -> Table:
    """Make a row for each column, correlated with the gold column."""
    chosen = SIGNS[study.statistic]
    # alpha needs a common scale, which most columns do not have: it is shown only if it was chosen
    rest = [coefficient for coefficient in COEFFICIENTS if coefficient not in (study.statistic, "krippendorff")]
    summary, fisher = study.level == "summary", any(row.fisher for row in study.correlations)
    rows = []
    for row in study.correlations:
        correlation = row.by_coefficient[study.statistic]
        cells: list[Cell] = [row.column, correlation.value, *_pair(correlation.interval)]
        cells += _pair(row.fisher) if fisher else ()
        cells += [row.by_coefficient[coefficient].value for coefficient in rest]
        cells += [correlation.n, *((correlation.undefined,) if summary else ())]
        exceeds = {True: "yes", False: "no", None: "-"}[row.substitutability.by_estimate]
        rows.append((*cells, exceeds, row.substitutability.by_interval))
    # .95 rather than 0.95, as in papers
    bar = f"{study.correlations[0].substitutability.threshold:g}".lstrip("0")
    undefined = ("undefined",) if summary else ()
    columns = len(study.matrix.names)
    matrix = f"\nThe correlations of all {columns} columns with each other are in the table 'matrix'."
    matrix = matrix if columns > WIDE else ""
    over = {"system": "systems", "summary": "topics", "global": "summaries"}[study.level]
    return Table(
        (
            "column", chosen, "95 % from", "to", *(("Fisher from", "to") if fisher else ()),
            *(SIGNS[coefficient] for coefficient in rest), over, *undefined, f"> {bar}", "shown",
        ),
        tuple(rows),
        f"Correlation with {study.gold} {_scope(study)}",
        f"> {bar}: the estimate exceeds it, so one score could replace the other (Nenkova et al. 2007, 4.2); shown: "
        f"the whole interval exceeds it.{matrix}",
        (
            "column", study.statistic, "low", "high", *(("fisher_low", "fisher_high") if fisher else ()),
            *rest, over, *undefined, "substitutable", "shown",
        ),
    )  # fmt: skip


def _tests_table(study: CorrelationStudy, *, whole: bool) -> Table:
    """Make a row for each tested column; ``whole`` has p-values with and without correction."""
    rows: list[tuple[Cell, ...]] = []
    for test in study.tests:
        t = test.williams
        plain = (test.permutation.p, test.bootstrap.p, t.p if t else None)
        final = tuple(test.adjusted[name] for name in get_args(TestName))
        by = (test.column, test.bootstrap.difference, *_pair(test.bootstrap.interval), t.t if t else None)
        rows.append((*by, *plain, *final) if whole else (*by, *final))
    names = get_args(TestName)
    keys = ("column", "difference", "low", "high", "t_williams", *(f"p_{name}" for name in names))
    keys = (*keys, *(f"adjusted_{name}" for name in names)) if whole else keys
    shown = ("column", "difference", "95 % from", "to", "t", "p permuted", "p bootstrap", "p Williams")
    return Table(
        keys if whole else shown,
        tuple(rows),
        f"Difference of {SIGNS[study.statistic]} with {study.gold} from that of {study.tests[0].against}",
        f"p: two-sided test of no difference; {plural(len(rows), 'column')} tested, "
        f"{CORRECTIONS[study.correction]}. t: Williams'.",
        keys,
    )


def _matrix_table(study: CorrelationStudy, *, whole: bool) -> Table:
    """Show the correlations of every two columns: the upper half, as in Table VI, or all if ``whole``."""
    names, values = study.matrix.names, study.matrix.values
    if whole:
        return Table(("column", *names), tuple((name, *row) for name, row in zip(names, values, strict=True)))
    rows = tuple(
        (
            name,
            *(
                "" if place <= row else "-" if value is None else f"{value:.3f}"
                for place, value in enumerate(values[row])
                if place
            ),
        )
        for row, name in enumerate(names[:-1])
    )
    return Table(("column", *names[1:]), rows, f"{SIGNS[study.statistic]} of each pair of columns {_scope(study)}")


def _accuracy_table(study: CorrelationStudy) -> Table:
    """Make Table 4 of Gao et al. 2019."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            *(
                None if value is None else round(float(value), 4)
                for value in (row.mean, row.deviation, *_pair(row.interval), row.on_all.accuracy, row.delta)
            ),
            *(row.on_all.same_difference, row.on_all.same_none, row.on_all.missed),
            *(row.on_all.made_up, row.on_all.reversed),
        )
        for name, row in study.accuracies
    )
    first = study.accuracies[0][1]
    return Table(
        (
            "metric", "mean acc.", "sdev", "95 % from", "to", f"on {first.topics}", "delta",
            "same", "both none", "missed", "made up", "reversed",
        ),
        rows,
        f"Accuracy: same significant differences between systems as by {study.gold} "
        f"({first.on_all.pairs} pairs, Wilcoxon, level {first.level:g})",
        f"Means over {first.samples} samples of {first.size} topics; the counts are of all {first.topics}. "
        f"{few_note(first.topics, 'topics')}".rstrip(),
        (
            "metric", "mean_accuracy", "deviation", "low", "high", "accuracy_on_all", "delta",
            "same_difference", "same_none", "missed", "made_up", "reversed",
        ),
    )  # fmt: skip
