r"""Byte pairs: words cut into the pieces that a network which writes knows, as GPT-2 cuts them (Radford et al. 2019).

A text is cut into words, each with the space before it, single digits (this is not GPT-2's) and runs of signs. The
bytes of a word (UTF-8) are its first pieces, written as one letter each; then, of all neighbours, those whose pair was
learnt first are joined, until no pair is known (Sennrich et al. 2016, section 3.2). Pieces give back the text, byte for
byte, but for bytes that are no pieces: of the pieces that ship, some control characters and characters that Unicode has
not assigned.

>>> pairs = BytePairs(["t", "h", "e", "Ġ", "th", "the", "Ġthe"], ["t h", "th e", "Ġ the"])
>>> pairs.ids("the the"), pairs.text([5, 6])
([5, 6], 'the the')
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from pyramidion.errors import FormatError

__all__ = ["BytePairs", "loads"]

_WORDS = re.compile(r"\d|'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
_VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _VISIBLE]
_LETTERS = {byte: chr(byte) for byte in _VISIBLE} | {byte: chr(256 + at) for at, byte in enumerate(_OTHERS)}
"""How each byte is written: as itself if it is a visible sign of Latin-1, else as a letter after these."""
_BYTES = {letter: byte for byte, letter in _LETTERS.items()}


LONGEST = 100
"""Letters of a word that are cut together: it takes the square of their number."""


class _Stored(msgspec.Struct):
    pieces: list[str]
    merges: list[str]


_STORED = msgspec.json.Decoder(_Stored)  # made before there are threads


def loads(data: bytes, source: str = "") -> BytePairs:
    """Read the pieces and pairs of a ``pieces.json``."""
    try:
        stored = _STORED.decode(data)
    except msgspec.MsgspecError as error:
        raise FormatError(f"These are no pieces ({error})", source, do="install the model again") from None
    return BytePairs(stored.pieces, stored.merges)


class BytePairs:
    """The pieces by number, and the pairs in the order in which they are joined."""

    def __init__(self, pieces: Sequence[str], merges: Sequence[str]) -> None:
        self._pieces = list(pieces)
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._rank = {tuple(pair.split(" ")): rank for rank, pair in enumerate(merges)}
        self._word = lru_cache(maxsize=65536)(self._cut)

    def __len__(self) -> int:
        return len(self._pieces)

    def ids(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces; a byte that is no piece is left out."""
        words = (word[at : at + LONGEST] for word in _WORDS.findall(text) for at in range(0, len(word), LONGEST))
        return [number for word in words for number in self._word(word)]

    def text(self, ids: Sequence[int]) -> str:
        """Return the text that pieces spell."""
        letters = "".join(self._pieces[number] for number in ids)
        # 0x3F is the question mark: special pieces have letters that stand for no byte.
        return bytes(_BYTES.get(letter, 0x3F) for letter in letters).decode("utf-8", "replace")

    def _cut(self, word: str) -> tuple[int, ...]:
        parts = [_LETTERS[byte] for byte in word.encode("utf-8", "replace")]
        while len(parts) > 1:
            rank, at = min((self._rank.get(pair, len(self._rank)), at) for at, pair in enumerate(pairwise(parts)))
            if rank == len(self._rank):
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return tuple(self._numbers[part] for part in parts if part in self._numbers)
