"""``crowd workers``, as a person would run it."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from pyramidion.crowd import study as studies
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.design import Design
from pyramidion.crowd.study import Check, Statement, Study, Task
from pyramidion.model import Summary, Topic
from tests.cli.conftest import Run
from tests.crowd.making import judged, simulated


def results(submissions: list[Submission], path: Path) -> Path:
    """Submissions as Mechanical Turk would give them back."""
    most = max(len(one.answers) for one in submissions)
    header = ["AssignmentId", "WorkerId", "Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    header += [f"Input.statement_{n}" for n in range(1, most + 1)] + [f"Answer.S{n}Answer" for n in range(1, most + 1)]
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(header if any(one.worker for one in submissions) else [*header[:1], "Other", *header[2:]])
        for one in submissions:
            words = [f"Fact {id}." for id in one.asked.ids]
            answers = [letter.replace("-", "") for letter in one.answers]
            writer.writerow(
                [one.id, one.worker, one.topic, one.summary, str(list(one.asked.ids)), "A text.", *words, *answers]
            )
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return results(list(simulated(1, 0.2, workers=10, tasks=20).votes.assignments), tmp_path / "results.csv")


def test_a_table_for_people(run: Run, file: Path) -> None:
    outcome = run("crowd", "workers", file)
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == "Workers, the most suspicious first"
    assert lines[2].split() == ["worker", "tasks", "votes", "present", "agree", "trust", "dropped", "flags"]
    assert {lines[4].split()[0], lines[5].split()[0]} == {"w00", "w01"}  # the careless
    assert "10 workers with a name; agreement 0." in outcome.out
    assert "the filter drops " in outcome.out
    assert lines[-1].startswith("method:crowd-workers|agreement:positional|threshold:0.5|version:")
    assert "nan" not in outcome.out.lower()
    assert run("crowd", "workers", file).out == outcome.out


def test_tables_for_machines(run: Run, file: Path) -> None:
    found = run("crowd", "workers", file, "--json").json
    rows = list(csv.DictReader(io.StringIO(run("crowd", "workers", file, "--format", "csv").out)))
    assert [row["worker"] for row in rows] == [one["worker"] for one in found["workers"]]
    assert [float(row["agreement"]) for row in rows] == [one["agreement"] for one in found["workers"]]
    assert set(rows[0]) == set(found["workers"][0])
    assert found["unnamed"] is None
    assert 0 < found["alpha"] < found["alpha_left"] < 1


def test_settings(run: Run, file: Path) -> None:
    strict = run("crowd", "workers", file, "--threshold", "0.62", "--json").json
    assert {one["worker"] for one in strict["workers"] if one["dropped"]} == {"w00", "w01"}
    sequence = run("crowd", "workers", file, "--agreement", "sequence", "--json").json
    assert sequence["agreement"] > strict["agreement"]
    assert "|agreement:sequence|" in sequence["signature"]
    outcome = run("crowd", "workers", file, "--threshold", "1")
    assert outcome.status == 0  # the table is what one has to look at then
    assert re.search(r"the filter drops 10 in \d rounds?; nobody is left", outcome.out)
    scored = run("crowd", "score", file, "--filter", "1")
    assert scored.status == 1
    assert "None of 10 workers is left" in scored.err
    assert "lower the threshold" in scored.err


def test_workers_without_a_name_are_one_line(run: Run, tmp_path: Path) -> None:
    nameless = [judged("", "ppnn", f"s{number % 3}", id=f"r{number}") for number in range(9)]
    outcome = run("crowd", "workers", results(nameless, tmp_path / "r.csv"))
    assert outcome.status == 0, outcome.err
    first, second, _ = outcome.out.splitlines()
    assert first == "0 workers with a name; agreement 1.000, alpha 1.000"
    assert second.startswith(
        "9 assignments with 36 votes of workers without a name, who are never dropped: present 0.5"
    )


def test_formulas_in_names_are_harmless_in_csv(run: Run, tmp_path: Path) -> None:
    made = [judged(name, "ppnn") for name in ("=cmd|' /C calc'!A0", "anna", "ben")]
    out = run("crowd", "workers", results(made, tmp_path / "r.csv"), "--format", "csv").out
    names = [row["worker"] for row in csv.DictReader(io.StringIO(out))]
    assert len(names) == 3
    assert not any(name.startswith("=") for name in names)


def test_a_study_knows_checks(run: Run, tmp_path: Path) -> None:
    topic = Topic("t", (Summary("r", "Text.", "reference"),), (Summary("s", "Text.", "peer"),))
    statements = tuple(Statement(f"{number:03}", "t", "r", "A fact.") for number in range(4))
    task = Task("k", "judging", "t", "s", 3, tuple(one.id for one in statements), (Check("c", "Fish fly.", "n"),))
    folder = tmp_path / "study"
    studies.dump(Study("s", Design(), (topic,), statements, (task,)), folder)
    answers = [
        judged(name, "ppnn", task="k", checks=(("c", letter),), seconds=60.0)
        for name, letter in (("anna", "n"), ("ben", "n"), ("cleo", "p"))
    ]
    Store(folder).add(answers, "test")
    found = run("crowd", "workers", folder, "--json").json
    assert found["workers"][0]["worker"] == "cleo"
    assert found["workers"][0]["flags"] == ["fails checks"]
    assert [one["passed"] for one in found["workers"]] == [0, 1, 1]


def test_what_is_wrong_is_said(run: Run, tmp_path: Path, file: Path) -> None:
    outcome = run("crowd", "workers", tmp_path / "nothing")
    assert outcome.status == 1
    assert "There is no such file or folder" in outcome.err
    topic = Topic("t", (Summary("r", "Text.", "reference"),), (Summary("s", "Text.", "peer"),))
    studies.dump(Study("s", Design(), (topic,)), tmp_path / "study")
    outcome = run("crowd", "workers", tmp_path / "study")
    assert outcome.status == 1
    assert "There is no judgement to count" in outcome.err
    outcome = run("crowd", "workers", tmp_path / "study", file)
    assert outcome.status == 1
    assert "A study is named beside something else" in outcome.err
    assert run("crowd", "workers", file, "--threshold", "2").status == 2
