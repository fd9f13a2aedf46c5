"""``crowd select`` and ``crowd rehearse``, as a person would run them."""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.crowd import study as studies
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.design import Design
from pyramidion.crowd.plan import extend, plan
from pyramidion.crowd.rehearsal import rehearse
from pyramidion.errors import InputWarning
from pyramidion.examples import example
from tests.cli.conftest import Run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # the example has an empty summary
        studies.dump(plan(example(), Design(), name="example"), folder)
    return folder


def test_from_plan_to_judgements(run: Run, study: Path) -> None:
    writing = run("crowd", "rehearse", study, "--workers", 6, "--careless", 0)
    assert writing.status == 0, writing.err
    assert "warning: These answers are simulated: they try out the study and are no data" in writing.err
    assert writing.out.splitlines()[0].startswith("6 simulated workers did 10 writing tasks: 20 submissions in ")
    chosen = run("crowd", "select", study)
    assert chosen.status == 0, chosen.err
    lines = chosen.out.splitlines()
    assert lines[0].split()[:3] == ["topic", "references", "written"]
    assert lines[-1] == f"20 judging tasks in {study}."
    assert " 64 sampled." in lines[-2]
    judging = run("crowd", "rehearse", study, "--seed", 2)
    assert judging.status == 0, judging.err
    assert " did 20 judging tasks: 100 submissions in " in judging.out
    assert "1 of them careless: coin." in judging.out
    assert Store(study).kind() == "simulated"
    assert len(Store(study).submissions("judging")) == 100
    again = run("crowd", "rehearse", study)
    assert again.status == 1
    assert "All judging tasks are rehearsed already; go on with crowd score" in again.err


def test_the_review_list_goes_out_and_comes_back(run: Run, study: Path, tmp_path: Path) -> None:
    run("crowd", "rehearse", study)
    before = (study / studies.FILE).read_bytes()
    review = tmp_path / "review.csv"
    out = run("crowd", "select", study, "--review", review)
    assert out.status == 0, out.err
    assert "statements, " in out.out
    assert (study / studies.FILE).read_bytes() == before
    rows = list(csv.DictReader(io.StringIO(review.read_text("utf-8-sig"), newline="")))
    assert run("crowd", "select", study, "--review", review).status == 0  # nobody has touched it
    kept = next(row for row in rows if row["status"] == "kept")
    kept["decision"] = "drop"
    with review.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    filled = review.read_bytes()
    lost = run("crowd", "select", study, "--review", review)
    assert (lost.status, review.read_bytes()) == (1, filled)
    assert "decisions, which would be lost; select by it with --reviewed, or name another file" in lost.err
    record = run("crowd", "select", study, "--reviewed", review, "--json").json
    assert sum(one["dropped"].get("struck out by a person", 0) for one in record["counts"]) == 1
    struck = [one for one in studies.load(study).statements if one.id == kept["id"]]
    assert [(one.dropped, one.sampled) for one in struck] == [("struck out by a person", False)]
    assert record["rules"]["duplicates"] == "cosine"


def test_a_second_selection_needs_to_be_asked_for(run: Run, study: Path) -> None:
    run("crowd", "rehearse", study)
    assert run("crowd", "select", study).status == 0
    before = (study / studies.FILE).read_bytes()
    refused = run("crowd", "select", study, "--rules", "litepyramids")
    assert refused.status == 1
    assert "are selected already; go on with the judging task, or select again" in refused.err
    assert (study / studies.FILE).read_bytes() == before
    record = run("crowd", "select", study, "--rules", "litepyramids", "--again", "--json").json
    assert {one["sampled"] for one in record["counts"]} == {4}
    run("crowd", "rehearse", study)
    judged = run("crowd", "select", study, "--again")
    assert judged.status == 1
    assert "has judgements of its statements, which cannot be selected again" in judged.err


def test_a_topic_that_nobody_wrote_about_waits(run: Run, study: Path) -> None:
    planned = studies.load(study)
    first = planned.topics[0]
    written = rehearse(planned, "writing", careless=0).submissions
    Store(study).add([one for one in written if one.topic == first.id], "rehearsal", simulated=True)
    outcome = run("crowd", "select", study, "--json")
    assert outcome.json["waiting"] == [planned.topics[1].id]
    assert f"wait for more writers; the others are selected: {planned.topics[1].id}" in outcome.err
    Store(study).add(written, "rehearsal", simulated=True)
    assert run("crowd", "select", study, "--json").json["waiting"] == []


