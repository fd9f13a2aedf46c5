"""Many texts against their references at once: words as integers, units looked up in sorted arrays.

Only units that the reference has can be hits. So each word of a candidate is looked up among the distinct words of its
reference, once for all metrics; n-grams and pairs are made of the words found, and looked up in turn. A unit's number
is its place among the distinct units of all references, sorted by reference: it tells the reference, too, and the key
of a longer unit is the number of its beginning times the count of words, plus the number of its last word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyramidion.language.text.word_forms import Tokens, prepare_word, raw_words
from pyramidion.metrics._lcs import common_length

Integers = NDArray[np.int64]
ABSENT = -1
FAR = 1 << 20
"""A distance between texts that no pair of words bridges."""


@lru_cache(maxsize=4)
def prepared(
    candidates: tuple[str, ...],
    references: tuple[tuple[str, ...], ...],
    tokens: Tokens,
    stem: bool,
    stop_words: frozenset[str],
) -> Pairs:
    """Return every candidate with each of its references, in order; cached for the next metric on the same texts."""
    # Equal texts are encoded once, as the references of many candidates are.
    numbers: dict[str, int] = {}
    for text in chain(chain.from_iterable(references), candidates):
        numbers.setdefault(text, len(numbers))
    first = np.repeat([numbers[text] for text in candidates], [len(texts) for texts in references]).astype(np.int64)
    second = np.array([numbers[text] for text in chain.from_iterable(references)], dtype=np.int64)
    return Pairs(_encode(numbers, tokens, stem, stop_words), first, second)


@dataclass(frozen=True, slots=True)
class _Corpus:
    """The words of all texts in a row; where each line begins, and which is the first line of each text."""

    words: Integers
    lines: Integers
    texts: Integers
    vocabulary: int


def _encode(texts: Iterable[str], tokens: Tokens, stem: bool, stop_words: frozenset[str]) -> _Corpus:
    """Number the words of texts; a word is stemmed once, however often it occurs."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    row: list[int] = []
    lines, first_lines = [0], [0]
    for text in texts:
        for line in text.split("\n"):
            row.extend(map(numbers.__getitem__, raw_words(line, tokens)))
            lines.append(len(row))
        first_lines.append(len(lines) - 1)
    words, starts = np.array(row, dtype=np.int64), np.array(lines)
    if stem or stop_words:
        words, starts = _without_stop_words(words, starts, [prepare_word(word, stem, stop_words) for word in numbers])
    return _Corpus(words, starts, np.array(first_lines), max(len(numbers), 1))


def _without_stop_words(words: Integers, lines: Integers, forms: Sequence[str]) -> tuple[Integers, Integers]:
    """Return words and lines with the numbers of the words' forms; words whose form is empty are left out."""
    numbers: dict[str, int] = {"": ABSENT}
    for form in forms:
        numbers.setdefault(form, len(numbers) - 1)
    words = np.array([numbers[form] for form in forms], dtype=np.int64)[words]
    kept = words != ABSENT
    if kept.all():
        return words, lines
    return words[kept], np.concatenate([[0], np.cumsum(kept)])[lines]


class _Found(NamedTuple):
    """Words that the references have: the text or pair that each is in, its place, and its number."""

    owners: Integers
    places: Integers
    """Side by side in a text, far apart between texts."""
    numbers: Integers

    def runs(self, length: int) -> Integers:
        """Return the beginnings of all runs of so many words, by their places here."""
        if length > len(self.places):
            return np.zeros(0, dtype=np.int64)
        last = length - 1
        return np.flatnonzero(self.places[last:] - self.places[: len(self.places) - last] == last)

    def pairs(self, distance: int) -> tuple[Integers, Integers]:
        """Return all pairs in their order with at most ``distance`` words between them, by their places here."""
        found = [
            np.flatnonzero(self.places[step:] - self.places[:-step] <= distance + 1)
            for step in range(1, min(distance + 2, len(self.places)))
        ]
        firsts = np.concatenate([np.zeros(0, dtype=np.int64), *found])
        return firsts, firsts + np.repeat(np.arange(1, len(found) + 1), [len(part) for part in found])


