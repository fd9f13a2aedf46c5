"""What is measured of a wording and a summary: each feature by example, and what holds of all."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.language.text.porter import stem
from pyramidion.match import features as module
from pyramidion.match import soft as soft_module
from pyramidion.match import vocabulary
from pyramidion.match.features import FEATURES, features
from pyramidion.match.soft import soft
from pyramidion.match.vocabulary import Vocabulary
from pyramidion.model import SCU, Contributor, Pyramid, Summary
from tests.strategies import TEXTS, pyramids


def pyramid_of(*wordings: str) -> Pyramid:
    scus = (SCU(str(number), said, (Contributor("A", label=said),)) for number, said in enumerate(wordings))
    return Pyramid("toy", (Summary("A", ""),), tuple(scus))


def measured(wording: str, text: str, *others: str) -> dict[str, float]:
    found = features(pyramid_of(wording, *others), text, "unicode")
    return dict(zip(FEATURES, found.values[0].tolist(), strict=True))


def test_the_docstring_has_every_feature_in_order() -> None:
    table = (module.__doc__ or "").split("=== ===")[2]
    rows = [line[:19].strip() for line in table.splitlines() if line[:1].islower()]
    assert tuple(rows) == FEATURES


def test_a_sentence_that_is_the_wording_has_everything() -> None:
    assert set(measured("The council banned 3 boats.", "It rained. The council banned 3 boats.").values()) == {1.0}


def test_telling_words_weigh_their_length_and_rarity() -> None:
    # "boats" stands in all three wordings, "council" in one: without boats more is left than without the council
    others = ("The boats sank.", "The boats burned.")
    without_boats = measured("council boats", "The council met.", *others)["telling sentence"]
    without_council = measured("council boats", "The boats met.", *others)["telling sentence"]
    assert without_council < 0.5 < without_boats


def test_sentence_and_passage_differ_in_reach() -> None:
    filler = "Nobody there cared at all about it. " * 15
    near = measured("Farmers poisoned fish", "Farmers left. Fish died. Someone poisoned them.")
    far = measured("Farmers poisoned fish", f"Farmers left. {filler}Fish died. Someone poisoned them.")
    assert near["telling sentence"] == far["telling sentence"] < far["telling passage"] < near["telling passage"] == 1


def test_segments_are_those_of_the_finest_segmentation() -> None:
    """Of a sentence's segmentations (whole, finest, then some clauses joined) the second: four clauses, in order."""
    text = "When the storm came, the mayor closed the school and the shops shut their doors because the river rose."
    clauses = ("the storm came", "the mayor closed the school", "the shops shut their doors", "the river rose")
    assert features(pyramid_of(*clauses), text).segments.tolist() == [0, 1, 2, 3]
    assert features(pyramid_of("the river rose"), "The river rose.").segments.tolist() == [0]


def test_weakest_and_second() -> None:
    found = measured("Penguins eat herring", "Penguins eat.")
    assert found["weakest sentence"] < found["second sentence"] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In May Ann sued Bob.", 1.0),
        ("In May Bob sued Ann.", 0.0),
        ("In May Bob was sued by Ann.", 1.0),
        ("In May Ann was sued by Bob.", 0.0),
    ],
)
def test_who_did_it_to_whom(text: str, expected: float) -> None:
    for wording in ("Ann sued Bob", "Bob was sued by Ann"):
        assert measured(wording, text)["right way round"] == pytest.approx(expected, abs=0.01)


def test_pairs_must_be_neighbours_and_near_ones_close() -> None:
    together = measured("red car", "He has a red car and a house.")
    apart = measured("red car", "He has a car and he lives in a house that is red.")
    assert (together["pairs passage"], together["near sentence"]) == (1, 1)
    assert apart["pairs passage"] < 0.5
    assert apart["near sentence"] < 0.5
    assert apart["telling sentence"] == 1


def test_numbers_are_the_same_in_words_and_in_figures() -> None:
    said = measured("12 men died", "Twelve men died.")
    other = measured("12 men died", "Twenty men died.")
    assert (said["numbers sentence"], said["numbers passage"], said["no other number"]) == (1, 1, 1)
    assert (other["numbers sentence"], other["numbers passage"], other["no other number"]) == (0, 0, 0)
    assert measured("12 men died", "Men died.")["no other number"] == 1


def test_names_are_words_with_capitals() -> None:
    assert measured("The mayor met Maria Lopez", "the mayor met maria gomez")["names passage"] == 0.5
    assert measured("Farmers met the mayor", "the mayor came")["names passage"] == 1


@pytest.mark.parametrize(
    ("wording", "text", "same"),
    [
        ("The plan failed to work", "The plan worked.", 0),
        ("The drug is safe", "The drug is not safe.", 0),
        ("The drug is safe", "The drug isn't safe.", 0),
        ("The drug is not safe", "The drug isn\u2019t safe.", 1),
        ("The drug is safe", "It is not cheap, the drug is safe.", 1),
        ("The drug is safe", "The drug is safe.", 1),
        ("The drug is safe", "Is it cheap? It is not\nThe drug is safe", 1),
    ],
)
def test_polarity(wording: str, text: str, same: int) -> None:
    assert measured(wording, text)["same polarity"] == same


def test_opposites() -> None:
    assert measured("Prices rose", "Prices fell.")["no opposite"] == 0
    assert measured("The vote was legal", "The vote was illegal.")["no opposite"] == 0
    assert measured("The ending was happy", "The ending was unhappy.")["no opposite"] == 0
    assert measured("Prices rose", "Prices rose, then fell.")["no opposite"] == 1


