"""``evaluate`` with pyramids of the sources: scores, the paper's own among them, and what the explanations quote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyramidion import formats
from pyramidion.examples import example
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sources") / "lake.json"
    formats.dump(example()[:1], path)
    return path


@pytest.mark.parametrize("method", ["edu-align", "edu-oracle-rouge", "edu-oracle-be"])
def test_every_score_and_the_papers_own(run: Run, lake: Path, method: str) -> None:
    found = run("evaluate", lake, "--method", method, "--json").json
    rows = {row["summary"]: row for row in found["scores"]}
    assert all(0 <= row["normalised"] <= 1 for row in rows.values())
    assert rows["empty"]["normalised"] == rows["off-topic"]["normalised"] == 0
    assert sum(row["normalised"] for row in rows.values()) > 0
    assert "normalised" in run("evaluate", lake, "--method", method, "--table", "full").out.splitlines()[2]


def test_other_methods_have_no_such_score(run: Run, lake: Path) -> None:
    assert run("evaluate", lake, "--method", "manual", "--json").json["scores"][0]["normalised"] is None
    assert "normalised" not in run("evaluate", lake, "--method", "manual", "--table", "full").out


def test_missed_units_are_quoted_with_the_sentence_of_their_source(run: Run, lake: Path, tmp_path: Path) -> None:
    outcome = run("evaluate", lake, "--method", "edu-oracle-be", "--json", "--explain", "--report", tmp_path / "r.html")
    sources = " ".join(" ".join(source.text for source in example()[0].sources).split())
    missed = outcome.json["scores"][0]["explanation"]["missed"]
    assert missed
    assert all(one["sentence"] in sources and one["label"] in one["sentence"] for one in missed)
    text = run("evaluate", lake, "--method", "edu-oracle-be", "--explain").out
    assert "          noted: " in text
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    data = json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])
    assert any(scu["sentence"] for scu in data["topics"][0]["scus"])


def test_without_sources_it_says_what_is_needed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"topic": "t", "references": {"A": "He came."}, "peers": {"p": "He came."}}')
    outcome = run("evaluate", tmp_path / "t.json", "--method", "edu-align")
    assert outcome.status == 1
    assert "sources" in outcome.err