def test_settings_change_the_rules(run: Run, study: Path) -> None:
    run("crowd", "rehearse", study)
    options = (
        "--longest",
        8,
        "--duplicates",
        "overlap",
        "--several",
        "drop",
        "--per-reference",
        2,
        "--analyser",
        "unicode",
    )
    record = run("crowd", "select", study, *options, "--json").json
    assert record["rules"] | {"tokens": False} == {
        "several": "drop",
        "shortest": 2,
        "longest": 8,
        "tokens": False,
        "duplicates": "overlap",
        "threshold": None,
        "per_reference": 2,
        "analyser": "unicode",
    }
    assert {one["sampled"] for one in record["counts"]} == {2}
    texts = [one for one in studies.load(study).statements if one.sampled]
    assert max(len(one.text.split()) for one in texts) <= 8


def test_real_answers_are_never_mixed_with_made_up_ones(run: Run, study: Path) -> None:
    first = studies.load(study).tasks[0]
    Store(study).add([Submission("a1", "writing", first.topic, first.summary, "w", first.id, written=("x y",))], "real")
    refused = run("crowd", "rehearse", study)
    assert refused.status == 1
    assert "The study has real answers, so simulated ones cannot be added" in refused.err
    assert len(Store(study).submissions()) == 1


def test_the_truth_is_told_to_machines(run: Run, study: Path) -> None:
    run("crowd", "rehearse", study)
    run("crowd", "select", study)
    record = run("crowd", "rehearse", study, "--careless", 0.5, "--json").json
    assert record["simulated"] is True
    assert {one["habit"] for one in record["members"]} >= {"careful", "coin", "present"}
    assert len(record["truth"]) == 5 * 2 * 32
    assert set(record["truth"][0]) == {"topic", "summary", "statement", "present"}


def test_published_statements_without_a_study(run: Run, tmp_path: Path) -> None:
    rows = [f'T1,{n},"Writer says thing number{n} item{n * 7}.",Y,W{n % 2},T1.{"AB"[n // 8]},0' for n in range(16)]
    batch = tmp_path / "batch.csv"
    batch.write_text("eventId,questionId,questionText,answer,author,sourceSummaryId,forUse\n" + "\n".join(rows) + "\n")
    looked = run("crowd", "select", batch, "--rules", "litepyramids", "--analyser", "unicode")
    assert looked.status == 0, looked.err
    assert looked.out.splitlines()[2].split() == ["T1", "2", "16", "16", "8"]
    assert "8.0 a reference, 16.0 a topic; 8 sampled." in looked.out
    assert "Nothing was written: no study" in looked.out
    kept = tmp_path / "kept"
    assert run("crowd", "select", batch, "--rules", "litepyramids", "--analyser", "unicode", "-o", kept).status == 0
    assert {one.author for one in studies.load(kept).statements} == {"W0", "W1"}


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--review", "a.csv", "--reviewed", "b.csv"], 1, "--review and --reviewed exclude each other"),
        (["--threshold", "2"], 1, "The threshold for duplicates is 2.0"),
        (["--reviewed", "nowhere.csv"], 1, "nowhere.csv: There is no such file"),
        (["--rules", "strict"], 2, "'strict' is not one of"),
        ([], 1, "has no statement left: nobody wrote any; collect results of the writing task first"),
    ],
)
def test_bad_input_of_select(run: Run, study: Path, options: list[str], status: int, said: str) -> None:
    outcome = run("crowd", "select", study, *options)
    assert outcome.status == status
    assert said in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err


def test_no_study_there(run: Run, tmp_path: Path) -> None:
    for command in ("select", "rehearse"):
        outcome = run("crowd", command, tmp_path / "nowhere")
        assert outcome.status == 1
        assert "study.json" in outcome.err
    assert not (tmp_path / "nowhere").exists()


def test_the_copy_overwrites_no_other_study(run: Run, study: Path, tmp_path: Path) -> None:
    run("crowd", "rehearse", study)
    other = tmp_path / "other.study"
    assert run("crowd", "select", study, "-o", other).status == 0
    before = (other / studies.FILE).read_bytes()
    refused = run("crowd", "select", study, "--longest", 8, "-o", other)
    assert (refused.status, (other / studies.FILE).read_bytes()) == (1, before)
    assert "A study is there already; name a new folder" in refused.err
    assert run("crowd", "select", study, "-o", study / studies.FILE).status == 0


def test_new_topics_are_rehearsed_after_old_ones_are_judged(run: Run, study: Path, tmp_path: Path) -> None:
    for command in ("rehearse", "select", "rehearse"):
        assert run("crowd", command, study).status == 0
    first = example()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        studies.dump(extend(studies.load(study), [replace(first, id="new", pyramid=None, annotations=())]), study)
    writing = run("crowd", "rehearse", study)
    assert " did 5 writing tasks: " in writing.out, writing.err
    chosen = run("crowd", "select", study)
    assert [line.split()[0] for line in chosen.out.splitlines()[2:3]] == ["new"]
    assert " did 10 judging tasks: " in run("crowd", "rehearse", study).out
