"""Basic elements of hand-written trees, and of what the embedded parser makes of the paper's example."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pyramidion.language.parse.analysis import Analysis, LanguageError
from pyramidion.language.parse.basic_elements import basic_elements
from tests.language.trees import parse


def shown(*sentences: str) -> list[str]:
    return [str(one) for one in basic_elements(parse(*sentences))]


def test_the_papers_example(analyse: Callable[[str], Analysis]) -> None:
    """Hovy et al. 2006: two Libyans were indicted for the Lockerbie bombing in 1991; theirs are words, ours lemmas."""
    found = basic_elements(analyse("Two Libyans were indicted for the Lockerbie bombing in 1991."))
    assert {str(one) for one in found} == {
        "libyan | two | nn",
        "indict | libyan | obj",
        "bombing | lockerbie | nn",
        "indict | bombing | for",
        "bombing | 1991 | in",
    }


def test_active_and_passive_have_the_same_elements() -> None:
    active = "Police/NNS/nsubj shot/VBD obj[ the/DT/det man/NN ]"
    passive = "nsubj:pass[ The/DT/det man/NN ] was/VBD/aux:pass shot/VBN obl:agent[ by/IN/case police/NNS ]"
    old = "nsubj:pass[ The/DT/det man/NN ] was/VBD/aux:pass shot/VBN obl[ by/IN/case police/NNS ]"
    assert sorted(shown(active)) == sorted(shown(passive)) == sorted(shown(old)) == [
        "shot | man | obj",
        "shot | police | subj",
    ]  # fmt: skip


def test_by_is_a_preposition_where_nothing_is_passive() -> None:
    assert "won | metre | by" in shown("She/PRP/nsubj won/VBD obl[ by/IN/case a/DT/det metre/NN ]")
    assert "hidden | tree | by" in shown(
        "He/PRP/nsubj had/VBD/aux hidden/VBN it/PRP/obj obl[ by/IN/case the/DT/det tree/NN ]"
    )


def test_a_participle_after_a_noun_is_passive() -> None:
    assert shown("men/NNS acl[ held/VBN obl[ by/IN/case police/NNS ] ]") == ["men | held | rel", "held | police | subj"]


def test_prepositions_of_several_words_and_conjunctions_name_the_relation() -> None:
    assert shown("fell/VBD obl[ case[ because/IN of/IN/fixed ] rain/NN ]") == ["fell | rain | because of"]
    assert shown("fell/VBD advcl[ because/IN/mark it/PRP/nsubj rained/VBD ]") == [
        "rained | it | subj",
        "fell | rained | because",
    ]
    assert shown("fell/VBD Monday/NN/obl:unmarked") == ["fell | monday | mod"]


def test_what_says_nothing_by_itself_is_left_out() -> None:
    assert shown("There/EX/expl would/MD/aux be/VB nsubj[ a/DT/det war/NN ] ~,/,/punct oh/UH/discourse") == [
        "be | war | subj"
    ]
    assert shown("nsubj[ The/DT/det dog/NN ] is/VBZ/cop not/RB/advmod angry/JJ ~././punct") == [
        "angry | dog | subj",
        "angry | not | mod",
    ]


def test_no_is_no_empty_determiner() -> None:
    assert shown("have/VBP obj[ no/DT/det cats/NNS ]") == ["cats | no | mod", "have | cats | obj"]


def test_relative_pronouns_make_none() -> None:
    tree = "need/VBP obj[ computer/NN acl:relcl[ that/WDT/nsubj has/VBZ CPU/NN/obj ] ]"
    assert shown(tree) == ["need | computer | obj", "computer | have | rel", "have | cpu | obj"]
    tree = tree.replace("that/WDT/nsubj has", "which/WDT/obj she/PRP/nsubj has").replace(" CPU/NN/obj", "")
    assert shown(tree) == ["need | computer | obj", "have | she | subj", "computer | have | rel"]


def test_conjuncts_have_the_relation_of_the_first() -> None:
    cats_and_dogs = "nsubj[ Cats/NNS conj[ and/CC/cc dogs/NNS ] ] bark/VBP"
    assert shown(cats_and_dogs) == ["bark | cats | subj", "bark | dogs | subj"]
    assert shown("fly/VB obl[ to/IN/case Rome/NNP conj[ or/CC/cc from/IN/case Bonn/NNP ] ]") == [
        "fly | rome | to",
        "fly | bonn | from",
    ]


def test_conjuncts_share_the_subject_each_in_its_voice() -> None:
    assert shown("He/PRP/nsubj came/VBD conj[ and/CC/cc saw/VBD ] conj[ and/CC/cc was/VBD/aux:pass seen/VBN ]") == [
        "came | he | subj",
        "saw | he | subj",
        "seen | he | obj",
    ]
    assert "drunk | he | subj" in shown("He/PRP/nsubj has/VBZ/aux eaten/VBN conj[ and/CC/cc drunk/VBN ]")
    assert "left | he | obj" in shown("He/PRP/nsubj:pass was/VBD/aux:pass robbed/VBN conj[ and/CC/cc left/VBN ]")
    assert shown("He/PRP/nsubj came/VBD conj[ and/CC/cc she/PRP/nsubj left/VBD ]") == [
        "came | he | subj",
        "left | she | subj",
    ]


def test_places_point_at_head_and_modifier_across_sentences() -> None:
    analysis = parse("He/PRP/nsubj left/VBD", "Ann/NNP/nsubj stayed/VBD")
    assert [one.words for one in basic_elements(analysis)] == [(1, 0), (3, 2)]


def test_a_text_without_parse_is_refused_and_an_empty_one_has_none(analyse: Callable[[str], Analysis]) -> None:
    with pytest.raises(LanguageError, match="basic elements: this needs an English parse"):
        basic_elements(analyse("Полиция вчера задержала двух человек."))
    assert basic_elements(analyse("")) == ()
