"""Tables of vectors that ship with the package: one byte a number, one scale a row, in a single ``.npz`` file.

A row is ``scale * bytes`` with the largest number of the row at 127, which costs less than one per cent of its
length. The files hold plain arrays and are read without pickle. A damaged or missing file is a broken installation,
and said so.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import FormatError, MissingPartError
from pyramidion.language.models.weights import MODELS, REINSTALL, read

__all__ = ["MODELS", "fingerprint", "from_bytes", "load", "quantised", "save", "to_bytes", "unit"]

Matrix = NDArray[np.float32]


def quantised(matrix: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the rows as bytes, and the scale of each.

    >>> rows, scale = quantised(np.array([[0.5, -1.0], [0.0, 0.0]]))
    >>> rows.tolist()
    [[64, -127], [0, 0]]
    """
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    # A scale below what a float holds in full would round the row away, or be a zero to divide by.
    scale = np.maximum(largest / 127, np.finfo(np.float32).tiny)
    return np.rint(matrix / scale).astype(np.int8), scale[:, 0].astype(np.float32)


def unit(matrix: NDArray[Any]) -> Matrix:
    """Return the rows at length one; rows of (almost) no length become zeros.

    >>> unit(np.array([[3, 4], [0, 0]], np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    # Lengths in double precision: the sum of each row must not depend on how numpy blocks a larger matrix.
    length = np.sqrt(np.square(matrix, dtype=np.float64).sum(axis=1, keepdims=True))
    rows: Matrix = np.divide(matrix, length, out=np.zeros(matrix.shape), where=length > 1e-12).astype(np.float32)
    return rows


def fingerprint(arrays: Sequence[NDArray[Any]], *settings: object) -> str:
    """Return the SHA-256 of arrays and of anything JSON can hold: all that decides an embedder's rows, for caches.

    >>> one, two = np.array([1]), np.array([[1]])
    >>> fingerprint([one], {"a": 0}) == fingerprint([one.copy()], {"a": 0})
    True
    >>> len({fingerprint([one], {"a": 0}), fingerprint([two], {"a": 0}), fingerprint([one], {"b": 0})})
    3
    """
    # The head says what each array is, so that no two sets of arrays run together into the same bytes.
    digest = sha256(json.dumps([[(array.dtype.str, array.shape) for array in arrays], settings]).encode())
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def to_bytes(strings: Sequence[str]) -> NDArray[np.uint8]:
    """Return strings without line ends as one array."""
    return np.frombuffer("\n".join(strings).encode(), np.uint8)


def from_bytes(array: NDArray[np.uint8]) -> list[str]:
    """Return the strings that :func:`to_bytes` was given."""
    return array.tobytes().decode().split("\n") if array.size else []


def save(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a table; the same arrays give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, allow_pickle=False, **arrays)


def load(path: Path, names: Sequence[str]) -> list[NDArray[Any]]:
    """Return the named arrays of a table."""
    try:
        with np.load(BytesIO(read(path)), allow_pickle=False) as archive:
            return [archive[name] for name in names]
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        if MODELS not in path.parents:
            raise FormatError(
                f"This is not a table of vectors ({error})",
                str(path),
                "name a file that train/static.py or train/wtmf.py made",
            ) from None
        raise MissingPartError(
            f"The weights that ship with the package cannot be read ({error})",
            str(path),
            REINSTALL,
        ) from error
