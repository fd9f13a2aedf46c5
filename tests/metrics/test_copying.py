"""Copying: worked examples, and what holds of every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.metrics.copying import RUN, Copied, Originals

LAKE = "Farms along the shore fed the lake so much phosphorus that most of its fish died."  # 16 words
BOAT = "A small boat sank near the old pier in the spring of that very year."  # 15 words
ORIGINALS = Originals((("reference A", LAKE), ("source 1", BOAT)))


def test_eight_words_in_a_row_count_and_seven_do_not() -> None:
    eight = "Farms along the shore fed the lake so"
    assert ORIGINALS.copied(eight) == Copied(1.0, (("reference A", 1.0),), ORIGINALS.copied(eight).spans)
    assert ORIGINALS.copied("Farms along the shore fed the lake") == Copied(0.0)


def test_the_share_is_of_all_words_and_the_runs_have_their_places() -> None:
    text = "I think a small boat sank near the old pier in the spring, perhaps."
    found = ORIGINALS.copied(text)
    assert found.share == 11 / 14  # "a small ... the spring" are 11 of 14 words
    assert [span.of(text) for span in found.spans] == ["a small boat sank near the old pier in the spring"]
    assert found.origins == (("source 1", 11 / 14),)


def test_a_run_longer_than_eight_counts_once_and_in_full() -> None:
    assert ORIGINALS.copied(LAKE + " " + LAKE).share == 1
    assert ORIGINALS.copied(f"{LAKE} One two three four.").share == 16 / 20


def test_case_punctuation_and_line_breaks_hide_nothing() -> None:
    text = "FARMS - along the \u201cshore\u201d,\n\nfed the lake; so MUCH (phosphorus)"
    assert ORIGINALS.copied(text).share == 1


def test_a_changed_word_ends_a_run() -> None:
    assert ORIGINALS.copied(LAKE.replace("lake", "pond")).share == 9 / 16  # "so much ... fish died" after it
    assert ORIGINALS.copied(LAKE.replace("that", "and")).share == 10 / 16  # the ten before it; five after it are few


def test_a_text_from_one_place_is_pasted_and_one_from_several_is_put_together() -> None:
    assert str(ORIGINALS.copied(LAKE)) == "pasted from reference A"
    assert str(ORIGINALS.copied(f"{BOAT} {LAKE}")) == "put together from reference A, source 1"
    assert str(ORIGINALS.copied(f"{LAKE} Nobody had expected any of this to happen to us so soon after.")) == (
        "55 % copied from reference A"  # 16 of 29 words
    )
    assert str(ORIGINALS.copied("The fish of the lake died because of the farms.")) == ""


def test_what_two_texts_share_is_told_of_the_one_with_more() -> None:
    both = Originals((("part", " ".join(LAKE.split()[:10])), ("whole", LAKE)))
    assert both.copied(LAKE).origins == (("whole", 1.0),)


def test_scripts_without_spaces_are_compared_by_character() -> None:
    original = "\u6e56\u6c34\u56e0\u519c\u573a\u6392\u653e\u8fc7\u591a\u78f7\u800c\u6b7b\u4ea1"
    assert Originals((("source 1", original),)).copied(original[:9]).share == 1
    assert Originals((("source 1", original),)).copied(original[:7]).share == 0


@pytest.mark.parametrize("text", ["", " \n", "...", "word"])
def test_a_text_too_short_to_copy(text: str) -> None:
    assert ORIGINALS.copied(text) == Copied(0.0)
    assert Originals(()).copied(text) == Copied(0.0)


words = st.lists(st.sampled_from("abc"), max_size=40).map(" ".join)


@given(words, st.lists(words, max_size=3))
def test_as_the_definition_says(text: str, others: list[str]) -> None:
    own = text.split()
    texts = [f" {' '.join(other.split())} " for other in others]
    copied = {
        place
        for start in range(len(own) - RUN + 1)
        if any(f" {' '.join(own[start : start + RUN])} " in other for other in texts)
        for place in range(start, start + RUN)
    }
    found = Originals([(f"o{number}", other) for number, other in enumerate(others)]).copied(text)
    assert found.share == (len(copied) / len(own) if own else 0)
    assert [len(span.of(text).split()) for span in found.spans] == [
        sum(1 for _ in run) for run in _consecutive(sorted(copied))
    ]


def _consecutive(places: list[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs
