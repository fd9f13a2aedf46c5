"""``methods``, ``doctor``, ``demo``, ``--version``."""

from __future__ import annotations

from pathlib import Path

from pyramidion import __version__
from pyramidion.examples import example
from pyramidion.formats import folder
from tests.cli.conftest import Run


def test_methods(run: Run) -> None:
    assert run("methods").out.splitlines()[2].split()[:3] == ["manual", "given", "given"]
    assert run("methods", "--json").json["methods"][0]["cite"] == "Nenkova et al. 2007"


def test_doctor_finds_this_installation_whole(run: Run) -> None:
    assert "the bundled example" in run("doctor").out
    found = run("doctor", "--json").json
    assert found["healthy"] is True
    assert {"pyramidion", "python", "msgspec", "numpy", "typer", "formats"} <= {
        finding["what"] for finding in found["findings"]
    }


def test_demo_shows_scores_and_who_missed_what(run: Run, tmp_path: Path) -> None:
    text = run("demo", "--out", tmp_path / "example").out
    assert "Means over topics" in text
    assert "     5  The lagoon opened six years late                                          off-topic, padded" in text
    assert folder.load(tmp_path / "example") == example()
    assert run("demo", "--json").json["systems"][0]["summary"] == "copy"


def test_version(run: Run) -> None:
    assert run("--version").out == f"pyramidion {__version__}\n"


def test_no_arguments_show_the_help(run: Run) -> None:
    assert "Usage: pyramidion" in (run().out + run().err)


def test_tables_for_machines(run: Run) -> None:
    assert run("methods", "--format", "csv").out.splitlines()[1].startswith("manual,given,given,")
    assert run("doctor", "--format", "csv").out.splitlines()[0] == "part,state,found,do"
    assert run("demo", "--format", "csv").status == 2


def test_empty_registries_say_so(run: Run) -> None:
    unknown = run("evaluate", "x", "--method", "given+magic").err
    assert (
        "there is no matcher 'magic'; none is registered; choose one of: given (the corpus's own annotations)"
        in unknown
    )
