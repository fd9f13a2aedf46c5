"""Parses of the embedded model, kept: what its networks say of a text's words, without the words.

The words of a text are cut by rules, and lemmas follow from words and tags; so a parse is kept as tags, heads and
relations alone, and the text itself is nowhere on disk.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pyramidion.base.cache import Cache
from pyramidion.base.threads import Once
from pyramidion.language.models import weights
from pyramidion.language.parse.analysis import Analysis, Word
from pyramidion.language.parse.minilm import fingerprint, minilm
from pyramidion.language.text.lemmas import lemma

MODEL = "en-minilm"


class _Parse(msgspec.Struct, array_like=True):
    """A row for each word, and the ranges of words that are sentences and EDUs."""

    upos: list[str]
    xpos: list[str]
    heads: list[int]
    relations: list[str]
    sentences: list[tuple[int, int]]
    edus: list[tuple[int, int]]


_PARSE = msgspec.msgpack.Decoder(_Parse)  # made before there are threads


@Once
def _parses() -> Cache:
    # Analyses are remembered elsewhere: memory has nothing to do.
    return Cache("parses", f"{fingerprint(MODEL)} {weights.fingerprint('lemmas')}", memory=0)


def parsed(text: str, words: Sequence[tuple[int, int]]) -> Analysis:
    """Return the analysis of an English text whose words are known, from disk if it is there."""
    parses = _parses()
    # Words follow from the text, so the text alone is the key.
    key = parses.key(text)
    if kept := parses.get([key]).get(key):
        return _decode(text, words, kept)
    analysis = minilm(MODEL).analyse(text, words)
    parses.put({key: _encode(analysis)})
    return analysis


def _encode(analysis: Analysis) -> bytes:
    words = analysis.words
    return msgspec.msgpack.encode(
        _Parse(
            [word.upos for word in words],
            [word.xpos for word in words],
            [word.head for word in words],
            [word.relation for word in words],
            list(analysis.sentences),
            list(analysis.edus),
        )
    )


def _decode(text: str, words: Sequence[tuple[int, int]], kept: bytes) -> Analysis:
    parse = _PARSE.decode(kept)
    rows = zip(words, parse.upos, parse.xpos, parse.heads, parse.relations, strict=True)
    parsed = (
        Word(start, end, text[start:end], lemma(text[start:end], upos, xpos), upos, xpos, head, relation)
        for (start, end), upos, xpos, head, relation in rows
    )
    return Analysis(text, tuple(parsed), tuple(parse.sentences), tuple(parse.edus), True, MODEL)
