"""The embedded model: one pass of a small encoder gives sentences, tags, trees, discourse units and vectors.

The graph (``models/en-minilm/model.onnx``, made by ``train/language``) takes a window of words and returns, for each,
scores of tags, of being a sentence's or an EDU's first word, and of every possible head; relations are scored here,
for the chosen arcs alone. A window is a paragraph, or as much of it as fits, cut where a sentence surely ends; what
has no such place in reach is cut anyway, and a sentence ends there. Windows go through the graph one at a time:
quantization scales activations by the whole batch, so a batch would make results depend on their neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from io import BytesIO
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.threads import Once
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.language.models import weights
from pyramidion.language.models.graph_session import session
from pyramidion.language.parse.analysis import ROOT, Analysis, Word
from pyramidion.language.parse.pieces import CLS, SEP, piece_ids, shape
from pyramidion.language.parse.tree import best_tree
from pyramidion.language.text.lemmas import lemma
from pyramidion.language.text.sentences import line_breaks, sure_breaks

if TYPE_CHECKING:
    import onnxruntime

LAST_PLACE = 511
"""The encoder has 512 places; the last is for the end mark."""
SOME_WORDS, MOST_WORDS = 70, 300
"""A window has some words; if it must, to hold a sentence whole, more. English words make 1.1 pieces on average."""

Offsets = Sequence[tuple[int, int]]
Array = NDArray[np.float32]


@Once
def minilm(name: str = "en-minilm") -> MiniLM:
    """Return the model of that name under ``models/``, loaded once per process."""
    try:
        return MiniLM(name)
    except PyramidionError:
        raise
    except Exception as error:  # whatever onnxruntime and numpy make of a damaged file
        raise MissingPartError(
            f"The model {name!r} is missing or damaged ({type(error).__name__})", do="install pyramidion again"
        ) from error


def _session(name: str) -> onnxruntime.InferenceSession:
    return session(weights.read(weights.MODELS / name / "model.onnx"))


def fingerprint(name: str = "en-minilm") -> str:
    """Return a hash of all that decides results besides code: graph, subwords, and the words of a window.

    The model is not loaded.
    """
    return sha256(f"{weights.fingerprint(name)} {SOME_WORDS} {MOST_WORDS}".encode()).hexdigest()


def _word(text: str, span: tuple[int, int], upos: str, xpos: str, head: int, relation: str) -> Word:
    form = text[span[0] : span[1]]
    return Word(*span, form, lemma(form, upos, xpos), upos, xpos, head, relation)


class MiniLM:
    """The encoder with its heads."""

    def __init__(self, name: str) -> None:
        folder = weights.MODELS / name
        self.name = name
        self._graph = _session(name)
        labels = json.loads(weights.read(folder / "labels.json"))
        self._upos, self._xpos, self._relations = (labels[name] for name in ("upos", "xpos", "relation"))
        self._root = self._relations.index("root")
        with np.load(BytesIO(weights.read(folder / "relations.npz"))) as stored:
            self._scorer = {name: stored[name] for name in stored.files}

    @property
    def fingerprint(self) -> str:
        """The hash that tells its results from those of another model."""
        return fingerprint(self.name)

    def feeds(self, forms: Sequence[str], spaced: Sequence[bool]) -> dict[str, NDArray[np.int64]]:
        """Return the graph's inputs for one window of words."""
        (ids,) = piece_ids([forms])
        pieces, shapes, first = [CLS], [0], []
        for form, space, word_ids in zip(forms, spaced, ids, strict=True):
            first.append(len(pieces))
            pieces += word_ids
            shapes += [shape(form, space)] * len(word_ids)
        # Words beyond the encoder's places share the state of its last piece.
        feeds = {
            "pieces": np.array([[*pieces[:LAST_PLACE], SEP]], dtype=np.int64),
            "shapes": np.array([[*shapes[:LAST_PLACE], 0]], dtype=np.int64),
            "words": np.minimum(np.array([first], dtype=np.int64), LAST_PLACE - 1),
        }
        return feeds | {"mask": np.ones_like(feeds["pieces"])}

    def outputs(self, feeds: dict[str, NDArray[np.int64]], wanted: Sequence[str]) -> list[Array]:
        """Return the wanted outputs of the graph for one window."""
        outputs: list[Array] = self._graph.run(list(wanted), feeds)
        return [output[0] for output in outputs]

    def _run(self, text: str, words: Offsets, first: int, last: int, wanted: Sequence[str]) -> list[Array]:
        forms = [text[start:end] for start, end in words[first:last]]
        spaced = [index == 0 or words[index - 1][1] < words[index][0] for index in range(first, last)]
        return self.outputs(self.feeds(forms, spaced), wanted)

    def analyse(self, text: str, words: Offsets, sentences: Sequence[int] = ()) -> Analysis:
        """Return the analysis of a text whose words are known, and perhaps the words that start its sentences."""
        analysed: list[Word] = []
        first_words: list[int] = []
        edus: list[int] = []
        known = frozenset(sentences)
        lines = line_breaks(text, words)  # the model was trained on text without lines, so rules see to them
        for first, last in self.windows(text, words, known):
            parsed, starts, units = self._window(text, words, first, last, known, lines)
            analysed += parsed
            first_words += starts
            edus += units
        ranges = tuple(pairwise([*first_words, len(words)]))
        return Analysis(text, tuple(analysed), ranges, tuple(pairwise([*edus, len(words)])), True, self.name)

    def windows(self, text: str, words: Offsets, known: frozenset[int] = frozenset()) -> Iterator[tuple[int, int]]:
        """Yield ranges of words for one pass of the encoder: inside paragraphs, cut at sure ends of sentences."""
        inner = (i for i in range(1, len(words)) if text.count("\n", words[i - 1][1], words[i][0]) > 1)
        paragraphs = [0, *inner, len(words)]
        sure = known or frozenset(sure_breaks(text, words))
        for begin, end in pairwise(paragraphs):
            first = begin
            while first < end:
                last = end
                if end - first > SOME_WORDS:
                    # The last sure end within some words, else the first one beyond, else wherever the window is full.
                    shorter = (cut for cut in range(first + SOME_WORDS, first, -1) if cut in sure)
                    longer = (cut for cut in range(first + SOME_WORDS, min(end, first + MOST_WORDS)) if cut in sure)
                    last = next(chain(shorter, longer), min(end, first + MOST_WORDS))
                yield first, last
                first = last

    def _window(
        self, text: str, words: Offsets, first: int, last: int, known: frozenset[int], lines: frozenset[int]
    ) -> tuple[list[Word], list[int], list[int]]:
        """Return the words of a window with their analysis, and the indices that start sentences and EDUs."""
        names = ("upos", "xpos", "edu", "start", "arcs", "dependents", "heads")
        upos, xpos, edu, start, arcs, dependents, heads = self._run(text, words, first, last, names)
        if known:
            starts = [i for i in range(last - first) if i == 0 or first + i in known]
        else:
            starts = [i for i in range(last - first) if i == 0 or start[i] > 0 or first + i in lines]
        chosen = np.zeros(last - first, dtype=np.int64)
        for begin, end in pairwise([*starts, last - first]):
            # The root's column and the sentence's own: no arc leaves the sentence.
            columns = np.array([0, *range(begin + 1, end + 1)])
            tree = np.array(best_tree(arcs[begin:end][:, columns]))
            chosen[begin:end] = np.where(tree > 0, tree + begin, 0)
        relations = self._relate(dependents, heads[chosen], chosen)
        tags = [self._upos[k] for k in upos.argmax(-1)], [self._xpos[k] for k in xpos.argmax(-1)]
        tagged = [
            _word(text, span, up, xp, first + int(head) - 1 if head else ROOT, relation)
            for span, up, xp, head, relation in zip(words[first:last], *tags, chosen, relations, strict=True)
        ]
        units = sorted({*starts, *np.flatnonzero(edu > 0).tolist()})
        return tagged, [first + i for i in starts], [first + i for i in units]

    def _relate(self, dependents: Array, heads: Array, chosen: NDArray[np.int64]) -> list[str]:
        """Return the relation of each word to its head: ``root`` under the root, and nowhere else."""
        scorer = self._scorer
        scores = (dependents * heads) @ scorer["product"].T + scorer["bias"]
        scores += dependents @ scorer["dependent"].T + heads @ scorer["head"].T
        scores[:, self._root] = -np.inf
        best = np.where(chosen == 0, self._root, scores.argmax(-1))
        return [self._relations[k] for k in best]

    def vector(self, text: str, words: Offsets) -> Array:
        """Return the text's vector: that of its window, or the mean of its windows' by their length."""
        total: Array = np.zeros(384, dtype=np.float32)
        for first, last in self.windows(text, words):
            total += np.float32(last - first) * self._run(text, words, first, last, ("vector",))[0]
        total /= max(float(np.linalg.norm(total)), 1e-9)
        return total

    def states(self, text: str, words: Offsets) -> Array:
        """Return the last layer's state at each word's first piece, at unit length: word vectors in their context."""
        rows: list[Array] = []
        for first, last in self.windows(text, words):
            (states,) = self._run(text, words, first, last, ("states",))
            (ids,) = piece_ids([[text[start:end] for start, end in words[first:last]]])
            places = np.cumsum([1, *(len(word_ids) for word_ids in ids[:-1])])
            rows.append(states[np.minimum(places, LAST_PLACE - 1)])
        stacked: Array = np.concatenate(rows) if rows else np.zeros((0, 384), dtype=np.float32)
        stacked /= np.maximum(np.linalg.norm(stacked, axis=1, keepdims=True), 1e-9)
        return stacked
