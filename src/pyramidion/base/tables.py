"""A table, and its renderings: text for the terminal, CSV for a spreadsheet, LaTeX, Markdown and HTML for pages."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.base.csv import harmless

Cell = str | int | float | None
TableFormat = Literal["text", "csv", "latex", "markdown"]

_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: "\\" + c for c in "&%$#_{}"},
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings, with what they are above and how they were made below; without headings, only those two."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    caption: str = ""
    keys: tuple[str, ...] = ()
    """The columns' names for machines, where the headings are shortened for people."""
    signature: str = ""
    """How the numbers were made: the last line of the caption, and a column of a CSV. Several stand on a line each."""
    notes: tuple[str, ...] = ()
    """What holds for all tables of a result, such as what was left out; under the caption, a line each."""

    @property
    def below(self) -> str:
        """The caption with the notes and the signature under it."""
        return "\n".join(filter(None, (self.caption, *self.notes, self.signature)))


def plural(count: int, thing: str) -> str:
    """Return a count with the name of the thing, in the plural where it has to be.

    >>> plural(1, "topic"), plural(2, "topic"), plural(2, "summary")
    ('1 topic', '2 topics', '2 summaries')
    """
    several = f"{thing[:-1]}ies" if thing.endswith("ry") else f"{thing}s"
    return f"{count} {thing if count == 1 else several}"


def _decimals(numbers: Iterable[Cell]) -> int:
    """Return the number of decimals that a column needs: at most four, none where all numbers are whole."""
    shown = (f"{number:.4f}".rstrip("0").partition(".")[2] for number in numbers if isinstance(number, float))
    return max(map(len, shown), default=0)


def _cell_texts(table: Table) -> list[tuple[str, ...]]:
    """Return the cells as text, each column with the same number of decimals."""
    decimals = [_decimals(row[column] for row in table.rows) for column in range(len(table.columns))]
    return [tuple(_cell(cell, places) for cell, places in zip(row, decimals, strict=True)) for row in table.rows]


def _cell(cell: Cell, decimals: int) -> str:
    if cell is None:
        return "-"
    return cell if isinstance(cell, str) else f"{cell:z.{decimals}f}"  # z: no -0.00


@check_choices
def render(table: Table, format: TableFormat = "text") -> str:
    """Return the table as text, ending in a newline."""
    return {"text": _text, "csv": _csv, "latex": _latex, "markdown": _markdown}[format](table)


@check_choices
def render_all(tables: Sequence[Table], format: TableFormat = "text") -> str:
    """Return the tables of one result as text; notes and a signature that they share stand once, under the last."""
    shown = list(tables)
    if format != "csv":  # whose rows carry the signature each
        for place, table in enumerate(tables[:-1]):
            if table.signature == tables[-1].signature:
                shown[place] = replace(table, signature="", notes=())
    return "\n".join(render(table, format) for table in shown)


def _right_aligned(table: Table) -> list[bool]:
    """Return for each column whether it holds only numbers, which are right-aligned."""
    places = range(len(table.columns))
    return [all(row[at] is None or isinstance(row[at], (int, float)) for row in table.rows) for at in places]


def _text(table: Table) -> str:
    """Return a table for the terminal: columns padded to one width, a rule under the headings."""
    shown = [table.columns, *_cell_texts(table)]
    widths = [max(len(row[column]) for row in shown) for column in range(len(table.columns))]
    right = _right_aligned(table)
    lines = [
        "  ".join(
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(row, widths, right, strict=True)
        )
        for row in shown
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    body = "\n".join(line.rstrip() for line in lines) if table.columns else ""
    return "\n\n".join(filter(None, (table.title, body, table.below))) + "\n"


def _csv(table: Table) -> str:
    """Return CSV in full precision, with the signature in every row, which tells joined rows of two runs apart.

    CSV is for machines, so there is no caption; but spreadsheets open it, so no name may be a formula.
    """
    signature = [" ; ".join(table.signature.split("\n"))] if table.signature else []
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(table.keys or table.columns), *(["signature"] if signature else [])])
    writer.writerows([*map(_for_machines, row), *signature] for row in table.rows)
    return out.getvalue()


def _for_machines(cell: Cell) -> Cell:
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return cell + 0.0 if isinstance(cell, float) else cell  # -0.0 becomes 0.0
    return harmless(cell.replace("\r\n", "\n").replace("\r", "\n"))  # the csv module does not quote a lone one


def _tex(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in text)


def _latex(table: Table) -> str:
    """Return a LaTeX table; title, caption, notes and signature are its caption."""
    columns = "".join("r" if is_right else "l" for is_right in _right_aligned(table))
    rows = [" & ".join(map(_tex, row)) + r" \\" for row in _cell_texts(table)]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\hline",
            " & ".join(map(_tex, table.columns)) + r" \\",
            r"\hline",
            *rows,
            r"\hline",
            r"\end{tabular}",
            rf"\caption{{{_tex(' '.join(filter(None, (table.title, table.below))))}}}",
            r"\end{table}",
            "",
        ]
    )


def _markdown(table: Table) -> str:
    """Return a table of GitHub's dialect, its title in bold above and its caption and notes in a paragraph below."""
    rows = [" | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in row) for row in _cell_texts(table)]
    rule = " | ".join("---:" if is_right else "---" for is_right in _right_aligned(table))
    body = "\n".join(f"| {row} |" for row in (" | ".join(table.columns), rule, *rows)) if table.columns else ""
    below = "  \n".join(table.below.split("\n"))
    return "\n\n".join(filter(None, (table.title and f"**{table.title}**", body, below))) + "\n"


def html(table: Table) -> str:
    """Return the table as HTML without styles, for a notebook or a page that allows none."""
    right = [' align="right"' if is_right else "" for is_right in _right_aligned(table)]
    head = "".join(f"<th{style}>{escape(name)}</th>" for name, style in zip(table.columns, right, strict=True))
    rows = (
        "".join(f"<td{style}>{escape(cell)}</td>" for cell, style in zip(row, right, strict=True))
        for row in _cell_texts(table)
    )
    title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    below = f"<p>{escape(table.below).replace(chr(10), '<br>')}</p>" if table.below else ""
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>{below}"
