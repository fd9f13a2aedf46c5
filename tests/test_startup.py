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
    assert modules_after(code) & HEAVY == set()


def test_importing_the_package_loads_none_either() -> None:
    assert modules_after("import pyramidion") & HEAVY == set()


def test_a_table_of_the_crowd_loads_no_tests_of_systems(tmp_path: Path) -> None:
    results = write_results(tmp_path / "results.csv", crowd({"a": 0.2, "b": 0.8}, topics=3, workers=3))
    loaded = modules_after(
        f"from pyramidion.cli import app\napp(['crowd', 'score', {str(results)!r}], standalone_mode=False)"
    )
    assert "pyramidion.studies.crowd.scores" in loaded
    assert loaded & {f"pyramidion.stats.{name}" for name in ("tukey", "power", "paired", "scu_tests")} == set()
