"""The text of a document, whatever program wrote it: .docx, .odt, .pdf, .rtf, .html, .md, .txt.

Every kind has a reader that takes the file's bytes and returns paragraphs. What is no part of the text (headers,
footers, page numbers, the name and the date above it) is left out and kept beside it, so that ``validate`` can show it.
A document that cannot be read (encrypted, scanned, damaged, blown up, of Word 97) is an error of one sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from pyramidion.base.files import decode, read_bytes
from pyramidion.errors import FormatError
from pyramidion.formats.documents.above import without_heading

READERS = {
    ".docx": "docx",
    ".odt": "odt",
    ".pdf": "pdf",
    ".rtf": "rtf",
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
}
"""The module of each ending; a .txt is read as it is."""

SUFFIXES = (".txt", *READERS)

UNREADABLE = {
    ".doc": "Word 97, save as .docx",
    ".docm": "a document with macros, save as .docx",
    ".dotx": "a template, save as .docx",
    ".wps": "Works, save as .docx",
    ".wpd": "WordPerfect, save as .docx",
    ".pages": "Pages, export as .docx",
    ".gdoc": "a link to Google Docs, download as .docx",
}
"""Documents that people hand in and nothing here reads: the reason, and what to do, by ending."""

_OLD = (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\xdb\xa5")
"""How a file of Word 97 begins, and an encrypted one of any later Word."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document's text, and what stands in the file and is no part of it."""

    text: str
    left_out: tuple[tuple[str, str], ...] = ()
    """What it is (header, page number, name or date above the text), and its words."""


def read_document(path: Path) -> Document:
    """Return the text of a file, read as its ending says; a .txt is taken whole, with newlines at its line ends.

    A .doc is read where it is another format under that name; that of Word 97 is an error, as all :data:`UNREADABLE`.
    """
    kind = path.suffix.lower()
    # what nothing reads is not opened, however large it is
    data = b"" if kind in UNREADABLE and kind != ".doc" else read_bytes(path)
    if kind == ".doc":  # Word takes any of its formats under this name
        kind = ".docx" if data.startswith(b"PK\3\4") else ".rtf" if data.startswith(b"{\\rtf") else kind
    if kind in UNREADABLE:
        raise FormatError(f"Not read: {UNREADABLE[kind]}.", str(path))
    if kind not in READERS:
        text = decode(data, str(path), may_be_empty=True)
        return Document(text.replace("\r\n", "\n").replace("\r", "\n"))
    if data.startswith(_OLD):
        raise FormatError(
            "The file is encrypted, or it was saved by Word 97.", str(path), "save it as .docx without a password"
        )
    read: Callable[[bytes, str], Document] = import_module(f"pyramidion.formats.documents.{READERS[kind]}").read
    document = read(data, str(path))
    if not document.text.strip():
        raise FormatError("The document holds no text.", str(path), "check that the text is not a picture")
    text, above = without_heading(document.text)
    return Document(text, (*document.left_out, *above))


def is_unreadable(path: Path) -> bool:
    """Return whether a file's ending says that nothing here reads it."""
    return path.suffix.lower() in UNREADABLE


def why_unread(error: FormatError) -> str:
    """Return why a document cannot be read and what to do, as a sentence without its path."""
    return f"{error.what.removesuffix('.')}; {error.do}." if error.do else error.what


def paragraphs(pieces: list[str]) -> str:
    """Return paragraphs as lines, with single blanks and no empty line."""
    return "\n".join(filter(None, (" ".join(piece.split()) for piece in pieces)))
