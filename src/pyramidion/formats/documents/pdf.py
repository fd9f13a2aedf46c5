"""A PDF's text, by pypdf. Lines are joined into paragraphs; running heads, feet and page numbers are left out.

A line that stands first or last on more than half of the pages, digits aside, is a head or a foot. A line that is a
number alone there is a page number.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from io import BytesIO

from pyramidion.errors import FormatError, MissingPartError
from pyramidion.formats.documents import Document, paragraphs

MOST_PAGES = 500
_NUMBER = re.compile(r"(?:page\s*)?[-\u2013]?\s*\d{1,4}\s*[-\u2013]?(?:\s*(?:of|/)\s*\d{1,4})?", re.IGNORECASE)


def read(data: bytes, source: str) -> Document:
    """Return the text of all pages."""
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise MissingPartError(
            "Reading .pdf needs pypdf.", source, "run: pip install 'pyramidion[documents]'"
        ) from error
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it repairs is of no use to the reader
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise FormatError("The PDF is encrypted.", source, "save it without a password")
        if len(reader.pages) > MOST_PAGES:
            raise FormatError(f"The PDF has more than {MOST_PAGES} pages.", source, "give the summary alone")
        pages = [page.extract_text().split("\n") for page in reader.pages]
    except FormatError:
        raise
    except MemoryError:
        raise FormatError("The PDF would fill the memory.", source, "check where it comes from") from None
    except Exception as error:  # a parser of other people's files, which promises no kind of error
        raise FormatError(f"The PDF is damaged ({type(error).__name__}: {error}).", source, "save it again") from None
    if not any(line.strip() for page in pages for line in page):
        raise FormatError("The PDF holds pictures and no text: it was scanned.", source, "give the text itself")
    return _without_margins([[line.strip() for line in page if line.strip()] for page in pages])


def _without_margins(pages: list[list[str]]) -> Document:
    """Return the text of the pages without heads, feet and page numbers, which are kept beside it."""
    ends = [{0, len(page) - 1} if len(page) > 1 else set() for page in pages]
    # a shape counts once a page, even where it stands first and last
    shapes = Counter(
        shape for page, places in zip(pages, ends, strict=True) for shape in {_shape(page[place]) for place in places}
    )
    lines: list[str] = []
    left_out: list[tuple[str, str]] = []
    for page, places in zip(pages, ends, strict=True):
        for place, line in enumerate(page):
            running = place in places and len(pages) > 1 and shapes[_shape(line)] * 2 > len(pages)
            if place in places and (running or _NUMBER.fullmatch(line)):
                left_out.append(("page number" if _NUMBER.fullmatch(line) else "head or foot of a page", line))
            else:
                lines.append(line)
    return Document(paragraphs(_join_lines(lines)), tuple(dict.fromkeys(left_out)))


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line)


def _join_lines(lines: list[str]) -> list[str]:
    """Return lines as paragraphs: one about as wide as the page goes on with the next; hyphens are taken back."""
    widest = max((len(line) for line in lines), default=0)
    joined: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on and joined[-1].endswith("-") and joined[-1][-2:-1].isalpha() and line[:1].islower():
            joined[-1] = joined[-1][:-1] + line
        elif goes_on:
            joined[-1] += f" {line}"
        else:
            joined.append(line)
        goes_on = len(line) > 0.7 * widest
    return joined
