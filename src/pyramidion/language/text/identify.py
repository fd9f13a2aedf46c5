r"""Is a text clearly in another language than English, and in which?

Only what honesty needs: a method that reads English must not score what it cannot read, and must never turn English
away. So whoever is in doubt says nothing.

*Other letters.* Where most letters are of another script, the script decides: at least ten letters (five in Chinese and
Japanese, where one is a word) from the part of the script that people write with, and no two function words of English
beside them. Of Han and Hangul, some must be among those that are common in any text: their blocks are so large that
letters drawn at random fall into them.

*Latin letters.* Function words decide. For each language L of the table, let t be the words of the text that are
function words of L, or that have a letter of L which English hardly writes, and no capital; let e be those that are
function words of English. Words of both (*in*, Portuguese *as*), words that English has in another sense (*die*, *son*)
and particles before a name (*Oscar de la Renta*) count on neither side. With n the words of the text, it is in the
language of most t if

.. math:: n \ge 5, \quad t \ge 3, \quad t > 2 e, \quad t \ge n / 8,

and two of the t are different; from eight words on t = 2 is enough if e = 0. ``bench/identify.py`` measures how often
that errs. (Models of character n-grams, Cavnar and Trenkle 1994, name more languages, and take a few foreign names for
another language.)
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

_SCRIPTS = (
    ("Greek", 0x370, 0x3FF), ("Russian", 0x410, 0x451), ("Ukrainian", 0x452, 0x4FF), ("Armenian", 0x531, 0x587),
    ("Hebrew", 0x5D0, 0x5EA), ("Arabic", 0x620, 0x6D3), ("Hindi", 0x904, 0x963), ("Bengali", 0x980, 0x9FF),
    ("Punjabi", 0xA00, 0xA7F), ("Gujarati", 0xA80, 0xAFF), ("Tamil", 0xB80, 0xBFF), ("Telugu", 0xC00, 0xC7F),
    ("Kannada", 0xC80, 0xCFF), ("Malayalam", 0xD00, 0xD7F), ("Sinhala", 0xD80, 0xDFF), ("Thai", 0xE01, 0xE4E),
    ("Lao", 0xE80, 0xEDF), ("Burmese", 0x1000, 0x104F), ("Georgian", 0x10D0, 0x10FA), ("Amharic", 0x1200, 0x137F),
    ("Khmer", 0x1780, 0x17D3), ("Japanese", 0x3041, 0x30FE), ("Chinese", 0x4E00, 0x9FFF), ("Korean", 0xAC00, 0xD7A3),
)  # fmt: skip
"""The language that each range of letters is most used for. Russian stands for all that is written in its letters."""
_FREQUENT = {
    "Chinese": "的一是不了人我在有他这這为為之大来來以个個中上们們到说說国國和地也子时時道出而要于於就下得可你年生",
    "Korean": "이다는을의에가하고은를지로한도기사서리어시대나자있인해들그",
}
"""Letters that are common in any text."""
_WORD = re.compile(r"(?<!['\u2019])[^\W\d_]+|(?<=['\u2019])[^\W\d_]{3,}")
"""After an apostrophe only what is no clitic of English: *l'eau*, not *we've*."""


@lru_cache(maxsize=16384)
def identify(text: str) -> str:
    """Return the language that a text is clearly in, or nothing where that is not clear.

    >>> identify("El consejo de la ciudad decidió ayer que el viejo puente se cerrará en verano.")
    'Spanish'
    >>> identify("Oscar de la Renta dies in Los Angeles"), identify("Brücke")
    ('English', '')
    """
    return _by_script(text) or _by_words(text)


def english_grammar(text: str) -> float:
    """Return the share of English function words in a text: about .4 in sentences, next to 0 in word lists.

    >>> english_grammar("The lake died of the phosphorus."), english_grammar("lake death phosphorus")
    (0.5, 0.0)
    """
    forms = _WORD.findall(text)
    return sum(form.lower() in _table().english for form in forms) / len(forms) if forms else 0.0


def _by_script(text: str) -> str:
    """Return the language of the letters, where most are not Latin."""
    if text.isascii():
        return ""
    letters = [letter for letter in text if letter.isalpha()]
    scripts = Counter(filter(None, map(_script, letters)))
    if scripts["Japanese"] and scripts["Japanese"] * 10 >= scripts["Chinese"]:  # kana among Chinese characters
        scripts["Japanese"] += scripts.pop("Chinese", 0)
    if scripts["Ukrainian"] and scripts["Russian"]:  # a few letters tell it apart
        scripts["Ukrainian"] += scripts.pop("Russian")
    if not scripts:
        return ""
    (name, count), *_ = scripts.most_common(1)
    if 2 * count <= len(letters) or count < (5 if name in ("Chinese", "Japanese") else 10):
        return ""
    if 10 * sum(scripts.values()) > 11 * count:  # letters of several scripts are no language
        return ""
    english = _table().english
    if sum(form.lower() in english for form in _WORD.findall(text)) > 1:  # a name in its own letters, and who that was
        return ""
    frequent = _FREQUENT.get(name)
    if frequent and 12 * sum(letter in frequent for letter in letters) < count:
        return ""
    return name


@cache
def _script(letter: str) -> str:
    code = ord(letter)
    return next((name for name, first, last in _SCRIPTS if first <= code <= last), "")


def _by_words(text: str) -> str:
    """Return the language of the function words, where most letters are Latin."""
    forms = _WORD.findall(unicodedata.normalize("NFC", text))
    if len(forms) < 5:
        return ""
    table = _table()
    ours: list[str] = []
    theirs: dict[str, list[str]] = {name: [] for name in table.words}
    shouted = not any(map(str.islower, "".join(forms)))
    for form, lower in _counted_words(forms, shouted, table.particles):
        if lower in table.english:
            ours.append(lower)
        for name in table.by_word.get(lower, ()):
            theirs[name].append(lower)
        if not lower.isascii() and (shouted or form[0].islower()):
            written = {name for letter in lower for name in table.by_letter.get(letter, ())}
            for name in written - {*table.by_word.get(lower, ())}:
                theirs[name].append(lower)
    best = max(theirs, key=lambda name: len(theirs[name]))  # the first of the table, if several have as many
    against = sum(form not in table.words[best] for form in ours)
    for_it = len(theirs[best])
    enough = for_it >= 3 or (for_it == 2 and not against and len(forms) >= 8)
    if enough and len({*theirs[best]}) > 1 and for_it > 2 * against and 8 * for_it >= len(forms):
        return best
    return "English" if against > 2 * for_it else ""


def _counted_words(forms: list[str], shouted: bool, particles: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the words that count, as written and in lower case: no particles before a name, and no acronyms."""
    name = False
    for form in reversed(forms):
        lower = form.lower()
        particle = lower in particles
        name = name if particle else form[0].isupper() and not shouted
        if not (particle and name) and (shouted or len(form) == 1 or not form.isupper()):
            yield form, lower


