"""Texts become vectors: every embedder's contract, then what each one promises."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import struct
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pyramidion.errors import FormatError, InputWarning, MissingPartError, ModelError, PyramidionError
from pyramidion.language.models import weights
from pyramidion.language.parse import minilm as encoder
from pyramidion.language.parse import pieces
from pyramidion.language.text.word_pieces import WordPieces
from pyramidion.language.vectors import EMBEDDERS, Cached, Embedder, TokenEmbedder, cosine, embedder
from pyramidion.language.vectors import sentence_transformers as neural
from pyramidion.language.vectors import static as static_module
from pyramidion.language.vectors import wtmf as wtmf_module
from pyramidion.language.vectors._table import quantised, unit
from pyramidion.language.vectors.sif import SIF
from pyramidion.language.vectors.static import Static
from pyramidion.language.vectors.word_files import read
from pyramidion.language.vectors.wtmf import WTMF, Lemmas, Side
from tests.fuzz import mutated, only_our_errors
from tests.processes import PATIENCE, running

GLOVE = b"the 0.5 0.1 -0.2\nfalcon 0.1 0.9 0.3\nhawk 0.2 0.8 0.4\ntreaty -0.7 0.1 0.9\n. . . 0.3 0.3 0.3\n"
ANY_TEXT = st.text(st.characters(), max_size=80)  # lone surrogates, NUL, every script
WORDY = st.lists(
    st.sampled_from(
        [
            "the",
            "a",
            "falcon",
            "hawk",
            "hawks",
            "treaty",
            "signed",
            "in",
            "1990",
            ",",
            ".",
            "don't",
            "Obama's",
            "東京",
            "🙂",
            "שלום",
            "naïve",
        ]
    ),
    max_size=25,
).map(" ".join)
TEXTS = st.lists(ANY_TEXT | WORDY, max_size=8)


@pytest.fixture(scope="session")
def glove(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("glove") / "glove.txt"
    path.write_bytes(GLOVE)
    return path


@pytest.fixture(params=["static", "wtmf", "sif"], scope="session")
def some(request: pytest.FixtureRequest, glove: Path) -> TokenEmbedder:
    found = embedder(f"sif:{glove}" if request.param == "sif" else request.param)
    assert isinstance(found, TokenEmbedder)
    return found


# The contract


@settings(max_examples=60)
@given(texts=TEXTS)
def test_rows_are_float32_and_of_length_one_or_zero(some: TokenEmbedder, texts: list[str]) -> None:
    rows = some(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (len(texts), some.dimension)
    lengths = np.linalg.norm(rows, axis=1)
    assert all(length == 0 or abs(length - 1) < 1e-5 for length in lengths)


@settings(max_examples=60)
@given(texts=TEXTS, order=st.randoms(use_true_random=False))
def test_a_row_depends_on_its_text_alone_to_the_last_bit(some: TokenEmbedder, texts: list[str], order: object) -> None:
    alone = [some([text])[0].tobytes() for text in texts]
    assert [row.tobytes() for row in some(texts)] == alone
    shuffled = list(range(len(texts)))
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert [row.tobytes() for row in some([texts[i] for i in shuffled])] == [alone[i] for i in shuffled]


@settings(max_examples=60)
@given(text=ANY_TEXT | WORDY)
def test_tokens_stand_in_the_text_in_order_with_a_unit_row_or_zeros_each(some: TokenEmbedder, text: str) -> None:
    spans, rows = some.tokens(text)
    assert rows.shape == (len(spans), some.dimension)
    ends = [0]
    for span in spans:
        assert ends[-1] <= span.start < span.end <= len(text)
        ends.append(span.end)
    assert all(length == 0 or abs(length - 1) < 1e-5 for length in np.linalg.norm(rows, axis=1))


@pytest.mark.parametrize("text", ["", " \n\t", "\0", "\ud800", "🙂🙂"])
def test_a_text_with_nothing_in_it_is_zeros(some: TokenEmbedder, text: str) -> None:
    assert not some([text]).any() or text in ("\ud800",)


def test_no_texts_give_no_rows(some: TokenEmbedder) -> None:
    assert some([]).shape == (0, some.dimension)


def test_a_text_of_a_hundred_thousand_words_is_embedded(some: TokenEmbedder) -> None:
    assert np.linalg.norm(some(["the falcon signed a treaty . " * 17_000])) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", ["static", "wtmf"])
def test_what_means_the_same_is_nearer_than_what_does_not(name: str) -> None:
    rows = embedder(name)(["the dog chased the cat", "a hound pursued a kitten", "interest rates rose sharply"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


@pytest.mark.parametrize("name", ["static", "wtmf"])
def test_weights_are_small_and_carry_a_card(name: str) -> None:
    folder = Path(sys.modules[f"pyramidion.language.vectors.{name}"].WEIGHTS).parent
    assert (folder / "table.npz").stat().st_size <= 8_000_000
    card = (folder / "MODEL.md").read_text()
    assert all(part in card for part in ("Licence", f"train/{name}.py", "STS-14"))


# Names


def test_every_built_in_name_but_the_model_has_a_factory_here() -> None:
    assert list(EMBEDDERS)[:5] == ["minilm", "static", "wtmf", "sif", "sentence-transformers"]
    assert all(callable(EMBEDDERS[name]) for name in ("static", "wtmf", "sif", "sentence-transformers"))


@pytest.mark.parametrize("spec", ["nothing", "sif", "sif:", "sif:/no/such/file", "static:/no/such/file", "", ":x", 7])
def test_a_name_that_means_nothing_is_an_error_that_says_what_to_do(spec: str) -> None:
    with pytest.raises(PyramidionError) as caught:
        embedder(spec)
    assert caught.value.do


def test_an_argument_that_a_name_does_not_take_or_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PyramidionError, match="'minilm' takes nothing after a colon, not 'foo'; write minilm"):
        embedder("minilm:foo")
    monkeypatch.setitem(EMBEDDERS._loaded, "theirs", lambda file: embedder("static"))
    with pytest.raises(PyramidionError, match="'theirs' needs something after a colon"):
        embedder("theirs")
    assert embedder("theirs:x") is embedder("static")


@pytest.mark.parametrize("module", [static_module, wtmf_module])
def test_a_table_of_ones_own_is_named_by_its_file(module: types.ModuleType, tmp_path: Path) -> None:
    kind = module.__name__.rpartition(".")[2]
    path = shutil.copy(module.WEIGHTS, tmp_path / "mine.npz")
    assert embedder(kind).name == kind
    assert embedder(f"{kind}:{path}").name == f"{kind}:mine.npz"
    module.load.cache_clear()


def test_a_model_is_loaded_once(glove: Path) -> None:
    assert embedder("static") is embedder("static")
    assert embedder(f"sif:{glove}") is embedder(f"sif:{glove}")


def test_an_embedder_is_taken_as_it_is() -> None:
    static = embedder("static")
    assert embedder(static) is static


def test_any_callable_serves_and_its_rows_are_brought_to_length_one() -> None:
    def lengths(texts: Sequence[str]) -> list[list[int]]:
        return [[len(text), 0] for text in texts]

    found = embedder(lengths)
    assert (found.name, found.dimension) == ("lengths", 2)
    assert found(["abc", ""]).tolist() == [[1, 0], [0, 0]]
    assert found([]).shape == (0, 2)
    assert isinstance(found, Embedder)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda texts: [[1.0]],
        lambda texts: 3,
        lambda texts: "rows",
        lambda texts: [[np.nan]] * len(texts),
        lambda texts: None,
    ],
)
def test_a_callable_that_gives_no_matrix_is_told_so(wrong: Callable[[Sequence[str]], object]) -> None:
    with pytest.raises(ModelError, match="lambda"):
        embedder(wrong)(["a", "b"])  # type: ignore[arg-type]


def test_cosine_pairs_rows_and_is_zero_with_nothing() -> None:
    a = np.array([[2, 0], [0, 0], [1, 1]], np.float32)
    b = np.array([[-5, 0], [1, 0], [1, 1]], np.float32)
    assert cosine(a, b).round(6).tolist() == [-1, 0, 1]
    with pytest.raises(ModelError):
        cosine(a, b[:2])


@example(rows=[[1.4e-45, 0.0, 0.0, 0.0]])  # the smallest float there is: a 127th of it is none
@example(rows=[[1.3e-39, -1e-40, 0.0, 1e-41]])  # its scale would be a float of few bits
@given(rows=st.lists(st.lists(st.floats(-1e3, 1e3, width=32), min_size=4, max_size=4), min_size=1, max_size=5))
def test_bytes_and_a_scale_keep_a_row_to_within_half_a_step(rows: list[list[float]]) -> None:
    matrix = np.array(rows, np.float32)
    found, scale = quantised(matrix)
    assert (np.abs(found * scale[:, None] - matrix) <= scale[:, None] * 0.51).all()


# The static table


def test_the_table_shares_the_encoder_s_tokenizer() -> None:
    static = embedder("static")
    assert isinstance(static, Static)
    assert static._tokenizer is pieces.tokenizer()


@pytest.mark.parametrize("content", [None, b"", b"{", b'{"model": 3}', b"\xff\xfe"])
def test_a_missing_or_damaged_tokenizer_is_a_broken_installation(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyramidion.language.models.weights.MODELS", tmp_path)
    (tmp_path / "en-minilm").mkdir()
    if content is not None:
        (tmp_path / "en-minilm" / "tokenizer.json").write_bytes(content)
    with pytest.raises(MissingPartError, match="pip install --force-reinstall --no-deps pyramidion"):
        pieces.tokenizer.__wrapped__()


# WTMF


def direct(
    factors: NDArray[np.float32], rows: list[int], values: list[float], missing: float, ridge: float
) -> NDArray[np.float64]:
    """The weighted least squares of Guo and Diab 2012, written out: every cell with its weight."""
    p = factors.astype(np.float64)
    weight = np.full(len(p), missing)
    weight[rows] = 1
    x = np.zeros(len(p))
    x[rows] = values
    solved = np.linalg.solve(p.T @ (weight[:, None] * p) + ridge * np.eye(p.shape[1]), p.T @ (weight * x))
    return solved.astype(np.float64)


@pytest.mark.parametrize("count", [1, 5, 8, 30])
def test_the_closed_form_equals_the_weighted_least_squares_of_the_paper(count: int) -> None:
    random = np.random.default_rng(count)
    factors = random.standard_normal((40, 8)).astype(np.float32)
    rows, values = random.permutation(40)[:count], random.random(count).astype(np.float32)
    found = Side(factors, 0.01, 2.0).solve([rows], [values])[0]
    np.testing.assert_allclose(found, direct(factors, rows.tolist(), values.tolist(), 0.01, 2.0), atol=1e-5)


def test_words_are_lemmatised_by_exceptions_then_by_endings_that_lead_into_the_vocabulary() -> None:
    words = ["go", "child", "church", "party", "make", "bus", "glass"]
    lemmas = Lemmas({word: row for row, word in enumerate(words)}, {"went": "go", "children": "child", "mice": "mouse"})
    forms = ["Went", "CHILDREN", "churches", "parties", "making", "buses", "glass", "glasses", "mice", "xyzzy"]
    assert [words[row] if row >= 0 else "" for row in map(lemmas.row, forms)] == [
        "go", "child", "church", "party", "make", "bus", "glass", "glass", "", "",
    ]  # fmt: skip


def test_word_order_does_not_matter_to_a_bag_of_words() -> None:
    rows = embedder("wtmf")(["the cat saw the dog", "the dog saw the cat"])
    assert rows[0] @ rows[1] == pytest.approx(1, abs=1e-5)


# SIF


def test_a_frequent_word_counts_for_less() -> None:
    words = ["the", *(f"w{number}" for number in range(2000))]
    vectors = np.random.default_rng(0).standard_normal((2001, 20)).astype(np.float32)
    sif = SIF("sif", words, vectors)
    both, frequent, rare = sif(["the w1900", "the", "w1900"])
    assert both @ rare > 0.95 > both @ frequent


def test_counts_replace_the_order_of_the_file() -> None:
    vectors = np.eye(4, dtype=np.float32)
    by_order, by_count = SIF("a", list("abcd"), vectors), SIF("b", list("abcd"), vectors, {"d": 10**6})
    assert by_order(["a d"]).tolist() != by_count(["a d"]).tolist()


def test_the_common_component_is_orthogonal_to_every_text(glove: Path) -> None:
    rows = embedder(f"sif:{glove}")(["the falcon", "hawk", "treaty the"])
    assert np.linalg.matrix_rank(rows, tol=1e-4) == 2


def test_words_follow_the_treebank_and_fall_back_to_lower_case(glove: Path) -> None:
    spans, _ = SIF("s", ["do", "n't", "'s"], np.eye(3, dtype=np.float32)).tokens("DON\u2019T it\u2019s")
    assert [(span.start, span.end) for span in spans] == [(0, 2), (2, 5), (8, 10)]


def binary(words: list[str], vectors: NDArray[np.float32], line_ends: bool) -> bytes:
    head = f"{len(words)} {vectors.shape[1]}\n".encode()
    end = b"\n" if line_ends else b""
    return head + b"".join(
        word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + end
        for word, row in zip(words, vectors, strict=True)
    )


NUMBERS = np.array([[0.5, 0.25], [-1, 2], [3, 4]], np.float32)
FILES = {
    "glove text": b"a 0.5 0.25\nb -1 2\nc 3 4\n",
    "word2vec text": b"3 2\na 0.5 0.25 \nb -1 2\nc 3e0 4\n",
    "word2vec binary": binary(["a", "b", "c"], NUMBERS, line_ends=False),
    "word2vec binary with line ends": binary(["a", "b", "c"], NUMBERS, line_ends=True),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("kind", FILES)
def test_each_kind_of_file_is_read_whatever_it_is_called(kind: str, zipped: bool, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(gzip.compress(FILES[kind], mtime=0) if zipped else FILES[kind])
    words, vectors = read(path)
    assert words == ["a", "b", "c"]
    assert vectors.tolist() == NUMBERS.tolist()
    assert read(path, limit=2)[0] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "where", "what"),
    [
        (b"", "", "not a word"),
        (b"a 1 2\nb 1\n", ":2", "2 numbers"),
        (b"a 1 2\nb 1 x\n", ":2", "2 numbers"),
        (b"a 1 2\nb 1 nan\n", "", "not finite"),
        (b"3 2\na 1 2\n", "", "promises 3 words"),
        (b"5 0\n", ":1", "0 dimensions"),
        (FILES["word2vec binary"][:-3], "", "ends in word 3"),
        (gzip.compress(GLOVE, mtime=0)[:-12], "", "gzip"),
        (b"<html><body>404</body></html>\n", ":1", "word and its numbers"),
        (b"x" * 2**21, ":1", "longer than any"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(content: bytes, where: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=what) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{where}")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=200), *(mutated(file) for file in FILES.values()), mutated(gzip.compress(GLOVE, mtime=0))
    )
)
def test_no_file_at_all_breaks_the_reader(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(content)
    only_our_errors(lambda: SIF("any", *read(path))(["a b c"]))


# Sentence transformers


def test_without_the_library_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingPartError, match=r"pip install 'pyramidion\[neural\]'"):
        embedder("sentence-transformers:some-model")


class _Library(types.ModuleType):
    """Stands for the library: a model called ``here`` is on disk, no other is."""

    class SentenceTransformer:
        def __init__(self, name: str, *, local_files_only: bool) -> None:
            assert local_files_only, "nothing may be fetched"
            if name != "here":
                raise OSError("not in the cache")

        def get_sentence_embedding_dimension(self) -> int:
            return 2

        def encode(
            self, texts: list[str], *, batch_size: int = 32, show_progress_bar: bool = True
        ) -> NDArray[np.float32]:
            """Rows that the padding of their batch moves a little, as the library's are."""
            assert not show_progress_bar
            batches = [texts[first : first + batch_size] for first in range(0, len(texts), batch_size)]
            return np.array(
                [[len(text), 1 + max(map(len, batch)) / 1000] for batch in batches for text in batch], np.float32
            )


