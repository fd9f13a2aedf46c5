r"""Does a text say a unit, contradict it, or neither, and is it clear? By the network of ``pyramidion-entails``.

A cross-encoder reads a text again for every unit. Here a text is read once, and then every unit in its light: in each
layer a piece of the text sees the text, a piece of a unit its own unit and the text. Every unit counts its places from
the end of the text, so that what is said of it does not depend on its company.

It is MPNet's layer, post-norm, twelve times, 768 wide, twelve heads. With x the states of a row and y those that each
piece sees,

.. math:: x' = N(x + O\,\mathrm{softmax}(Q x (K y)^T / 8 + b)\, V y), \qquad x'' = N(x' + B\,\mathrm{gelu}(A x')),

N the layer's norm and b a bias by distance. The four logits are H tanh(G (h_1 + mean h_i)), h the last states of the
unit's pieces: three of the verdicts, whose probabilities sum to 1, and one by itself, of whether the unit is *clear*:
the text says it, and a reader who does not have the text understands it. Matrices and the words' vectors are kept in 8
bits, with a scale for each row, and products are of whole numbers. ``train/entails/export.py`` says how they are
rounded so that company still changes nothing.

*Long texts.* Beyond 400 word pieces a text is read in windows that overlap by half. A unit gets the answer of the
window that says it most surely; if none says it, that of the window that is least silent about it. How clear it is
comes from the same window.

``MODEL.md`` in the distribution says what it was trained on; ``train/entails`` holds the commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from pyramidion.base.cache import Cache
from pyramidion.base.threads import Once, count, in_parallel
from pyramidion.language.models import weights
from pyramidion.language.models.distributions import ENTAILS, READER, WORDS, check
from pyramidion.language.models.graph_session import session
from pyramidion.language.text import word_pieces
from pyramidion.notes import note

Array = NDArray[np.float64]
Pieces = list[int]

VERDICTS = ("said", "contradicted", "not said")
CLEAR = len(VERDICTS)
"""The column, after those of the verdicts, of the probability that a unit is clear."""
COLUMNS = CLEAR + 1
MOST_TEXT, MOST_UNIT = 400, 96
"""Word pieces: a longer text is read in windows; what a unit has beyond is not read, and a warning says so."""
AT_ONCE = 768
"""Pieces of units that are read in one pass, at most."""
_START, _END = 0, 2
# The answer to blank texts and units, which are not read.
_NOT_SAID = (0.0, 0.0, 1.0, 0.0)


class Words(NamedTuple):
    """The vectors of word pieces, in 8 bits with a scale for each."""

    table: NDArray[np.int8]
    scale: NDArray[np.float32]


def row(words: Words, text: Pieces, units: Sequence[Pieces]) -> dict[str, NDArray[Any]]:
    """Return the graph's inputs for a text and units that are read in its light (``train/entails/export.py``)."""
    rows = [[_START, *text, _END], *([_END, *unit, _END] for unit in units)]
    end = len(rows[0])
    pieces = np.concatenate(rows)
    owners = np.repeat(np.arange(len(rows)), [len(row_pieces) for row_pieces in rows])
    places = np.concatenate([np.arange(end), *(np.arange(end, end + len(row_pieces)) for row_pieces in rows[1:])])
    of = owners == np.arange(1, len(rows))[:, None]
    mix = of / of.sum(axis=1, keepdims=True)
    # h_1 + mean h_i: the mean of a unit's states, and once more that of its first piece.
    mix[np.arange(len(units)), of.argmax(axis=1)] += 1
    return {
        "words": words.table[pieces].astype(np.float32) * words.scale[pieces],
        "places": places.astype(np.int64),
        "whose": owners.astype(np.int64),
        "mix": mix.astype(np.float32),
    }


