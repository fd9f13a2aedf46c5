"""Is this text English enough for a parser of English?

Only as much language identification as honesty needs: a parse of a German text is worse than none. Letters must be
mostly Latin, and function words decide: they are a third to a half of running English, fewer in headlines, and rare in
other languages. However short the text, those of other languages may not outnumber those of English; nor, from a few
words on, may words with letters that English does not have (Vietnamese); and long texts must show theirs. What English
shares with its neighbours (*in*, *die*, *so*, *on*), names (*Los Angeles*, *Oscar de la Renta*) and borrowed phrases
(*de facto*) do not count. Without evidence against it, a short text in Latin letters gets the benefit of the doubt:
names, headlines, numbers, pictographs. (Models of character n-grams, Cavnar and Trenkle 1994, tell many languages
apart; one against the rest needs no model.)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

_ACCENTED, _FEW, _SOME, _MANY = 5, 12, 24, 40
"""Numbers of words from which on a text is English only if: foreign letters are rare; its English function words
outnumber the foreign ones, if it has any of these; it has English function words at all; these are frequent."""

_ENGLISH = """
    the of and to is that it for with as by be this are at from not or have has had which you were they his her
    their she we but been will would there what who when all if can could more about into than them only other then
    its these our my your over after because also any how where did does should being i a out up while before until
    through during between against he him said says n't 's 'll 're 've 'm it's don't no new
"""
_OTHERS = """
    der die das und ist nicht ein eine einen mit von zu den dem auf für sich des auch es wird sind hat als im war
    le la les des et est une un dans que qui pour pas sur du au ce il elle nous vous avec sont ne se par plus
    è molto muy très mais ich du ik
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
_SHARED = """
    die war hat plus men van per con den non ale pas ma er om um em ha im es os se ve te til till met dos han e o w z al
    et na po ne ben dan
"""
"""Words of others that are also English, however rare, or stand in English texts for something else (*et al.*)."""

_NAME_PARTICLES = "de la le les los las el del della di da du des dos van von der den il das"
_PARTICLES = frozenset(_NAME_PARTICLES.split())
"""Particles of names before a capital."""

_BORROWED = frozenset(
    {("de", "facto"), ("de", "jure"), ("en", "route"), ("en", "masse"), ("du", "jour"), ("la", "carte"), ("au", "pair")}
)


@cache
def _latin(letter: str) -> bool:
    return "LATIN" in unicodedata.name(letter, "")


def is_english(text: str, words: Sequence[tuple[int, int]]) -> bool:
    """Return whether a text is English enough to parse.

    ``words`` are those of :func:`~pyramidion.language.text.words.split_words`.

    >>> from pyramidion.language.text.words import split_words
    >>> text = "Der Rat hat gestern mit großer Mehrheit beschlossen, die alte Brücke nicht mehr zu erneuern."
    >>> is_english(text, split_words(text)), is_english("Rome, Oslo, Wien", split_words("Rome, Oslo, Wien"))
    (False, True)
    """
    # A text in another script is settled without looking at its words.
    letters = [letter for letter in text if letter.isalpha()]
    if 2 * sum(letter.isascii() or _latin(letter) for letter in letters) < len(letters):
        return False
    forms = [unicodedata.normalize("NFKC", text[start:end]).replace("\u2019", "'") for start, end in words]
    forms = [form for form in forms if any(map(str.isalpha, form))]
    english, _ = _function_words()
    ours = sum(form.lower() in english for form in forms)
    theirs, accented = _against(forms)
    if max(theirs, accented if len(forms) >= _ACCENTED and accented > 1 else 0) > ours:
        return False
    if len(forms) < _FEW or (len(forms) < _SOME and not theirs):
        return True
    return ours > theirs and (len(forms) < _MANY or 100 * ours >= 8 * len(forms))


def _against(forms: Sequence[str]) -> tuple[int, int]:
    """Count the function words of other languages, and the words with letters foreign to English."""
    _, foreign_words = _function_words()
    if not any(map(str.islower, "".join(forms))):  # in capitals alone, LOS ANGELES does not show that it is a name
        foreign = sum(form.lower() in foreign_words for form in forms)
        return foreign if foreign > 1 else 0, sum(map(_has_accent, forms))
    theirs, following, name = 0, "", False  # is what follows a name?
    for form in reversed(forms):
        lower = form.lower()
        name = name if lower in _PARTICLES else form[0].isupper()
        place = len(form) > 1 and form.isupper()  # LA, IL and DE
        theirs += lower in foreign_words and not (
            place or (name and lower in _PARTICLES) or (lower, following) in _BORROWED
        )
        following = lower
    return theirs, sum(_has_accent(form) and form[0].islower() for form in forms)


def _has_accent(form: str) -> bool:
    return any(letter.isalpha() and not letter.isascii() for letter in form)


@cache
def _function_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the function words of English alone, and those of other languages alone."""
    english, foreign, shared = (frozenset(words.split()) for words in (_ENGLISH, _OTHERS, _SHARED))
    return english - foreign, foreign - english - shared
