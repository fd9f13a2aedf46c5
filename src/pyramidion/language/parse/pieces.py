"""Words as the encoder sees them: WordPiece ids and letter shapes.

MiniLM's WordPiece is uncased; what it loses (capitals, digits, and whether a space precedes) comes back as one of
sixteen *shapes* per word. Training (``train/language``) and the embedded model share this module, so that both see the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pyramidion.language.models import weights
from pyramidion.language.text import word_pieces
from pyramidion.language.text.word_pieces import WordPieces

UNK, CLS, SEP = 100, 101, 102
MOST_PIECES = 12
"""A word's further pieces are dropped: a 500-letter string says no more than its beginning."""


@cache
def tokenizer() -> WordPieces:
    """Return MiniLM's WordPiece tokenizer, read once."""
    path = weights.MODELS / "en-minilm" / "tokenizer.json"
    return word_pieces.loads(weights.read(path), str(path))


def piece_ids(texts: Sequence[Sequence[str]]) -> list[list[list[int]]]:
    """Return the piece ids of each word of each list: at least one, at most :data:`MOST_PIECES`."""
    ids = tokenizer().ids
    return [
        [ids(word[:200].encode("utf-8", "replace").decode())[:MOST_PIECES] or [UNK] for word in words]
        for words in texts
    ]


def shape(form: str, spaced: bool) -> int:
    """Return one of sixteen shapes: how the letters are written, and whether white space stands before.

    >>> [shape(form, False) for form in ("cats", "Cats", "CATS", "I", "iPod", "R2", "--")]
    [1, 2, 3, 4, 5, 6, 7]
    """
    if any(char.isdigit() for char in form):
        kind = 6
    elif not any(char.isalpha() for char in form):
        kind = 7
    elif form.islower():
        kind = 1
    elif form.isupper():
        kind = 3 if len(form) > 1 else 4
    elif form[0].isupper() and form[1:].islower():
        kind = 2
    elif form.upper() != form.lower():
        kind = 5
    else:
        kind = 0
    return kind + (8 if spaced else 0)
