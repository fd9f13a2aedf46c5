"""EDUs by their words."""

from __future__ import annotations

from pyramidion.language import analyse
from pyramidion.language.parse.discourse import common, form, units, units_of, words_of
from pyramidion.model import Span


def test_words_have_a_letter_or_a_digit_and_one_case() -> None:
    assert words_of("\u201cIt\u2019s STRASSE 7,\u201d he said ... \u2014") == ("it", "'s", "strasse", "7", "he", "said")
    assert form("Stra\u00dfe") == form("STRASSE".replace("SS", "\u1e9e"))
    assert form("e\u0301") == form("\u00e9")


def test_units_leave_out_what_says_nothing_and_number_the_rest() -> None:
    text = "... He left. !!! She stayed."
    found = units_of(analyse(text, "unicode"))
    assert [(unit.words, unit.sentence, unit.place) for unit in found] == [
        (("he", "left"), 0, 0),
        (("she", "stayed"), 1, 0),
    ]
    assert [unit.length for unit in found] == [2, 2]
    assert units("", "unicode") == ()


def test_units_know_where_their_words_are() -> None:
    text = "Stop, if you can!"
    analysis = analyse(text, "unicode")
    (unit,) = units_of(analysis)
    assert unit.span == Span(0, len(text))
    assert [analysis.words[place].form for place in unit.places] == ["Stop", "if", "you", "can"]


def test_long_units_are_compared_too() -> None:
    long = tuple(f"w{number}" for number in range(500))
    assert list(common([long, long[::2], long[::-1]], long)) == [500, 250, 1]
