"""Is this text English enough for a parser of English?

Only as much language identification as honesty needs: a parse of a German text is worse than none. Letters must be
mostly Latin, and, where there are words enough to tell, enough of them must be function words of English: they are a
third to a half of running English, fewer in headlines, and rare in other languages. Words that English shares with its
neighbours (*in*, *die*, *so*, *on*) do not count, function words of other languages count against it, and short texts
in Latin letters, numbers and pictographs get the benefit of the doubt. (Models of character n-grams, Cavnar and
Trenkle 1994, tell many languages apart; one against the rest needs no model.)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

__all__ = ["is_english"]

_FEW, _SOME, _MANY = 12, 24, 40
"""Words below which a text is taken for English: whatever they are, without a foreign function word, on a majority."""

_ENGLISH = """
    the of and to is that it for with as by be this are at from not or have has had which you were they his her
    their she we but been will would there what who when all if can could more about into than them only other then
    its these our my your over after because also any how where did does should being i a out up while before until
    through during between against he him said says n't 's 'll 're 've 'm it's don't no new
"""
_OTHERS = """
    der die das und ist nicht ein eine einen mit von zu den dem auf für sich des auch es wird sind hat als im war
    le la les des et est une un dans que qui pour pas sur du au ce il elle nous vous avec sont ne se par plus
    el los las y en una por con para del se es lo su al como más pero o ha de
    het een van en dat niet zijn op te voor met hij zij aan er maar ook om naar bij
    och att det som är på av för den inte har jag till med ett om men han hon var vi
    yang dan di dari ini itu untuk dengan pada tidak ke akan dalam oleh juga saya mereka adalah
    ja ei että hän oli mutta kun niin se ovat myös tai ne kuin
    il di che e per non sono della con una gli dei alla ma anche
    os um uma não em da na com mais foi ao dos
    og det er ikke jeg til av på som med har de men
    w nie na z się jest że jak az és hogy nem egy po ale dla ve bir bu için ile
"""


@cache
def _latin(letter: str) -> bool:
    return "LATIN" in unicodedata.name(letter, "")


def is_english(text: str, words: Sequence[tuple[int, int]]) -> bool:
    """Whether it is; ``words`` are those of :func:`~pyramidion.language.words.split_words`.

    >>> from pyramidion.language.words import split_words
    >>> text = "Der Rat hat gestern mit großer Mehrheit beschlossen, die alte Brücke nicht mehr zu erneuern."
    >>> is_english(text, split_words(text)), is_english("Rome, Oslo, Wien", split_words("Rome, Oslo, Wien"))
    (False, True)
    """
    letters = [letter for letter in text if letter.isalpha()]
    if 2 * sum(letter.isascii() or _latin(letter) for letter in letters) < len(letters):
        return False
    forms = [text[start:end].lower().replace("\u2019", "'") for start, end in words]
    forms = [form for form in forms if any(map(str.isalpha, form))]
    if len(forms) < _FEW:
        return True
    english, others = _function_words()
    ours = sum(form in english for form in forms)
    theirs = sum(form in others for form in forms)
    if len(forms) < _SOME and not theirs:
        return True
    return ours > theirs and (len(forms) < _MANY or 100 * ours >= 8 * len(forms))


@cache
def _function_words() -> tuple[frozenset[str], frozenset[str]]:
    """Of English and of no other, and of others and not English."""
    english, others = frozenset(_ENGLISH.split()), frozenset(_OTHERS.split())
    return english - others, others - english
