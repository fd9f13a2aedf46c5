"""Sentences without a parser: where they start, by Unicode's rules and what the words tell.

The embedded model finds sentence starts by itself; these rules serve texts that it cannot parse
(:func:`sentence_starts`) and cut long texts into windows for it (:func:`sure_breaks`), where a wrong cut costs a parse
and a missing one nothing.

The rules are those of Unicode Standard Annex 29, section 5 (a terminator, closing quotes and brackets, a space, and no
lower-case letter after it), with these changes. Abbreviations are known (SB8 knows none). A citation (``[17]``)
belongs to the sentence before it. In a text without capitals a lower-case letter may start a sentence. A line end is
not always a paragraph's (SB4): a blank line ends a sentence, a single line end only where the text is not *wrapped*,
that is, where its lines do not run to a common width, or where the line that it ends is a short one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyramidion.language.text.words import ABBREVIATIONS, TITLES

_TERMINATOR = re.compile(
    r"[.!?]++|\u2026++|[\u061f\u06d4\u0964\u0965\u0589\u1362\u104b\u17d4\u203c\u203d\u2047-\u2049]++"
)
_CITATION = re.compile(r"\[(?:\d{1,4}|\.\.\.|\u2026)\]")
_FULL_WIDTH = frozenset("\u3002\uff01\uff1f\uff61\uff0e")
_CLOSING = frozenset("\"')]}\u201d\u2019\u00bb\u300d\u300f\uff09\u3011''")
_OPENING = frozenset("\"'([{\u201c\u2018\u00ab\u300c\u300e\uff08\u3010\u00a1\u00bf``*")
_WIDTHS = range(50, 201)
"""The possible lengths of the longest line of a wrapped text."""


def sentence_starts(text: str, words: Sequence[tuple[int, int]]) -> list[int]:
    """Return the words that start a sentence, as indices; the first is always 0.

    >>> from pyramidion.language.text.words import split_words
    >>> text = 'Dr. J. Smith left the U.S. in May. "Why?" he said. Nobody knew... 3 days later he was back.'
    >>> words = split_words(text)
    >>> [text[words[index][0]:][:9] for index in sentence_starts(text, words)]
    ['Dr. J. Sm', '"Why?" he', 'Nobody kn', '3 days la']
    """
    return _starts(text, words, sure=False)


def sure_breaks(text: str, words: Sequence[tuple[int, int]]) -> list[int]:
    """Return the sentence starts that are hardly ever wrong; the first is always 0."""
    return _starts(text, words, sure=True)


def line_breaks(text: str, words: Sequence[tuple[int, int]]) -> frozenset[int]:
    r"""Return the words before which a line end ends a sentence, a headline or an item, whatever the words are.

    >>> from pyramidion.language.text.words import split_words
    >>> text = "Council meets\n- Bridge closed\n- No vote held"
    >>> sorted(line_breaks(text, split_words(text)))
    [2, 5]
    """
    width = _width(text)
    gaps = ((index, text[words[index - 1][1] : words[index][0]]) for index in range(1, len(words)))
    return frozenset(
        index for index, gap in gaps if gap not in ("", " ") and _line_breaks(text, words[index][0], gap, width)
    )


def _starts(text: str, words: Sequence[tuple[int, int]], sure: bool) -> list[int]:
    """Return the words that start a sentence, by terminators and by line ends."""
    if not words:
        return []
    lines, cased = line_breaks(text, words), _cased(text)
    starts = [0]
    ended = -1  # the last terminator, while only closing quotes, brackets and citations have followed it
    cited = 0
    for index in range(1, len(words)):
        before = text[words[index - 1][0] : words[index - 1][1]]
        if _TERMINATOR.fullmatch(before) or before in _FULL_WIDTH or _ends_as_abbreviation(before):
            ended = index - 1
        elif ended >= 0 and words[index - 1][1] > cited and not _closes(before, words, index - 1):
            ended = -1
        if ended >= 0 and (citation := _CITATION.match(text, words[index][0])):
            cited = citation.end()
        gap = text[words[index - 1][1] : words[index][0]]
        broken = ended >= 0 and words[index][0] >= cited and _breaks(text, words, index, ended, bool(gap), cased, sure)
        if broken or index in lines:
            starts.append(index)
            ended = -1
    return starts


def _closes(form: str, words: Sequence[tuple[int, int]], index: int) -> bool:
    return form in _CLOSING and words[index - 1][1] == words[index][0]


def _ends_as_abbreviation(form: str) -> bool:
    return len(form) > 1 and form[-1] == "." and form[0].isalnum()


def _breaks(
    text: str, words: Sequence[tuple[int, int]], index: int, ended: int, space: bool, cased: bool, sure: bool
) -> bool:
    """Return whether the terminator at ``ended`` ends a sentence, and ``index`` starts the next on the same line."""
    terminator = text[words[ended][0] : words[ended][1]]
    form = text[words[index][0] : words[index][1]]
    if terminator[0] in _FULL_WIDTH:
        return form not in _CLOSING and form[0] not in _FULL_WIDTH
    # Without a space, only a capitalised word begins a sentence (*end.Next*), and no initial.
    if not space and (sure or not form[0].isupper() or len(form) < 2):
        return False
    if _TERMINATOR.fullmatch(form) or (form in _CLOSING and not space):
        return False
    head = index
    # The first word behind opening quotes and brackets tells whether a sentence begins.
    while head < index + 3 and head + 1 < len(words) and text[words[head][0] : words[head][1]] in _OPENING:
        head += 1
    first = text[words[head][0]]
    if _ends_as_abbreviation(terminator):
        return not sure and _after_abbreviation(terminator, text[words[head][0] : words[head][1]])
    if ended and terminator == "." and sure:
        last = text[words[ended - 1][0] : words[ended - 1][1]]
        if last.lower() in ABBREVIATIONS or len(last) == 1 or last.isdigit():
            return False
    if sure:
        return first.isupper() and (terminator in (".", "!", "?") and head == index)
    # A small letter begins no sentence, except in a text without capitals.
    if first.islower() and cased:
        return False
    if terminator == "." and ended and _numbers_an_item(text, words, ended):
        return False
    return first.isalnum() or head > index or form[0] not in ",;:)]}%-\u2013\u2014/&"


def _numbers_an_item(text: str, words: Sequence[tuple[int, int]], ended: int) -> bool:
    """``1.`` or ``a.`` at the start of a line: the number of a list's item, not a sentence."""
    start, end = words[ended - 1]
    if end != words[ended][0] or not (end - start == 1 or text[start:end].isdigit()):
        return False
    return ended == 1 or "\n" in text[words[ended - 2][1] : start]


