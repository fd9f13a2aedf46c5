r"""What does a sentence state, in the light of its text? By the network of ``pyramidion-writes``.

It is a small language model (SmolLM2's 135 million weights, thirty layers of Llama's kind) that learnt to write what
each sentence of a text states: short sentences, one fact each, in which nothing is left open that the text tells. A
text is read once. Then every sentence is read, and its statements are written piece by piece, each the most probable,
in the light of the whole text; no sentence knows of the others. So what is written depends on the text alone, and the
sentences of a text are written side by side. ``train/writes/network.py`` has the layers' mathematics.

*Long texts.* Beyond :data:`MOST_TEXT` word pieces a text is read in parts, each with the sentences before it that fit.

``MODEL.md`` in the distribution says what it was trained on; ``train/writes`` holds the commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from threading import BoundedSemaphore

import msgspec
import numpy as np
from numpy.typing import NDArray

from pyramidion.base.cache import Cache
from pyramidion.base.threads import Once, count, in_parallel
from pyramidion.language.models import weights
from pyramidion.language.models.distributions import WRITES, check
from pyramidion.language.models.graph_session import session
from pyramidion.language.text import byte_pairs

END, TEXT, SENTENCE, WRITE = 0, 1, 2, 5
"""Pieces that mark the end of what is written, and the beginning of a text, of a sentence and of its statements."""
LAYERS, HEADS, EACH = 30, 3, 64
MOST_TEXT, MOST_SENTENCE, MOST_WRITTEN = 400, 200, 240
"""Pieces: of a text that is read at once, of a sentence that is written out, and of its statements."""
ROWS = 24
"""Sentences that are written side by side, at most: the memory of a piece has 46 KB."""
AT_A_TIME = 64
"""Keys that a kernel adds up at once, at most: rows are filled up to multiples, so that company changes no bit."""
_NEVER = -1e4

Pieces = list[int]
Floats = NDArray[np.float32]
Memory = list[Floats]
"""By layer, the keys and values of pieces."""
_NOTHING: Memory = [np.zeros((2, HEADS, 0, EACH), np.float32)] * LAYERS


class WritingNetwork:
    """The network and its pieces, from one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._released = weights.digests(folder / "SHA256SUMS", WRITES.reinstall)
        self._graph = session(self._read_file("model.onnx"))
        self._pairs = byte_pairs.loads(self._read_file("pieces.json"), str(folder / "pieces.json"))
        self._free = BoundedSemaphore(count())

    def _read_file(self, name: str) -> bytes:
        return weights.read_checked(self._folder / name, self._released.get(name), "writes", WRITES.reinstall)

    def write(self, sentences: Sequence[str], which: Sequence[int]) -> list[list[str]]:
        """Return the statements of these sentences of a text; none for a sentence that is too long."""
        # Runs of white space count as one space; lone surrogates have no UTF-8 form.
        sentences = [" ".join(sentence.split()).encode("utf-8", "replace").decode() for sentence in sentences]
        pieces = [self._pairs.ids(sentence) for sentence in sentences]
        statements: dict[int, list[str]] = {number: [] for number in which}
        for before, first, last in parts([len(sentence) for sentence in pieces]):
            asked = [number for number in which if first <= number < last and 0 < len(pieces[number]) <= MOST_SENTENCE]
            if not asked:
                continue
            text = [TEXT, *self._pairs.ids(" ".join(sentences[before:last]))]
            read, size = [layer[0] for layer in self._read(text)[1]], len(text)
            for at in range(0, len(asked), ROWS):
                rows = asked[at : at + ROWS]
                for number, written in zip(rows, self._write(read, size, [pieces[row] for row in rows]), strict=True):
                    statements[number] = [
                        line.strip() for line in self._pairs.text(written).split("\n") if line.strip()
                    ]
        return list(statements.values())

    def _read(self, pieces: Pieces, text: Memory = _NOTHING, size: int = 0) -> tuple[NDArray[np.int64], Memory]:
        """Return the most probable piece after these, read in the light of a text, and their memory."""
        row, last = np.array([pieces]), np.array([len(pieces) - 1])
        return self._run(text, [layer[None] for layer in _NOTHING], row, size, np.zeros((1, 0), np.bool_), last)

    def _write(self, of_text: Memory, size: int, sentences: Sequence[Pieces]) -> list[Pieces]:
        """Return the statements of sentences, each row until it ends; a statement that is cut off is left out."""
        rows = [[SENTENCE, *sentence, WRITE] for sentence in sentences]
        ends = np.array([len(row) for row in rows])
        read = [self._read(row, of_text, size) for row in rows]
        next_ = np.concatenate([first for first, _ in read])
        # Rows of different lengths share an array, and a kernel's sums must not depend on the longest of them.
        width = -(-int(ends.max()) // AT_A_TIME) * AT_A_TIME
        past = [_side_by_side([memory[layer] for _, memory in read], width) for layer in range(LAYERS)]
        seen = np.arange(width) < ends[:, None]
        pieces_written: list[Pieces] = [[] for _ in rows]
        going = np.arange(len(rows))
        for _ in range(MOST_WRITTEN):
            for row, piece in zip(going.tolist(), next_.tolist(), strict=True):
                pieces_written[row].append(piece)
            # Rows that have ended leave, so that the others do not pay for them.
            on = next_ != END
            if not on.any():
                return [written[:-1] for written in pieces_written]
            if not on.all():
                going, next_, seen, past = going[on], next_[on], seen[on], [layer[on] for layer in past]
            places = size + ends[going] + np.array([len(pieces_written[row]) - 1 for row in going.tolist()])
            next_, past = self._run(
                of_text, past, next_[:, None], places[:, None], seen, np.zeros(len(going), np.int64)
            )
            seen = np.hstack([seen, np.ones((len(going), 1), np.bool_)])
        return [
            written[:-1] if written[-1] == END else _whole_lines(written, self._pairs.ids("\n")[0])
            for written in pieces_written
        ]

    def _run(
        self, text: Memory, past: Memory, pieces: NDArray[np.int64], places: NDArray[np.int64] | int,
        seen: NDArray[np.bool_], last: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], Memory]:  # fmt: skip
        """Return the most probable next piece of each row, and the memory of the row with its new pieces."""
        rows, new = pieces.shape
        at = np.broadcast_to(np.arange(new), (rows, new)) + places
        hidden = np.zeros((rows, 1, new, seen.shape[1] + new), np.float32)
        hidden[:, 0, :, : seen.shape[1]] = np.where(seen, 0, _NEVER)[:, None]
        # A new piece sees those before it, never those behind.
        hidden[:, 0, :, seen.shape[1] :] = np.triu(np.full((new, new), _NEVER, np.float32), 1)
        feeds = {
            "pieces": pieces.astype(np.int64),
            "places": at.astype(np.int64),
            "hidden": hidden,
            "last": last.astype(np.int64),
        }
        feeds |= {f"text.{number}": layer for number, layer in enumerate(text)}
        feeds |= {f"past.{number}": layer for number, layer in enumerate(past)}
        with self._free:
            next_, *now = self._graph.run(None, feeds)
        return next_, now


