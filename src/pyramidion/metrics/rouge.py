"""ROUGE: how many units of the references a candidate has, and how many of its own the references have.

C.-Y. Lin, 2004, ROUGE: A package for automatic evaluation of summaries, *Text Summarization Branches Out*. With
``hits`` the units that candidate and reference share, each counted at most as often as it stands in either,

    recall = hits / units of the reference,   precision = hits / units of the candidate,
    F = precision * recall / ((1 - alpha) * precision + alpha * recall).

A unit is an n-gram (ROUGE-N, §2), a word of the longest common subsequence (ROUGE-L, §3), the same with a premium
``f(k) = k^1.2`` on runs of ``k`` words (ROUGE-W, §4), a pair of words with at most ``d`` others between them
(ROUGE-Sd, §5.1), or such a pair or a single word (ROUGE-SUd, §5.2).

The program ROUGE-1.5.5, which made nearly all published figures, departs from the paper. ``variant="rouge155"`` (the
default) does as the program does, ``variant="lin2004"`` as the paper says:

================  ====================================================  ================================
                  rouge155                                              lin2004
================  ====================================================  ================================
SU: words         the last word of a text is no unit                    every word is a unit
W: runs           consecutive in the reference                          consecutive in both texts (eq. 14)
W: recall         ``f^-1(hits / f(sum of f(m_i)))`` over sentences of   ``f^-1(hits / f(m))``: each text
                  ``m_i`` words: ``f`` is taken twice, so that a text   is one sequence of words
                  does not score 1 against itself
================  ====================================================  ================================

In both: the union LCS of ROUGE-L (§3.2) is clipped by word counts, as in the program, since precision could exceed 1
otherwise; n-grams and skip-bigrams run across sentence boundaries, as in the program. Scores are not rounded (the
program rounds recall and precision to five decimals before it takes F): :meth:`RougeScore.printed` gives its digits.
"""

from __future__ import annotations

import hashlib
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from pyramidion.errors import ModelError
from pyramidion.language.porter import stem as stem_word

__all__ = ["Rouge", "RougeScore", "split_words"]

_METRIC = re.compile(r"(?P<n>[1-9]\d{0,2})|(?P<sequence>[LW])|S(?P<unigrams>U?)(?P<distance>\d{1,3})")


class RougeScore(NamedTuple):
    """Recall, precision and their weighted harmonic mean."""

    recall: float
    precision: float
    f: float

    def printed(self, alpha: float = 0.5) -> tuple[str, str, str]:
        """The digits that ROUGE-1.5.5 prints: five decimals, F taken from the rounded recall and precision.

        >>> RougeScore(2 / 3, 1 / 7, 4 / 17).printed()
        ('0.66667', '0.14286', '0.23530')
        """
        recall, precision = f"{self.recall:.5f}", f"{self.precision:.5f}"
        return recall, precision, f"{_f_measure(float(recall), float(precision), alpha):.5f}"


