"""Entailment: every number is that of the library's own model; windows, batches, memory, and models that are none.

The models are random ones of two layers, saved by the real library.
"""

from __future__ import annotations

import copy
import json
import socket
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.language.entailment.transformers import Entailment, Pair, entailment_of, load, windows
from pyramidion.notes import collect_notes
from tests.language.nli_models import HEADS, WORDS, saved

LAKE = "The lake had lost all its fish, and the council banned motor boats."
PAIRS: list[Pair] = [
    (LAKE, "The fish are gone."),
    (LAKE, "Boats are banned in the lake and nobody said who would pay for it, before or after."),
    ("Nobody said it.", "The fish are gone."),
    ("It was clear.", "It was not clear."),
    (LAKE, "Loud!"),
    ("Farmers let manure run into the water.", LAKE),
]
Make = Callable[..., Path]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """A folder with a model."""
    known: dict[str, Path] = {}

    def one(classes: int = 3, **how: Any) -> Path:
        key = json.dumps([classes, how])
        if key not in known:
            known[key] = saved(tmp_path_factory.mktemp("model"), HEADS[classes], **how)
        return known[key]

    return one


@cache
def parts(folder: Path) -> tuple[Any, Any]:
    """Tokenizer and model, as the library loads them."""
    transformers = pytest.importorskip("transformers", reason="needs transformers: make neural")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    return transformers.AutoTokenizer.from_pretrained(folder), model.eval()


def opened(folder: Path, **how: Any) -> Entailment:
    """A model of its own, which no other test has asked."""
    tokenizer, model = parts(folder)
    return Entailment("a model", tokenizer, copy.deepcopy(model), **how)


def directly(folder: Path, pair: Pair, **how: Any) -> list[float]:
    """The logits as the library computes them for one pair alone."""
    tokenizer, model = parts(folder)
    with import_module("torch").inference_mode():
        found: list[float] = model(**tokenizer(*pair, return_tensors="pt", **how)).logits[0].tolist()
    return [*found, 0.0] if len(found) == 1 else found


def flat(found: tuple[Any, Any]) -> list[list[float]]:
    """The rows of pairs that have one each."""
    rows, counts = found
    assert set(counts.tolist()) <= {1}
    listed: list[list[float]] = rows.tolist()
    return listed


# Which class is entailment


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        (["entailment", "neutral", "contradiction"], 0),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], 2),
        (["not_entailment", "entailment"], 1),
        (["Entailed", "Not entailed"], 0),
        (["LABEL_0"], 0),
    ],
)
def test_the_entailment_class_is_known_by_its_name(labels: list[str], place: int) -> None:
    assert entailment_of(labels) == place


def test_an_index_comes_before_names() -> None:
    assert entailment_of(["entailment", "neutral", "contradiction"], 2) == 2


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1"], ["toxic", "fine", "odd"]])
def test_a_model_without_an_entailment_class_is_refused_with_its_labels(labels: list[str]) -> None:
    with pytest.raises(PyramidionError, match=rf"called entailment, they are {', '.join(labels)}; .*entailment=INDEX"):
        entailment_of(labels)


def test_two_entailment_classes_are_refused() -> None:
    with pytest.raises(PyramidionError, match="Several"):
        entailment_of(["entailment", "Entailment", "other"])


def test_an_index_that_the_head_does_not_have_is_refused() -> None:
    with pytest.raises(PyramidionError, match="no class 3; count from 0"):
        entailment_of(["a", "b", "c"], 3)


# Windows


