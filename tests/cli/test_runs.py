"""``evaluate --out`` and ``runs``: what is kept, resumed, scored anew, compared, exported and cleared up."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

from pyramidion.formats import native
from pyramidion.formats.read import read
from tests.cli.conftest import Run
from tests.evaluation.poison import DIE, install, topics

METHOD = ("--method", "given+unigram")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    path.write_bytes(b"".join(map(native.line, topics(3, 4))))
    return path


@pytest.fixture
def kept(corpus: Path, tmp_path: Path, run: Run) -> Path:
    done = run("evaluate", corpus, *METHOD, "--out", tmp_path / "runs" / "monday", "--jobs", 2)
    assert done.status == 0, done.err
    return tmp_path / "runs" / "monday"


def test_a_run_prints_what_an_evaluation_does(corpus: Path, kept: Path, run: Run) -> None:
    for more in (("--format", "csv"), ("--table", "full"), ("--table", "systems", "--format", "csv"), ("--explain",)):
        straight = run("evaluate", corpus, *METHOD, *more)
        again = run("evaluate", corpus, *METHOD, *more, "--out", kept, "--resume")
        assert (again.status, again.out) == (0, straight.out), again.err
    shown = run("evaluate", corpus, *METHOD, "--out", kept, "--resume", "--json").json
    assert shown["run"]["status"] == "finished"
    assert (shown["run"]["summaries_scored"], shown["run"]["of"]) == (12, 12)
    straight = run("evaluate", corpus, *METHOD, "--json").json
    assert shown["signature"] == straight["signature"]
    assert [row["coverage"] for row in shown["systems"]] == [row["coverage"] for row in straight["systems"]]


def test_a_report_of_a_run_is_that_of_an_evaluation(corpus: Path, kept: Path, run: Run, tmp_path: Path) -> None:
    straight, again = tmp_path / "straight.html", tmp_path / "run.html"
    assert run("evaluate", corpus, *METHOD, "--report", straight).status == 0
    assert run("evaluate", corpus, *METHOD, "--out", kept, "--resume", "--report", again).status == 0
    assert again.read_bytes() == straight.read_bytes()


def test_a_run_is_not_begun_twice_nor_resumed_as_another(corpus: Path, kept: Path, run: Run, tmp_path: Path) -> None:
    assert "This folder already holds a run; resume it" in run("evaluate", corpus, *METHOD, "--out", kept).err
    other = run("evaluate", corpus, *METHOD, "--out", kept, "--resume", "--average", "floor")
    assert other.status == 1
    assert "The run cannot be resumed: the setting average was exact and is floor; begin a new run" in other.err
    changed = tmp_path / corpus.name
    changed.write_bytes(corpus.read_bytes().replace(b"It rained", b"It snowed"))
    other = run("evaluate", changed, *METHOD, "--out", kept, "--resume")
    assert "the input 'corpus.jsonl' has changed" in other.err
    assert run("evaluate", corpus, "--resume").status == 2
    assert "is a run; score its matches with --rescore" in run("evaluate", kept).err
    assert "This folder holds no run" in run("evaluate", tmp_path, "--rescore").err


def test_matches_are_scored_with_other_settings_and_compared(corpus: Path, kept: Path, run: Run) -> None:
    more = ("--presence", "counted", "--cap")
    straight = run("evaluate", corpus, *METHOD, *more)
    assert run("evaluate", kept, "--rescore", *more).out == straight.out
    tuesday = kept.parent / "tuesday"
    assert (
        run("evaluate", kept, "--rescore", *more, "--out", tuesday, "--format", "csv").out
        == run("evaluate", corpus, *METHOD, *more, "--format", "csv").out
    )
    found = run("runs", "compare", kept, tuesday, "--json").json
    assert found["why"] == ["the setting cap was no and is yes", "the setting presence was expected and is counted"]
    assert found["same"] + len(found["moved"]) == 12
    assert all(row["second"] - row["first"] == row["difference"] for row in found["moved"])
    assert run("runs", "compare", kept, kept, "--json").json["moved"] == []


def test_runs_are_listed_and_cleared_up(kept: Path, run: Run) -> None:
    (kept.parent / "notes").mkdir()
    unfinished = shutil.copytree(kept, kept.parent / "sunday")
    (unfinished / "results.sqlite").unlink()
    listed = run("runs", "list", kept.parent)
    assert (listed.status, "The results of this run are missing" in listed.err) == (1, True)
    shutil.rmtree(unfinished)
    rows = run("runs", "list", kept.parent, "--json").json["runs"]
    assert [(row["run"], row["status"], row["scored"], row["method"]) for row in rows] == [
        ("monday", "finished", 12, "given+unigram")
    ]
    clear = ("runs", "gc", kept.parent, "--older-than", 0)
    assert run(*clear, "--json").json["runs"] == []
    assert run(*clear).out == f"There is nothing to delete in {kept.parent}.\n"
    assert [row["run"] for row in run(*clear, "--finished", "--json").json["runs"]] == ["monday"]
    assert kept.exists()
    assert run("runs", "gc", kept.parent, "--finished", "--delete", "--json").json["runs"] == []
    assert kept.exists()
    assert "monday" in run(*clear, "--finished", "--delete").out
    assert not kept.exists()
    assert "There is no such folder" in run("runs", "list", kept).err


def test_a_run_is_exported(corpus: Path, kept: Path, run: Run, tmp_path: Path) -> None:
    assert run("runs", "export", kept, "-o", tmp_path / "scores.csv").out.endswith("scores.csv has 12 summaries.\n")
    with (tmp_path / "scores.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    straight = list(csv.DictReader(run("evaluate", corpus, *METHOD, "--format", "csv").out.splitlines()))
    assert [{name: row[name] for name in straight[0]} for row in rows] == straight
    pandas = pytest.importorskip("pandas")
    assert run("runs", "export", kept, "-o", tmp_path / "scores.parquet").status == 0
    frame = pandas.read_parquet(tmp_path / "scores.parquet")
    assert [float(row["coverage"]) for row in rows] == list(frame["coverage"])
    assert run("runs", "export", kept, "-o", tmp_path / "topics.jsonl", "--json").json["count"] == 3
    assert [len(topic.annotations) for topic in read(tmp_path / "topics.jsonl")] == [4, 4, 4]
    matched = run("evaluate", tmp_path / "topics.jsonl", "--method", "manual", "--format", "csv").out
    assert [row["coverage"] for row in csv.DictReader(matched.splitlines())] == [row["coverage"] for row in straight]
    assert (
        "choose one of these endings: .csv, .jsonl, .parquet"
        in run("runs", "export", kept, "-o", tmp_path / "x.doc").err
    )


def test_summaries_that_cannot_be_scored_are_listed_and_the_exit_status_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(install(tmp_path / "packages")))
    corpus, out = tmp_path / "corpus.jsonl", tmp_path / "run"
    corpus.write_bytes(b"".join(map(native.line, topics(2, 3, {(1, 2): DIE}))))
    done = run("evaluate", corpus, "--method", "given+poisoned", "--out", out, "--profile")
    assert done.status == 1
    assert "t00001  s2       crash  the worker was ended by signal 9" in done.out
    assert "matching" in done.err
    shown = run("runs", "show", out, "--json")
    assert shown.status == 1
    assert [(row["topic"], row["summary"], row["kind"]) for row in json.loads(shown.out)["failed"]] == [
        ("t00001", "s2", "crash")
    ]
    assert run("runs", "show", out, "--table", "scores", "--format", "csv").out.count("\n") == 6


def test_nothing_to_score_and_a_corpus_that_can_be_read_once_are_refused_before_anything_is_done(
    run: Run, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes(b"".join(map(native.line, topics(2, 0))))
    empty = run("evaluate", corpus, *METHOD, "--out", tmp_path / "run")
    assert (empty.status, "There is no summary to score" in empty.err) == (1, True)
    assert not (tmp_path / "run").exists()
    os.mkfifo(tmp_path / "pipe")
    piped = run("evaluate", tmp_path / "pipe", *METHOD, "--out", tmp_path / "run")
    assert (piped.status, "can be read once; give a file" in " ".join(piped.err.split())) == (2, True)
