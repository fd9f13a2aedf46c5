"""Propositions: what sentences say, rules on hand-written trees, and any tree whatever."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.language import ROOT, Analysis, LanguageError, Word
from pyramidion.language.parse.propositions import MOST, propositions, statements
from pyramidion.model import Span
from tests.language.trees import parse
from tests.operations import steps

INTENDED = {
    "He bought a boat in May.": ["He | bought | a boat", "He | bought in | May"],
    "The boat sank.": ["The boat | sank | "],
    "Police shot the man.": ["Police | shot | the man"],
    "The man was shot by police.": ["police | shot | The man"],
    "The man was shot in Bonn.": ["The man | was shot in | Bonn"],
    "In 1990 the school was closed.": ["the school | was closed In | 1990"],
    "The movie was directed by Ann and produced by Bob.": ["Ann | directed | The movie", "Bob | produced | The movie"],
    "She is a judge.": ["She | is | a judge"],
    "She is not a judge in Rome.": ["She | is not | a judge in Rome"],
    "She is in Rome.": ["She | is in | Rome"],
    "She is a judge and a mother.": ["She | is | a judge", "She | is | a mother"],
    "It is clear that he lied.": ["he lied | is | clear", "he | lied | "],
    "He is sure that prices will rise.": [
        "He | is | sure",
        "He | is sure | prices will rise",
        "prices | will rise | ",
    ],
    "There are many lakes in Finland.": ["many lakes in Finland | are | "],
    "Ann and Bob sold the house and let the flat.": [
        "Ann | sold | the house",
        "Bob | sold | the house",
        "Ann | let | the flat",
        "Bob | let | the flat",
    ],
    "Banks lend money to firms and families.": [
        "Banks | lend | money",
        "Banks | lend to | firms",
        "Banks | lend to | families",
    ],
    "Prices and wages rose but did not fall again.": [
        "Prices | rose | ",
        "wages | rose | ",
        "Prices | did not fall | ",
        "wages | did not fall | ",
    ],
    "He was not fined but warned.": ["He | was not fined | ", "He | was warned | "],
    "The plan has not been approved or rejected by the council.": [
        "The plan | has not been approved | ",
        "the council | has not rejected | The plan",
    ],
    "The man who won the race lives in Paris.": ["The man | won | the race", "The man | lives in | Paris"],
    "The man whom she met was tall.": ["she | met | The man", "The man | was | tall"],
    "The man held by police denied the charges.": ["police | held | The man", "The man | denied | the charges"],
    "The bridge, which engineers built in 1900, collapsed.": [
        "engineers | built | The bridge",
        "engineers | built in | 1900",
        "The bridge | collapsed | ",
    ],
    "The house he lived in was sold.": ["he | lived in | The house", "The house | was sold | "],
    "The city where he was born is small.": ["he | was born | The city", "The city | is | small"],
    "The company, whose owner died, was sold.": ["The company owner | died | ", "The company | was sold | "],
    "The book he wants to read is out of print.": ["he | wants to read | The book", "The book | is out of | print"],
    "Bitcoin is a digital currency that can be used to buy goods.": [
        "Bitcoin | is | a digital currency",
        "a digital currency | can be used | ",
        "a digital currency | can be used to buy | goods",
    ],
    "He wants to leave town.": ["He | wants to leave | town"],
    "She asked him to leave town.": ["She | asked | him", "him | to leave | town"],
    "She seems to be happy.": ["She | seems to be | happy"],
    "He became angry.": ["He | became | angry"],
    "They elected her president.": ["They | elected | her president"],
    "He gave her a book.": ["He | gave | her", "He | gave | a book"],
    "He said that she had left.": ["He | said | she had left", "she | had left | "],
    "Walking to town, he met Ann.": ["he | Walking to | town", "he | met | Ann"],
    "To save money, the town closed the library.": ["the town | To save | money", "the town | closed | the library"],
    "She put the keys on the table and took her coat off.": [
        "She | put | the keys",
        "She | put on | the table",
        "She | took off | her coat",
    ],
    "Bonn, a city on the Rhine, was the capital.": ["Bonn | is | a city on the Rhine", "Bonn | was | the capital"],
    "It was Ann who won.": ["It | was | Ann", "Ann | won | "],
    "A law to protect lakes was passed.": ["A law to protect lakes | was passed | "],
    "Save the lake.": [" | Save | the lake"],
}


def shown(analysis: Analysis) -> list[str]:
    return [str(one) for one in propositions(analysis)]


@pytest.mark.parametrize("sentence", INTENDED)
def test_what_a_sentence_says(sentence: str, analyse: Callable[[str], Analysis]) -> None:
    assert shown(analyse(sentence)) == INTENDED[sentence]


def test_every_part_knows_its_words(analyse: Callable[[str], Analysis]) -> None:
    text = "In May, the man whom police had arrested was freed by a judge."
    first, second, third = propositions(analyse(text))
    assert [str(one) for one in (first, second, third)] == [
        "police | had arrested | the man",
        "a judge | freed | the man",
        "the man | was freed In | May",
    ]
    assert [span.of(text) for span in first.spans] == ["the man", "police had arrested"]
    assert [span.of(text) for span in second.object.spans] == ["the man"]
    assert third.predicate.text == "was freed In"
    assert [span.of(text) for span in third.predicate.spans] == ["In", "was freed"]
    assert third.text == "the man was freed In May"


def test_an_agent_named_as_such_is_turned_round_too() -> None:
    passive = "nsubj:pass[ The/DT/det man/NN ] was/VBD/aux:pass shot/VBN obl:agent[ by/IN/case police/NNS ]"
    assert shown(parse(passive)) == ["police | shot | The man"]


def test_by_without_a_passive_is_a_preposition() -> None:
    assert shown(parse("She/PRP/nsubj won/VBD obl[ by/IN/case a/DT/det metre/NN ]")) == ["She | won by | a metre"]


def test_a_conjunct_shares_the_object_after_it() -> None:
    tree = "He/PRP/nsubj sold/VBD conj[ or/CC/cc let/VBD ] obj[ the/DT/det house/NN ]"
    assert shown(parse(tree)) == ["He | sold | the house", "He | let | the house"]


def test_a_conjunct_shares_auxiliaries_unless_it_has_tense() -> None:
    tree = "nsubj:pass[ It/PRP ] has/VBZ/aux been/VBN/aux:pass sold/VBN conj[ and/CC/cc let/VBN ]"
    assert shown(parse(tree)) == ["It | has been sold | ", "It | has been let | "]
    tree = "He/PRP/nsubj has/VBZ/aux come/VBN conj[ and/CC/cc sees/VBZ ]"
    assert shown(parse(tree)) == ["He | has come | ", "He | sees | "]


def test_a_participle_in_front_of_a_noun_says_nothing_by_itself() -> None:
    assert shown(parse("nsubj[ A/DT/det tired/VBN/amod man/NN ] slept/VBD")) == ["A tired man | slept | "]


def test_the_same_thing_said_twice_stands_in_two_places() -> None:
    tree = "He/PRP/nsubj left/VBD"
    first, second = propositions(parse(tree, tree))
    assert str(first) == str(second)
    assert first.spans != second.spans


def test_a_sentence_without_a_verb_is_a_statement_as_a_whole(analyse: Callable[[str], Analysis]) -> None:
    text = "He left the town. Heavy rain in the whole valley! ... Thanks to everyone."
    assert [str(one) for one in statements(analyse(text))] == [
        "He | left | the town",
        "Heavy rain in the whole valley |  | ",
        "Thanks to everyone |  | ",
    ]


def test_another_language_is_an_error_and_no_text_says_nothing(analyse: Callable[[str], Analysis]) -> None:
    with pytest.raises(LanguageError, match="propositions"):
        propositions(analyse("Он пришёл, потому что она позвонила."))
    assert statements(analyse("")) == statements(analyse("   ")) == ()


def test_a_long_coordination_is_not_taken_apart() -> None:
    def tree(size: int) -> str:
        return (
            f"nsubj[ a/NN {'conj[ and/CC/cc b/NN ] ' * size}] saw/VBD "
            f"obj[ c/NN {'conj[ and/CC/cc d/NN ] ' * size}] obl[ in/IN/case May/NNP ]"
        )

    assert len(propositions(parse(tree(2)))) == 3 * 4
    found = propositions(parse(tree(10)))
    assert MOST < 11 * 12
    assert [str(one)[:11] for one in found] == ["a b b b b b", "a b b b b b"]
    some, twice = parse(tree(100)), parse(tree(200))
    assert steps(lambda: propositions(twice)) < 2.1 * steps(lambda: propositions(some))


RELATIONS = [
    "root",
    "nsubj",
    "nsubj:pass",
    "csubj",
    "obj",
    "iobj",
    "obl",
    "obl:agent",
    "ccomp",
    "xcomp",
    "advcl",
    "acl",
    "acl:relcl",
    "conj",
    "cc",
    "case",
    "mark",
    "cop",
    "aux",
    "aux:pass",
    "advmod",
    "amod",
    "nmod",
    "nmod:poss",
    "appos",
    "expl",
    "compound:prt",
    "fixed",
    "punct",
    "parataxis",
    "dep",
    "det",
    "nsubj:outer",
]
TOKENS = (
    ("who", "PRON", "WP"), ("which", "PRON", "WDT"), ("where", "ADV", "WRB"), ("not", "PART", "RB"), ("by", "ADP", "IN"),
    ("to", "PART", "TO"), ("and", "CCONJ", "CC"), (",", "PUNCT", ","), ("sold", "VERB", "VBN"), ("left", "VERB", "VBD"),
    ("is", "AUX", "VBZ"), ("town", "NOUN", "NN"), ("Ann", "PROPN", "NNP"), ("old", "ADJ", "JJ"),
)  # fmt: skip


@st.composite
def analyses(draw: st.DrawFn) -> Analysis:
    """Sentences of any words, each hung from any word of its sentence (cycles and several roots included)."""
    text, words = "", list[Word]()
    sentences: list[tuple[int, int]] = []
    for size in draw(st.lists(st.integers(1, 12), max_size=3)):
        first = len(words)
        sentences.append((first, first + size))
        for _ in range(size):
            form, upos, xpos = draw(st.sampled_from(TOKENS))
            head = draw(st.integers(first - 1, first + size - 1))
            relation = draw(st.sampled_from(RELATIONS))
            text += " " * bool(text)
            at = ROOT if head < first else head
            words.append(Word(len(text), len(text) + len(form), form, form, upos, xpos, at, relation))
            text += form
    return Analysis(text, tuple(words), tuple(sentences))


@settings(max_examples=60)
@given(analyses())
def test_whatever_the_tree_parts_are_words_of_one_sentence(analysis: Analysis) -> None:
    found = statements(analysis)
    assert found == statements(analysis)
    for one in found:
        assert one.text.strip()
        assert one.spans == tuple(sorted(one.spans))
        for part in one.parts:
            assert len(set(part.words)) == len(part.words)
            assert bool(part.spans) == bool(part.words)
            places = {place for span in part.spans for place in range(span.start, span.end)}
            for word in part.words:
                assert places.issuperset(range(analysis.words[word].start, analysis.words[word].end))
        used = sorted({word for part in one.parts for word in part.words})
        assert any(first <= used[0] and used[-1] < last for first, last in analysis.sentences)
        assert Span(one.spans[0].start, one.spans[-1].end) == analysis.span(used[0], used[-1] + 1)
        assert sum(len(span.of(analysis.text).split()) for span in one.spans) == len(used)
    spoken = {
        sentence for sentence, (first, last) in enumerate(analysis.sentences)
        if any(first <= min(part.words) < last for one in found for part in one.parts if part.words)
    }  # fmt: skip
    assert spoken == {
        sentence for sentence, (first, last) in enumerate(analysis.sentences)
        if any(word.upos != "PUNCT" for word in analysis.words[first:last])
    }  # fmt: skip
