"""OpenDocument text, .odt: the paragraphs and headings of ``content.xml`` (ISO/IEC 26300).

Headers and footers are in ``styles.xml``, which is not read. Notes, comments and deleted text stand among the words and
are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pyramidion.base.xml import Document as Xml
from pyramidion.base.xml import decode_xml
from pyramidion.errors import FormatError
from pyramidion.formats.documents import Document, paragraphs
from pyramidion.formats.documents.zipped import member, open_archive

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_ASIDE = {f"{_TEXT}note": "note", f"{_OFFICE}annotation": "comment", f"{_TEXT}tracked-changes": "deleted text"}
_SPACES = 1_000
"""Blanks that one element may stand for."""


def read(data: bytes, source: str) -> Document:
    """Return the text of the body; the words of notes and comments are kept beside it."""
    archive = open_archive(data, source)
    if "META-INF/manifest.xml" in archive.namelist():
        manifest = decode_xml(member(archive, "META-INF/manifest.xml", source), source)
        if "encryption-data" in manifest:
            raise FormatError("The file is encrypted.", source, "save it without a password")
    root = Xml(decode_xml(member(archive, "content.xml", source), source), source).root
    body = root.find(f"{_OFFICE}body")
    aside: list[tuple[str, str]] = []
    text = "".join(_pieces(body, aside)) if body is not None else ""
    return Document(paragraphs(text.split("\n")), tuple(aside))


def _pieces(element: Element, aside: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the words below an element, a newline after each paragraph; without recursion, however deep it is."""
    waiting: list[Element | str] = [element]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
            continue
        if node.tag in _ASIDE:
            words = " ".join("".join(node.itertext()).split())
            aside += [(_ASIDE[node.tag], words)] if words else []
            continue
        if node.tag == f"{_TEXT}s":
            count = node.get(f"{_TEXT}c", "1")
            yield " " * min(int(count) if count.isascii() and count.isdigit() else 1, _SPACES)
        elif node.tag == f"{_TEXT}tab":
            yield " "
        elif node.tag == f"{_TEXT}line-break":
            yield "\n"
        yield node.text or ""
        waiting += ["\n"] if node.tag in (f"{_TEXT}p", f"{_TEXT}h") else []
        for child in reversed(node):
            waiting += [child.tail or "", child]
