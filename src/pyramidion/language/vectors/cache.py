"""Rows kept by content, so that a text is embedded once: in memory, and across processes on disk.

The key has the embedder's name, its dimension and its ``fingerprint``, a hash of all the data that decides a row. An
embedder without a fingerprint, such as any callable, is remembered in memory only: on disk, its rows could be those of
another of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pyramidion.base.cache import Cache, shared_shelf
from pyramidion.base.shelf import LIMIT, Shelf
from pyramidion.errors import PyramidionError
from pyramidion.language.vectors._table import Matrix
from pyramidion.model import Span

if TYPE_CHECKING:
    from pyramidion.language.vectors import Embedder


class Cached:
    """An embedder that remembers: ``memory`` rows here, ``disk`` bytes in ``directory``; what is not used leaves first.

    ``shared`` keeps rows where the other caches of the process do (:mod:`pyramidion.base.cache`). It has ``tokens``
    where the embedder has, and passes them on.
    """

    tokens: Callable[[str], tuple[tuple[Span, ...], Matrix]]

    def __init__(
        self,
        embedder: Embedder,
        directory: str | Path | None = None,
        memory: int = 50_000,
        disk: int = LIMIT,
        *,
        shared: bool = False,
    ) -> None:
        """Open the caches; an embedder without a fingerprint is an error where rows are shared or go to disk."""
        self.embedder = embedder
        self.name = embedder.name
        self.dimension = embedder.dimension
        # A fingerprint may cost a reading of the weights: memory, which serves this embedder alone, does without.
        fingerprint = _fingerprint(embedder) if shared or directory is not None else ""
        shelf = None if directory is None else Shelf(Path(directory), disk, "vectors")
        self._rows = Cache(
            "vectors", repr((self.name, self.dimension, fingerprint)), memory, shared_shelf if shared else lambda: shelf
        )
        # On the instance, because runtime_checkable looks there and in the class, but not (from Python 3.12 on) through
        # __getattr__; and only where there is something to pass on, so that isinstance(..., TokenEmbedder) is right.
        if callable(tokens := getattr(embedder, "tokens", None)):
            self.tokens = tokens

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return the embedder's rows, computed only for texts not seen before."""
        keys = [self._rows.key(text) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        rows = self._rows.get(wanted)
        missing = [key for key in wanted if key not in rows]
        if missing:
            computed = self.embedder([wanted[key] for key in missing])
            new = {key: row.tobytes() for key, row in zip(missing, np.ascontiguousarray(computed, "<f4"), strict=True)}
            rows |= new
            self._rows.put(new)
        joined = b"".join(rows[key] for key in keys)
        return np.frombuffer(joined, "<f4").reshape(len(texts), self.dimension).astype(np.float32)


def _fingerprint(embedder: Embedder) -> str:
    fingerprint = getattr(embedder, "fingerprint", None)
    if not isinstance(fingerprint, str) or not fingerprint:
        raise PyramidionError(
            f"The embedder {embedder.name!r} has no fingerprint to tell its rows on disk from those of other embedders",
            do="leave out the directory to cache in memory, or give the embedder a fingerprint: a hash of everything "
            "that decides a row",
        )
    return fingerprint
