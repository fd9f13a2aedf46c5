"""XML with places, hardened.

Documents are parsed by the standard library's C parser: measured at a third of the cost of walking an lxml tree
(``bench/formats.py``). Entity declarations and external DTDs are refused before the parser sees them, so there is
nothing to expand or fetch. Line and column of an element are found by a second pass, only when there is something to
say about it.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

from pyramidion.errors import FormatError, Where
from pyramidion.formats._files import decode, place

_FORBIDDEN = re.compile(r"<!ENTITY|<!DOCTYPE[^\[>]*?\s(?:SYSTEM|PUBLIC)\b")
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']""")
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Document:
    """A parsed document that can say where each of its elements stands."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        forbidden = _FORBIDDEN.search(text)
        if forbidden:
            what = "an entity" if "ENTITY" in forbidden[0] else "an external DTD"
            raise FormatError(
                f"the XML declares {what}; refused, nothing was expanded or fetched",
                place(source, text, forbidden.start()),
                "delete the declaration",
            )
        parser = ElementTree.XMLParser(encoding="utf-8")
        try:
            parser.feed(text.encode("utf-8", "surrogatepass"))
            self.root: ElementTree.Element = parser.close()
        except ElementTree.ParseError as error:
            line, column = error.position
            ended = error.code in (
                expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
                4,
                5,
                6,
                20,
            ) and line > text.count("\n")
            what = expat.ErrorString(error.code) or "malformed"
            starts = [0, *(match.end() for match in re.finditer("\n", text))]
            offset = starts[min(line, len(starts)) - 1] + column
            raise FormatError(
                f"not well-formed XML: {what}",
                place(source, text, offset),
                "write the file again, it is incomplete" if ended else "correct the XML there",
            ) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise FormatError(f"not XML that can be read ({error})", source, "save it again as UTF-8") from None

    def where(self, element: ElementTree.Element) -> Where:
        """Line and column of an element's start tag."""
        index = next(number for number, other in enumerate(self.root.iter()) if other is element)
        counter = iter(range(index + 1))
        found: list[int] = []
        parser = expat.ParserCreate()

        def start(name: str, attributes: dict[str, str]) -> None:
            if next(counter, None) == index:
                found.extend((parser.CurrentLineNumber, parser.CurrentColumnNumber))

        parser.StartElementHandler = start
        parser.Parse(self.text.encode("utf-8", "surrogatepass"), True)
        line = self.text.split("\n")[found[0] - 1]
        return Where(self.source, found[0], found[1] + 1, f"<{element.tag}>", line)


def decode_xml(data: bytes | str, source: str) -> str:
    """Text of an XML file: by its declared encoding if it declares one, as any text file otherwise."""
    declared = _DECLARED.match(data) if isinstance(data, bytes) else None
    if declared and isinstance(data, bytes) and declared[1].lower() not in (b"utf-8", b"utf-16"):
        try:
            return data.decode(declared[1].decode("ascii"))
        except (LookupError, UnicodeError):
            raise FormatError(
                f"the text is not in its declared encoding {declared[1].decode('ascii')!r}", source, "save it as UTF-8"
            ) from None
    return decode(data, source)


def legal(text: str) -> str:
    """The text with characters that XML cannot hold replaced one for one, so that offsets stay."""
    return _ILLEGAL.sub("\ufffd", text)


def is_legal(text: str) -> bool:
    """Whether XML can hold every character of the text."""
    return not _ILLEGAL.search(text)
