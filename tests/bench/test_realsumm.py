"""Methods and the floor against SCU judgements of systems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyramidion.bench.realsumm import human_scores, measure, read, sentences, table
from pyramidion.cli import main
from pyramidion.errors import FormatError
from pyramidion.methods import Method
from pyramidion.report.table import render

FILES = {
    "ids.txt": "d1\nd2\nd3",
    "references.txt": "<t> Rain fell . </t> <t> Rivers rose . </t>\n<t> Cows slept . </t> <t> Dogs ran . </t>\nNo tags .",
    "SCUs.txt": "Rain fell .\tRivers rose .\nCows slept .\tDogs ran .\nNothing is marked .",
    "summaries/a.summary": "Rain fell and rivers rose .\nDogs ran while cows slept .\nNo tags .",
    "summaries/b.summary": "Rain fell .\nCows slept .\n",
    "summaries/c.summary": "Sun shone .\nBirds sang .\nTags .",
    "labels/a.label": "1\t1\n1\t1\n0",
    "labels/b.label": "1\t0\n1\t0\n0",
    "labels/c.label": "0\t0\n0\t1\n0",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def test_references_become_sentences() -> None:
    assert sentences("<t> Rain  fell . </t> <t> Rivers rose . </t>") == "Rain fell .\nRivers rose ."
    assert sentences("a < b, and no markup") == "a < b, and no markup"


def test_the_human_score_is_the_share_of_scus_present(folder: Path) -> None:
    topics = read(folder)
    assert topics[0].references[0].text == "Rain fell .\nRivers rose ."
    assert topics[0].pyramid
    assert topics[0].pyramid.references == topics[0].references
    assert human_scores(topics) == {
        ("d1", "a"): 1, ("d1", "b"): 0.5, ("d1", "c"): 0,
        ("d2", "a"): 1, ("d2", "b"): 0.5, ("d2", "c"): 0.5,
        ("d3", "a"): 0, ("d3", "b"): 0, ("d3", "c"): 0,
    }  # fmt: skip


def test_the_manual_method_agrees_with_itself(folder: Path) -> None:
    rows = measure(read(folder), [Method.parse("manual")], samples=100)
    assert [(row.level, row.metric, row.score) for row in rows[:2]] == [
        ("system", "manual", "coverage"),
        ("system", "ROUGE-1", "recall"),
    ]
    for row in rows:
        if row.metric == "manual":
            assert [one.value for one in row.correlations.values()] == [1, 1, 1]


def test_documents_without_a_defined_correlation_are_skipped_and_counted(folder: Path) -> None:
    rows = measure(read(folder), samples=100)
    summary = next(row for row in rows if (row.level, row.metric) == ("summary", "ROUGE-1"))
    # d1: humans 1, .5, 0 and recall 1, .5, 0; d2: humans 1, .5, .5 and recall 1, .5, 0; in d3 everybody got 0
    assert summary.correlations["pearson"].n == 2
    assert summary.correlations["pearson"].undefined == 1
    assert summary.correlations["pearson"].value == pytest.approx((1 + 0.75**0.5) / 2)
    assert "nan" not in render(table(rows))


def test_only_the_first_documents(folder: Path) -> None:
    assert [topic.id for topic in read(folder, 2)] == ["d1", "d2"]


def test_a_folder_without_labels_is_an_error(folder: Path) -> None:
    for file in (folder / "labels").iterdir():
        file.unlink()
    with pytest.raises(FormatError, match="no summary here is labelled"):
        read(folder)


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "realsumm", str(folder), "--method", "manual", "--documents", "2", "--json"])
    assert not left.value.code
    found = json.loads(capsys.readouterr().out)
    assert "documents:2|" in found["signature"]
    assert found["correlations"][0]["pearson"]["value"] == 1
    with pytest.raises(SystemExit):
        main(["bench", "realsumm", str(folder), "--method", "manual"])
    shown = capsys.readouterr().out
    assert "method:bench-realsumm|methods:manual|score:coverage|documents:3|" in shown


@pytest.mark.data
def test_the_floor_on_realsumm(data: Path) -> None:
    """Stemmed ROUGE-1 recall is .529 / .502 (r, rho at summary level), .911 / .915 at system level, in baselines.md."""
    rows = measure(read(data / "realsumm"), samples=200)
    print("\n" + render(table(rows)))
    found = {(row.level, row.metric): row.correlations for row in rows}
    assert found["summary", "ROUGE-1"]["pearson"].value == pytest.approx(0.529, abs=0.005)
    assert found["summary", "ROUGE-1"]["spearman"].value == pytest.approx(0.502, abs=0.005)
    assert found["system", "ROUGE-1"]["pearson"].value == pytest.approx(0.911, abs=0.005)
    assert found["system", "ROUGE-2"]["pearson"].value == pytest.approx(0.964, abs=0.005)
    assert found["summary", "lexical-pyramid"]["pearson"].value == pytest.approx(0.543, abs=0.005)
