"""The words of texts, their static vectors, and which of them stand in a segment or a passage.

What :mod:`~pyramidion.match.soft` and :mod:`~pyramidion.match.features` share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pyramidion.language.clauses import Segment
from pyramidion.language.vectors.static import load
from pyramidion.model import Span

__all__ = ["Numbers", "Places", "Vocabulary", "inside", "passages", "words"]

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

MOST_KNOWN = 1 << 14
"""Words whose vectors are kept."""
_PLAIN = re.compile(r"[\t\n\r -~]*")
_RUN = re.compile(r"[A-Za-z0-9]+")


def words(text: str) -> tuple[Places, list[str]]:
    """Where the words of a text start, and their forms.

    They are those of the static vectors' tokenizer; in plain ASCII, which most texts are, runs of letters and digits.
    """
    if _PLAIN.fullmatch(text):
        found = list(_RUN.finditer(text))
        return np.array([run.start() for run in found], np.intp), [run[0].lower() for run in found]
    spans, _ = load().words(text)
    forms = [_form(text, span) for span in spans]
    kept = [place for place, form in enumerate(forms) if any(map(str.isalnum, form))]
    return np.array([spans[place].start for place in kept], np.intp), [forms[place] for place in kept]


def _form(text: str, span: Span) -> str:
    """A word's letters, digits and marks, the same for every way to encode them, without hidden characters."""
    word, end = span.of(text), span.end
    while category(text[end : end + 1] or " ")[0] == "M":  # the tokenizer drops accents, and with them the last one
        end += 1
    if word.isascii() and word.isalnum() and end == span.end:
        return word.lower()
    word = text[span.start : end]
    return "".join(one for one in normalize("NFC", word.casefold()) if category(one)[0] in "LMN")


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
        """The vocabulary of some words."""
        distinct = sorted(set(forms))
        directions, lengths = _KNOWN.vectors(distinct)
        return cls({form: number for number, form in enumerate(distinct)}, directions, lengths)


class _Known:
    """The vectors of the words met so far: summaries of one topic, and topics of one language, share most of theirs."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.directions, self.lengths = np.zeros((0, 0)), np.zeros(0)

    def vectors(self, forms: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Directions and lengths of some distinct words."""
        new = [form for form in forms if form not in self.numbers]
        if len(self.numbers) + len(new) > MOST_KNOWN:
            self.numbers, new = {}, list(forms)
        if new:
            directions, lengths = _vectors(new)
            kept = len(self.numbers)
            if kept:
                directions = np.concatenate([self.directions[:kept], directions])
                lengths = np.concatenate([self.lengths[:kept], lengths])
            self.directions, self.lengths = directions, lengths
            self.numbers.update((form, kept + place) for place, form in enumerate(new))
        places = [self.numbers[form] for form in forms]
        return self.directions[places], self.lengths[places]


_KNOWN = _Known()


def _vectors(forms: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Directions and lengths of some distinct words, from the table."""
    spans, rows = load().words(" ".join(forms))
    ends = np.cumsum([len(form) + 1 for form in forms])
    owners = np.searchsorted(ends, [span.start for span in spans], "right")  # a form may be several words there
    whose = csr_array((np.ones(len(spans)), (owners, np.arange(len(spans)))), (len(forms), len(spans)))
    vectors = whose @ rows.astype(np.float64)
    lengths = np.sqrt((vectors * vectors).sum(axis=1))
    known = lengths > 0
    vectors[known] /= lengths[known, None]
    vectors[[not (form.isascii() and form.isalpha()) for form in forms]] = 0
    return vectors, np.where(known, lengths, 1.0)


def passages(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """From each sentence on, as many as have no more than so many words together, and at least itself."""
    last, total = 0, 0
    for first, size in enumerate(sizes):
        if last == first:
            last, total = first + 1, size
        while last < len(sizes) and total + sizes[last] <= most:
            total += sizes[last]
            last += 1
        yield first, last
        total -= size


def inside(starts: Places, segments: Sequence[Segment]) -> list[Places]:
    """For each segment, which words begin in it."""
    bounds = iter(np.searchsorted(starts, [(span.start, span.end) for one in segments for span in one.spans]).tolist())
    found = []
    for segment in segments:
        runs = [np.arange(*next(bounds)) for _ in segment.spans]
        found.append(runs[0] if len(runs) == 1 else np.unique(np.concatenate(runs)))
    return found
