"""The length of a statement in words, as the people count who are paid to write it.

A run of characters between white space is a word if it has a letter or a digit: *town's*, *didn't*, *U.S.* and
*well-known* are one each, a lone dash is none. Scripts that put no spaces between words (Han, kana, Thai, Lao, Khmer,
Burmese, Tibetan) have no such words; two of their letters count as one, marks and digits aside. The parser's words will
not do: it cuts *town's* in two, so that a statement of the length that was asked for would be too long.

The page of the writing task (``task.js``) counts the same way. ``tests/crowd/statements/word_counts.json`` has the
cases by which both are tested.
"""

from __future__ import annotations

import re
import unicodedata

SHORTEST, LONGEST = 2, 20
"""The least and the most words of a statement that may be judged; 20 is the published code's limit."""

_SPACE = re.compile(r"[\s\ufeff]+")
UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af]"
)
"""The blocks of these scripts."""


def count_words(text: str) -> int:
    """Return the number of words of a statement.

    >>> count_words("The town's mayor didn't leave the U.S. - yet."), count_words("湖は 2024年 に澄んだ")
    (8, 5)
    """
    runs = _SPACE.split(UNSPACED.sub(_without_letters, text))
    spaced = sum(any(unicodedata.category(sign)[0] in "LN" for sign in run) for run in runs)
    return spaced + -(-unspaced_letters(text) // 2)


def unspaced_letters(text: str) -> int:
    """Return how many letters of scripts that put no spaces between words a text has.

    >>> unspaced_letters("湖は 2024年"), unspaced_letters("Café")
    (3, 0)
    """
    return sum(map(_is_letter, UNSPACED.findall(text)))


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl")


def _without_letters(found: re.Match[str]) -> str:
    return "" if _is_letter(found[0]) else found[0]
