"""Statements that share nearly all words and may say different things."""

from __future__ import annotations

import pytest

from pyramidion.crowd.statements.duplicates import FINDERS, THRESHOLDS, cosine, lemmas
from pyramidion.crowd.statements.reversal import difference

DIFFERENT = [
    ("The mayor did not resign.", "The mayor resigned.", "not"),
    ("The mayor didn't resign.", "The mayor resigned.", "not"),
    ("The mayor never resigned.", "The mayor resigned.", "never"),
    ("No bridge was closed.", "A bridge was closed.", "no"),
    ("Ann did not say that Bob left.", "Ann said that Bob did not leave.", "not"),
    ("He flew from Oslo to Rome.", "He flew from Rome to Oslo.", "from, to"),
    ("They left before it rained.", "They left after it rained.", "after, before"),
    ("They left before it rained.", "It rained before they left.", "before"),
    ("She voted against the bill.", "She voted for the bill.", "against"),
    ("The mayor may resign.", "The mayor will resign.", "may"),
    ("More schools were closed.", "Schools were closed.", "more"),
    ("The editor sued the mayor.", "The mayor sued the editor.", "who acts: editor, mayor"),
    ("Ann was sued by Bob.", "Bob was sued by Ann.", "who acts: ann, bob"),
    ("The council was closed by the bridge.", "The council closed the bridge.", "who acts: bridge, council"),
    ("The repair cost 2 million.", "The repair cost 3 million.", "2 or 3"),
    ("Der Rat hat die Brücke nicht gesperrt.", "Der Rat hat die Brücke gesperrt.", "nicht"),
    ("狗咬人。", "人咬狗。", "the order of the words"),
]
SAME = [
    ("The council closed the bridge in May.", "In May the council closed the bridge"),
    ("The council closed the bridge.", "The bridge was closed by the council."),
    ("The mayor didn't resign.", "The mayor did not resign"),
    ("He flew from Oslo to Rome.", "He flew to Rome from Oslo."),
    ("Flight 990 crashed in October 1999.", "Flight 990 crashed in October 1999 off the coast."),
    ("The repair cost 1,300 dollars.", "The repair cost 1300 dollars."),
    ("It began in the 1960s.", "It began in the 1960's."),
    ("They try to leave.", "They try leaving."),
    ("議会は橋を閉鎖した。", "議会は橋を閉鎖した"),
]


@pytest.mark.parametrize(("first", "second", "how"), DIFFERENT)
def test_what_they_differ_by(first: str, second: str, how: str) -> None:
    assert difference(first, second) == difference(second, first) or " or " in how
    assert difference(first, second) == how


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_may_say_the_same(first: str, second: str) -> None:
    assert difference(first, second) == ""


def test_without_a_parser_the_next_word_is_what_a_word_belongs_to() -> None:
    assert difference("He flew from Oslo to Rome", "He flew from Rome to Oslo", "unicode") == "from, to"
    assert difference("They didn't leave", "They did leave", "unicode") == "not"
    assert difference("In May the bridge was closed", "The bridge was closed in May", "unicode") == ""
    assert difference("The lake rose up", "The lake rose", "unicode") == "up"


def test_such_a_pair_is_never_a_duplicate_by_its_cosine() -> None:
    said = "The mayor of the old town did not resign in the last week of May after the vote of the council."
    denied = said.replace(" did not resign", " did resign")
    assert cosine(lemmas(said), lemmas(denied)) > 0.97
    assert FINDERS["cosine"]([said, denied], 0.1, "en-minilm") == {}
    exchanged = ["The train goes from Oslo to Rome.", "The train goes from Rome to Oslo."]
    assert cosine(*map(lemmas, exchanged)) == 1
    assert FINDERS["cosine"](exchanged, THRESHOLDS["cosine"], "en-minilm") == {}
