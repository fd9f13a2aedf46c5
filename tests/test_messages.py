"""Errors and warnings name settings, as Python users know them: only the command line speaks of its options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.imports import SOURCE, modules, room

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
PIP = re.compile(r"pip install( --[a-z-]+)+")
ROOMS_WITH_OPTIONS = ("cli", "crowd")
"""The crowd's server and its lists are run from the command line alone."""


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that are no documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def test_no_message_outside_the_command_line_speaks_of_its_options() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for name, path in modules().items()
        if room(name) not in ROOMS_WITH_OPTIONS
        for line, text in _texts(path)
        if OPTION.search(PIP.sub("", text)) and not text.startswith("# ")  # a page in Markdown
    ]
    assert not wrong
