"""``combine`` and ``ablate``, as a person would run them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from pyramidion.examples import example
from pyramidion.formats import dump
from tests.analyses.test_ablation import register_graphs
from tests.analyses.test_tune import MATCHED, people, register
from tests.cli.conftest import Outcome, Run

METRICS = ("--metric", "given+toy", "--metric", "rouge-su4")


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
    MATCHED.clear()
    return tmp_path


def combine(run: Run, *more: object) -> Outcome:
    return run("combine", "corpus", *more)


def test_tables_for_people(run: Run, corpus: Path) -> None:
    outcome = combine(run, *METRICS)
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith(
        "Correlation with human scores of 12 summaries, all together; intervals over topics\n"
    )
    assert "Gain from combining: differences of correlation" in outcome.out
    for row in ("given+toy              alone", "given+toy + rouge-su4  blind", "given+toy + rouge-su4  held out"):
        assert row in outcome.out
    assert "2 folds of topics chose alpha by r: " in outcome.out
    assert "|level:global|scale:none|by:pearson|steps:20|folds:2 by topic|samples:2000|seed:0|" in outcome.out
    assert "nan" not in outcome.out.lower()


def test_csv_holds_one_table_and_the_curve_if_asked(run: Run, corpus: Path) -> None:
    worth = list(csv.DictReader(io.StringIO(combine(run, *METRICS, "--format", "csv").out)))
    assert [row["how"] for row in worth] == ["alone", "alone", "blind", "best", "held out"]
    curve = list(csv.DictReader(io.StringIO(combine(run, *METRICS, "--format", "csv", "--table", "curve").out)))
    assert len(curve) == 21
    assert list(curve[0]) == ["score", "alpha", "pearson", "spearman", "kendall", "signature"]
    assert curve[0]["pearson"] == worth[1]["pearson"]
    assert curve[10]["kendall"] == worth[2]["kendall"]


def test_json_holds_everything_of_every_pair(run: Run, corpus: Path) -> None:
    more = ("--metric", "lexical-pyramid", *METRICS, "--steps", "4", "--scale", "z", "--level", "summary")
    first, second = combine(run, *more, "--human", "scores.csv", "--column", "judged", "--json").json["combinations"]
    assert (first["first"], second["first"], first["second"]) == ("lexical-pyramid", "given+toy", "rouge-su4")
    assert (first["human"], first["scale"], first["level"], first["summaries"]) == ("judged", "z", "summary", 12)
    assert first["alphas"] == [0, 0.25, 0.5, 0.75, 1]
    assert first["curve"]["spearman"][0] == first["worth"]["second"]["spearman"]["value"]
    assert len(first["scores"]) == 12
    assert {(row["of"], row["over"]) for row in second["gains"]} == {
        (of, over) for of in ("blind", "held_out") for over in ("first", "second")
    }


def test_the_curve_is_drawn(run: Run, corpus: Path) -> None:
    assert combine(run, *METRICS, "--plot", "a.svg", "--table", "gains").status == 0
    assert "Kendall: given+toy + rouge-su4" in (corpus / "a.svg").read_text()


def test_only_the_first_topics(run: Run, corpus: Path) -> None:
    assert "of 6 summaries, all of one topic; intervals over peers" in combine(run, *METRICS, "--documents", 1).out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((), 2, "Missing option '--metric'"),
        (("--metric", "rouge-2"), 1, "error: 1 score cannot be combined; name two"),
        (("--metric", "rouge-2", "--metric", "rouge-2:recall"), 1, "error: rouge-2 is named twice"),
        (("--metric", "bleu", "--metric", "rouge-2"), 1, "error: There is no score 'bleu'"),
        (
            ("--metric", "manual", "--metric", "given+toy"),
            1,
            "error: manual is the human score that the others are compared with",
        ),
        ((*METRICS, "--alpha", "1.5"), 1, "error: Alpha cannot be 1.5; use a number from 0 to 1"),
        ((*METRICS, "--steps", "0"), 1, "error: A curve of 0 steps has no points"),
        ((*METRICS, "--plot", "a.bmp"), 1, "error: a.bmp: A picture of this kind cannot be drawn"),
        ((*METRICS, "--plot", "no/a.svg"), 1, "error: no/a.svg"),
        ((*METRICS, "--human", "none.csv"), 1, "error: none.csv"),
        ((*METRICS, "--scale", "log"), 2, "log"),
        ((*METRICS, "--documents", "0"), 2, "--documents"),
    ],
)
def test_bad_requests_end_before_anything_runs(
    run: Run, corpus: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    outcome = combine(run, *arguments)
    assert outcome.status == status
    assert message in " ".join(outcome.err.split())
    assert MATCHED == []


def test_human_scores_that_do_not_vary_are_said(run: Run, corpus: Path) -> None:
    outcome = combine(run, *METRICS, "--human", "scores.csv", "--column", "flat")
    assert outcome.status == 1
    assert "error: Every summary has the human score 1; choose human scores that vary" in outcome.err


def ablate(run: Run, *more: object) -> Outcome:
    return run("ablate", "corpus", "--method", "given+graphs(graphs=penman:graphs.txt)", *more)


@pytest.fixture
def graphs(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    register_graphs(monkeypatch, corpus / "graphs.txt")
    return corpus


def test_a_table_of_relations(run: Run, graphs: Path) -> None:
    outcome = ablate(run)
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0].startswith("given+graphs(graphs=penman:graphs.txt) over 12 summaries: r ")
    assert lines[2].split()[:3] == ["without", "in", "pyramids"]
    assert "relations in the pyramids' graphs" in outcome.out
    rows = list(csv.DictReader(io.StringIO(ablate(run, "--format", "csv").out)))
    assert {row["relation"] for row in rows} == {"instance", "op"}
    assert [float(row["pearson"]) for row in rows] == sorted(float(row["pearson"]) for row in rows)


def test_relations_as_json(run: Run, graphs: Path) -> None:
    found = ablate(run, "--json", "--human", "scores.csv", "--column", "judged", "--level", "system").json
    assert (found["human"], found["level"], found["summaries"]) == ("judged", "system", 12)
    assert {one["relation"]: one["spellings"] for one in found["relations"]}["op"] == ["op1", "op2"]


def test_a_method_without_relations_is_said(run: Run, corpus: Path) -> None:
    outcome = run("ablate", "corpus", "--method", "given+toy")
    assert outcome.status == 1
    assert "error: given+toy does not match relations, so none can be left out; choose a method" in outcome.err
