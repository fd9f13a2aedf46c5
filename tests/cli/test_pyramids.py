"""``build`` and ``match``, and ``evaluate`` from texts alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyramidion import formats
from pyramidion.examples import example
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of one topic, texts only."""
    (lake, _) = example()
    folder = tmp_path_factory.mktemp("corpus") / "lake"
    for kind, summaries in (("references", lake.references), ("peers", lake.peers)):
        (folder / kind).mkdir(parents=True)
        for one in summaries:
            (folder / kind / f"{one.id}.txt").write_text(one.text, encoding="utf-8")
    return folder


def test_build_then_match_is_evaluate(run: Run, texts: Path, tmp_path: Path) -> None:
    references, peers = sorted((texts / "references").iterdir()), sorted((texts / "peers").iterdir())
    assert "SCUs of 1 topic(s)" in run("build", *references, "--topic", "lake", "-o", tmp_path / "lake.json").out
    matched = run("match", tmp_path / "lake.json", *peers, "-o", tmp_path / "matched.json", "--format", "csv")
    assert matched.status == 0
    evaluated = run("evaluate", texts, "--json").json
    scored = run("score", tmp_path / "matched.json", "--json").json
    assert scored["scores"] == evaluated["scores"]
    assert evaluated["signature"].startswith("method:pyramidion|")


def test_a_pyramid_for_ducview(run: Run, texts: Path, tmp_path: Path) -> None:
    references = sorted((texts / "references").iterdir())
    run("build", *references, "--method", "pyreval", "-o", tmp_path / "lake.pyr")
    (topic,) = formats.load(tmp_path / "lake.pyr")
    assert topic.pyramid
    assert topic.pyramid.size == len(references)
    assert sum(scu.weight == 1 for scu in topic.pyramid.scus) < len(topic.pyramid.scus)


def test_build_prints_the_pyramid(run: Run, texts: Path) -> None:
    text = run("build", texts).out
    assert text.startswith("lake: ")
    assert "method:pyramidion" in text
    (record,) = run("build", texts, "--json").json
    assert record["topic"] == "lake"
    assert len(record["pyramid"]["scus"]) > 5


def test_match_prints_json(run: Run, texts: Path, tmp_path: Path) -> None:
    run("build", texts, "-o", tmp_path / "p.json")
    found = run("match", tmp_path / "p.json", texts / "peers" / "copy.txt", "--matcher", "wmin", "--json").json
    (annotation,) = found["annotations"]
    assert annotation["summary"] == "copy"
    assert annotation["matches"]


def test_match_needs_one_pyramid(run: Run, texts: Path, tmp_path: Path) -> None:
    peer = texts / "peers" / "copy.txt"
    (tmp_path / "none.json").write_text('{"topic": "t", "references": {"A": "x"}}')
    none = run("match", tmp_path / "none.json", peer)
    assert (none.status, "0 pyramids are in this file" in none.err) == (1, True)
    unknown = run("match", tmp_path / "none.json", peer, "--matcher", "magic")
    assert (unknown.status, "there is no matcher 'magic'" in unknown.err) == (1, True)


def test_renaming_and_reordering_references_changes_no_byte(run: Run, texts: Path, tmp_path: Path) -> None:
    other = tmp_path / "lake"
    for kind in ("references", "peers"):
        (other / kind).mkdir(parents=True)
    for number, file in enumerate(sorted((texts / "references").iterdir(), reverse=True)):
        (other / "references" / f"{number}.txt").write_bytes(file.read_bytes())
    for file in (texts / "peers").iterdir():
        (other / "peers" / file.name).write_bytes(file.read_bytes())
    for method in ("pyramidion", "pyreval", "pyreval-c"):
        assert (
            run("evaluate", texts, "--method", method, "--json").out
            == run("evaluate", other, "--method", method, "--json").out
        )


def test_the_report_is_one_page_with_the_data(run: Run, texts: Path, tmp_path: Path) -> None:
    outcome = run("evaluate", texts, "--report", tmp_path / "report.html", "--json")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    data = json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])
    assert data["signature"] == outcome.json["signature"]


def test_people_s_annotations_are_not_passed_over_in_silence(run: Run, tmp_path: Path) -> None:
    formats.dump(example()[:1], tmp_path / "lake.json")
    assert "--method manual scores them" in run("evaluate", tmp_path / "lake.json").err
    assert run("evaluate", tmp_path / "lake.json", "--method", "manual").err == ""


def test_a_corpus_without_peers_or_references(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"topic": "t", "references": {"A": "He came."}}')
    assert "there is no peer; add the summaries to score" in run("evaluate", tmp_path / "a.json").err
    (tmp_path / "b.json").write_text('{"topic": "t", "peers": {"A": "He came."}}')
    outcome = run("evaluate", tmp_path / "b.json")
    assert (outcome.status, "has no reference that says anything" in outcome.err) == (1, True)
