"""``crowd plan``, ``crowd cost`` and ``crowd extend``, as a person would run them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.crowd import study as studies
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.examples import example
from pyramidion.formats import dump
from pyramidion.model import Summary
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planning") / "corpus"
    dump(example(), folder, "folder")
    return folder


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    file = tmp_path / "class.txt"
    file.write_text("anna\nben\n\n @cora \ndan\neve\nfay\n")
    return file


# plan


def test_a_plan_says_everything_before_anything_is_spent(run: Run, corpus: Path, tmp_path: Path) -> None:
    outcome = run("crowd", "plan", corpus, "-o", tmp_path / "study")
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == f"Study 'study' in {tmp_path / 'study'}: 2 topics, 10 references, 6 systems"
    assert lines[4].split() == ["writing", "10", "20", "2.67", "3.75", "10.00", "2.00", "12.00"]
    assert lines[5].split() == ["judging", "20", "100", "6.67", "6.75", "45.00", "9.00", "54.00"]
    assert lines[6].split()[-1] == "66.00"
    assert "Judging is an estimate until statements are selected." in lines
    assert (
        "Workers at least: 2 for writing, 5 for judging (25 if nobody may meet a statement on two summaries)." in lines
    )
    assert lines[-1].startswith("Nothing is spent yet. Next: pyramidion crowd pages")
    assert max(map(len, lines[1:-1])) <= 110
    assert "2 summaries without text, the first: 'empty' of topic 'lake-revival'" in outcome.err
    assert "writing pays $3.75 an hour if a task takes 8 minutes, less than $7.25 (--fair-pay)" in outcome.err
    assert "--writing-reward 97 would reach it" in outcome.err
    study = studies.load(tmp_path / "study")
    assert len(study.tasks) == 10
    assert study.name == "study"


def test_the_same_corpus_gives_the_same_bytes(run: Run, corpus: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run("crowd", "plan", corpus, "-o", tmp_path / name, "--name", "same").status == 0
    assert (tmp_path / "one" / "study.json").read_bytes() == (tmp_path / "two" / "study.json").read_bytes()


def test_a_plan_for_machines(run: Run, corpus: Path, tmp_path: Path) -> None:
    told = run("crowd", "plan", corpus, "-o", tmp_path / "s", "--json", "--workers", "10").json
    assert told["workers_at_least"] == {"writing": 2, "judging": 10, "judging_distinct_statements": 50}
    assert (told["summaries"], told["empty"], told["statements"]) == (12, 2, 0)
    assert told["cost"]["judging"]["fees"] == 20 * 10 * 18
    assert told["cost"]["estimated"] is True
    assert told["cost"]["design"]["workers"] == 10


def test_every_option_of_the_design_reaches_the_study(run: Run, corpus: Path, tmp_path: Path) -> None:
    given = {
        "writers": 3,
        "written": 6,
        "sample": 20,
        "per_task": 40,
        "workers": 4,
        "writing_reward": 120,
        "judging_reward": 90,
        "platform": "prolific",
        "fee": 0.428,
        "approved": 100,
        "approval_rate": 95,
        "checks": 2,
        "writing_minutes": 9.5,
        "judging_minutes": 5,
        "seed": 7,
    }
    options = [part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", value)]
    outcome = run("crowd", "plan", corpus, "-o", tmp_path / "s", *options, "--fair-pay", "100")
    assert outcome.status == 0, outcome.err
    assert "an hour" not in outcome.err
    design = studies.load(tmp_path / "s").design
    assert {name: getattr(design, name) for name in given} == given


def test_statements_of_the_corpus_s_pyramids(run: Run, corpus: Path, tmp_path: Path, panel: Path) -> None:
    outcome = run(
        "crowd", "plan", corpus, "-o", tmp_path / "s", "--statements", "pyramid", "--workers", 3, "--panel", panel
    )
    assert outcome.status == 0, outcome.err
    assert "Workers at least: 3 for judging (15 if" in outcome.out
    assert "--phase judging" in outcome.out
    assert outcome.out.splitlines()[-1] == f"{tmp_path / 's' / 'panel.csv'}: 60 assignments for 6 workers, 10 each."
    rows = list(csv.DictReader(io.StringIO((tmp_path / "s" / "panel.csv").read_text())))
    assert Counter(row["worker"] for row in rows) == dict.fromkeys(["anna", "ben", "'@cora", "dan", "eve", "fay"], 10)
    assert Counter(row["task"] for row in rows) == Counter({task.id: 3 for task in studies.load(tmp_path / "s").tasks})


def test_nobody_need_meet_a_statement_twice(run: Run, corpus: Path, tmp_path: Path, panel: Path) -> None:
    start = ["crowd", "plan", corpus, "-o", tmp_path / "s", "--statements", "pyramid", "--distinct", "statement"]
    outcome = run(*start, "--workers", 2, "--panel", panel)
    assert outcome.status == 1
    assert "6 workers are too few" in outcome.err
    assert "needs 10; name 10 or more" in outcome.err
    panel.write_text("\n".join(f"w{number}" for number in range(10)))
    assert run(*start, "--workers", 2, "--panel", panel).status == 0
    study = studies.load(tmp_path / "s")
    asked = {task.id: {(task.topic, one) for one in task.statements} for task in study.tasks}
    met: dict[str, list[tuple[str, str]]] = {}
    for row in csv.DictReader(io.StringIO((tmp_path / "s" / "panel.csv").read_text())):
        met.setdefault(row["worker"], []).extend(asked[row["task"]])
    assert {len(things) for things in met.values()} == {len(study.statements)}  # everybody meets all, and each once
    assert all(len(set(things)) == len(things) for things in met.values())


def test_a_study_is_never_overwritten(run: Run, corpus: Path, tmp_path: Path) -> None:
    assert run("crowd", "plan", corpus, "-o", tmp_path / "s").status == 0
    before = (tmp_path / "s" / "study.json").read_bytes()
    outcome = run("crowd", "plan", corpus, "-o", tmp_path / "s", "--workers", "3")
    assert outcome.status == 1
    assert "A study is there already; name a new folder; 'crowd extend' adds" in outcome.err
    assert (tmp_path / "s" / "study.json").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "0"], "The design sets workers to 0; give a whole number, 1 or more"),
        (["--fee", "nan"], "The design sets fee to nan"),
        (["--fee", "20"], "The design sets fee to 20; give a number up to 1, as a share: 0.2 is 20 %"),
        (["--approval-rate", "500"], "The design sets approval_rate to 500; give a number up to 100"),
        (["--checks", "-1"], "The design sets checks to -1"),
    ],
)
def test_designs_that_make_no_sense(run: Run, corpus: Path, tmp_path: Path, options: list[str], message: str) -> None:
    outcome = run("crowd", "plan", corpus, "-o", tmp_path / "s", *options)
    assert (outcome.status, outcome.err.count("\n")) == (1, 1)
    assert message in outcome.err
    assert not (tmp_path / "s").exists()


def test_bad_input_is_one_line_and_writes_nothing(run: Run, corpus: Path, tmp_path: Path, panel: Path) -> None:
    peerless = tmp_path / "peerless"
    dump([replace(one, peers=(), annotations=()) for one in example()], peerless, "folder")
    bare = tmp_path / "bare"
    dump([replace(one, pyramid=None, annotations=()) for one in example()], bare, "folder")
    nobody = tmp_path / "nobody.txt"
    nobody.write_text("\n \n")
    few = tmp_path / "few.txt"
    few.write_text("anna\n")
    twice = tmp_path / "twice.txt"
    twice.write_text("anna\nanna\n")
    out = tmp_path / "s"
    for arguments, message in (
        ([tmp_path / "none", "-o", out], "There is no such file or folder"),
        ([peerless, "-o", out], "No topic has a peer"),
        ([bare, "-o", out, "--statements", "pyramid"], "has no pyramid to take statements from"),
        ([corpus, "-o", out, "--panel", tmp_path / "none.txt"], "There is no such file"),
        ([corpus, "-o", out, "--panel", nobody], "No worker is named in this file"),
        ([corpus, "-o", out, "--panel", few], "1 worker is too few"),
        ([corpus, "-o", out, "--panel", twice], "names the worker 'anna' twice"),
        ([corpus, "-o", tmp_path / "no" / "where"], "There is no such folder|cannot be written"),
        ([corpus, "-o", panel], "cannot be written"),
    ):
        outcome = run("crowd", "plan", *arguments)
        errors = [line for line in outcome.err.splitlines() if not line.startswith("warning: ")]
        assert outcome.status == 1, message
        assert len(errors) == 1, outcome.err
        assert any(part in errors[0] for part in message.split("|")), outcome.err
        assert not out.exists()


# cost


def test_the_cost_of_the_papers_evaluation(run: Run) -> None:
    outcome = run("crowd", "cost", "--topics", 20, "--systems", 22)
    rows = {line[:30].strip(): line[30:].split() for line in outcome.out.splitlines()}
    assert rows["writing"][-1] == "96.00"
    assert rows["judging"] == ["880", "4400", "293.33", "6.75", "1,980.00", "396.00", "2,376.00"]
    assert rows["per topic (writing)"][-1] == "4.80"
    assert rows["per system and topic (judging)"][-1] == "5.40"
    assert rows["per system (judging)"][-1] == "108.00"


def test_the_cost_for_machines(run: Run) -> None:
    told = run("crowd", "cost", "--topics", 10, "--systems", 25, "--json").json
    assert told["currency"] == "US cents"
    assert (told["writing"]["total"], told["judging"]["total"], told["total"]) == (4800, 135_000, 139_800)
    rows = list(
        csv.DictReader(io.StringIO(run("crowd", "cost", "--topics", 10, "--systems", 25, "--format", "csv").out))
    )
    assert [row["total"] for row in rows] == ["48.0", "1350.0", "1398.0", "4.8", "5.4", "54.0"]
    assert rows[0]["what"] == "writing"


def test_other_numbers_other_costs(run: Run) -> None:
    told = run(
        "crowd", "cost", "--topics", 2, "--systems", 3, "--references", 1, "--sample", 35, "--platform", "own", "--json"
    ).json
    assert told["writing"]["total"] == 2 * 1 * 2 * 50
    assert told["judging"]["tasks"] == 2 * 3 * 3
    assert told["judging"]["fees"] == 0


def test_the_bound_of_fair_pay_can_be_chosen(run: Run) -> None:
    assert "judging pays $6.75" in run("crowd", "cost", "--topics", 1, "--systems", 1).err
    assert run("crowd", "cost", "--topics", 1, "--systems", 1, "--fair-pay", 375).err == ""
    prolific = run("crowd", "cost", "--topics", 1, "--systems", 1, "--platform", "prolific", "--judging-reward", 50)
    assert "judging pays $7.50 an hour if a task takes 4 minutes, less than $8.00" in prolific.err


def test_the_cost_of_a_study(run: Run, corpus: Path, tmp_path: Path) -> None:
    run("crowd", "plan", corpus, "-o", tmp_path / "s", "--statements", "pyramid")
    told = run("crowd", "cost", tmp_path / "s", "--json").json
    assert told["judging"]["tasks"] == 20
    assert told["estimated"] is False
    outcome = run("crowd", "cost", tmp_path / "s", "--per-task", 8)
    assert outcome.status == 1
    assert "The study has its own per-task; leave out --per-task" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "There is nothing to price; give --topics and --systems, or a study's folder"),
        (["--topics", "3"], "There is nothing to price"),
        (["--topics", "-3", "--systems", "1"], "The study has -3 topics"),
        (["nowhere"], "There is no such file or folder"),
        (["--topics", "1", "--systems", "1", "--workers", "0"], "The design sets workers to 0"),
    ],
)
def test_costs_that_cannot_be_told(run: Run, arguments: list[str], message: str) -> None:
    outcome = run("crowd", "cost", *arguments)
    assert (outcome.status, outcome.err.count("\n")) == (1, 1)
    assert message in outcome.err


# extend


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The corpus with one system more in each topic."""
    folder = tmp_path / "later"
    wider = [replace(one, peers=(*one.peers, Summary("new", f"The {one.id} did well.", "peer"))) for one in example()]
    dump(wider, folder, "folder")
    return folder