def test_a_model_on_disk_is_used_and_one_that_is_not_is_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", _Library("sentence_transformers"))
    neural.load.cache_clear()
    found = embedder("sentence-transformers:here")
    assert found.name == "sentence-transformers:here"
    rows = found(["bb", "", "a", "bb", "\ud800"])
    assert rows[0].tolist() == rows[3].tolist()
    assert np.linalg.norm(rows, axis=1).round(5).tolist() == [1, 0, 1, 1, 1]
    with pytest.raises(MissingPartError, match="download it once"):
        embedder("sentence-transformers:elsewhere")
    neural.load.cache_clear()


def test_neighbours_in_a_batch_do_not_move_a_row_of_a_sentence_transformer() -> None:
    found = neural.SentenceTransformers("here", _Library.SentenceTransformer("here", local_files_only=True))
    texts = ["a", "a long neighbour", "bb", "a"]
    assert found(texts).tolist() == [found([text])[0].tolist() for text in texts]


# The cache


class Counting:
    """An embedder that says what it was asked."""

    name = "counting"
    dimension = 2
    fingerprint = "its weights"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return unit(np.array([[len(text), 1] for text in texts], np.float32).reshape(-1, 2))


@given(batches=st.lists(st.lists(ANY_TEXT, max_size=5), max_size=5))
def test_a_cache_changes_no_bit_and_asks_for_each_text_once(batches: list[list[str]]) -> None:
    plain, counted = Counting(), Counting()
    cached = Cached(counted)
    for texts in batches:
        assert cached(texts).tobytes() == plain(texts).tobytes()
    assert len(counted.asked) == len(set(counted.asked))


