"""``correlate``, as a person would run it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from pyramidion.examples import example
from pyramidion.formats import dump
from pyramidion.signature import Signature
from tests.cli.conftest import Outcome, Run

FEW = ("--samples", "100")


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    random = np.random.default_rng(4)
    quality = np.linspace(0.2, 0.8, 8)
    lines = ["topic,system,human,good,bad"]
    for topic in range(9):
        for system in range(8):
            cells = quality[system] + np.array([0.1, 0.1, 1]) * random.normal(size=3)
            lines.append(f"t{topic},s{system}," + ",".join(f"{abs(cell):.4f}" for cell in cells))
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_tables_for_people(run: Run, scores: Path) -> None:
    outcome = run("correlate", scores, "--accuracy", "--accuracy-samples", "5", "--against", "bad", *FEW)
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == "Correlation with human of the means of 8 systems over 9 topics"
    assert lines[2].split()[:2] == ["column", "r"]
    assert lines[4].split()[0] == "good"
    assert "Difference of r with human from that of bad" in lines
    assert "r of each pair of columns of the means of 8 systems over 9 topics" in lines
    title = "Accuracy: same significant differences between systems as by human (28 pairs, Wilcoxon, level 0.05)"
    assert title in lines
    assert "Means over 5 samples of 8 topics; the counts are of all 9." in lines
    assert lines[-1].startswith("method:correlate|gold:human|level:system|statistic:pearson|means:own|resample:both|")
    assert outcome.out.count("method:correlate") == 1
    assert "p: two-sided test of no difference; 1 column tested, Holm's correction. t: Williams'." in lines
    assert "nan" not in outcome.out.lower()
    assert outcome.err == ""


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (
            "correlations",
            "column pearson low high fisher_low fisher_high spearman kendall systems substitutable shown",
        ),
        (
            "tests",
            "column difference low high t_williams p_permutation p_bootstrap p_williams "
            "adjusted_permutation adjusted_bootstrap adjusted_williams",
        ),
        ("matrix", "column human good bad"),
        (
            "accuracy",
            "metric mean_accuracy deviation low high accuracy_on_all delta "
            "same_difference same_none missed made_up reversed",
        ),
    ],
)
def test_csv_holds_one_table(run: Run, scores: Path, table: str, columns: str) -> None:
    given = ("--against", "bad", "--accuracy", "--accuracy-samples", "2", "--format", "csv", "--table", table)
    rows = list(csv.DictReader(io.StringIO(run("correlate", scores, *given, *FEW).out)))
    assert list(rows[0]) == [*columns.split(), "signature"]


def test_json_holds_everything_and_is_the_same_every_time(run: Run, scores: Path) -> None:
    given = ("correlate", scores, "--json", "--level", "summary", "--statistic", "kendall", "--accuracy", *FEW)
    found = run(*given).json
    assert found == run(*given).json
    assert (found["gold"], found["level"], found["statistic"]) == ("human", "summary", "kendall")
    good = found["correlations"][0]
    low, high = good["kendall"]["interval"]
    assert low <= good["kendall"]["value"] <= high
    assert found["matrix"]["columns"] == ["human", "good", "bad"]
    assert found["accuracy"][0]["size"] == 8
    assert dict(Signature.parse(found["signature"]).parameters)["resample"] == "both"


def test_the_order_of_rows_does_not_matter(run: Run, scores: Path, tmp_path: Path) -> None:
    header, *rows = scores.read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([header, *reversed(rows)]) + "\n")
    given = ("--against", "bad", "--accuracy", "--accuracy-samples", "3", *FEW)
    assert run("correlate", scores, *given).out == run("correlate", other, *given).out


def test_a_corpus_with_annotations(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    dump(example(), folder, "folder")
    found = run("correlate", folder, "--metric", "rouge-1", "--level", "global", "--json", *FEW).json
    assert found["gold"] == "manual"
    assert [row["column"] for row in found["correlations"]] == ["rouge-1"]


def test_a_picture_of_the_matrix(run: Run, scores: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    assert run("correlate", scores, "--plot", one, *FEW).status == 0
    assert run("correlate", scores, "--plot", two, *FEW).status == 0
    assert one.read_bytes() == two.read_bytes()
    assert b"method:correlate" in one.read_bytes()


def test_notes_stand_on_standard_error_for_csv(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("system,human,metric\na,1,1\nb,-1,2\nc,3,4\nd,4,2\n")
    outcome = run("correlate", path, "--format", "csv", *FEW)
    assert "human: 1 cell(s) of -1 look like 'no score' (/b) and are taken for missing" in outcome.err
    assert outcome.out.splitlines()[1].startswith("metric,")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("system,human\na,1\nb,2\n", (), "only one column"),
        ("system,human,m\na,1,2\n", (), "There is only one system (a)"),
        ("system,human,m\na,1,2\nb,nan,3\n", (), "'human' is 'nan', not a number"),
        ("system,human,m\na,1,2\nb,inf,3\n", (), "'human' is 'inf', not a number"),
        ("system,human,m\na,1,2\nb,2,3\n", ("--gold", "x"), "There is no column 'x'"),
        ("system,human,m\na,1,2\nb,2,3\n", ("--threshold", "2"), "The threshold of a correlation is 2"),
        (
            "topic,system,h,m\nt,a,1,2\nt,b,2,3\n",
            ("--accuracy", "--sample", "9"),
            "Samples of 9 topics cannot be drawn from 1",
        ),
        ("topic,system,h,m\nt,a,1,2\nt,b,2,3\n", ("--accuracy", "--significance", "2"), "level of significance is 2"),
        ("topic,system,h,m\nt,a,1,2\nt,a,2,3\n", (), "Two rows name 'a' on topic 't'"),
    ],
)
def test_bad_input_is_one_line(run: Run, tmp_path: Path, text: str, options: tuple[str, ...], message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    outcome = run("correlate", path, *options, *FEW)
    assert outcome.status == 1
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_files_without_a_common_system_list_their_ids(run: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("system,human\na,1\nb,2\n")
    two.write_text("system,metric\nc,1\nd,2\n")
    outcome = run("correlate", one, two, *FEW)
    assert (outcome.status, "No system is in all files (one: a, b; two: c, d)" in outcome.err) == (1, True)


def test_constant_and_tied_scores_are_no_failure(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "flat.csv"
    path.write_text("topic,system,h,m,f\n" + "".join(f"t{t},s{s},{s % 2},1,{t}\n" for t in range(3) for s in range(4)))
    for level in ("system", "summary", "global"):
        for statistic in ("pearson", "spearman", "kendall", "krippendorff"):
            given = ("--level", level, "--statistic", statistic, "--against", "f", "--accuracy")
            outcome = run("correlate", path, *given, "--accuracy-samples", "2", *FEW)
            assert outcome.status == 0, outcome.err
            assert "nan" not in outcome.out.lower()


# LitePyramids' tables: the figures of Nenkova et al. 2007, Table VI, and Shapira et al. 2019, Table 1, recomputed


def value(outcome: Outcome, column: str, statistic: str = "pearson") -> float:
    [row] = [row for row in outcome.json["correlations"] if row["column"] == column]
    return float(row[statistic]["value"])


@pytest.mark.data
def test_duc_2005_table_vi(run: Run, data: Path) -> None:
    folder = data / "litepyramids"
    files = (folder / "2005ManualScoresAvg.csv", folder / "2005RougeScoresAvg.csv")
    found = run("correlate", *files, "--json", *FEW)
    assert (len(found.json["systems"]), len(found.json["topics"])) == (25, 20)
    assert any("3 people (A, B, C) are left out" in note for note in found.json["notes"])
    names = found.json["matrix"]["columns"]
    matrix = found.json["matrix"]["values"]
    figures = {
        ("pyramid", "responsiveness"): 0.787,
        ("pyramid", "ROUGE-2 recall"): 0.887,
        ("pyramid", "ROUGE-SU4 recall"): 0.851,
        ("responsiveness", "ROUGE-2 recall"): 0.929,
        ("ROUGE-2 recall", "ROUGE-SU4 recall"): 0.980,
    }
    for (one, other), expected in figures.items():
        assert matrix[names.index(one)][names.index(other)] == pytest.approx(expected, abs=5e-4)
    # "indicating that the two pairs of metrics are mutually redundant": of these columns only the two ROUGE
    [su4] = [row for row in run("correlate", *files, "--gold", "ROUGE-2 recall", "--json", *FEW).json["correlations"]
             if row["column"] == "ROUGE-SU4 recall"]  # fmt: skip
    assert su4["substitutable"]["by_estimate"]


@pytest.mark.data
def test_duc_2005_on_the_ten_topics(run: Run, data: Path) -> None:
    folder = data / "litepyramids"
    found = run(
        "correlate", folder / "2005ManualScoresAvg.csv", "--topics", folder / "relevant_topics.txt", "--json", *FEW
    )
    assert len(found.json["topics"]) == 10
    assert value(found, "responsiveness") == pytest.approx(0.812, abs=5e-4)
    assert value(found, "responsiveness", "spearman") == pytest.approx(0.767, abs=5e-4)


@pytest.mark.data
@pytest.mark.parametrize(
    ("options", "r", "rho"),
    [((), 0.679, 0.490), (("--placeholders", "keep"), 0.591, 0.397), (("--means", "common"), 0.664, 0.492)],
)
def test_duc_2006_in_its_readings(run: Run, data: Path, options: tuple[str, ...], r: float, rho: float) -> None:
    path = data / "litepyramids" / "2006ManualScoresAvg.csv"
    found = run("correlate", path, "--json", *options, *FEW)
    assert value(found, "responsiveness") == pytest.approx(r, abs=5e-4)
    assert value(found, "responsiveness", "spearman") == pytest.approx(rho, abs=5e-4)
    assert "responsiveness: 6 cell(s) of -1 look like 'no score' (D0647/1, " in found.json["notes"][0]


@pytest.mark.data
def test_realsumm_by_people_and_by_rouge(run: Run, data: Path) -> None:
    """25 systems on 100 documents: what of people's significant differences ROUGE-2 finds (Gao et al. 2019 §6)."""
    options = ("--metric", "rouge-2", "--accuracy", "--accuracy-samples", "3", "--samples", "100", "--json")
    found = run("correlate", data / "realsumm", *options).json
    [row], [accuracy] = found["correlations"], found["accuracy"]
    assert (found["gold"], len(found["systems"]), len(found["topics"])) == ("manual", 25, 100)
    assert row["pearson"]["value"] == pytest.approx(0.964, abs=1e-3)
    same = ("same_difference", "same_none", "missed", "made_up", "reversed")
    assert [accuracy["on_all"][name] for name in same] == [153, 101, 24, 22, 0]
    assert accuracy["accuracy_on_all"] == pytest.approx(254 / 300)
