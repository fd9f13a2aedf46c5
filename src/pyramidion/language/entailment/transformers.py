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
the length of their premises and, some thousand at a time, by the number of their pieces, longest first, and read in
batches of so many tokens, padding included. That a GPU need not wait, another thread tokenises the next pairs
meanwhile, batches are laid out and given to it ahead, and logits are fetched once, at the end. A batch that is too big
for the memory is halved, and so are those after it. In full precision (always on a CPU) a pair's company moves its
logits by the last bits only, and its probability by less than 1e-5; in half precision by more, so a run that must not
depend on company at all asks for full precision.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.language.models.weights import on_this_machine
from pyramidion.notes import note

Numbers = NDArray[np.float64]
Logits = NDArray[np.float32]
Pieces = NDArray[np.int64]
Places = NDArray[np.intp]
Pair = tuple[str, str]
"""A premise and a hypothesis."""

WINDOW = 512
"""Tokens of a pair, for a model that does not say how many it can read."""
ON_CPU, ON_GPU = 1 << 12, 100 << 20
"""Tokens of a batch on a CPU; on a GPU, tokens times the model's width, so that computing outlasts launching."""
FIRST, PART = 1 << 10, 1 << 12
"""Pairs that are tokenised together: few first, so that a GPU can begin, then as many as all before, to a limit."""
QUEUES = 3
"""Batches that a GPU is given at a time."""
KEPT = 1 << 17
"""Pairs whose logits are remembered; before there are more, all are forgotten."""
_ENTAILMENT = frozenset({"entail", "entailed", "entailment", "entails"})
_CONTRADICTION = frozenset({"contradict", "contradicted", "contradiction", "contradictory", "contradicts"})


def entailment_of(labels: Sequence[str], given: int = -1) -> int:
    """Return the class of a head that is entailment: the one given, else the one of that name, or the only one.

    >>> entailment_of(["CONTRADICTION", "NEUTRAL", "ENTAILMENT"]), entailment_of(["entailment", "not_entailment"])
    (2, 0)
    """
    shown = ", ".join(labels)
    if given >= 0:
        if given >= len(labels):
            raise PyramidionError(f"The model has no class {given}", do=f"count from 0; its classes are {shown}")
        return given
    if len(labels) == 1:
        return 0
    matching = [place for place, label in enumerate(labels) if label.strip().casefold() in _ENTAILMENT]
    if len(matching) != 1:
        raise PyramidionError(
            f"None of the model's classes is called entailment, they are {shown}"
            if not matching
            else f"Several of the model's classes are called entailment: {shown}",
            do=f"say which one it is: entailment=INDEX, 0 to {len(labels) - 1} (the model's card tells)",
        )
    return matching[0]


def contradiction_of(labels: Sequence[str], entailment: int) -> int | None:
    """Return the class of a head that is contradiction, by its name; None if not exactly one other class has it.

    >>> contradiction_of(["contradiction", "neutral", "entailment"], 2), contradiction_of(["entailment", "not"], 0)
    (0, None)
    """
    matching = [
        place
        for place, label in enumerate(labels)
        if label.strip().casefold() in _CONTRADICTION and place != entailment
    ]
    return matching[0] if len(matching) == 1 else None


