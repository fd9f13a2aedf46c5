"""The leaderboard is made of results alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pyramidion.analyses.accuracy.realsumm.leaderboard import GIVEN_SCUS, REFERENCES_ALONE, add, page, read, results_of
from pyramidion.errors import FormatError
from pyramidion.signature import Signature

DOCS = Path(__file__).parents[3] / "docs"


def result(name: str, r: float | None, folds: bool = False, accuracy: float | None = 0.75) -> dict[str, Any]:
    settings = (("methods", name), ("score", "coverage"), ("documents", "100"), ("folds", "none"))
    means = {"pearson": 0.5, "spearman": 0.25, "kendall": 0.125}
    return {
        "signature": str(Signature("bench-realsumm", settings)),
        "metric": name,
        "score": "coverage",
        "system": {"pearson": 0.9, "spearman": 0.8, "kendall": 0.7},
        "summary": {"pearson": r, "spearman": 0.4, "undefined": 1, "intervals": {"pearson": [0.4, 0.6]}},
        "scu": {"accuracy": accuracy, "f1": 0.7, "auc": 0.8, "ece": None},
        "folds": {"system": means, "summary": means} if folds else None,
        "against_rouge_1": {"difference": -0.02, "interval": [-0.05, 0.01], "p": 0.2},
        "pairs_per_second": 12345.6,
    }


FLOOR: list[dict[str, Any]] = [
    {
        "metric": "ROUGE-1",
        "score": "recall",
        "system": {"pearson": 0.911, "spearman": 0.915, "kendall": 0.75},
        "summary": {
            "pearson": 0.529,
            "spearman": 0.502,
            "undefined": 0,
            "documents": 100,
            "intervals": {"pearson": [0.49, 0.57]},
        },
        "against_rouge_1": None,
    }
]


def test_the_best_at_summary_level_comes_first_and_the_floor_last() -> None:
    made = page({"results": [result("given+low", 0.3), result("given+high", 0.5)], "floor": FLOOR})
    assert made.index("`high`") < made.index("`low`") < made.index("| ROUGE-1 recall")
    assert (
        "| `high` | .900 / .800 / .700 | .500 / .400 (.400 to .600, 1 skipped) | -.020 (-.050 to +.010) "
        "| .750 | .700 | .800 | - | 12,000 |" in made
    )
    for name, *_ in (*GIVEN_SCUS, *REFERENCES_ALONE):
        assert name in made


def test_methods_without_judgements_of_human_scus_have_a_table_of_their_own() -> None:
    made = page({"results": [result("given+judge", 0.3), result("pyramidion", 0.5, accuracy=None)], "floor": FLOOR})
    human, alone = made.split("## References alone")
    assert "`judge`" in human
    assert "`pyramidion`" not in human
    assert "`pyramidion`" in alone


def test_undefined_figures_and_no_results() -> None:
    made = page({"results": [result("given+constant", None)], "floor": []})
    assert "| - / .400" in made
    assert "None" not in made
    assert "nan" not in made
    assert "# Leaderboard" in page({"results": [], "floor": []})


def test_means_over_folds_where_there_are_any() -> None:
    without = page({"results": [result("given+a", 0.3)], "floor": []})
    one = result("given+a", 0.3, folds=True)
    one["signature"] = one["signature"].replace("folds:none", "folds:published")
    assert "Means over the published folds" not in without
    assert "| `a` | .500 / .250 | .500 / .250 |" in page({"results": [one], "floor": []})


def test_a_new_result_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "board.md"
    add(path, [result("given+a", 0.3), result("given+b", 0.2)], FLOOR)
    add(path, [result("given+a", 0.4)], FLOOR)
    found = read(results_of(path))
    assert [(one["metric"], one["summary"]["pearson"]) for one in found["results"]] == [
        ("given+a", 0.4),
        ("given+b", 0.2),
    ]
    assert path.read_text() == page(found)


def test_a_run_on_fewer_documents_leaves_the_floor(tmp_path: Path) -> None:
    path = tmp_path / "board.md"
    add(path, [result("given+a", 0.3)], FLOOR)
    few = [{**FLOOR[0], "summary": {**FLOOR[0]["summary"], "pearson": 0.8, "documents": 5}}]
    add(path, [result("given+b", 0.2)], few)
    assert read(results_of(path))["floor"] == FLOOR
    again = [{**FLOOR[0], "summary": {**FLOOR[0]["summary"], "pearson": 0.53}}]
    add(path, [], again)
    assert read(results_of(path))["floor"] == again


def test_no_correlation_at_all_comes_before_one_that_is_undefined_and_another_score_is_named() -> None:
    zero, undefined = result("given+zero", 0.0), result("given+undefined", None)
    low = {**result("given+low", -0.5), "score": "recall"}
    made = page({"results": [undefined, low, zero], "floor": []})
    assert made.index("`zero`") < made.index("`low, recall`") < made.index("`undefined`")


@pytest.mark.parametrize("content", ["{", "[]", '{"results": 1, "floor": []}'])
def test_a_file_that_holds_no_results_is_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "board.md"
    results_of(path).write_text(content)
    with pytest.raises(FormatError):
        add(path, [result("given+a", 0.3)], FLOOR)
    assert results_of(path).read_text() == content


def test_the_page_in_the_docs_is_that_of_its_results() -> None:
    found = json.loads((DOCS / "leaderboard.json").read_text())
    assert (DOCS / "leaderboard.md").read_text() == page(found)
    assert {"given+unigram", "given+soft"} <= {one["metric"] for one in found["results"]}