def test_the_memory_is_bounded() -> None:
    counted = Counting()
    cached = Cached(counted, memory=2)
    cached(["a", "b", "c"])
    cached(["c", "b", "a"])
    assert counted.asked == ["a", "b", "c", "a"]


def test_the_disk_serves_the_next_process_and_is_bounded(tmp_path: Path) -> None:
    disk = 64 * 1024
    first = Cached(Counting(), tmp_path, disk=disk)(["a", "bb", "ccc"])
    counted = Counting()
    assert Cached(counted, tmp_path, disk=disk)(["ccc", "bb", "a"]).tolist() == first[::-1].tolist()
    assert counted.asked == []
    Cached(counted, tmp_path, disk=disk)([str(number) for number in range(5000)])
    assert (tmp_path / "cache.sqlite").stat().st_size > disk / 2
    again = Counting()
    Cached(again, tmp_path, disk=disk)(["4999", "0"])
    assert again.asked == ["0"]


def test_embedders_that_differ_in_name_or_weights_share_nothing(tmp_path: Path) -> None:
    Cached(Counting(), tmp_path)(["a"])
    for change in ({"name": "other"}, {"fingerprint": "other weights"}, {"name": 'counting", "2', "fingerprint": "x"}):
        other = Counting()
        for attribute, value in change.items():
            setattr(other, attribute, value)
        Cached(other, tmp_path)(["a"])
        assert other.asked == ["a"]


