"""The imports of the package, as its source states them: which module needs which when it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"

ROOMS = (
    "errors notes version base",
    "model signature scoring result",
    "language",
    "explanation corrections parts",
    "formats",
    "examples",
    "builders",
    "matchers",
    "methods",
    "metrics",
    "stats",
    "evaluation",
    "analyses",
    "crowd",
    "reports",
    "studio",
    "integrations",
    "api",
    "cli",
)
"""From left to right; a module knows what is left of its room. Rooms of one line know each other."""


def modules() -> dict[str, Path]:
    """Every module by its dotted name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """A module's source, parsed once for all that look at it."""
    return ast.parse(path.read_text(encoding="utf-8"))


def room(module: str) -> str:
    """The folder or module under the package that a module belongs to."""
    return (*module.split("."), "")[1]


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that one needs when it runs; imports for type checkers alone do not count."""
    yield from _imports(tree(path), known)


def _imports(node: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in known)
    elif isinstance(node, ast.ImportFrom) and node.module in known:
        assert node.level == 0, "imports are absolute"
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in known else node.module
    for child in ast.iter_child_nodes(node):
        yield from _imports(child, known)


@cache
def graph() -> dict[str, set[str]]:
    """Which modules each module needs."""
    known = modules()
    return {name: set(imports(path, known)) - {name} for name, path in known.items()}