_FIRST_WORDS = """
    The A An He She It They We I In On At But And This That There These You If When However His Her Its Their As
    For What So After No Not My Our
"""
_OPENERS = frozenset(_FIRST_WORDS.split())


def _after_abbreviation(abbreviation: str, form: str) -> bool:
    stem = abbreviation[:-1].lower()
    return stem not in TITLES and len(stem) > 1 and form in _OPENERS


def _width(text: str) -> int:
    """Return the width to which lines were broken; 0 where they were not.

    In a wrapped text, most lines that go on are nearly as long as the longest.
    """
    blocks = re.split(r"\n[^\S\n]*\n", text)
    lengths = [len(line) for block in blocks for line in block.strip().split("\n")[:-1]]
    longest = max(lengths, default=0)
    if longest not in _WIDTHS or sum(length >= longest * 0.75 for length in lengths) < 0.7 * len(lengths):
        return 0
    return longest


def _cased(text: str) -> bool:
    """Return whether the text uses capitals: at least one for every hundred small letters."""
    return sum(map(str.isupper, text)) * 100 >= sum(map(str.islower, text))


def _line_breaks(text: str, start: int, gap: str, width: int) -> bool:
    """Return whether the line end in this gap also ends a sentence, whatever the words are."""
    lines = max(gap.count("\n"), gap.count("\r"), gap.count("\u2028"))
    if lines > 1 or "\u2029" in gap:
        return True
    if not lines or text[start].islower():
        return False
    end = start - len(gap)
    # In a wrapped text, a line of less than half the width was ended on purpose.
    return end - (text.rfind("\n", 0, end) + 1) < width / 2 if width else True
