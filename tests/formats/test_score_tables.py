"""Tables of scores that other tools made: each kind as it is in the wild, and what is no number refused."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning
from pyramidion.formats.score_tables import (
    ScoreRow,
    WrittenKind,
    dump_scores,
    dumps_scores,
    load_scores,
    loads_scores,
    sniff_scores,
)
from pyramidion.scoring import comprehensive
from tests.fuzz import mutated, only_our_errors

PYREVAL = """lagoon
Summary,raw,quality,coverage,Comprehensive
anna.txt,16,0.5,0.25,0.375
ben.txt,0,0.0,0.0,0.0
harbour
Summary,raw,quality,coverage,Comprehensive
anna.txt,3,0.75,0.25,0.5
"""
DUCVIEW_QUALITY = "filename,totalscu,uniquescu,scusNotInPyr,totalWeight,maxScoreTotalscu,qualityScore"
DUCVIEW = f"""{DUCVIEW_QUALITY},averagescu,maxScoreAveragescu,coverageScore,comprehensiveScore
anna.pan,5,3,1,8,12,0.6667,4,10,0.8,0.7273
D0601.M.250.A.16.pan,2,2,0,5,5,1,,,,
"""
LITEPYRAMIDS = """systemId, pyramid, responsiveness
24, 0.25, 2.5
25, 0.125, 1.0


eventId, pyramid, responsiveness
D1, 0.1875, 2.0


