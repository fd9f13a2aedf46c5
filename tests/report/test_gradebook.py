"""The gradebook: its rows, its precision, and that a spreadsheet runs nothing of it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.examples import example
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.report.gradebook import COLUMNS, MISSED, gradebook
from pyramidion.studies.evaluate import evaluate
from tests.report.evaluations import contradicting, judged, unread


def rows(topics: list[Topic]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(gradebook(evaluate(topics, "manual")).decode("utf-8-sig"), newline="")))


def test_a_row_for_every_student_by_name() -> None:
    found = rows(example())
    assert tuple(found[0]) == COLUMNS
    assert [(row["student"], row["topic"]) for row in found[:3]] == [
        ("copy", "lake-revival"),
        ("copy", "tidal-lagoon"),
        ("empty", "lake-revival"),
    ]
    assert len(found) == 12
    padded = next(row for row in found if row["student"] == "padded")
    assert (padded["raw"], padded["scus"], padded["words"]) == ("13", "3", "140")
    assert padded["missed_1"] == "Freshwater mussels were used as part of the remedy (4 of 5)"


def test_a_student_whose_text_nobody_read_has_empty_cells() -> None:
    anna, ben = csv.DictReader(io.StringIO(gradebook(unread()).decode("utf-8-sig"), newline=""))
    assert (anna["raw"], anna["coverage"]) == ("1", "1.0")
    assert (ben["student"], ben["raw"], ben["coverage"], ben["quality"], ben["scus"]) == ("ben", "", "", "", "0")


def test_numbers_have_their_full_precision() -> None:
    copy = rows(example())[0]
    assert float(copy["quality"]) == 33 / 34
    assert float(copy["coverage"]) == 33 / 37.2
    assert float(copy["comprehensive"]) == pytest.approx(2 / (34 / 33 + 37.2 / 33), abs=1e-15)


def test_an_expectation_has_two_decimals_and_what_comes_from_it_all() -> None:
    (row,) = csv.DictReader(io.StringIO(gradebook(judged()).decode("utf-8-sig"), newline=""))
    assert (row["raw"], row["coverage"], row["quality"]) == ("2.53", "0.5625", "0.5")


def test_what_is_contradicted_is_counted_and_not_missed() -> None:
    (row,) = csv.DictReader(io.StringIO(gradebook(contradicting()).decode("utf-8-sig"), newline=""))
    assert (row["scus"], row["contradicted"], row["missed_1"], row["missed_2"]) == ("1", "1", "Reeds grew (1 of 2)", "")


def test_excel_sees_that_it_is_utf_8() -> None:
    data = gradebook(evaluate(example(), "manual"))
    assert data.startswith(b"\xef\xbb\xbftopic,student,")
    assert data.count(b"\xef\xbb\xbf") == 1


def test_who_missed_nothing_has_empty_cells_and_annotators_have_a_column_only_where_there_are_some() -> None:
    reference, peer = Summary("A", "idea"), Summary("p", "idea", "peer")
    pyramid = Pyramid("t", (reference,), (SCU("1", "Idea", (Contributor("A", (Span(0, 4),)),)),))
    annotation = Annotation(peer, (Match("1", (Span(0, 4),)),))
    topic = Topic("t", (reference,), (peer,), (), pyramid, (annotation,))
    (row,) = rows([topic])
    assert [row[f"missed_{rank}"] for rank in range(1, MISSED + 1)] == [""] * MISSED
    with pytest.warns(UserWarning, match="several annotations"):
        by_two = rows([replace(topic, annotations=tuple(replace(annotation, annotator=name) for name in "yx"))])
    assert [(row["student"], row["annotator"]) for row in by_two] == [("p", "x"), ("p", "y")]


@given(st.text(st.sampled_from("=+-@\t\r\n '\"a,;\uff1d"), min_size=1, max_size=8))
def test_no_cell_is_a_formula(text: str) -> None:
    reference, peer = Summary("A", "idea"), Summary(text, "x", "peer")
    pyramid = Pyramid(text, (reference,), (SCU("1", text, (Contributor("A", (Span(0, 4),)),)),))
    (row,) = rows([Topic(text, (reference,), (peer,), (), pyramid, (Annotation(peer),))])
    for cell in row.values():
        assert cell == "-" or not cell.startswith(tuple("=+-@\t\r\n \uff1d"))  # a lone dash is no formula
    assert row["student"].removeprefix("'") == " ".join(text.split()).removeprefix("'")


def test_every_row_says_how_its_numbers_were_made() -> None:
    assert {row["signature"] for row in rows(example())} == {str(evaluate(example(), "manual").signature)}
