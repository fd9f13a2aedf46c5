"""Statements that say the same: by the paper's cosine and by the code's overlap."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.statements.duplicates import FINDERS, THRESHOLDS, Alike, cosine, lemmas, nearest, overlap

Bags = st.lists(st.sampled_from("abcd"), max_size=6).map(tuple)

OLD = "The council closed the old stone bridge in May."
AGAIN = "In May the council closed the old stone bridge"
SHORT = "The council closed the bridge."
OTHER = "A ferry carries forty cars an hour."


def test_cosine_of_bags_counts_repetitions() -> None:
    # a = (2, 1), b = (1, 1): (2 + 1) / sqrt(5 * 2)
    assert cosine(("x", "x", "y"), ("x", "y")) == pytest.approx(3 / math.sqrt(10))
    assert overlap(("x", "x", "y"), ("x", "y")) == 1.0
    assert overlap(("x", "y", "z"), ("x", "w")) == 0.5


@given(Bags, Bags)
def test_similarities_are_symmetric_and_between_0_and_1(a: tuple[str, ...], b: tuple[str, ...]) -> None:
    for similarity in (cosine, overlap):
        assert similarity(a, b) == similarity(b, a)
        assert 0 <= similarity(a, b) <= 1 + 1e-12
        assert similarity(a, a) == (1 if a else 0)


def test_lemmas_are_those_of_all_words() -> None:
    """The paper leaves no words out; its code does, unless they have a capital."""
    assert lemmas(OLD) == ("the", "council", "close", "the", "old", "stone", "bridge", "in", "may")
    assert lemmas("The mayor did not resign.") == ("the", "mayor", "do", "not", "resign")
    assert lemmas(OLD, capitals=True)[:3] == ("the", "council", "close")
    assert "not" not in lemmas("The mayor did not resign.", capitals=True)


def test_another_language_is_compared_by_its_words() -> None:
    german = "Der Rat hat die alte Brücke gesperrt, und nicht nur die."
    assert lemmas(german)[:3] == ("der", "rat", "hat")
    assert lemmas("議会は橋を閉鎖した。")[:2] == ("議", "会")
    found = FINDERS["cosine"](
        ["議会は古い橋を閉鎖した。", "議会は古い橋を閉鎖した", "湖は再び澄んだ。"], 0.85, "en-minilm"
    )
    assert set(found) in ({0}, {1})


def test_the_paper_keeps_the_briefest_in_every_order() -> None:
    for texts in permutations([OLD, AGAIN, OTHER]):
        found = FINDERS["cosine"](texts, THRESHOLDS["cosine"], "en-minilm")
        assert {texts[place] for place in found} == {OLD}  # as many lemmas as the other, more letters
        assert all(texts[alike.place] == AGAIN and alike.similarity == 1 for alike in found.values())


def test_only_what_is_more_alike_than_the_threshold_is_a_duplicate() -> None:
    texts = ["a b c d", "a b c e"]  # cosine and overlap are 3 / 4
    for name in ("cosine", "overlap"):
        assert FINDERS[name](texts, 0.75, "unicode") == {}
        assert len(FINDERS[name](texts, 0.7499, "unicode")) == 1


def test_a_part_of_a_statement_is_a_duplicate_by_overlap_only() -> None:
    texts = [OLD, SHORT, OTHER]
    assert FINDERS["cosine"](texts, 0.85, "en-minilm") == {}
    assert FINDERS["overlap"](texts, 0.95, "en-minilm") == {0: Alike(1, 1.0)}


def test_the_code_drops_the_earlier_of_two_equally_long() -> None:
    assert FINDERS["overlap"](["Bridges closed in May", "bridges closed in May", OTHER], 0.95, "unicode") == {}
    assert list(FINDERS["overlap"](["Bridges closed", "Bridges closed", OTHER], 0.95, "unicode")) == [0]


def test_the_code_compares_the_one_at_hand_to_the_end() -> None:
    """i goes because of the shorter j, and still takes a longer one with it, as the published loop does."""
    texts = ["a b c", "a b", "a b c d"]
    found = FINDERS["overlap"](texts, 0.95, "unicode")
    assert found == {0: Alike(1, 1.0), 2: Alike(0, 1.0)}


def test_nearest_is_told_of_every_statement() -> None:
    assert nearest([OLD, AGAIN, OTHER], "cosine") == [Alike(1, 1.0), Alike(0, 1.0), None]
    assert nearest([OLD], "cosine") == [None]
    near = nearest([OLD, SHORT], "overlap")[0]
    assert near is not None
    assert near.similarity == 1


def test_nothing_is_alike_without_a_word() -> None:
    assert FINDERS["cosine"](["...", "!!"], 0.85, "en-minilm") == {}
    assert FINDERS["overlap"](["...", "!!"], 0.95, "en-minilm") == {}
