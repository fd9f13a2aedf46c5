"""Prose wraps at 120 characters: in pages, and in docstrings."""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
WRAP = runpy.run_path(str(ROOT / "docs" / "wrap.py"))
WIDTH: int = WRAP["WIDTH"]
wrapped: Callable[[str], str] = WRAP["wrapped"]
too_long: Callable[[str], list[int]] = WRAP["too_long"]

PAGES = [
    path.relative_to(ROOT).as_posix()
    for pattern in (
        "*.md",
        "docs/*.md",
        "lab/**/*.md",
        "train/**/*.md",
        "entails/**/*.md",
        "words/**/*.md",
        "writes/**/*.md",
        "src/**/*.md",
    )
    for path in sorted(ROOT.glob(pattern))
]
CODE = [path for folder in ("src", "tests", "docs", "bench", "train") for path in sorted((ROOT / folder).rglob("*.py"))]
LONG = "word " * 30
LINK = "[a text of some length](https://example.org/" + "path/" * 30 + ")"


@pytest.mark.parametrize("page", PAGES)
def test_pages_wrap(page: str) -> None:
    assert too_long((ROOT / page).read_text(encoding="utf-8")) == [], f"run `python docs/wrap.py {page}`"


@pytest.mark.parametrize("page", PAGES)
def test_wrapping_changes_nothing_but_line_ends(page: str) -> None:
    markdown_it = pytest.importorskip("markdown_it")
    render: Callable[[str], str] = markdown_it.MarkdownIt("commonmark").enable("table").render
    text = (ROOT / page).read_text(encoding="utf-8")
    once = wrapped(text)
    assert re.sub(r"\s+", " ", render(once)) == re.sub(r"\s+", " ", render(text))
    assert too_long(once) == []
    assert wrapped(once) == once


@pytest.mark.parametrize(
    "kept",
    [
        f"| {LONG} |",
        f"```\n{LONG}\n```",
        f"# {LONG}",
        f"    {LONG}",
        LINK,
        f"`{LONG}`",
        f"[name]: https://example.org/{'x' * 120}",
        f"<p>{LONG}</p>",
    ],
    ids=["table", "code", "heading", "indented", "link", "inline code", "definition", "html"],
)
def test_what_cannot_be_wrapped_stays(kept: str) -> None:
    assert wrapped(f"Before.\n\n{kept}\n\nAfter.\n") == f"Before.\n\n{kept}\n\nAfter.\n"
    assert too_long(kept) == []


def test_an_item_is_indented_and_its_neighbour_is_left_alone() -> None:
    first, second, other = wrapped(f"- {LONG}\n- short\n").splitlines()
    assert first.startswith("- word")
    assert second.startswith("  word")
    assert other == "- short"


def test_no_line_of_a_paragraph_becomes_an_item_or_a_heading() -> None:
    text = f"{'x' * 116} a - {'y ' * 20}\n"
    assert not any(line.startswith(("- ", "# ")) for line in wrapped(text).splitlines())


def docstrings(tree: ast.AST) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node


def test_docstrings_wrap() -> None:
    """Lines of an example, of a table, and words that cannot be broken may be longer."""
    long = []
    for path in CODE:
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        if all(len(line) <= WIDTH for line in lines):
            continue
        for node in docstrings(ast.parse(source)):
            for number in range(node.lineno, node.end_lineno + 1):
                line = lines[number - 1]
                prose = not re.match(r"\s*(>>>|\.\.\.|\||=)", line) and " " in line.strip()
                if len(line) > WIDTH and prose and not line.strip().startswith("http"):
                    long.append(f"{path.relative_to(ROOT)}:{number}")
    assert long == []
