"""Workers' judgements: rows to annotations, votes that are missing, workers with and without a name."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.formats import dump, mturk_ratings, sniff
from pyramidion.model import Annotation, Match, Summary, Topic
from tests.fuzz import mutated, only_our_errors

STATEMENTS = {"7": "Rents rise.", "8": "Wages, too.", "9": "Nobody moves."}


def table(*rows: dict[str, str], columns: int = 16, worker: bool = True) -> str:
    """A result file; its answer columns are in the order of their names, as Mechanical Turk writes them."""
    names = ["HITId", *(["WorkerId"] if worker else []), "Input.eventId", "Input.summaryId", "Input.qIdList"]
    names += ["Input.summary_text", *(f"Input.statement_{n}" for n in range(1, columns + 1))]
    names += sorted(f"Answer.S{n}Answer" for n in range(1, columns + 1))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, names, restval="", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def row(
    answers: str, ids: str = "789", summary: str = "sys", worker: str = "", text: str = "", **more: str
) -> dict[str, str]:
    """A row with one letter for each statement's answer, ``-`` for none; the rest is padded with BLANK."""
    made = {"Input.eventId": "d1", "Input.summaryId": summary, "Input.qIdList": str([*ids, "90", "91"])}
    made["Input.summary_text"] = text or f"What {summary} says."
    made |= {f"Input.statement_{n}": STATEMENTS[id] for n, id in enumerate(ids, start=1)}
    made |= {f"Input.statement_{n}": "BLANK" for n in range(len(ids) + 1, len(ids) + 3)}
    made |= {f"Answer.S{n}Answer": answer.strip("-") for n, answer in enumerate(answers, start=1)}
    return made | ({"WorkerId": worker} if worker else {}) | more


def read(*rows: dict[str, str], columns: int = 16, worker: bool = True) -> Topic:
    (topic,) = mturk_ratings.loads(table(*rows, columns=columns, worker=worker), "r.csv")
    return topic


def test_results_of_our_own_tasks_are_read() -> None:
    made = row("p?n", worker="W1", text="R&#38;D &#60;grew", **{"Input.statement_1": "&#61;Rents rise."})
    text = table(made).replace('"HITId"', '"Input.taskId"')
    with pytest.warns(InputWarning, match=r"1 statement\(s\) were left unanswered"):
        (topic,) = mturk_ratings.loads(text, "r.csv")
    assert topic.peers[0].text == "R&D <grew"
    assert topic.pyramid is not None
    assert topic.pyramid.scus[0].label == "=Rents rise."
    assert topic.annotations[0].unjudged == (("8", "no answer"),)
    assert [match.scu for match in topic.annotations[0].matches] == ["7"]


def test_statements_are_scus_of_weight_1_and_every_row_an_annotation() -> None:
    topic = read(row("pnp", worker="W2"), row("ppn", worker="W1"), row("nnn", summary="other", worker="W2"))
    assert topic.id == "d1"
    assert topic.pyramid is not None
    assert {scu.id: scu.label for scu in topic.pyramid.scus} == STATEMENTS
    assert {scu.weight for scu in topic.pyramid.scus} == {1}
    assert topic.references == topic.pyramid.references == (Summary("statements", ""),)
    sys, other = Summary("sys", "What sys says.", "peer"), Summary("other", "What other says.", "peer")
    assert topic.peers == (sys, other)
    assert topic.annotations == (
        Annotation(sys, (Match("7"), Match("9")), annotator="W2"),
        Annotation(sys, (Match("7"), Match("8")), annotator="W1"),
        Annotation(other, annotator="W2"),
    )


def test_workers_without_a_name_are_numbered_for_each_summary() -> None:
    rows = (row("pnp"), row("nnn", summary="other"), row("ppp"))
    for topic in (read(*rows, worker=False), read(*rows, worker=True)):
        assert [(annotation.summary.id, annotation.annotator) for annotation in topic.annotations] == [
            ("sys", "worker-1"),
            ("other", "worker-1"),
            ("sys", "worker-2"),
        ]


