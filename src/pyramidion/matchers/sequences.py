r"""The common part of Harnly et al. 2005 and Passonneau et al. 2013: word sequences as candidates, and their best set.

*Candidates.* Every contiguous sequence of a peer's words inside one sentence, up to a length. Its similarity to an SCU
is linked over the SCU's contributors: the greatest (``single``), least (``complete``) or mean (``average``) of its
similarities to them. A candidate stands for its most similar SCU, if that is similar enough.

*Choice.* Of the candidates a set of which no two share a word, and in which every SCU counts once:

.. math:: \max \sum_{c \in C} v(c), \qquad C \text{ without overlaps, and with one candidate of an SCU at most,}

v a candidate's value: its similarity, or the weight of its SCU. It is an independent set of greatest weight
(:func:`~pyramidion.matchers.independent_set.exact`): the candidates over one word are a clique, and so are those of one
SCU. :func:`best_set` finds it with HiGHS, proved. The papers choose by dynamic programming, from the last word to the
first,

.. math:: R(i) = \max \Bigl( R(i+1), \; \max_{c = [i, j)} R(j) + \max(0, v(c) - v_{R(j)}(u(c))) \Bigr),

v_R(j)(u) the value that SCU u already has in the set behind R(j): the recursion of the script that Passonneau et al.
published, in time linear in the candidates (``allocation="dp"``). Where no two candidates compete for an SCU it is
exact; else the best set of a rest of the text, which it builds on, may have given away words for an SCU that is worth
more further left. So while the result has an SCU twice, its lesser candidates are taken away and the words are given
out again; it may still stay below the optimum.

*Ours*, where the papers or what we could read of them leave it open:

- an SCU counts once in the whole peer, over which the programming runs, not once in each sentence;
- the same wording twice in an SCU is one contributor, so that copies change no average;
- equally similar SCUs: the heavier, then the one whose words come first in the alphabet;
- an SCU that is said twice is matched where it is more similar; the other place is among what is left;
- a sequence with a part that is as similar to the same SCU does not count: the shorter one says it;
- words and sentences, of peers and of contributors, are those of Unicode's rules, in any language;
- the clauses of which no chosen sequence has a word are the units that match nothing
  (:func:`~pyramidion.matchers.judged.unmatched`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, get_args
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import PyramidionError
from pyramidion.language.parse.analysers import unicode_analysis
from pyramidion.language.text.porter import stem
from pyramidion.language.text.words import split_words
from pyramidion.matchers.expressions import expressions
from pyramidion.matchers.independent_set import exact
from pyramidion.matchers.judged import unmatched
from pyramidion.model import SCU, Annotation, Match, Pyramid, Span, Summary

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

Linkage = Literal["single", "complete", "average"]
Choice = Literal["exact", "dp"]
"""How a set of candidates is chosen: the proved optimum, or the papers' dynamic programming."""
LINKAGES: tuple[Linkage, ...] = get_args(Linkage)
LONGEST = 40
"""The most words of a candidate; nearly every contributor of a pyramid has fewer."""
SCALE = 10**6
"""Similarities count in millionths, so that sums are exact and the last bits of a quotient decide nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of a text in order; ``ends`` says of each where its sentence ends, as a number of words."""

    text: str
    spans: tuple[Span, ...]
    forms: tuple[str, ...]
    ends: Places

    def reach(self, longest: int) -> Places:
        """Return, for each word, the number of words of the longest candidate that starts with it."""
        reach: Places = np.minimum(self.ends - np.arange(len(self.forms)), longest)
        return reach

    def span(self, first: int, last: int) -> Span:
        """Return the span of the words from ``first`` up to, not including, ``last``."""
        return Span(self.spans[first].start, self.spans[last - 1].end)

    def sentences(self) -> Iterator[tuple[int, int]]:
        """Return the first word of each sentence, and the one after its last."""
        return pairwise([0, *np.unique(self.ends).tolist()])


