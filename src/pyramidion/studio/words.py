"""Texts cut into words, for selecting: offsets count characters as Python does and not as a browser does."""

from __future__ import annotations

import unicodedata

from pyramidion.language.text.word_forms import is_unspaced

_INSIDE = frozenset("-'.,\u2019\u00b7")
"""Characters that may stand inside a word, between two letters or digits."""
_JOINERS = frozenset("\u200c\u200d")


def pieces(text: str) -> list[str]:
    """Return the text in pieces that are in turn no word and a word; joined, they are the text.

    Words of scripts without spaces are single characters, each with its marks.

    >>> pieces("Don't panic, 3.5 m.")
    ['', "Don't", ' ', 'panic', ', ', '3.5', ' ', 'm', '.']
    >>> pieces("東京 2020")
    ['', '東', '', '京', ' ', '2020', '']
    """
    made: list[str] = []
    end = 0
    for start, stop in _words(text):
        made += (text[end:start], text[start:stop])
        end = stop
    return [*made, text[end:]]


def _words(text: str) -> list[tuple[int, int]]:
    """Return the places where words begin and end."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for place, character in enumerate(text):
        if start is None:
            start = place if _is_letter(character) else None
        elif _continues(text, place):
            # where no spaces are, every character is a word, but a mark stays with its letter
            if _is_mark(character) or not (is_unspaced(character) or is_unspaced(text[start])):
                continue
            found.append((start, place))
            start = place
        else:
            found.append((start, place))
            start = None
    return found if start is None else [*found, (start, len(text))]


def _continues(text: str, place: int) -> bool:
    """Return whether a word goes on with this character."""
    character = text[place]
    if character in _INSIDE:
        return place + 1 < len(text) and _is_letter(text[place + 1]) and _is_letter(text[place - 1])
    return _is_letter(character) or _is_mark(character)


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in _JOINERS