def test_a_new_system_is_asked_what_the_others_were(
    run: Run, corpus: Path, later: Path, tmp_path: Path, panel: Path
) -> None:
    study = tmp_path / "s"
    run("crowd", "plan", corpus, "-o", study, "--statements", "pyramid", "--workers", 2, "--panel", panel)
    before, rows = studies.load(study), (study / "panel.csv").read_text()
    outcome = run("crowd", "extend", study, later, "--panel", panel)
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == "Study 's': new system 'new'"
    assert lines[5].split() == ["judging", "4", "8", "0.53", "6.75", "3.60", "0.72", "4.32"]
    assert "The whole study now costs $25.92." in outcome.out
    after = studies.load(study)
    assert after.tasks[: len(before.tasks)] == before.tasks
    assert {task.summary for task in after.tasks[len(before.tasks) :]} == {"new"}
    assert (study / "panel.csv").read_text().startswith(rows)
    assert len((study / "panel.csv").read_text().splitlines()) == 1 + 48
    again = run("crowd", "extend", study, later, "--json").json
    assert (again["systems"], again["topics"], again["tasks"]) == ([], [], [])


def test_tasks_that_came_later_are_given_to_the_panel(
    run: Run, corpus: Path, later: Path, tmp_path: Path, panel: Path
) -> None:
    study = tmp_path / "s"
    run("crowd", "plan", corpus, "-o", study, "--statements", "pyramid", "--panel", panel)
    forgotten = run("crowd", "extend", study, later)
    assert "panel.csv lacks the new tasks: give them out with --panel" in forgotten.err
    outcome = run("crowd", "extend", study, "--panel", panel)
    assert outcome.out == f"{study / 'panel.csv'}: 20 assignments for 6 workers, 3 to 4 each.\n"
    assert run("crowd", "extend", study, "--panel", panel).out.endswith("0 assignments for 6 workers, 0 each.\n")


