"""Human scores from tables, and whom they are about."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pyramidion import formats
from pyramidion.analyses.scores.human import read_human, read_table_of_scores
from pyramidion.analyses.scores.table import ScoreTable
from pyramidion.errors import FormatError, InputWarning
from pyramidion.model import Summary, Topic
from tests.fuzz import mutated, only_our_errors


def topic(id: str, *peers: str) -> Topic:
    return Topic(id, peers=tuple(Summary(peer, "Some text.", "peer") for peer in peers))


CLASS = [topic("class", "anna_sum", "ben_sum", "student1", "student10")]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "scores.csv"


def read(table: Path, text: str, topics: list[Topic] = CLASS, column: str = "") -> ScoreTable:
    table.write_text(text)
    return read_human(table, topics, column)


def test_names_are_matched_with_and_without_endings_and_at_boundaries(table: Path) -> None:
    human = read(table, "filename,totalWeight\nanna_sum.pan,3\nBen.txt,4\nstudent1,5\n")
    assert human.score == "totalWeight"
    assert human.by_peer() == {("class", "anna_sum"): 3.0, ("class", "ben_sum"): 4.0, ("class", "student1"): 5.0}


def test_a_name_longer_than_the_id_is_matched_too(table: Path) -> None:
    assert read(table, "peer,raw\nben_sum_v2.final.txt,4\n").by_peer() == {("class", "ben_sum"): 4.0}


@pytest.mark.parametrize("name", ["student", "stud", "ann", "student100", ""])
def test_a_name_that_ends_inside_a_word_is_nobody(table: Path, name: str) -> None:
    with pytest.raises(FormatError, match=r"scores\.csv:2: (No row names a peer|The row does not name a peer)"):
        read(table, f"peer,raw\n{name},4\n")


def test_an_exact_name_takes_the_peer_so_that_a_longer_one_is_nobody(table: Path) -> None:
    with pytest.warns(InputWarning, match=r"1 row\(s\) do not name a peer of the corpus.*'student1-b' \(line 2\)"):
        assert read(table, "peer,raw\nstudent1-b,9\nstudent1,4\n").by_peer() == {("class", "student1"): 4.0}


def test_an_ambiguous_name_is_an_error_that_names_both(table: Path) -> None:
    twins = [topic("class", "anna_a", "anna_b")]
    with pytest.raises(FormatError, match=r":2: 'anna' can be 2 peers: 'anna_a', 'anna_b'; write the peer's full id"):
        read(table, "peer,raw\nanna,1\n", twins)


def test_two_rows_about_one_peer_are_an_error(table: Path) -> None:
    with pytest.raises(FormatError, match=r":3: 'anna_sum' in line 2 and 'anna_sum' are both the peer 'anna_sum'"):
        read(table, "peer,raw\nanna_sum,1\nanna_sum,2\n")


def test_several_topics_need_a_topic_column(table: Path) -> None:
    topics = [topic("A", "bart"), topic("B", "bart")]
    assert read(table, "topic,system,score\nB,bart,2\na,bart,1\n", topics).by_peer() == {
        ("A", "bart"): 1.0,
        ("B", "bart"): 2.0,
    }
    with pytest.raises(FormatError, match=r"'bart' of topic 'A', 'bart' of topic 'B'; add a column 'topic'"):
        read(table, "system,score\nbart,1\n", topics)


def test_names_of_nist_carry_their_topic(table: Path) -> None:
    topics = [topic("D0601", "16"), topic("D0602", "16")]
    assert read(table, "filename,raw\nD0602.M.250.A.16.pan,7\n", topics).by_peer() == {("D0602", "16"): 7.0}


def test_the_first_column_names_the_peer_where_no_heading_says_so(table: Path) -> None:
    human = read(table, "who,grade,remark\nanna,1.5,good\nben,,late\n")
    assert (human.score, human.by_peer()) == ("grade", {("class", "anna_sum"): 1.5})


@pytest.mark.parametrize(
    ("header", "chosen"),
    [
        ("peer,coverage,raw,totalWeight", "totalWeight"),
        ("peer,coverage,raw,score", "raw"),
        ("peer,Coverage,Score", "Score"),
        ("peer,other,coverage", "coverage"),
        ("peer,other", "other"),
        ("peer,score,coverage", "score"),
    ],
)
def test_which_column_is_read_without_a_name(table: Path, header: str, chosen: str) -> None:
    assert read(table, header + "\nanna" + ",1" * header.count(",") + "\n").score == chosen


def test_a_column_can_be_named_in_any_case(table: Path) -> None:
    assert read(table, "peer,raw,Fluency\nanna,1,5\n", column="fluency").by_peer() == {("class", "anna_sum"): 5.0}


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("peer,a,b\nanna,1,2\n", "", "not clear which column.*the columns of numbers are: a, b"),
        ("peer,raw,other\nanna,1,2\n", "style", "no column of numbers named 'style'.*: raw, other"),
        (
            "peer,raw,remark\nanna,1,\nben,2,good\n",
            "remark",
            ":3: 'good' in the column 'remark' is not a number; write",
        ),
        ("peer,raw\nanna,nan\n", "", ":2: 'nan' in the column 'raw' is not a number"),
        ("peer,raw\nanna,1e999\n", "", "'1e999' in the column 'raw' is not a number"),
        ("peer,raw,score\nanna,n/a,2\n", "", ":2: 'n/a' in the column 'raw' is not a number"),
        ("peer,remark\nanna,good\n", "", "No column has scores; write each peer's score"),
        ("peer,raw\nanna,\n", "", "No column has scores"),
        ("peer;raw\nanna;1\n", "", ":1: The cells are separated by ';'; save the table as CSV with commas"),
        ("peer\traw\nanna\t1\n", "", "The cells are separated by"),
        ("peer,raw\n", "", "The table has a header but no rows"),
        ("peer,raw,raw\nanna,1,2\n", "", "has the column 'raw' twice"),
        ("peer,raw\nanna\n", "", "The row has 1 cells, but the header has 2"),
    ],
)
def test_a_wrong_table_is_an_error(table: Path, text: str, column: str, what: str) -> None:
    with pytest.raises(FormatError, match=what):
        read(table, text, column=column)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=mutated(b"topic,peer,raw,note\nclass,anna.pan,3,x\nclass,ben,4.5,\n,student1,1,\n"))
def test_no_table_breaks_the_reader(content: bytes, table: Path) -> None:
    table.write_bytes(content)
    only_our_errors(lambda: read_human(table, CLASS))


@pytest.mark.data
def test_the_students_manual_scores_find_their_summaries(data: Path) -> None:
    students = data / "cc-students"
    found = read_table_of_scores(students / "manual_scores.csv", formats.load(students))
    human = found.column()
    assert (human.score, len(human.by_peer())) == ("totalWeight", 14)
    assert human.by_peer()["cc-students", "16495_CRYPTO_sum"] == 19
    assert found.column("coverageScore").by_peer()["cc-students", "55342_CRYPTO_sum"] == 0.1818