def form(word: str) -> str:
    """Return a word's letters, digits and marks, whatever their case and encoding; empty for a punctuation sign."""
    if word.isascii() and word.isalnum():
        return word.lower()
    return "".join(letter for letter in normalize("NFKC", word.casefold()) if category(letter)[0] in "LMN")


@lru_cache(maxsize=1024)
def words_of(text: str) -> Words:
    """Return the words of a text, sentence by sentence."""
    analysis = unicode_analysis(text)
    spans, forms, ends = [], [], []
    for first, last in analysis.sentences:
        words = [(word.span, form(word.form)) for word in analysis.words[first:last]]
        words = [(span, letters) for span, letters in words if letters]
        spans += [span for span, _ in words]
        forms += [letters for _, letters in words]
        ends += [len(forms)] * len(words)
    return Words(text, tuple(spans), tuple(forms), np.array(ends, np.intp))


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The SCUs of a pyramid in an order that depends on nothing but themselves, and the wordings of each."""

    scus: tuple[SCU, ...]
    wordings: tuple[str, ...]
    """The wordings of the first SCU, then of the second, ..., each in alphabetical order."""
    forms: tuple[tuple[str, ...], ...]
    starts: Places
    """The index of the first wording of each SCU."""


@lru_cache(maxsize=64)
def targets_of(pyramid: Pyramid) -> Targets:
    """Return the wordings that candidates are compared with; heavier SCUs come first."""
    by_scu = {scu.id: sorted(set(expressions(pyramid, scu))) for scu in pyramid.scus}
    scus = sorted(pyramid.scus, key=lambda scu: (-scu.weight, by_scu[scu.id], scu.label, scu.id))
    wordings = [wording for scu in scus for wording in by_scu[scu.id]]
    forms = [tuple(filter(None, (form(text[a:b]) for a, b in split_words(text)))) for text in wordings]
    starts = np.cumsum([0, *(len(by_scu[scu.id]) for scu in scus)])[:-1]
    return Targets(tuple(scus), tuple(wordings), tuple(forms), starts)


def link_similarities(similarities: Numbers, starts: Places, linkage: Linkage) -> Numbers:
    """Turn a table with a column for each wording into one with a column for each SCU, in millionths.

    >>> link_similarities(np.array([[0.5, 0.25, 0.1]]), np.array([0, 2]), "average").tolist()
    [[375000.0, 100000.0]]
    """
    if linkage == "average":
        sizes = np.diff(np.append(starts, similarities.shape[1]))
        means = np.add.reduceat(similarities, starts, axis=1) / sizes
    else:
        means = (np.minimum if linkage == "complete" else np.maximum).reduceat(similarities, starts, axis=1)
    return np.rint(np.clip(means, 0, 1) * SCALE)


class Candidate(NamedTuple):
    """Words ``first`` up to, not including, ``last``, the SCU they stand for, and the wording that links them."""

    first: int
    last: int
    scu: int
    similarity: int
    """The similarity in millionths."""
    wording: int


Tables = Iterator[tuple[Places, Places, Numbers]]
"""First and last words of sequences (the last not included), and a row for each: its similarity to each wording."""


def unigram_overlaps(words: Words, targets: Targets, longest: int) -> Tables:
    r"""Yield the unigram overlap of every sequence a and every wording b: Dice's coefficient of their bags of stems.

    .. math:: 2 |a \cap b| / (|a| + |b|)

    A sequence that grows by the word w shares one more word with b if it has w no more often than b: with a table of
    how often b has w, that is one comparison, for all sequences of one length and all wordings at once.
    """
    wordings = [[_key(form) for form in forms] for forms in targets.forms]
    numbers = {key: number for number, key in enumerate(sorted({key for keys in wordings for key in keys}))}
    counts = np.zeros((len(numbers) + 1, len(wordings)), np.int32)  # the last row is for words that no wording has
    for column, keys in enumerate(wordings):
        np.add.at(counts, ([numbers[key] for key in keys], column), 1)
    of_words = np.array([numbers.get(_key(form), -1) for form in words.forms], np.intp)
    sizes = np.array([len(keys) for keys in wordings], np.float64)
    reach = words.reach(longest)
    shared = np.zeros((len(words.forms), len(wordings)), np.int32)
    times = np.zeros(len(words.forms), np.int32)
    for length in range(1, int(reach.max(initial=0)) + 1):
        firsts = np.flatnonzero(reach >= length)
        added = firsts + length - 1
        # How often the added word stands in its sequence: once more than before if it is also the first word.
        times[added] += of_words[added] == of_words[firsts]
        shared[firsts] += counts[of_words[added]] >= times[added, None]
        yield firsts, firsts + length, 2 * shared[firsts] / (length + sizes)


@lru_cache(maxsize=1 << 16)
def _key(form: str) -> str:
    return stem(form) if form.isascii() else form


def candidates(tables: Tables, targets: Targets, linkage: Linkage, threshold: float) -> list[Candidate]:
    """Return every sequence that is similar enough to an SCU, with the SCU that it is most similar to.

    It is linked by the wording that decides: the most similar, or in complete linkage the least similar one.
    """
    if not targets.scus:
        return []
    offered = []
    ends = [*targets.starts[1:].tolist(), len(targets.wordings)]
    deciding = np.argmin if linkage == "complete" else np.argmax
    for firsts, lasts, table in tables:
        similarities = link_similarities(table, targets.starts, linkage)
        scus = similarities.argmax(axis=1)
        best = np.take_along_axis(similarities, scus[:, None], axis=1)[:, 0]
        for row in np.flatnonzero((best >= round(threshold * SCALE)) & (best > 0)).tolist():
            scu = int(scus[row])
            start = int(targets.starts[scu])
            by = start + int(deciding(table[row, start : ends[scu]])) if ends[scu] > start + 1 else start
            offered.append(Candidate(int(firsts[row]), int(lasts[row]), scu, int(best[row]), by))
    return offered


def best_set(size: int, offered: Sequence[Candidate], weights: Sequence[int] = ()) -> list[Candidate]:
    """Return candidates without overlaps, in text order, at most one for each SCU, of the greatest sum, proved.

    The sum is that of the ``weights``, then of the similarities; without weights, of these alone. ``size`` is the
    number of words of the text.

    >>> ship, the, captain = Candidate(0, 3, 0, 9, 0), Candidate(4, 5, 0, 5, 0), Candidate(4, 8, 1, 8, 1)
    >>> [candidate.scu for candidate in best_set(8, [ship, the, captain])]
    [0, 1]
    """
    by_weight = dict(zip(offered, weights, strict=True)) if weights else {}
    nodes = _shortest(sorted(offered))
    over: list[list[int]] = [[] for _ in range(size)]
    of_scu: defaultdict[int, list[int]] = defaultdict(list)
    for number, candidate in enumerate(nodes):
        of_scu[candidate.scu].append(number)
        for place in range(candidate.first, candidate.last):
            over[place].append(number)
    # Candidates that have a word in common all have the first word of the last of them.
    cliques = [over[first] for first in sorted({candidate.first for candidate in nodes})]
    similarities = [candidate.similarity for candidate in nodes]
    first, then = ([by_weight[node] for node in nodes], similarities) if weights else (similarities, [])
    return [nodes[number] for number in exact(first, [*cliques, *of_scu.values()], then)]


def _shortest(offered: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, in order, without those that have a part as similar to the same SCU.

    A set with such a candidate is no better than the set with the part in its place.
    """
    shortest: list[Candidate] = []
    starting: defaultdict[tuple[int, int], list[Candidate]] = defaultdict(list)  # by SCU and first word
    for candidate in sorted(offered, key=lambda candidate: (candidate.last - candidate.first, candidate)):
        inside = (
            part
            for first in range(candidate.first, candidate.last)
            for part in starting.get((candidate.scu, first), ())
            if part.last <= candidate.last
        )
        if all(part.similarity < candidate.similarity for part in inside):
            starting[candidate.scu, candidate.first].append(candidate)
            shortest.append(candidate)
    return sorted(shortest)


