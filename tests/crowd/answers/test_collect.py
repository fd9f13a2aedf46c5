"""Result files to submissions: what is recognised, kept, refused, and told apart."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.collect import Collected, last_moment, read, read_all, result_files
from pyramidion.crowd.answers.fitting import same
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.design import Design
from pyramidion.crowd.page.mturk import mturk_files
from pyramidion.crowd.study import Phase, Statement, Study, Task
from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.model import Summary, Topic
from tests.crowd.hostile import small
from tests.crowd.results import WORDS, bare, judging, page, study, table, writing
from tests.fuzz import mutated, only_our_errors
from tests.operations import steps

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def put(content: str | bytes, name: str = "r.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


# Mechanical Turk


def test_a_row_of_the_judging_task(put: Put) -> None:
    (one,) = read(put(table(judging("W1", "p-n")))).submissions
    assert one == Submission(
        "a-W1-sys",
        "judging",
        "d1",
        "sys",
        "W1",
        "j-sys",
        Asked(("7", "8", "9"), tuple(WORDS.values())),
        "p-n",
        checks=(("c-sys", "n"),),
        seconds=600,
        submitted="2018-11-13T17:10:11Z",
        status="submitted",
        text="What sys says.",
        extra=(
            ("HITId", "3HIT"),
            ("Title", "Judge, please"),
            ("AcceptTime", "Tue Nov 13 09:00:11 PST 2018"),
            ("LifetimeApprovalRate", "100% (5/5)"),
        ),
    )


def test_a_row_of_the_writing_task(put: Put) -> None:
    (one,) = read(put(table(writing("W1", " One. ", "", "Three.", **{"Answer.comment": "Hard!"})))).submissions
    assert (one.phase, one.topic, one.summary, one.worker, one.task) == ("writing", "d1", "A", "W1", "w1")
    assert one.written == ("One.", "Three.")
    assert ("Answer.comment", "Hard!") in one.extra


def test_both_tasks_in_one_table_are_told_apart_row_by_row(put: Put) -> None:
    found = read(put(table(judging("W1", "ppp"), writing("W2", "One."), judging("W3", "nnn"))), study()).submissions
    assert [(one.worker, one.phase) for one in found] == [("W1", "judging"), ("W2", "writing"), ("W3", "judging")]


def test_the_time_that_the_page_measured_goes_before_that_of_the_platform(put: Put) -> None:
    rows = [judging("W1", "ppp", **{"Answer.seconds": "41.5"}), judging("W2", "ppp", **{"Answer.seconds": "-1"})]
    assert [one.seconds for one in read(put(table(*rows))).submissions] == [41.5, None]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"AssignmentStatus": "Approved"}, "approved"),
        ({"AssignmentStatus": "Rejected"}, "rejected"),
        ({"AssignmentStatus": "Submitted", "Reject": "did not read"}, "rejected"),
        ({"AssignmentStatus": "Approved", "Reject": "x"}, "approved"),
        ({"Reject": "x"}, "rejected"),
        ({"Reject": "", "ApprovalTime": "Tue Nov 13 09:10:11 PST 2018"}, ""),
    ],
)
def test_statuses(put: Put, given: dict[str, str], status: str) -> None:
    row = judging("W1", "ppp", **given)
    if "AssignmentStatus" not in given:
        del row["AssignmentStatus"]
    collected = read(put(table(row)))
    assert [one.status for one in collected.submissions] == [status]
    assert collected.rejected == (status == "rejected")
    assert [one.status for one in collected.statuses] == ([status] if status else [])


def test_without_names_every_row_is_a_submission_of_its_own_and_reading_again_gives_thesame(put: Put) -> None:
    rows = bare(judging("", "ppp"), judging("", "ppp"), judging("", "pp-"), judging("", "ppp", "other"))
    path = put(table(*rows))
    found = read(path).submissions
    assert len({one.id for one in found}) == 4
    assert {one.worker for one in found} == {""}
    assert read(path).submissions == found
    backwards = read(put(table(*reversed(rows)), "b.csv")).submissions
    assert {(one.id, one.answers) for one in backwards} == {(one.id, one.answers) for one in found}


def test_a_column_without_a_name_is_kept_where_it_says_something(put: Put) -> None:
    row = judging("W1", "ppp")
    assert read(put(table(row | {"": ""}))).submissions == read(put(table(row))).submissions
    assert read(put(table(row | {"": "hm"}))).submissions[0].extra[-1][1] == "hm"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (judging("W1", "pxp"), "The answer to statement '8' is 'x'"),
        (judging("W1", "ppp", **{"Input.qIdList": "7, 8"}), "not a list of ids"),
        (judging("W1", "ppp", **{"Input.qIdList": "['7', '8']"}), "Statement 3 has no id"),
        (judging("W1", "ppp", **{"Input.qIdList": "['7', '7', '8']"}), "names a statement twice"),
        (judging("W1", "ppp", **{"Input.qIdList": str([*"123456"])}), "names 6 statements, but the file has columns"),
        (judging("W1", "ppp", **{"Input.eventId": " "}), "Input.eventId is empty"),
        (judging("W1", "ppp", **{"Input.checkIdList": "['a', 'b']"}), "no column Answer.C2Answer"),
        (
            judging("W1", "ppp", **{f"Input.statement_{n}": "BLANK" for n in (1, 2, 3)}),
            "Every statement of the row is empty",
        ),
        (writing("W1", "One.", **{"Input.summId": ""}), "Input.summId is empty"),
    ],
)
def test_a_row_that_is_wrong_is_named(put: Put, row: dict[str, str], says: str) -> None:
    good = writing("W9", "x") if "Answer.s1" in row else judging("W9", "ppp", **{"Input.summary_text": "two\nlines"})
    with pytest.raises(FormatError) as error:
        read(put(table(good, row)))
    assert says in str(error.value)
    assert error.value.where.line == (3 if "Answer.s1" in row else 4)
    assert error.value.do


@pytest.mark.parametrize("gone", ["Input.eventId", "Input.summaryId", "Input.qIdList", "Answer.S1Answer"])
def test_a_missing_column_is_named(put: Put, gone: str) -> None:
    row = judging("W1", "ppp")
    del row[gone]
    with pytest.raises(FormatError, match=f"no column '{gone}'"):
        read(put(table(row)))


# Files as spreadsheets and people leave them


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [False, True])
def test_encodings_and_separators(put: Put, encoding: str, separator: str, mark: bool) -> None:
    rows = [judging("Wé", "p?n", **{"Input.summary_text": 'über; den\nSee, "ja"'}), judging("W2", "ppp")]
    text = (f"sep={separator}\r\n" if mark else "") + table(*rows, separator=separator)
    assert read(put(text.encode(encoding))).submissions == read(put(table(*rows), "b.csv")).submissions


def test_windows_1252_is_read_with_a_warning(put: Put) -> None:
    with pytest.warns(InputWarning, match="cp1252"):
        (one,) = read(put(table(judging("W1", "ppp", **{"Input.summary_text": "café"})).encode("cp1252"))).submissions
    assert one.text == "café"


def test_what_excel_adds_below_a_table_is_passed_over(put: Put) -> None:
    text = table(judging("W1", "ppp"))
    width = text.split("\r\n", 1)[0].count(",")
    assert len(read(put(text + ("," * width + "\r\n") * 3 + "\r\n")).submissions) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        ("a,b\n1,2\n", "This is not a known result file"),
        ("eventId,summaryId,qIdList,summary_text\n", "not what workers answered"),
        (b"Input.qIdList\x00,x\n", "zero byte"),
        (table(judging("W1", "ppp")).split("\r\n")[0], "no answer in the file"),
        (table(judging("W1", "ppp"))[:-5], "cells, but the header has"),
        (table(judging("W1", "ppp"))[:-3], "not a valid table"),
        ("{}", "no answer in the file"),
        ("[1]", "only name their task"),
        ('{"a": 1}', "Expected 'object', got 'int'"),
    ],
)
def test_files_that_are_none(put: Put, content: str | bytes, says: str) -> None:
    with pytest.raises(PyramidionError) as error:
        read(put(content))
    assert says in str(error.value)
    assert "r.csv" in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(FormatError):
            read(path)
    (tmp_path / "a.csv").write_text(table(judging("W1", "ppp")))
    with pytest.raises(FormatError, match="no result format 'xls'"):
        read(tmp_path / "a.csv", format="xls")


def test_twice_as_many_rows_take_twice_the_steps(tmp_path: Path) -> None:
    def count(rows: int) -> int:
        folder = tmp_path / str(rows)
        folder.mkdir()
        (folder / "r.csv").write_text(table(*(judging("W1", "ppp", AssignmentId=f"a{n}") for n in range(rows))))

        def collect() -> None:
            collected = read(folder / "r.csv", study())
            assert Store(folder).add(collected.submissions, "r.csv", statuses=collected.statuses).new == rows

        return steps(collect)

    count(1)  # what is imported once is imported now
    assert count(2000) < 2.1 * count(1000)


# With a study


def test_what_the_study_knows_is_taken_from_it(put: Put) -> None:
    row = judging("W1", "ppp", **{"Input.statement_2": "Wages, too;  much&#46;", "Input.taskId": ""})
    (one,) = read(put(table(row)), study()).submissions
    assert one.task == "j-sys"
    assert one.asked.words == tuple(WORDS.values())


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"Input.eventId": "d2"}, "no topic 'd2'"),
        ({"Input.summaryId": "A"}, "no system 'A'"),
        ({"Input.taskId": "j-none"}, "no task 'j-none'"),
        ({"Input.taskId": "j-other"}, "mixed up"),
        ({"Input.taskId": "w1"}, "Task 'w1' is writing on 'A'"),
        ({"Input.qIdList": "['7', '8', '10']"}, "no statement '10'"),
        ({"Input.statement_1": "Rents fall."}, "Statement '7' of topic 'd1' is not the study's: 'Rents fall.'"),
        ({"Input.summary_text": "Another text."}, "The text of 'sys' on topic 'd1' is not the study's"),
        ({"Input.checkIdList": "['c-x']"}, "other attention checks"),
    ],
)
def test_answers_to_something_else_are_refused_or_passed_over(put: Put, given: dict[str, str], says: str) -> None:
    path = put(table(judging("W1", "ppp"), judging("W2", "ppp", **given)))
    with pytest.raises(FormatError) as error:
        read(path, study())
    assert says in str(error.value)
    assert error.value.where.line == 3
    collected = read(path, study(), skip_unknown=True)
    assert [one.worker for one in collected.submissions] == ["W1"]
    assert (collected.rows, collected.unknown) == (2, 1)
    assert "r.csv:3" in collected.problems[0]


def test_what_came_after_the_last_date_is_passed_over(put: Put) -> None:
    rows = [
        judging(f"W{n}", "ppp", SubmitTime=when) for n, when in enumerate(["Tue Nov 13 15:59:59 PST 2018", "?", ""])
    ]
    path = put(table(*rows, judging("W9", "ppp", SubmitTime="Tue Nov 13 16:00:00 PST 2018")))
    collected = read(path, until="2018-11-13")
    assert [one.worker for one in collected.submissions] == ["W0", "W1", "W2"]
    assert collected.late == 1
    assert any("2 without a readable time" in problem for problem in collected.problems)
    assert last_moment("2018-11-13T10:00+02:00") == "2018-11-13T08:00:00Z"
    with pytest.raises(PyramidionError, match="not a date"):
        last_moment("soon")


@pytest.mark.parametrize("phase", ["writing", "judging"])
def test_what_our_tasks_are_made_from_comes_back_as_it_was(put: Put, phase: Phase) -> None:
    """Texts that look like markup, fields and formulas, through the input table that MTurk copies into its results."""
    hostile = small()
    name = f"{phase}-1.csv"
    given = csv.DictReader(io.StringIO(mturk_files(hostile, phase, hostile.of_phase(phase))[name].decode(), newline=""))
    rows = [
        {f"Input.{column}": cell for column, cell in row.items()}
        | {"AssignmentId": f"a{number}", "WorkerId": "W"}
        | {f"Answer.S{n}Answer": "p" for n in range(1, 5)}
        | {"Answer.C1Answer": "n"}
        for number, row in enumerate(given)
    ]
    if phase == "writing":
        rows = [{k: v for k, v in row.items() if "Answer." not in k} | {"Answer.s1": "<b>Said.</b>"} for row in rows]
    path = put(table(*rows))
    found = read(path, hostile).submissions
    assert Counter(one.task for one in found) == Counter(task.id for task in hostile.of_phase(phase))
    assert [replaced(one, hostile) for one in read(path).submissions] == found


@pytest.mark.parametrize("id", ["R&D", "a&lt;b", "a&ltb", "&#61;", "x&copy", "\N{GRINNING FACE}&amp;", "=1&gt"])
def test_ids_come_back_from_mechanical_turk_as_they_were(put: Put, id: str) -> None:
    topic = Topic(id, (Summary(id, "Rents rise.", "reference"),), (Summary(id, "Rents rise.", "peer"),))
    tasks = (Task("w", "writing", id, id, 1), Task("j", "judging", id, id, 1, ("1",)))
    named = Study("ids", Design(), (topic,), (Statement("1", id, id, "Rents rise."),), tasks)
    phases: tuple[tuple[Phase, str], ...] = (("writing", "Answer.s1"), ("judging", "Answer.S1Answer"))
    for phase, answer in phases:
        made = mturk_files(named, phase, named.of_phase(phase))[f"{phase}-1.csv"].decode()
        (row,) = csv.DictReader(io.StringIO(made, newline=""))
        result = {f"Input.{column}": cell for column, cell in row.items()} | {answer: "p"}
        (one,) = read(put(table(result)), named).submissions
        assert (one.topic, one.summary) == (id, id)


def test_texts_that_are_mostly_not_ascii_must_be_thesame() -> None:
    assert same("Zoë\u2019s café", "Zo\ufffd\ufffds caf\ufffd")
    assert not same("2024年工资上涨。", "2024年房租上涨。")
    assert same("2024年 工资上涨。", "2024年工资上涨。")


def replaced(one: Submission, hostile: Study) -> Submission:
    """As the study has it, if the texts are the same but for white space."""
    from dataclasses import replace

    text = next(hostile.text_of(task).text for task in hostile.tasks if task.id == one.task)
    assert one.text.split() == text.split()
    words = {(s.topic, s.id): s.text for s in hostile.statements}
    mine = tuple(words[one.topic, id] for id in one.asked.ids)
    assert [each.split() for each in one.asked.words] == [each.split() for each in mine]
    return replace(one, text=text, asked=Asked(one.asked.ids, mine))


# Other formats


def test_prolific_gives_status_and_time_to_what_our_pages_brought(put: Put) -> None:
    pages = put("\n".join(json.dumps(page(worker=name, seconds=None)) for name in ("W1", "W2", "W3")), "p.jsonl")
    export = put(
        "Submission id,Participant id,Status,Reviewed at,Time taken,Age\n"
        "s-W1,W1,APPROVED,2024-05-02T10:00:00Z,100,33\ns-W2,W2,RETURNED,,50,\ns-W3,W3,TIMED-OUT,,9000,\n"
    )
    found = read_all([pages, export], study())
    assert [(one.status, one.seconds) for one in found] == [("approved", 100), ("rejected", 50), ("timed-out", 9000)]
    collected = read(export)
    assert (collected.format, collected.rows, collected.submissions) == ("prolific", 3, [])
    assert collected.statuses[0].extra == (("Participant id", "W1"), ("Age", "33"))


def test_a_prolific_export_without_its_columns_is_refused(put: Put) -> None:
    with pytest.raises(FormatError, match="no column 'Submission id'"):
        read(put("Participant id,Status\nW1,APPROVED\n"))
    with pytest.raises(FormatError, match=r"r\.csv:2: The row names no session"):
        read(put("Submission id,Status\n,APPROVED\n"))


def test_qapyramid_one_submission_per_worker_and_predicate(put: Put) -> None:
    votes = {"Who sank? Ann": [["A", 1], ["B", 0]], "Where? here": [["A", 0], ["AUTHOR", 1], ["A", 1]]}
    found = read(put(json.dumps({"bart": {"ex1": {"ex1_0": votes}}}), "q.json")).submissions
    assert [(one.worker, one.asked.words, one.answers) for one in found] == [
        ("A", ("Who sank? Ann", "Where? here"), "pn"),
        ("B", ("Who sank? Ann",), "n"),
        ("AUTHOR", ("Where? here",), "p"),
        ("A", ("Where? here",), "p"),
    ]
    assert {(one.topic, one.summary, one.task) for one in found} == {("ex1", "bart", "ex1_0")}
    assert found[0].asked.ids == ("ex1_0 Who sank? Ann", "ex1_0 Where? here")
    assert len({one.id for one in found}) == 4
    two = read_all([put(json.dumps({"bart": {"ex1": {"p": votes}, "ex2": {"p": votes}}}), "two.json")])
    assert len(two) == 8  # predicates of one name in two examples are not one


@pytest.mark.parametrize("separator", [",", ";"])
def test_litepyramids_one_submission_per_author_and_reference(put: Put, separator: str) -> None:
    lines = ["eventId,questionId,questionText,answer,author,sourceSummaryId,forUse"]
    lines += ["d1,0,One.,Y,W1,A,1", "d1,1,Two.,Y,W1,A,0", "d1,2,Three.,Y,W2,A,0", "d1,3,BLANK,N,W2,A,0"]
    found = read(put("\n".join(lines).replace(",", separator) + "\n")).submissions
    assert [(one.worker, one.summary, one.written) for one in found] == [
        ("W1", "A", ("One.", "Two.")),
        ("W2", "A", ("Three.",)),
    ]
    assert found[0].extra == (("questionId", "0 1"), ("forUse", "1 0"))


# Several files


def test_summaries_of_one_name_with_other_texts_are_called_after_their_files(tmp_path: Path) -> None:
    for name, text in (("abs_bart_Batch_crowd_3", "Short."), ("ext_bart", "Long.")):
        rows = bare(judging("", "ppp", "bart", **{"Input.summary_text": text}), judging("", "ppp", "t5"))
        (tmp_path / f"{name}.csv").write_text(table(*rows))
    with pytest.warns(InputWarning, match="abs_bart, ext_bart") as warned:
        found = read_all([tmp_path])
    assert len(warned) == 1
    assert sorted(one.summary for one in found) == ["abs_bart", "ext_bart", "t5"]


@pytest.mark.parametrize(
    ("files", "named"),
    [
        (("a/b.csv", "c/b.csv"), ["a/b/bart", "a/b/pega", "c/b/bart", "c/b/pega"]),
        (("a.csv", "b.csv"), ["a/bart", "a/pega", "b/bart", "b/pega"]),
        (("x/a/b.csv", "y/a/b.csv"), ["1/b/bart", "1/b/pega", "2/b/bart", "2/b/pega"]),
    ],
)
def test_systems_that_two_files_have_are_never_merged(tmp_path: Path, files: tuple[str, ...], named: list[str]) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        rows = [judging("", "ppp", system, **{"Input.summary_text": name + system}) for system in ("bart", "pega")]
        (tmp_path / name).write_text(table(*bare(*rows)))
    with pytest.warns(InputWarning, match="called after their files"):
        found = read_all([tmp_path / name for name in files])
    assert sorted(one.summary for one in found) == named


def test_a_summary_is_not_called_after_a_file_that_has_the_name_of_another_system(tmp_path: Path) -> None:
    for name, text in (("t5", "Short."), ("ext", "Long.")):
        rows = bare(judging("", "ppp", "bart", **{"Input.summary_text": text}), judging("", "ppp", "t5"))
        (tmp_path / f"{name}.csv").write_text(table(*rows))
    with pytest.warns(InputWarning, match="called after their files"):
        found = read_all([tmp_path])
    assert sorted({one.summary for one in found}) == ["ext/bart", "t5", "t5/bart"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"Input.statement_1": "Rents fall."}, "statement '7' of topic 'd1' reads otherwise in another row;"),
        ({"Input.summary_text": "Another."}, "summary 'sys' of topic 'd1' reads otherwise"),
        ({"Input.statement_1": "Rents  rise."}, ""),
    ],
)
def test_mixed_up_batches_are_told_of_without_a_study_too(put: Put, given: dict[str, str], says: str) -> None:
    path = put(table(judging("W1", "ppp"), judging("W2", "ppp", **given)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read_all([path])
    assert [says in str(one.message) for one in told] == [True] * bool(says)


def test_what_is_in_two_files_counts_once_and_what_conflicts_is_told(put: Put) -> None:
    one, again = put(table(judging("W1", "ppp"))), put(table(judging("W1", "ppp"), judging("W2", "ppp")), "b.csv")
    assert [each.worker for each in read_all([one, again])] == ["W1", "W2"]
    other = put(table(judging("W1", "ppn")), "c.csv")
    with pytest.warns(InputWarning, match="the first stands"):
        assert [each.answers for each in read_all([one, other])] == ["ppp"]


def test_of_a_folder_the_result_files_of_a_study_the_store(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("sep=;\n" + table(judging("W1", "ppp"), separator=";"))
    (tmp_path / "scores.csv").write_text("system,score\na,1\n")
    (tmp_path / "notes.txt").write_text("x")
    with pytest.warns(InputWarning, match=r"scores\.csv: This is not a known result file"):
        assert [one.worker for one in read_all([tmp_path])] == ["W1"]
    Store(tmp_path).add(read(tmp_path / "r.csv", study()).submissions, "r.csv")
    assert result_files([tmp_path]) == [tmp_path / "answers.sqlite"]
    assert [one.task for one in read_all([tmp_path])] == ["j-sys"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="No result file"):
        read_all([tmp_path / "empty"])


# Anything at all


VALID = [
    table(judging("W1", "p-n"), writing("W2", "One."), judging("W3", "ppp", "other")).encode(),
    json.dumps([page(), page("w1")]).encode(),
    json.dumps({"bart": {"ex1": {"ex1_0": {"Who? Ann": [["A", 1]]}}}}).encode(),
    b"Submission id,Status,Time taken\ns-W1,APPROVED,12\n",
]


@given(st.sampled_from(VALID).flatmap(mutated) | st.binary())
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.csv"
    path.write_bytes(content)
    only_our_errors(lambda: read(path))
    collected: list[Collected] = []
    only_our_errors(lambda: collected.append(read(path, study(), skip_unknown=True)))
    for one in collected:
        Store(tmp_path_factory.mktemp("fuzz")).add(one.submissions, "fuzz", statuses=one.statuses)


# Real data


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
def test_realsumm(data: Path) -> None:
    found = read_all([data / "realsumm" / "votes"])
    assert len(found) == len({one.id for one in found}) == 7743
    systems = Counter(one.summary for one in found)
    assert len(systems) == 25
    assert {"abs_bart_out", "ext_bart_out"} < systems.keys()
    assert {one.worker for one in found} == {""}
    assert sum(len(one.answers) for one in found) == 81_581


@pytest.mark.data
def test_qapyramid(data: Path) -> None:
    found = read_all([data / "qapyramid" / "QA_presence.json"])
    units = {(one.topic, one.summary, id) for one in found for id in one.asked.ids}
    assert len(units) == 8910
    assert len({one.worker for one in found} - {"AUTHOR"}) == 15
    assert sum(one.answers.count("p") for one in found) == 13_328
    assert sum(one.answers.count("n") for one in found) == 12_950


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
def test_litepyramids(data: Path) -> None:
    batches = {
        name: read(data / "litepyramids" / f"{name}.csv").submissions for name in ("DUC2005.batch1", "DUC2006.batch1")
    }
    assert [len(found) for found in batches.values()] == [71, 171]
    assert [sum(len(one.written) for one in found) for found in batches.values()] == [494, 1021]
    assert len(read_all([data / "litepyramids"])) == 71 + 171
