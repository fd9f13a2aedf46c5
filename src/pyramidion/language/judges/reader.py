r"""The reader: how far a passage says what a unit says, by a small network that reads both.

A cross-encoder reads a unit and a passage together, once for every pair. The reader reads the passage once, and then
every unit in its light: in each layer a piece of a unit sees its own unit and the passage, while a piece of the passage
sees the passage alone. What it says of a unit is therefore the same in any company (up to rounding in the last digits),
and a hundred units cost hardly more than their own words.

It is BERT's layer, post-norm, four times, 384 wide, twelve heads. With x the states of a text (the passage, or a unit)
and y those that it sees (itself, and for a unit the passage too),

.. math:: x' = N(x + O\,\mathrm{softmax}(Q x (K y)^T / \sqrt{32})\, V y), \qquad x'' = N(x' + B\,\mathrm{gelu}(A x')),

N the layer's norm. A piece starts as the sum of its word's embedding, its place's and its kind's: 0 for the passage, 1
for a unit, 3 for a piece of a unit that the passage has too. The logit is w . tanh(P h) + b of the state h of the
unit's [CLS].

Matrices are kept in int8 and multiplied in float32. ``MODEL.md`` beside the weights says what it was trained on;
``train/judge`` holds the commands.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from pyramidion.errors import InputWarning, MissingPartError
from pyramidion.language.models.weights import MODELS, REINSTALL, read
from pyramidion.language.parse.pieces import CLS, SEP, tokenizer

__all__ = ["MOST_PASSAGE", "MOST_UNIT", "Reader", "reader"]

Array = NDArray[np.float32]
Pieces = NDArray[np.int64]

MOST_UNIT, MOST_PASSAGE = 64, 384
"""Word pieces beyond these are not read, and a warning says so."""
HEADS = 12
WEIGHTS = MODELS / "reader" / "weights.npz"
STEP = 512
"""Pieces of units that are read at once, at most."""


class Reader:
    """The network."""

    def __init__(self, path: Path = WEIGHTS) -> None:
        with _reading(path), np.load(BytesIO(read(path))) as stored:
            self._table, self._scale = stored["table"], stored["scale"]
            self._values = {
                name: _value(stored, name)
                for name in stored.files
                if name not in ("table", "scale") and not name.endswith(".scale")
            }
        self._layers = 1 + max(int(name.partition(".")[0]) for name in self._values if name[0].isdigit())

    def logits(self, passage: str, units: Sequence[str]) -> NDArray[np.float64]:
        """For each unit the logit that the passage says it.

        >>> logits = reader().logits("Police arrested two men on Monday.", ["Two men were held.", "A dog barked."])
        >>> [bool(one > 0) for one in logits]
        [True, False]
        """
        said, *asked = _pieces([passage, *units])
        words = _framed(passage, said, MOST_PASSAGE)
        found = np.zeros(len(units))
        if not units:
            return found
        seen = self._read_passage(words)
        rows = [_framed(unit, own, MOST_UNIT) for unit, own in zip(units, asked, strict=True)]
        for length in sorted({len(row) for row in rows}):
            same = [number for number, row in enumerate(rows) if len(row) == length]
            step = max(1, STEP // length)
            for first in range(0, len(same), step):
                some = same[first : first + step]
                found[some] = self._read_units(np.array([rows[number] for number in some]), words, seen)
        return found

    def _read_passage(self, words: Pieces) -> list[tuple[Array, Array]]:
        """The keys and values of the passage in every layer."""
        state = self._embedded(words[None], np.zeros((1, len(words)), np.int64))
        seen = []
        for layer in range(self._layers):
            keys, values = self._split(layer, "key", state), self._split(layer, "value", state)
            seen.append((keys[0], values[0]))
            state = self._layer(layer, state, keys, values)
        return seen

    def _read_units(self, rows: Pieces, words: Pieces, seen: Sequence[tuple[Array, Array]]) -> Array:
        """The logits of units of one length."""
        kinds = 1 + 2 * np.isin(rows, words[1:-1])
        kinds[:, [0, -1]] = 1
        state = self._embedded(rows, kinds)
        for layer, passage in enumerate(seen):
            keys, values = self._split(layer, "key", state), self._split(layer, "value", state)
            state = self._layer(layer, state, keys, values, passage)
        pooled = np.tanh(self._linear("pool", state[:, 0]))
        logits: Array = self._linear("out", pooled)[:, 0]
        return logits

    def _embedded(self, pieces: Pieces, kinds: Pieces) -> Array:
        table = self._table[pieces].astype(np.float32) * self._scale[pieces]
        return self._norm("norm", table + self._values["positions"][: pieces.shape[1]] + self._values["kinds"][kinds])

    def _layer(
        self, layer: int, state: Array, keys: Array, values: Array, passage: tuple[Array, Array] | None = None
    ) -> Array:
        """The next states of texts that see themselves and, if there is one, a passage."""
        queries = self._split(layer, "query", state) / np.float32(np.sqrt(keys.shape[3]))
        weights = queries @ keys.swapaxes(2, 3)
        if passage:
            weights = np.concatenate([_together(queries, passage[0].swapaxes(1, 2)), weights], axis=3)
        weights = np.exp(weights - weights.max(axis=3, keepdims=True))
        weights /= weights.sum(axis=3, keepdims=True)
        own = weights.shape[3] - keys.shape[2]
        mixed = weights[..., own:] @ values
        if passage:
            mixed += _together(weights[..., :own], passage[1])
        mixed = mixed.swapaxes(1, 2).reshape(state.shape)
        state = self._norm(f"{layer}.norm1", state + self._linear(f"{layer}.attended", mixed))
        inner = self._linear(f"{layer}.inner", state)
        inner *= (1 + erf(inner / np.float32(np.sqrt(2)))) / 2
        return self._norm(f"{layer}.norm2", state + self._linear(f"{layer}.outer", inner))

    def _split(self, layer: int, name: str, state: Array) -> Array:
        """A projection of the states, head by head."""
        rows, length, width = state.shape
        found: Array = self._linear(f"{layer}.{name}", state).reshape(rows, length, HEADS, width // HEADS)
        return found.swapaxes(1, 2)

    def _linear(self, name: str, state: Array) -> Array:
        rows = state.reshape(-1, state.shape[-1])  # one product, not one for each text
        found: Array = rows @ self._values[f"{name}.weight"].T + self._values[f"{name}.bias"]
        return found.reshape(*state.shape[:-1], found.shape[1])

    def _norm(self, name: str, state: Array) -> Array:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        found: Array = centred / spread * self._values[f"{name}.weight"] + self._values[f"{name}.bias"]
        return found


def _together(many: Array, one: Array) -> Array:
    """For each head the product of every text's rows with one matrix: (texts, heads, a, b) and (heads, b, c)."""
    texts, heads, length, width = many.shape
    rows = many.swapaxes(0, 1).reshape(heads, texts * length, width)
    found: Array = (rows @ one).reshape(heads, texts, length, one.shape[2])
    return found.swapaxes(0, 1)


