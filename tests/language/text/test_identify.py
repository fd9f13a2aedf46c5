"""A text that is clearly in another language is named; English never is, and whoever is in doubt says nothing."""

from __future__ import annotations

import csv
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.text.identify import identify, languages

SENTENCES = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parents[2] / "data" / "languages.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
ALIKE = [{"Danish", "Norwegian"}, {"Russian", "Ukrainian"}]
"""Languages that one sentence does not tell apart; which it is, is a help and decides nothing."""

ENGLISH = {
    "prose": "The council voted on Monday to close the old bridge. It had been built by hand, and nobody knew how long it would stand.",
    "names": "Jean de la Fontaine, Ludwig van der Berg and María del Carmen met José de los Santos in Los Angeles and Las Vegas.",
    "headline of names": "Oscar de la Renta dies in Los Angeles aged 82",
    "capitals": "COUNCIL VOTES TO CLOSE OLD BRIDGE IN LOS ANGELES AS DE LA CRUZ WARNS OF CRACKS",
    "capitals without function words": "RATES RISE AGAIN, PRICES CLIMB, BANKS WARN, MARKETS FALL, INVESTORS FLEE EUROPE",
    "misspelt": "teh councel deside too cloze teh bridge becos enginers fond craks in teh piler of teh nort side",
    "code": "def load(path): with open(path) as file: return [json.loads(line) for line in file if line.strip()]",
    "numbers": "12 1,400 3.5 99 2024-01-01 7 8 9 10 11 12 13 14 15 m km kg s t u v w x y z",
    "formula": "T o T o k v p = C k C d T s - T o D k, where k is a constant and v a velocity",
    "initials": "U.S. Sen. Lindsey G. and U.S. Rep. Joe W. met U.K. and E.U. ministers at the U.N.",
    "borrowed": "The de facto leader ordered crème brûlée à la carte and a café au lait; it was, she said, a fait accompli.",
    "a name in its own letters": "Sophronius (Σωφρόνιος Ἱερώνυμος) was a priest who is known for his translation of the book.",
    "authors": "AB Knapskog, H Næss, H Ellekjær, P Thingstad, T Bruun Wyller, Å Ødegård, K Sørensen",
    "quotation": "He said 'je ne sais pas' and left the room; nobody knew what he had meant by that until much later.",
    "clitics": "Let's see, we've already spent it, they'd say it's ours, and she'll say that you're wrong.",
}

UNDECIDED = {
    "nothing": "",
    "one word": "Brücke",
    "a few words": "der alte Mann",
    "names": "Anna Schmidt, Jean Dupont, Maria Rossi, Sven Larsson, Łukasz Wójcik, Søren Ångström",
    "pictographs": "🚀🚀 👍 ❤️ 🚀🚀 👍 ❤️ 🚀🚀 👍 ❤️",
    "half and half": "The old bridge will be closed in summer. El viejo puente se cerrará en verano.",
    "nonsense": "kfj dkfjs lfkj sldkfj qwpo eirut znxm cbvl aksj dhfg qowi eurz mxnc bvla ksjd hfgq",
    "letters of many scripts": "аб гд αβ γδ אב גד اب جد कख गघ กข คง 가나 다라 あい うえ 漢字",
}


@pytest.mark.parametrize(("language", "text"), SENTENCES)
def test_a_sentence_in_another_language(language: str, text: str) -> None:
    alike = next((group for group in ALIKE if language in group), {language})
    assert identify(text) in alike
    assert identify(text.upper()) in alike
    assert language in languages()


def test_ten_words_are_mostly_enough() -> None:
    cut = [(language, " ".join(text.split()[:10])) for language, text in SENTENCES if len(text.split()) > 10]
    missed = [pair for pair in cut if identify(pair[1]) in ("", "English")]
    assert len(cut) > 60
    assert len(missed) <= 3, missed


@pytest.mark.parametrize("text", ENGLISH.values(), ids=ENGLISH)
def test_english(text: str) -> None:
    assert identify(text) in ("", "English")


@pytest.mark.parametrize("text", UNDECIDED.values(), ids=UNDECIDED)
def test_what_is_not_clear(text: str) -> None:
    assert identify(text) in ("", "English")


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert identify(text) in ("", *languages())


def test_random_letters_are_no_language() -> None:
    draw = random.Random(15)
    for _ in range(2000):
        words = ("".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 8))) for _ in range(30))
        assert identify(" ".join(words)) in ("", "English")


@pytest.mark.data
def test_no_summary_of_realsumm_nor_of_the_students_is_refused(data: Path) -> None:
    texts = [path.read_text("utf-8", "replace") for path in sorted((data / "cc-students").rglob("*.txt"))]
    for path in sorted((data / "realsumm" / "summaries").iterdir()):
        texts += [re.sub(r"</?t>", " ", line) for line in path.read_text("utf-8", "replace").splitlines()]
    with (data / "sts14" / "images.tsv").open(encoding="utf-8", newline="") as file:
        texts += [cell for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) for cell in row]
    assert len(texts) > 3000
    assert [text for text in texts if identify(text) not in ("", "English")] == []