def test_another_version_of_the_package_computes_its_own_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Cached(Counting(), tmp_path)(["a"])
    monkeypatch.setattr("pyramidion.base.cache.versions", lambda: {"pyramidion": "99"})
    other = Counting()
    Cached(other, tmp_path)(["a"])
    assert other.asked == ["a"]


def test_what_has_no_fingerprint_is_remembered_in_memory_and_refused_a_directory(tmp_path: Path) -> None:
    asked: list[str] = []

    def ones(texts: Sequence[str]) -> list[list[int]]:
        asked.extend(texts)
        return [[1] for _ in texts]

    plain = embedder(ones)
    transformer = neural.SentenceTransformers("here", _Library.SentenceTransformer("here", local_files_only=True))
    for unmarked in (plain, transformer):
        with pytest.raises(PyramidionError, match="has no fingerprint .*; leave out the directory"):
            Cached(unmarked, tmp_path)
    assert list(tmp_path.iterdir()) == []
    cached = Cached(plain)
    cached(["a"])
    cached(["a", "b"])
    assert asked[-2:] == ["a", "b"]


def test_only_a_cache_on_disk_asks_for_the_fingerprint(tmp_path: Path) -> None:
    class Costly(Counting):
        @property
        def fingerprint(self) -> str:  # type: ignore[override]
            raise AssertionError("the weights were read")

    assert Cached(Costly())(["a"]).shape == (1, 2)
    with pytest.raises(AssertionError, match="the weights were read"):
        Cached(Costly(), tmp_path)