def _side_by_side(memory: Sequence[Floats], width: int) -> Floats:
    """Return a layer's memory of rows as one array, each filled up with zeros."""
    filled = np.zeros((len(memory), 2, HEADS, width, EACH), np.float32)
    for row, (layer,) in zip(filled, memory, strict=True):
        row[:, :, : layer.shape[2]] = layer
    return filled


def _whole_lines(pieces: Pieces, end: int) -> Pieces:
    """Return the pieces before the last end of a line: a statement that is cut off is left out."""
    return pieces[: len(pieces) - pieces[::-1].index(end) - 1] if end in pieces else []


def parts(sizes: Sequence[int], most: int = MOST_TEXT) -> Iterator[tuple[int, int, int]]:
    """Yield ranges of sentences that are read together: the first to read, then the first and last to write.

    >>> list(parts([150, 150, 150, 150]))
    [(0, 0, 2), (1, 2, 3), (2, 3, 4)]
    """
    ends = [0, *accumulate(sizes)]
    first = 0
    while first < len(sizes):
        before = next(start for start in range(first + 1) if start == first or ends[first] - ends[start] <= most // 2)
        last = max(end for end in range(first + 1, len(ends)) if end == first + 1 or ends[end] - ends[before] <= most)
        yield before, first, last
        first = last


def folder() -> Path:
    """Return where the distribution has its files."""
    check("The writer 'network'", {WRITES: "choose the writer 'rules'"})
    return WRITES.folder


@Once
def writing_network() -> WritingNetwork:
    """Return the network of the installed distribution, loaded once a process."""
    return WritingNetwork(folder())


_LINES = msgspec.msgpack.Decoder(list[list[str]])  # made before there are threads


@Once
def _statement_cache(folder: Path) -> Cache:
    return Cache(
        "statements", weights.combined_digest(sorted(weights.digests(folder / "SHA256SUMS", WRITES.reinstall).items()))
    )


def statement_lines(asked: Sequence[tuple[Sequence[str], Sequence[int]]]) -> list[list[list[str]]]:
    """Return the lines that the network writes for sentences of texts; cached lines need no network.

    Each text is given as its sentences and the numbers of those that are asked for.
    """
    if not any(which for _, which in asked):
        return [[] for _ in asked]
    cache = _statement_cache(folder())
    keys = [cache.key(" ".join(map(str, which)), *sentences) for sentences, which in asked]
    lines_of_texts = {key: _LINES.decode(value) for key, value in cache.get(keys).items()}
    missing = {key: pair for key, pair in zip(keys, asked, strict=True) if key not in lines_of_texts}
    if missing:
        network = writing_network()
        written = in_parallel(lambda pair: network.write(*pair), list(missing.values()), count())
        new = dict(zip(missing, written, strict=True))
        cache.put({key: msgspec.msgpack.encode(lines) for key, lines in new.items()})
        lines_of_texts |= new
    return [lines_of_texts[key] for key in keys]
