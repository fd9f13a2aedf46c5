"""Any model of the ``sentence-transformers`` library that is on this machine: a folder, or a name downloaded before.

Nothing is fetched: names are looked up in the library's local cache only. Each text goes through the model alone: the
library pads the texts of a batch to one length, which moves numbers in their last digits, and a row must depend on its
text alone. It says nothing of a model's weights, so there is no fingerprint, and rows are not cached on disk.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.language.vectors._table import Matrix, unit


class SentenceTransformers:
    """The sentence vectors of one model."""

    def __init__(self, name: str, model: Any) -> None:
        self.name = f"sentence-transformers:{name}"
        # The library renamed this method in its version 6 and warns of the old name.
        dimension = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        self.dimension = int(dimension())
        self._model = model

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return a unit row for each text; zeros for blank texts."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        filled = list(dict.fromkeys(text for text in texts if text.strip()))
        if filled:
            # Lone surrogates have no UTF-8 form, and the tokenizer is given UTF-8.
            sendable = [text.encode("utf-8", "replace").decode() for text in filled]
            encoded = unit(np.asarray(self._model.encode(sendable, batch_size=1, show_progress_bar=False), np.float32))
            number = {text: index for index, text in enumerate(filled)}
            places = [index for index, text in enumerate(texts) if text in number]
            rows[places] = encoded[[number[texts[index]] for index in places]]
        return rows


@cache
def load(name: str = "") -> SentenceTransformers:
    """Return the model in that folder, or of that name if it was downloaded before."""
    if not name:
        raise PyramidionError(
            "No model is named", do="write sentence-transformers:NAME, NAME a folder or a downloaded model"
        )
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise MissingPartError(
            f"sentence-transformers:{name} needs a library that is not installed ({error})",
            do="run: pip install 'pyramidion[neural]'",
        ) from error
    try:
        model = library.SentenceTransformer(name, local_files_only=True)
    except Exception as error:  # the library and those under it raise whatever they like for a model that is not there
        fetch = f"from sentence_transformers import SentenceTransformer; SentenceTransformer({name!r})"
        raise MissingPartError(
            f"The model {name!r} is not on this machine or cannot be read ({type(error).__name__}: {str(error)[:200]})",
            do=f"name a folder that holds it, or download it once: python -c {shlex.quote(fetch)}",
        ) from error
    return SentenceTransformers(name, model)
