"""Does a premise entail a hypothesis? By any sequence-classification model of the ``transformers`` library.

The only module that knows ``transformers`` and ``torch`` (extra ``neural``). A model is a folder, or a name of the
Hugging Face hub that is in this machine's cache; nothing is fetched unless :func:`load` is told to. It is loaded once a
process, on the GPU if there is one, there in half precision.

*Logits.* A head of k classes gives k logits z for a pair. A head of one (a cross-encoder) is the odds of two classes:
it counts as (z, 0), whose softmax is the sigmoid of z. Which class is entailment the label names say
(:func:`entailment_of`), or whoever asks.

*Windows.* A hypothesis keeps at most half of what the model can read, and a warning says when one is cut. A premise is
never cut: one that does not fit is read in windows that overlap by half, so that whatever is shorter than half a window
stands whole in one of them; a pair has one row of logits for each.

*Batches.* Every text is tokenised once, however many pairs it is in, and the pieces are joined in the tokenizer's own
frame (``[CLS] premise [SEP] hypothesis [SEP]``, ``<s> premise </s></s> hypothesis </s>``). Distinct pairs are sorted by
length, some thousand at a time, longest first, and read in batches of so many tokens, padding included; another thread
lays out the next ones meanwhile. A batch that is too big for the memory is halved, and so are those after it. In full
precision (always on a CPU) a pair's company moves its logits by the last bits only, and its probability by less than
1e-5; in half precision by more, so a run that must not depend on company at all asks for full precision.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import InputWarning, MissingPartError, PyramidionError

__all__ = ["WINDOW", "Entailment", "Frame", "Pair", "entailment_of", "load", "windows"]

Numbers = NDArray[np.float64]
Pieces = NDArray[np.int64]
Places = NDArray[np.intp]
T = TypeVar("T")
Pair = tuple[str, str]
"""A premise and a hypothesis."""

WINDOW = 512
"""Tokens of a pair, for a model that does not say how many it can read."""
ON_CPU, ON_GPU = 1 << 12, 1 << 15
"""Tokens of a batch."""
FIRST, SORTED = 1 << 9, 1 << 12
"""Pairs that are sorted together: first a few, so that a GPU can begin, then many."""
AHEAD = 16
"""Batches that are made in advance."""
KEPT = 1 << 17
"""Pairs whose logits are remembered."""
_ENTAILMENT = frozenset({"entail", "entailed", "entailment", "entails"})


def entailment_of(labels: Sequence[str], given: int = -1) -> int:
    """Which class of a head is entailment: the one given, else the one of that name; the only one of a single logit.

    >>> entailment_of(["CONTRADICTION", "NEUTRAL", "ENTAILMENT"]), entailment_of(["entailment", "not_entailment"])
    (2, 0)
    """
    shown = ", ".join(labels)
    if given >= 0:
        if given >= len(labels):
            raise PyramidionError(f"the model has no class {given}", do=f"count from 0; its classes are {shown}")
        return given
    if len(labels) == 1:
        return 0
    found = [place for place, label in enumerate(labels) if label.strip().casefold() in _ENTAILMENT]
    if len(found) != 1:
        raise PyramidionError(
            f"none of the model's classes is called entailment, they are {shown}"
            if not found
            else f"several of the model's classes are called entailment: {shown}",
            do=f"say which one it is: entailment=INDEX, 0 to {len(labels) - 1} (the model's card tells)",
        )
    return found[0]


def windows(pieces: int, room: int) -> list[int]:
    """Where windows of so much room begin in so many pieces, the next one half a window on, the last one at the end.

    >>> windows(4, 8), windows(20, 8)
    ([0], [0, 4, 8, 12])
    """
    if pieces <= room:
        return [0]
    return [*range(0, pieces - room, (room + 1) // 2), pieces - room]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What a tokenizer puts before, between and behind the pieces of two texts."""

    around: tuple[Pieces, Pieces, Pieces]
    kinds: Pieces | None
    """The token type of each of these, and, in its place among them, of either text; none if the model has no types."""

    @property
    def size(self) -> int:
        """The pieces that are the frame's own."""
        return sum(map(len, self.around))

    @classmethod
    def of(cls, tokenizer: Any) -> Frame:
        """The frame of a tokenizer, read off one pair and checked on another."""
        frame = cls._read(tokenizer, "a", "a b")
        texts = [_pieces(tokenizer, text) for text in ("b a b", "b")]
        if frame.ids(texts[:1], texts[1:]).tolist() != list(tokenizer("b a b", "b")["input_ids"]):
            raise PyramidionError(
                "the model's tokenizer does not read the two texts of a pair apart", do="name another model"
            )
        return frame

    @classmethod
    def _read(cls, tokenizer: Any, *texts: str) -> Frame:
        encoded = tokenizer(*texts)
        whole = np.array(encoded["input_ids"], np.int64)
        bounds = [0]
        for own in (_pieces(tokenizer, text) for text in texts):
            starts = range(bounds[-1], len(whole) - len(own) + 1)
            at = next((one for one in starts if np.array_equal(whole[one : one + len(own)], own)), bounds[-1])
            bounds += [at, at + len(own)]
        _, first, until, second, behind = bounds
        kinds = None
        if "token_type_ids" in encoded:
            texts_once = [*range(first + 1), *range(until, second + 1), *range(behind, len(whole))]
            kinds = np.array(encoded["token_type_ids"], np.int64)[texts_once]
        return cls((whole[:first], whole[until:second], whole[behind:]), kinds)

    def ids(self, premises: Sequence[Pieces], hypotheses: Sequence[Pieces]) -> Pieces:
        """The pieces of pairs, one pair behind the other."""
        before, between, behind = self.around
        pairs = zip(premises, hypotheses, strict=True)
        return np.concatenate([part for one, other in pairs for part in (before, one, between, other, behind)])

    def types(self, premises: Sequence[Pieces], hypotheses: Sequence[Pieces]) -> Pieces:
        """Their token types."""
        assert self.kinds is not None
        times = np.ones((len(premises), len(self.kinds)), np.intp)
        first = len(self.around[0])
        times[:, first] = list(map(len, premises))
        times[:, first + 1 + len(self.around[1])] = list(map(len, hypotheses))
        return np.repeat(np.tile(self.kinds, len(premises)), times.ravel())


