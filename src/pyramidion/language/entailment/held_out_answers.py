"""Stored answers of networks that had not seen a document: the judge's honest figures on its own training data.

The network that ships learnt from all of REALSumm, so what it says there flatters it. Five more were trained, each
without one of the published folds (``train/entails``). They are not shipped: their answers to the documents that each
had not seen are (``folds.npz`` of ``pyramidion-entails``), and the matcher reads these in place of the network.

An answer is found by the word pieces of text and unit: the first eight bytes of the SHA-256 of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import PyramidionError
from pyramidion.language.entailment.network import Array, EntailmentNetwork, Pieces, entailment_network

FILE = "folds.npz"


def key(text: Pieces, unit: Pieces) -> int:
    """Return the name of a text's answer to a unit."""
    pieces = np.array([len(text), *text, *unit], "<u2").tobytes()
    return int.from_bytes(sha256(pieces).digest()[:8], "little")


class HeldOutAnswers:
    """The stored answers, in place of a network."""

    def __init__(self, network: EntailmentNetwork, stored: bytes) -> None:
        """``network`` cuts texts into pieces; it answers nothing."""
        self._network = network
        with np.load(BytesIO(stored)) as arrays:
            self._keys: NDArray[np.uint64] = arrays["keys"]
            self._answers: NDArray[np.float16] = arrays["answers"]

    def each(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[Array]:
        """Return :meth:`probabilities` for each text and its units."""
        return [self.probabilities(text, units) for text, units in asked]

    def probabilities(self, text: str, units: Sequence[str]) -> Array:
        """Return for each unit the probabilities that the text says it, contradicts it, and does neither."""
        text_pieces, *unit_pieces = self._network.pieces([text, *units])
        wanted = np.array([key(text_pieces, unit) for unit in unit_pieces], np.uint64)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        for unit, missing in zip(units, self._keys[places] != wanted, strict=True):
            if missing:
                raise PyramidionError(
                    f"The folds have no answer to {unit[:60]!r} in {text[:60]!r}",
                    do="measure REALSumm as published, or leave out the folds",
                )
        stored = self._answers[places].astype(np.float64)
        answers: Array = np.round(np.column_stack([stored, 1 - stored.sum(axis=1)]), 4)
        return answers


@cache
def held_out_answers() -> HeldOutAnswers:
    """Return the answers of the installed distribution, loaded once a process."""
    network = entailment_network()
    return HeldOutAnswers(network, network.read_file(FILE))
