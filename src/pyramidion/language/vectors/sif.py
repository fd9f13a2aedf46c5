"""Smooth inverse frequency over anyone's word vectors: the weighted mean of the words, less what all texts share.

Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings" (ICLR 2017), Algorithm 1: weight
each word by a / (a + p(w)), average, and remove the projection on the first singular vector of the texts' matrix. Two
deviations:

- They take the singular vector from the texts at hand, which makes a text's vector depend on its neighbours. Ours
  comes from the vocabulary, in closed form: the first eigenvector of the expected outer product of a text of ten
  words drawn by p. As it is linear, it is removed from the words' vectors once.
- Where no counts are given, p is Zipf's law over the order of the file, which is by frequency in GloVe's and
  word2vec's releases.

The words of a text follow the Penn Treebank's clitics (``do n't``), as GloVe's do; a form that is unknown is looked
up in lower case. Files (plain or gzip): GloVe's text, word2vec's text (with its header) and word2vec's binary. The
first 400,000 words are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from pyramidion.errors import PyramidionError
from pyramidion.language.vectors._bags import sums
from pyramidion.language.vectors._table import Matrix, fingerprint, unit
from pyramidion.language.vectors.word_files import read
from pyramidion.model import Span

SMOOTHING = 1e-3
"""The paper's a; it reports 1e-3 to 1e-4 as equally good."""
TEXT_LENGTH = 10
"""The number of words in the imagined text (a clause) from which the common component is computed."""

_WORD = re.compile(r"\w+(?=n['\u2019]t\b)|n['\u2019]t\b|['\u2019]\w+|\w+|[^\w\s]", re.IGNORECASE)


class SIF:
    """Weighted means of word vectors."""

    def __init__(
        self, name: str, words: Sequence[str], vectors: Matrix, counts: Mapping[str, int] | None = None
    ) -> None:
        self.name = name
        self.dimension = vectors.shape[1]
        self._rows = {word: row for row, word in reversed(list(enumerate(words)))}
        probability = _probability(words, counts)
        self._weights = (SMOOTHING / (SMOOTHING + probability)).astype(np.float32)
        self._vectors = _without_common(vectors, self._weights, probability)

    @cached_property
    def fingerprint(self) -> str:
        """Return what distinguishes these words, weights and vectors from those of another file of the same name."""
        return fingerprint([self._vectors, self._weights], self._rows)

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return a unit row for each text; zeros for a text without a known word."""
        bags = ([self._row(form) for form in _WORD.findall(text)] for text in texts)
        return unit(sums(self._vectors, self._weights, [[row for row in rows if row >= 0] for rows in bags]))

    def tokens(self, text: str) -> tuple[tuple[Span, ...], Matrix]:
        """Return the known words of the text and their vectors."""
        forms = [(match.span(), self._row(match[0])) for match in _WORD.finditer(text)]
        known_forms = [(span, row) for span, row in forms if row >= 0]
        return tuple(Span(*span) for span, _ in known_forms), unit(
            self._vectors[np.array([row for _, row in known_forms], np.intp)]
        )

    def _row(self, form: str) -> int:
        form = form.replace("\u2019", "'")
        row = self._rows.get(form, -1)
        return row if row >= 0 else self._rows.get(form.lower(), -1)


def _probability(
    words: Sequence[str], counts: Mapping[str, int] | None
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """p(w): from counts (one more each, so that none is impossible), or by Zipf's law from the order."""
    if counts is None:
        weights = 1 / np.arange(1.0, len(words) + 1)
    else:
        weights = np.array([max(0, counts.get(word, 0)) + 1.0 for word in words])
    shares: np.ndarray[tuple[int], np.dtype[np.float64]] = weights / weights.sum()
    return shares


def _without_common(
    vectors: Matrix, weights: Matrix, probability: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> Matrix:
    """Return the vectors less their projection on the direction that texts have in common."""
    mean = (probability * weights) @ vectors
    second = (vectors * (probability * weights.astype(np.float64) ** 2)[:, None]).T @ vectors
    expected = second / TEXT_LENGTH + (1 - 1 / TEXT_LENGTH) * np.outer(mean, mean)
    common = np.linalg.eigh(expected)[1][:, -1]
    rest = vectors - np.outer(vectors @ common, common)
    # What is left of a vector along the common direction is rounding noise, and must not be blown up to length one.
    is_kept = np.linalg.norm(rest, axis=1) > 1e-5 * np.linalg.norm(vectors, axis=1)
    return np.where(is_kept[:, None], rest, 0).astype(np.float32)


def load(file: str | Path = "") -> SIF:
    """Return the embedder over a file of word vectors; the last two files stay in memory."""
    if not file:
        raise PyramidionError(
            "No file of word vectors is named", do="write sif:FILE, FILE in GloVe's or word2vec's format"
        )
    path = Path(file)
    try:
        state = path.stat()
    except (OSError, ValueError):
        return _load(path, 0, 0)  # reading it says what is wrong
    return _load(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=2)
def _load(path: Path, modified: int, size: int) -> SIF:
    words, vectors = read(path)
    return SIF(f"sif:{path.name}", words, vectors)