def stored_words(folder: Path) -> Words:
    """Return the vectors that a folder holds, checked."""
    released = weights.digests(folder / "SHA256SUMS", WORDS.reinstall)
    data = weights.read_checked(folder / "words.npz", released.get("words.npz"), "words", WORDS.reinstall)
    with np.load(BytesIO(data)) as stored:
        return Words(stored["table"], stored["scale"])


class EntailmentNetwork:
    """The network and its tokenizer from one folder, and its words from another."""

    def __init__(self, folder: Path, words: Path) -> None:
        self._folder = folder
        self._released = weights.digests(folder / "SHA256SUMS", ENTAILS.reinstall)
        self._graph = session(self.read_file("model.onnx"))
        self._free = BoundedSemaphore(count())
        self.words = stored_words(words)
        self._ids = word_pieces.loads(self.read_file("tokenizer.json"), str(folder / "tokenizer.json")).ids

    def read_file(self, name: str) -> bytes:
        """Return a file of the distribution, checked."""
        return weights.read_checked(self._folder / name, self._released.get(name), "entails", ENTAILS.reinstall)

    def probabilities(self, text: str, units: Sequence[str]) -> Array:
        """Return for each unit the probabilities that the text says it, contradicts it, and does neither."""
        return self.answers(text, units)[:, :CLEAR].copy()

    def all_answers(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[Array]:
        """Return :meth:`answers` for each text and its units, several texts at once."""
        return in_parallel(lambda pair: self.answers(*pair), asked, count())

    def answers(self, text: str, units: Sequence[str]) -> Array:
        """Return for each unit the probabilities of :data:`VERDICTS`, and then that it is clear."""
        text_pieces, *unit_pieces = self.pieces([text, *units])
        answers_of_units = np.tile(_NOT_SAID, (len(units), 1))
        read = [number for number, unit in enumerate(unit_pieces) if unit]
        if not text_pieces or not read:
            return answers_of_units
        for number, size in _cut(unit_pieces).items():
            _tell(units[number], size)
        batches = list(_batches([unit_pieces[number][:MOST_UNIT] for number in read]))
        passes = [(window, batch) for window in _windows(text_pieces) for batch in batches]
        logits = np.concatenate(in_parallel(lambda text_and_units: self._logits(*text_and_units), passes, count()))
        answers = _chances(logits).reshape(-1, len(read), COLUMNS)
        # A window that says the unit decides; if none does, so does the one that is least silent about it.
        most = answers[:, :, 0].max(axis=0) >= 0.5
        best = np.where(most, answers[:, :, 0].argmax(axis=0), answers[:, :, 2].argmin(axis=0))
        answers_of_units[read] = answers[best, np.arange(len(read))]
        return answers_of_units

    def cut(self, units: Sequence[str]) -> dict[int, int]:
        """Return the numbers of units that are too long to be read whole, with their counts of word pieces."""
        return _cut(self.pieces(units))

    def _logits(self, text: Pieces, units: Sequence[Pieces]) -> NDArray[np.float32]:
        """Return the logits of units that are read together."""
        feeds = row(self.words, text, units)
        with self._free:
            (logits,) = self._graph.run(["logits"], feeds)
        result: NDArray[np.float32] = logits
        return result

    def pieces(self, texts: Sequence[str]) -> list[Pieces]:
        """Return the word pieces of texts."""
        return [self._ids(text.encode("utf-8", "replace").decode()) for text in texts]


def _cut(units: Sequence[Pieces]) -> dict[int, int]:
    return {number: len(unit) for number, unit in enumerate(units) if len(unit) > MOST_UNIT}


def _chances(logits: NDArray[np.float32]) -> Array:
    """Return the probabilities of rows of logits: of the verdicts together, and of clear by itself."""
    exact = logits.astype(np.float64)
    verdicts, clear = exact[:, :CLEAR], exact[:, CLEAR:]
    chances: Array = np.exp(verdicts - verdicts.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    # The last bits depend on the company of a unit; nobody needs them.
    rounded: Array = np.round(np.hstack([chances, np.exp(-np.logaddexp(0, -clear))]), 4)
    return rounded


def _windows(pieces: Pieces) -> list[Pieces]:
    """Return the text, or windows of it that overlap by half."""
    if len(pieces) <= MOST_TEXT:
        return [pieces]
    half = MOST_TEXT // 2
    return [pieces[first : first + MOST_TEXT] for first in range(0, len(pieces) - half, half)]


def _batches(units: Sequence[Pieces]) -> Iterator[list[Pieces]]:
    """Yield the units in their order, cut where a pass is full."""
    waiting: list[Pieces] = []
    size = 0
    for unit in units:
        if waiting and size + len(unit) + 2 > AT_ONCE:
            yield waiting
            waiting, size = [], 0
        waiting.append(unit)
        size += len(unit) + 2
    yield waiting


def _tell(unit: str, size: int) -> None:
    """Note that a unit is cut."""
    note(f"The unit {unit[:60]!r}... has {size} word pieces; the network reads only its first {MOST_UNIT}")


def _folders() -> tuple[Path, Path]:
    """Return where the distributions of the network and of its words have their files."""
    check("The judge 'entails'", dict.fromkeys(READER, ""))
    return ENTAILS.folder, WORDS.folder


@Once
def entailment_network() -> EntailmentNetwork:
    """Return the network of the installed distribution, loaded once a process."""
    return EntailmentNetwork(*_folders())


def probabilities(text: str, units: Sequence[str]) -> Array:
    """Return for each unit the probabilities of :data:`VERDICTS`: the text says it, contradicts it, does neither."""
    return each([(text, units)])[0]


class _Answer(msgspec.Struct, array_like=True):
    """All four probabilities of units in a text, and the word pieces of those units that were cut."""

    rows: bytes
    cut: dict[int, int]


_ANSWER = msgspec.msgpack.Decoder(_Answer)  # made before there are threads


@Once
def _answers(folder: Path, words: Path) -> Cache:
    released = weights.digests(folder / "SHA256SUMS", ENTAILS.reinstall)
    released |= weights.digests(words / "SHA256SUMS", WORDS.reinstall)
    return Cache("judgements", weights.combined_digest(sorted(released.items())))


def each(asked: Sequence[tuple[str, Sequence[str]]]) -> list[Array]:
    """Return :func:`probabilities` of several texts, each with its own units."""
    return [rows[:, :CLEAR].copy() for rows in _all_answers(asked)]


def clear(asked: Sequence[tuple[str, Sequence[str]]]) -> list[Array]:
    """Return for each text the probabilities that its statements are clear.

    A statement is clear if the text says it and a reader who does not have the text understands it by itself.
    """
    return [rows[:, CLEAR].copy() for rows in _all_answers(asked)]


def _all_answers(asked: Sequence[tuple[str, Sequence[str]]]) -> list[Array]:
    """Return the network's answers to several texts, each with its own units; cached answers need no network.

    All units of a text are one entry of the cache, so that no bit depends on what was asked before.
    """
    if not any(units for _, units in asked):
        return [np.zeros((0, COLUMNS))] * len(asked)
    answers = _answers(*_folders())
    keys = [answers.key(text, *units) for text, units in asked]
    cached = {key: _ANSWER.decode(value) for key, value in answers.get(keys).items()}
    missing = {key: pair for key, pair in zip(keys, asked, strict=True) if key not in cached}
    if missing:
        network = entailment_network()
        rows_of_texts = network.all_answers(list(missing.values()))
        new = {
            key: _Answer(rows.tobytes(), network.cut(units))
            for (key, (_, units)), rows in zip(missing.items(), rows_of_texts, strict=True)
        }
        answers.put({key: msgspec.msgpack.encode(answer) for key, answer in new.items()})
        cached |= new
    for key, (_, units) in zip(keys, asked, strict=True):
        for number, size in cached[key].cut.items():
            _tell(units[number], size)
    return [np.frombuffer(cached[key].rows).reshape(-1, COLUMNS) for key in keys]