def test_writers_do_not_judge_themselves_and_what_is_done_is_not_given_out(
    run: Run, corpus: Path, tmp_path: Path, panel: Path
) -> None:
    """Anna and Ben wrote everything, before there was a panel; Dan has judged one task."""
    study = tmp_path / "my.study"
    run("crowd", "plan", corpus, "-o", study, "--workers", 4)
    writing = studies.load(study).of_phase("writing")
    store = Store(study)
    texts = {who: tuple(f"{who} says thing number{n} item{n * 7}" for n in range(8)) for who in ("anna", "ben")}
    store.add(
        [
            Submission(f"{task.id}{who}", "writing", task.topic, task.summary, who, task.id, written=texts[who])
            for task in writing
            for who in texts
        ],
        "test",
    )
    assert run("crowd", "select", study, "--analyser", "unicode").status == 0
    judging = studies.load(study).of_phase("judging")
    first = judging[0]
    asked = Asked(first.statements)
    letters = "n" * len(first.statements)
    store.add(
        [Submission("d", "judging", first.topic, first.summary, "dan", first.id, asked=asked, answers=letters)], "test"
    )
    outcome = run("crowd", "extend", study, "--panel", panel)
    assert outcome.err == ""
    assert outcome.out.endswith(f"{4 * len(judging) - 1} assignments for 6 workers, 0 to {len(judging)} each.\n")
    rows = [tuple(row.values()) for row in csv.DictReader(io.StringIO((study / "panel.csv").read_text()))]
    assert {who for who, _ in rows} == {"'@cora", "dan", "eve", "fay"}
    assert {task for _, task in rows} == {task.id for task in judging}
    assert ("dan", first.id) not in rows
    (study / "panel.csv").unlink()
    few = tmp_path / "few.txt"
    few.write_text("anna\nben\ncora\ndan\n")
    warned = run("crowd", "extend", study, "--panel", few)
    assert f"warning: {2 * len(judging)} assignments ask workers about statements of their own" in warned.err


