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

The dictionary is the word list of pyspellchecker 0.9.1 (160,000 words with their frequencies; ``models/spelling``). It
decides scores, so signatures name it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from operator import ne

from pyramidion.base.threads import Once
from pyramidion.language.models import weights
from pyramidion.language.parse.pieces import tokenizer
from pyramidion.model import Span

DICTIONARY = "pyspellchecker-0.9.1"
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
    """Return the words of some texts, in small letters, which are spelt as they should be."""
    return frozenset(word for text in texts for word in re.findall(r"[^\W\d_]+", text.lower()))


def mend(text: str, known: Set[str] = frozenset()) -> Mended:
    """Find the slips of a text; ``known`` are words, in small letters, that are none.

    >>> print(mend("The lkae wasnt claened, says Mr Smtih of rewilding.").whole)
    The lake wasn't cleaned, says Mr Smtih of rewilding.
    >>> print(mend("The lkae recovers.", {"lkae"}).whole)
    The lkae recovers.
    """
    slips = []
    for match in _SMALL.finditer(text):
        word = match[0]
        # Names are capitalised and never get here: the pattern takes small letters alone.
        if len(word) >= SHORTEST and word not in known and (meant := _correction(word, known)):
            slips.append((Span(match.start(), match.end()), meant))
    return Mended(text, tuple(slips))


def _correction(word: str, known: Set[str]) -> str:
    """Return the likeliest correction of a word; empty if it is in the dictionary or nothing is likely."""
    near = _one_slip_away(word)
    in_text = [candidate for candidate in near if candidate in known]
    times = dictionary().times
    likely = [candidate for candidate in near if times.get(candidate, 0) >= FREQUENT]
    return min({*in_text, *likely}, key=lambda candidate: _rank(word, candidate, known), default="")


def _rank(word: str, candidate: str, known: Set[str]) -> tuple[bool, bool, int, int, str]:
    """Return the sort key of a correction; the best comes first."""
    if len(candidate) != len(word):
        kind = 1
    else:
        kind = 0 if sum(map(ne, word, candidate)) == 2 else 2
    return (
        candidate.replace("'", "") != word,
        candidate not in known,
        kind,
        -dictionary().times.get(candidate, 0),
        candidate,
    )


@lru_cache(maxsize=65536)
def _one_slip_away(word: str) -> frozenset[str]:
    """Return the words one slip away, with the same first letter; none if the word is in the dictionary."""
    if word in dictionary().times or word in tokenizer().vocabulary:
        return frozenset()
    return frozenset(candidate for candidate in one_edit_away(word) if candidate[:1] == word[0])


def one_edit_away(word: str) -> set[str]:
    """Return the strings that one slip makes of a word; none of what is too long to be a word at all.

    >>> sorted(other for other in one_edit_away("lkae") if other in dictionary().times)
    ['lake']
    """
    letters, longest = dictionary().letters, dictionary().longest
    if len(word) > longest:
        return set()
    halves = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    missing = {first + rest[1:] for first, rest in halves if rest}
    exchanged = {first + rest[1] + rest[0] + rest[2:] for first, rest in halves if len(rest) > 1}
    changed = {first + letter + rest[1:] for first, rest in halves if rest for letter in letters}
    added = {first + letter + rest for first, rest in halves for letter in letters}
    return missing | exchanged | changed | added


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Words, how often each occurs in the corpus behind them, and what they are made of."""

    times: Mapping[str, int]
    letters: frozenset[str]
    longest: int
    """The letters of a word that is looked at, at most: somewhat more than the longest word has."""


@Once
def dictionary() -> Dictionary:
    """Return the dictionary that ships with the package, read once."""
    stored = json.loads(gzip.decompress(weights.read(weights.MODELS / "spelling" / "words.json.gz")))
    times = {word: int(often) for often, words in stored.items() for word in words.split()}
    return Dictionary(times, frozenset().union(*times), max(map(len, times)) + 3)
