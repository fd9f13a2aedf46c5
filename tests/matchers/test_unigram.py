"""The floor: unigram recall over the whole summary."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import PyramidionError
from pyramidion.matchers.unigram import recall, unigram, verdicts
from pyramidion.model import SCU, Contributor, Pyramid, Summary

WORDS = st.lists(st.sampled_from(["rain", "rains", "river", "fell", "rose", "dogs", "ran"]), max_size=12)


def pyramid(*wordings: str) -> Pyramid:
    """Each wording an SCU of its own."""
    reference = Summary("r", " ".join(wordings))
    scus = tuple(SCU(str(n), text, (Contributor("r", label=text),)) for n, text in enumerate(wordings, start=1))
    return Pyramid("t", (reference,), scus)


def peer(text: str) -> Summary:
    return Summary("p", text, "peer")


def degrees(scus: Pyramid, text: str, *, stem: bool = True) -> list[float]:
    return [one.probability for one in verdicts(scus, peer(text), stem=stem)]


def test_recall_is_the_share_of_words_each_as_often_as_it_comes() -> None:
    # the, the, river, rose; of which the summary has one "the" and "rose"
    assert degrees(pyramid("the river the rose"), "The sun rose.") == [0.5]


def test_words_count_wherever_they_stand() -> None:
    scus = pyramid("rain fell on Monday")
    assert degrees(scus, "Rain came. It fell. On Monday!") == degrees(scus, "On Monday! It fell. Rain came.") == [1]


def test_stems_or_words_as_they_stand() -> None:
    assert degrees(pyramid("rivers flooded"), "The river floods.") == [1]
    assert degrees(pyramid("rivers flooded"), "The river floods.", stem=False) == [0]


def test_the_best_wording_of_an_scu_counts() -> None:
    references = (Summary("a", "Rain fell."), Summary("b", "It poured."))
    scu = SCU("1", "rain", (Contributor("a", label="Rain fell."), Contributor("b", label="It poured.")))
    assert degrees(Pyramid("t", references, (scu,)), "Heavily it poured.") == [1]


def test_a_match_is_shown_in_the_sentence_with_most_of_its_words() -> None:
    summary = peer("Dogs ran. Rain fell in Spain. It fell.")
    annotation = unigram(pyramid("rain fell", "cats slept"), summary)
    assert [(match.scu, summary.quote(match.spans), match.score) for match in annotation.matches] == [
        ("1", "Rain fell in Spain.", 1.0)
    ]
    assert [summary.quote(unit.spans) for unit in annotation.unmatched] == ["Dogs ran.", "It fell."]
    assert annotation.probabilities == (("1", 1.0), ("2", 0.0))


def test_an_empty_summary_and_a_wording_without_words() -> None:
    assert unigram(pyramid("rain fell"), peer("")).matches == ()
    assert degrees(pyramid("rain fell"), " ... ") == [0]
    assert degrees(pyramid("--"), "Rain fell.") == [0]


def test_a_threshold_of_none_is_refused() -> None:
    with pytest.raises(PyramidionError, match="threshold"):
        unigram(pyramid("rain"), peer("rain"), threshold=0)


def test_any_script() -> None:
    assert degrees(pyramid("東京は雨"), "東京は晴れ") == [0.75]


@given(WORDS, WORDS, WORDS)
def test_recall_lies_between_0_and_1_and_grows_with_the_text(unit: list[str], text: list[str], more: list[str]) -> None:
    found = recall(Counter(unit), Counter(text))
    assert 0 <= found <= recall(Counter(unit), Counter(text + more)) <= 1
    assert recall(Counter(unit), Counter(unit)) == (1 if unit else 0)