class _Match(NamedTuple):
    """What one reference shares with the candidate: the two sizes are what ``hits`` is divided by."""

    hits: float
    reference: float
    candidate: float


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as one metric sees it: words by sentence, the same in a row, and its units, each occurrence apart."""

    sentences: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    units: frozenset[object]


@dataclass(frozen=True)
class Rouge:
    """One ROUGE metric with its settings; calling :meth:`score` with equal settings gives equal numbers.

    >>> Rouge("1").score("police killed the gunman", ["the gunman killed police"])
    RougeScore(recall=1.0, precision=1.0, f=1.0)
    >>> Rouge("L").score("police kill the gunman", ["police killed the gunman"]).recall
    0.75
    >>> print(Rouge("rouge-su4", stem=True))
    rouge:SU4|stem:yes|stop:no|words:rouge155|references:average|alpha:0.5|variant:rouge155
    """

    metric: str = "2"
    """``1``, ``2``, ... (n-grams), ``L``, ``W``, ``S4``, ``SU4`` (any distance); ``rouge-2`` is read as ``2``."""
    stem: bool = False
    """Stem words and map irregular forms (ROUGE's ``-m``): :mod:`pyramidion.language.porter`."""
    stop_words: frozenset[str] = frozenset()
    """Words in lower case to leave out before stemming (ROUGE's ``-s``, whose list is not shipped)."""
    tokens: Literal["rouge155", "unicode"] = "rouge155"
    """What a word is: :func:`split_words`."""
    references: Literal["average", "best", "jackknife"] = "average"
    """How several references make one score: hits and sizes added up (``-f A``), the reference with the best recall
    (``-f B``), or the mean of the best over all choices of all references but one (Lin 2004, §2)."""
    level: Literal["summary", "sentence"] = "summary"
    """For ``L`` and ``W``: a line is a sentence and LCS are united (§3.2), or the text is one sequence (§3.1)."""
    alpha: float = 0.5
    """1 makes F the precision, 0 the recall."""
    weight: float = 1.2
    """For ``W``: the exponent of ``f``."""
    variant: Literal["rouge155", "lin2004"] = "rouge155"
    """The program or the paper, where they differ."""

    def __post_init__(self) -> None:
        metric = self.metric.upper().removeprefix("ROUGE-")
        if not _METRIC.fullmatch(metric):
            raise ModelError(f"there is no ROUGE metric {self.metric!r}", do="use 1, 2, 3, ..., L, W, S4 or SU4")
        object.__setattr__(self, "metric", metric)
        object.__setattr__(self, "stop_words", frozenset(self.stop_words))
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise ModelError(f"{name} cannot be {getattr(self, name)!r}", do=f"use {' or '.join(known)}")
        if not 0 <= self.alpha <= 1:
            raise ModelError(f"alpha cannot be {self.alpha}", do="use a number from 0 to 1")
        if not 1 <= self.weight <= 10:
            raise ModelError(f"weight cannot be {self.weight}", do="use a number from 1 to 10")

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Every setting that the number depends on, for a signature; a stop list by its size and a hash."""
        stop = "no"
        if self.stop_words:
            listed = "\n".join(sorted(self.stop_words)).encode("utf-8", "surrogatepass")
            stop = f"{len(self.stop_words)}-{hashlib.sha256(listed).hexdigest()[:8]}"
        fields = [("rouge", self.metric), ("stem", "yes" if self.stem else "no"), ("stop", stop)]
        fields += [("words", self.tokens), ("references", self.references)]
        if self.metric in ("L", "W"):
            fields.append(("level", self.level))
        if self.metric == "W":
            fields.append(("weight", str(self.weight)))
        return (*fields, ("alpha", str(self.alpha)), ("variant", self.variant))

    def __str__(self) -> str:
        return "|".join(f"{name}:{value}" for name, value in self.parameters)

    def score(self, candidate: str, references: Iterable[str]) -> RougeScore:
        """Score one candidate against its references; an empty candidate scores 0.

        >>> Rouge("1", references="best").score("a cat", ["a dog barked", "a cat"]).f
        1.0
        """
        return self.scores([candidate], [references])[0]

    def scores(self, candidates: Sequence[str], references: Sequence[Iterable[str]]) -> list[RougeScore]:
        """Score many candidates, each against its own references.

        Prepared texts are kept for a while, so that systems which share references can be scored one call after the
        other.
        """
        if len(candidates) != len(references):
            raise ModelError(
                f"{len(candidates)} candidates and references for {len(references)}",
                do="give each candidate its own list of references",
            )
        return [self._score(*pair) for pair in zip(candidates, references, strict=True)]

    def _score(self, candidate: str, references: Iterable[str]) -> RougeScore:
        if isinstance(references, str):
            raise ModelError("the references are one string", do="give a list of references, even of one")
        prepared = [_prepared(self, reference) for reference in references]
        if not prepared:
            raise ModelError("there is no reference to compare with", do="give at least one reference")
        text = _prepared(self, candidate)
        return self._combined([self._match(reference, text) for reference in prepared])

    def _combined(self, matches: list[_Match]) -> RougeScore:
        if self.references == "average":
            return self._from_sums(matches)
        # Equal recalls are settled by hits, so that the order of references does not matter; in ROUGE-1.5.5 it does.
        ranked = sorted(matches, key=lambda match: (_ratio(match.hits, match.reference), match.hits), reverse=True)
        best = self._from_sums(ranked[:1])
        if self.references == "best" or len(ranked) == 1:
            return best
        # Of the n ways to leave one out, the best reference is missing from one, and the second best wins there.
        others, second = len(ranked) - 1, self._from_sums(ranked[1:2])
        return RougeScore(*((others * a + b) / len(ranked) for a, b in zip(best, second, strict=True)))

    def _from_sums(self, matches: list[_Match]) -> RougeScore:
        hits = sum(match.hits for match in matches)
        recall = _ratio(hits, sum(match.reference for match in matches))
        precision = _ratio(hits, sum(match.candidate for match in matches))
        if self.metric == "W":
            recall, precision = recall ** (1 / self.weight), precision ** (1 / self.weight)
        return RougeScore(recall, precision, _f_measure(recall, precision, self.alpha))

    def _match(self, reference: _Text, candidate: _Text) -> _Match:
        if self.metric == "L":
            hits = _union_hits(reference, candidate)
            return _Match(hits, len(reference.words), len(candidate.words))
        if self.metric == "W":
            return self._weighted_match(reference, candidate)
        return _Match(len(reference.units & candidate.units), len(reference.units), len(candidate.units))

    def _weighted_match(self, reference: _Text, candidate: _Text) -> _Match:
        sizes = len(reference.words) ** self.weight, len(candidate.words) ** self.weight
        if self.variant == "lin2004":
            return _Match(_weighted_length(reference.words, candidate.words, self.weight), *sizes)
        twice = sum(len(sentence) ** self.weight for sentence in reference.sentences) ** self.weight
        return _Match(_weighted_union_hits(reference, candidate, self.weight), twice, sizes[1])


_CHOICES = {
    "tokens": ("rouge155", "unicode"),
    "references": ("average", "best", "jackknife"),
    "level": ("summary", "sentence"),
    "variant": ("rouge155", "lin2004"),
}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _f_measure(recall: float, precision: float, alpha: float) -> float:
    return _ratio(precision * recall, (1 - alpha) * precision + alpha * recall)


@lru_cache(maxsize=1024)
def _sentences(text: str, tokens: str, stem: bool, stop_words: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """The words of every line, which is what all metrics with the same options have in common."""
    return tuple(tuple(split_words(line, tokens, stem, stop_words)) for line in text.split("\n"))


@lru_cache(maxsize=1024)
def _prepared(rouge: Rouge, text: str) -> _Text:
    sentences = _sentences(text, rouge.tokens, rouge.stem, rouge.stop_words)
    row = tuple(chain.from_iterable(sentences))
    found = _METRIC.fullmatch(rouge.metric)
    assert found is not None
    if found["sequence"]:
        return _Text((row,) if rouge.level == "sentence" else sentences, row, frozenset())
    if found["n"]:
        return _Text(sentences, row, _apart(_n_grams(row, int(found["n"]))))
    pairs = _skip_bigrams(row, int(found["distance"]))
    if found["unigrams"]:
        pairs.update(row if rouge.variant == "lin2004" else row[:-1])
    return _Text(sentences, row, _apart(pairs))


def _n_grams(row: tuple[str, ...], n: int) -> Counter[object]:
    return Counter(zip(*(row[start:] for start in range(n)), strict=False))


def _skip_bigrams(row: tuple[str, ...], distance: int) -> Counter[object]:
    """Pairs in their order with at most ``distance`` words between them."""
    pairs: Counter[object] = Counter()
    for step in range(1, min(distance + 1, len(row) - 1) + 1):
        pairs.update(zip(row, row[step:], strict=False))
    return pairs


def _apart(counts: Counter[object]) -> frozenset[object]:
    """Each occurrence as a member of its own, so that the clipped count of two texts is the size of an intersection."""
    again = ((unit, time) for unit, count in counts.items() if count > 1 for time in range(1, count))
    return frozenset(chain(counts, again))


def _union_hits(reference: _Text, candidate: _Text) -> int:
    """Words of the reference in the union of its sentences' LCS with every sentence of the candidate, clipped."""
    if len(reference.sentences) == len(candidate.sentences) == 1:
        return _common_length(reference.words, candidate.words)
    left = Counter(candidate.words)
    hits = 0
    for sentence, marked in _unions(reference, candidate, _common_positions):
        for position in marked:
            if left[sentence[position]] > 0:
                left[sentence[position]] -= 1
                hits += 1
    return hits


def _weighted_union_hits(reference: _Text, candidate: _Text, weight: float) -> float:
    """The same with ``k^weight`` for a run of ``k``, as in ROUGE-1.5.5: a run ends where the next word is unmarked.

    If the next word is marked but used up, the run is carried on past it, and lost where no unused word ends it.
    """
    left = Counter(candidate.words)
    hits = 0.0
    for sentence, marked in _unions(reference, candidate, lambda a, b: _weighted_positions(a, b, weight)):
        run = 0
        for position in sorted(marked):
            if left[sentence[position]] > 0:
                left[sentence[position]] -= 1
                run += 1
                if position + 1 not in marked:
                    hits += run**weight
                    run = 0
    return hits


def _unions(
    reference: _Text, candidate: _Text, positions: Callable[[tuple[str, ...], tuple[str, ...]], Iterable[int]]
) -> Iterable[tuple[tuple[str, ...], list[int]]]:
    for sentence in reference.sentences:
        found = {position for other in candidate.sentences for position in positions(sentence, other)}
        yield sentence, sorted(found)


# Longest common subsequences. The table c(i, j), the LCS length of the first i and j words, grows by 0 or 1 from i - 1
# to i: a column is a bit vector, and one addition of long integers makes the next (H. Hyyrö, 2004, Bit-parallel
# LCS-length computation revisited). Several subsequences can be longest; the way back through the table is that of
# ROUGE-1.5.5: take a match where there is one, else go to i - 1 where that loses nothing, else to j - 1. The weighted
# LCS (Lin 2004, §4) has no such short cut and fills its table.


def _occurrences(first: Sequence[str]) -> dict[str, int]:
    """For each word, the bits of the positions it has."""
    bits: dict[str, int] = {}
    for position, word in enumerate(first):
        bits[word] = bits.get(word, 0) | 1 << position
    return bits


def _common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    >>> _common_length("police killed the gunman".split(), "the gunman police killed".split())
    2
    """
    bits, everything = _occurrences(first), (1 << len(first)) - 1
    column = everything
    for word in second:
        matches = column & bits.get(word, 0)
        column = ((column + matches) | (column - matches)) & everything
    return len(first) - column.bit_count()


def _common_positions(first: Sequence[str], second: Sequence[str]) -> list[int]:
    """The positions in ``first`` of the longest common subsequence that ROUGE-1.5.5 finds, last first.

    >>> _common_positions("a b c d".split(), "b x d".split())
    [3, 1]
    """
    bits, everything = _occurrences(first), (1 << len(first)) - 1
    columns, column = [], everything
    for word in second:
        matches = column & bits.get(word, 0)
        column = ((column + matches) | (column - matches)) & everything
        columns.append(column)
    found: list[int] = []
    i = len(first)
    for j in range(len(second) - 1, -1, -1):
        matches = bits.get(second[j], 0)
        # The last i with a match or a step in the table: rows between are passed without loss.
        i = ((~columns[j] | matches) & ((1 << i) - 1)).bit_length()
        if i == 0:
            break
        if matches >> (i - 1) & 1:
            i -= 1
            found.append(i)
    return found


def _weighted_table(first: Sequence[str], second: Sequence[str], weight: float) -> list[list[float]]:
    """``c(i, j)`` where a run of ``k`` matches counts ``k^weight`` (Lin 2004, eq. 14)."""
    gain = [(k + 1) ** weight - k**weight for k in range(min(len(first), len(second)) + 1)]
    table = [[0.0] * (len(second) + 1)]
    runs = [0] * (len(second) + 1)
    for word in first:
        above, row, new_runs = table[-1], [0.0], [0]
        for j, other in enumerate(second):
            if word == other:
                row.append(above[j] + gain[runs[j]])
                new_runs.append(runs[j] + 1)
            else:
                row.append(max(above[j + 1], row[j]))
                new_runs.append(0)
        table.append(row)
        runs = new_runs
    return table


def _weighted_length(first: Sequence[str], second: Sequence[str], weight: float) -> float:
    """The weighted LCS of Lin 2004, §4.

    >>> _weighted_length("a b c d e f g".split(), "a b c d h i k".split(), 2)
    16.0
    >>> _weighted_length("a b c d e f g".split(), "a h b k c i d".split(), 2)
    4.0
    """
    return _weighted_table(first, second, weight)[-1][-1]


def _weighted_positions(first: Sequence[str], second: Sequence[str], weight: float) -> list[int]:
    """The positions in ``first`` of the subsequence with the greatest weight, last first."""
    table = _weighted_table(first, second, weight)
    found: list[int] = []
    i, j = len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            i, j = i - 1, j - 1
            found.append(i)
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)  # lower() would turn the Kelvin sign to k
_ASCII_WORD = re.compile("[a-z0-9]+")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def split_words(
    line: str, tokens: str = "rouge155", stem: bool = False, stop_words: frozenset[str] = frozenset()
) -> list[str]:
    """The words of a line.

    ``rouge155``, as ROUGE-1.5.5: letters A-Z in lower case; everything that is no ASCII letter or digit is a space, so
    that *state-of-the-art* is five words, *don't* is two, *café* is *caf*, and a Russian or Chinese text is empty.
    ``unicode``: letters, digits and marks of all scripts, after NFKC and case folding; scripts that put no spaces
    between words (Han, kana, Thai, Lao, Khmer, Burmese) have one word per character, since a whole phrase would hardly
    match. Stop words are left out before stemming, as in ROUGE-1.5.5. Only ASCII words are stemmed.

    >>> split_words("Don't panic: state-of-the-art cafés!")
    ['don', 't', 'panic', 'state', 'of', 'the', 'art', 'caf', 's']
    >>> split_words("Straße 5, 東京", "unicode")
    ['strasse', '5', '東', '京']
    """
    if tokens == "unicode":
        found = unicodedata.normalize("NFKC", line).casefold().translate(_UNICODE).split(" ")
        found = [word for word in found if word]
    else:
        found = _ASCII_WORD.findall(line.translate(_ASCII_LOWER))
    if stop_words:
        found = [word for word in found if word not in stop_words]
    return [stem_word(word) if word.isascii() else word for word in found] if stem else found


class _UnicodeWords(dict[int, str]):
    """A translation table that fills itself: a character of a word as it is, anything else a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if unicodedata.category(character)[0] not in "LNM":
            kept = " "
        elif unicodedata.name(character, "").startswith(_UNSPACED):
            kept = f" {character} "
        else:
            kept = character
        self[code] = kept
        return kept


_UNICODE = _UnicodeWords()
