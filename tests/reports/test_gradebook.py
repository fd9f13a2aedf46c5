"""The gradebook: its rows, its precision, and that a spreadsheet runs nothing of it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic, Unread
from pyramidion.reports.gradebook import COLUMNS, MISSED, Band, Grading, gradebook, read_bands
from tests.reports.evaluations import contradicting, judged, unread


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
    assert (anna["percent"], ben["percent"], ben["missed_1"]) == ("100.00", "", "not scored: nobody annotated it")


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


BANDS = (Band("A", 85), Band("B", 50), Band("C", 0))


def table(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_percent_points_and_grade_with_two_decimals() -> None:
    evaluation = evaluate(example()[:1], "manual")
    graded = table(gradebook(evaluation, Grading(20, BANDS)))
    assert list(graded[0])[:6] == ["topic", "student", "percent", "points", "grade", "raw"]
    assert [(row["student"], row["percent"], row["points"], row["grade"]) for row in graded] == [
        ("copy", "88.71", "17.74", "A"),  # 33 / 37.2
        ("empty", "0.00", "0.00", "C"),
        ("off-topic", "0.00", "0.00", "C"),
        ("padded", "34.95", "6.99", "C"),  # 13 / 37.2
        ("paraphrase-1", "86.02", "17.20", "A"),  # 32 / 37.2
        ("paraphrase-2", "48.39", "9.68", "C"),  # 18 / 37.2
    ]
    assert {"points", "grade"}.isdisjoint(table(gradebook(evaluation))[0])


def test_a_grade_begins_exactly_where_it_says() -> None:
    grading = Grading(bands=BANDS)
    assert [grading.grade_of(percent) for percent in (0, 49.99, 50, 84.99, 85, 120)] == ["C", "C", "B", "B", "A", "A"]


@pytest.mark.parametrize(
    ("points", "bands", "message"),
    [
        (0, (), "The points are 0; give a number above 0"),
        (float("nan"), (), "The points are nan"),
        (None, (Band("A", 50),), "The lowest grade begins at 50 %"),
        (None, (*BANDS, Band("D", 50)), "A grade begins at 50 %, twice"),
        (None, (*BANDS, Band("S", 101)), "A grade begins at 101 %, but percentages go from 0 to 100"),
    ],
)
def test_a_grading_that_makes_no_sense(points: float | None, bands: tuple[Band, ...], message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        Grading(points, bands)


@pytest.mark.parametrize("text", ["grade,from\nA,85\nB,50\nC,0\n", "\ufefffrom;grade\r\n85 %;A\r\n50,0;B\r\n0;C\r\n"])
def test_bands_are_read_as_spreadsheets_write_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bands.csv"
    path.write_bytes(text.encode())
    assert read_bands(path) == BANDS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grade\nA\n", "need the columns 'grade' and 'from'"),
        ("grade,from\nA,high\n", "bands.csv:2: The grade 'A' begins at 'high', which is not a number"),
        ("grade,from\n", "There are no bands"),
    ],
)
def test_bands_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bands.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_bands(path)


def test_what_is_copied_stands_beside_the_score() -> None:
    copy, _, _, padded, *_ = table(gradebook(evaluate(example()[:1], "manual")))
    assert (copy["copied"], copy["copied_from"]) == ("72.92", "73 % copied from reference B")  # 70 of 96 words
    assert (padded["copied"], padded["copied_from"]) == ("0.00", "")


def numbered() -> list[Topic]:
    topic = example()[0]
    numbers = {peer.id: str(100 + rank) for rank, peer in enumerate(topic.peers)}
    peers = tuple(replace(peer, number=numbers[peer.id]) for peer in topic.peers)
    annotations = tuple(
        replace(one, summary=replace(one.summary, number=numbers[one.summary.id])) for one in topic.annotations
    )
    return [replace(topic, peers=peers, annotations=annotations, unread=(Unread("late", "The file is damaged."),))]


def test_who_cannot_be_read_has_a_row_that_says_so_everywhere() -> None:
    evaluation = evaluate(numbered(), "manual")
    *_, late = table(gradebook(evaluation, Grading(20, BANDS)))
    assert (late["student"], late["percent"], late["points"], late["grade"]) == ("late", "", "", "")
    assert late["missed_1"] == "not scored: The file is damaged."
    with pytest.warns(InputWarning, match="1 student without a participant number"):
        moodle = table(gradebook(evaluation, lms="moodle"))
    (late,) = (row for row in moodle if row["Full name"] == "late")
    assert (late["Grade"], late["Feedback comments"]) == ("", "not scored: The file is damaged.")
    (late,) = (row for row in table(gradebook(evaluation, lms="canvas")) if row["Student"] == "late")
    assert late["lake-revival"] == ""


def test_who_cannot_be_read_keeps_the_number_by_which_the_platform_finds_them() -> None:
    (topic,) = numbered()
    late = Unread("late", "The file is damaged.", "777")
    evaluation = evaluate([replace(topic, unread=(late,))], "manual")
    assert table(gradebook(evaluation))[-1]["student_id"] == "777"
    moodle = {row["Full name"]: row["Identifier"] for row in table(gradebook(evaluation, lms="moodle"))}
    assert moodle["late"] == "Participant 777"
    canvas = {row["Student"]: row["ID"] for row in table(gradebook(evaluation, lms="canvas"))}
    assert canvas["late"] == "777"


def test_the_columns_of_moodles_grading_worksheet() -> None:
    topics = [replace(topic, unread=()) for topic in numbered()]
    copy, *_, last = table(gradebook(evaluate(topics, "manual"), Grading(20, BANDS), lms="moodle"))
    assert copy == {
        "Identifier": "Participant 100",
        "Full name": "copy",
        "Grade": "17.74",
        "Maximum Grade": "20",
        "Last modified (grade)": "-",
        "Feedback comments": f"Grade: A. Most important idea missed: {rows(topics)[0]['missed_1']}.",
    }
    assert last["Identifier"] == "Participant 105"
    with pytest.raises(PyramidionError, match="Moodle imports one assignment at a time, but there are 2 topics"):
        gradebook(evaluate(example(), "manual"), lms="moodle")


def test_the_columns_of_canvas_with_an_assignment_for_each_topic() -> None:
    first, *others = table(gradebook(evaluate([*numbered(), example()[1]], "manual"), lms="canvas"))
    assert list(first) == [
        *("Student", "ID", "SIS User ID", "SIS Login ID", "Section"),
        *("lake-revival", "tidal-lagoon"),
    ]
    assert (first["Student"].strip(), first["lake-revival"]) == ("Points Possible", "100")
    marks = {(row["Student"], row["ID"]): (row["lake-revival"], row["tidal-lagoon"]) for row in others}
    assert (marks["copy", ""], marks["copy", "100"]) == (("", "94.09"), ("88.71", ""))
    same = table(gradebook(evaluate(example(), "manual"), Grading(20), lms="canvas"))
    assert (same[1]["Student"], same[1]["lake-revival"], same[1]["tidal-lagoon"]) == ("copy", "17.74", "18.82")
    assert len(same) == 7


def test_of_several_readings_a_platform_gets_the_mean() -> None:
    topic = example()[0]
    copy = topic.annotations[0]
    nothing = Annotation(copy.summary, (), (Contributor("copy", (Span(0, 3),)),), "y")
    two = (replace(copy, annotator="x"), nothing)
    with pytest.warns(InputWarning, match="several annotations"):
        evaluation = evaluate([replace(topic, peers=topic.peers[:1], annotations=two)], "manual")
    (_, row) = table(gradebook(evaluation, lms="canvas"))
    assert row["lake-revival"] == "44.35"  # the mean of 88.71 and 0


def test_a_workbook_has_numbers_as_numbers_and_text_as_text() -> None:
    topic = example()[0]
    name = "=1+1\x07"
    peers = (replace(topic.peers[0], id=name), *topic.peers[1:])
    annotations = (
        replace(topic.annotations[0], summary=peers[0], unmatched=()),
        *topic.annotations[1:],
    )
    data = gradebook(
        evaluate([replace(topic, peers=peers, annotations=annotations)], "manual"), Grading(20), format="xlsx"
    )
    sheet = load_workbook(io.BytesIO(data)).active
    header, first, *_ = sheet.iter_rows()
    cells = dict(zip((cell.value for cell in header), first, strict=True))
    assert (cells["student"].value, cells["student"].data_type) == ("=1+1 ", "s")
    assert (cells["percent"].value, cells["percent"].number_format) == (88.71, "0.00")
    assert (cells["points"].value, cells["coverage"].value) == (17.74, 33 / 37.2)
    assert sheet.max_row == 7
    with pytest.raises(PyramidionError, match="Canvas imports CSV, not xlsx"):
        gradebook(evaluate(example(), "manual"), lms="canvas", format="xlsx")
