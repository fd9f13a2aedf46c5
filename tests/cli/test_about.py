"""``methods``, ``doctor``, ``demo``, ``--version``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pyramidion import __version__
from pyramidion.analyses import checkup
from pyramidion.examples import example
from pyramidion.formats import folder
from tests.cli.conftest import Run
from tests.reports.evaluations import contradicting


def test_methods(run: Run) -> None:
    assert [line.split()[:3] for line in run("methods").out.splitlines()[2:11]] == [
        ["pyramidion", "meaning", "entails"],
        ["pyreval", "edua-g", "wmin"],
        ["pyreval-c", "edua-c", "wmin"],
        ["peak", "peak", "peak"],
        ["lite", "lite", "entails"],
        ["edu-align", "edu-align", "edu"],
        ["edu-oracle-rouge", "edu-oracle-rouge", "edu"],
        ["edu-oracle-be", "edu-oracle-be", "edu"],
        ["manual", "given", "given"],
    ]
    found = run("methods", "--json").json
    assert found["methods"][-1]["cite"] == "Nenkova et al. 2007"
    assert "mwis" in found["matchers"]


def test_doctor_finds_this_installation_whole(run: Run) -> None:
    assert "the bundled example" in run("doctor").out
    found = run("doctor", "--json").json
    assert found["healthy"] is True
    assert {"pyramidion", "python", "msgspec", "numpy", "typer", "formats"} <= {
        finding["what"] for finding in found["findings"]
    }


def test_doctor_names_weights_that_are_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "requires", lambda _: ["pyramidion-words>=1,<2"])  # whatever metadata is installed
    monkeypatch.setitem(sys.modules, "pyramidion_words", None)
    outcome = run("doctor", "--json")
    found = {finding["what"]: finding for finding in json.loads(outcome.out)["findings"]}
    assert found["pyramidion-words"]["found"] == "is not installed"
    assert found["pyramidion-words"]["do"] == "pip install 'pyramidion-words>=1,<2'"
    assert outcome.status == 3


@pytest.mark.usefixtures("shared_cache")
def test_demo_shows_scores_and_who_missed_what(run: Run, tmp_path: Path) -> None:
    text = run("demo", "--out", tmp_path / "example").out
    assert "Means over topics" in text
    assert "method:pyramidion|" in text
    assert "and which summaries miss it" in text
    assert "off-topic, padded" in text
    assert folder.load(tmp_path / "example") == example()


def test_version(run: Run) -> None:
    assert run("--version").out == f"pyramidion {__version__}\n"


def test_no_arguments_show_the_help(run: Run) -> None:
    assert "Usage: pyramidion" in (run().out + run().err)


def test_tables_for_machines(run: Run) -> None:
    assert run("methods", "--format", "csv").out.splitlines()[-1].startswith("manual,given,given,")
    assert run("doctor", "--format", "csv").out.splitlines()[0] == "part,state,found,do"
    assert run("demo", "--format", "csv").status == 2


def test_unknown_matchers_are_told_the_known_ones(run: Run) -> None:
    unknown = run("evaluate", "x", "--method", "given+magic").err
    assert (
        "There is no matcher 'magic'; choose one of: entails, either, soft, unigram, wmin, mwis, ape, harnly, "
        "passonneau, peak, edu, nli:, llm:, given (the corpus's own annotations)" in unknown
    )


@pytest.mark.parametrize("name", ["reader", "learned"])
def test_a_retired_judge_is_told_its_successor(run: Run, name: str) -> None:
    outcome = run("evaluate", "x", "--method", f"given+{name}(threshold=0.4)")
    assert outcome.status == 1
    assert f"The matcher {name!r} has been retired; choose entails, which took its place" in outcome.err


def test_whoever_contradicts_what_most_references_say_has_not_merely_missed_it() -> None:
    (table,) = contradicting().top_tiers()
    assert table.rows == (
        (2, "Fish died in the lake", "none"),
        (2, "Farms fed it phosphorus", "p (contradicts it)"),
        (1, "Reeds grew", "p"),
    )
