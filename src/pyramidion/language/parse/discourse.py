r"""EDUs by their words, and how much of one another says: what Hirao et al. (2018) build and score pyramids with.

*Words* are what the analyser calls words and has a letter or a digit in it, in one case: punctuation has no length.
l(u) is the number of words of a unit. A text that is not parsed has its sentences for EDUs; a unit without a word says
nothing and is left out.

*Similarity* (eq. 6): the share of the second unit's words that the longest common subsequence has,

.. math:: \phi(e, m) = \ell(\mathrm{LCS}(e, m)) / \ell(m),

so that it is not symmetric: a long unit that contains a short one has all of it, the short one not all of the long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from pyramidion.language.parse.analysers import Analyser, analysed
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.text.words import split_words
from pyramidion.model import Span


@dataclass(frozen=True, slots=True)
class Unit:
    """An EDU: where it is, what it says, and which word of the analysis each of its words is."""

    span: Span
    words: tuple[str, ...]
    places: tuple[int, ...]
    sentence: int
    """Counted over the sentences that say something."""
    place: int
    """Counted within the sentence."""

    @property
    def length(self) -> int:
        """The number of words."""
        return len(self.words)


def form(word: str) -> str:
    """Return a word as it is compared, or nothing for punctuation.

    >>> form("Didn\u2019t"), form("...")
    ("didn't", '')
    """
    if word.isascii():
        return word.lower() if any(map(str.isalnum, word)) else ""
    return normalize("NFC", word.casefold()).replace("\u2019", "'") if any(map(str.isalnum, word)) else ""


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text that stands alone.

    >>> words_of("Stop, if you can!")
    ('stop', 'if', 'you', 'can')
    """
    return tuple(filter(None, (form(text[start:end]) for start, end in split_words(text))))


def units_of(analysis: Analysis) -> tuple[Unit, ...]:
    """Return the EDUs of an analysed text that say something, in text order."""
    forms = [form(word.form) for word in analysis.words]
    sentence_of = [number for number, (first, last) in enumerate(analysis.sentences) for _ in range(first, last)]
    units: list[Unit] = []
    previous, sentence, place = -1, -1, 0
    for first, last in analysis.edus:
        places = tuple(place for place in range(first, last) if forms[place])
        if not places:
            continue
        if sentence_of[first] != previous:
            previous, sentence, place = sentence_of[first], sentence + 1, 0
        units.append(Unit(analysis.span(first, last), tuple(forms[word] for word in places), places, sentence, place))
        place += 1
    return tuple(units)


def units(text: str, by: str | Analyser = "en-minilm") -> tuple[Unit, ...]:
    """Return the EDUs of a text; those of the last thousand texts are remembered."""
    return _units(text, by)


@lru_cache(maxsize=1024)
def _units(text: str, by: str | Analyser) -> tuple[Unit, ...]:
    return units_of(analysed(text, by))


def common(many: Iterable[Sequence[str]], wording: Sequence[str]) -> Iterator[int]:
    """Yield the length of the longest common subsequence of ``wording`` and each of many sequences.

    By bits (Hyyrö 2004, Bit-parallel LCS-length computation revisited): a row of the table is one integer, whose zeros
    are the words of ``wording`` at which the length rises.

    >>> list(common([("a", "c", "b"), ("d",)], ("a", "b", "c")))
    [2, 0]
    """
    masks: dict[str, int] = {}
    for place, word in enumerate(wording):
        masks[word] = masks.get(word, 0) | 1 << place
    everything = (1 << len(wording)) - 1
    for words in many:
        row = everything
        for word in words:
            if mask := masks.get(word):
                # Hyyrö's recurrence: V' = (V + (V & M)) | (V - (V & M)).
                hit = row & mask
                row = (row + hit | row - hit) & everything
        yield len(wording) - row.bit_count()


def similarity(e: Sequence[str], m: Sequence[str]) -> float:
    """phi(e, m), eq. 6; 0 where m has no word.

    >>> similarity(words_of("The lake was closed on Monday."), words_of("the lake closed early"))
    0.75
    """
    return next(common([e], m)) / len(m) if m else 0.0
