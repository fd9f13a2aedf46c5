"""``convert``, ``validate`` and ``formats``."""

from __future__ import annotations

import sys
from pathlib import Path

import jsonschema
import pytest

from pyramidion.examples import example
from pyramidion.formats import FORMATS, ducview, folder, native
from pyramidion.model import Topic
from tests.cli.conftest import Run


@pytest.fixture
def pyr(tmp_path: Path) -> Path:
    topic = example()[0]
    path = tmp_path / "lake.pyr"
    path.write_bytes(ducview.dumps([Topic(topic.id, topic.references, pyramid=topic.pyramid)]))
    return path


@pytest.fixture
def pan(tmp_path: Path) -> Path:
    topic = example()[0]
    path = tmp_path / "padded.pan"
    annotation = topic.annotations[3]
    path.write_bytes(
        ducview.dumps([Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))])
    )
    return path


@pytest.mark.parametrize("name", ["pyr", "pan"])
def test_ducview_to_json_and_back_is_byte_stable(
    run: Run, tmp_path: Path, name: str, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(name)
    again = tmp_path / "again" / path.name
    again.parent.mkdir()
    assert run("convert", path, tmp_path / "x.json").status == 0
    assert run("convert", tmp_path / "x.json", again).status == 0
    assert again.read_bytes() == path.read_bytes()


def test_a_corpus_to_lines_and_back(run: Run, tmp_path: Path) -> None:
    folder.dump(example(), tmp_path / "corpus")
    outcome = run("convert", tmp_path / "corpus", tmp_path / "corpus.jsonl", "--strict", "--json")
    assert outcome.json == {
        "input": str(tmp_path / "corpus"),
        "output": str(tmp_path / "corpus.jsonl"),
        "topics": 2,
        "lost": [],
    }
    assert run("convert", tmp_path / "corpus.jsonl", tmp_path / "back").out.endswith(
        "back: written from 2 topics, 10 references, 12 peers, 46 SCUs, 12 annotations\n"
    )
    assert folder.load(tmp_path / "back") == folder.load(tmp_path / "corpus")


def test_what_is_lost_is_listed_and_strict_refuses(run: Run, tmp_path: Path) -> None:
    native.dump(example()[:1], tmp_path / "t.json")
    target = tmp_path / "t.pyr"
    outcome = run("convert", tmp_path / "t.json", target)
    assert outcome.status == 0
    assert "Not written: topic 'lake-revival': 3 source document(s)" in outcome.err
    before = target.read_bytes()
    refused = run("convert", tmp_path / "t.json", target, "--strict")
    assert refused.status == 1
    assert "would lose topic 'lake-revival': " in refused.err
    assert "; topic 'lake-revival': 3 source document(s): " in refused.err
    assert target.read_bytes() == before


def test_options_of_formats(run: Run, tmp_path: Path, pan: Path) -> None:
    assert run("convert", pan, tmp_path / "old.pan", "--write-option", "dialect=1.4").status == 0
    assert b"(pyramid,annotation)>" in (tmp_path / "old.pan").read_bytes()
    for given, message in (
        ("colour=red", "has no option 'colour'; it has dialect"),
        ("dialect", "has no value; write NAME=VALUE"),
    ):
        outcome = run("convert", pan, tmp_path / "x.pan", "--write-option", given)
        assert (outcome.status, message in outcome.err) == (1, True)


def test_unknown_formats_and_endings(run: Run, tmp_path: Path, pyr: Path) -> None:
    assert (
        "There is no format 'word'; choose one of: ducview, json"
        in run("convert", pyr, tmp_path / "x", "--from", "word").err
    )
    assert "The ending '.docx' does not belong to a known format" in run("convert", pyr, tmp_path / "x.docx").err


@pytest.mark.parametrize("terminal", [True, False])
def test_validate_says_what_and_where_with_a_caret_on_a_terminal(
    run: Run, tmp_path: Path, pyr: Path, terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: terminal)
    broken = tmp_path / "broken.pyr"
    broken.write_text(pyr.read_text().replace('start="', 'start="x', 1))
    outcome = run("validate", pyr, broken)
    assert outcome.status == 1
    assert outcome.out == f"{pyr}: ducview, 1 topic, 5 references, 23 SCUs\n"
    wrong, *drawn = outcome.err.splitlines()
    assert wrong.startswith(f"error: {broken}:")
    assert "The part x" in wrong
    assert len(drawn) == 2 * terminal
    if terminal:
        shown, caret = drawn
        assert shown[caret.index("^") :].startswith("<part ")


def test_validate_as_json_and_strict(run: Run, tmp_path: Path, pyr: Path) -> None:
    doubtful = tmp_path / "doubtful.pyr"
    doubtful.write_text(pyr.read_text().replace("<pyramid>", '<pyramid numModels="9">'))
    found = run("validate", doubtful, "--json").json
    assert found["valid"] is True
    assert "numModels is 9" in found["files"][0]["warnings"][0]
    assert run("validate", doubtful, "--strict").status == 1


def test_formats_are_listed_and_the_schema_is_one(run: Run) -> None:
    listed = run("formats").out
    assert all(f"\n{name} " in listed for name in FORMATS)
    assert {row["name"] for row in run("formats", "--json").json} == set(FORMATS)
    jsonschema.Draft202012Validator.check_schema(run("formats", "--schema").json)


RESULTS = "lagoon\nSummary,raw,quality,coverage,Comprehensive\nanna.txt,3,0.5,0.25,0.375\n"


@pytest.mark.parametrize("name", ["results.csv", "results.txt", "results"])
def test_tables_of_scores_are_known_by_their_content(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(RESULTS)
    found = run("convert", tmp_path / name, tmp_path / "out.csv", "--json").json
    assert found == {"input": str(tmp_path / name), "output": str(tmp_path / "out.csv"), "rows": 1, "lost": []}
    assert run("validate", tmp_path / name).out == f"{tmp_path / name}: score table, 1 rows of scores\n"


def test_what_a_table_of_scores_does_not_take(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("topic,summary,raw,quality,coverage,comprehensive,rouge\nt,anna,3,0.5,0.25,0.375,0.1\n")
    assert "Tables of scores have no option 'x'" in run("convert", table, tmp_path / "o.csv", "--option", "x=1").err
    assert (
        "The ending '.json' does not belong to a known table of scores"
        in run("convert", table, tmp_path / "o.json").err
    )
    target = tmp_path / "o.csv"
    refused = run("convert", table, target, "--to", "pyreval-results", "--strict")
    assert (refused.status, target.exists()) == (1, False)
    assert "'pyreval-results' would lose the column rouge" in refused.err
    written = run("convert", table, tmp_path / "o.txt", "--to", "pyreval-results", "--json")
    assert written.json["lost"] == ["the column rouge"]


def test_formats_as_csv(run: Run) -> None:
    assert run("formats", "--format", "csv").out.splitlines()[0] == "format,does,endings,what it is"
