"""LitePyramids' published statements (``batchN.csv``) as submissions: one per author and reference.

``forUse`` (which statements were judged) and the statements' ids are kept; REALSumm's ``SCUs_list.csv`` has the same
columns but names no authors. Both are statements, not votes.
"""

from __future__ import annotations

from pyramidion.base.csv import read_table
from pyramidion.base.sheets import Sheet
from pyramidion.crowd.answers.cells import made_id
from pyramidion.crowd.answers.submission import Submission
from pyramidion.formats.litepyramids import COLUMNS, PADDING, repair_of


def read_statements(sheet: Sheet) -> list[Submission]:
    """Return the statements that each author wrote about each reference, in the order of the rows."""
    text, source = sheet.with_commas(), sheet.source
    written: dict[tuple[str, str, str], list[tuple[str, str, str]]] = {}
    for row in read_table(text, source, COLUMNS, repair_of(text)):
        cells = row.cells
        statements_of_author = written.setdefault(
            (cells["eventId"], cells["sourceSummaryId"], cells["author"].strip()), []
        )
        if cells["questionText"].strip() not in ("", PADDING):
            statements_of_author.append((cells["questionText"].strip(), cells["questionId"], cells["forUse"]))
    return [
        Submission(
            made_id(topic, reference, author),
            "writing",
            topic,
            reference,
            author,
            written=tuple(words for words, _, _ in statements),
            extra=(
                ("questionId", " ".join(id for _, id, _ in statements)),
                ("forUse", " ".join(use for _, _, use in statements)),
            ),
        )
        for (topic, reference, author), statements in written.items()
    ]
