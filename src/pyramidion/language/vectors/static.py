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
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import FormatError
from pyramidion.language.parse.pieces import tokenizer
from pyramidion.language.vectors._bags import sums
from pyramidion.language.vectors._table import MODELS, Matrix, fingerprint, unit
from pyramidion.language.vectors._table import load as load_arrays
from pyramidion.model import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS = MODELS / "static" / "table.npz"
_MOST_KNOWN = 200_000
"""Pieces between spaces whose subwords are kept."""
TOKENIZER = MODELS / "en-minilm" / "tokenizer.json"


class Static:
    """Sums of subword vectors."""

    def __init__(self, tokenizer: Tokenizer, rows: NDArray[np.int8], scale: Matrix, name: str = "static") -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.name = name
        self.dimension = rows.shape[1]
        self._tokenizer = tokenizer
        self._rows = rows
        self._scale = scale
        self._vocabulary = tokenizer.get_vocab()
        self._known: dict[str, list[int]] = {}

    @cached_property
    def fingerprint(self) -> str:
        """What distinguishes this table and its subwords from others of the same name."""
        return fingerprint([self._rows, self._scale], self._tokenizer.to_str())

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """A unit row for each text; zeros for a text without a known subword."""
        return unit(sums(self._rows, self._scale, self._subwords([_encodable(text).split(" ") for text in texts])))

    def _subwords(self, texts: Sequence[Sequence[str]]) -> list[list[int]]:
        """The subwords of texts cut at spaces: no subword crosses one, so that a piece needs tokenising only once."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        new = list(dict.fromkeys(piece for pieces in texts for piece in pieces if piece not in self._known))
        # A piece that is a whole word of the vocabulary is its own subword: most are, and need no tokenizer.
        whole = {piece: self._vocabulary.get(piece.lower()) for piece in new if piece.isascii() and piece.isalnum()}
        self._known.update((piece, [id]) for piece, id in whole.items() if id is not None)
        new = [piece for piece in new if piece not in self._known]
        encoded = self._tokenizer.encode_batch_fast(new, add_special_tokens=False)
        self._known.update(zip(new, (encoding.ids for encoding in encoded), strict=True))
        return [list(chain.from_iterable(map(self._known.__getitem__, pieces))) for pieces in texts]

    def words(self, text: str) -> tuple[tuple[Span, ...], Matrix]:
        """The words and punctuation signs of the text, each with the sum of its subwords, as long as that is.

        The length says how much a word weighs in a text's vector: little for *of*, much for *bitcoin*.
        """
        spans, bags = self._cut(text)
        return spans, sums(self._rows, self._scale, bags)

    def spans(self, text: str) -> tuple[Span, ...]:
        """The words and punctuation signs of the text."""
        return self._cut(text)[0]

    def _cut(self, text: str) -> tuple[tuple[Span, ...], list[list[int]]]:
        """The words and punctuation signs, and the subwords of each."""
        encoding = self._tokenizer.encode(_encodable(text), add_special_tokens=False)
        spans: list[tuple[int, int]] = []
        bags: list[list[int]] = []
        previous = None
        for word, id, (start, end) in zip(encoding.word_ids, encoding.ids, encoding.offsets, strict=True):
            if word == previous:
                spans[-1] = (spans[-1][0], end)
                bags[-1].append(id)
            else:
                spans.append((start, end))
                bags.append([id])
            previous = word
        return tuple(Span(*span) for span in spans), bags

    def tokens(self, text: str) -> tuple[tuple[Span, ...], Matrix]:
        """The words and punctuation signs of the text, each with the direction of its vector."""
        spans, rows = self.words(text)
        return spans, unit(rows)


def _encodable(text: str) -> str:
    """The text, with lone surrogates (which have no UTF-8 form) replaced one for one, so that offsets stay."""
    return text.encode("utf-8", "replace").decode()


@cache
def load(path: str | Path = WEIGHTS) -> Static:
    """The table that ships, or another made by ``train/static.py``; read once a process."""
    rows, scale = load_arrays(Path(path), ("rows", "scale"))
    if rows.ndim != 2 or not len(rows) == len(scale) == tokenizer().get_vocab_size():
        raise FormatError("the table does not fit the subwords of MiniLM", str(path), "make it with train/static.py")
    return Static(tokenizer(), rows, scale, "static" if path == WEIGHTS else f"static:{Path(path).name}")
