"""Texts to vectors: one small protocol, several ways, one table of names.

An :class:`Embedder` turns n texts into an n x dimension matrix of float32 whose rows have length one, or are all
zeros where a text has nothing in it that the embedder knows; the cosine of two texts is then the product of their
rows. A row depends on its text alone: not on the other texts, their order or their number.

=============================  ==========================================================================
``minilm``                     the embedded encoder's sentence vectors: the best, and the slowest
``static``                     a table of subword vectors distilled from it: for matching at speed
``wtmf``                       weighted textual matrix factorisation (Guo and Diab 2012), as in PyrEval
``sif:FILE``                   any word2vec or GloVe file, weighted as in Arora et al. (2017)
``sentence-transformers:NAME`` any model of that library on this machine (extra ``neural``)
=============================  ==========================================================================

Installed packages add names through the entry-point group ``pyramidion.embedders``: a factory that takes what follows
the colon, where there is one, and returns an embedder.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyramidion.base.registry import Registry
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.language.models.weights import on_this_machine
from pyramidion.language.vectors._table import Matrix, unit
from pyramidion.language.vectors.cache import Cached
from pyramidion.model import Span

__all__ = ["EMBEDDERS", "Cached", "Embedder", "TokenEmbedder", "cosine", "embedder", "models_of"]


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit rows (or zeros), each row a function of its text alone."""

    @property
    def name(self) -> str:
        """The name in tables and signatures."""

    @property
    def dimension(self) -> int:
        """The length of a row."""

    def __call__(self, texts: Sequence[str], /) -> Matrix:
        """Return the matrix, one row for each text."""


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also has vectors for the words in a text."""

    def tokens(self, text: str, /) -> tuple[tuple[Span, ...], Matrix]:
        """Return the span of each word, and its unit row (or zeros)."""


Factory = Callable[..., Embedder]

EMBEDDERS: Registry[Factory] = Registry(
    "embedder",
    "pyramidion.embedders",
    {
        "minilm": "pyramidion.language.vectors.minilm:load",
        "static": "pyramidion.language.vectors.static:load",
        "wtmf": "pyramidion.language.vectors.wtmf:load",
        "sif": "pyramidion.language.vectors.sif:load",
        "sentence-transformers": "pyramidion.language.vectors.sentence_transformers:load",
    },
)


class _Function:
    """Any callable as an embedder: its result is checked and its rows brought to length one."""

    def __init__(self, function: Callable[[Sequence[str]], ArrayLike]) -> None:
        self._function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))
        self._dimension: int | None = None

    @property
    def dimension(self) -> int:
        return self._dimension or self(["text"]).shape[1]

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return the function's rows at length one; anything but a matrix of finite numbers is an error."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        try:
            rows = np.asarray(self._function(texts), np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"The embedder {self.name!r} gave no matrix of numbers ({error})", do="return one row for each text"
            ) from error
        expected = (len(texts), self._dimension or rows.shape[-1] if rows.ndim else 0)
        if rows.shape != expected or not rows.size:
            raise ModelError(
                f"The embedder {self.name!r} gave a matrix of shape {rows.shape} for {len(texts)} text(s)",
                do="return one row of the same length for each text",
            )
        if not np.isfinite(rows).all():
            raise ModelError(f"The embedder {self.name!r} gave a number that is not finite", do="return finite numbers")
        self._dimension = rows.shape[1]
        return unit(rows)


class _Contributed(_Function):
    """The embedder of another package, whose errors name it."""

    def __init__(self, embedder: Embedder, name: str) -> None:
        super().__init__(embedder)
        self.name = embedder.name
        self._dimension = embedder.dimension
        self._registered = name
        self.costly = bool(getattr(embedder, "costly", False))
        if isinstance(embedder, TokenEmbedder):
            self.tokens = self._tokens_of(embedder)

    def _tokens_of(self, embedder: TokenEmbedder) -> Callable[[str], tuple[tuple[Span, ...], Matrix]]:
        def tokens(text: str) -> tuple[tuple[Span, ...], Matrix]:
            with EMBEDDERS.errors_named(self._registered):
                return embedder.tokens(text)

        return tokens

    @property
    def fingerprint(self) -> str:
        """The embedder's own fingerprint with the release of its package; empty if it has none."""
        fingerprint = getattr(self._function, "fingerprint", "")
        return f"{fingerprint} of {EMBEDDERS.release(self._registered)}" if fingerprint else ""

    def __call__(self, texts: Sequence[str]) -> Matrix:
        with EMBEDDERS.errors_named(self._registered):
            return super().__call__(texts)


def embedder(spec: str | Embedder | Callable[[Sequence[str]], ArrayLike]) -> Embedder:
    """Return the embedder of that name (with what follows a colon as its argument), or any callable as one.

    >>> embedder("static").dimension
    256
    >>> embedder(lambda texts: [[len(text), 1] for text in texts])(["ab", ""]).round(2).tolist()
    [[0.8899999856948853, 0.44999998807907104], [0.0, 1.0]]
    """
    if isinstance(spec, str):
        name, colon, argument = spec.partition(":")
        if colon and not argument:
            raise PyramidionError(
                f"Nothing follows the colon in {spec!r}", do="name a file or a model, or remove the colon"
            )
        return _make(name, *([argument] if colon else []))
    if isinstance(spec, Embedder):
        return spec
    if callable(spec):
        return _Function(spec)
    raise PyramidionError(f"{spec!r} is not an embedder", do="give a name or a callable from texts to rows")


def _make(name: str, *argument: str) -> Embedder:
    """Call an embedder's factory, with what follows the colon if it takes that."""
    factory = EMBEDDERS[name]
    try:
        inspect.signature(factory).bind(*argument)
    except TypeError:
        raise PyramidionError(
            f"The embedder {name!r} takes nothing after a colon, not {argument[0]!r}"
            if argument
            else f"The embedder {name!r} needs something after a colon",
            do=f"write {name if argument else f'{name}:ARGUMENT'}",
        ) from None
    with EMBEDDERS.errors_named(name):
        embedder = factory(*argument)
        return _Contributed(embedder, name) if EMBEDDERS.release(name) else embedder


def models_of(spec: str) -> tuple[str, ...]:
    """Return the models behind an embedder's name: those that ship by name, and files and folders.

    >>> models_of("minilm"), models_of("sif:glove.txt")
    (('en-minilm',), ('glove.txt',))
    """
    name, _, argument = spec.partition(":")
    if name == "sentence-transformers":
        folder = on_this_machine(argument) or on_this_machine(f"sentence-transformers/{argument}")
        return (str(folder),) if folder else ()
    return (argument or {"minilm": "en-minilm"}.get(name, name),)


def cosine(a: Matrix, b: Matrix) -> NDArray[np.float64]:
    """Return the cosine of each row of ``a`` with the row of ``b`` beside it; 0 where one of them is all zeros.

    >>> a = np.array([[1, 0], [0, 0]], np.float32)
    >>> cosine(a, np.array([[3, 4], [3, 4]], np.float32)).round(3).tolist()
    [0.6, 0.0]
    """
    if a.shape != b.shape:
        raise ModelError(
            f"Rows of {a.shape} cannot be paired with rows of {b.shape}", do="give two matrices of the same shape"
        )
    products: NDArray[np.float64] = np.einsum("ij,ij->i", unit(a), unit(b), dtype=np.float64)
    return products