def _runs(starts: Places, counts: Places) -> Places:
    """Return so many numbers from each start on: two from 5 and three from 0 are 5, 6, 0, 1, 2."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def windows(pieces: Places, room: Places) -> tuple[Places, Places]:
    """Cut texts of so many pieces into windows of so much room: return each window's text and its start there.

    Windows overlap by half; the last one ends with the text.

    >>> windows(np.array([4, 20]), np.array([8, 8]))
    (array([0, 1, 1, 1, 1]), array([ 0,  0,  4,  8, 12]))
    """
    beyond, step = np.maximum(0, pieces - room), (room + 1) // 2
    counts = 1 - -beyond // step
    owners = np.repeat(np.arange(len(counts)), counts)
    return owners, np.minimum(_runs(np.zeros_like(counts), counts) * step[owners], beyond[owners])


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The special pieces that a tokenizer puts before, between and behind the pieces of two texts."""

    pieces: Pieces
    """The frame's pieces, with a placeholder for either text."""
    texts: tuple[int, int]
    """The places of the two texts among them."""
    kinds: Pieces | None
    """The token type of each; none if the model has no types."""

    @property
    def size(self) -> int:
        """The pieces that are the frame's own."""
        return len(self.pieces) - 2

    @classmethod
    def of(cls, tokenizer: Any) -> Frame:
        """Return the frame of a tokenizer, read off one pair and checked on another."""
        frame = cls._read(tokenizer, "a", "a b")
        texts = [_pieces(tokenizer, text) for text in ("b a b", "b")]
        starts = len(frame.pieces) + np.array([[0, len(texts[0])]])
        ids, _ = frame.join(np.concatenate((frame.pieces, *texts)), starts, np.array([list(map(len, texts))]))
        if ids.tolist() != list(tokenizer("b a b", "b")["input_ids"]):
            raise PyramidionError(
                "The model's tokenizer does not read the two texts of a pair apart", do="name another model"
            )
        return frame

    @classmethod
    def _read(cls, tokenizer: Any, *texts: str) -> Frame:
        """Read a frame off an encoded pair: what is left when the pieces of both texts are taken out."""
        encoded = tokenizer(*texts)
        whole = np.array(encoded["input_ids"], np.int64)
        bounds = [0]
        for pieces in (_pieces(tokenizer, text) for text in texts):
            starts = range(bounds[-1], len(whole) - len(pieces) + 1)
            at = next(
                (start for start in starts if np.array_equal(whole[start : start + len(pieces)], pieces)), bounds[-1]
            )
            bounds += [at, at + len(pieces)]
        _, first, until, second, behind = bounds
        texts_once = [*range(first + 1), *range(until, second + 1), *range(behind, len(whole))]
        types = encoded.get("token_type_ids")
        kinds = None if types is None else np.array(types, np.int64)[texts_once]
        return cls(whole[texts_once], (first, first + 1 + second - until), kinds)

    def join(self, pieces: Pieces, starts: Places, sizes: Places) -> tuple[Pieces, Pieces | None]:
        """Return the pieces of pairs, one pair behind the other, and their token types.

        ``pieces`` are the frame's and those of texts; ``starts`` and ``sizes`` say for each pair (row) where in them
        premise and hypothesis (columns) begin, and how many they have.
        """
        segments = len(starts), len(self.pieces)
        froms, times = np.tile(np.arange(segments[1]), (segments[0], 1)), np.ones(segments, np.intp)
        froms[:, self.texts], times[:, self.texts] = starts, sizes
        kinds = None if self.kinds is None else np.repeat(np.tile(self.kinds, len(starts)), times.ravel())
        return pieces[_runs(froms.ravel(), times.ravel())], kinds


def _pieces(tokenizer: Any, text: str) -> Pieces:
    return np.array(tokenizer(text, add_special_tokens=False)["input_ids"], np.int64)


class _Rows(NamedTuple):
    """Pairs, or windows of them."""

    pieces: Pieces
    """The frame's, and those of all texts."""
    pairs: Places
    """The pair that each row belongs to."""
    starts: Places
    """The places among the pieces where premise and hypothesis begin."""
    sizes: Places
    """The number of pieces of premise and hypothesis."""

    def some(self, places: slice | Places) -> _Rows:
        return _Rows(self.pieces, self.pairs[places], self.starts[places], self.sizes[places])


