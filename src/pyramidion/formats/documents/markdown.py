r"""Markdown's text: the marks go, the words stay; pictures, comments and blocks of code are left out."""

from __future__ import annotations

import re

from pyramidion.base.files import decode
from pyramidion.formats.documents import Document, paragraphs

_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.DOTALL | re.MULTILINE)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_BEGIN = re.compile(r"^[ ]{0,3}(?:#{1,6}[ ]+|>[ ]?|[-*+][ ]+|\d{1,9}[.)][ ]+)", re.MULTILINE)
_RULE = re.compile(r"^[ ]{0,3}(?:[-*_=][ ]*){3,}$", re.MULTILINE)
_MARK = re.compile(r"(?<!\\)(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1|(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)")


def read(data: bytes, source: str) -> Document:
    """Return the words of a Markdown file, a paragraph a line."""
    return Document(plain(decode(data, source).replace("\r\n", "\n").replace("\r", "\n")))


def plain(text: str) -> str:
    r"""Return the text without Markdown's marks.

    >>> plain("# The *lake*\n\nIt came\nback ([how](x.html)).\n\n- Fish **live** there.")
    'The lake\nIt came back (how).\nFish live there.'
    """
    for left_out in (_FRONT, _COMMENT, _CODE, _PICTURE):
        text = left_out.sub("", text)
    text = _RULE.sub("", _LINK.sub(r"\1", text))
    blocks: list[str] = []
    for block in re.split(r"\n[ \t]*\n", text):
        # A heading, a quotation or an item begins a line of its own; all other lines of a block are one paragraph.
        for line in block.split("\n"):
            marked = _BEGIN.match(line)
            if marked or not blocks or blocks[-1] == "":
                blocks.append(line[marked.end() :] if marked else line)
                if marked and line.lstrip().startswith("#"):
                    blocks.append("")
            else:
                blocks[-1] += f" {line}"
        blocks.append("")
    words = "\n".join(blocks)
    for _ in range(2):  # strong inside emphasis
        words = _MARK.sub(lambda mark: mark[2] or mark[3], words)
    return paragraphs(re.sub(r"\\([\\`*_{}\[\]()#+.!>-])", r"\1", words).split("\n"))
