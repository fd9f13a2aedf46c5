"""Errors and notes name settings, as Python users know them: only the command line speaks of its options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.imports import SOURCE, modules, room, tree

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
PIP = re.compile(r"pip install( --[a-z-]+)+")
ROOMS_WITH_OPTIONS = ("cli", "crowd")
"""The crowd's server and its lists are run from the command line alone."""


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that are no documentation."""
    documentation = {id(node.value) for node in ast.walk(tree(path)) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree(path)):
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


ERRORS = {
    *("PyramidionError", "FormatError", "ModelError", "LossError", "MissingPartError", "LanguageError", "BadParameter"),
    *("EndpointError", "AnswerError", "AnsweredError", "CutOffError", "TicketError", "StrayError", "MaxCostError"),
}
NAMES = {"amrlib", "amrlib's", "nli:", "numModels", "pyramidion.", "sentence-transformers:", "spaCy", "t_edge", "tau,"}
"""Words at the beginning of a message that are written as they are: settings, attributes and packages."""


def _messages(module: ast.AST) -> Iterator[ast.expr]:
    """What the errors and notes of a module say: the first argument of an error and of ``note``."""
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and call.args:
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            if name in ERRORS or ast.unparse(call.func) == "note":
                yield call.args[0]


def _beginnings(message: ast.expr) -> Iterator[str]:
    """The words that a message begins with; none where it begins with a value."""
    match message:
        case ast.BinOp():
            yield from _beginnings(message.left)
        case ast.IfExp():
            yield from _beginnings(message.body)
            yield from _beginnings(message.orelse)
        case ast.JoinedStr():
            yield from _beginnings(message.values[0])
        case ast.Constant(value=str(text)):
            yield text


def test_errors_and_warnings_begin_with_a_capital() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{message.lineno}: {text}"
        for path in modules().values()
        for message in _messages(tree(path))
        for text in _beginnings(message)
        if text[:1].islower() and text.split()[0] not in NAMES
    ]
    assert not wrong