def _pieces(tokenizer: Any, text: str) -> Pieces:
    return np.array(tokenizer(text, add_special_tokens=False)["input_ids"], np.int64)


class _Row(NamedTuple):
    """One window of a premise, with a hypothesis."""

    pair: int
    premise: Pieces
    hypothesis: Pieces

    @property
    def size(self) -> int:
        return len(self.premise) + len(self.hypothesis)


def _ahead(batches: Iterator[T]) -> Iterator[T]:
    """The same, some of them made in advance by another thread, so that a GPU does not wait for the next."""
    with ThreadPoolExecutor(1) as other:
        coming = deque(other.submit(next, batches, None) for _ in range(AHEAD))
        while (found := coming.popleft().result()) is not None:
            coming.append(other.submit(next, batches, None))
            yield found


class Entailment:
    """A loaded model."""

    def __init__(self, name: str, tokenizer: Any, model: Any, *, full: bool = False, tokens: int = 0) -> None:
        """``full`` is full precision on a GPU, too; ``tokens`` those of a batch, if not as many as suit the device."""
        self._torch = import_module("torch")
        self.name = name
        self.device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self.half = self.device == "cuda" and not full
        self.tokens = tokens or (ON_GPU if self.device == "cuda" else ON_CPU)
        try:
            self._model = model.eval().to(self.device, self._torch.float16 if self.half else self._torch.float32)
        except RuntimeError as error:
            if _out_of_memory(error):
                raise PyramidionError(
                    f"the device's memory is too small for the model {name!r}",
                    do="end what else uses it, or go without the GPU: set CUDA_VISIBLE_DEVICES to nothing",
                ) from error
            raise
        self._tokenizer = tokenizer
        self.labels: tuple[str, ...] = _labels(model.config)
        self.frame = Frame.of(tokenizer)
        self.window = _window(tokenizer, model)
        if self.window < self.frame.size + 4:
            raise PyramidionError(f"the model {name!r} reads {self.window} tokens at most", do="name another model")
        self._pad = _padding(tokenizer, model)
        self._width = max(2, len(self.labels))
        self._known: dict[Pair, list[float]] = {}
        self._cut: set[str] = set()

    def logits(self, pairs: Sequence[Pair]) -> tuple[Numbers, Places]:
        """A row of logits for each window of a pair's premise, pair after pair, and how many rows each pair has.

        A pair has none if either of its texts is blank.
        """
        new = sorted(pair for pair in dict.fromkeys(pairs) if pair not in self._known)
        if new:
            self._known |= zip(new, self._read(new), strict=True)
        found = [self._known[pair] for pair in pairs]
        while len(self._known) > KEPT:
            del self._known[next(iter(self._known))]
        rows = np.array(list(chain.from_iterable(found)), np.float64).reshape(-1, self._width)
        return rows, np.array(list(map(len, found)), np.intp) // self._width

    def _read(self, pairs: Sequence[Pair]) -> list[list[float]]:
        """The rows of each pair, one behind the other."""
        owners: list[int] = []
        values = self._finite(pairs, owners)
        order = np.argsort(owners, kind="stable")  # windows of a pair are of one size, so still in order
        bounds = np.cumsum([0, *np.bincount(owners, minlength=len(pairs)) * self._width]).tolist()
        flat = values[order].ravel().tolist()
        return [flat[first:last] for first, last in pairwise(bounds)]

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[tuple[list[_Row], dict[str, Any]]]:
        """Rows of about one length, and what the model reads of them; some thousand pairs are sorted at a time."""
        pieces: dict[str, Pieces] = {}
        for first, last in pairwise([0, *range(FIRST, len(pairs), SORTED), len(pairs)]):
            rows = sorted(self._rows(pairs, first, last, pieces), key=lambda row: -row.size)
            at = 0
            while at < len(rows):
                size = 1 if self._pad is None else max(1, self.tokens // (rows[at].size + self.frame.size))
                yield rows[at : at + size], self._tensors(rows[at : at + size])
                at += size

    def _rows(self, pairs: Sequence[Pair], first: int, last: int, pieces: dict[str, Pieces]) -> Iterator[_Row]:
        texts = [text for text in dict.fromkeys(chain.from_iterable(pairs[first:last])) if text not in pieces]
        if texts:
            clean = [" ".join(text.encode("utf-8", "replace").decode().split()) for text in texts]
            encoded = self._tokenizer(clean, add_special_tokens=False, verbose=False)["input_ids"]
            pieces |= {text: np.array(own, np.int64) for text, own in zip(texts, encoded, strict=True)}
        free = self.window - self.frame.size
        for number in range(first, last):
            premise, hypothesis = pairs[number]
            said, asked = pieces[premise], pieces[hypothesis]
            if not len(said) or not len(asked):
                continue
            if len(asked) > free // 2:
                self._tell(hypothesis, len(asked), free // 2)
                asked = asked[: free // 2]
            room = free - len(asked)
            if len(said) <= room:
                yield _Row(number, said, asked)
            else:
                yield from (_Row(number, said[start : start + room], asked) for start in windows(len(said), room))

    def _tell(self, hypothesis: str, size: int, kept: int) -> None:
        """A warning that a hypothesis is cut, once for each."""
        if hypothesis not in self._cut:
            self._cut.add(hypothesis)
            warnings.warn(
                f"the unit {hypothesis[:60]!r}... has {size} tokens, more than {self.name} can read beside a summary; "
                f"only its first {kept} are judged",
                InputWarning,
                stacklevel=2,
            )

    def _finite(self, pairs: Sequence[Pair], owners: list[int]) -> Numbers:
        """The logits of all rows, and whose they are; again in full precision if half is too little for the model."""
        found = self._all(pairs, owners)
        if not np.isfinite(found).all() and self.half:
            self.half = False
            self._model.float()
            found = self._all(pairs, owners)
        if not np.isfinite(found).all():
            raise PyramidionError(
                f"the model {self.name!r} gives numbers that are not finite", do="its weights are damaged: get it again"
            )
        return found

    def _all(self, pairs: Sequence[Pair], owners: list[int]) -> Numbers:
        owners.clear()
        found = []
        for rows, tensors in _ahead(self._batches(pairs)):
            owners += (row.pair for row in rows)
            found += self._forward(rows, tensors)
        if not found:
            return np.zeros((0, self._width))
        values: Numbers = self._torch.cat(found).double().cpu().numpy()  # until here nobody waits for the device
        return values if values.shape[1] == self._width else np.hstack((values, np.zeros_like(values)))

    def _forward(self, rows: Sequence[_Row], tensors: dict[str, Any]) -> list[Any]:
        """The logits of a batch, still on the device; those of its halves if the memory does not suffice."""
        logits = self._tried(tensors)
        if logits is not None:
            return [logits]
        if len(rows) == 1:
            raise PyramidionError(
                f"the memory is too small for one pair of texts and the model {self.name!r}",
                do="end what else uses the memory, or name a smaller model",
            )
        half = len(rows) // 2
        self.tokens = min(self.tokens, half * tensors["input_ids"].shape[1])
        tensors.clear()
        self._torch.cuda.empty_cache()
        return [
            *self._forward(rows[:half], self._tensors(rows[:half])),
            *self._forward(rows[half:], self._tensors(rows[half:])),
        ]

    def _tried(self, tensors: dict[str, Any]) -> Any:
        """The logits of a batch, or none if the memory does not suffice."""
        try:
            with self._torch.inference_mode():
                there = {name: one.to(self.device, non_blocking=True) for name, one in tensors.items()}
                return self._model(**there).logits.float()
        except (MemoryError, RuntimeError) as error:
            if _out_of_memory(error):
                return None
            raise

    def _tensors(self, rows: Sequence[_Row]) -> dict[str, Any]:
        """What the model reads, in memory from which it can be copied to a GPU while that works."""
        sizes = np.array([row.size + self.frame.size for row in rows])
        step = 1 if self._pad is None else 8  # which a GPU's matrices like
        longest = min(self.window, -(-int(sizes.max()) // step) * step)
        places = np.arange(longest)
        if self._tokenizer.padding_side == "left":
            places = places[::-1]
        filled = places < sizes[:, None]
        texts = [row.premise for row in rows], [row.hypothesis for row in rows]
        inputs = {
            "input_ids": np.full(filled.shape, self._pad or 0, np.int64),
            "attention_mask": filled.astype(np.int64),
        }
        inputs["input_ids"][filled] = self.frame.ids(*texts)
        if self.frame.kinds is not None:
            inputs["token_type_ids"] = np.zeros(filled.shape, np.int64)
            inputs["token_type_ids"][filled] = self.frame.types(*texts)
        tensors = {name: self._torch.from_numpy(values) for name, values in inputs.items()}
        return tensors if self.device == "cpu" else {name: one.pin_memory() for name, one in tensors.items()}


def _out_of_memory(error: Exception) -> bool:
    """Whether that was it; torch says so in an error of its own for a GPU, and in a message for the processor."""
    said = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in said)


def _labels(config: Any) -> tuple[str, ...]:
    names: Mapping[int, str] = config.id2label
    return tuple(str(names.get(place, f"LABEL_{place}")) for place in range(config.num_labels))


def _window(tokenizer: Any, model: Any) -> int:
    """The tokens of a pair: what tokenizer and places allow. Some models count places from behind the padding's."""
    places = getattr(model.config, "max_position_embeddings", None) or WINDOW
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            places -= module.padding_idx + 1
    return int(min(places, tokenizer.model_max_length))


def _padding(tokenizer: Any, model: Any) -> int | None:
    """The piece that fills rows up, which the model is told of; none if neither has one."""
    for known in (tokenizer.pad_token_id, model.config.pad_token_id):
        if known is not None:
            model.config.pad_token_id = known
            return int(known)
    return None


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Without the library's bars and its report of what a file lacked, of which we tell ourselves."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@cache
def load(name: str, *, fetch: bool = False, full: bool = False) -> Entailment:
    """The model in that folder or of that name on the hub, which is only fetched, if it is not here, with ``fetch``."""
    try:
        import_module("torch")
        transformers = import_module("transformers")
    except ImportError as error:
        raise MissingPartError(
            f"nli:{name} needs a library that is not installed ({error})", do="run: pip install 'pyramidion[neural]'"
        ) from error
    folder = Path(name).expanduser()
    try:
        source = str(folder) if folder.is_dir() else _cached(name) or (name if fetch else "")
        if not source:
            raise FileNotFoundError(name)
        given = {"local_files_only": not fetch, "trust_remote_code": False}
        with _quiet(transformers):
            tokenizer = transformers.AutoTokenizer.from_pretrained(source, **given)
            model, found = transformers.AutoModelForSequenceClassification.from_pretrained(
                source, output_loading_info=True, **given
            )
    except Exception as error:  # the library and those under it raise whatever they like for what is not a model
        raise _not_loaded(name, folder, fetch, error) from error
    if found["missing_keys"] or found["mismatched_keys"]:
        lacking = ", ".join(sorted(map(str, [*found["missing_keys"], *found["mismatched_keys"]]))[:3])
        raise PyramidionError(
            f"the model {name!r} was not trained to classify (its weights lack {lacking})",
            do="name one for sequence classification, such as an NLI model or a cross-encoder",
        )
    return Entailment(name, tokenizer, model, full=full)


def _cached(name: str) -> str | None:
    """The folder of a hub's model in the local cache. Given its name the library asks the network, even told not to."""
    file = import_module("huggingface_hub").try_to_load_from_cache(name, "config.json")
    return str(Path(file).parent) if isinstance(file, str) else None


def _not_loaded(name: str, folder: Path, fetch: bool, error: Exception) -> PyramidionError:
    said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if isinstance(error, ImportError):
        return MissingPartError(f"the model {name!r} needs a library that is not installed ({said})", do="install it")
    if folder.is_dir():
        return PyramidionError(
            f"the folder holds no model for sequence classification that can be read ({said})",
            str(folder),
            "save tokenizer and model there with save_pretrained",
        )
    if folder.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        return PyramidionError("there is no such folder", str(folder), "name a folder that holds a model")
    if fetch:
        return PyramidionError(
            f"the model {name!r} cannot be fetched ({said})", do="check its name and the network, or name a folder"
        )
    return MissingPartError(
        f"the model {name!r} is not on this machine",
        do=f"name a folder that holds it, or let the hub's be fetched: nli:{name}(fetch=true)",
    )
