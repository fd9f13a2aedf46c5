"""The definition of a word: as in ROUGE-1.5.5, or in any script."""

from __future__ import annotations

import string
import unicodedata
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.language.text.porter import stem as stem_word

_SEEN = (string.ascii_letters + string.digits).encode()
_ASCII = bytes(ord(chr(code).lower()) if code in _SEEN else ord(" ") for code in range(256))
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


Tokens = Literal["rouge155", "unicode"]
"""The definition of a word."""


@check_choices
def split_words(
    line: str, tokens: Tokens = "rouge155", stem: bool = False, stop_words: frozenset[str] = frozenset()
) -> list[str]:
    """Return the words of a line.

    ``rouge155``, as ROUGE-1.5.5: letters A-Z in lower case; everything that is no ASCII letter or digit is a space, so
    that *state-of-the-art* is five words, *don't* is two, *café* is *caf*, and a Russian or Chinese text is empty.
    ``unicode``: letters, digits and marks of all scripts, after NFKC and case folding; scripts that put no spaces
    between words (Han, kana, Thai, Lao, Khmer, Burmese) have one word per character, since a whole phrase would hardly
    match. Stop words are left out before stemming, as in ROUGE-1.5.5. Only ASCII words are stemmed.

    >>> split_words("Don't panic: state-of-the-art cafés!")
    ['don', 't', 'panic', 'state', 'of', 'the', 'art', 'caf', 's']
    >>> split_words("Straße 5, 東京", "unicode")
    ['strasse', '5', '東', '京']
    """
    words = (prepare_word(word, stem, stop_words) for word in raw_words(line, tokens))
    return [word for word in words if word]


def raw_words(line: str, tokens: Tokens) -> list[str]:
    """Return the words of a line, stop words included, not stemmed."""
    if tokens == "unicode":
        return unicodedata.normalize("NFKC", line).casefold().translate(_UNICODE).split()
    return line.encode("ascii", "replace").translate(_ASCII).decode("ascii").split()


def prepare_word(word: str, stem: bool, stop_words: frozenset[str]) -> str:
    """Return the word as it is compared, or nothing for a stop word."""
    if word in stop_words:
        return ""
    return stem_word(word) if stem and word.isascii() else word


def is_unspaced(character: str) -> bool:
    """Return whether a character is of a script that puts no spaces between words.

    >>> is_unspaced("京"), is_unspaced("é")
    (True, False)
    """
    return unicodedata.name(character, "").startswith(_UNSPACED)


class _UnicodeWords(dict[int, str]):
    """A translation table that fills itself: a character of a word as it is, anything else a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if unicodedata.category(character)[0] not in "LNM":
            replacement = " "
        elif is_unspaced(character):
            replacement = f" {character} "
        else:
            replacement = character
        self[code] = replacement
        return replacement


_UNICODE = _UnicodeWords()
