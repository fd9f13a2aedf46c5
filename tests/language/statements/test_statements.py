"""Statements that the network writes: nothing new in them, and from which words of the sentence they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyramidion.errors import PyramidionError
from pyramidion.language import Analysis, LanguageError
from pyramidion.language.parse.analysis import Word
from pyramidion.language.statements.rules import statements_of
from pyramidion.language.statements.writing_network import statement_lines
from pyramidion.language.statements.written import BETWEEN, spans, statements_by, strangers, written_statements

TEXT = "The lakes recovered in 2019. Fishermen had been selling perch; the mayor's pier cost €40, she said."
VOCABULARY = [
    "lake",
    "lakes",
    "fish",
    "fishing",
    "fisherman",
    "sold",
    "mayor",
    "the",
    "of",
    "was",
    "it",
    ",",
    "2019",
    "é",
]
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12)


def of_words(sentences: Sequence[Sequence[str]]) -> Analysis:
    """A text of these sentences, a space after every word."""
    words, ranges, at = [], [], 0
    for sentence in sentences:
        ranges.append((len(words), len(words) + len(sentence)))
        for form in sentence:
            words.append(Word(at, at + len(form), form))
            at += len(form) + 1
    return Analysis(" ".join(form for sentence in sentences for form in sentence), tuple(words), tuple(ranges))


def quoted(sentence: str, statement: str) -> list[str]:
    """The words of the sentence that a statement comes from."""
    analysis = of_words([sentence.split()])
    return [span.of(analysis.text) for span in spans(analysis, 0, statement)]


def sentences_of(analysis: Analysis) -> list[str]:
    return [span.of(analysis.text) for span in analysis.sentence_spans()]


def weights() -> None:
    pytest.importorskip("pyramidion_writes", reason="pip install ./writes: the weights are not installed")


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("The pond recovered.", {"pond"}),
        ("The lakes recovered in 2020.", {"2020"}),
        ("Sven's lake recovered.", {"sven"}),
        ("The café cost €40.", {"café"}),
        ("Pike and trout were sold.", {"pike", "trout"}),
    ],
)
def test_a_word_that_the_text_does_not_have_is_a_stranger(statement: str, found: set[str]) -> None:
    assert strangers(TEXT, statement) == found


@pytest.mark.parametrize(
    "statement",
    [
        "The lake is recovering.",
        "A FISHERMEN'S perch sells.",
        "The pier of the mayor costs 40.",
        "There were people who had something to do with all of it, and they were called by somebody.",
        "",
    ],
)
def test_inflected_forms_and_words_that_say_nothing_are_no_strangers(statement: str) -> None:
    assert strangers(TEXT, statement) == set()


@given(WORDS, WORDS)
def test_no_word_of_the_text_is_a_stranger_and_every_stranger_is_of_the_statement(
    text: list[str], other: list[str]
) -> None:
    found = strangers(" ".join(text), " ".join(other))
    assert not strangers(" ".join(text), " ".join(text[::-1]))
    assert not strangers(" ".join([*text, *other]), " ".join(other))
    assert found <= strangers("", " ".join(other))


@given(st.lists(WORDS, min_size=1, max_size=3), st.data())
@example([["lake"] * 3], None)
def test_spans_are_words_of_the_sentence_inside_it_sorted_and_disjoint(
    sentences: list[list[str]], data: st.DataObject | None
) -> None:
    analysis = of_words(sentences)
    number = data.draw(st.integers(0, len(sentences) - 1)) if data else 0
    statement = " ".join(data.draw(WORDS)) if data else "lake lake lake lake lake"
    found = spans(analysis, number, statement)
    first, last = analysis.sentences[number]
    own = analysis.words[first:last]
    assert found
    assert {span.start for span in found} <= {word.start for word in own}
    assert {span.end for span in found} <= {word.end for word in own}
    assert all(one.end < other.start for one, other in pairwise(found))
    held = " ".join(span.of(analysis.text) for span in found)
    # of what the statement and the sentence share, nothing is left out
    assert strangers(held, statement) == strangers(analysis.span(first, last).of(analysis.text), statement)


def test_a_statement_comes_from_the_words_that_it_shares_with_its_sentence() -> None:
    sentence = "Prices rose in April while the mayor of Marwick was abroad and fell again in June"
    assert quoted(sentence, "Prices rose in April.") == ["Prices rose in April"]
    assert quoted(sentence, "The mayor was abroad.") == ["mayor of Marwick was abroad"]
    assert quoted(sentence, "Prices fell in June.") == ["Prices", "fell again in June"]


def test_what_stands_between_two_words_belongs_to_them_if_it_is_short() -> None:
    between = ["and"] * BETWEEN
    assert quoted(" ".join(["lakes", *between, "recovered"]), "The lake recovered.") == ["lakes and and and recovered"]
    assert quoted(" ".join(["lakes", *between, "and", "recovered"]), "The lake recovered.") == ["lakes", "recovered"]


def test_of_a_word_that_stands_twice_the_nearer_to_those_found_before_is_taken() -> None:
    sentence = "fish died in the river where no boat and no bridge had been while upstream more fish bred"
    assert quoted(sentence, "Fish died.") == ["fish died"]
    assert quoted(sentence, "Upstream, fish bred.") == ["upstream more fish bred"]


@pytest.mark.parametrize("statement", ["Dogs bark.", "It was the one.", ""])
def test_a_statement_without_a_word_in_common_has_the_whole_sentence(statement: str) -> None:
    assert quoted("the lake of it was closed", statement) == ["the lake of it was closed"]


def test_a_written_statement_with_a_stranger_is_left_out(analyse: Callable[[str], Analysis]) -> None:
    """Of a *he* and a *her* whom nobody names, the network makes a boy and a girl."""
    weights()
    told = analyse("He walked to school. Then it rained, so he went back and took the bus with her instead.")
    other = analyse("The lake was closed in June.")
    lines = [line for own in statement_lines([(sentences_of(told), [0, 1])])[0] for line in own]
    kept = [line for line in lines if not strangers(told.text, line)]
    assert len(kept) < len(lines)
    assert [[one.text for one in own] for own in written_statements([told, other])] == [kept, [other.text]]


def test_only_the_sentences_that_are_asked_for_are_written_out(analyse: Callable[[str], Analysis]) -> None:
    weights()
    told, other = analyse("The mill was sold. The lake was closed. Prices rose."), analyse("Cats sleep.")
    (both, none), (every, _) = written_statements([told, other], [{2, 1}, set()]), written_statements([told, other])
    assert both == tuple(one for one in every if one.sentence in (1, 2))
    assert {one.sentence for one in both} == {1, 2}
    assert none == ()
    for one in every:
        assert one.spans == spans(told, one.sentence, one.text)
        assert one.self_contained


def test_what_two_sentences_state_is_one_statement_of_the_first(analyse: Callable[[str], Analysis]) -> None:
    weights()
    told = analyse("The mill was sold. The mill was sold.")
    assert len(told.sentences) == 2
    assert [(one.text, one.sentence) for one in written_statements([told])[0]] == [("The mill was sold.", 0)]


def test_a_text_without_a_parse_is_refused(analyse: Callable[[str], Analysis]) -> None:
    with pytest.raises(LanguageError, match="needs an English parse"):
        written_statements([analyse("Он пришёл, потому что она позвонила.")])


def test_by_rules_statements_are_those_of_rules(analyse: Callable[[str], Analysis]) -> None:
    told = analyse("Prices rose in May and fell in June.")
    assert statements_by([told], "rules") == [statements_of(told)]


def test_by_the_network_statements_are_those_that_are_written(analyse: Callable[[str], Analysis]) -> None:
    weights()
    told = analyse("The mill was sold in May. It burnt down in June.")
    assert statements_by([told]) == written_statements([told])


def test_an_unknown_writer_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(PyramidionError, match=r"cannot be 'Network'; choose one of: network, rules"):
        statements_by([], "Network")  # type: ignore[arg-type]