def test_verbatim_means_uninterrupted_and_not_denied() -> None:
    def verbatim(wording: str, text: str) -> bool:
        return bool(features(pyramid_of(wording), text, "unicode").verbatim[0])

    assert verbatim("The players wore masks.", "At noon THE PLAYERS wore masks, and hats.")
    assert not verbatim("The players wore masks.", "The players often wore masks.")
    assert not verbatim("The players wore masks.", "None of the players wore masks.")
    assert verbatim("The players wore masks.", "None of the players wore masks. But on Friday the players wore masks.")
    assert verbatim("The players wore masks", "They did not\nThe players wore masks\n")  # another sentence
    assert not verbatim("play", "The players left.")
    assert not verbatim("...", "Wait ...")


def test_no_feature_sees_how_long_the_summary_is() -> None:
    text = "The council banned boats on the lake."
    long = text + " 7777 8888." * 40
    assert measured("The council banned all motor boats", text) == measured("The council banned all motor boats", long)


@settings(max_examples=15)
@given(
    st.permutations(
        ["Ann sued Bob.", "Prices did not fall.", "Bob sued 12 farmers.", "Nobody came.", "The car is red."]
    )
)
def test_the_order_of_sentences_changes_nothing_within_a_passage(sentences: list[str]) -> None:
    pyramid = pyramid_of("Bob sued 15 farmers", "Prices fell", "The blue car came", "Zebras")
    expected = features(pyramid, "Ann sued Bob. Prices did not fall. Bob sued 12 farmers. Nobody came. The car is red.", "unicode")  # fmt: skip
    assert np.array_equal(features(pyramid, " ".join(sentences), "unicode").values, expected.values)


@settings(max_examples=30)
@given(pyramids(), TEXTS)
def test_every_feature_lies_between_0_and_1(pyramid: Pyramid, text: str) -> None:
    found = features(pyramid, text, "unicode")
    assert found.values.shape == (found.bounds[-1], len(FEATURES))
    assert ((found.values >= 0) & (found.values <= 1)).all()
    assert len(found.bounds) == len(pyramid.scus) + 1
    assert not (found.verbatim & found.empty).any()


def test_memory_is_bounded_for_a_text_without_full_stops() -> None:
    words = [f"word{number}" for number in range(2000)]
    pyramid = pyramid_of(*(" ".join(words[first : first + 40]) for first in range(0, 200, 20)))
    features(pyramid, "A start.", "unicode")
    tracemalloc.start()
    try:
        features(pyramid, " ".join(words), "unicode")
        assert tracemalloc.get_traced_memory()[1] < 120e6
    finally:
        tracemalloc.stop()


CONTENT = ["boat", "boats", "lake", "fish", "council", "frogs", "water", "banned", "museum", "of", "the"]
SENTENCES = st.lists(st.lists(st.sampled_from(CONTENT), min_size=1, max_size=9), min_size=1, max_size=4)


def _s(one: str, other: str) -> float:
    both = Vocabulary.of([one, other])
    cosine = max(0.0, float(both.directions[both.numbers[one]] @ both.directions[both.numbers[other]]))
    return 1.0 if one == other else max(0.95, cosine) if stem(one) == stem(other) else cosine


@settings(max_examples=40)
@given(st.lists(st.sampled_from(CONTENT), min_size=1, max_size=6), SENTENCES)
def test_pairs_near_and_order_are_their_formulas(wording: list[str], sentences: list[list[str]]) -> None:
    text = " ".join(f"{' '.join(words).capitalize()}." for words in sentences)
    found = features(pyramid_of(" ".join(wording)), text, "unicode")
    values = dict(zip(FEATURES, found.values[0].tolist(), strict=True))
    neighbours = [
        max([_s(i, words[j]) * _s(k, words[j + 1]) for words in sentences for j in range(len(words) - 1)], default=0)
        for i, k in pairwise(wording)
    ]
    assert values["pairs passage"] == pytest.approx(np.mean(neighbours or 1), abs=2e-6)
    sentence = sentences[found.sentences[0]]
    content = [word for word in wording if word not in ("of", "the")]
    pairs = [(i, k) for at, i in enumerate(content) for k in content[at + 1 : at + 3] if i != k]

    def best(i: str, k: str, steps: range) -> float:
        places = [
            (j, j + step) for j in range(len(sentence)) for step in steps if step and 0 <= j + step < len(sentence)
        ]
        return max([(_s(i, sentence[j]) * _s(k, sentence[m])) ** 3 for j, m in places], default=0)

    near = [best(i, k, range(-5, 6)) for i, k in pairs]
    assert values["near sentence"] == pytest.approx(np.mean(near or 1), abs=2e-6)
    turned = [max(0.0, best(i, k, range(-9, 0)) - best(i, k, range(1, 10))) for i, k in pairs]
    assert values["right way round"] == pytest.approx(1 - np.mean(turned or 0), abs=2e-6)


def test_the_size_of_steps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wordings = ("Bob sued 15 farmers", "Prices fell", "The blue car was sold by Ann", "Zebras", "Ann did not come")
    text = "Ann sued Bob. Prices did not fall. Bob sued 12 farmers. Nobody came. The red car was sold by Ann. Ann came."
    pyramid, named = pyramid_of(*wordings), replace(pyramid_of(*wordings), topic="again")
    expected, evident = features(pyramid, text, "unicode"), soft(pyramid, Summary("P", text), analyser="unicode")
    for module_ in (vocabulary, soft_module, module):
        monkeypatch.setattr(module_, "CELLS", 30)
    monkeypatch.setattr(module, "BLOCK", 10)
    found = features(named, text, "unicode")  # another pyramid to every cache
    assert np.array_equal(found.values, expected.values)
    assert (found.sentences.tolist(), found.segments.tolist()) == (
        expected.sentences.tolist(),
        expected.segments.tolist(),
    )
    assert soft(named, Summary("P", text), analyser="unicode") == evident