def test_a_cache_has_tokens_where_its_embedder_has(some: TokenEmbedder) -> None:
    cached = Cached(some)
    assert isinstance(cached, TokenEmbedder)
    spans, rows = cached.tokens("the falcon")
    assert (spans, rows.tolist()) == (some.tokens("the falcon")[0], some.tokens("the falcon")[1].tolist())
    without = Cached(Counting())
    assert isinstance(without, Embedder)
    assert not isinstance(without, TokenEmbedder)


# Fingerprints: all the data that decides a row


def test_a_fingerprint_is_the_same_in_every_process(glove: Path) -> None:
    names = ["static", "wtmf", f"sif:{glove}", "minilm"]
    code = (
        "import sys; from pyramidion.language.vectors import embedder\n"
        "print(*(embedder(name).fingerprint for name in sys.argv[1:]))"
    )
    printed = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, check=True).stdout
    assert printed.split() == [embedder(name).fingerprint for name in names]  # type: ignore[attr-defined]


def test_a_fingerprint_of_wtmf_tells_words_exceptions_weights_and_vectors_apart() -> None:
    idf, factors = np.ones(2, np.float32), np.eye(2, dtype=np.float32)
    made = [
        WTMF(["a", "b"], idf, factors, {"x": "a"}),
        WTMF(["b", "a"], idf, factors, {"x": "a"}),
        WTMF(["a", "b"], idf, factors, {"x": "b"}),
        WTMF(["a", "b"], 2 * idf, factors, {"x": "a"}),
        WTMF(["a", "b"], idf, 2 * factors, {"x": "a"}),
    ]
    assert len({one.fingerprint for one in made}) == len(made)
    assert made[0].fingerprint == WTMF(["a", "b"], idf, factors, {"x": "a"}).fingerprint


