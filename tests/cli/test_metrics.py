"""``pyramidion metrics``."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyramidion.metrics import Rouge
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "src" / "pyramidion" / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "peers/one.txt": "The dogs barked.",
        "peers/two.txt": "A cat slept.",
        "references/a.txt": "The dog barks.",
        "references/b.txt": "The dogs bark loudly.",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_texts_with_all_references_after_the_option(run: Run, folder: Path) -> None:
    peers, references = sorted(folder.glob("peers/*")), sorted(folder.glob("references/*"))
    found = run("metrics", *peers, "--references", *references, "--metrics", "rouge-2,be-hm", "--json").json
    assert [one["peer"] for one in found["scores"]] == ["one", "two"]
    assert found["scores"][0]["rouge-2"] == {"recall": 4 / 5, "precision": 1, "f": pytest.approx(8 / 9)}
    assert found["scores"][0]["be-hm"]["recall"] == 2 / 3
    assert found["signatures"]["rouge-2"].startswith("method:rouge-2|rouge:2|stem:yes|")
    repeated = (item for path in references for item in (f"--references={path}",))
    again = run("metrics", *repeated, "--metrics", "rouge-2,be-hm", "--json", "--", *peers).json
    folders = run(
        "metrics", folder / "peers", "--metrics=rouge-2,be-hm", "--json", "--references", folder / "references"
    )
    assert again == folders.json == found


def test_options_reach_the_metrics(run: Run, folder: Path) -> None:
    stop = folder / "stop.list"
    stop.write_text("The\nloudly\n")
    given = ("metrics", folder / "peers/one.txt", "--references", folder / "references")
    options = ("--metrics", "rouge-1", "--no-stem", "--stop", stop, "--combine", "best", "--tokens", "unicode")
    found = run(*given, *options, "--json").json
    rouge = Rouge("1", stop_words=frozenset({"the", "loudly"}), references="best", tokens="unicode")
    assert str(rouge) in found["signatures"]["rouge-1"]
    score = rouge.score("The dogs barked.", ["The dog barks.", "The dogs bark loudly."])
    assert found["scores"][0]["rouge-1"] == score._asdict()


def test_a_corpus_has_means_of_systems(run: Run) -> None:
    outcome = run("metrics", EXAMPLES, "--metrics", "rouge-2,lexical-pyramid")
    assert outcome.status == 0, outcome.err
    scores, systems = outcome.out.split("Means over topics")
    assert "lake-revival  copy " in scores
    assert "method:rouge-2" not in scores
    assert systems.count("method:") == 2
    assert "rouge-2 R  low  high" in systems


def test_csv_holds_one_table(run: Run) -> None:
    scores = run("metrics", EXAMPLES, "--metrics", "rouge-1", "--format", "csv").out.splitlines()
    assert scores[0] == "topic,peer,rouge-1 recall,rouge-1 precision,rouge-1 f,signature"
    assert len(scores) == 13
    systems = run("metrics", EXAMPLES, "--metrics", "rouge-1", "--format", "csv", "--table", "systems", "--score", "f")
    assert systems.out.splitlines()[0] == "system,topics,rouge-1 f,rouge-1 f low,rouge-1 f high,signature"


def test_the_same_bytes_twice(run: Run) -> None:
    given = ("metrics", EXAMPLES, "--metrics", "rouge-l,rouge-w,rouge-s4")
    assert run(*given).out == run(*given).out


def test_bad_input_is_one_line(run: Run, folder: Path) -> None:
    (folder / "empty.txt").write_text(" \n")
    (folder / "peers/ru.txt").write_text("Полиция вчера задержала двух человек.")
    peer, references = folder / "peers/one.txt", folder / "references"
    for arguments, message in (
        ((peer, "--references", references, "--metrics", "bleu"), "no metric 'bleu'; choose from: rouge-1"),
        ((peer, "--references", references, "--metrics", ","), "No metric is named"),
        ((peer,), "There are no references; add --references"),
        ((peer, "--references", folder / "empty.txt"), "the reference 'empty' is empty"),
        ((folder / "gone.txt", "--references", references), "gone.txt: There is no such file"),
        ((folder, "--references", peer, references, folder / "gone"), "gone: There is no such file"),
        ((peer, "--references", references, "--stop", folder / "gone"), "gone: There is no such file"),
        ((folder / "peers/ru.txt", "--references", references, "--metrics", "be-hm"), "needs an English parse"),
    ):
        outcome = run("metrics", *arguments)
        assert outcome.status == 1, arguments
        assert message in outcome.err
        assert outcome.err.count("\n") == 1
