"""A table of subword vectors, distilled from MiniLM: for matching at speed.

A text's vector is the sum of the vectors of its WordPiece tokens, brought to length one. The table is what best
predicts MiniLM's own sentence vectors that way: ``train/static.py`` solves a ridge regression of the encoder's
vectors of definitions, examples and sentences on the bags of their subwords, starting from each subword's own vector
under the encoder (as in Model2Vec: Tulkens and van Dongen 2024). The weights of frequent words thus come out of the
regression and need no frequency formula. The card, ``models/static/MODEL.md``, has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import FormatError
from pyramidion.language.parse.pieces import tokenizer
from pyramidion.language.text.word_pieces import WordPieces
from pyramidion.language.vectors._bags import sums
from pyramidion.language.vectors._table import MODELS, Matrix, fingerprint, unit
from pyramidion.language.vectors._table import load as load_arrays
from pyramidion.model import Span

WEIGHTS = MODELS / "static" / "table.npz"


class Static:
    """Sums of subword vectors."""

    def __init__(self, tokenizer: WordPieces, rows: NDArray[np.int8], scale: Matrix, name: str = "static") -> None:
        self.name = name
        self.dimension = rows.shape[1]
        self._tokenizer = tokenizer
        self._rows = rows
        self._scale = scale

    @cached_property
    def fingerprint(self) -> str:
        """Return what distinguishes this table and its subwords from others of the same name."""
        return fingerprint([self._rows, self._scale], repr(self._tokenizer.vocabulary))

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return a unit row for each text; zeros for a text without a known subword."""
        bags = [self._tokenizer.ids(_encodable(text)) for text in texts]
        return unit(sums(self._rows, self._scale, bags))

    def words(self, text: str) -> tuple[tuple[Span, ...], Matrix]:
        """Return the words and punctuation signs of the text, each with the sum of its subwords, as long as that is.

        The length says how much a word weighs in a text's vector: little for *of*, much for *bitcoin*.
        """
        words = self._tokenizer.words(_encodable(text))
        rows = sums(self._rows, self._scale, [pieces for _, _, pieces in words])
        return tuple(Span(start, end) for start, end, _ in words), rows

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the words and punctuation signs of the text."""
        return tuple(Span(start, end) for start, end, _ in self._tokenizer.words(_encodable(text)))

    def tokens(self, text: str) -> tuple[tuple[Span, ...], Matrix]:
        """Return the words and punctuation signs of the text, each with the direction of its vector."""
        spans, rows = self.words(text)
        return spans, unit(rows)


def _encodable(text: str) -> str:
    """Return the text, with lone surrogates (which have no UTF-8 form) replaced one for one, so that offsets stay."""
    return text.encode("utf-8", "replace").decode()


@cache
def load(path: str | Path = WEIGHTS) -> Static:
    """Return the table that ships, or another made by ``train/static.py``; read once a process."""
    rows, scale = load_arrays(Path(path), ("rows", "scale"))
    if rows.ndim != 2 or not len(rows) == len(scale) == len(tokenizer().vocabulary):
        raise FormatError("The table does not fit the subwords of MiniLM", str(path), "make it with train/static.py")
    return Static(tokenizer(), rows, scale, "static" if path == WEIGHTS else f"static:{Path(path).name}")
