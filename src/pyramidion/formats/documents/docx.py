"""Word's .docx: the paragraphs of ``word/document.xml`` (ECMA-376, WordprocessingML).

Headers, footers, footnotes and comments are parts of their own and are not read. Deleted text is markup of its own
(``w:delText``). Where text is given twice, for old programs, too (``mc:Fallback``), the second is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pyramidion.base.xml import Document as Xml
from pyramidion.base.xml import decode_xml
from pyramidion.formats.documents import Document, paragraphs
from pyramidion.formats.documents.zipped import member, open_archive

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_ASIDE = re.compile(r"word/(header|footer|footnotes|endnotes|comments)\d*\.xml")


def read(data: bytes, source: str) -> Document:
    """Return the text of the main part; the words of the other parts are kept beside it."""
    archive = open_archive(data, source)
    root = Xml(decode_xml(member(archive, "word/document.xml", source), source), source).root
    aside = []
    for name in sorted(archive.namelist()):
        if part := _ASIDE.fullmatch(name):
            text = " ".join(_text(Xml(decode_xml(member(archive, name, source), source), source).root).split())
            aside += [(part[1].rstrip("s"), text)] if text else []
    return Document(_text(root), tuple(aside))


def _text(root: Element) -> str:
    return paragraphs("".join(_pieces(root)).split("\n"))


def _pieces(element: Element) -> Iterator[str]:
    """Yield the words below an element, a newline after each paragraph; without recursion, however deep it is."""
    waiting: list[Element | str] = [element]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
            continue
        if node.tag == f"{_W}t":
            yield node.text or ""
        elif node.tag in (f"{_W}tab", f"{_W}ptab"):
            yield " "
        elif node.tag in (f"{_W}br", f"{_W}cr"):
            yield "\n"
        elif node.tag == f"{_W}noBreakHyphen":
            yield "-"
        elif node.tag != _FALLBACK:
            waiting += ["\n"] if node.tag == f"{_W}p" else []
            waiting += reversed(node)