def test_what_is_said_of_padding_does_not_count() -> None:
    topic = read(row("nnnpp", worker="W1"))
    assert topic.pyramid is not None
    assert len(topic.pyramid.scus) == 3
    assert topic.annotations[0].matches == ()


def test_an_unanswered_statement_is_noted_and_not_a_vote_against() -> None:
    with pytest.warns(InputWarning, match=r"^r\.csv: 3 statement\(s\) were left unanswered"):
        topic = read(row("p-n", worker="W1"), row("--p", worker="W2"))
    assert [annotation.unjudged for annotation in topic.annotations] == [
        (("8", "no answer"),),
        (("7", "no answer"), ("8", "no answer")),
    ]


def test_rows_of_one_worker_on_different_statements_are_one_annotation() -> None:
    topic = read(row("pn", "78", worker="W1"), row("p", "9", worker="W1"))
    assert topic.annotations == (Annotation(topic.peers[0], (Match("7"), Match("9")), annotator="W1"),)


def test_the_first_answer_of_a_worker_stands() -> None:
    with pytest.warns(
        InputWarning, match=r"^r\.csv:3: W1 answers 2 statements on 'sys' again; the first answer counts"
    ):
        topic = read(row("pn", "78", worker="W1"), row("npp", worker="W1"))
    assert topic.annotations[0].expressed == ("7", "9")


def test_an_answer_after_none_is_the_first() -> None:
    assert read(row("p-n", worker="W1"), row("p", "8", worker="W1")).annotations[0].expressed == ("7", "8")


def test_statements_that_a_worker_was_not_asked_about_are_missing_votes() -> None:
    with pytest.warns(InputWarning, match=r"^r\.csv: 2 of 3 annotations judge only part .* missing, not negative"):
        topic = read(row("pn", "78", worker="W1"), row("p", "9", worker="W2"), row("nnn", worker="W3"))
    assert [annotation.unjudged for annotation in topic.annotations] == [
        (("9", "not asked"),),
        (("7", "not asked"), ("8", "not asked")),
        (),
    ]


def test_ids_may_be_numbers_and_there_may_be_other_than_16_columns() -> None:
    topic = read(row("pnp", worker="W1") | {"Input.qIdList": "[7, 8, 9, 90, 91]"}, columns=5)
    assert topic.annotations[0].expressed == ("7", "9")


