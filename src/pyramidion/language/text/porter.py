"""Stems as ROUGE-1.5.5 makes them with its option ``-m``.

Porter's algorithm (M. F. Porter, 1980, An algorithm for suffix stripping, *Program* 14(3), 130-137) after a look-up of
irregular forms in WordNet's exception lists (*went* is *go*). A word is ``[C](VC)^m[V]`` in runs of consonants and
vowels; its measure is ``m``, and most rules ask for a least measure of what is left.

ROUGE-1.5.5 departs from the paper in three places, and we follow it, because equal scores need equal stems:

- words of three letters or fewer are never stemmed, irregular forms included (*men* stays *men*);
- step 2 has Porter's later rules (*bli* for *abli*, *logi*);
- step 4 is not one choice among suffixes: after a first suffix is gone it still tries *ment*, and then *ent* or *ion*.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import cache, lru_cache
from importlib.resources import files

_CONSONANTS = "[^aeiou][^aeiouy]*"
_VOWELS = "[aeiouy][aeiou]*"
_HAS_VOWEL = re.compile(f"(?:{_CONSONANTS})?[aeiouy]")
_MEASURE_ABOVE_0 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}")
_MEASURE_1 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?$")
_MEASURE_ABOVE_1 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}{_CONSONANTS}")
_SHORT = re.compile(f"{_CONSONANTS}[aeiouy][^aeiouwxy]$")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
]  # fmt: skip


def _ending(suffixes: list[str]) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(suffixes)})$")


_ENDS_2, _ENDS_3, _ENDS_4 = _ending(list(_STEP_2)), _ending(list(_STEP_3)), _ending(_STEP_4)


@cache
def irregular_forms() -> dict[str, str]:
    """Return irregular forms and their base forms, from WordNet (``language/text/data/README.md``).

    >>> irregular_forms()["went"], irregular_forms()["children"]
    ('go', 'child')
    """
    raw = files("pyramidion.language.text").joinpath("data/exceptions.json.gz").read_bytes()
    table: dict[str, str] = json.loads(gzip.decompress(raw))
    return table


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a word in lower case: a short word as it is, an irregular form's base, or Porter's stem.

    >>> [stem(word) for word in "men children went summaries evaluated".split()]
    ['men', 'child', 'go', 'summari', 'evalu']
    """
    if len(word) <= 3:
        return word
    return irregular_forms().get(word) or porter(word)


def porter(word: str) -> str:
    """Return the stem of a word in lower case by Porter's rules.

    >>> [porter(word) for word in "caresses ponies hopping relational electricity adjustment".split()]
    ['caress', 'poni', 'hop', 'relat', 'electr', 'adjust']
    """
    if len(word) < 3:
        return word
    initial_y = word.startswith("y")
    if initial_y:  # a consonant there, so kept away from the patterns that take y for a vowel
        word = "Y" + word[1:]
    word = _final_e_and_l(_step_4(_derivations(_inflections(word))))
    return "y" + word[1:] if initial_y else word


def _inflections(word: str) -> str:
    """Step 1: remove plurals, past tenses and participles, and change a final y."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and len(word) > 1 and word[-2] != "s":
        word = word[:-1]
    if word.endswith("eed"):
        if _MEASURE_ABOVE_0.match(word[:-3]):
            word = word[:-1]
    elif word.endswith(("ed", "ing")):
        left = word[:-2] if word.endswith("ed") else word[:-3]
        if _HAS_VOWEL.match(left):
            word = _restore_ending(left)
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


def _restore_ending(left: str) -> str:
    """Turn the rest of a participle into a word again: hopp(ing) is hop, fil(ing) is file."""
    if left.endswith(("at", "bl", "iz")):
        return left + "e"
    if _DOUBLE.search(left):
        return left[:-1]
    return left + "e" if _SHORT.match(left) else left


def _derivations(word: str) -> str:
    """Steps 2 and 3: make double suffixes single."""
    for ends, replacements in ((_ENDS_2, _STEP_2), (_ENDS_3, _STEP_3)):
        ending = ends.search(word)
        if ending and _MEASURE_ABOVE_0.match(word[: ending.start()]):
            word = word[: ending.start()] + replacements[ending.group()]
    return word


def _step_4(word: str) -> str:
    """Step 4 as ROUGE-1.5.5 has it: remove one suffix, then *ment*, then *ent* or *ion*."""
    ending = _ENDS_4.search(word)
    if ending and _MEASURE_ABOVE_1.match(word[: ending.start()]):
        word = word[: ending.start()]
    if word.endswith("ment") and _MEASURE_ABOVE_1.match(word[:-4]):
        word = word[:-4]
    if word.endswith(("ent", "sion", "tion")) and _MEASURE_ABOVE_1.match(word[:-3]):
        word = word[:-3]
    return word


def _final_e_and_l(word: str) -> str:
    """Step 5: remove a final e, and one of two final l's."""
    left = word[:-1]
    if word.endswith("e") and (_MEASURE_ABOVE_1.match(left) or (_MEASURE_1.match(left) and not _SHORT.match(left))):
        word = left
    return word[:-1] if word.endswith("ll") and _MEASURE_ABOVE_1.match(word) else word