class Pairs:
    """Candidates and references in pairs. Everything that is returned has an entry for each pair."""

    def __init__(self, corpus: _Corpus, candidates: Integers, references: Integers) -> None:
        self.corpus = corpus
        self.candidates, self.references = candidates, references
        self.sizes = np.diff(corpus.lines[corpus.texts])

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def lengths(self) -> tuple[Integers, Integers]:
        """The number of words of each reference, and of each candidate."""
        return self.sizes[self.references], self.sizes[self.candidates]

    @cached_property
    def _distinct(self) -> Integers:
        """The references, each once."""
        return np.unique(self.references)

    @cached_property
    def _words(self) -> tuple[Integers, _Found, _Found]:
        """The counts of the references' words, the references' words, and the candidates' words that they have."""
        words, size = self.corpus.words, self.corpus.vocabulary
        owners, places = self._places(self._distinct)
        # A key is a text and a word in one number: a word of a candidate is found in its own reference only.
        keys, numbers, counts = np.unique(
            self._distinct[owners] * size + words[places], return_inverse=True, return_counts=True
        )
        reference = _Found(owners, _spread_places(owners), numbers)
        owners, places = self._places(self.candidates)
        numbers = _find(keys, self.references[owners] * size + words[places])
        kept = np.flatnonzero(numbers != ABSENT)
        return counts, reference, _Found(owners[kept], _spread_places(owners)[kept], numbers[kept])

    def _places(self, texts: Integers) -> tuple[Integers, Integers]:
        """Return for every word of the texts which of them it is in, and its place in the corpus."""
        sizes = self.sizes[texts]
        before = self.corpus.lines[self.corpus.texts[texts]] - (np.cumsum(sizes) - sizes)
        owners = np.repeat(np.arange(len(texts)), sizes)
        return owners, np.arange(len(owners)) + before[owners]

    def word_hits(self, *, but_last: bool = False) -> Integers:
        """Return the number of words that both have, each as often as in the text that has it less often.

        ``but_last`` leaves out the last word of each text.
        """
        counts, reference, candidate = self._words
        owners, places, numbers = candidate
        if but_last:
            counts = counts.copy()
            lasts = np.cumsum(self.sizes[self._distinct])[self.sizes[self._distinct] > 0] - 1
            np.subtract.at(counts, reference.numbers[lasts], 1)
            ends = np.cumsum(self.lengths[1]) - 1 + FAR * np.arange(len(self))
            kept = places != ends[owners]
            owners, numbers = owners[kept], numbers[kept]
        return self._clipped_counts(owners, numbers, counts)

    def n_gram_hits(self, n: int) -> Integers:
        """Return the same for n-grams."""
        counts, reference, candidate = self._words
        theirs, ours = reference.runs(n), candidate.runs(n)
        base, known, numbers = len(counts), reference.numbers[theirs], candidate.numbers[ours]
        # Each round makes n-grams longer by a word, and drops those of the candidates that no reference begins with.
        for step in range(1, n):
            keys, known, counts = np.unique(
                known * base + reference.numbers[theirs + step], return_inverse=True, return_counts=True
            )
            numbers = _find(keys, numbers * base + candidate.numbers[ours + step])
            kept = numbers != ABSENT
            ours, numbers = ours[kept], numbers[kept]
        return self._clipped_counts(candidate.owners[ours], numbers, counts)

    def skip_bigram_hits(self, distance: int) -> Integers:
        """Return the same for pairs of words in their order with at most ``distance`` words between them."""
        counts, reference, candidate = self._words
        base = len(counts)
        first, second = reference.pairs(distance)
        keys, counts = np.unique(reference.numbers[first] * base + reference.numbers[second], return_counts=True)
        first, second = candidate.pairs(distance)
        numbers = _find(keys, candidate.numbers[first] * base + candidate.numbers[second])
        kept = numbers != ABSENT
        return self._clipped_counts(candidate.owners[first[kept]], numbers[kept], counts)

    def _clipped_counts(self, owners: Integers, numbers: Integers, counts: Integers) -> Integers:
        """Return for each pair the sum of the lesser count of each unit: ``counts`` are the references'."""
        size = max(len(counts), 1)
        keys, in_candidate = np.unique(owners * size + numbers, return_counts=True)
        hits = np.minimum(in_candidate, counts[keys % size])
        return np.bincount(keys // size, weights=hits, minlength=len(self)).astype(np.int64)

    def common_lengths(self) -> list[int]:
        """Return the lengths of the longest common subsequences of the words."""
        counts, reference, candidate = self._words
        bits, row = [0] * len(counts), reference.numbers.tolist()
        for start, end in pairwise([0, *np.cumsum(self.sizes[self._distinct]).tolist()]):
            for place, word in enumerate(row[start:end]):
                bits[word] |= 1 << place
        ends = np.searchsorted(candidate.owners, np.arange(len(self) + 1)).tolist()
        row = [bits[word] for word in candidate.numbers.tolist()]
        lengths = self.lengths[0].tolist()
        return [
            common_length(row[start:end], length) for (start, end), length in zip(pairwise(ends), lengths, strict=True)
        ]

    @property
    def have_lines(self) -> bool:
        """Some text has several lines."""
        return bool((np.diff(self.corpus.texts) > 1).any())

    def sentences(self, *, by_line: bool) -> list[tuple[list[list[int]], list[list[int]]]]:
        """Return the words of reference and candidate: line by line, or all words of a text as one sentence."""
        words = self.corpus.words.tolist()
        cuts = self.corpus.lines if by_line else self.corpus.lines[self.corpus.texts]
        lines = [words[start:end] for start, end in pairwise(cuts.tolist())]
        firsts = self.corpus.texts if by_line else np.arange(len(self.sizes) + 1)
        texts = [lines[start:end] for start, end in pairwise(firsts.tolist())]
        return [
            (texts[reference], texts[candidate])
            for reference, candidate in zip(self.references.tolist(), self.candidates.tolist(), strict=True)
        ]


def _spread_places(owners: Integers) -> Integers:
    """Return places of words side by side, with a gap that no pair of words bridges where the owner changes."""
    return np.arange(len(owners)) + FAR * owners


def _find(keys: Integers, wanted: Integers) -> Integers:
    """Return the places of what is wanted among sorted keys; :data:`ABSENT` for what is not among them."""
    if not len(keys):
        return np.full(len(wanted), ABSENT)
    places = np.searchsorted(keys, wanted)
    places[places == len(keys)] = 0  # beyond the last key: any other place, whose key is another, too
    places[keys[places] != wanted] = ABSENT
    return places
