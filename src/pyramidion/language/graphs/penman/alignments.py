r"""Which words a PENMAN graph comes from: the alignments that AMR's tools write, and tokens found in a text.

Alignments name tokens by their numbers from 0 up, in one of three ways:

===========================================  =====================================================================
``(d / dog~e.3)``, ``dog~3``, ``dog~e.3,4``  in the graph (ISI, penman)
``::alignments 3-1.2 4-1.2.r``               token-address; the root is 1, its second edge 1.2, that edge's role 1.2.r
                                             (ISI, LDC, amrlib)
``::alignments 3-5|0.1+0.1.0``               first-last|addresses, last excluded; the root is 0, its second child 0.1
                                             (JAMR)
===========================================  =====================================================================
"""

from __future__ import annotations

import re

from pyramidion.base.files import squash
from pyramidion.errors import FormatError, Where
from pyramidion.model import Span

_ISI = re.compile(r"([0-9]{1,4})-([0-9]+(?:\.[0-9]+)*)(\.r)?")
_JAMR = re.compile(r"\*?([0-9]{1,4})-([0-9]{1,4})\|([0-9]+(?:\.[0-9]+)*(?:\+[0-9]+(?:\.[0-9]+)*)*)")

_WRITTEN_FOR = {
    "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",), "-LCB-": ("{",), "-RCB-": ("}",),
    "``": ('"', "\u201c"), "''": ('"', "\u201d"), "`": ("'", "\u2018"), "'": ("\u2019",), '"': ("\u201c", "\u201d"),
    "--": ("\u2013", "\u2014"), "...": ("\u2026",), "@-@": ("-",), "@/@": ("/",), "@:@": (":",),
}  # fmt: skip
"""The characters of a text that a tokenizer's spelling may stand for."""

_MARKS = frozenset(".,;:!?()[]{}\"'\u201c\u201d\u2018\u2019\u00ab\u00bb")

_AHEAD = 8
"""The most tokens that may be lost in a row; if more are, all the rest are lost."""


def tokens_by_address(alignments: str, where: Where) -> dict[str, set[int]]:
    """Return the tokens of every address in a line of alignments; ``where`` is the place of its first character.

    >>> tokens_by_address("0-1.1 1-1 1-1.2.r", Where()), tokens_by_address("0-2|0+0.0", Where())
    ({'1.1': {0}, '1': {1}}, {'0': {0, 1}, '0.0': {0, 1}})
    """
    tokens: dict[str, set[int]] = {}
    for item in re.finditer(r"\S+", alignments):
        isi, jamr = _ISI.fullmatch(item[0]), _JAMR.fullmatch(item[0])
        if jamr:
            for address in jamr[3].split("+"):
                tokens.setdefault(address, set()).update(range(int(jamr[1]), int(jamr[2])))
        elif isi:
            if not isi[3]:
                tokens.setdefault(isi[2], set()).add(int(isi[1]))
        else:
            raise FormatError(
                f"{item[0][:40]!r} is not an alignment",
                Where(where.source, where.line, (where.column or 1) + item.start(), text=where.text),
                "write TOKEN-ADDRESS as ISI does, FIRST-LAST|ADDRESS as JAMR does, or leave the line out",
            )
    return tokens


def token_places(tokens: tuple[str, ...], text: str, sentence: Span) -> tuple[Span | None, ...]:
    """Return the place of each token of a sentence in its text; white space decides nothing.

    A token that is not in the text as it is (``-LRB-``, a replaced character) stands between its neighbours.

    >>> token_places(("can", "not", "-LRB-"), "I cannot (", Span(2, 10))
    (Span(start=2, end=5), Span(start=5, end=8), Span(start=9, end=10))
    """
    offsets = [offset for offset in range(sentence.start, sentence.end) if not text[offset].isspace()]
    letters = "".join(text[offset] for offset in offsets)
    places: list[Span | None] = []
    cursor = 0
    while len(places) < len(tokens):
        lost, form = _next(tokens, len(places), letters, cursor)
        start = len(letters) if form is None else letters.find(form, cursor)
        places += [_span(offsets, cursor, start)] * lost
        if form is not None:
            cursor = start + len(form)
            places.append(_span(offsets, start, cursor))
    return tuple(places)


def bare(word: Span, text: str) -> Span:
    """Return a word without the marks around it, for words that only white space divides.

    >>> bare(Span(0, 6), "(U.S.)"), bare(Span(0, 3), "...")
    (Span(start=1, end=4), Span(start=0, end=3))
    """
    letters = [offset for offset in range(word.start, word.end) if text[offset] not in _MARKS]
    return Span(letters[0], letters[-1] + 1) if letters else word


def _next(tokens: tuple[str, ...], first: int, letters: str, cursor: int) -> tuple[int, str | None]:
    """Return the number of lost tokens and the form of the next token; None if no other is found."""
    reach = 0
    for lost, token in enumerate(tokens[first : first + _AHEAD + 1]):
        for form in (squash(token), *_WRITTEN_FOR.get(token, ())):
            if letters.startswith(form, cursor) if lost == 0 else letters.find(form, cursor, reach + len(form)) >= 0:
                return lost, form
        # Each lost token widens the search by twice its length; a form found beyond would be there by chance.
        reach = max(reach, cursor) + 2 * len(token) + 2
    return len(tokens) - first, None


def _span(offsets: list[int], start: int, end: int) -> Span | None:
    return Span(offsets[start], offsets[end - 1] + 1) if start < end else None