class Entailment:
    """A loaded model."""

    def __init__(self, name: str, tokenizer: Any, model: Any, *, full: bool = False, tokens: int = 0) -> None:
        """``full`` keeps full precision on a GPU, too; ``tokens`` is a batch's size, 0 for what suits the device."""
        self._torch = import_module("torch")
        self.name = name
        self.device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self.half = self.device == "cuda" and not full
        width = getattr(model.config, "hidden_size", None) or 1024
        self.tokens = tokens or (ON_GPU // width if self.device == "cuda" else ON_CPU)
        try:
            self._model = model.eval().to(self.device, self._torch.float16 if self.half else self._torch.float32)
        except RuntimeError as error:
            if _out_of_memory(error):
                raise PyramidionError(
                    f"The device's memory is too small for the model {name!r}",
                    do="end what else uses it, or go without the GPU: set CUDA_VISIBLE_DEVICES to nothing",
                ) from error
            raise
        self._tokenizer = tokenizer
        self.labels: tuple[str, ...] = _labels(model.config)
        self.frame = Frame.of(tokenizer)
        self.window = _window(tokenizer, model)
        if self.window < self.frame.size + 4:
            raise PyramidionError(f"The model {name!r} reads {self.window} tokens at most", do="name another model")
        self._pad = _padding(tokenizer, model)
        self._width = max(2, len(self.labels))
        self._queues = _queues() if self.device == "cuda" else deque()
        self._forget()

    def _forget(self) -> None:
        self._known: dict[Pair, int] = {}
        self._logits = np.zeros((0, self._width), np.float32)
        self._counts = np.zeros(0, np.intp)

    def logits(self, pairs: Sequence[Pair]) -> tuple[Numbers, Places]:
        """Return a row of logits for each window of a pair's premise, pair after pair, and how many rows each pair has.

        A pair has none if either of its texts is blank.
        """
        distinct = dict.fromkeys(pairs)
        new = [pair for pair in distinct if pair not in self._known]
        # More names than counts: an earlier call was interrupted between naming its pairs and storing their logits.
        full, broken_off = len(self._known) + len(new) > KEPT, len(self._known) > len(self._counts)
        if (new and full) or broken_off:
            self._forget()
            new = list(distinct)
        waiting = self._compute_logits(new) if new else None
        self._known.update(zip(new, count(len(self._known)), strict=False))
        known = np.fromiter(map(self._known.__getitem__, pairs), np.intp, len(pairs))
        if waiting:  # until here nobody waited for the device
            self._remember(new, *waiting)
        firsts, counts = (np.cumsum(self._counts) - self._counts)[known], self._counts[known]
        return self._logits[_runs(firsts, counts)].astype(np.float64), counts

    def _remember(self, pairs: Sequence[Pair], found: Any, owners: Places) -> None:
        """Fetch the logits of new pairs; compute them again in full precision if half is too little for the model."""
        logits = found.cpu().numpy()
        if not np.isfinite(logits).all() and self.half:
            self.half = False
            self._model.float()
            logits = self._compute_logits(pairs)[0].cpu().numpy()
        if not np.isfinite(logits).all():
            raise PyramidionError(
                f"The model {self.name!r} gives numbers that are not finite", do="its weights are damaged: get it again"
            )
        odds = np.zeros((len(logits), self._width - len(self.labels)), np.float32)
        order = np.argsort(owners, kind="stable")  # windows of a pair are of one size, so still in order
        self._logits = np.concatenate((self._logits, np.hstack((logits, odds))[order]))
        self._counts = np.concatenate((self._counts, np.bincount(owners, minlength=len(pairs))))

    def _compute_logits(self, pairs: Sequence[Pair]) -> tuple[Any, Places]:
        """Return a row of logits for each window, still on the device, and the number of its pair."""
        owners, logits = [np.zeros(0, np.intp)], [self._torch.zeros(0, len(self.labels), device=self.device)]
        for part in self._parts(pairs):
            rows = self._fit_windows(part, pairs)
            owners.append(rows.pairs)
            at = 0
            while left := len(rows.pairs) - at:
                longest = int(rows.sizes[at].sum()) + self.frame.size
                batches = left if self._pad is None else -(-left * longest // self.tokens)
                # Batches of about one size, instead of full ones and a small rest.
                size = max(1, left // batches)
                logits += self._forward(rows.some(slice(at, at + size)))
                at += size
        for queue in self._queues:
            self._torch.cuda.current_stream().wait_stream(queue)
        return self._torch.cat(logits), np.concatenate(owners)

    def _parts(self, pairs: Sequence[Pair]) -> Iterator[_Rows]:
        """Yield the pairs, those of the longest premise first, some thousand at a time; another thread goes ahead."""
        # The inner sort makes the order of texts of one length, and so the batches, the same in every process.
        texts = sorted(sorted({*chain.from_iterable(pairs)}), key=len, reverse=True)
        places = {text: place for place, text in enumerate(texts)}
        places_in_turn = map(places.__getitem__, chain.from_iterable(pairs))
        text_places = np.fromiter(places_in_turn, np.intp, 2 * len(pairs)).reshape(-1, 2)
        # By premise first, then by hypothesis: the longest texts have the smallest places.
        order = np.argsort(text_places @ [len(texts), 1])
        bounds = [FIRST]
        while bounds[-1] < len(pairs):
            bounds.append(bounds[-1] + min(bounds[-1], PART))
        parts = np.split(order, bounds[:-1])
        with ThreadPoolExecutor(1) as executor:
            map_parts: Callable[..., Iterator[_Rows]] = executor.map if len(parts) > 1 else map
            yield from map_parts(partial(self._encode, texts, {}), parts, (text_places[part] for part in parts))

    def _encode(self, texts: Sequence[str], known: dict[int, list[int]], pairs: Places, said: Places) -> _Rows:
        """Return some of the pairs as rows, by the places of their texts; new texts are tokenised."""
        used, which = np.unique(said, return_inverse=True)
        new = [place for place in used.tolist() if place not in known]
        if new:
            # Fast tokenizers refuse lone surrogates; runs of white space count as one space.
            clean = [" ".join(texts[place].encode("utf-8", "replace").decode().split()) for place in new]
            known |= zip(new, self._tokenise(clean), strict=True)
        pieces = [self.frame.pieces.tolist(), *map(known.__getitem__, used.tolist())]
        bounds = np.cumsum(list(map(len, pieces)))
        all_pieces = np.fromiter(chain.from_iterable(pieces), np.int64, bounds[-1])
        which = which.reshape(said.shape)
        return _Rows(all_pieces, pairs, bounds[which], np.diff(bounds)[which])

    def _tokenise(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the pieces of each text; a fast tokenizer is asked for the pieces alone."""
        fast = getattr(self._tokenizer, "backend_tokenizer", None)  # which cuts and pads nothing since the frame's call
        if fast is not None:
            return [encoding.ids for encoding in fast.encode_batch_fast(texts, add_special_tokens=False)]
        pieces: list[list[int]] = self._tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        return pieces

    def _fit_windows(self, rows: _Rows, pairs: Sequence[Pair]) -> _Rows:
        """Return the windows of all pairs that have no blank text, longest first."""
        rows = rows.some(np.flatnonzero(rows.sizes.all(axis=1)))
        free = self.window - self.frame.size
        for place in np.flatnonzero(rows.sizes[:, 1] > free // 2):
            self._tell(pairs[rows.pairs[place]][1], rows.sizes[place, 1], free // 2)
        premises, hypotheses = rows.sizes[:, 0], np.minimum(rows.sizes[:, 1], free // 2)
        room = free - hypotheses
        owners, starts = windows(premises, room)
        sizes = np.stack((np.minimum(premises, room), hypotheses), axis=1)
        starts = rows.starts[owners] + np.stack((starts, np.zeros_like(starts)), axis=1)
        order = np.argsort(-sizes.sum(axis=1)[owners], kind="stable")
        return _Rows(rows.pieces, rows.pairs[owners], starts, sizes[owners]).some(order)

    def _tell(self, hypothesis: str, size: int, kept: int) -> None:
        """Note that a hypothesis is cut."""
        note(
            f"The unit {hypothesis[:60]!r}... has {size} tokens, more than {self.name} can read beside a summary; "
            f"only its first {kept} are judged"
        )

    def _forward(self, rows: _Rows) -> list[Any]:
        """Return the logits of a batch, still on the device; those of its halves if the memory does not suffice."""
        logits = self._run_batch(rows)
        if logits is not None:
            return [logits]
        half = len(rows.pairs) // 2
        if not half:
            raise PyramidionError(
                f"The memory is too small for one pair of texts and the model {self.name!r}",
                do="end what else uses the memory, or name a smaller model",
            )
        # Batches that come later are no larger than what has just been seen to be too much, halved.
        self.tokens = min(self.tokens, half * int(rows.sizes[0].sum() + self.frame.size))
        self._torch.cuda.empty_cache()
        return [*self._forward(rows.some(slice(half))), *self._forward(rows.some(slice(half, None)))]

    def _run_batch(self, rows: _Rows) -> Any:
        """Return the logits of a batch, or none if the memory does not suffice."""
        try:
            with self._torch.inference_mode(), self._queue():
                return self._model(**self._inputs(rows)).logits.float()
        except (MemoryError, RuntimeError) as error:
            if _out_of_memory(error):
                return None
            raise

    def _queue(self) -> AbstractContextManager[None]:
        """Return the next queue of a GPU in turn: a model that looks for padding would wait for the batch before it."""
        if not self._queues:
            return nullcontext()
        self._queues.rotate()
        self._queues[0].wait_stream(self._torch.cuda.current_stream())
        turn: AbstractContextManager[None] = self._torch.cuda.stream(self._queues[0])
        return turn

    def _inputs(self, rows: _Rows) -> dict[str, Any]:
        """Return the model's inputs; the copy to a GPU runs while it computes."""
        sizes = rows.sizes.sum(axis=1) + self.frame.size
        step = 1 if self._pad is None else 8  # which a GPU's matrices like
        longest = min(self.window, -(-int(sizes.max()) // step) * step)
        places = np.arange(longest)
        if self._tokenizer.padding_side == "left":
            places = places[::-1]
        filled = places < sizes[:, None]
        ids, kinds = self.frame.join(rows.pieces, rows.starts, rows.sizes)
        names = ("input_ids", "attention_mask", "token_type_ids")[: 2 if kinds is None else 3]
        tensors = self._torch.empty(
            (len(names), *filled.shape), dtype=self._torch.int64, pin_memory=self.device == "cuda"
        )
        inputs = tensors.numpy()
        inputs[:] = np.array([self._pad or 0, 0, 0])[: len(names), None, None]
        inputs[0][filled], inputs[1] = ids, filled
        if kinds is not None:
            inputs[2][filled] = kinds
        return dict(zip(names, tensors.to(self.device, non_blocking=True), strict=True))


@cache
def _queues() -> deque[Any]:
    """Return the process's streams of a GPU: memory that was taken for one cannot be used by another."""
    torch = import_module("torch")
    return deque(torch.cuda.Stream() for _ in range(QUEUES))


def _out_of_memory(error: Exception) -> bool:
    """Return whether the memory did not suffice.

    torch says so in an error class of its own for a GPU, and only in the message for the processor.
    """
    phrases = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in phrases)


def _labels(config: Any) -> tuple[str, ...]:
    names: Mapping[int, str] = config.id2label
    return tuple(str(names.get(place, f"LABEL_{place}")) for place in range(config.num_labels))


def _window(tokenizer: Any, model: Any) -> int:
    """Return the most tokens of a pair that tokenizer and places allow; some models keep places for padding."""
    places = getattr(model.config, "max_position_embeddings", None) or WINDOW
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            places -= module.padding_idx + 1
    return int(min(places, tokenizer.model_max_length))


def _padding(tokenizer: Any, model: Any) -> int | None:
    """Return the piece that fills rows up, which the model is told of; none if neither has one."""
    for known in (tokenizer.pad_token_id, model.config.pad_token_id):
        if known is not None:
            model.config.pad_token_id = known
            return int(known)
    return None


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Silence the library's progress bars and its report of missing weights, which :func:`load` raises itself."""
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
    """Return the model in that folder or of that name on the hub; only with ``fetch`` is it downloaded."""
    try:
        import_module("torch")
        transformers = import_module("transformers")
    except ImportError as error:
        raise MissingPartError(
            f"nli:{name} needs a library that is not installed ({error})", do="run: pip install 'pyramidion[neural]'"
        ) from error
    folder = Path(name).expanduser()
    try:
        source = str(on_this_machine(name) or (name if fetch else ""))
        if not source:
            raise FileNotFoundError(name)
        given = {"local_files_only": not fetch, "trust_remote_code": False}
        with _quiet(transformers):
            tokenizer = transformers.AutoTokenizer.from_pretrained(source, **given)
            model, report = transformers.AutoModelForSequenceClassification.from_pretrained(
                source, output_loading_info=True, **given
            )
    except Exception as error:  # the library and those under it raise whatever they like for what is not a model
        raise _not_loaded(name, folder, fetch, error) from error
    if report["missing_keys"] or report["mismatched_keys"]:
        lacking = ", ".join(sorted(map(str, [*report["missing_keys"], *report["mismatched_keys"]]))[:3])
        raise PyramidionError(
            f"The model {name!r} was not trained to classify (its weights lack {lacking})",
            do="name one for sequence classification, such as an NLI model or a cross-encoder",
        )
    return Entailment(name, tokenizer, model, full=full)


def _not_loaded(name: str, folder: Path, fetch: bool, error: Exception) -> PyramidionError:
    """Return the error for a model that could not be loaded: a missing library, a bad folder or a name not here."""
    reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if isinstance(error, ImportError):
        return MissingPartError(f"The model {name!r} needs a library that is not installed ({reason})", do="install it")
    if folder.is_dir():
        return PyramidionError(
            f"The folder holds no model for sequence classification that can be read ({reason})",
            str(folder),
            "save tokenizer and model there with save_pretrained",
        )
    if folder.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        return PyramidionError("There is no such folder", str(folder), "name a folder that holds a model")
    if fetch:
        return PyramidionError(
            f"The model {name!r} cannot be fetched ({reason})", do="check its name and the network, or name a folder"
        )
    return MissingPartError(
        f"The model {name!r} is not on this machine",
        do=f"name a folder that holds it, or let the hub's be fetched: nli:{name}(fetch=true)",
    )
