"""The gradebook: one row per student, as a CSV file that a spreadsheet opens as it should.

Excel takes a CSV file for UTF-8 only if it begins with the byte order mark, so this one does; other programs skip it
(Python: ``encoding="utf-8-sig"``). A cell of text that a spreadsheet would take for a formula, because a file name or a
text begins with ``=``, ``+``, ``-`` or ``@``, gets an apostrophe in front. Numbers have their full precision, but a raw
score that is an expectation (a judge's, see :mod:`pyramidion.score`) has two decimals.
"""

from __future__ import annotations

import csv
import io

from pyramidion.explain import Missed, explain
from pyramidion.io.csv import harmless
from pyramidion.io.tables import Cell
from pyramidion.studies.evaluate import Evaluation, Scored

__all__ = ["COLUMNS", "MISSED", "gradebook"]

MISSED = 5
"""How many missed ideas have a column each."""

_NUMBERS = ("raw", "quality", "coverage", "comprehensive", "scus", "contradicted")

COLUMNS = ("topic", "student", *_NUMBERS, *(f"missed_{rank}" for rank in range(1, MISSED + 1)), "words", "signature")
"""The columns; ``student_id`` and ``annotator`` follow ``student`` where there are such.

Who handed in a file that cannot be read has a row without scores, which says so under ``missed_1``.

``contradicted`` counts the ideas that a text contradicts; those are not among the missed ones.
"""


def gradebook(evaluation: Evaluation) -> bytes:
    """The whole file: a row for every peer of every topic, by name, with the ideas it missed, most important first."""
    peers = [one for one in evaluation.results if one.scores.role == "peer"]
    peers.sort(key=lambda one: (one.scores.summary, one.scores.topic, one.scores.annotator))
    named = any(one.scores.annotator for one in peers)
    numbered = any(one.annotation.summary.number for one in peers)
    further = [*(["student_id"] if numbered else []), *(["annotator"] if named else [])]
    columns = [*COLUMNS[:2], *further, *COLUMNS[2:]]
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore")
    writer.writeheader()
    made: dict[str, Cell] = {"signature": str(evaluation.signature)}
    rows = [_row(one) for one in peers]
    for topic, name, why in evaluation.unread:
        rows.append({"topic": topic, "student": name, "missed_1": f"not scored: {why}"})
    writer.writerows({name: _on_one_line(cell) for name, cell in (row | made).items()} for row in rows)
    return out.getvalue().encode("utf-8-sig", "replace")


def _row(one: Scored) -> dict[str, Cell]:
    scores = one.scores
    missed = explain(one.pyramid, one.annotation, scores.settings).missed[:MISSED]
    row: dict[str, Cell] = {"topic": scores.topic, "student": scores.summary, "annotator": scores.annotator}
    row["student_id"] = one.annotation.summary.number
    row |= {name: getattr(scores, name) for name in _NUMBERS}
    row["raw"] = None if scores.raw is None else round(scores.raw, 2)
    row |= {f"missed_{rank}": _idea(idea, one.pyramid.size) for rank, idea in enumerate(missed, 1)}
    return row | {"words": len(one.annotation.summary.text.split())}


def _idea(idea: Missed, references: int) -> str:
    return f"{idea.label or idea.scu} ({len({said.reference for said in idea.contributors})} of {references})"


def _on_one_line(cell: Cell) -> Cell:
    """Text on one line that no spreadsheet takes for a formula."""
    return harmless(" ".join(cell.split())) if isinstance(cell, str) else cell
