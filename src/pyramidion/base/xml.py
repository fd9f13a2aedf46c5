"""XML with places, hardened.

Documents are parsed by the standard library's C parser. Entity declarations and external DTDs are refused before the
parser sees them, so there is nothing to expand or fetch. Lines and columns are found by a second pass, once, and only
when there is something to say about an element.
"""

from __future__ import annotations

import codecs
import html
import re
import xml.etree.ElementTree as ElementTree
from functools import cached_property
from xml.parsers import expat

from pyramidion.base.files import decode, place
from pyramidion.base.limits import MOST, check_count
from pyramidion.errors import FormatError, Where

_FORBIDDEN = re.compile(r"<!ENTITY|<!DOCTYPE[^\[<>]*?\s(?:SYSTEM|PUBLIC)\b")
"""No name before SYSTEM holds ``<``. Without it the search for one DOCTYPE ends where the next begins: linear time."""
_UNFINISHED = {
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_INVALID_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
}
"""The parser's errors at the end of a file that was cut off."""
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']""")
_NO_CHARSETS = {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"}
"""Python's codecs that are no charsets of files; punycode's takes quadratic time."""
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Document:
    """A parsed document that can say where each of its elements stands."""

    def __init__(self, text: str, source: str) -> None:
        """Parse a text; what is forbidden, too large or not well-formed is an error with its place."""
        self.text = text
        self.source = source
        forbidden = _FORBIDDEN.search(text)
        if forbidden:
            what = "an entity" if "ENTITY" in forbidden[0] else "an external DTD"
            raise FormatError(
                f"The XML declares {what}, which is refused; nothing was expanded or fetched",
                place(source, text, forbidden.start()),
                "delete the declaration",
            )
        # At most so many: a tag that ends an element makes nothing, and both signs may stand in texts, too.
        if len(text) > MOST:
            check_count(text.count("<") - text.count("</") + text.count("="), "elements and attributes", source)
        parser = ElementTree.XMLParser(encoding="utf-8")
        try:
            parser.feed(text.encode("utf-8", "surrogatepass"))
            self.root: ElementTree.Element = parser.close()
        except ElementTree.ParseError as error:
            line, column = error.position
            ended = error.code in _UNFINISHED and line > text.count("\n")
            what = expat.ErrorString(error.code) or "malformed"
            raise FormatError(
                f"The XML is not well-formed: {what}",
                self._place(line, column),
                "write the file again; it is incomplete" if ended else "correct the XML there",
            ) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise FormatError(f"The XML cannot be read ({error})", source, "save it again as UTF-8") from None

    def place_of(self, element: ElementTree.Element) -> Where:
        """Return the line and column of an element's start tag."""
        return self._place(*self._places[element], f"<{element.tag}>")

    def _place(self, line: int, column: int, element: str = "") -> Where:
        """Return the place of the parser's line (from 1) and column (from 0)."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return Where(self.source, line, column + 1, element, text)

    @cached_property
    def _lines(self) -> list[str]:
        """The lines as the parser counts them: a carriage return ends one, too."""
        return re.split("\r\n|\r|\n", self.text)

    @cached_property
    def _places(self) -> dict[ElementTree.Element, tuple[int, int]]:
        """The line and column of every element. The text is UTF-8 by now, whatever it declares."""
        places: list[tuple[int, int]] = []
        parser = expat.ParserCreate("utf-8")

        def start(name: str, attributes: dict[str, str]) -> None:
            places.append((parser.CurrentLineNumber, parser.CurrentColumnNumber))

        parser.StartElementHandler = start
        parser.Parse(self.text.encode("utf-8", "surrogatepass"), True)
        return dict(zip(self.root.iter(), places, strict=True))


def decode_xml(data: bytes | str, source: str) -> str:
    """Return the text of an XML file: by its declared encoding if it has one, else as any text file."""
    declared = _DECLARED.match(data) if isinstance(data, bytes) else None
    if declared and isinstance(data, bytes) and declared[1].lower() not in (b"utf-8", b"utf-16"):
        try:
            charset = codecs.lookup(declared[1].decode("ascii")).name
            if charset in _NO_CHARSETS:
                raise LookupError
            return data.decode(charset)
        except (LookupError, UnicodeError):
            raise FormatError(
                f"The text is not in its declared encoding {declared[1].decode('ascii')!r}", source, "save it as UTF-8"
            ) from None
    return decode(data, source)


def unescape(text: str) -> str:
    """Return the text with its character references replaced; unchanged if one has too many digits to be a number."""
    try:
        return html.unescape(text)
    except ValueError:  # Python converts no number of more than 4,300 digits
        return text


def replace_illegal(text: str) -> str:
    """Return the text with characters that XML cannot hold replaced one for one, so that offsets stay."""
    return _ILLEGAL.sub("\ufffd", text)