def test_tasks_that_are_no_more_leave_the_panel(run: Run, corpus: Path, tmp_path: Path, panel: Path) -> None:
    study = tmp_path / "s"
    run("crowd", "plan", corpus, "-o", study, "--panel", panel)
    with (study / "panel.csv").open("a") as file:
        file.write("eve,j-gone\n")
    outcome = run("crowd", "extend", study, "--panel", panel)
    assert "panel.csv: 1 task that the study does not have" in outcome.err
    assert "j-gone" not in (study / "panel.csv").read_text()


def test_what_an_extension_refuses(run: Run, corpus: Path, tmp_path: Path) -> None:
    study, changed = tmp_path / "s", tmp_path / "changed"
    run("crowd", "plan", corpus, "-o", study)
    before = (study / "study.json").read_bytes()
    first = example()[0]
    other = tuple(replace(peer, text="Something else.") for peer in first.peers)
    dump([replace(first, peers=other, annotations=())], changed, "folder")
    for arguments, message in (
        ([study, changed], "has another text than in the study"),
        ([study], "There is nothing to add"),
        ([tmp_path / "none", corpus], "There is no such file or folder"),
    ):
        outcome = run("crowd", "extend", *arguments)
        assert outcome.status == 1
        assert message in outcome.err
        assert outcome.err.count("\n") == 1
    assert (study / "study.json").read_bytes() == before


@pytest.mark.parametrize("command", ["plan", "cost", "extend"])
def test_help_has_an_example(run: Run, command: str) -> None:
    outcome = run("crowd", command, "--help")
    assert outcome.status == 0
    assert f"pyramidion crowd {command}" in outcome.out.partition("Example:")[2]
