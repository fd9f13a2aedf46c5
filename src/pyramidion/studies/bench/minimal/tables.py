"""What judges do on minimal sets, as tables: for people a column a judge, for machines a row a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyramidion.io.tables import Cell, Table
from pyramidion.studies.bench.minimal.damage import ROWS
from pyramidion.studies.bench.minimal.sets import KINDS
from pyramidion.studies.bench.minimal.study import Figure, Judged

__all__ = ["long_table", "tables"]

TITLES = {
    "verbatim": "verbatim",
    "light": "light paraphrase",
    "heavy": "heavy paraphrase",
    "split": "split over two sentences",
    "negation": "negated",
    "swapped": "roles swapped",
    "number": "another number",
    "name": "another name",
    "time": "another time",
    "hedged": "hedged",
    "topic": "same topic",
}


def _rows(judged: Judged) -> Iterator[tuple[str, str, str, Figure]]:
    """Every figure of a judge: what it is of, its key, its title and itself."""
    for kind, figure in judged.kinds.items():
        yield KINDS[kind], kind, TITLES[kind], figure
    yield "all", "order", "order: said above unsaid", judged.order
    yield "all", "auc", "AUC said against unsaid", judged.auc
    for genre, figure in judged.genres.items():
        yield "all", f"auc_{genre}", f"AUC {genre}", figure
    yield "all", "auc_true_against_false", "AUC paraphrases against negated, swapped", judged.true_against_false
    for row, figure in judged.texts.items():
        yield ROWS[row], row.replace(" ", "_"), row, figure


def tables(study: Sequence[Judged], signature: str = "") -> list[Table]:
    """The figures for people: a row for each, a column for each judge; first the sets, then the damaged texts."""
    first = list(_rows(study[0]))
    sets = len(first) - len(study[0].texts)
    columns = [[_shown(figure) for *_, figure in _rows(judged)] for judged in study]
    rows: list[tuple[Cell, ...]] = [
        (title, of, figure.n, *(column[place] for column in columns))
        for place, (of, _, title, figure) in enumerate(first)
    ]
    names = tuple(judged.judge for judged in study)
    return [
        Table(
            ("variant", "it is", "sets", *names),
            tuple(rows[:sets]),
            "Mean probability that the passage says the statement, by kind of variant, with 95 % intervals over sets",
            "A judge that reads is near 1 for what is said, order and AUC, near 0 for the rest. A coin has AUC 0.5.",
            signature=signature,
        ),
        Table(
            ("text", "it", "texts", *names),
            tuple(rows[sets:]),
            "Coverage of texts made from the references of the bundled example, as a share of the reference's own",
            signature=signature,
        ),
    ]


def _shown(figure: Figure) -> str | None:
    if figure.value is None:
        return None
    low_high = " [{:.2f}, {:.2f}]".format(*figure.interval) if figure.interval else ""
    return f"{figure.value:.2f}{low_high}"


def long_table(study: Sequence[Judged], signature: str = "") -> Table:
    """The figures for machines: a row for each judge and figure."""
    keys = ("judge", "figure", "of", "n", "value", "low", "high")
    cells: list[tuple[Cell, ...]] = [
        (judged.judge, key, of, figure.n, figure.value, *(figure.interval or (None, None)))
        for judged in study
        for of, key, _, figure in _rows(judged)
    ]
    return Table(keys, tuple(cells), keys=keys, signature=signature)
