"""Either judge: what two witnesses are worth, and that words have no vote where the network sees a contradiction."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.builders.lite import lite
from pyramidion.matchers.either import either, of_two
from pyramidion.matchers.entails import entails
from pyramidion.matchers.judged import Denial, Verdict
from pyramidion.matchers.soft import soft
from pyramidion.model import Span, Summary, Topic

CHANCES = st.floats(0, 1)
REFERENCE = Summary("r", "The dam above Elmford burst on Tuesday after rain. Two hundred families fled.")
network = pytest.mark.skipif(
    find_spec("pyramidion_entails") is None, reason="the network is not installed: pip install ./entails"
)


@given(CHANCES, CHANCES)
def test_words_only_add_and_never_take_back(read: float, counted: float) -> None:
    found = of_two(Verdict(read), Verdict(counted), 0.5, 0.7).probability
    assert found == pytest.approx(read + counted - read * counted, abs=1e-6)
    assert max(read, counted) - 1e-6 <= found <= 1


def test_words_have_no_vote_where_the_network_sees_a_contradiction() -> None:
    denied = Verdict(0.1, denial=Denial(0.8, (Span(0, 3),)))
    assert of_two(denied, Verdict(1.0), 0.5, 0.7) == denied
    assert of_two(denied, Verdict(1.0), 0.5, 0.9).probability == 1


def test_the_place_is_that_of_the_judge_who_found_it() -> None:
    read, counted = Verdict(0.6, (Span(0, 3),), "a"), Verdict(0.9, (Span(5, 9),), "b")
    assert of_two(read, counted, 0.5, 0.7).spans == (Span(0, 3),)
    assert of_two(Verdict(0.4, (), ""), counted, 0.5, 0.7).spans == (Span(5, 9),)


@network
def test_an_annotation_has_what_both_judges_make_of_it() -> None:
    pyramid = lite(Topic("dam", (REFERENCE,)))
    peer = Summary("p", "After rain the dam above Elmford burst.")
    chances = [dict(judge(pyramid, peer).probabilities) for judge in (either, entails, soft)]
    for scu in pyramid.scus:
        both, read, counted = (one[scu.id] for one in chances)
        assert both == pytest.approx(1 - (1 - read) * (1 - counted), abs=1e-3)


@network
def test_a_copy_has_all_and_an_empty_summary_nothing() -> None:
    pyramid = lite(Topic("dam", (REFERENCE,)))
    assert {chance for _, chance in either(pyramid, Summary("copy", REFERENCE.text)).probabilities} == {1.0}
    assert not either(pyramid, Summary("empty", "")).matches
