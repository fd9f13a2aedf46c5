"""Where a text has the words that somebody says it has.

A quote is looked for letter by letter, then with differences of case, white space, quotation marks and dashes left
aside; pieces that `` ... `` holds apart are looked for one after the other. What is inside of a word is not found, and
what is not there is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from pyramidion.model import Span

_APART = re.compile(r"(?:\[\s*)?(?:\.\.\.|…)(?:\s*\])?")
_SINGLE, _DOUBLE, _DASHES = "\u2018\u2019", "\u201c\u201d", "\u2010\u2011\u2013\u2014"
_ALIKE = str.maketrans(_SINGLE + _DOUBLE + _DASHES, "''" + '""' + "----")
_MARKS = " \t\r\n\"'" + _SINGLE + _DOUBLE


Unsupported = Literal["drop", "count"]
"""The treatment of a claim whose quote is not in the text."""


def located(quote: str, text: str) -> tuple[Span, ...]:
    """Return the places of a quote, one for each of its pieces; none if any of them is not in the text.

    >>> located("The  lake ... died", "“The lake,” they wrote, died in May.")
    (Span(start=1, end=9), Span(start=24, end=28))
    >>> located("the", "Other lakes")
    ()
    """
    whole = _piece(quote.strip(), text, 0)
    if whole:
        return (whole,)
    spans: list[Span] = []
    if len(quote) > 2 * len(text) + 100:  # the words of a text are not longer than the text
        return ()
    for piece in filter(None, map(str.strip, _APART.split(quote))):
        place = _piece(piece, text, spans[-1].end if spans else 0) or _piece(piece, text, 0)
        if place is None:
            return ()
        spans.append(place)
    return tuple(sorted(set(spans)))


def _piece(piece: str, text: str, start: int) -> Span | None:
    """Return the first place from there on, as it is written or nearly so."""
    exact = next(_places(piece, text, start), None)
    if exact is not None:
        return Span(exact, exact + len(piece))
    letters, origins = _plain(text)
    first = next((place for place, origin in enumerate(origins) if origin >= start), len(origins))
    for wanted in (piece, piece.strip(_MARKS)):
        plain = _plain(wanted.strip())[0]
        near = next(_places(plain, letters, first), None)
        if near is not None:
            return Span(origins[near], origins[near + len(plain) - 1] + 1)
    return None


def _places(piece: str, text: str, start: int) -> Iterator[int]:
    """Return the places of the piece in the text, but not inside a word."""
    # A piece of marks alone would be found anywhere.
    at = text.find(piece, start) if any(map(str.isalnum, piece)) else -1
    while at >= 0:
        end = at + len(piece)
        if not (_in_a_word(text[at - 1 : at + 1]) or _in_a_word(text[end - 1 : end + 1])):
            yield at
        at = text.find(piece, at + 1)


def _in_a_word(pair: str) -> bool:
    """Return whether two neighbouring characters belong to one word.

    Only ASCII letters and digits count: in scripts without spaces, neighbours are no evidence of one word.
    """
    return len(pair) == 2 and pair.isascii() and pair.isalnum()


@lru_cache(maxsize=64)
def _plain(text: str) -> tuple[str, list[int]]:
    """Return the text in small letters with single spaces, and where each of its characters comes from."""
    letters: list[str] = []
    origins: list[int] = []
    for place, char in enumerate(text):
        for letter in " " if char.isspace() else char.translate(_ALIKE).casefold():
            if letter != " " or (letters and letters[-1] != " "):
                letters.append(letter)
                origins.append(place)
    return "".join(letters), origins
