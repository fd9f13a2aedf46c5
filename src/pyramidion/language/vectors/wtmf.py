"""Weighted textual matrix factorisation: what a short text says, and what it leaves unsaid.

Guo and Diab, "Modeling Sentences in the Latent Space" (ACL 2012): let X be the matrix of words by texts
with TF-IDF values. Find P (a K-vector for each word) and Q (a K-vector for each text) that minimise::

    sum_ij W_ij (P_i . Q_j - X_ij)^2 + lambda (|P|^2 + |Q|^2),    W_ij = 1 where X_ij is observed, w_m elsewhere

The words that a text does *not* contain say a little (w_m = 0.01) about what it is not about; short texts have little
else. Gao et al. 2019 (section 4.2, Table 1) chose these vectors for PyrEval. With P fixed, the vector of a new text
has a closed form, with U the rows of P for its n words, x their TF-IDF values and A = w_m P'P + lambda I::

    q = (A + (1 - w_m) U'U)^-1 U'x = A^-1 U' (I + (1 - w_m) U A^-1 U')^-1 x

The right-hand side (push-through identity) needs an n x n system instead of K x K, with A^-1 known beforehand;
clauses have n = 10, K is 100. ``train/wtmf.py`` solves both sides of the alternation with the same :class:`Side`.

Words are runs of letters, lower-cased, and lemmatised by WordNet's rules: its exception list, then its suffix
detachments, accepted where the result is in the vocabulary. Without parts of speech (morphy has them), the rules for
nouns go before those for verbs and adjectives. Numbers and unknown words are passed over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import FormatError
from pyramidion.language.vectors._table import MODELS, Matrix, fingerprint, from_bytes, unit
from pyramidion.language.vectors._table import load as load_arrays
from pyramidion.model import Span

WEIGHTS = MODELS / "wtmf" / "table.npz"
MISSING_WEIGHT = 0.01
RIDGE = 20.0

_WORD = re.compile(r"[^\W\d_]+")
_DETACHMENTS = (
    # nouns, then verbs, then adjectives: morphy(7WN)
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip
_BLOCK = 4_000_000
"""Numbers held at once while texts of one length are solved together."""


class Lemmas:
    """Word forms to rows of a vocabulary."""

    def __init__(self, vocabulary: Mapping[str, int], exceptions: Mapping[str, str]) -> None:
        self._rows = vocabulary
        self._exceptions = exceptions
        self._known: dict[str, int] = {}

    def row(self, form: str) -> int:
        """Return the row of a form's lemma, or -1."""
        if form not in self._known:
            if len(self._known) > 500_000:  # a long-running process must not grow with its input
                self._known.clear()
            self._known[form] = self._look_up(form.lower())
        return self._known[form]

    def _look_up(self, form: str) -> int:
        if (irregular := self._exceptions.get(form)) is not None:
            return self._rows.get(irregular, -1)
        if form in self._rows:
            return self._rows[form]
        for ending, replacement in _DETACHMENTS:
            if form.endswith(ending) and len(form) > len(ending) + 1:
                row = self._rows.get(form[: len(form) - len(ending)] + replacement, -1)
                if row >= 0:
                    return row
        return -1

    def counts(self, text: str) -> dict[int, int]:
        """Return how often each row occurs in the text, in order of first occurrence."""
        counts = Counter(map(self.row, _WORD.findall(text)))
        counts.pop(-1, None)
        return counts


