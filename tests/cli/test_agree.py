"""``agree``, as a person would run it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.examples import example
from pyramidion.formats import dump
from pyramidion.model import Annotation, Contradiction, Topic
from tests.cli.conftest import Run


def second(annotation: Annotation, name: str, skip: int) -> Annotation:
    """The same reading without every so many-th match."""
    kept = tuple(match for number, match in enumerate(annotation.matches) if number % skip)
    return replace(annotation, matches=kept, annotator=name, comments=())


def annotated(topic: Topic, **readers: int) -> Topic:
    """The topic with readings by anna, who is the original, and others."""
    anna = [replace(one, annotator="anna") for one in topic.annotations]
    others = [second(one, name, skip) for name, skip in readers.items() for one in topic.annotations]
    return replace(topic, annotations=(*anna, *others))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    dump([annotated(topic, ben=8, cleo=2) for topic in example()], tmp_path / "corpus.jsonl")
    return tmp_path / "corpus.jsonl"


def test_tables_for_people(run: Run, corpus: Path) -> None:
    outcome = run("agree", corpus)
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith("Krippendorff's alpha over counts of each SCU in each summary, distance dice\n")
    rows = [line.split() for line in outcome.out.splitlines()]
    assert next(row[:3] for row in rows if row[:1] == ["all"]) == ["all", "3", "12"]
    assert sum(row[:1] == ["anna"] for row in rows) == 3  # twice in pairs, once left out
    for heading in ("Pairs of annotators", "Alpha of the others, without each annotator", "Would another annotator"):
        assert heading in outcome.out
    assert "|distance:dice|" in outcome.out
    assert "nan" not in outcome.out.lower().replace("anna", "")
    assert max(len(line) for line in outcome.out.splitlines() if not line.startswith("method:")) <= 120
    assert run("agree", corpus).out == outcome.out


def test_json_holds_everything(run: Run, corpus: Path) -> None:
    found = run("agree", corpus, "--json").json
    assert found["annotators"] == ["anna", "ben", "cleo"]
    overall = found["overall"]["alpha"]
    low, high = overall["interval"]
    assert low < overall["value"] < high
    without = {one["annotator"]: one["alpha"]["value"] for one in found["without_annotator"]}
    assert max(without, key=without.__getitem__) == "cleo"  # who left out half
    alphas = {(one["one"], one["other"]): one["alpha"]["value"] for one in found["pairs"]}
    assert max(alphas, key=alphas.__getitem__) == ("anna", "ben")
    assert len(found["summaries"]) == 12
    assert [one["topic"] for one in found["studies"]] == ["", *(topic.id for topic in example())] * 3
    for one in found["studies"]:
        assert one["modified"]["difference"] > 0 if one["one"] == "anna" else True
        assert one["modified"]["absolute_difference"] >= abs(one["modified"]["difference"])


def test_csv_and_latex(run: Run, corpus: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("agree", corpus, "--format", "csv").out)))
    assert [row["topic"] for row in rows] == [*(topic.id for topic in example()), "all"]
    study = list(csv.DictReader(io.StringIO(run("agree", corpus, "--table", "study", "--format", "csv").out)))
    assert {row["score"] for row in study} == {"original", "modified"}
    assert run("agree", corpus, "--table", "study", "--format", "latex").out.startswith("\\begin{table}")
    summaries = list(csv.DictReader(io.StringIO(run("agree", corpus, "--table", "summaries", "--format", "csv").out)))
    empty = [row for row in summaries if row["summary"] == "empty"]
    assert {(row["alpha"], row["note"]) for row in empty} == {("", "no variation: every value is 0")}


def test_every_n_counts_what_its_number_is_made_of(run: Run, corpus: Path) -> None:
    study = list(csv.DictReader(io.StringIO(run("agree", corpus, "--table", "study", "--format", "csv").out)))
    summaries = list(csv.DictReader(io.StringIO(run("agree", corpus, "--table", "summaries", "--format", "csv").out)))
    whole = next(row for row in study if (row["topic"], row["one"], row["other"]) == ("all", "anna", "ben"))
    # twelve summaries have scores; four of them say nothing of the pyramid, so that nothing varies there
    assert (whole["summaries"], whole["alphas"]) == ("12", "8")
    assert sum(row["alpha"] != "" for row in summaries) == 8
    assert "A summary in which nothing varies" in run("agree", corpus, "--table", "study").out


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval", "ratio", "masi"])
def test_every_distance(run: Run, corpus: Path, distance: str) -> None:
    found = run("agree", corpus, "--json", "--distance", distance).json
    assert 0 < found["overall"]["alpha"]["value"] < 1
    assert found["distance"] == distance


def test_annotators_named_by_folder(run: Run, tmp_path: Path) -> None:
    for name, skip in (("dora", 99), ("emil", 3)):
        (tmp_path / name).mkdir()
        topics = [replace(t, annotations=tuple(second(a, "", skip) for a in t.annotations)) for t in example()]
        dump(topics, tmp_path / name / "read.jsonl")
    files = tmp_path / "dora" / "read.jsonl", tmp_path / "emil" / "read.jsonl"
    assert run("agree", *files, "--name-by", "folder", "--json").json["annotators"] == ["dora", "emil"]
    unnamed = run("agree", *files)
    assert unnamed.status == 1
    assert "annotated twice, and differently; keep one, or name the annotators" in unnamed.err


def mturk(path: Path, rows: list[tuple[str, str, str, str]]) -> Path:
    """Worker, summary and two answers a row."""
    columns = ["WorkerId", "Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    columns += ["Input.statement_1", "Answer.S1Answer", "Input.statement_2", "Answer.S2Answer"]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for worker, summary, one, two in rows:
            writer.writerow([worker, "D1", summary, "['1', '2']", "A text.", "It is.", one, "It was.", two])
    return path


def test_votes_that_were_not_given_are_missing(run: Run, tmp_path: Path) -> None:
    votes = [("v", "s1", "p", "n"), ("w", "s1", "p", "n"), ("v", "s2", "n", "p"), ("w", "s2", "n", "")]
    file = mturk(tmp_path / "votes.csv", votes)
    found = run("agree", file, "--distance", "nominal", "--json").json
    alpha = found["overall"]["alpha"]
    assert (alpha["value"], alpha["units"], alpha["left_out"]) == (1, 3, 1)
    assert (found["studies"][0]["summaries"], found["studies"][0]["left_out"]) == (2, 1)
    assert "1 times a summary was judged in part" in run("agree", file).out


def test_whoever_calls_an_scu_contradicted_has_not_found_it(run: Run, tmp_path: Path) -> None:
    topic = annotated(example()[0], ben=8)
    plain, denying = tmp_path / "plain.json", tmp_path / "denying.json"
    dump([topic], plain)
    scus = {scu.id for scu in topic.pyramid.scus}
    against = [
        replace(one, contradicted=tuple(map(Contradiction, sorted(scus - set(one.expressed)))))
        for one in topic.annotations
        if one.annotator == "ben"
    ]
    anna = [one for one in topic.annotations if one.annotator == "anna"]
    dump([replace(topic, annotations=(*anna, *against))], denying)
    assert run("agree", plain, "--json").json == run("agree", denying, "--json").json


def test_one_annotator_only(run: Run, tmp_path: Path) -> None:
    dump(example(), tmp_path / "corpus.jsonl")
    outcome = run("agree", tmp_path / "corpus.jsonl")
    assert outcome.status == 1
    assert (
        "All 12 annotation(s) are by one annotator (unnamed); add annotations of the same summaries by another annotator"
        in outcome.err
    )


def test_no_common_summaries(run: Run, tmp_path: Path) -> None:
    votes = [*(("v", f"a{n:02}", "p", "n") for n in range(12)), ("w", "b1", "p", "n")]
    outcome = run("agree", mturk(tmp_path / "votes.csv", votes))
    assert outcome.status == 1
    assert "No summary is annotated by two of the 2 annotators" in outcome.err
    assert "D1/a09 and 2 more; w: D1/b1)" in outcome.err
    assert "a10" not in outcome.err


def test_bad_options(run: Run, corpus: Path, tmp_path: Path) -> None:
    assert run("agree", corpus, "--distance", "cosine").status == 2
    assert run("agree", corpus, "--threshold", "nan").status == 2
    assert run("agree", corpus, "--samples", "0").status == 2
    dump([annotated(topic, ben=4) for topic in example()], tmp_path / "two.jsonl")
    outcome = run("agree", tmp_path / "two.jsonl", "--table", "annotators")
    assert (outcome.status, "There are only two annotators, so none can be left out" in outcome.err) == (1, True)


@pytest.mark.data
def test_votes_of_realsumm(run: Run, data: Path) -> None:
    found = run("agree", data / "realsumm" / "votes" / "abs_bart_out_Batch_crowd_3.csv", "--json").json
    assert found["overall"]["summaries"] == 100
    assert 0.8 < found["overall"]["alpha"]["value"] < 0.9
    assert found["studies"][0]["modified"]["within_threshold"] is True
