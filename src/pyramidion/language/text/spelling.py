"""Slips of the pen, mended before a network reads them.

A network that reads word pieces falls over a slip: *lkae* is three pieces that mean nothing, and the sentence is lost.
What a summary says does not depend on its spelling, so judges that read are given the text as it was meant. Nothing
else changes: quotations, offsets and every other judge keep the writer's own letters.

A word is mended if it is written in small letters a to z, at least :data:`SHORTEST` of them, and stands neither in the
dictionary, nor among the whole words of the encoder's word pieces (*harbour*, *tyres*: the dictionary is American), nor
among the words that the caller knows (those of the pyramid and its references). So names, numbers,
acronyms, addresses, hyphenated words and contractions stay as they are. It becomes a word of the dictionary, or a known
one, that is a single slip away (Damerau 1964: two neighbouring letters exchanged, a letter missing, added or changed)
and begins with the same letter, where most slips are not (Yannakoudakis and Fawthrop 1983). Of several

1. a contraction without its apostrophe comes first (*wasnt* is *wasn't* and never *want*),
2. then a known word,
3. then two letters exchanged, a letter missing or added, a letter changed,
4. then the more frequent word.

A word that is neither known nor at least :data:`FREQUENT` is no candidate: a rare word that the dictionary lacks is
more often right (*rewilding*) than another rare word misspelt. Where no candidate is left, the word stays.

The dictionary is that of pyspellchecker (MIT; 160,000 words with their frequencies), in one version, because it decides
scores; signatures name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from operator import ne
from typing import TYPE_CHECKING

from pyramidion.errors import MissingPartError
from pyramidion.language.parse.pieces import tokenizer
from pyramidion.model import Span
from pyramidion.threads import Once

if TYPE_CHECKING:
    from spellchecker import SpellChecker

VERSION = "0.9.1"
DICTIONARY = f"pyspellchecker-{VERSION}"
"""The name of the dictionary, for signatures."""
SHORTEST = 4
"""Letters of a word that may be mended: shorter ones have too many neighbours."""
FREQUENT = 1000
"""The fewest occurrences in the dictionary's corpus of a word that may replace an unknown one."""

_SMALL = re.compile(r"(?<![\w'\u2019@#/\\.:-])[a-z]+(?![\w'\u2019@/\\-]|[.:]\w)")


@dataclass(frozen=True, slots=True)
class Mended:
    """A text and what some of its words should have been."""

    text: str
    slips: tuple[tuple[Span, str], ...]
    """Each slip with its correction, in the order of the text."""

    def of(self, span: Span) -> str:
        """Return the corrected text of a span.

        >>> Mended("the lkae is cleaner", ((Span(4, 8), "lake"),)).of(Span(0, 11))
        'the lake is'
        """
        return self._between(span.start, span.end)

    @property
    def whole(self) -> str:
        """The whole text, mended."""
        return self._between(0, len(self.text))

    def _between(self, start: int, end: int) -> str:
        parts = []
        for slip, correction in self.slips:
            if start <= slip.start and slip.end <= end:
                parts += [self.text[start : slip.start], correction]
                start = slip.end
        return "".join([*parts, self.text[start:end]])


def small_words(texts: Iterable[str]) -> frozenset[str]:
    """The words of some texts, in small letters, which are spelt as they should be."""
    return frozenset(word for text in texts for word in re.findall(r"[^\W\d_]+", text.lower()))


def mend(text: str, known: Set[str] = frozenset()) -> Mended:
    """The text with its slips; ``known`` are words, in small letters, that are none.

    >>> print(mend("The lkae wasnt claened, says Mr Smtih of rewilding.").whole)
    The lake wasn't cleaned, says Mr Smtih of rewilding.
    >>> print(mend("The lkae recovers.", {"lkae"}).whole)
    The lkae recovers.
    """
    slips = []
    for match in _SMALL.finditer(text):
        word = match[0]
        if len(word) >= SHORTEST and word not in known and (meant := _meant(word, known)):
            slips.append((Span(match.start(), match.end()), meant))
    return Mended(text, tuple(slips))


def _meant(word: str, known: Set[str]) -> str:
    """The likeliest word that a word should have been; nothing if it is in the dictionary or nothing is likely."""
    near = _one_slip_away(word)
    own = [other for other in near if other in known]
    frequent = _dictionary()
    likely = [other for other in near if frequent.get(other, 0) >= FREQUENT]
    return min({*own, *likely}, key=lambda other: _rank(word, other, known), default="")


def _rank(word: str, other: str, known: Set[str]) -> tuple[bool, bool, int, int, str]:
    """Return the sort key of a correction; the best comes first."""
    if len(other) != len(word):
        kind = 1
    else:
        kind = 0 if sum(map(ne, word, other)) == 2 else 2
    return other.replace("'", "") != word, other not in known, kind, -_dictionary().get(other, 0), other


@lru_cache(maxsize=65536)
def _one_slip_away(word: str) -> frozenset[str]:
    """The words with the same first letter that one slip makes of a word; none if it is in the dictionary itself."""
    if word in _dictionary() or word in tokenizer().vocabulary:
        return frozenset()
    return frozenset(other for other in _checker().edit_distance_1(word) if other[:1] == word[0])


def _dictionary() -> Mapping[str, int]:
    """Return how often each word occurs in the corpus behind the dictionary."""
    words: Mapping[str, int] = _checker().word_frequency.dictionary
    return words


@Once
def _checker() -> SpellChecker:
    try:
        installed = version("pyspellchecker")
    except PackageNotFoundError:
        installed = "not installed"
    if installed != VERSION:
        raise MissingPartError(
            f"Correcting misspellings needs pyspellchecker {VERSION}, because its dictionary affects scores; the "
            f"installed version is {installed}",
            do=f"pip install pyspellchecker=={VERSION}",
        )
    from spellchecker import SpellChecker

    return SpellChecker(language="en", distance=1)