def test_a_fingerprint_of_sif_tells_words_weights_and_vectors_apart() -> None:
    vectors = np.eye(3, dtype=np.float32)
    made = [
        SIF("s", list("abc"), vectors),
        SIF("s", list("abd"), vectors),
        SIF("s", list("abc"), vectors, {"c": 9}),
        SIF("s", list("abc"), vectors + vectors[::-1]),
    ]
    assert len({one.fingerprint for one in made}) == len(made)


def test_a_fingerprint_of_the_static_table_tells_subwords_apart() -> None:
    rows, scale = np.eye(2, dtype=np.int8), np.ones(2, np.float32)
    made = [
        Static(WordPieces({"a": 0, "b": 1}, "a"), rows, scale),
        Static(WordPieces({"b": 0, "a": 1}, "a"), rows, scale),
        Static(WordPieces({"a": 0, "b": 1}, "a"), rows, 2 * scale),
    ]
    assert len({one.fingerprint for one in made}) == len(made)


def test_a_fingerprint_of_the_encoder_tells_graphs_subwords_and_windows_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def fingerprint(graph: str = "1a", subwords: str = "2b") -> str:
        recorded = {"small/model.onnx": graph, "small/tokenizer.json": subwords}
        monkeypatch.setattr(weights, "_recorded", lambda: recorded)
        model = encoder.MiniLM.__new__(encoder.MiniLM)  # a graph that is not there cannot be loaded, but has a digest
        model.name = "small"
        return model.fingerprint

    found = [fingerprint(), fingerprint(graph="3c"), fingerprint(subwords="3c")]
    assert fingerprint() == found[0]
    monkeypatch.setattr(encoder, "SOME_WORDS", encoder.SOME_WORDS + 1)
    assert len({*found, fingerprint()}) == 4


@pytest.mark.parametrize("damage", ["garbage", "cut", "row", "other table"])
def test_a_damaged_cache_is_rebuilt(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    wanted = Cached(Counting(), tmp_path)(["a", "b"]).tolist()
    if damage == "garbage":
        path.write_bytes(b"not a database at all" * 500)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:5000])
    else:
        statement = {
            "row": "UPDATE rows SET row = x'00112233445566778899aabb'",
            "other table": "ALTER TABLE rows DROP COLUMN row",
        }
        with sqlite3.connect(path) as connection:
            connection.execute(statement[damage])
        connection.close()
    assert Cached(Counting(), tmp_path)(["a", "b"]).tolist() == wanted
    again = Counting()
    assert Cached(again, tmp_path)(["a", "b"]).tolist() == wanted
    assert again.asked == []


def test_a_folder_that_cannot_be_used_is_done_without_and_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cached = Cached(Counting(), tmp_path / "file" / "cache")
    with pytest.warns(InputWarning, match="vectors are not cached"):
        assert cached(["a"]).shape == (1, 2)
    assert cached(["b"]).shape == (1, 2)


def test_processes_share_a_cache(tmp_path: Path) -> None:
    code = (
        "import sys; from pyramidion.language.vectors import Cached\n"
        "from tests.language.test_vectors import Counting\n"
        "cached = Cached(Counting(), sys.argv[1], memory=5)\n"
        "for n in range(30): cached([f'{n} {k}' for k in range(20)])"
    )
    with running(*[["-W", "error", "-c", code, tmp_path]] * 3) as children:
        assert [child.communicate(timeout=PATIENCE) for child in children] == [("", "")] * 3
        assert [child.returncode for child in children] == [0, 0, 0]
    with sqlite3.connect(tmp_path / "cache.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM rows").fetchone() == (600,)
    connection.close()