def test_a_summary_that_reads_otherwise_later_keeps_its_first_text() -> None:
    with pytest.warns(InputWarning, match=r"^r\.csv:3: The text of summary 'sys' differs"):
        assert read(row("ppp", worker="W1", text="One."), row("ppp", worker="W2", text="Two.")).peers[0].text == "One."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Input.qIdList": "[7, 8"}, r"r.csv:3: Input.qIdList is not a list of ids: '\[7, 8'"),
        ({"Input.qIdList": "__import__('os')"}, "r.csv:3: Input.qIdList is not a list of ids"),
        ({"Input.qIdList": "[" * 9000}, "r.csv:3: Input.qIdList is not a list of ids"),
        ({"Input.qIdList": "[0x" + "f" * 9000 + "]"}, "r.csv:3: Input.qIdList is not a list of ids"),
        ({"Input.qIdList": str(list(range(5000)))}, "r.csv:3: Input.qIdList is not a list of ids"),
        ({"Input.qIdList": "['7', ['8'], '9']"}, "r.csv:3: Input.qIdList is not a list of ids"),
        ({"Input.qIdList": "['7', '8']"}, "r.csv:3: Statement 3 has no id: Input.qIdList names 2"),
        (
            {"Input.qIdList": str(list(range(17)))},
            "r.csv:3: Input.qIdList names 17 statements, but the file has columns for 16",
        ),
        ({"Answer.S2Answer": "yes"}, r"r.csv:3: The answer to statement '8' is 'yes'; write p, n, \? or nothing"),
        ({"Input.eventId": " "}, "r.csv:3: Input.eventId is empty"),
        ({"Input.statement_1": "Rents fall."}, "r.csv:3: Statement '7' has another wording in an earlier row"),
    ],
)
def test_errors_say_where(change: dict[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=f"^{message}"):
        read(row("ppp", worker="W1"), row("ppp", worker="W2") | change)


def test_columns_that_are_missing() -> None:
    document = table(row("ppp", worker="W1"))
    with pytest.raises(FormatError, match=r"^r\.csv:2: There is no column Answer\.S3Answer"):
        mturk_ratings.loads(document.replace('"Answer.S3Answer"', '"Answer.S99Answer"'), "r.csv")
    with pytest.raises(FormatError, match=r"^r\.csv:1: The header has no column 'Input\.qIdList'"):
        mturk_ratings.loads(document.replace("qIdList", "ids"), "r.csv")
    with pytest.raises(FormatError, match=r"^r\.csv: The file has a header but no row"):
        mturk_ratings.loads(table(), "r.csv")


def test_sniffing_and_reading_a_file(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text(table(row("ppp", worker="W1")))
    assert sniff(file) == "mturk-ratings"
    assert mturk_ratings.load(file)[0].id == "d1"
    assert not mturk_ratings.sniff(file, b"eventId,questionId,questionText,answer,author,sourceSummaryId,forUse\n")
    with pytest.raises(PyramidionError, match="The format 'mturk-ratings' cannot be written"):
        dump(mturk_ratings.load(file), tmp_path / "out.csv", "mturk-ratings")


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    only_our_errors(lambda: mturk_ratings.loads(data))
    only_our_errors(lambda: mturk_ratings.loads(table(columns=2).encode() + data))
    mturk_ratings.sniff(Path("x"), data)


@given(mutated(table(row("p-n", worker="W1"), row("pnp"), row("p", "8", worker="W1"), columns=5).encode()))
def test_damaged_documents(data: bytes) -> None:
    only_our_errors(lambda: mturk_ratings.loads(data))


@given(st.text("[](){}',\"\\0x7\ud800e+-: ", max_size=40))
def test_any_list_of_ids(ids: str) -> None:
    only_our_errors(lambda: read(row("ppp") | {"Input.qIdList": ids}))


def _system(votes: Path, labels: Path) -> str:
    """The system whose labels a file of votes gave: two extractive systems are called abstractive among the votes."""
    name = votes.stem.removesuffix("_Batch_crowd_3")
    return name if (labels / f"{name}.label").exists() else name.replace("abs_", "ext_", 1)


@pytest.mark.data
def test_majorities_of_realsumm_are_the_published_labels(data: Path) -> None:
    """Ties are "not present"; all 25 systems, 100 documents, 1056 statements: every one of the 26,400 labels agrees."""
    folder = data / "realsumm"
    ids = (folder / "ids.txt").read_text().split("\n")
    units = [line.split("\t") for line in (folder / "SCUs.txt").read_text().split("\n")]
    agree = compared = 0
    files = sorted((folder / "votes").glob("*.csv"))
    assert len(files) == 25
    for file in files:
        topics = {topic.id: topic for topic in mturk_ratings.load(file)}
        published = (folder / "labels" / f"{_system(file, folder / 'labels')}.label").read_text().split("\n")
        for id, statements, line in zip(ids, units, published, strict=True):
            pyramid, annotations = topics[id].pyramid, topics[id].annotations
            assert pyramid is not None
            assert [scu.label for scu in pyramid.scus] == statements
            votes = Counter(scu for annotation in annotations for scu in annotation.expressed)
            majority = ["1" if 2 * votes[scu.id] > len(annotations) else "0" for scu in pyramid.scus]
            agree += sum(ours == label for ours, label in zip(majority, line.split("\t"), strict=True))
            compared += len(statements)
    assert (agree, compared) == (26_400, 26_400)
