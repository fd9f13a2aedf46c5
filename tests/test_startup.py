"""Starting is cheap: nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.test_crowd_scoring import write_results
from tests.crowd.ballots import crowd

HEAVY = {
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "spacy",
    "onnxruntime",
    "starlette",
    "uvicorn",
    "sqlalchemy",
    "httpx",
    "lxml",
}


def modules_after(code: str) -> set[str]:
    printed = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print('\\n'.join(sys.modules), file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(printed.stderr.splitlines())


def test_help_loads_no_language_numeric_or_web_library() -> None:
    code = "from pyramidion.cli import app\ntry: app(['--help'], standalone_mode=False)\nexcept SystemExit: pass"
    loaded = modules_after(code)
    assert loaded & HEAVY == set()
    rooms = {name.split(".")[1] for name in loaded if name.startswith("pyramidion.")}
    assert rooms == {"base", "cli", "errors", "notes", "version"}
    assert {name for name in loaded if name.startswith("pyramidion.cli.")} == {"pyramidion.cli._panels"}


def test_a_command_loads_no_other_one() -> None:
    loaded = modules_after("from pyramidion.cli import app\napp(['methods'], standalone_mode=False)")
    commands = {name.rpartition(".")[2] for name in loaded if name.startswith("pyramidion.cli.")}
    assert {name for name in commands if not name.startswith("_")} == {"about"}


def test_importing_the_package_loads_none_either() -> None:
    loaded = modules_after("import pyramidion")
    assert {name for name in loaded if name.startswith("pyramidion.")} == {"pyramidion.version"}


def test_a_table_of_the_crowd_loads_no_tests_of_systems(tmp_path: Path) -> None:
    results = write_results(tmp_path / "results.csv", crowd({"a": 0.2, "b": 0.8}, topics=3, workers=3))
    loaded = modules_after(
        f"from pyramidion.cli import app\napp(['crowd', 'score', {str(results)!r}], standalone_mode=False)"
    )
    assert "pyramidion.crowd.results.scores" in loaded
    assert loaded & {f"pyramidion.stats.{name}" for name in ("tukey", "power", "paired", "scu_tests")} == set()
