"""Our WordPiece cuts as the package ``tokenizers`` does: the same pieces, in the same places, of any text."""

from __future__ import annotations

import csv
import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pyramidion.errors import FormatError
from pyramidion.language.models.weights import MODELS
from pyramidion.language.text.word_pieces import WordPieces, loads

tokenizers = pytest.importorskip("tokenizers")
ENTAILS = Path(pytest.importorskip("pyramidion_entails").__file__).parent

NAMES = ("en-minilm", "entails")
STORED = {"en-minilm": MODELS / "en-minilm" / "tokenizer.json", "entails": ENTAILS / "tokenizer.json"}
OURS = {name: loads(path.read_bytes()) for name, path in STORED.items()}
SCRIPTS = [*range(0x3400), *range(0xA000, 0xAC80), *range(0xF8F0, 0x12000), *range(0x16800, 0x17000)]
SCRIPTS += [*range(0x1B000, 0x1B400), *range(0x1D000, 0x1FFFF), *range(0x2F7F0, 0x2FA30), *range(0xE0000, 0xE0200)]
MARKED = ["[CLS]", "<s>", "<mask>", " <mask>", "</s>", "<unk>", "<UNK>", "[UNK]", "[MASK]", "<pad>", "[MA\u200bSK]"]
ODD = ["\0", "\x0b", "\x1c", "\x85", "\ufffd", "\u200b", "\u3000", "İ", "Σ", "ß", "각", "e\u0301", "漢", "--", "don't"]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TEXTS = ANY_TEXT | st.lists(st.sampled_from([*MARKED, *ODD, *"aBc .'"]) | ANY_TEXT, max_size=12).map("".join)


def theirs(name: str) -> Any:
    made = tokenizers.Tokenizer.from_file(str(STORED[name]))
    made.no_padding()
    made.no_truncation()
    return made


THEIRS = {name: theirs(name) for name in NAMES}


def expected(name: str, text: str) -> list[int]:
    ids: list[int] = THEIRS[name].encode(text, add_special_tokens=False).ids
    return ids


@pytest.mark.parametrize("name", NAMES)
def test_every_character_of_every_script_is_cut_alike(name: str) -> None:
    for first in range(0, len(SCRIPTS), 4096):
        text = " ".join(f"a{chr(number)}B" for number in SCRIPTS[first : first + 4096])
        assert OURS[name].ids(text) == expected(name, text)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=300)
@given(text=TEXTS)
@example(text="x" * 100 + " " + "x" * 101 + " supercalifragilisticexpialidocious")
@example(text="\U0001d165\U0001d16d\U0001d165 a\u0345\u1dce")
def test_any_text_has_the_same_pieces(name: str, text: str) -> None:
    assert OURS[name].ids(text) == expected(name, text)


@settings(max_examples=300)
@given(text=TEXTS)
def test_any_word_stands_where_it_stood(text: str) -> None:
    # Where marks are put in canonical order, theirs point at the place of another mark.
    assume(not any("\U0001d165" <= character <= "\U0001d172" for character in text))
    encoding = THEIRS["en-minilm"].encode(text, add_special_tokens=False)
    words: dict[int, tuple[int, int, tuple[int, ...]]] = {}
    for word, id, (start, end) in zip(encoding.word_ids, encoding.ids, encoding.offsets, strict=True):
        begin, _, pieces = words.get(word, (start, end, ()))
        words[word] = (begin, end, (*pieces, id))
    assert OURS["en-minilm"].words(text) == list(words.values())


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_published_texts_have_the_same_pieces(name: str, data: Path) -> None:
    texts = (data / "realsumm" / "documents.txt").read_text(encoding="utf-8").splitlines()
    texts += [path.read_text(encoding="utf-8") for path in sorted((data / "cc-students").rglob("*.txt"))]
    with (data / "entailment" / "argkp" / "arguments_train.csv").open(encoding="utf-8", newline="") as file:
        texts += [row["argument"] for row in islice(csv.DictReader(file), 2000)]
    assert len(texts) > 2100
    assert [OURS[name].ids(text) for text in texts] == [expected(name, text) for text in texts]


@pytest.mark.parametrize("name", NAMES)
def test_the_vocabulary_is_the_same(name: str) -> None:
    assert OURS[name].vocabulary == THEIRS[name].get_vocab()


def test_a_memory_that_is_full_forgets_and_cuts_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyramidion.language.text.word_pieces._MOST_KNOWN", 2)
    made = WordPieces({"[UNK]": 0, "a": 1, "b": 2, "##b": 3}, "[UNK]")
    assert made.ids("a ab b ba a ab") == [1, 1, 3, 2, 0, 1, 1, 3]
    assert max(len(made._ids), len(made._words)) <= 2


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("normalizer", {"type": "NFC"}),
        ("pre_tokenizer", {"type": "ByteLevel"}),
        ("model", {"type": "BPE", "vocab": {}, "unk_token": "[UNK]"}),
    ],
)
def test_a_tokenizer_of_another_kind_is_refused(part: str, value: Any) -> None:
    stored = json.loads(STORED["en-minilm"].read_bytes()) | {part: value}
    with pytest.raises(FormatError, match="WordPiece"):
        loads(json.dumps(stored).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b'{"model": 3}', b"\xff"])
def test_what_is_no_tokenizer_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="no tokenizer"):
        loads(data, "tokenizer.json")