systemId, eventId , pyramid, responsiveness
24, D1, 0.25, 2.0
25, D1, 0.125, -1.0
"""
CSV = """topic,summary,quality,coverage
lagoon,anna,0.5,0.25
lagoon,ben,,1e-1
"""


def values(**scores: float | None) -> tuple[tuple[str, float | None], ...]:
    return tuple(scores.items())


# PyrEval's results.csv


def test_pyreval_names_the_pyramid_above_each_table() -> None:
    assert loads_scores(PYREVAL) == [
        ScoreRow("lagoon", "anna", values(raw=16, quality=0.5, coverage=0.25, Comprehensive=0.375)),
        ScoreRow("lagoon", "ben", values(raw=0, quality=0, coverage=0, Comprehensive=0)),
        ScoreRow("harbour", "anna", values(raw=3, quality=0.75, coverage=0.25, Comprehensive=0.5)),
    ]


def test_pyreval_called_the_last_column_comprehension_once() -> None:
    (row,) = loads_scores("lagoon\nSummary,raw,quality,coverage,comprehension\nanna,1,1,1,1\n")
    assert [name for name, _ in row.values] == ["raw", "quality", "coverage", "Comprehensive"]


def test_pyreval_appends_when_it_runs_again_so_the_last_row_counts() -> None:
    head = "lagoon\nSummary,raw,quality,coverage,Comprehensive\n"
    with pytest.warns(InputWarning, match=r"results.csv: 1 row\(s\) occur again"):
        rows = loads_scores(f"{head}anna,1,1,1,1\nben,5,1,1,1\n{head}anna,2,1,1,1\n", "results.csv")
    assert [(row.summary, row.values[0]) for row in rows] == [("anna", ("raw", 2)), ("ben", ("raw", 5))]


@pytest.mark.parametrize("blank", ["\n", ",,,,\n"])
def test_blank_lines_between_the_blocks_do_not_matter(blank: str) -> None:
    assert loads_scores(PYREVAL.replace("harbour\n", f"{blank}harbour,,,,\n")) == loads_scores(PYREVAL)


def test_a_pyreval_table_without_a_pyramids_name_is_refused_unless_it_is_the_only_one() -> None:
    with pytest.raises(FormatError, match=r"results.csv:4: The line above PyrEval's header does not name a pyramid"):
        loads_scores(PYREVAL.replace("harbour\n", ""), "results.csv")
    assert loads_scores("Summary,raw,quality,coverage,Comprehensive\nanna,1,1,1,1\n")[0].topic == ""


# DUCView


def test_ducview_names_summaries_by_their_files() -> None:
    rows = loads_scores(DUCVIEW)
    assert [(row.topic, row.summary) for row in rows] == [("", "anna"), ("D0601", "16")]


def test_ducview_scores_keep_their_tags() -> None:
    rows = loads_scores(DUCVIEW)
    assert rows[0].values == values(
        totalscu=5,
        uniquescu=3,
        scusNotInPyr=1,
        totalWeight=8,
        maxScoreTotalscu=12,
        qualityScore=0.6667,
        averagescu=4,
        maxScoreAveragescu=10,
        coverageScore=0.8,
        comprehensiveScore=0.7273,
    )


def test_without_a_header_expression_ducview_has_no_coverage() -> None:
    assert dict(loads_scores(DUCVIEW)[1].values)["coverageScore"] is None
    short = f"{DUCVIEW_QUALITY}\nanna.pan,5,3,1,8,12,0.6667\n"
    assert sniff_scores(Path("x.csv"), short.encode()) == "ducview-scores"
    assert len(loads_scores(short)[0].values) == 6


# LitePyramids


def test_litepyramids_stacks_three_tables() -> None:
    assert [(row.topic, row.summary) for row in loads_scores(LITEPYRAMIDS)] == [
        ("", "24"),
        ("", "25"),
        ("D1", ""),
        ("D1", "24"),
        ("D1", "25"),
    ]


def test_minus_one_is_a_missing_responsiveness_and_nothing_else() -> None:
    assert loads_scores(LITEPYRAMIDS)[-1].values == values(pyramid=0.125, responsiveness=None)
    assert loads_scores("systemId, kappa\n24, -1.0\n")[0].values == values(kappa=-1.0)


def test_columns_may_have_spaces_in_their_names() -> None:
    (row,) = loads_scores("systemId, eventId , ROUGE-1 recall, ROUGE-1 f1\n24, D1, 0.5, 0.25\n")
    assert row == ScoreRow("D1", "24", (("ROUGE-1 recall", 0.5), ("ROUGE-1 f1", 0.25)))


# Any CSV


def test_a_plain_table_names_topic_and_summary_in_columns() -> None:
    assert loads_scores(CSV) == [
        ScoreRow("lagoon", "anna", values(quality=0.5, coverage=0.25)),
        ScoreRow("lagoon", "ben", values(quality=None, coverage=0.1)),
    ]


def test_a_system_is_a_summary_and_the_topic_may_be_left_out() -> None:
    assert loads_scores("quality,System\n1,7\n") == [ScoreRow("", "7", values(quality=1))]


def test_an_empty_column_that_sets_others_apart_is_passed_over() -> None:
    assert loads_scores("summary,quality,,manual\nanna,1,,2\n") == [ScoreRow("", "anna", values(quality=1, manual=2))]


@pytest.mark.parametrize(
    "number", ["nan", "NaN", "inf", "-Infinity", "1e999", "n/a", "1,5", "1_000", "٣", "0x10", "--1"]
)
def test_what_is_no_finite_number_is_refused_with_its_line(number: str) -> None:
    with pytest.raises(FormatError) as caught:
        loads_scores(f'summary,quality\nanna,1\nben,"{number}"\n', "scores.csv")
    assert (
        str(caught.value)
        == f"scores.csv:3: 'quality' is {number!r}, not a number; write a finite number, or leave the cell empty."
    )


@pytest.mark.parametrize(
    ("document", "place", "what"),
    [
        ("summary,quality\nanna\n", "scores.csv:2", "The line has 1 cell(s), but the header has 2"),
        ("summary,quality\nanna,1,2\n", "scores.csv:2", "The line has 3 cell(s)"),
        ("summary,quality,quality\nanna,1,2\n", "scores.csv:1", "Two columns have the same name"),
        ("summary,system\nanna,7\n", "scores.csv:1", "'summary' and 'system' say the same"),
        ("summary,\nanna,7\n", "scores.csv:2", "'7' is in a column without a name"),
        ('summary,quality\nanna,"1\n', "scores.csv:2", "The file is not valid CSV"),
        ("who,quality\nanna,1\n", "scores.csv:1", "This is not a known table of scores"),
        ("eventId,questionId,questionText\nD1,1,x\n", "scores.csv:1", "This is not a known table of scores"),
        ("\n", "scores.csv", "empty"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(document: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        loads_scores(document, "scores.csv")
    assert str(caught.value).startswith(place + ":")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (PYREVAL, "pyreval-results"),
        (DUCVIEW, "ducview-scores"),
        (LITEPYRAMIDS, "litepyramids-scores"),
        (CSV, "csv"),
        ("\ufeff" + CSV, "csv"),
        ("eventId,questionId,questionText,answer,author,sourceSummaryId,forUse\n", None),
        ("eventId,summId,summary_text\n", None),
        ("<Pyramid/>", None),
        ('{"summary": 1}', None),
        ('"summary', None),
        ("", None),
    ],
)
def test_kinds_are_told_apart_by_their_first_lines(document: str, kind: str | None) -> None:
    assert sniff_scores(Path("x.csv"), document.encode()) == kind


# Writing


def test_a_csv_has_all_columns_in_the_order_they_first_come() -> None:
    rows = [
        ScoreRow("lagoon", "anna", values(raw=3, quality=0.1)),
        ScoreRow("", "b, c", values(coverage=None, raw=1e300)),
    ]
    assert dumps_scores(rows, "csv") == (b'topic,summary,raw,quality,coverage\nlagoon,anna,3,0.1,\n,"b, c",1e+300,,\n')


def test_pyrevals_table_is_written_topic_by_topic() -> None:
    assert dumps_scores(loads_scores(PYREVAL), "pyreval-results") == (
        b"lagoon\nSummary,raw,quality,coverage,Comprehensive\nanna,16,0.5,0.25,0.375\nben,0,0,0,0\n"
        b"harbour\nSummary,raw,quality,coverage,Comprehensive\nanna,3,0.75,0.25,0.5\n"
    )


def test_our_own_scores_can_be_written_as_pyrevals_and_what_it_lacks_is_warned_of() -> None:
    ours = ScoreRow("lagoon", "anna", values(raw=3, quality=1, coverage=0.5, comprehensive=0.75, recall=0.1))
    with pytest.warns(InputWarning, match="Not written: the columns recall"):
        written = dumps_scores([ours], "pyreval-results")
    assert loads_scores(written) == [
        ScoreRow("lagoon", "anna", values(raw=3, quality=1, coverage=0.5, Comprehensive=0.75))
    ]


@pytest.mark.parametrize(
    ("row", "kind", "what"),
    [
        (
            ScoreRow("", "anna", values(raw=1, quality=1, coverage=1, comprehensive=1)),
            "pyreval-results",
            "have no topic",
        ),
        (ScoreRow("t", "anna", values(raw=1)), "pyreval-results", "'anna' have no 'quality'"),
        (ScoreRow("t", "anna", values(raw=float("nan"))), "csv", "nan is not a score"),
        (ScoreRow("t", "anna", values(system=1)), "csv", "cannot be named 'system'"),
        (ScoreRow("t", "\ud800", values(raw=1)), "csv", "lone surrogate"),
    ],
)
def test_what_cannot_be_written_is_refused(row: ScoreRow, kind: WrittenKind, what: str) -> None:
    with pytest.raises(FormatError, match=what):
        dumps_scores([row], kind)


def test_a_table_is_written_and_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    dump_scores(loads_scores(LITEPYRAMIDS), path)
    assert load_scores(path) == loads_scores(LITEPYRAMIDS)


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="\ufffd"), min_size=1, max_size=8
)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.lists(st.builds(ScoreRow, NAMES, NAMES, st.builds(values, raw=NUMBERS, quality=NUMBERS)), min_size=1, max_size=5)
)
def test_any_scores_come_back_from_a_csv_to_the_last_digit(rows: list[ScoreRow]) -> None:
    assert loads_scores(dumps_scores(rows, "csv")) == rows


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    only_our_errors(lambda: loads_scores(data))
    only_our_errors(lambda: sniff_scores(Path("x"), data))


@given(st.sampled_from([PYREVAL, DUCVIEW, LITEPYRAMIDS, CSV]).flatmap(lambda valid: mutated(valid.encode())))
def test_damaged_tables_are_read_or_refused(data: bytes) -> None:
    only_our_errors(lambda: loads_scores(data))
    only_our_errors(lambda: sniff_scores(Path("x"), data))


# Real tables


@pytest.mark.data
def test_the_students_manual_scores_satisfy_our_formulas(data: Path) -> None:
    rows = load_scores(data / "cc-students" / "manual_scores.csv")
    assert len(rows) == 14
    for row in rows:
        tags = {name: value for name, value in row.values if value is not None}
        quality = tags["totalWeight"] / tags["maxScoreTotalscu"]
        coverage = min(1, tags["totalWeight"] / tags["maxScoreAveragescu"])
        assert tags["qualityScore"] == pytest.approx(quality, abs=1e-4)
        assert tags["coverageScore"] == pytest.approx(coverage, abs=1e-4)
        assert tags["comprehensiveScore"] == pytest.approx(comprehensive(quality, coverage), abs=1e-4)
        repetitions = tags["totalscu"] - tags["uniquescu"] - tags["scusNotInPyr"]
        assert repetitions >= 0


@pytest.mark.data
@pytest.mark.parametrize(("year", "pairs"), [(2005, 540), (2006, 440)])
def test_the_averages_of_litepyramids_leave_missing_scores_out(data: Path, year: int, pairs: int) -> None:
    rows = load_scores(data / "litepyramids" / f"{year}ManualScoresAvg.csv")
    both = [row for row in rows if row.topic and row.summary]
    assert len(both) == pairs
    for average in rows:
        if average.topic and average.summary:
            continue
        same = [
            dict(row.values)
            for row in both
            if average.topic in ("", row.topic) and average.summary in ("", row.summary)
        ]
        for name, value in average.values:
            assert value == pytest.approx(fmean(score for row in same if (score := row[name]) is not None))


@pytest.mark.data
@pytest.mark.parametrize("year", [2005, 2006])
def test_litepyramids_has_seven_rouges_of_three_numbers_but_not_of_every_person_on_every_topic(
    data: Path, year: int
) -> None:
    for row in load_scores(data / "litepyramids" / f"{year}RougeScoresAvg.csv"):
        assert len(row.values) == 7 * 3
        known = [value for _, value in row.values if value is not None]
        assert all(0 <= value <= 1 for value in known)
        assert len(known) == 7 * 3 or (not known and row.summary.isalpha())