def programmed_set(size: int, offered: Sequence[Candidate], weights: Sequence[int] = ()) -> list[Candidate]:
    """Return what the papers' dynamic programming chooses for the same sum; it may be less than the greatest.

    Rounds go on while R(0) has an SCU twice, and the best of their sets is the result.
    """
    unit = SCALE * (size + 1)  # more than all similarities together
    weights = weights or [0] * len(offered)
    values = [weight * unit + candidate.similarity for weight, candidate in zip(weights, offered, strict=True)]
    pairs = sorted(zip(offered, values, strict=True))
    best: list[Candidate] = []
    most = -1
    while True:
        chosen = _best_set(size, pairs)
        kept: dict[int, tuple[Candidate, int]] = {}
        for candidate, value in chosen:
            if candidate.scu not in kept or value > kept[candidate.scu][1]:
                kept[candidate.scu] = candidate, value
        total = sum(value for _, value in kept.values())
        if total > most:
            best, most = [candidate for candidate, _ in sorted(kept.values())], total
        # An SCU counts once, so the words of its lesser candidates are wasted: without these, they are given out again.
        twice = {scu for scu, times in Counter(candidate.scu for candidate, _ in chosen).items() if times > 1}
        if not twice:
            return best
        pairs = [
            (candidate, value)
            for candidate, value in pairs
            if candidate.scu not in twice or value >= kept[candidate.scu][1]
        ]


