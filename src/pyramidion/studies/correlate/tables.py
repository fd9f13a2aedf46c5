"""A study of correlations as tables, a picture of its matrix, and JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, get_args

from pyramidion.io.pictures import PictureFormat, picture
from pyramidion.io.tables import Cell, Table, plural
from pyramidion.stats.bootstrap import Interval
from pyramidion.studies.compare.tables import CORRECTIONS
from pyramidion.studies.correlate.study import COEFFICIENTS, CorrelationStudy, TestName

__all__ = [
    "accuracy_table",
    "correlations_table",
    "differences_table",
    "draw_matrix",
    "matrix_rows",
    "matrix_table",
    "to_json",
]

SIGNS = {"pearson": "r", "spearman": "rho", "kendall": "tau-b", "krippendorff": "alpha"}
WIDE = 10
"""So many columns are shown in a matrix without being asked for."""


def _pair(interval: Interval | None) -> tuple[Cell, Cell]:
    return interval or (None, None)


def _what(study: CorrelationStudy) -> str:
    systems, topics = plural(len(study.systems), "system"), plural(len(study.topics), "topic")
    over = {
        "system": f"of the means of {systems} over {topics}",
        "summary": f"over {systems} within each of {topics}, averaged",
        "global": f"over all summaries of {systems} and {topics}",
    }
    return over[study.level]


def _caption(study: CorrelationStudy, *lines: str) -> str:
    return "\n".join([*filter(None, lines), *study.notes])


def correlations_table(study: CorrelationStudy) -> Table:
    """Every column with the gold one."""
    chosen = SIGNS[study.statistic]
    # alpha asks for one scale, which most columns do not share: only who asks for it is shown it
    rest = [one for one in COEFFICIENTS if one not in (study.statistic, "krippendorff")]
    summary, fisher = study.level == "summary", any(row.fisher for row in study.correlations)
    rows = []
    for row in study.correlations:
        one = row.found[study.statistic]
        cells: list[Cell] = [row.column, one.value, *_pair(one.interval)]
        cells += _pair(row.fisher) if fisher else ()
        cells += [row.found[other].value for other in rest]
        cells += [one.n, *((one.undefined,) if summary else ())]
        exceeds = {True: "yes", False: "no", None: "-"}[row.substitutability.by_estimate]
        rows.append((*cells, exceeds, row.substitutability.by_interval))
    bar = f"{study.correlations[0].substitutability.threshold:g}".lstrip("0")
    undefined = ("undefined",) if summary else ()
    over = {"system": "systems", "summary": "topics", "global": "summaries"}[study.level]
    return Table(
        (
            "column", chosen, "95 % from", "to", *(("Fisher from", "to") if fisher else ()),
            *(SIGNS[one] for one in rest), over, *undefined, f"> {bar}", "shown",
        ),
        tuple(rows),
        f"Correlation with {study.gold} {_what(study)}",
        _caption(
            study,
            f"> {bar}: the estimate exceeds it, so that either could stand for the other (Nenkova et al. 2007, 4.2); "
            "shown: the whole interval does.",
            f"The matrix of all {len(study.matrix.names)} columns: --table matrix, or --column for some of them."
            if len(study.matrix.names) > WIDE
            else "",
        ),
        (
            "column", study.statistic, "low", "high", *(("fisher_low", "fisher_high") if fisher else ()),
            *rest, over, *undefined, "substitutable", "shown",
        ),
        str(study.signature),
    )  # fmt: skip


def differences_table(study: CorrelationStudy, *, whole: bool = False) -> Table:
    """Each column tested against one; with ``whole``, for machines, p-values as found and as corrected."""
    rows: list[tuple[Cell, ...]] = []
    for one in study.tests:
        t = one.williams
        plain = (one.permutation.p, one.bootstrap.p, t.p if t else None)
        final = tuple(one.adjusted[name] for name in get_args(TestName))
        by = (one.column, one.bootstrap.difference, *_pair(one.bootstrap.interval), t.t if t else None)
        rows.append((*by, *plain, *final) if whole else (*by, *final))
    names = get_args(TestName)
    keys = ("column", "difference", "low", "high", "t_williams", *(f"p_{name}" for name in names))
    keys = (*keys, *(f"adjusted_{name}" for name in names)) if whole else keys
    shown = ("column", "difference", "95 % from", "to", "t", "p permuted", "p bootstrap", "p Williams")
    return Table(
        keys if whole else shown,
        tuple(rows),
        f"By what {SIGNS[study.statistic]} with {study.gold} is higher than that of {study.tests[0].against}",
        _caption(
            study,
            f"p: two-sided, of no difference; {plural(len(rows), 'column')} tested, "
            f"{CORRECTIONS[study.correction]}. t: Williams'.",
        ),
        keys,
        str(study.signature),
    )


def matrix_table(study: CorrelationStudy) -> Table:
    """The correlations of every two columns, the upper half as in Table VI."""
    names = study.matrix.names
    rows = tuple(
        (name, *("" if place <= row else values[place] for place in range(1, len(names))))
        for row, (name, values) in enumerate(zip(names, study.matrix.values, strict=True))
        if row < len(names) - 1
    )
    shown = tuple(
        (row[0], *(cell if isinstance(cell, str) else "-" if cell is None else f"{cell:.3f}" for cell in row[1:]))
        for row in rows
    )
    what = f"{SIGNS[study.statistic]} of every two columns {_what(study)}"
    return Table(("column", *names[1:]), shown, what, _caption(study), signature=str(study.signature))


def matrix_rows(study: CorrelationStudy) -> Table:
    """The whole matrix in full precision, for machines."""
    names = study.matrix.names
    rows = tuple((name, *row) for name, row in zip(names, study.matrix.values, strict=True))
    return Table(("column", *names), rows, signature=str(study.signature))


def accuracy_table(study: CorrelationStudy) -> Table:
    """Table 4 of Gao et al. 2019."""
    rows = tuple(
        (
            name,
            round(one.mean, 4),
            round(one.deviation, 4),
            round(one.interval.low, 4),
            round(one.interval.high, 4),
            round(one.on_all.accuracy, 4),
            round(one.delta, 4),
            one.on_all.same_difference,
            one.on_all.same_none,
            one.on_all.missed,
            one.on_all.made_up,
            one.on_all.reversed,
        )
        for name, one in study.accuracies
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
        _caption(
            study,
            f"Means over {first.samples} samples of {first.size} topics; the counts are of all {first.topics}.",
        ),
        (
            "metric", "mean_accuracy", "deviation", "low", "high", "accuracy_on_all", "delta",
            "same_difference", "same_none", "missed", "made_up", "reversed",
        ),
        str(study.signature),
    )  # fmt: skip


def draw_matrix(study: CorrelationStudy, format: PictureFormat = "svg") -> bytes:
    """The matrix of correlations as a picture: a square for every two columns, blue where they agree, red against."""
    names = study.matrix.names
    size = max(4.0, 1.2 + 0.55 * len(names))
    with picture(format, (size + 1, size), str(study.signature)) as (figure, out):
        axes = figure.subplots()
        values = [[float("nan") if value is None else value for value in row] for row in study.matrix.values]
        image = axes.imshow(values, cmap="RdBu", vmin=-1, vmax=1)
        for i, row in enumerate(study.matrix.values):
            for j, value in enumerate(row):
                text = "-" if value is None else f"{value:.2f}".replace("0.", ".")
                colour = "white" if value is not None and abs(value) > 0.6 else "black"
                axes.text(j, i, text, ha="center", va="center", fontsize=7, color=colour)
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.set_title(f"{SIGNS[study.statistic]}, {study.level} level", fontsize=10)
        figure.colorbar(image, ax=axes, shrink=0.8)
    return out.getvalue()


def to_json(study: CorrelationStudy) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "signature": str(study.signature),
        "gold": study.gold,
        "level": study.level,
        "statistic": study.statistic,
        "topics": study.topics,
        "systems": study.systems,
        "notes": study.notes,
        "correlations": [
            {
                "column": row.column,
                **{name: asdict(one) for name, one in row.found.items()},
                "fisher": row.fisher,
                "substitutable": asdict(row.substitutability),
            }
            for row in study.correlations
        ],
        "correction": study.correction,
        "tests": [
            {
                "column": one.column,
                "against": one.against,
                "permutation": asdict(one.permutation),
                "bootstrap": asdict(one.bootstrap),
                "williams": asdict(one.williams) if one.williams else None,
                "adjusted": one.adjusted,
            }
            for one in study.tests
        ],
        "matrix": {"columns": study.matrix.names, "values": study.matrix.values},
        "accuracy": [
            {"metric": name, **asdict(one), "accuracy_on_all": one.on_all.accuracy, "delta": one.delta}
            for name, one in study.accuracies
        ],
    }
