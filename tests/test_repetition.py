"""One place for each thing: no two modules share ten lines of code, and no command is long."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from tests.imports import modules, tree

SHARED = 10
"""So many lines in a row are not written twice."""
LONGEST = 60
"""Lines of a command's own code: parameters and docstring are not counted."""


def code_lines(source: str) -> list[tuple[int, str]]:
    """The lines that say what is done, by number: without imports, docstrings, comments, parameters and brackets alone.

    >>> code_lines('import os\\n\\ndef f(\\n    a: int,\\n) -> int:\\n    "Add."\\n    # why\\n    return a + 1\\n')
    [(8, 'return a + 1')]
    """
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import() | ast.ImportFrom():
                left_out.update(range(node.lineno, (node.end_lineno or 0) + 1))
            case ast.Expr(value=ast.Constant(value=str())):
                left_out.update(range(node.lineno, (node.end_lineno or 0) + 1))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                left_out.update(range(node.lineno, node.body[0].lineno))
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                left_out.update(range(node.lineno, (node.end_lineno or 0) + 1))
            case _:
                pass
    lines = ((number, line.strip()) for number, line in enumerate(source.splitlines(), start=1))
    return [
        (number, line)
        for number, line in lines
        if number not in left_out and not line.startswith("#") and any(map(str.isalnum, line))
    ]


def repetitions(sources: dict[str, str], length: int = SHARED) -> list[str]:
    """Where two modules have that many lines of code in a row in common, once for each stretch.

    >>> same = "\\n".join(f"x{n} = {n}" for n in range(10))
    >>> repetitions({"a": same, "b": f"y = 0\\n{same}", "c": "x0 = 0"})
    ['a:1 and b:2: x0 = 0']
    """
    places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, source in sources.items():
        lines = code_lines(source)
        for start in range(len(lines) - length + 1):
            part = lines[start : start + length]
            places[tuple(line for _, line in part)].append((name, part[0][0]))
    shared = {}
    for part, where in places.items():
        for (one, line), (other, second) in pairwise(where):
            if one != other and (one, other) not in shared:
                shared[one, other] = f"{one}:{line} and {other}:{second}: {part[0]}"
    return list(shared.values())


def test_no_two_modules_share_ten_lines() -> None:
    """Move what they share to the room left of both, or to a private module of their folder."""
    assert repetitions({name: path.read_text(encoding="utf-8") for name, path in modules().items()}) == []


def commands() -> Iterator[tuple[str, ast.FunctionDef]]:
    for name, path in modules().items():
        if name.startswith("pyramidion.cli."):
            for node in ast.walk(tree(path)):
                if isinstance(node, ast.FunctionDef):
                    yield f"{name}.{node.name}", node


def own_lines(function: ast.FunctionDef) -> int:
    """The lines from a function's first statement to its last; the docstring is none.

    >>> own_lines(ast.parse('def f(\\n    a,\\n    b,\\n):\\n    "Why."\\n    c = a\\n    return b + c\\n').body[0])
    2
    """
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_command_is_long() -> None:
    """A command parses, calls one study and emits its result."""
    assert {name: own_lines(function) for name, function in commands() if own_lines(function) > LONGEST} == {}