def _best_set(size: int, offered: Iterable[tuple[Candidate, int]]) -> list[tuple[Candidate, int]]:
    """Return the set of R(0); of equal ones that which starts later, then that whose first candidate is shorter."""
    starting: defaultdict[int, list[tuple[Candidate, int]]] = defaultdict(list)
    for candidate, value in offered:
        starting[candidate.first].append((candidate, value))
    totals = [0] * (size + 1)
    have: list[dict[int, int]] = [{}] * (size + 1)
    chosen: list[tuple[Candidate, int] | None] = [None] * (size + 1)
    for first in range(size - 1, -1, -1):
        totals[first], have[first] = totals[first + 1], have[first + 1]
        for candidate, value in starting[first]:
            total = totals[candidate.last] + max(0, value - have[candidate.last].get(candidate.scu, 0))
            if total > totals[first]:
                totals[first], chosen[first] = total, (candidate, value)
        if taken := chosen[first]:
            have[first] = {**have[taken[0].last], taken[0].scu: taken[1]}
    best, place = [], 0
    while place < size:
        if taken := chosen[place]:
            best.append(taken)
        place = taken[0].last if taken else place + 1
    return best


def annotation(
    summary: Summary, words: Words, targets: Targets, chosen: Sequence[Candidate], analyser: str
) -> Annotation:
    """Return the annotation with these sequences; a match's reason is the wording that links it."""
    matches = tuple(
        Match(
            targets.scus[candidate.scu].id,
            (words.span(candidate.first, candidate.last),),
            candidate.similarity / SCALE,
            reason=targets.wordings[candidate.wording],
        )
        for candidate in chosen
    )
    return Annotation(summary, matches, unmatched(summary, matches, analyser))


CHOICES = {"exact": best_set, "dp": programmed_set}
"""The ways to choose a set of candidates, by the name of the allocation."""


def check(threshold: float, longest: int) -> None:
    """Raise unless the settings that both matchers have make sense."""
    if not 0 < threshold <= 1:
        raise PyramidionError(f"The threshold of a match is {threshold}", do="give a similarity above 0, up to 1")
    if longest < 1:
        raise PyramidionError(f"The longest candidate has {longest} words", do="give a number of words, 1 or more")
