"""The words of texts, their static vectors, and which of them stand in a segment or a passage.

What :mod:`~pyramidion.matchers.soft` compares words with.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pyramidion.language.parse.clauses import Segment
from pyramidion.language.vectors.static import load
from pyramidion.model import Span

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

CELLS = 1 << 20
"""Pairs of words that are compared at once."""
MOST_KNOWN = 1 << 14
"""The number of words whose vectors are kept."""
_PLAIN = re.compile(r"[\t\n\r -~]*")
_ODD = re.compile(r"(?<![^ ])((?:[\t\n\r!-~]*+[^\t\n\r -~][^ ]*+ ?+)++)")
"""Pieces between spaces that are not plain."""
_RUN = re.compile(r"([a-z0-9]+)")


def words(text: str) -> tuple[list[int], list[str]]:
    """Return where the words of a text start, and their forms.

    They are those of the static vectors' tokenizer; in plain ASCII, which most texts are, runs of letters and digits.
    """
    if _PLAIN.fullmatch(text):
        return _plain(text)
    starts: list[int] = []
    forms: list[str] = []
    end = 0
    for number, stretch in enumerate(_ODD.split(text)):  # plain and odd ones take turns; no word crosses a space
        starts_here, forms_here = (_tokenize if number % 2 else _plain)(stretch)
        starts += [end + start for start in starts_here]
        forms += forms_here
        end += len(stretch)
    return starts, forms


def _plain(text: str) -> tuple[list[int], list[str]]:
    parts = _RUN.split(text.lower())  # gaps and words take turns
    return list(accumulate(map(len, parts)))[:-1:2], parts[1::2]


def _tokenize(text: str) -> tuple[list[int], list[str]]:
    spans = load().spans(text)
    forms = [_form(text, span) for span in spans]
    kept = [place for place, form in enumerate(forms) if any(map(str.isalnum, form))]
    return [spans[place].start for place in kept], [forms[place] for place in kept]


def _form(text: str, span: Span) -> str:
    """Return a word's letters, digits and marks, the same for every way to encode them, without hidden characters."""
    word, end = span.of(text), span.end
    while category(text[end : end + 1] or " ")[0] == "M":  # the tokenizer drops accents, and with them the last one
        end += 1
    if word.isascii() and word.isalnum() and end == span.end:
        return word.lower()
    word = text[span.start : end]
    return "".join(letter for letter in normalize("NFC", word.casefold()) if category(letter)[0] in "LMN")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Distinct words in alphabetical order."""

    numbers: dict[str, int]
    directions: Numbers
    """Of length one; zero for words that have no meaning but themselves: figures, other scripts."""
    lengths: Numbers
    """Of their vectors; one for a word that the table does not know, since it is rare."""

    @classmethod
    def of(cls, forms: Iterable[str]) -> Vocabulary:
        """Return the vocabulary of some words."""
        distinct = sorted(set(forms))
        directions, lengths = _KNOWN.vectors(distinct)
        return cls(dict(zip(distinct, range(len(distinct)), strict=True)), directions, lengths)

    def by_columns(self) -> Vocabulary:
        """Return the same, laid out so that products with the words of many summaries are fast."""
        return replace(self, directions=np.asfortranarray(self.directions))


class _Known:
    """The vectors of the words met so far: summaries of one topic, and topics of one language, share most of theirs."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.directions, self.lengths = np.zeros((0, 0)), np.zeros(0)

    def vectors(self, forms: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Return directions and lengths of some distinct words."""
        places = [self.numbers.get(form, -1) for form in forms]
        if -1 in places:
            self._learn(forms)
            places = [self.numbers[form] for form in forms]
        known = np.array(places, np.intp)
        return self.directions.take(known, axis=0), self.lengths.take(known)

    def _learn(self, forms: Sequence[str]) -> None:
        new = [form for form in forms if form not in self.numbers]
        # The table is bounded: when it is full, it begins anew with these words alone.
        if len(self.numbers) + len(new) > len(self.lengths):
            self.numbers, new, room = {}, list(forms), max(MOST_KNOWN, len(forms))
            self.directions, self.lengths = np.empty((room, load().dimension)), np.empty(room)
        kept, size = len(self.numbers), len(self.numbers) + len(new)
        self.directions[kept:size], self.lengths[kept:size] = _vectors(new)
        self.numbers.update(zip(new, range(kept, size), strict=True))


_KNOWN = _Known()


def _vectors(forms: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Return directions and lengths of some distinct words, from the table."""
    spans, rows = load().words(" ".join(forms))
    ends = np.cumsum([len(form) + 1 for form in forms])
    owners = np.searchsorted(ends, [span.start for span in spans], "right")  # a form may be several words there
    ownership = csr_array((np.ones(len(spans)), (owners, np.arange(len(spans)))), (len(forms), len(spans)))
    vectors = ownership @ rows.astype(np.float64)
    lengths = np.sqrt((vectors * vectors).sum(axis=1))
    known = lengths > 0
    vectors[known] /= lengths[known, None]
    # Figures and other scripts mean only themselves: only the same one is like them.
    vectors[[not (form.isascii() and form.isalpha()) for form in forms]] = 0
    return vectors, np.where(known, lengths, 1.0)


def inside(starts: Sequence[int], segments: Sequence[Segment]) -> list[list[int]]:
    """Return for each segment the words that begin in it."""
    numbers = []
    for segment in segments:
        runs = [range(bisect_left(starts, span.start), bisect_left(starts, span.end)) for span in segment.spans]
        numbers.append(list(runs[0]) if len(runs) == 1 else sorted(set().union(*runs)))
    return numbers


def highest(values: Sequence[float], first: int, last: int) -> int:
    """Return the first place of the highest value, among those from ``first`` up to, not including, ``last``."""
    return first if last == first + 1 else max(range(first, last), key=values.__getitem__)


def largest(values: Numbers, groups: Sequence[Sequence[int]]) -> Numbers:
    """Return for each group of rows the largest value of each column; 0 for an empty group. No value is below 0."""
    filled = [number for number, group in enumerate(groups) if group]
    highest = np.zeros((len(groups), values.shape[1]))
    if filled:
        rows = np.array(list(chain.from_iterable(groups)), np.intp)
        firsts = list(accumulate((len(groups[number]) for number in filled[:-1]), initial=0))
        step = CELLS // len(rows) + 1
        for first in range(0, values.shape[1], step):
            part = slice(first, first + step)
            highest[filled, part] = np.maximum.reduceat(values[:, part].take(rows, axis=0), firsts)
    return highest
