"""The review list: every written statement with what the rules make of it, for a person to confirm, strike or edit.

A CSV file for any spreadsheet, one row a statement, with ``decision`` and ``edited`` to fill: ``keep`` (also what the
rules would drop), ``drop``, ``edit`` with the new text in ``edited``; an empty decision follows the rules. What a
spreadsheet would take for a formula has an apostrophe in front, which is taken away on reading.

The list must come back whole, because a missing row may be a decision or an accident.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pyramidion.base.choices import check_choices
from pyramidion.base.csv import as_written, harmless
from pyramidion.base.files import decode, squash
from pyramidion.crowd.statements.duplicates import FINDERS, THRESHOLDS, Duplicates
from pyramidion.crowd.study import Statement
from pyramidion.errors import FormatError, PyramidionError, Where

COLUMNS = (
    "topic", "reference", "id", "text", "author", "status", "why", "nearest", "similarity", "decision", "edited",
)  # fmt: skip
DECISIONS = ("keep", "drop", "edit")
STRUCK = "struck out by a person"
"""The reason for a statement that the rules would have kept and a person dropped."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement before it is sampled, with the one about the same reference that it is most like."""

    statement: Statement
    nearest: str = ""
    """The id of that statement; empty if no statement is alike."""
    similarity: float = 0.0
    doubt: str = ""
    """The reason for which it was kept though another is as alike as a duplicate; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A row of a review list that a person has filled in."""

    topic: str
    id: str
    text: str
    """The statement as the list shows it: if it was changed in its place, that is an error."""
    decision: str = ""
    edited: str = ""
    where: Where = field(default_factory=Where)


def dumps(drafts: Iterable[Draft]) -> bytes:
    """Return the list as CSV, in UTF-8 with the mark by which spreadsheets recognise it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for draft in drafts:
        statement = draft.statement
        status = "dropped" if statement.dropped else "kept"
        similarity = f"{draft.similarity:.2f}" if draft.nearest else ""
        about = (statement.topic, statement.reference, statement.id, statement.text, statement.author)
        cells = (*about, status, statement.dropped or draft.doubt, draft.nearest, similarity, "", "")
        writer.writerow(map(harmless, cells))
    return out.getvalue().encode("utf-8-sig", "replace")


def loads(data: bytes | str, source: str = "<string>") -> list[Decision]:
    """Read the decisions in a list, whichever of comma, semicolon and tab the spreadsheet wrote between cells."""
    text = decode(data, source)
    header = text.lstrip("\r\n").split("\n", 1)[0]
    lines = io.StringIO(text, newline="")
    # the separator is the one of the three that occurs most often in the header
    reader = csv.reader(lines, delimiter=max(",;\t", key=header.count), strict=True)
    decisions: list[Decision] = []
    places: dict[str, int] = {}
    try:
        for row in reader:
            if not any(row):
                continue
            if not places:
                places = {name.strip().lower(): place for place, name in enumerate(row)}
                missing = [name for name in ("topic", "id", "text", "decision", "edited") if name not in places]
                if missing:
                    raise FormatError(
                        f"The review list has no column {missing[0]!r}", source, f"it must have {', '.join(COLUMNS)}"
                    )
                continue
            cells = {name: as_written(row[place]) if place < len(row) else "" for name, place in places.items()}
            decisions.append(_decision(cells, Where(source, reader.line_num)))
    except csv.Error as error:
        raise FormatError(
            f"The list is not proper CSV ({error})", Where(source, reader.line_num), "save the list as CSV again"
        ) from None
    return decisions


def _decision(cells: dict[str, str], where: Where) -> Decision:
    """Return the decision in a row; one that contradicts itself is an error."""
    decision, edited = cells["decision"].strip().lower(), " ".join(cells["edited"].split())
    if decision not in ("", *DECISIONS):
        raise FormatError(f"The decision is {cells['decision']!r}", where, f"write {', '.join(DECISIONS)} or nothing")
    if decision == "edit" and not edited:
        raise FormatError("The edit has no text", where, "write the new text into the column edited, or drop it")
    if edited and decision != "edit":
        raise FormatError(
            f"There is an edited text, but the decision is {decision!r}",
            where,
            "write edit, or empty the column edited",
        )
    return Decision(cells["topic"], cells["id"].strip(), cells["text"], decision, edited, where)


@check_choices
def apply(
    statements: Sequence[Statement],
    decisions: Iterable[Decision],
    duplicates: Duplicates = "cosine",
    threshold: float = THRESHOLDS["cosine"],
    analyser: str = "en-minilm",
) -> list[Statement]:
    """Return the statements as a person wants them; an edit may not make one a duplicate of another that is kept."""
    by_id = {(decision.topic, decision.id): decision for decision in _check_rows(statements, decisions)}
    decided = [_apply_decision(statement, by_id[statement.topic, statement.id]) for statement in statements]
    for statement in decided:
        decision = by_id[statement.topic, statement.id]
        if decision.decision != "edit":
            continue
        neighbours = [
            neighbour
            for neighbour in decided
            if (neighbour.topic, neighbour.reference) == (statement.topic, statement.reference)
            and neighbour.id != statement.id
            and not neighbour.dropped
        ]
        for neighbour in neighbours:
            if FINDERS[duplicates]([statement.text, neighbour.text], threshold, analyser):
                raise PyramidionError(
                    f"The edit makes {statement.id} a duplicate of {neighbour.id} ({neighbour.text!r})",
                    decision.where,
                    "drop one of the two, or write another text",
                )
    return decided


def _check_rows(statements: Sequence[Statement], decisions: Iterable[Decision]) -> list[Decision]:
    """Return the decisions, if there is one for every statement and the texts are unchanged."""
    known = {(statement.topic, statement.id): statement for statement in statements}
    rows = list(decisions)
    seen: Counter[tuple[str, str]] = Counter()
    for row in rows:
        key = (row.topic, row.id)
        if key not in known:
            raise PyramidionError(
                f"Topic {row.topic!r} has no statement {row.id!r} to decide on",
                row.where,
                "check that the list is this study's, by the same rules; else write the list again",
            )
        seen[key] += 1
        if seen[key] > 1:
            raise PyramidionError(
                f"Statement {row.id} of topic {row.topic!r} is there twice", row.where, "keep one row"
            )
        # spreadsheets may drop the apostrophe that keeps a text from being a formula, or add one
        if squash(row.text).lstrip("'") != squash(known[key].text).lstrip("'"):
            raise PyramidionError(
                f"The text of statement {row.id} is not what was written",
                row.where,
                "write edit into the column decision and the new text into edited; save as CSV in UTF-8",
            )
    missing = [statement for statement in statements if not seen[statement.topic, statement.id]]
    if missing:
        raise PyramidionError(
            f"The review list lacks {len(missing)} of {len(statements)} statements, the first: {missing[0].id} of "
            f"topic {missing[0].topic!r}",
            rows[0].where.source if rows else "",
            "write drop rather than delete a row; if answers came in since, write the list again",
        )
    return rows


def _apply_decision(statement: Statement, decision: Decision) -> Statement:
    match decision.decision:
        case "keep":
            return replace(statement, dropped="")
        case "edit":
            return replace(statement, text=decision.edited, dropped="")
        case "drop":
            return replace(statement, dropped=statement.dropped or STRUCK)
    return statement
