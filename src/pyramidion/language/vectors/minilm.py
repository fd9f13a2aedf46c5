"""The embedded encoder's vectors: MiniLM's, kept while the encoder learned to parse (``train/language``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyramidion.language.parse.minilm import fingerprint, minilm
from pyramidion.language.text.words import split_words
from pyramidion.language.vectors._table import Matrix
from pyramidion.model import Span


class Minilm:
    """Sentence vectors of 384 dimensions, and vectors of words in their context."""

    dimension = 384
    name = "minilm"
    costly = True

    @property
    def fingerprint(self) -> str:
        """Return a fingerprint of what decides the rows, for caches."""
        return fingerprint()

    def __call__(self, texts: Sequence[str], /) -> Matrix:
        """Return a row for each text; a text without words gets zeros."""
        model = minilm()
        rows = [model.vector(text, split_words(text)) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def tokens(self, text: str, /) -> tuple[tuple[Span, ...], Matrix]:
        """Return each word's place and the encoder's last state there."""
        words = split_words(text)
        return tuple(Span(start, end) for start, end in words), minilm().states(text, words)


def load() -> Minilm:
    """Return the embedder."""
    return Minilm()
