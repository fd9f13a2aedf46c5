"""WordPiece: words cut into the pieces that the networks know, as BERT's tokenizer cuts them (Devlin et al. 2019).

A text is cleaned (control characters go, an accent leaves its letter, capitals become small), cut at white space and
around punctuation signs, and every word is cut from the left into the longest pieces of a vocabulary (Wu et al. 2016,
section 4.1). A word that cannot be cut so, or that is longer than 100 characters, is the unknown piece.

The package ``tokenizers`` does the same, and brings thirteen packages for the network along, which an offline program
has no use for. ``tests/language/text/test_word_pieces.py`` keeps both equal, character for character. Its tables of
characters are Unicode's of 2015; ``data/characters.json`` has them (``train/characters.py`` writes it), so that a piece
depends neither on the version of Python nor on that of Unicode. No piece crosses white space: what stands between
spaces is cut once and remembered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain, groupby
from typing import Any, TypeVar

import msgspec

from pyramidion.errors import FormatError

T = TypeVar("T")
Pieces = tuple[int, ...]
Word = tuple[int, int, Pieces]
"""The start and end of a word or sign, and its pieces."""

LONGEST = 100
"""Characters; a longer word is unknown."""
_MOST_KNOWN = 200_000
"""Chunks between spaces whose words are remembered."""
_KIND = {
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
}
"""The settings that a ``tokenizer.json`` must have for this module."""
_MODEL = {"type": "WordPiece", "continuing_subword_prefix": "##", "max_input_chars_per_word": LONGEST}
_CHUNK = re.compile("[^ \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_ASCII_WORD = re.compile(r"[0-9a-z]+|[!-/:-@\[-`{-~]")
_ASCII_GONE = re.compile("[\0-\x1f\x7f]")
_CHINESE = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


class WordPieces:
    """A vocabulary of pieces, and how texts are cut into them."""

    def __init__(self, vocabulary: Mapping[str, int], unknown: str, added: Iterable[Added] = ()) -> None:
        """``unknown`` is the piece of words that cannot be cut; ``added`` are pieces that stand for themselves."""
        self.vocabulary = dict(vocabulary)
        self._unknown = (self.vocabulary[unknown],)
        self._first = {piece: id for piece, id in self.vocabulary.items() if not piece.startswith("##")}
        self._further = {piece[2:]: id for piece, id in self.vocabulary.items() if piece.startswith("##")}
        self._longest = max(map(len, self.vocabulary), default=0)
        raw = {piece.content: piece.id for piece in added if not piece.normalized}
        cleaned = {piece.content: piece.id for piece in added if piece.normalized}
        self._raw, self._cleaned = _Marks.of(raw), _Marks.of(cleaned)
        self._words = _ChunkCache(self._cut)
        self._ids = _ChunkCache(lambda chunk: [id for _, _, pieces in self._words[chunk] for id in pieces])

    def ids(self, text: str) -> list[int]:
        """Return the pieces of a text."""
        return list(chain.from_iterable(map(self._ids.__getitem__, _CHUNK.findall(text))))

    def words(self, text: str) -> list[Word]:
        """Return the words and signs of a text: where each stands, and its pieces."""
        return [
            (start + chunk.start(), end + chunk.start(), pieces)
            for chunk in _CHUNK.finditer(text)
            for start, end, pieces in self._words[chunk[0]]
        ]

    def _cut(self, chunk: str) -> list[Word]:
        """Return the words of a chunk between spaces."""
        return self._raw.cut(chunk, range(len(chunk)), self._cut_raw)

    def _cut_raw(self, text: str, places: Sequence[int]) -> list[Word]:
        """Return the words of a stretch as written; ``places`` says where its characters stand in the chunk."""
        # The short way: nothing but capitals changes when such a text is cleaned.
        plain = text.isascii() and not _ASCII_GONE.search(text)
        cleaned, sources = (text.lower(), range(len(text))) if plain else _clean(text)
        return self._cleaned.cut(cleaned, [places[source] for source in sources], self._plain)

    def _plain(self, text: str, places: Sequence[int]) -> list[Word]:
        """Return the words of a cleaned stretch."""
        matches = (_ASCII_WORD if text.isascii() else _word()).finditer(text)
        return [(places[word.start()], places[word.end() - 1] + 1, self._pieces(word[0])) for word in matches]

    def _pieces(self, word: str) -> Pieces:
        """Return the longest pieces of the vocabulary, from the left."""
        if len(word) > LONGEST:
            return self._unknown
        pieces: list[int] = []
        begin, vocabulary = 0, self._first
        while begin < len(word):
            for end in range(min(len(word), begin + self._longest), begin, -1):
                if (id := vocabulary.get(word[begin:end])) is not None:
                    pieces.append(id)
                    begin, vocabulary = end, self._further
                    break
            else:
                return self._unknown
        return tuple(pieces)


class _ChunkCache(dict[str, list[T]]):
    """The pieces of known chunks; the memory is emptied when it is full."""

    def __init__(self, make: Callable[[str], list[T]]) -> None:
        self._make = make

    def __missing__(self, chunk: str) -> list[T]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        pieces = self[chunk] = self._make(chunk)
        return pieces


class Added(msgspec.Struct, frozen=True):
    """A piece that stands for itself wherever it is written, such as ``[MASK]``."""

    id: int
    content: str
    normalized: bool
    """True: it is looked for in the cleaned text; false: in the text as written."""


@dataclass(frozen=True)
class _Marks:
    """Added pieces that are looked for at one stage."""

    ids: Mapping[str, int]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, ids: Mapping[str, int]) -> _Marks:
        longest_first = sorted(ids, key=len, reverse=True)
        return cls(ids, re.compile("|".join(map(re.escape, longest_first))) if ids else None)

    def cut(self, text: str, places: Sequence[int], rest: Callable[[str, Sequence[int]], list[Word]]) -> list[Word]:
        """Return the added pieces of a text, and between them what ``rest`` makes of the other stretches."""
        marks = list(self.pattern.finditer(text)) if self.pattern else []
        if not marks:
            return rest(text, places)
        words: list[Word] = []
        begin = 0
        for mark in marks:
            words += rest(text[begin : mark.start()], places[begin : mark.start()])
            words.append((places[mark.start()], places[mark.end() - 1] + 1, (self.ids[mark[0]],)))
            begin = mark.end()
        return words + rest(text[begin:], places[begin:])


def loads(data: bytes, path: str = "") -> WordPieces:
    """Return the pieces of a ``tokenizer.json``; its rules about length and padding are left aside."""
    try:
        stored = msgspec.json.decode(data)
        model = stored["model"]
        fits = all(stored[name] == kind for name, kind in _KIND.items()) and _MODEL.items() <= model.items()
        added = msgspec.convert(stored["added_tokens"], list[Added])
        vocabulary: dict[str, Any] = model["vocab"] | {piece.content: piece.id for piece in added}
        if fits:
            return WordPieces(vocabulary, model["unk_token"], added)
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"The file holds no tokenizer ({error})", path) from None
    raise FormatError("Only an uncased WordPiece tokenizer like BERT's can be read", path)


@cache
def _characters() -> dict[str, Any]:
    data = files("pyramidion.language.text").joinpath("data/characters.json").read_bytes()
    stored: dict[str, Any] = msgspec.json.decode(data)
    return stored


@cache
def _class(name: str) -> str:
    """Return the characters of a class, as they stand in a regular expression's brackets."""
    ranges = (tuple(map(re.escape, (chr(first), chr(last)))) for first, last in _characters()[name])
    return "".join(f"{first}-{last}" for first, last in ranges)


@cache
def _word() -> re.Pattern[str]:
    """Return the pattern of a word or a sign of a cleaned text, which has no white space but spaces."""
    signs = _class("signs")
    return re.compile(f"[^ {signs}]+|[{signs}]")


@cache
def _character(character: str) -> str:
    """Return what cleaning makes of one character."""
    if (exception := _characters()["cleaned"].get(character)) is not None:
        return str(exception)
    if re.match(f"[{_class('gone')}]", character):
        return ""
    bare = re.sub(f"[{_class('accents')}]", "", unicodedata.normalize("NFD", character))
    small = "".join(letter.lower() for letter in bare)
    return f" {small} " if _CHINESE.match(character) else small


def _clean(text: str) -> tuple[str, list[int]]:
    """Return a stretch without white space as cleaning leaves it, and from which character each of its own comes.

    Combining marks that are no accents come in Unicode's canonical order.
    """
    parts = [_character(character) for character in text]
    runs = groupby("".join(parts), lambda character: unicodedata.combining(character) > 0)
    cleaned = "".join(character for _, run in runs for character in sorted(run, key=unicodedata.combining))
    return cleaned, [place for place, letters in enumerate(parts) for _ in letters]
