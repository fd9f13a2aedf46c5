"""Starting is cheap: nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys

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
    return {name.partition(".")[0] for name in printed.stderr.splitlines()}


def test_help_loads_no_language_numeric_or_web_library() -> None:
    code = "from pyramidion.cli import app\ntry: app(['--help'], standalone_mode=False)\nexcept SystemExit: pass"
    assert modules_after(code) & HEAVY == set()


def test_importing_the_package_loads_none_either() -> None:
    assert modules_after("import pyramidion") & HEAVY == set()
