"""Byte pairs: any text that the pieces can spell comes back byte for byte, in the pieces that ``tokenizers`` finds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyramidion.errors import FormatError
from pyramidion.language.text.byte_pairs import BytePairs, loads

WRITES = pytest.importorskip("pyramidion_writes", reason="pip install ./writes: the pieces are not installed").FOLDER
STORED = (Path(WRITES) / "pieces.json").read_bytes()
OURS = loads(STORED)
MARKS = 17
"""So many pieces at the beginning are marks, which no text has."""
NO_PIECE = "\x04\x06\x13\x14\x16\x1d"
"""Signs whose bytes are no pieces; nor are those of planes in which nothing is assigned."""
PARTS = [
    "<|endoftext|>",
    "<|im_start|>",
    "<file_sep>",
    "don't",
    "I'LL",
    "we've",
    "'",
    "''s",
    "_",
    "__a",
    "1,000.5",
    "4th",
]
PARTS += [
    "\n",
    "\n\n",
    "  ",
    "\t",
    "\u3000",
    "\x85",
    "é",
    "e\u0301",
    "ß",
    "漢字",
    "각",
    "👩‍🚀",
    "½",
    "m²",
    "٣",
    "\ufffd",
    "--",
]
SPELT = st.characters(exclude_categories=["Cs", "Cn"], exclude_characters=NO_PIECE)
TEXTS = st.text(SPELT, max_size=40) | st.lists(st.sampled_from([*PARTS, *"aBc .5"]) | st.text(SPELT, max_size=5)).map(
    "".join
)


def theirs(text: str) -> Sequence[int]:
    tokenizers = pytest.importorskip("tokenizers")
    stored = json.loads(STORED)
    numbers = {piece: number for number, piece in enumerate(stored["pieces"])}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(numbers, [tuple(pair.split(" ")) for pair in stored["merges"]]))
    before = tokenizers.pre_tokenizers
    made.pre_tokenizer = before.Sequence(
        [before.Digits(individual_digits=True), before.ByteLevel(add_prefix_space=False)]
    )
    ids: list[int] = made.encode(text).ids
    return ids


@settings(max_examples=300)
@given(text=TEXTS)
@example(text="")
@example(text=" a  b ")
def test_any_text_that_can_be_spelt_comes_back_byte_for_byte(text: str) -> None:
    assert OURS.text(OURS.ids(text)).encode() == text.encode()


@given(text=st.text(st.sampled_from("a \ud800\udfff?é"), max_size=9))
def test_half_a_character_which_has_no_bytes_is_read_as_a_question_mark(text: str) -> None:
    assert OURS.text(OURS.ids(text)) == text.replace("\ud800", "?").replace("\udfff", "?")


@given(text=TEXTS)
def test_no_text_can_write_a_mark(text: str) -> None:
    """What is read may contain ``<|endoftext|>``; to the network that is a word like any other."""
    assert all(number >= MARKS for number in OURS.ids(text))
    assert OURS.text([*range(MARKS)]).startswith("<|endoftext|><|im_start|>")


def test_texts_have_the_same_pieces_as_by_the_package_tokenizers() -> None:
    """As they are read: one space between words. Numerals that are no digits (½) are cut otherwise after a space."""
    words = [
        "The",
        "council's",
        "1,234",
        "votes;",
        "don't",
        "they'LL",
        "x_y",
        "__",
        "naïve",
        "e\u0301té",
        "漢字",
        "각",
        "👩‍🚀",
    ]
    words += [
        "<|endoftext|>",
        "40%",
        "(3rd)",
        "--",
        "...",
        "A.B.",
        "٣",
        "ß",
        "Σ",
        "\u200b",
        "supercalifragilistic",
        "'tis",
    ]
    words += [f"a{chr(number)}B" for number in range(0x21, 0x2FF)]
    pairs = " ".join(one + other for one in words[:25] for other in words[:25])
    for text in (" ".join(words), pairs):
        assert OURS.ids(text) == theirs(text)


def test_every_pair_makes_a_piece_so_that_nothing_that_is_joined_is_lost() -> None:
    stored = json.loads(STORED)
    assert len(set(stored["pieces"])) == len(stored["pieces"]) == len(OURS)
    assert all(len(pair.split(" ")) == 2 for pair in stored["merges"])
    assert {pair.replace(" ", "") for pair in stored["merges"]} <= set(stored["pieces"])


def test_of_two_neighbours_those_are_joined_that_were_learnt_first() -> None:
    pieces = ["a", "b", "c", "ab", "bc"]
    assert BytePairs(pieces, ["a b", "b c"]).ids("abc") == [3, 2]
    assert BytePairs(pieces, ["b c", "a b"]).ids("abc") == [0, 4]


def test_a_byte_that_is_no_piece_is_left_out() -> None:
    assert BytePairs(["a", "b"], []).ids("axb a") == [0, 1, 0]


@pytest.mark.parametrize("data", [b"", b"[]", b'{"pieces": ["a"]}', b'{"pieces": [1], "merges": []}', b"\xff"])
def test_what_is_no_pieces_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"(?s)These are no pieces.*install the model again") as caught:
        loads(data, "pieces.json")
    assert "pieces.json" in str(caught.value)
