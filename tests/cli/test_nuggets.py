"""``nuggets``, as a person would run it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from tests.cli.conftest import Run

DATA = Path(__file__).parents[1] / "data" / "nuggets"


def test_runs_are_scored_and_assignments_written(run: Run, tmp_path: Path) -> None:
    written = tmp_path / "assigned.jsonl"
    runs = [DATA / "run-a.jsonl", DATA / "run-b.jsonl"]
    outcome = run("nuggets", DATA / "nuggets.jsonl", *runs, "--matcher", "soft", "-o", written)
    assert outcome.status == 0, outcome.err
    assert "run-a        3  0.6667  0.6667      0.8333  0.8333" in outcome.out
    assert "Differences of strict vital that are significant: 0 of 1." in outcome.out
    lines = [json.loads(line) for line in written.read_text().splitlines()]
    assert [(line["qid"], line["run_id"]) for line in lines[:2]] == [("h1", "run-a"), ("h1", "run-b")]
    assert lines[0]["response_length"] == 19
    assert {nugget["assignment"] for line in lines for nugget in line["nuggets"]} <= {
        "support",
        "partial_support",
        "not_support",
    }
    again = run("nuggets", written, "--json").json
    assert again["runs"][0]["strict_vital_score"] == (1 + 1 + 0.5) / 3


def test_scores_have_nuggetizers_names_and_digits(run: Run) -> None:
    outcome = run("nuggets", DATA / "assigned.jsonl", "--format", "csv", "--table", "answers")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert [row["strict_all_score"] for row in rows] == ["0.3333333333333333", "0.0", "1.0"]
    found = run("nuggets", DATA / "assigned.jsonl", "--json").json
    assert found["answers"][0]["vital_score"] == 0.75
    assert found["comparison"] is None


def test_the_score_and_the_picture_can_be_chosen(run: Run, tmp_path: Path) -> None:
    runs = [DATA / "run-a.jsonl", DATA / "run-b.jsonl"]
    picture = tmp_path / "runs.svg"
    outcome = run("nuggets", DATA / "nuggets.jsonl", *runs, "--matcher", "soft", "--score", "all", "--plot", picture)
    assert "best all first" in outcome.out
    assert "mean all_score" in picture.read_text()


def test_errors_are_one_line(run: Run, tmp_path: Path) -> None:
    assert "no pairs" in run("nuggets", DATA / "assigned.jsonl", "--table", "pairs").err
    assert "This file is an input" in run("nuggets", DATA / "assigned.jsonl", "-o", DATA / "assigned.jsonl").err
    (tmp_path / "x.jsonl").write_text('{"qid": "q1"}\n')
    outcome = run("nuggets", DATA / "nuggets.jsonl", tmp_path / "x.jsonl")
    assert (outcome.status, outcome.err.count("\n")) == (1, 1)