@given(st.integers(0, 400), st.integers(1, 60))
def test_windows_cover_everything_and_half_a_window_is_whole_in_one(pieces: int, room: int) -> None:
    owners, found = windows(np.array([room, pieces]), np.array([room, room]))
    assert (owners[0], found[0]) == (0, 0)
    assert (owners[1:] == 1).all()
    starts = found[1:].tolist()
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    assert all(start + room <= pieces for start in starts) or starts == [0]
    assert starts[-1] + room >= pieces
    for first in range(pieces - room // 2 + 1):
        assert any(start <= first and first + room // 2 <= start + room for start in starts)


# The library's own numbers


@pytest.mark.parametrize(
    ("classes", "how"),
    [
        (1, {}),
        (2, {}),
        (3, {}),
        (3, {"side": "left"}),
        (3, {"kind": "roberta"}),
        (2, {"kind": "gpt2"}),
    ],
    ids=str,
)
def test_logits_are_those_of_the_library(make: Make, classes: int, how: dict[str, str]) -> None:
    folder = make(classes, **how)
    found = flat(load(str(folder)).logits(PAIRS))
    if how.get("side") == "left":  # padded on the left, the places of the pieces move: compare in equal batches
        found = [flat(opened(folder, tokens=1).logits([pair]))[0] for pair in PAIRS]
        expected = [directly(folder, pair, padding=True, pad_to_multiple_of=8) for pair in PAIRS]
    else:
        expected = [directly(folder, pair) for pair in PAIRS]
    assert np.allclose(found, expected, atol=1e-5)
    assert np.ptp(np.array(expected)[:, 0]) > 0.1  # the pairs differ


@pytest.mark.parametrize("how", [{}, {"kind": "roberta"}, {"kind": "gpt2"}], ids=str)
def test_batch_size_and_order_do_not_matter(make: Make, how: dict[str, str]) -> None:
    folder = make(3, **how)
    alone = np.array(flat(opened(folder, tokens=1).logits(PAIRS)))
    for tokens in (40, 100, 5000):
        assert np.allclose(flat(opened(folder, tokens=tokens).logits(PAIRS)), alone, atol=1e-5)
    backwards = flat(opened(folder).logits([*PAIRS[::-1], PAIRS[0]]))
    assert np.allclose(backwards[:-1], alone[::-1], atol=1e-5)
    assert backwards[-1] == backwards[-2]


def test_many_pairs_are_sorted_and_read_in_parts(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    # More than are tokenised at once; each is asked alone, too, in a sample. In another order they have the same bits.
    monkeypatch.setattr("pyramidion.language.entailment.transformers.FIRST", 100)
    many = [(" ".join(WORDS[: 1 + n % 27]), " ".join(WORDS[: 1 + n // 27])) for n in range(700)]
    found = np.array(flat(opened(make(3)).logits(many)))
    assert flat(opened(make(3)).logits(many[::-1])) == found[::-1].tolist()
    for place in range(0, 700, 50):
        assert np.allclose(found[place], directly(make(3), many[place]), atol=1e-5)


def test_the_same_pairs_in_another_order_have_the_same_bits(make: Make) -> None:
    one, other = opened(make(3)).logits(PAIRS), opened(make(3)).logits(PAIRS[::-1])
    assert flat(one) == flat(other)[::-1]


def test_a_long_premise_is_read_in_windows(make: Make) -> None:
    # 64 tokens, 3 of the frame, 5 of the hypothesis: 56 of the premise, which has 80; so the windows start at 0 and 24.
    words = [WORDS[number % 20] for number in range(80)]
    folder, asked = make(3), "The fish are gone."
    found, counts = load(str(folder)).logits([PAIRS[0], (" ".join(words), asked), ("", asked), PAIRS[1]])
    expected = [directly(folder, (" ".join(words[start : start + 56]), asked)) for start in (0, 24)]
    assert counts.tolist() == [1, 2, 0, 1]
    assert np.allclose(found[1:3], expected, atol=1e-5)
    assert np.allclose(found[[0, 3]], [directly(folder, pair) for pair in PAIRS[:2]], atol=1e-5)


@pytest.mark.parametrize("fast", [True, False])
def test_what_a_tokenizer_cuts_and_pads_of_itself_is_not_cut_or_padded(make: Make, fast: bool) -> None:
    tokenizer, model = copy.deepcopy(parts(make(3)))
    tokenizer.backend_tokenizer.enable_truncation(4)
    tokenizer.backend_tokenizer.enable_padding(length=20)

    class Slow:
        """The same without what is beneath."""

        def __call__(self, *texts: Any, **how: Any) -> Any:
            return tokenizer(*texts, **how)

        def __getattr__(self, name: str) -> Any:
            if name == "backend_tokenizer":
                raise AttributeError(name)
            return getattr(tokenizer, name)

    found = flat(Entailment("a model", tokenizer if fast else Slow(), model).logits(PAIRS))
    assert np.allclose(found, [directly(make(3), pair) for pair in PAIRS], atol=1e-5)


def test_places_behind_the_paddings_are_fewer(make: Make) -> None:
    assert load(str(make(3, kind="roberta"))).window == load(str(make(3))).window == 64


def test_a_long_hypothesis_is_cut_and_said_once_to_everybody(make: Make) -> None:
    # 61 of 64 tokens are free: 30 of the hypothesis, 31 of the premise.
    words = [WORDS[number % 20] for number in range(75)]
    model, said = opened(make(3)), " ".join(WORDS[:31])
    with collect_notes() as notes:
        found, _ = model.logits([(said, " ".join(words))])
        model.logits([("Nobody.", " ".join(words))])
    assert ["has 75 tokens" in one.text and "only its first 30 are judged" in one.text for one in notes] == [True]
    with collect_notes() as others:  # whoever asks next is told, too
        model.logits([(said, " ".join(words))])
    assert others == notes
    assert np.allclose(found, [directly(make(3), (said, " ".join(words[:30])))], atol=1e-5)


def test_blank_texts_are_not_asked(make: Make) -> None:
    found, counts = load(str(make(2))).logits([("", "The fish."), (LAKE, " \n"), ("", "")])
    assert (found.shape, counts.tolist()) == ((0, 2), [0, 0, 0])
    assert load(str(make(2))).logits([])[0].shape == (0, 2)


@settings(max_examples=20)
@given(pairs=st.lists(st.tuples(st.text(max_size=80), st.text(max_size=30)), max_size=4))
def test_any_text_has_finite_logits(make: Make, pairs: list[Pair]) -> None:
    found, counts = load(str(make(3))).logits(pairs)
    assert np.isfinite(found).all()
    assert len(counts) == len(pairs)
    assert found.shape == (counts.sum(), 3)


# Memory


def _short_of_memory(model: Entailment, most: int) -> list[int]:
    """Lets the real allocator fail for more rows than that; the batches that were tried."""
    torch = import_module("torch")
    tried: list[int] = []

    def before(_: Any, __: Any, given: dict[str, Any]) -> None:
        tried.append(len(given["input_ids"]))
        if tried[-1] > most:
            torch.empty(1 << 60, dtype=torch.int8)

    model._model.register_forward_pre_hook(before, with_kwargs=True)
    return tried


def test_a_batch_too_big_for_the_memory_is_halved_and_the_work_goes_on(make: Make) -> None:
    expected = flat(opened(make(3)).logits(PAIRS))
    model = opened(make(3))
    tried = _short_of_memory(model, 2)
    assert np.allclose(flat(model.logits(PAIRS)), expected, atol=1e-5)
    assert tried == [6, 3, 1, 2, 3, 1, 2]
    tried.clear()
    model.logits([(hypothesis, premise) for premise, hypothesis in PAIRS])
    assert max(tried) < 6


def test_a_memory_too_small_for_one_pair_is_an_error(make: Make) -> None:
    model = opened(make(3))
    _short_of_memory(model, 0)
    with pytest.raises(PyramidionError, match="too small for one pair"):
        model.logits(PAIRS)


def test_other_errors_are_not_taken_for_a_lack_of_memory(make: Make) -> None:
    model = opened(make(3))

    def before(*_: Any) -> None:
        raise RuntimeError("something else")

    model._model.register_forward_pre_hook(before)
    with pytest.raises(RuntimeError, match="something else"):
        model.logits(PAIRS)


def test_a_call_that_was_broken_off_leaves_nothing_wrong(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, model = flat(opened(make(3)).logits(PAIRS)), opened(make(3))
    model.logits(PAIRS[:1])
    with monkeypatch.context() as broken:
        broken.setattr(np, "isfinite", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            model.logits(PAIRS[1:3])
    assert np.allclose(flat(model.logits(PAIRS)), expected, atol=1e-5)


def test_more_than_can_be_remembered_is_asked_again(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyramidion.language.entailment.transformers.KEPT", 4)
    expected, model = flat(opened(make(3)).logits(PAIRS)), opened(make(3))
    tried = _short_of_memory(model, 100)
    for pairs in (PAIRS[:3], PAIRS[2:5], PAIRS, PAIRS[:2]):
        found = flat(model.logits(pairs))
        assert np.allclose(found, [expected[PAIRS.index(pair)] for pair in pairs], atol=1e-5)
    assert tried == [3, 3, 6]


def test_answers_are_remembered(make: Make) -> None:
    model = opened(make(3))
    tried = _short_of_memory(model, 100)
    first = flat(model.logits(PAIRS))
    assert flat(model.logits(PAIRS[::-1])) == first[::-1]
    assert len(tried) == 1


# Models that are none


def test_weights_that_are_no_numbers_are_an_error(make: Make, tmp_path: Path) -> None:
    tokenizer, model = copy.deepcopy(parts(make(3)))
    import_module("torch").nn.init.constant_(model.classifier.weight, float("nan"))
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(PyramidionError, match="not finite"):
        load(str(tmp_path)).logits(PAIRS)


def test_an_encoder_without_a_head_is_refused(make: Make, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        PyramidionError, match=r"was not trained to classify \(its weights lack classifier.bias, classifier"
    ):
        load(str(make(3, kind="encoder")))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["/no/such/folder", "./none", "~/none/here", "a/b/c"])
def test_a_folder_that_is_not_there(name: str) -> None:
    pytest.importorskip("transformers", reason="needs transformers: make neural")
    with pytest.raises(PyramidionError, match="There is no such folder"):
        load(name)


def test_folders_that_hold_no_model(make: Make, tmp_path: Path) -> None:
    empty, damaged, code = (tmp_path / name for name in ("empty", "damaged", "code"))
    empty.mkdir()
    for folder in (damaged, code):
        folder.mkdir()
        for file in make(3).iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
    weights = damaged / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:200])
    config = json.loads((code / "config.json").read_text()) | {"model_type": "mine", "auto_map": {"AutoConfig": "m.C"}}
    (code / "config.json").write_text(json.dumps(config))
    for folder in (empty, damaged, code):
        with pytest.raises(PyramidionError, match="the folder holds no model") as told:
            load(str(folder))
        assert "\n" not in str(told.value)


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The attempts to reach one, all of which fail."""
    tried: list[str] = []

    def refuse(*given: Any, **_: Any) -> None:
        tried.append(str(given[:1]))
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tried


def test_a_name_that_is_not_on_disk_is_not_fetched(network: list[str]) -> None:
    pytest.importorskip("transformers", reason="needs transformers: make neural")
    with pytest.raises(MissingPartError, match=r"not on this machine; .*nli:someone/no-such-model\(fetch=true\)"):
        load("someone/no-such-model")
    assert not network


def test_a_name_that_cannot_be_fetched_is_one_line(network: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # between the library's attempts
    pytest.importorskip("transformers", reason="needs transformers: make neural")
    with pytest.raises(PyramidionError, match="cannot be fetched") as told:
        load("someone/no-such-model", fetch=True)
    assert "\n" not in str(told.value)
    assert network


def test_a_name_in_the_cache_is_loaded_without_the_network(
    make: Make, network: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(2)
    kept = tmp_path / "models--someone--kept"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("0" * 40)
    (kept / "snapshots").mkdir()
    (kept / "snapshots" / ("0" * 40)).symlink_to(folder)
    constants = pytest.importorskip("huggingface_hub").constants
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    assert flat(load("someone/kept").logits(PAIRS)) == flat(opened(folder).logits(PAIRS))
    assert not network


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingPartError, match=r"pip install 'pyramidion\[neural\]'"):
        load("any/other-model")
