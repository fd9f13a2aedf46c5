"""A quote is found where it is, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.text.quotes import located

TEXT = "The \u201cblue\u201d lake \u2014 once dead \u2014 lives\nagain. The Lake is BLUE; others are not."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("The Lake is BLUE", ["The Lake is BLUE"]),
        ("the lake is blue", ["The Lake is BLUE"]),
        ("lives  again", ["lives\nagain"]),
        ('the "blue" lake - once dead', ["The \u201cblue\u201d lake \u2014 once dead"]),
        ("'others are not.'", ["others are not."]),
        ("lake ... lives", ["lake", "lives"]),
        ("The \u201cblue\u201d lake [\u2026] lives", ["The \u201cblue\u201d lake", "lives"]),
        ("lake ... dies", []),
        ("ther", []),
        ("", []),
        ("...", []),
        ('"', []),
    ],
)
def test_where_a_quote_is(quote: str, found: list[str]) -> None:
    assert [span.of(TEXT) for span in located(quote, TEXT)] == found


def test_scripts_without_spaces() -> None:
    assert [span.of("湖は青い。") for span in located("青い", "湖は青い。")] == ["青い"]


@given(st.text(), st.integers(0, 50), st.integers(0, 50))
def test_any_words_of_a_text_that_stand_alone_are_found(text: str, first: int, length: int) -> None:
    piece = text[first : first + length].strip()
    padded = f"{text[:first]} {piece} {text[first + length :]}"
    found = located(piece, padded)
    assert all(span.end <= len(padded) for span in found)
    if any(map(str.isalnum, piece)):
        assert found
