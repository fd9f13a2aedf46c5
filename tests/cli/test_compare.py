"""``compare``, as a person would run it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from pyramidion.examples import example
from pyramidion.formats import dump
from pyramidion.signature import Signature
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare") / "corpus"
    dump(example(), folder, "folder")
    return folder


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [
        f"t{topic},{system},{base + (topic * step % 7) / 100}"
        for topic in range(12)
        for system, base, step in (("good", 0.6, 3), ("fair", 0.5, 5), ("poor", 0.49, 2))
    ]
    path.write_text("\n".join(["topic,system,coverage", *rows]) + "\n")
    return path


def test_tables_for_people(run: Run, scores: Path) -> None:
    outcome = run("compare", scores)
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == "Mean coverage over topics, with 95 % bootstrap intervals"
    assert lines[2].split() == ["system", "topics", "mean", "low", "high", "groups"]
    assert [line.split()[0] for line in lines[4:7]] == ["good", "fair", "poor"]
    assert [line.split()[-1] for line in lines[4:7]] == ["a", "b", "b"]
    assert (
        "Significant at 0.05: 2 of 3 pairs (Wilcoxon signed rank test over topics, Holm's correction)." in outcome.out
    )
    assert "better  worse  topics  difference" in outcome.out
    assert "0.0005  0.0015*" in outcome.out
    signature = Signature.parse(lines[-1])
    assert dict(signature.parameters)["table"] == "scores.csv"
    assert "nan" not in outcome.out.lower()


@pytest.mark.parametrize("test", ["wilcoxon", "bootstrap", "randomisation", "tukey"])
def test_every_test_over_topics(run: Run, scores: Path, test: str) -> None:
    found = run("compare", scores, "--test", test, "--json").json
    assert found["test"] == test
    assert [one["letters"] for one in found["systems"]] == ["a", "b", "b"]
    again = run("compare", scores, "--test", test, "--json").json
    assert again == found


@pytest.mark.parametrize("test", ["mcnemar", "permutation"])
def test_every_test_over_scus(run: Run, corpus: Path, test: str) -> None:
    found = run("compare", corpus, "--method", "edua-p+soft", "--test", test, "--json").json
    assert found["systems"][0]["system"] == "copy"
    assert set(found["systems"][0]["letters"]).isdisjoint(found["systems"][-1]["letters"])
    assert found["pairs"][0]["only_better"] > 0


def test_two_systems_scu_by_scu(run: Run, corpus: Path) -> None:
    outcome = run("compare", corpus, "copy", "padded", "--method", "manual")
    assert outcome.status == 0, outcome.err
    assert "SCUs that only copy or only padded expresses" in outcome.out
    assert "Of 46 SCUs of 2 topics, 5 are in both, 14 only in copy, 2 only in padded, 25 in neither." in outcome.out
    assert "McNemar: p = 0.0042 (mid-p 0.0023). Odds ratio 7.00 (1.61 to 63.46)." in outcome.out
    assert sum(line.startswith("padded ") and "-lagoon" in line for line in outcome.out.splitlines()) == 1
    rows = list(
        csv.DictReader(
            io.StringIO(
                run(
                    *("compare", corpus, "copy", "padded", "--method", "manual", "--table", "scus", "--format", "csv")
                ).out
            )
        )
    )
    assert len(rows) == 16
    assert list(rows[0]) == ["only_in", "topic", "weight", "scu", "signature"]
    infinite = run("compare", corpus, "copy", "empty", "--method", "manual", "--json").json["scus"]["mcnemar"]
    assert (infinite["odds_ratio"], infinite["interval"][1]) == (None, None)


def test_csv_has_the_pairs_and_all_numbers(run: Run, scores: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("compare", scores, "--format", "csv").out)))
    assert len(rows) == 3
    assert rows[0]["significant"] == "1"
    assert float(rows[0]["d_low"]) < float(rows[0]["d"]) < float(rows[0]["d_high"])
    systems = list(csv.DictReader(io.StringIO(run("compare", scores, "--table", "systems", "--format", "csv").out)))
    assert [row["groups"] for row in systems] == ["a", "b", "b"]


def test_latex(run: Run, scores: Path) -> None:
    out = run("compare", scores, "--format", "latex").out
    assert out.count(r"\begin{table}") == 2
    assert r"95 \% bootstrap intervals" in out


def test_power_in_sentences(run: Run, scores: Path) -> None:
    out = run("compare", scores, "--power", "0.01", "--table", "systems").out
    assert "To find a difference of 0.01 with power 0.8 at 0.05 (one comparison) takes " in out
    assert "With the 12 topics there are, a difference of 0.0" in out


def test_a_metric_and_a_method(run: Run, corpus: Path) -> None:
    found = run("compare", corpus, "--metric", "rouge-1", "--json").json
    assert (found["score"], found["systems"][0]["topics"]) == ("recall", 2)
    assert "rouge:1|stem:yes" in found["signature"]
    by_method = run(
        "compare", corpus, "--method", "given+soft", "--score", "quality", "--test", "bootstrap", "--json"
    ).json
    assert by_method["score"] == "quality"
    assert by_method["signature"].startswith("method:given+soft|")


def test_many_systems_show_no_pairs_unasked(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("topic,system,f\n" + "".join(f"t{t},s{s},{(t * s) % 5}\n" for t in range(5) for s in range(7)))
    out = run("compare", path).out
    assert "better" not in out
    assert len(run("compare", path, "--table", "pairs").out.splitlines()) > 21


def test_the_picture_is_the_same_every_time(run: Run, scores: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    first, second = tmp_path / "1.svg", tmp_path / "2.svg"
    for path in (first, second):
        assert run("compare", scores, "--plot", path).status == 0
    assert first.read_bytes() == second.read_bytes()
    assert b"good" in first.read_bytes()
    assert run("compare", scores, "--plot", tmp_path / "x.txt").status == 1


def test_bad_input(run: Run, scores: Path, corpus: Path, tmp_path: Path) -> None:
    cases = {
        ("good",): "Only 'good' is named",
        ("good", "worse"): "no system 'worse'; choose from the systems: fair, good, poor",
        ("--test", "tukey", "--correction", "bh"): "corrects for all pairs itself",
        ("--test", "mcnemar"): "which these scores do not have",
        ("good", "poor", "--table", "scus"): "no comparison of two systems by SCUs",
        ("--metric", "rouge-1"): "already has its scores",
        ("--score", "quality"): "no column 'quality'",
        ("--alpha", "1"): "The level of significance is 1",
        ("--power", "0"): "not a difference to find",
        ("--without", "good", "--without", "fair"): "one system (poor)",
        ("--without", "x"): "no system 'x'",
        (
            "--no-score",
            "0.5",
            "--without",
            "good",
            "--without",
            "fair",
            "--without",
            "poor",
        ): "no system, so there is nothing to compare",
    }
    for arguments, said in cases.items():
        outcome = run("compare", scores, *arguments)
        assert outcome.status == 1, arguments
        assert said in outcome.err, outcome.err
        assert len([line for line in outcome.err.splitlines() if line.startswith("error")]) == 1
        assert outcome.out == ""
    assert "score of by_method cannot be 'f'; choose one of: raw, quality" in run("compare", corpus, "--score", "f").err
    assert run("compare", tmp_path / "none.csv").status == 1
    wrong = tmp_path / "nan.csv"
    wrong.write_text("topic,system,f\nx,a,nan\n")
    assert "not a number" in run("compare", wrong).err
    flat = tmp_path / "flat.csv"
    flat.write_text("system,f\na,1\nb,2\n")
    assert "add a column 'topic'" in run("compare", flat).err


def test_warnings_name_cells(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    rows = [
        f"t{t},{s},{'' if (t, s) == (3, 'a') else -1 if (t, s) == (4, 'b') else (t + len(s)) / 10}"
        for t in range(8)
        for s in "abc"
    ]
    path.write_text("\n".join(["topic,system,f", *rows]))
    outcome = run("compare", path)
    assert outcome.status == 0
    assert "1 f value(s) are -1 where no other is below 0" in outcome.err
    assert "t4/b; no_score=-1 leaves them out" in outcome.err
    assert "1 of 24 scores are missing: t3/a" in outcome.err
    old = run("compare", path, "--missing", "-1")
    assert "--missing is now called --no-score; the old name will be removed" in old.err
    again = run("compare", path, "--no-score", "-1")
    assert again.out == old.out
    assert "2 of 24 scores are missing: t3/a, t4/b" in again.err
    assert "where no other" not in again.err


# Real data


@pytest.mark.data
def test_realsumm_by_people(run: Run, data: Path) -> None:
    found = run("compare", data / "realsumm", "--method", "manual", "--json").json
    assert (len(found["systems"]), len(found["pairs"]), found["topics"]) == (25, 300, 100)
    assert found["systems"][0]["system"] == "abs_semsim_out"
    assert found["systems"][-1]["system"] == "abs_bottom_up_out"
    assert sum(pair["significant"] for pair in found["pairs"]) == 70


@pytest.mark.data
def test_realsumm_by_rouge(run: Run, data: Path) -> None:
    found = run("compare", data / "realsumm", "--metric", "rouge-1", "--test", "tukey", "--json").json
    assert found["systems"][0]["system"] == "ext_refresh_out"
    assert found["systems"][0]["letters"] == "a"
    assert found["systems"][0]["mean"] == pytest.approx(0.6276, abs=1e-4)


@pytest.mark.data
@pytest.mark.parametrize(("year", "systems", "people"), [("2005", 25, "ABC"), ("2006", 22, "")])
def test_tukey_groups_of_duc(run: Run, data: Path, year: str, systems: int, people: str) -> None:
    """Shapira et al. 2019 §4, after Passonneau et al. 2006: few groups in 2005, more in 2006."""
    without = [part for name in people for part in ("--without", name)]
    table = data / "litepyramids" / f"{year}ManualScoresAvg.csv"
    found = run("compare", table, "--test", "tukey", *without, "--json").json
    assert len(found["systems"]) == systems
    assert 0 < sum(pair["significant"] for pair in found["pairs"]) < len(found["pairs"]) / 4


@pytest.mark.data
def test_people_are_missing_where_they_wrote_nothing(run: Run, data: Path) -> None:
    outcome = run("compare", data / "litepyramids" / "2005ManualScoresAvg.csv", "--test", "tukey")
    assert outcome.status == 1
    assert "lack some; leave these systems out" in outcome.err


def test_what_other_commands_print_as_csv_is_read(run: Run, corpus: Path, tmp_path: Path) -> None:
    manual, rouge = tmp_path / "manual.csv", tmp_path / "rouge.csv"
    manual.write_text(run("evaluate", corpus, "--method", "manual", "--format", "csv").out, "utf-8")
    rouge.write_text(run("metrics", corpus, "--format", "csv").out, "utf-8")
    by_table = run("compare", manual, "--table", "pairs", "--format", "csv")
    by_corpus = run("compare", corpus, "--method", "manual", "--table", "pairs", "--format", "csv")
    assert by_table.status == by_corpus.status == 0, by_table.err
    shared = ("better", "worse", "difference", "p", "d", "rank_biserial")
    tables = [list(csv.DictReader(io.StringIO(outcome.out))) for outcome in (by_table, by_corpus)]
    for one, other in zip(*tables, strict=True):
        assert [one[name] for name in shared] == [other[name] for name in shared]
    named = run("compare", rouge, "--from", "csv", "--score", "rouge-1 recall", "--table", "systems")
    direct = run("compare", corpus, "--metric", "rouge-1", "--table", "systems")
    assert named.out.splitlines()[3:10] == direct.out.splitlines()[3:10]
    both = run("correlate", manual, rouge, "--gold", "coverage", "--column", "rouge-1 recall", "--samples", "100")
    assert both.status == 0, both.err
    assert "No intervals: it takes 6 documents, and here are 2." in both.out
    assert "Correlation with coverage of the means of 6 systems over 2 topics" in both.out
    assert "Tests that draw from 6 systems and 2 documents are not to be believed" in both.out
