"""Wrap the prose of Markdown pages at 120 characters, and leave alone what must not be wrapped.

    python docs/wrap.py [--check] FILE.md ...

Paragraphs and list items are wrapped; tables, code blocks, headings, HTML, link definitions and lines that end in a
hard break stay as they are. A word is not broken, nor is inline code, nor a link's text from its address. ``--check``
writes nothing and names the lines that are too long.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import TextWrapper

WIDTH = 120

_FENCE = re.compile(r"\s*(```+|~~~+)")
_ITEM = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+)")
_FIXED = re.compile(r"\s*(#|\||<|\[[^\]]+\]:|>>>|={3,}\s*$|-{3,}\s*$|\$\$)")
_WHOLE = re.compile(r"`+[^`]*`+|!?\[[^\]]*\]\([^)]*\)")
"""What stays in one piece: inline code, and a link with its text."""
_BREAK = "\x00"
"""Stands for a blank that must not become a line end."""
_STARTS_A_BLOCK = re.compile(r"(?:[-*+>|]|#+|\d+[.)]|={3,}|-{3,}|~{3,}|`{3,})(?:\s|$)|<|\$ ")


def blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """The lines of a page in stretches, and whether each may be wrapped: it is one paragraph or list item then."""
    kept: list[str] = []
    fence = ""
    for line in text.splitlines():
        opening = _FENCE.match(line)
        inside = bool(fence) or bool(opening)
        if opening and not fence:
            fence = opening[1]
        elif opening and line.strip() == fence:
            fence = ""
        indented_code = line.startswith("    ") and not kept
        fixed = inside or not line.strip() or indented_code or bool(_FIXED.match(line))
        if kept and (fixed or _ITEM.match(line)):
            yield True, kept
            kept = []
        if fixed:
            yield False, [line]
        else:
            kept.append(line)
            if line.endswith(("  ", "\\")):
                yield False, kept
                kept = []
    if kept:
        yield True, kept


def wrapped(text: str) -> str:
    r"""The page with its paragraphs and list items wrapped.

    >>> item, table = "- " + "word " * 30, "| " + "cell " * 30 + "|"
    >>> [len(line) for line in wrapped(f"{item}\n\n{table}").splitlines()]
    [116, 36, 0, 153]
    """
    lines: list[str] = []
    for may_wrap, block in blocks(text):
        lines += _filled(block) if may_wrap and any(len(line) > WIDTH for line in block) else block
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def _filled(block: list[str]) -> list[str]:
    item = _ITEM.match(block[0])
    first = item[1] if item else block[0][: len(block[0]) - len(block[0].lstrip())]
    rest = " " * len(first)
    words = " ".join(line.strip() for line in (block[0][len(first) :], *block[1:]))
    kept = _WHOLE.sub(lambda found: found[0].replace(" ", _BREAK), words)
    wrapper = TextWrapper(WIDTH, first, rest, break_long_words=False, break_on_hyphens=False)
    lines = wrapper.wrap(kept)
    # A line that would begin a list, a heading or a quotation is not a line of this paragraph any more.
    for index in range(len(lines) - 1, 0, -1):
        if _STARTS_A_BLOCK.match(lines[index].lstrip()):
            before, _, word = lines[index - 1].rpartition(" ")
            lines[index - 1], lines[index] = before, f"{rest}{word} {lines[index].lstrip()}"
    return [line.replace(_BREAK, " ") for line in lines]


def too_long(text: str) -> list[int]:
    r"""The numbers of lines of prose that are longer than they need be.

    >>> too_long("word " * 30 + "\\n" + "x" * 130)
    [1]
    """
    numbers, start = [], 1
    for may_wrap, block in blocks(text):
        if may_wrap and any(len(line) > WIDTH for line in block) and _filled(block) != block:
            numbers += [start + place for place, line in enumerate(block) if len(line) > WIDTH and " " in line.strip()]
        start += len(block)
    return numbers


def main(arguments: list[str]) -> int:
    """Wrap the pages, or name what is too long."""
    check = "--check" in arguments
    status = 0
    for path in (Path(name) for name in arguments if name != "--check"):
        text = path.read_text(encoding="utf-8")
        if check:
            for number in too_long(text):
                print(f"{path}:{number}: longer than {WIDTH} characters")
                status = 1
        elif (better := wrapped(text)) != text:
            path.write_text(better, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
