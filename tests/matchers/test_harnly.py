"""Harnly et al. 2005: worked examples, what holds of every pyramid and peer, and odd input."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.analyses.accuracy import realsumm
from pyramidion.errors import PyramidionError
from pyramidion.examples import example
from pyramidion.matchers.harnly import THRESHOLD, harnly
from pyramidion.matchers.passonneau import passonneau
from pyramidion.model import SCU, Annotation, Pyramid, Summary
from pyramidion.scoring import scores
from tests.matchers.test_sequences import pyramid_of
from tests.strategies import TEXTS, pyramids

Matcher = Callable[..., Annotation]
MATCHERS: dict[str, tuple[Matcher, dict[str, str]]] = {
    "harnly": (harnly, {}),
    "harnly-dp": (harnly, {"allocation": "dp"}),
    "harnly-complete": (harnly, {"linkage": "complete"}),
    "harnly-average": (harnly, {"linkage": "average"}),
    "ratcliff": (passonneau, {"similarity": "ratcliff"}),
    "ratcliff-average": (passonneau, {"similarity": "ratcliff", "linkage": "average"}),
    "cosine": (passonneau, {"similarity": "cosine"}),
    "cosine-dp": (passonneau, {"similarity": "cosine", "allocation": "dp"}),
    "wmin": (passonneau, {"similarity": "unigram", "allocation": "wmin"}),
}
every = pytest.mark.parametrize(("match", "chosen"), MATCHERS.values(), ids=MATCHERS)


def peer(text: str) -> Summary:
    return Summary("peer", text, "peer")


def test_a_sentence_is_cut_where_its_ideas_are() -> None:
    pyramid = pyramid_of(["the ship sank", "the boat went down"], ["the captain was saved"], ["it was a storm"])
    found = harnly(pyramid, peer("The ship sank, but the captain was saved."))
    assert [(one.scu, one.score, one.spans[0].of(found.summary.text), one.reason) for one in found.matches] == [
        ("1", 1.0, "The ship sank", "the ship sank"),
        ("2", 1.0, "the captain was saved", "the captain was saved"),
    ]
    assert found.unmatched == ()


def test_overlap_is_twice_the_shared_words_by_all_words() -> None:
    found = harnly(pyramid_of(["the old ship sank slowly"]), peer("The ship sank."))
    assert found.matches[0].score == 2 * 3 / (3 + 5)


def test_a_threshold_above_the_overlap_leaves_no_match() -> None:
    pyramid = pyramid_of(["the old ship sank slowly"])
    assert harnly(pyramid, peer("The ship sank."), threshold=0.75).matches
    assert not harnly(pyramid, peer("The ship sank."), threshold=0.76).matches


def test_equally_similar_scus_the_heavier_one() -> None:
    pyramid = pyramid_of(["the ship sank"], ["the ship sank", "the ship sank"])
    assert harnly(pyramid, peer("The ship sank.")).expressed == ("2",)


def test_an_scu_said_twice_is_one_match_and_another_unit() -> None:
    found = harnly(pyramid_of(["the ship sank"]), peer("The ship sank. The big ship sank."))
    assert [(one.scu, one.score) for one in found.matches] == [("1", 1.0)]
    assert found.size == 2


@every
def test_a_reference_as_a_peer_says_what_it_contributed(match: Matcher, chosen: dict[str, str]) -> None:
    said = ["the ship sank in the night", "the captain was saved by fishermen", "nobody knows what caused it"]
    found = match(pyramid_of(*([one] for one in said)), peer(". ".join(said).capitalize() + "."), **chosen)
    assert sorted(found.expressed) == ["1", "2", "3"]
    assert {round(one.score, 3) for one in found.matches} == {1.0}


@every
def test_odd_peers(match: Matcher, chosen: dict[str, str]) -> None:
    pyramid = pyramid_of(["fire"], ["Пожар начался ночью", "Ночью начался пожар"], ["船は夜に沈んだ"], ["..."])
    for text in ("", "\n\n", "?!", "...", "- ship\n- Fire\n- 12 dead"):
        found = match(pyramid, peer(text), **chosen)
        assert set(found.expressed) <= ({"1"} if "Fire" in text else set())
        assert bool(found.size) == any(map(str.isalnum, text))


@pytest.mark.parametrize("name", ["harnly", "harnly-average", "ratcliff", "wmin"])
def test_other_languages_and_single_words_get_an_answer(name: str) -> None:
    match, chosen = MATCHERS[name]
    pyramid = pyramid_of(["fire"], ["Пожар начался ночью"], ["船は夜に沈んだ"])
    found = match(pyramid, peer("Пожар начался ночью. 船は夜に沈んだ。 Fire!"), **chosen)
    assert sorted(found.expressed) == ["1", "2", "3"]


@every
def test_empty_pyramids(match: Matcher, chosen: dict[str, str]) -> None:
    found = match(Pyramid("t", (Summary("A", ""),), ()), peer("The ship sank."), **chosen)
    assert not found.matches
    assert found.size > 0


def reordered(pyramid: Pyramid) -> Pyramid:
    turned = tuple(SCU(scu.id, scu.label, scu.contributors[::-1], scu.comment) for scu in pyramid.scus[::-1])
    return Pyramid(pyramid.topic, pyramid.references[::-1], turned)


@every
@settings(max_examples=15)
@given(pyramid=pyramids(), text=TEXTS)
def test_what_holds_of_every_pyramid_and_peer(
    match: Matcher, chosen: dict[str, str], pyramid: Pyramid, text: str
) -> None:
    found = match(pyramid, peer(text), threshold=0.3, **chosen)
    found.check(pyramid)
    assert len(found.matches) == len(found.expressed)
    spans = sorted(span for one in found.matches for span in one.spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert match(reordered(pyramid), peer(text), threshold=0.3, **chosen) == found
    assert 0 <= scores(pyramid, found).recall <= 1


@every
def test_the_order_of_references_and_scus_changes_nothing(match: Matcher, chosen: dict[str, str]) -> None:
    topic = example()[1]
    assert topic.pyramid
    one = next(one for one in topic.peers if one.id == "paraphrase-1")
    assert match(topic.pyramid, one, **chosen) == match(reordered(topic.pyramid), one, **chosen)


@every
def test_a_wording_given_twice_changes_no_match(match: Matcher, chosen: dict[str, str]) -> None:
    once = pyramid_of(["the ship sank", "the boat went down"], ["it was a storm", "there was a storm"])
    twice = pyramid_of(
        ["the ship sank", "the boat went down", "the ship sank"],
        ["it was a storm", "there was a storm", "there was a storm"],
    )
    one = peer("The old ship went down in a storm. It was night.")
    assert match(once, one, threshold=0.2, **chosen) == match(twice, one, threshold=0.2, **chosen)


@given(st.sampled_from(["copy", "padded", "paraphrase-1"]), st.floats(0.3, 0.9))
@settings(max_examples=10)
def test_every_match_of_the_example_is_as_similar_as_it_says(name: str, threshold: float) -> None:
    topic = example()[0]
    assert topic.pyramid
    text = next(one for one in topic.peers if one.id == name)
    for one in harnly(topic.pyramid, text, threshold=threshold).matches:
        alone = harnly(pyramid_of([one.reason]), peer(text.quote(one.spans)), threshold=threshold)
        assert one.score >= threshold - 1e-6
        assert alone.matches[0].score >= one.score


def test_bad_settings() -> None:
    pyramid = pyramid_of(["the ship sank"])
    with pytest.raises(PyramidionError, match="cannot be 'double'; choose one of: single, complete, average"):
        harnly(pyramid, peer("x"), linkage="double")
    with pytest.raises(PyramidionError, match="threshold"):
        harnly(pyramid, peer("x"), threshold=0.0)
    with pytest.raises(PyramidionError, match="cannot be 'wmin'; choose one of: exact, dp"):
        harnly(pyramid, peer("x"), allocation="wmin")
    assert 0 < THRESHOLD < 1


@pytest.mark.data
def test_the_exact_choice_is_never_below_dynamic_programming_and_now_and_then_above(data: Path) -> None:
    better = 0
    for topic in realsumm.read(data / "realsumm", 10):
        assert topic.pyramid
        for one in topic.peers:
            exact, programmed = (
                sum(match.score for match in harnly(topic.pyramid, one, allocation=way, analyser="unicode").matches)
                for way in ("exact", "dp")
            )
            assert exact >= programmed - 1e-9
            better += exact > programmed + 1e-9
    assert better > 0