class _Table(NamedTuple):
    english: frozenset[str]
    particles: frozenset[str]
    """Particles of names before a capital."""
    words: dict[str, frozenset[str]]
    """The function words of each other language."""
    by_word: dict[str, list[str]]
    """The languages that have a word that English has not."""
    by_letter: dict[str, list[str]]


@cache
def _table() -> _Table:
    """``data/languages.txt``: a line for each language with its letters and its function words."""
    lines = (files("pyramidion.language.text") / "data" / "languages.txt").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    words = {name: frozenset(forms.split()) for name, _, forms in rows}
    english, ordinary, particles = (words.pop(name) for name in ("English", "ORDINARY", "PARTICLES"))
    by_word: dict[str, list[str]] = {}
    for name, forms in words.items():
        for word in forms - english - ordinary:
            if len(word) > 1 or not word.isascii():  # a single letter may be a formula's, or an initial
                by_word.setdefault(word, []).append(name)
    by_letter: dict[str, list[str]] = {}
    for name, letters, _ in rows:
        for letter in letters:
            by_letter.setdefault(letter, []).append(name)
    return _Table(english, particles, words, by_word, by_letter)


@cache
def languages() -> tuple[str, ...]:
    """Return the names that :func:`identify` gives."""
    return ("English", *_table().words, *(name for name, *_ in _SCRIPTS))
