"""``crowd score`` and ``crowd curves``, as a person would run them."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion import formats
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.study import Task, dump, load
from tests.cli.conftest import Run
from tests.crowd.ballots import Answers, crowd, study, submissions

SYSTEMS = {"a": 0.2, "b": 0.5, "c": 0.8}
FEW = ("--resamples", "3")


def write_results(path: Path, answers: Answers, worker: str = "w") -> Path:
    """A file as Mechanical Turk gives it out."""
    size = max(len(row) for rows in answers.values() for row in rows)
    numbers = range(1, size + 1)
    header = ["AssignmentId", "WorkerId", "Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    header += [f"Input.statement_{n}" for n in numbers] + [f"Answer.S{n}Answer" for n in numbers]
    lines: list[Sequence[str]] = [header]
    for (topic, system), rows in answers.items():
        for number, row in enumerate(rows):
            ids = str([f"{place}" for place in range(size)])
            facts = [f"{topic} has fact {place}." for place in range(size)]
            cells = [one.replace("-", "") for one in row]
            who = [f"{topic}{system}{number}{worker}", f"{worker}{number}", topic, system, ids, f"{system} on {topic}"]
            lines.append([*who, *facts, *cells])
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    return path


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write_results(tmp_path / "results.csv", crowd(SYSTEMS, topics=6, workers=3))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = study([f"t{number:02}" for number in range(6)], {name: f"{name} says." for name in SYSTEMS}, 8)
    dump(made, tmp_path / "study")
    Store(tmp_path / "study").add(submissions(crowd(SYSTEMS, topics=6, workers=3)), "test")
    return tmp_path / "study"


# score


def test_scores_for_people(run: Run, results: Path) -> None:
    found = run("crowd", "score", results)
    assert found.status == 0, found.err
    lines = found.out.splitlines()
    assert lines[0].startswith("Share of statements that are present, mean over topics")
    assert [line.split()[0] for line in lines[4:7]] == ["c", "b", "a"]
    assert any(line.startswith("Krippendorff's alpha 0.") for line in lines)
    assert "No worker was left out (of 3 with a name)." in lines
    assert lines[-1].startswith(
        "method:crowd|aggregation:majority|blank:missing|filter:0.5|agreement:positional|samples:1000|seed:0|version:"
    )


def test_a_study_and_its_results_say_the_same(run: Run, results: Path, folder: Path) -> None:
    one, other = (run("crowd", "score", path, "--json").json for path in (results, folder))
    assert one["systems"] == other["systems"]
    assert one["agreement"] == other["agreement"]


def test_json_csv_and_the_other_tables(run: Run, results: Path) -> None:
    record = run("crowd", "score", results, "--json").json
    assert len(record["summaries"]) == 18
    rows = list(csv.DictReader(run("crowd", "score", results, "--format", "csv").out.splitlines()))
    assert [float(row["score"]) for row in rows] == [one["mean"] for one in record["systems"]]
    summaries = run("crowd", "score", results, "--table", "summaries", "--format", "csv").out.splitlines()
    assert len(summaries) == 19
    assert summaries[0] == "topic,system,score,statements,undecided,signature"
    topics = run("crowd", "score", results, "--table", "topics", "--drop-topics", ".2").out
    assert topics.count("yes") == 1


def test_every_aggregation_and_variant_works(run: Run, results: Path) -> None:
    for options in (
        ("--aggregation", "mean"),
        ("--aggregation", "dawid-skene"),
        ("--aggregation", "mace"),
        ("--filter", "none"),
        ("--filter", "0.2", "--agreement", "sequence", "--rounds", "1"),
        ("--blank", "present", "--at-most", "5"),
        ("--drop-topics", ".2", "--topic-alpha", "tasks"),
    ):
        found = run("crowd", "score", results, "--samples", "20", *options)
        assert found.status == 0, (options, found.err)
        assert "nan" not in found.out.lower()


def test_the_published_codes_blanks_and_draws(run: Run, tmp_path: Path) -> None:
    path = write_results(tmp_path / "blank.csv", {("t", "s"): ["p-", "n-", "p-"]})
    missing, present = (
        run("crowd", "score", path, "--blank", blank, "--json").json["systems"][0]["mean"]
        for blank in ("missing", "present")
    )
    assert (missing, present) == (1.0, 1.0)
    summaries = run("crowd", "score", path, "--json").json["summaries"]
    assert (summaries[0]["statements"], summaries[0]["undecided"]) == (1, 1)
    later = run("crowd", "score", path, "--blank", "present", "--at-most", "1", "--json").json
    assert 0.5 < later["systems"][0]["mean"] < 1.0
    assert "at most 1 of an item, 70 times|blank:present" in later["signature"]


def test_a_careless_worker_is_named(run: Run, tmp_path: Path) -> None:
    answers = {("t", name): ["ppppnnnn"] * 4 + ["nnnnpppp"] for name in SYSTEMS}
    path = write_results(tmp_path / "careless.csv", answers)
    found = run("crowd", "score", path, "--json").json
    assert found["dropped"]["workers"] == [{"worker": "w4", "round": 1, "agreement": 0.0}]
    assert "Left out for their agreement: w4 (0.00, answers reversed), of 5 workers" in run("crowd", "score", path).out


def test_systems_are_compared(run: Run, results: Path) -> None:
    text = run("crowd", "score", results, "--compare").out
    assert "Systems that share a letter are not told apart." in text
    found = run("crowd", "score", results, "--compare", "--json").json["comparison"]
    assert len(found["pairs"]) == 3
    rows = list(csv.DictReader(run("crowd", "score", results, "--compare", "--format", "csv").out.splitlines()))
    assert {"better", "worse", "p_adjusted"} <= set(rows[0])


def test_topics_for_the_other_commands(run: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "crowd.jsonl"
    found = run("crowd", "score", folder, "--topics", out, "--json")
    assert "recall is the crowd's score" in found.err
    made = formats.load(out)
    assert [len(topic.annotations) for topic in made] == [3] * 6
    assert made[0].pyramid is not None
    assert {reference.id for reference in made[0].pyramid.references} == {"r1", "r2"}
    evaluated = run("evaluate", out, "--method", "manual", "--json").json
    recall = {one["summary"]: one["recall"] for one in evaluated["systems"]}
    assert recall == {one["system"]: pytest.approx(one["mean"]) for one in found.json["systems"]}
    assert run("compare", out, "--score", "recall", "--samples", "100").status == 0
    assert run("convert", out, tmp_path / "corpus").status == 0
    degrees = run("crowd", "score", folder, "--topics", out, "--aggregation", "mean")
    assert "recall is not the crowd's score for" in degrees.err
    fewer = run("crowd", "score", folder, "--topics", out, "--drop-topics", ".2")
    assert "recall is the crowd's score, topics that are left out above are in it" in fewer.err
    merged = tmp_path / "merged.jsonl"
    assert run("crowd", "score", folder, "--topics", merged, "--merge").status == 0
    assert len(formats.load(merged)) == 6


def test_the_report_is_a_page(run: Run, folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    found = run("crowd", "score", folder, "--report", page)
    assert found.status == 0, found.err
    assert "What the crowd found" in page.read_text()


def test_simulated_answers_are_marked(run: Run, tmp_path: Path) -> None:
    made = study([f"t{number:02}" for number in range(2)], {name: f"{name} says." for name in SYSTEMS}, 8)
    dump(made, tmp_path / "rehearsed")
    answers = submissions(crowd(SYSTEMS, topics=2, workers=3))
    Store(tmp_path / "rehearsed").add(answers, "rehearsal", simulated=True)
    found = run("crowd", "score", tmp_path / "rehearsed")
    assert "|answers:simulated|" in found.out
    assert "These answers are simulated" in found.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--filter", "half"), "--filter 'half' is not a share"),
        (("--filter", "1.5"), "threshold"),
        (("--aggregation", "median"), "There is no aggregation 'median'"),
        (("--drop-topics", "1"), "The share of topics to drop is 1"),
        (("--merge",), "the references are not known"),
        (("--report", "no/such/folder/x.html"), "no/such/folder"),
    ],
)
def test_bad_options_of_score(run: Run, results: Path, options: tuple[str, ...], message: str) -> None:
    found = run("crowd", "score", results, *options)
    assert found.status == 1
    assert message in found.err
    assert "Traceback" not in found.err
    assert found.out == ""


def test_nothing_to_score(run: Run, tmp_path: Path) -> None:
    dump(study(), tmp_path / "empty")
    found = run("crowd", "score", tmp_path / "empty")
    assert (found.status, found.out) == (1, "")
    assert "There is no judgement to count" in found.err
    assert run("crowd", "score", tmp_path / "nowhere.csv").status == 1
    single = write_results(tmp_path / "one.csv", {("t", "a"): ["pn"] * 2, ("t", "b"): ["np"] * 2})
    assert "two topics in common" in run("crowd", "score", single, "--compare").err


# curves


def test_curves_for_people(run: Run, results: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "curves.svg"
    found = run("crowd", "curves", results, *FEW, "--want", "0.5", "--half-width", "0.4", "--plot", plot)
    assert found.status == 0, found.err
    assert "Correlation of 3 systems with the whole study, as resources are reduced" in found.out
    assert "The cheapest design with a pearson of 0.5 or more and intervals of +- 0.4 or less: " in found.out
    assert "Price of 4 references a topic and 3 systems, by the rewards and fees of the paper." in found.out
    assert plot.read_text().count("workers per item") >= 1


def test_curves_of_a_study_take_its_design(run: Run, folder: Path) -> None:
    found = run("crowd", "curves", folder, *FEW).out
    # its statements were there before: nobody writes, as 'crowd cost' has it
    assert "Price of judging alone, of 3 systems, by the rewards and fees of the study." in found
    assert "for $" not in found
    made = load(folder)
    writing = [
        Task(f"w-{topic.id}-{reference.id}", "writing", topic.id, reference.id, 2)
        for topic in made.topics
        for reference in topic.references
    ]
    dump(replace(made, tasks=tuple(writing)), folder)
    assert "Price of 2 references a topic and 3 systems" in run("crowd", "curves", folder, *FEW).out


def test_curves_for_programs(run: Run, results: Path) -> None:
    options = ("--workers", "1,3", "--statements", "2,8", "--topics", "3,6", *FEW)
    found = run("crowd", "curves", results, *options, "--json").json
    assert [one["workers"] for one in found["curves"]["workers"]] == [1, 3]
    assert len(found["designs"]) == 8
    assert found["second"] is None
    rows = run("crowd", "curves", results, *options, "--table", "designs", "--format", "csv").out.splitlines()
    assert len(rows) == 9
    assert rows[0] == "workers,statements,topics,cost,pearson,spearman,half_width,signature"
    assert len(run("crowd", "curves", results, *options, "--format", "csv").out.splitlines()) == 7


def test_curves_against_a_table_and_against_annotations(run: Run, results: Path, tmp_path: Path) -> None:
    table = tmp_path / "expert.csv"
    table.write_text("system,pyramid,other\na,.1,3\nb,.2,2\nc,.3,1\n")
    found = run("crowd", "curves", results, "--against", table, "--column", "Pyramid", *FEW, "--json").json
    assert found["against"] == "expert.csv"
    assert found["most"]["spearman"]["mean"] == 1.0
    reverse = run("crowd", "curves", results, "--against", table, "--column", "other", *FEW, "--json").json
    assert reverse["most"]["spearman"]["mean"] == -1.0
    unclear = run("crowd", "curves", results, "--against", table, *FEW)
    assert (unclear.status, unclear.out) == (1, "")
    assert "name one; the columns are: pyramid, other" in unclear.err
    topics = tmp_path / "crowd.jsonl"
    assert run("crowd", "score", results, "--topics", topics).status == 0
    itself = run("crowd", "curves", results, "--against", topics, *FEW, "--json").json
    assert itself["most"]["pearson"]["mean"] == pytest.approx(1.0)
    wrong = run("crowd", "curves", results, "--against", topics, "--column", "taste", *FEW)
    assert "There is no score 'taste'" in wrong.err


def test_a_second_run(run: Run, results: Path, tmp_path: Path) -> None:
    later = write_results(tmp_path / "later.csv", crowd(SYSTEMS, topics=6, workers=3, seed=1), "v")
    text = run("crowd", "curves", results, "--rerun", later, *FEW).out
    assert "% on average to the second votes, over 3 systems." in text
    part = write_results(tmp_path / "part.csv", crowd(SYSTEMS, topics=2, workers=3), "v")
    partly = run("crowd", "curves", results, "--rerun", part, *FEW).out
    assert "Only the 6 summaries that both judge are compared, of 18 and 6." in partly
    same = run("crowd", "curves", results, "--rerun", results, *FEW, "--json").json
    assert same["second"]["change"]["mean"] == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workers", "one"), "--workers 'one' is not a list of numbers"),
        (("--topics", "0"), "The topics to try are 0"),
        (("--want", "2"), "The wanted correlation is 2"),
        (("--plot", "curves.bmp"), "name it .svg, .png or .pdf"),
        (("--against", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_bad_options_of_curves(run: Run, results: Path, options: tuple[str, ...], message: str) -> None:
    found = run("crowd", "curves", results, *FEW, *options)
    assert found.status == 1
    assert message in found.err
    assert found.out == ""


def test_no_design_is_good_enough(run: Run, results: Path) -> None:
    found = run("crowd", "curves", results, "--half-width", "0.0001", *FEW)
    assert "No design within what was collected has intervals of +- 0.0001 or less; all of it has " in found.out
    assert json.loads(run("crowd", "curves", results, "--half-width", "0.0001", *FEW, "--json").out)["cheapest"] is None


@pytest.mark.parametrize("output", ["--report", "--topics"])
def test_a_study_is_not_replaced_by_what_is_made_of_it(run: Run, folder: Path, output: str) -> None:
    for name in ("study.json", "answers.sqlite"):
        before = (folder / name).read_bytes()
        refused = run("crowd", "score", folder, output, folder / name)
        assert refused.status == 1
        assert (
            refused.err
            == f"error: {folder / name}: This file is an input, so it cannot be written; name another file.\n"
        )
        assert (folder / name).read_bytes() == before
    assert run("crowd", "score", folder, output, folder / "made.json").status == 0
