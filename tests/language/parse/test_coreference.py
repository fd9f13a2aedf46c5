"""Who is *it*: what pronouns and short names stand for."""

from __future__ import annotations

import pytest

from pyramidion.language import analyse
from pyramidion.language.parse.coreference import is_possessive, resolved
from pyramidion.language.parse.deptree import DependencyTree


def instead(text: str, form: str) -> str | None:
    """What is written for the last word of that form; nothing where it is open."""
    analysis = analyse(text)
    place = max(place for place, word in enumerate(analysis.words) if word.form == form)
    words = resolved(analysis)[place].words
    return None if words is None else " ".join(analysis.words[w].form if isinstance(w, int) else w for w in words)


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("The lake was dead. It recovered in May.", "It", "The lake"),
        ("Farmers were paid. They left the banks alone.", "They", "Farmers"),
        ("Anna Smith met the council. She resigned.", "She", "Anna Smith"),
        ("A biologist, Mirela Hanno, came in May. Hanno planted reeds.", "Hanno", "Mirela Hanno"),
        (
            "The wall would bury the herring's spawning bed. The bed was left alone.",
            "bed",
            "the herring 's spawning bed",
        ),
        ("Engineers removed the turbines and built new ones.", "ones", "turbines"),
        ("One blow was the strike; another was the flood.", "another", "another blow"),
        ("John Brown met Mary Jones. He left.", "He", "John Brown"),
        ("Judge Amara Quill ordered a trial. She left the court.", "She", "Amara Quill"),
    ],
)
def test_what_is_clear_is_written_out(text: str, form: str, expected: str) -> None:
    assert instead(text, form) == expected


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The mayor spoke with the governor after the judge had left. She was ill.", "She"),
        ("The dam broke. This surprised nobody.", "This"),
        ("No state is perfect. It can only try.", "It"),
        ("Bats learn their songs. They pick them up.", "them"),
    ],
)
def test_what_is_not_clear_stays_open(text: str, form: str) -> None:
    assert instead(text, form) is None


def test_who_could_be_meant_is_named() -> None:
    analysis = analyse("The mayor spoke with the governor after the judge had left. She was ill.")
    (she,) = (one for one in resolved(analysis).values() if one.words is None)
    assert {analysis.words[head].form for head in she.among} == {"mayor", "judge"}


def test_her_before_a_number_is_who_gets_it() -> None:
    analysis = analyse("The judge awarded her three quarters of the value. He took her two sons.")
    places = [place for place, word in enumerate(analysis.words) if word.form == "her"]
    assert [is_possessive(DependencyTree(analysis.words), place) for place in places] == [False, True]


@pytest.mark.parametrize("text", ["Tace himself must pay.", "In her article, Ann Bell argues for peace."])
def test_what_its_own_sentence_makes_clear_stays(text: str) -> None:
    assert not resolved(analyse(text))


@pytest.mark.parametrize("text", ["It rained.", "The plan failed. It was known that the firm had lied."])
def test_an_empty_it_stands_for_nothing(text: str) -> None:
    analysis = analyse(text)
    assert not any(analysis.words[place].form == "It" for place in resolved(analysis))
