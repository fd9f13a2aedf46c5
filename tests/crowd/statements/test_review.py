"""The review list: out to a spreadsheet and back."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.statements.drafts import RULES
from pyramidion.crowd.statements.review import COLUMNS, STRUCK, Decision, Draft, apply, dumps, loads
from pyramidion.crowd.statements.select import Selection, propose, select
from pyramidion.crowd.study import Statement
from pyramidion.errors import FormatError, PyramidionError
from tests.crowd.statements.test_select import AGAIN, BRIDGE, numbered, studied, wrote

RULE = replace(RULES["paper"], analyser="unicode")
WRITTEN = [wrote("A", BRIDGE, AGAIN, "=2+3 people opened it", "yes"), numbered("B", 4)]
FERRY = "A ferry carries forty cars."

Row = dict[str, str]


def listed() -> list[Row]:
    _, drafts = propose(studied(), WRITTEN, RULE)
    return list(csv.DictReader(io.StringIO(dumps(drafts).decode("utf-8-sig"), newline="")))


def row_of(rows: list[Row], text: str) -> Row:
    return next(row for row in rows if row["text"].lstrip("'") == text)


def back(rows: list[Row], delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def reviewed(rows: list[Row]) -> Selection:
    return select(studied(), WRITTEN, RULE, decisions=loads(back(rows), "review.csv"))


def test_the_list_shows_what_the_rules_make_of_every_statement() -> None:
    rows = listed()
    assert len(rows) == 8
    assert list(rows[0]) == list(COLUMNS)
    gone, stays = row_of(rows, BRIDGE), row_of(rows, AGAIN)
    assert (gone["status"], gone["why"]) == ("dropped", f"duplicate of {stays['id']}: 1.00")
    assert (gone["nearest"], gone["similarity"]) == (stays["id"], "1.00")
    assert (stays["status"], stays["why"], stays["author"]) == ("kept", "", "w")
    assert {(row["decision"], row["edited"]) for row in rows} == {("", "")}


def test_no_cell_is_a_formula_and_the_text_comes_back() -> None:
    data = dumps([Draft(Statement("s1", "=t", "-r", "=1+1 is two", "@who"))])
    cells = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))[1]
    assert not [cell for cell in cells if cell[:1] in set("=+-@\t\r")]
    assert [(one.topic, one.text) for one in loads(data)] == [("=t", "=1+1 is two")]


def test_an_untouched_list_selects_what_the_rules_would() -> None:
    assert reviewed(listed()).study == select(studied(), WRITTEN, RULE).study


def test_a_person_overrules_the_rules() -> None:
    rows = listed()
    row_of(rows, BRIDGE)["decision"] = "keep"
    row_of(rows, AGAIN)["decision"] = " Drop "
    row_of(rows, "yes").update(decision="edit", edited=f"  {FERRY}\n")
    statements = {one.text: one for one in reviewed(rows).study.statements}
    assert statements[BRIDGE].dropped == ""
    assert statements[AGAIN].dropped == STRUCK
    assert statements[FERRY].dropped == ""
    assert statements[FERRY].id == row_of(rows, "yes")["id"]
    assert reviewed(rows).counts[0].dropped == {STRUCK: 1}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_spreadsheets_of_all_countries(delimiter: str) -> None:
    rows = listed()
    row_of(rows, AGAIN)["decision"] = "drop"
    found = loads(back(rows, delimiter))
    assert len(found) == 8
    assert [one.decision for one in found].count("drop") == 1


def faulty(change: str) -> list[Row]:
    rows = listed()
    match change:
        case "unknown":
            rows[0]["id"] = "s00000000"
        case "twice":
            rows.append(rows[0])
        case "deleted":
            del rows[0]
        case "decision":
            rows[0]["decision"] = "maybe"
        case "no text":
            rows[0].update(decision="edit", edited="  ")
        case "no decision":
            rows[0].update(edited="Something else.")
        case "in place":
            row_of(rows, AGAIN)["text"] = "In June the council closed the bridge"
        case "duplicate":
            row_of(rows, "yes").update(decision="edit", edited="The council closed the old stone bridge in May!")
    return rows


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("unknown", "review.csv:2: Topic 't' has no statement 's00000000' to decide on"),
        ("twice", "is there twice; keep one row"),
        ("deleted", "The review list lacks 1 of 8 statements"),
        ("decision", "review.csv:2: The decision is 'maybe'; write keep, drop, edit or nothing"),
        ("no text", "review.csv:2: The edit has no text"),
        ("no decision", "review.csv:2: There is an edited text, but the decision is ''"),
        ("in place", "is not what was written; write edit into the column decision"),
        ("duplicate", "a duplicate of"),
    ],
)
def test_lists_that_cannot_be_right(change: str, said: str) -> None:
    with pytest.raises(PyramidionError, match=re.escape(said)):
        reviewed(faulty(change))


def test_two_edits_to_the_same_text_are_duplicates_unless_one_goes() -> None:
    rows = listed()
    for text in (BRIDGE, "yes"):
        row_of(rows, text).update(decision="edit", edited=FERRY)
    with pytest.raises(PyramidionError, match="The edit makes .* a duplicate of"):
        reviewed(rows)
    row_of(rows, "yes").update(decision="drop", edited="")
    row_of(rows, BRIDGE).update(edited=f"{AGAIN}!")
    row_of(rows, AGAIN).update(decision="drop")
    assert f"{AGAIN}!" in {one.text for one in reviewed(rows).study.statements if not one.dropped}


def test_not_a_review_list() -> None:
    with pytest.raises(FormatError, match="has no column 'topic'"):
        loads("a,b\n1,2\n", "x.csv")
    with pytest.raises(FormatError, match="empty"):
        loads(b"", "x.csv")
    with pytest.raises(FormatError, match="not proper CSV"):
        loads('topic,id,text,decision,edited\n"a"b,1,x,,\n', "x.csv")


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufffd"), max_size=20), max_size=4)
)
def test_every_text_survives_the_journey(texts: list[str]) -> None:
    statements = [Statement(f"s{n}", "t", "A", text) for n, text in enumerate(" ".join(one.split()) for one in texts)]
    decisions = loads(dumps(map(Draft, statements)))
    assert apply(statements, decisions, analyser="unicode") == statements
    assert all(isinstance(one, Decision) for one in decisions)
