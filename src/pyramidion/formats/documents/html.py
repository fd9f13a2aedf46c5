"""A web page's text, by the standard library's parser: scripts, styles, navigation and the like are left out."""

from __future__ import annotations

from html.parser import HTMLParser

from pyramidion.base.files import decode
from pyramidion.formats.documents import Document, paragraphs

_HIDDEN = {"script", "style", "head", "nav", "header", "footer", "aside", "template", "noscript", "svg"}
_INLINE = {
    *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "font", "i", "ins", "kbd", "label", "mark"),
    *("q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
}


def read(data: bytes, source: str) -> Document:
    """Return the text of all elements that are shown; a block of its own begins a line."""
    parser = _Text()
    parser.feed(decode(data, source))
    parser.close()
    return Document(paragraphs("".join(parser.pieces).split("\n")))


def _is_aside(attributes: list[tuple[str, str | None]]) -> bool:
    """Return whether LibreOffice wrote the element as a header, a footer, a footnote or its mark."""
    given = dict(attributes)
    return given.get("title") in ("header", "footer") or any(
        (given.get(name) or "").startswith("sdfootnote") for name in ("id", "class")
    )


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN or _is_aside(attributes) or tag in self._hidden:
            self._hidden.append(tag)  # one inside another of its name, too, so that their ends match
        elif tag not in _INLINE:
            self.pieces.append("\n")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif tag not in _INLINE:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            # A line's end inside a paragraph is a blank.
            self.pieces.append(" ".join(data.split("\n")))
