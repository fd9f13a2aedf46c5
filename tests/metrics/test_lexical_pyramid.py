"""The lexical pyramid: worked by hand, in any language, and on the student summaries."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion import formats
from pyramidion.analyses.scores.human import read_table_of_scores
from pyramidion.errors import ModelError
from pyramidion.metrics.lexical_pyramid import STOP_WORDS, LexicalPyramid, LexicalScore
from pyramidion.stats.correlation import pearson

METRIC = LexicalPyramid()
REFERENCES = ["The river flooded two villages.", "Floods hit the village by the river.", "A flood destroyed bridges."]
# flood 3, river 2, village ("villages" and "village" are "villag") 2, two 1, hit 1, destroy 1, bridge 1: 7 stems, 11
WORDS = ["flood", "river", "village", "two", "bridges", "the", "of", "Überfall", "水"]
words = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


def test_a_stem_weighs_the_references_that_use_it() -> None:
    weights = METRIC.weights(REFERENCES)
    assert list(weights.items())[:3] == [("flood", 3), ("river", 2), ("villag", 2)]
    assert sorted(weights.values()) == [1, 1, 1, 1, 2, 2, 3]


def test_the_four_scores_by_hand() -> None:
    # The peer has flood (3), bridge (1), and cow, which no reference has: D = 4, X = 3, Max(3) = 3 + 2 + 2 = 7.
    # The references have 4, 4 and 3 stems: X_a = 11 / 3, Max(X_a) = 7 + 2/3.
    score = METRIC.score("Flooded bridges, and the flood of cows.", REFERENCES)
    quality, coverage = 4 / 7, 4 / (7 + 2 / 3)
    assert score.raw == 4
    assert score.quality == pytest.approx(quality)
    assert score.coverage == pytest.approx(coverage)
    assert score.comprehensive == pytest.approx(2 * quality * coverage / (quality + coverage))


def test_function_words_alone_score_nothing() -> None:
    assert METRIC.score("It is not that they don't; we won't have been there.", ["It is not there."]).raw == 0
    assert METRIC.score("", REFERENCES) == LexicalScore(0, 0, 0, 0)
    assert METRIC.score("words", [""]) == LexicalScore(0, 0, 0, 0)


def test_the_stop_list_is_lower_case_and_has_no_content_word() -> None:
    assert all(word == word.casefold() and word.isalpha() for word in STOP_WORDS)
    assert not STOP_WORDS & {"mine", "won", "new", "said", "people", "work", "number", "first", "last"}


@pytest.mark.parametrize(
    ("text", "language"),
    [("Центральный банк повысил ставку", "ru"), ("中央銀行は金利を引き上げた", "ja"), ("Die Bank erhöht", "de")],
)
def test_other_scripts_do_not_score_0(text: str, language: str) -> None:
    assert LexicalPyramid(language).score(text, [text]).quality == 1
    assert LexicalPyramid().score(text, [text]).raw > 0


def test_other_languages_lose_no_word() -> None:
    assert LexicalPyramid("de").stems("Was war das? Der Hut.") == {"was", "war", "das", "der", "hut"}
    assert LexicalPyramid("en").stems("Was war das?") == {"war", "das"}


def test_no_reference_or_one_string_is_an_error() -> None:
    with pytest.raises(ModelError, match="no reference"):
        METRIC.score("a", [])
    with pytest.raises(ModelError, match="a single string"):
        METRIC.score("a", "a reference")


@given(peer=words, references=st.lists(words, min_size=1, max_size=4))
def test_order_changes_nothing_and_scores_keep_their_bounds(peer: str, references: list[str]) -> None:
    score = METRIC.score(peer, references)
    assert score == METRIC.score(peer, references[::-1])
    assert score == METRIC.score(" ".join(reversed(peer.split())), references)
    assert 0 <= score.quality <= 1
    assert 0 <= score.raw <= sum(METRIC.weights(references).values())


@pytest.mark.data
def test_students(data: Path) -> None:
    """On the 14 students of whom a manual score is known; on all 37, with another stop list, it was .817."""
    (topic,) = formats.load(data / "cc-students")
    human = read_table_of_scores(data / "cc-students" / "manual_scores.csv", [topic]).column().by_peer()
    references = [one.text for one in topic.references]
    found = METRIC.scores([topic.peer(peer).text for _, peer in human], [references] * len(human))
    r = pearson(list(human.values()), [score.raw for score in found])
    print(f"\nlexical pyramid, raw, r = {r:.3f} over {len(human)} students")
    assert r == pytest.approx(0.775, abs=0.001)


@pytest.mark.parametrize("language", ["English", "EN", "eng", "en-GB", ""])
def test_english_by_another_name_is_no_other_language(language: str) -> None:
    with pytest.raises(ModelError, match="write en for English, or the code of another language, such as de"):
        LexicalPyramid(language)
