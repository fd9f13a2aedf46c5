"""``tune``, as a person would run it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from pyramidion.examples import example
from pyramidion.formats import dump
from tests.analyses.test_tune import BUILT, people, register
from tests.cli.conftest import Outcome, Run

GRID = ("--grid", "beta=1,2,3", "--grid", "threshold=0.3,0.5,0.7")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example with a table of human scores beside it."""
    register(monkeypatch)
    topics = example()
    dump(topics, tmp_path / "corpus", "folder")
    rows = ["topic,peer,judged,flat"]
    rows += (f"{topic},{peer},{value},1" for (topic, peer), value in people(topics).by_peer().items())
    (tmp_path / "scores.csv").write_text("\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tune(run: Run, *more: object) -> Outcome:
    return run("tune", "corpus", "--human", "scores.csv", "--column", "judged", "--method", "toy+toy", *more)


def test_tables_for_people(run: Run, corpus: Path) -> None:
    outcome = tune(run, *GRID)
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == "toy+toy: correlation (Pearson) of raw with judged over 12 peers, 9 cells"
    assert lines[2].split() == ["rank", "beta", "threshold", "r", "chosen"]
    assert sum(line.split()[:1] == [str(n)] for n in range(1, 10) for line in lines[4:13]) == 9
    assert "One-way analysis of variance over 9 cells" in outcome.out
    assert "chosen and measured on the same peers (flattering)" in outcome.out
    assert "chosen on the others (2 folds by topic)" in outcome.out
    assert "Recommended: beta=" in outcome.out
    assert "|tuned:beta=1,2,3 threshold=0.3,0.5,0.7|score:raw|human:judged|folds:2 by topic|" in outcome.out
    assert "nan" not in outcome.out.lower()


def test_many_cells_are_shown_by_their_best_and_worst(run: Run, corpus: Path) -> None:
    outcome = tune(run, "--grid", "threshold=" + ",".join(f"0.{n:02}" for n in range(20, 64, 4)), "--grid", "beta=1,2")
    head, _, _ = outcome.out.partition("method:")
    ranks = [int(line.split()[0]) for line in head.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    assert ranks[:5] == [1, 2, 3, 4, 5]
    assert len(ranks) == 10
    assert max(len(line) for line in head.splitlines()) <= 120


def test_csv_holds_every_cell(run: Run, corpus: Path) -> None:
    outcome = tune(run, *GRID, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert len(rows) == 9
    assert list(rows[0]) == ["rank", "beta", "threshold", "correlation", "folds_chosen", "problem", "signature"]
    correlations = [float(row["correlation"]) for row in rows]
    assert correlations == sorted(correlations, reverse=True)
    assert sum(int(row["folds_chosen"]) for row in rows) == 2


def test_json_holds_everything(run: Run, corpus: Path) -> None:
    found = tune(run, *GRID, "--json", "--score", "coverage").json
    assert found["grid"] == {"beta": [1, 2, 3], "threshold": [0.3, 0.5, 0.7]}
    assert [len(cell["scores"]) for cell in found["cells"]] == [12] * 9
    assert found["in_sample_best"]["correlation"] == max(cell["correlation"] for cell in found["cells"])
    assert [row["parameter"] for row in found["anova"]] == ["beta", "threshold"]
    assert {row["df_between"] for row in found["anova"]} == {2}
    assert found["cross_validation"]["folds"] == 2
    assert -1 <= found["cross_validation"]["correlation"] <= 1
    assert len(found["peers"]) == 12
    assert all(isinstance(row["held_out"], float) for row in found["peers"])


def test_latex_holds_the_tables(run: Run, corpus: Path) -> None:
    assert tune(run, *GRID, "--format", "latex").out.count(r"\begin{tabular}") == 6


def test_a_contour_is_written_for_the_same_bytes_each_time(run: Run, corpus: Path) -> None:
    for name in ("a.svg", "b.svg"):
        assert tune(run, *GRID, "--plot", name).status == 0
    assert (corpus / "a.svg").read_bytes() == (corpus / "b.svg").read_bytes()


def test_what_makes_no_picture_is_told_all_the_same(run: Run, corpus: Path) -> None:
    outcome = tune(run, "--grid", "threshold=0.5", "--plot", "a.svg")
    assert outcome.status == 1
    assert "error: There is only one cell, so there is nothing to draw" in outcome.err
    assert "What the choice is worth" in outcome.out
    assert not (corpus / "a.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--grid", "gamma=1"), 1, "error: The method 'toy+toy' has no parameter 'gamma'; it has alpha, beta,"),
        (("--grid", "alpha=few"), 1, "error: alpha of 'toy+toy' cannot be 'few'; its default is 10"),
        (("--plot", "a.bmp"), 1, "error: a.bmp: A picture of this kind cannot be drawn"),
        (("--column", "flat"), 1, "error: Every peer has the human score 1 in 'flat'"),
        (("--folds", "3"), 1, "error: 3 folds cannot be made of 2 topics; ask for 2 to 2"),
        (("--score", "luck"), 2, "luck"),
        (("--method", "magic"), 1, "error: There is no method 'magic'"),
    ],
)
def test_bad_requests_end_before_anything_runs(
    run: Run, corpus: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    BUILT.clear()
    outcome = tune(run, *arguments)
    assert outcome.status == status
    assert message in outcome.err
    assert BUILT == []