def _value(stored: Mapping[str, NDArray[Any]], name: str) -> Array:
    """An array in float32, whatever it was kept in."""
    value: Array = stored[name].astype(np.float32)
    return value * stored[f"{name}.scale"] if f"{name}.scale" in stored else value


def _framed(text: str, pieces: Sequence[int], most: int) -> Pieces:
    """The pieces of a text, at most so many, between the marks of its ends."""
    if len(pieces) > most:
        _tell(text, len(pieces), most)
    return np.array([CLS, *pieces[:most], SEP])


@lru_cache(maxsize=4096)
def _tell(text: str, size: int, most: int) -> None:
    """A warning that a text is cut, once for each."""
    warnings.warn(
        f"the text {text[:60]!r}... has {size} word pieces; the reader reads only its first {most}",
        InputWarning,
        stacklevel=4,
    )


def _pieces(texts: Sequence[str]) -> list[list[int]]:
    clean = [text.encode("utf-8", "replace").decode() for text in texts]
    return [one.ids for one in tokenizer().encode_batch(clean, add_special_tokens=False)]


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, KeyError, ValueError, BadZipFile) as error:
        raise MissingPartError(
            f"the reader's weights cannot be read ({error})",
            str(path),
            REINSTALL,
        ) from error


@cache
def reader() -> Reader:
    """The reader that ships with the package, loaded once."""
    return Reader()