class Side:
    """One side of the factorisation, held fixed while vectors of the other side are solved for."""

    def __init__(self, factors: Matrix, missing: float = MISSING_WEIGHT, ridge: float = RIDGE) -> None:
        self.factors = factors
        self.missing = missing
        rows = factors.astype(np.float64)
        self._system = missing * rows.T @ rows + ridge * np.eye(rows.shape[1])
        self._solved = (rows @ np.linalg.inv(self._system)).astype(np.float32)

    def solve(self, observed: Sequence[NDArray[np.intp]], values: Sequence[Matrix]) -> Matrix:
        """Return the vector for each set of observed cells (distinct rows of this side, and their values)."""
        size = self.factors.shape[1]
        result = np.zeros((len(observed), size), np.float32)
        lengths = np.array([len(rows) for rows in observed], np.intp)
        for length in np.unique(lengths[lengths > 0]):
            members = np.flatnonzero(lengths == length)
            step = max(1, _BLOCK // int(size * length))
            for first in range(0, len(members), step):
                block = members[first : first + step]
                result[block] = self._block(
                    np.stack([observed[index] for index in block]), np.stack([values[index] for index in block])
                )
        return result

    def _block(self, rows: NDArray[np.intp], values: Matrix) -> Matrix:
        """Return the vectors for sets of one size; products and systems stay per set, so that blocks change no bit."""
        words = self.factors[rows]
        observed_weight = np.float32(1 - self.missing)
        # Of both forms of the closed form the smaller system: K x K if a text has more words than dimensions.
        if rows.shape[1] > self.factors.shape[1]:
            system = self._system + observed_weight * (words.transpose(0, 2, 1) @ words)
            return np.linalg.solve(system, words.transpose(0, 2, 1) @ values[..., None])[..., 0].astype(np.float32)
        solved = self._solved[rows]
        system = observed_weight * (words @ solved.transpose(0, 2, 1)) + np.eye(rows.shape[1], dtype=np.float32)
        vectors: Matrix = (solved.transpose(0, 2, 1) @ np.linalg.solve(system, values[..., None]))[..., 0]
        return vectors


class WTMF:
    """Latent vectors of texts under a word matrix."""

    def __init__(
        self, words: Sequence[str], idf: Matrix, factors: Matrix, exceptions: Mapping[str, str], name: str = "wtmf"
    ) -> None:
        self.name = name
        self.dimension = factors.shape[1]
        self._vocabulary = {word: row for row, word in enumerate(words)}
        self._exceptions = exceptions
        self._lemmas = Lemmas(self._vocabulary, exceptions)
        self._idf = idf
        self._side = Side(factors)

    @cached_property
    def fingerprint(self) -> str:
        """Return what distinguishes these words, exceptions and vectors from others of the same name."""
        return fingerprint([self._side.factors, self._idf], self._vocabulary, dict(self._exceptions))

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return a unit row for each text; zeros for a text without a known word."""
        counts = [self._lemmas.counts(text) for text in texts]
        observed = [np.fromiter(bag, np.intp, len(bag)) for bag in counts]
        values = [
            np.fromiter(bag.values(), np.float32, len(bag)) * self._idf[rows]
            for bag, rows in zip(counts, observed, strict=True)
        ]
        return unit(self._side.solve(observed, values))

    def tokens(self, text: str) -> tuple[tuple[Span, ...], Matrix]:
        """Return the known words of the text and their own vectors."""
        forms = [(match.span(), self._lemmas.row(match[0])) for match in _WORD.finditer(text)]
        known_forms = [(span, row) for span, row in forms if row >= 0]
        return tuple(Span(*span) for span, _ in known_forms), unit(
            self._side.factors[np.array([row for _, row in known_forms], np.intp)]
        )


@cache
def load(path: str | Path = WEIGHTS) -> WTMF:
    """Return the model that ships, or another made by ``train/wtmf.py``; read once a process."""
    words, exceptions, idf, rows, scale = load_arrays(Path(path), ("words", "exceptions", "idf", "rows", "scale"))
    forms = from_bytes(words)
    if rows.ndim != 2 or not len(rows) == len(scale) == len(idf) == len(forms):
        raise FormatError("The table's words and rows do not match", str(path), "make it with train/wtmf.py")
    pairs = dict(line.split(" ") for line in from_bytes(exceptions))
    name = "wtmf" if path == WEIGHTS else f"wtmf:{Path(path).name}"
    return WTMF(forms, idf, rows * scale[:, None], pairs, name)
