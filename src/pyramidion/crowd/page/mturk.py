r"""Mechanical Turk: a layout with ``${}`` fields, the input CSVs that fill them, and the settings to enter.

MTurk puts the cells of a CSV into the layout as they are, as markup. So the cells of texts are markup: ``<``, ``&``,
quotes, the ``$`` of a field, line ends, characters beyond 16 bits (which MTurk refuses in a CSV) and what a spreadsheet
would take for a formula are character references. ``html.unescape`` gives the text back. Ids are not used in the
layout and stay as they are, because results are found by them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from html import unescape

from markupsafe import Markup

from pyramidion.base.csv import RUN
from pyramidion.base.files import encode
from pyramidion.base.standalone import printable
from pyramidion.crowd.page import render_text
from pyramidion.crowd.page.task import Slot, form, order_of, settings
from pyramidion.crowd.study import Phase, Study, Task
from pyramidion.notes import note

BATCH = 500
"""The most rows of a CSV: few enough for one person to oversee, and far below MTurk's limits."""

MOST_BYTES = 65_535
"""The most bytes of a question (the layout with its fields filled in) that MTurk's API takes."""

BLANK = "BLANK"
"""Fills the columns of statements that a shorter task does not have."""

_MARKUP = re.compile("[&<>\"'`$\\\\\r\n\t\U00010000-\U0010ffff]")


def cell(text: str) -> str:
    r"""Write a text as markup for a cell that MTurk puts into a layout.

    >>> print(cell('=1 <b> "${x}" \U0001f600'))
    &#61;1 &#60;b&#62; &#34;&#36;{x}&#34; &#128512;
    """
    markup = _MARKUP.sub(_reference, printable(text.replace("\r\n", "\n").replace("\r", "\n")))
    return f"&#{ord(markup[0])};{markup[1:]}" if markup and markup[0] in RUN else markup


def _reference(character: re.Match[str]) -> str:
    """Write a character as a reference; a noncharacter (such as U+FFFE) becomes U+FFFD."""
    code = ord(character[0])
    return "\N{REPLACEMENT CHARACTER}" if code & 0xFFFE == 0xFFFE else f"&#{code};"


def _id(id: str) -> str:
    """Write an id as a cell: a leading space keeps spreadsheets from running it. Its ``html.unescape`` is the id."""
    plain = id if unescape(id) == id else id.replace("&", "&#38;")
    kept = "".join(c if ord(c) < 0x10000 else f"&#{ord(c)};" for c in printable(plain))
    return f" {kept}" if kept[:1] in RUN else kept


def layout(study: Study, phase: Phase, tasks: Sequence[Task]) -> str:
    """Return the layout for all tasks of a phase: to be pasted into a project."""
    if phase == "writing":
        asked = [Slot(f"s{number}", f"s{number}") for number in range(1, study.design.written + 1)]
    else:
        asked = [
            Slot(f"{letter}{number}", f"{letter}{number}Answer", Markup(f"${{{field}_{number}}}"))
            for letter, field, count in zip("SC", ("statement", "check"), _widths(tasks), strict=True)
            for number in range(1, count + 1)
        ]
    order = Markup("${order}") if phase == "judging" else ""
    return form("mturk", phase, Markup("${summary_text}"), asked, order=order).html


def mturk_files(study: Study, phase: Phase, tasks: Sequence[Task]) -> dict[str, bytes]:
    """Return the layout, the CSVs and a README; each CSV has tasks of one round and one number of workers."""
    files = {"layout.html": encode(layout(study, phase, tasks))}
    batches, largest = [], 0
    for number, (workers, round, part) in enumerate(_batches(tasks), 1):
        name = f"{phase}-{number}.csv"
        files[name] = encode(_table(study, phase, part, _widths(tasks)))
        largest = max(largest, *map(len, files[name].splitlines()))
        batches.append({"name": name, "tasks": len(part), "workers": workers, "round": round})
    if len(files["layout.html"]) + largest > MOST_BYTES:
        note(
            f"The largest task has {len(files['layout.html']) + largest:,} bytes with its layout, but Mechanical Turk "
            f"takes {MOST_BYTES:,}: plan with fewer statements per task, or shorten the texts"
        )
    fields = ["summary_text"] if phase == "writing" else ["summary_text", "statement_1 ...", "check_1 ...", "order"]
    readme = render_text(
        "mturk-readme.md", study=study.name, phase=phase, batches=batches, fields=fields, **settings(study, phase)
    )
    return files | {"README.md": encode(readme)}


def _widths(tasks: Sequence[Task]) -> tuple[int, int]:
    """Return the number of statements and of checks of the longest task."""
    return max(len(task.statements) for task in tasks), max(len(task.checks) for task in tasks)


def _batches(tasks: Sequence[Task]) -> Iterator[tuple[int, int, list[Task]]]:
    kinds: dict[tuple[int, int], list[Task]] = {}
    for task in tasks:
        kinds.setdefault((task.round, task.workers), []).append(task)
    for (round, workers), alike in sorted(kinds.items()):
        for first in range(0, len(alike), BATCH):
            yield workers, round, alike[first : first + BATCH]


def _table(study: Study, phase: Phase, tasks: Sequence[Task], widths: tuple[int, int]) -> str:
    file = io.StringIO()
    csv.writer(file).writerows(inputs(study, phase, tasks, widths))
    return file.getvalue()


def inputs(
    study: Study, phase: Phase, tasks: Sequence[Task], widths: tuple[int, int] | None = None
) -> Iterator[list[str]]:
    """Return the header and the rows of a table that fills the layout, with room for so many statements and checks."""
    if phase == "writing":
        yield ["eventId", "summId", "summary_text", "taskId"]
        for task in tasks:
            yield [_id(task.topic), _id(task.summary), cell(study.text_of(task).text), _id(task.id)]
        return
    statements, checks = widths or _widths(tasks)
    texts = {(statement.topic, statement.id): statement.text for statement in study.statements}
    yield [
        *("eventId", "summaryId", "qIdList", "summary_text"),
        *(f"statement_{number}" for number in range(1, statements + 1)),
        "taskId",
        *(f"check_{number}" for number in range(1, checks + 1)),
        *("checkIdList", "order"),
    ]
    for task in tasks:
        yield [
            _id(task.topic),
            _id(task.summary),
            # a Python list, as LitePyramids' tables have it and the reader of results expects it
            ascii(list(task.statements)),
            cell(study.text_of(task).text),
            *_pad([cell(texts[task.topic, id]) for id in task.statements], statements),
            _id(task.id),
            *_pad([cell(check.text) for check in task.checks], checks),
            ascii([check.id for check in task.checks]),
            " ".join(order_of(task)),
        ]


def _pad(cells: list[str], width: int) -> list[str]:
    return cells + [BLANK] * (width - len(cells))
