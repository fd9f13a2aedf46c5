r"""What is measured of an SCU's wording and a summary: named numbers, none of which sees how long the summary is.

*Words.* Forms are those of :mod:`~pyramidion.match.soft`; a number's name is its figure (*twelve* is 12). Of two words

.. math:: s(i, j) = 1 \text{ for the same}, \quad \max(.95, \cos) \text{ for the same stem}, \quad \max(0, \cos)

otherwise, cos being that of their static vectors, and 0 for figures and other scripts. Word i of a wording weighs
k_i = \|v_i\| / n_i as in ``soft``: its vector's length, divided by the pyramid's wordings that have its stem. A content
word is one with \|v_i\| of at least .5 that is not in :data:`FUNCTION`.

*Places.* b_i(X) = max s(i, j) over the words j of X. The wording's **sentence** is the summary's with the largest
:math:`\sum_i k_i b_i^3 / \sum_i k_i`, its **passage** the best run of sentences of at most 80 words: no feature has the
whole summary in view, where a longer one finds more by chance. The order of sentences matters through passages alone.

Every feature lies between 0 and 1, and the more, the more of the wording is there: no feature of this table should
ever lower a probability as it grows. What the wording does not have (no name, no number, no pair) is 1: nothing is
missing.

================== ===================================================================================================
feature            formula
================== ===================================================================================================
telling sentence   sum of k_i b_i^3 / sum of k_i, in the sentence
telling passage    the same in the passage
weakest sentence   the least b_i of a content word, in the sentence
second sentence    the least but one (the least, if there is one alone)
weakest passage    the least b_i of a content word, in the passage
second passage     the least but one
pairs passage      the mean over neighbours i, i + 1 of max s(i, j) s(i + 1, j + 1), in the passage's sentences
near sentence      the mean over content words i and the next two, l, of max s(i, j)^3 s(l, m)^3, \|m - j\| at most 5
right way round    1 - the mean over content words i and the next two, l, of max(0, backward - forward), in the
                   sentence: forward is max s(i, j)^3 s(l, m)^3 for j < m, backward the same for j > m
names passage      the share of names whose stem is in the passage
numbers sentence   the share of numbers that are in the sentence
numbers passage    the same in the passage
same polarity      0 if one of the wording and the sentence is negated and the other is not, else 1
no opposite        0 if a word of the wording is missing whose opposite is in the sentence, else 1
no other number    0 if a number is missing and the sentence has one that the wording lacks, else 1
================== ===================================================================================================

*Order* is that of an active clause: of *was sued by Bob* the words after *by* come first, then the verb, then what
stood before. A *name* is a word with a capital, not the wording's first unless a capital follows, that no wording of
the pyramid has in small letters. A *number* begins with a figure; 1 is none. *Negated* is a sentence in which one of
:data:`NEGATIONS` or *n't* stands at most four words before a content word of the wording (s of at least .7), without a
comma, another stop or the end of the sentence between them. *Opposites* are those of :data:`OPPOSITES`, and words that
differ in *un-*, *in-*, *dis-* or *non-*.

Nothing but where sentences end depends on a parser.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pyramidion.language.parse.clauses import Segmentation
from pyramidion.language.parse.segmented import segmented
from pyramidion.language.text.number_words import number
from pyramidion.language.text.porter import stem
from pyramidion.match.expressions import expressions
from pyramidion.match.soft import DECIMALS, compact
from pyramidion.match.vocabulary import CELLS, Vocabulary, highest, inside, largest, passages
from pyramidion.match.vocabulary import words as words_of
from pyramidion.model import Pyramid

__all__ = ["FEATURES", "FUNCTION", "NEGATIONS", "OPPOSITES", "Features", "features"]

PASSAGE = 80
"""Words that a passage of several sentences has at most."""

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Flags = NDArray[np.bool_]

FEATURES = (
    "telling sentence",
    "telling passage",
    "weakest sentence",
    "second sentence",
    "weakest passage",
    "second passage",
    "pairs passage",
    "near sentence",
    "right way round",
    "names passage",
    "numbers sentence",
    "numbers passage",
    "same polarity",
    "no opposite",
    "no other number",
)

_FUNCTION = """
    i me my mine we us our you your he him his she her hers it its they them their this that these those who
    whom whose which what there here be am is are was were been being have has had having do does did doing
    will would shall should can could may might must not no nor never none nothing nobody neither cannot and
    or but if then than so as while because when where of in on at by to for from with without about into
    over under after before up down out off also just very more most much many some any all each other such
    own too only
"""
FUNCTION = frozenset(_FUNCTION.split())
"""Words that hold others together."""
_NEGATIONS = """
    not no never none nobody nothing neither nor without cannot hardly fail fails failed failing refuse
    refuses refused refusing deny denies denied denying
"""
NEGATIONS = frozenset(_NEGATIONS.split())
"""Words that deny what they stand before."""
_PAIRS = """
    rise fall, increase decrease, increase drop, rise drop, grow shrink, gain lose, win lose, beat lose,
    victory defeat, accept reject, accept refuse, allow ban, allow forbid, permit ban, approve reject,
    agree refuse, support oppose, start end, begin end, start stop, begin stop, open close, arrive leave,
    enter leave, buy sell, lend borrow, give take, push pull, raise lower, cut raise, love hate,
    remember forget, live die, alive dead, survive die, save kill, guilty innocent, convict acquit,
    arrest release, free jail, hire fire, join leave, build destroy, attack defend, admit deny, confirm deny,
    success failure, succeed fail, pass fail, high low, hot cold, warm cold, wet dry, old young, old new,
    big small, large small, long short, early late, before after, up down, north south, east west,
    northern southern, eastern western, left right, male female, man woman, boy girl, husband wife,
    father mother, son daughter, brother sister, first last, best worst, good bad, better worse, more less,
    more fewer, most least, many few, all none, always never, everyone nobody, rich poor, strong weak,
    safe dangerous, cheap expensive, fast slow, light dark, day night, morning evening, summer winter,
    public private, friend enemy, true false, same different, full empty, hard easy, above below,
    inside outside, ally rival, legal illegal, rise plunge, grow fall, improve worsen, strengthen weaken,
    expand shrink, advance retreat
"""
_STEMS = [tuple(map(stem, pair.split())) for pair in _PAIRS.split(",")]
OPPOSITES: Mapping[str, frozenset[str]] = {
    one: frozenset(other for pair in _STEMS if one in pair for other in pair if other != one)
    for one in {one for pair in _STEMS for one in pair}
}
"""Of a stem, those that cannot be said of the same thing."""
_DENYING = ("un", "in", "im", "ir", "il", "dis", "non")
_BE = frozenset(("be", "am", "is", "are", "was", "were", "been", "being", "get", "gets", "got"))
CONTENT = 0.5
"""The least length of a content word's vector."""
SAME_STEM = 0.95
FOUND = 0.7
"""From which s on a word counts as there."""
NEAR = 5
BLOCK = 400
"""Words of sentences that are laid out at once."""
REACH = 4
"""Words that a negation denies."""
_PAUSE = re.compile("[,.;:!?()\u2013\u2014]")


@lru_cache(maxsize=1 << 16)
def _canonical(form: str) -> str:
    """A word's form; of a number's name, its figures."""
    return number([form]) or form


def _stem(form: str) -> str:
    return stem(form) if form.isascii() else form


def _is_number(form: str) -> bool:
    return form[0].isdigit() and form != "1"


def _opposites(one: str) -> frozenset[str]:
    """The stems that deny a stem."""
    longer = {start + one for start in _DENYING if len(one) > 3}
    shorter = {one[len(start) :] for start in _DENYING if one.startswith(start) and len(one) > len(start) + 3}
    return OPPOSITES.get(one, frozenset()) | longer | shorter


def _active(forms: Sequence[str]) -> list[int]:
    """The places of words in the order that they would have if the first passive with an agent were active."""
    for by in (place for place, form in enumerate(forms) if form == "by"):
        auxiliaries = [place for place in range(max(0, by - 4), by - 1) if forms[place] in _BE]
        if auxiliaries:
            verb = auxiliaries[-1]
            return [*range(by + 1, len(forms)), *range(verb, by + 1), *range(verb)]
    return list(range(len(forms)))


@dataclass(frozen=True, slots=True, eq=False)
class _Text:
    """Words of a text: where they start, canonical forms, and which of them are denied."""

    starts: list[int]
    forms: list[str]
    denied: list[bool]

    @classmethod
    def of(cls, text: str, sentences: Sequence[int] = ()) -> _Text:
        """The words of a text, whose sentences begin there: no negation reaches into the next."""
        starts, raw = words_of(text)
        denied = [False] * len(raw)
        ends = [*sentences, len(text)]
        for place, (start, form) in enumerate(zip(starts, raw, strict=True)):
            if form in NEGATIONS or (form == "t" and text[start - 1 : start] in ("'", "\u2019")):
                end = ends[bisect_right(sentences, start)]
                pause = _PAUSE.search(text, start, end)
                stop = bisect_left(starts, pause.start() if pause else end)
                for one in range(place + 1, min(place + 1 + REACH, stop)):
                    denied[one] = True
        return cls(starts, [_canonical(form) for form in raw], denied)


@dataclass(frozen=True, slots=True, eq=False)
class _Wordings:
    """The wordings of a pyramid's SCUs, one row each, as long as the longest (what is beyond weighs nothing)."""

    bounds: list[int]
    """Where the rows of each SCU begin."""
    texts: list[str]
    """The forms of each, with spaces around them."""
    vocabulary: Vocabulary
    stems: dict[str, list[int]]
    """The words of a stem."""
    opposed: dict[str, list[int]]
    """The words that a stem denies."""
    words: Places
    """Rows x length: numbers of the vocabulary."""
    there: Flags
    telling: Numbers | csr_array
    """Rows x vocabulary: weights of words, which sum to one."""
    content: Flags
    names: Flags
    numbers: Flags
    negated: Flags
    neighbours: Places
    """Pairs x (row, word, next word)."""
    followers: Places
    """Pairs x (row, content word, one of the next two)."""


@lru_cache(maxsize=16)
def _wordings(pyramid: Pyramid) -> _Wordings:
    said = [sorted(expressions(pyramid, scu)) for scu in pyramid.scus]
    wordings = [wording for scu in said for wording in scu]
    texts = [_Text.of(wording) for wording in wordings]
    vocabulary = Vocabulary.of(form for text in texts for form in text.forms).by_columns()
    stems = [_stem(form) for form in vocabulary.numbers]
    spread = Counter(one for text in texts for one in {stems[vocabulary.numbers[form]] for form in text.forms})
    length = max((len(text.forms) for text in texts), default=0)
    words = np.zeros((len(texts), length), np.intp)
    there = np.zeros(words.shape, bool)
    content, names = there.copy(), there.copy()
    small = {form for wording, text in zip(wordings, texts, strict=True) for form in _small(wording, text)}
    neighbours: list[tuple[int, int, int]] = []
    followers: list[tuple[int, int, int]] = []
    for row, (wording, text) in enumerate(zip(wordings, texts, strict=True)):
        own = [vocabulary.numbers[form] for form in text.forms]
        words[row, : len(own)] = own
        there[row, : len(own)] = True
        content[row, : len(own)] = [
            vocabulary.lengths[word] >= CONTENT and form not in FUNCTION
            for word, form in zip(own, text.forms, strict=True)
        ]
        names[row, : len(own)] = _names(wording, text, small)
        neighbours += ((row, one, other) for one, other in pairwise(own))
        meaning = [own[place] for place in _active(text.forms) if content[row, place]]
        followers += (
            (row, one, other)
            for place, one in enumerate(meaning)
            for other in meaning[place + 1 : place + 3]
            if one != other
        )
    telling = vocabulary.lengths / np.array([spread[one] for one in stems], np.float64)
    weights = _normal(np.where(there, telling[words], 0.0)) if length else np.zeros(words.shape)
    rows = np.repeat(np.arange(len(texts)), length)
    figures = np.array([_is_number(form) for form in vocabulary.numbers], bool)
    return _Wordings(
        [0, *accumulate(map(len, said))],
        [f" {' '.join(text.forms)} " for text in texts],
        vocabulary,
        _places_of([one] for one in stems),
        _places_of(_opposites(one) for one in stems),
        words,
        there,
        compact(csr_array((weights.ravel(), (rows, words.ravel())), (len(texts), len(stems)))),
        content,
        names,
        there & figures[words] if length else there,
        np.array([content[row, : len(text.denied)] @ text.denied for row, text in enumerate(texts)], bool),
        np.array(neighbours, np.intp).reshape(-1, 3),
        np.array(followers, np.intp).reshape(-1, 3),
    )


def _places_of(things: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """For each of the names, the places where it stands."""
    found: dict[str, list[int]] = {}
    for place, names in enumerate(things):
        for name in names:
            found.setdefault(name, []).append(place)
    return found


def _small(wording: str, text: _Text) -> list[str]:
    """Forms that begin with a small letter."""
    return [form for start, form in zip(text.starts, text.forms, strict=True) if wording[start].islower()]


def _names(wording: str, text: _Text, small: set[str]) -> list[bool]:
    """Which words are names."""
    capitals = [wording[start].isupper() for start in text.starts]
    found = [
        capital and form not in FUNCTION and form not in small and not _is_number(form)
        for capital, form in zip(capitals, text.forms, strict=True)
    ]
    if found and found[0] and not any(capitals[1:2]):
        found[0] = False
    return found


def _normal(weights: Numbers) -> Numbers:
    """Rows that sum to one, or to nothing."""
    totals = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0))


def _means(rows: Places, values: Numbers, size: int) -> Numbers:
    """The mean of the values of each row; one where there are none."""
    counts = np.bincount(rows, minlength=size)
    sums = np.bincount(rows, values, minlength=size)
    return np.where(counts > 0, sums / np.maximum(counts, 1), 1.0)


def _shares(flags: Flags, found: Flags) -> Numbers:
    """The share of each row's flags that are found; one where there are none."""
    counts = flags.sum(axis=1)
    return np.where(counts > 0, (flags & found).sum(axis=1) / np.maximum(counts, 1), 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Of every wording of a pyramid in a summary: its features, and where it is best said."""

    bounds: list[int]
    """Where the wordings of each SCU begin."""
    values: Numbers
    """Wordings x :data:`FEATURES`."""
    sentences: Places
    segments: Places
    """The best segment of the wording's sentence."""
    verbatim: Flags
    """Whether the wording stands in the summary word for word."""
    empty: Flags
    """Whether the summary has nothing of the wording: no word with s above 0."""


@lru_cache(maxsize=4096)
def features(pyramid: Pyramid, text: str, analyser: str = "en-minilm") -> Features:
    """Measure every wording of the pyramid's SCUs in a text."""
    return _features(pyramid, text, [one[:2][-1] for one in segmented(text, analyser).sentences])


def _features(pyramid: Pyramid, text: str, sentences: Sequence[Segmentation]) -> Features:
    own = _wordings(pyramid)
    size = len(own.texts)
    said = _Text.of(text, [min(one.spans[0].start for one in segments) for segments in sentences])
    if not sentences or not said.forms or not own.words.size:
        none, nowhere = np.zeros(size, bool), np.zeros(size, np.intp)
        return Features(own.bounds, np.zeros((size, len(FEATURES))), nowhere, nowhere, none, ~none)
    peer = Vocabulary.of(said.forms)
    compared, width = _compared(own, peer), len(own.vocabulary.numbers)
    similar = compared[:, :width]
    numbers = [peer.numbers[form] for form in said.forms]
    standing = inside(said.starts, [segment for segments in sentences for segment in segments])
    firsts = [0, *accumulate(map(len, sentences))]
    places = [sorted(set().union(*standing[first:last])) for first, last in pairwise(firsts)]
    spoken = [[numbers[place] for place in one] for one in standing]
    by_segment = largest(compared, spoken)
    by_sentence = np.maximum.reduceat(by_segment, firsts[:-1])
    runs = list(passages([len(one) for one in places], PASSAGE))
    by_run = np.array([by_sentence[first:last].max(axis=0) for first, last in runs])
    best, in_runs = by_sentence[:, :width], by_run[:, :width]
    cubes = np.concatenate([best, in_runs, by_segment[:, :width]]) ** 3
    recalls = own.telling @ cubes.T
    telling, together = recalls[:, : len(best)], recalls[:, len(best) : len(best) + len(runs)]
    forms = [[said.forms[place] for place in one] for one in places]
    words = [[numbers[place] for place in one] for one in places]
    active = [[one[place] for place in _active(form)] for one, form in zip(words, forms, strict=True)]
    denied = largest(similar, [[numbers[place] for place in one if said.denied[place]] for one in places])
    at = _first_best(telling, forms)
    run = together.round(DECIMALS).argmax(axis=1)
    everyone = np.arange(size)
    there = by_sentence[at[:, None], width + own.words] > 0
    in_passage = by_run[run[:, None], width + own.words] > 0
    values = [
        telling[everyone, at],
        together[everyone, run],
        *_weakest(own, best[at[:, None], own.words]),
        *_weakest(own, in_runs[run[:, None], own.words]),
        *_orders(own, words, active, np.array(runs)[run], at, similar),
        _shares(own.names, in_passage),
        _shares(own.numbers, there),
        _shares(own.numbers, in_passage),
        *_conflicts(own, said, places, at, there, denied),
    ]
    segments = [
        highest(within, firsts[one], firsts[one + 1]) - firsts[one]
        for within, one in zip(recalls[:, len(best) + len(runs) :].round(DECIMALS).tolist(), at.tolist(), strict=True)
    ]
    whole = f" {' '.join(said.forms)} "
    return Features(
        own.bounds,
        np.column_stack(values).round(DECIMALS),
        at,
        np.array(segments, np.intp),
        np.array([_stands(wording, whole, said.denied) for wording in own.texts], bool),
        best.max(axis=0)[own.words].max(axis=1, where=own.there, initial=0.0) == 0,
    )


def _first_best(telling: Numbers, sentences: Sequence[list[str]]) -> Places:
    """Each wording's sentence; of equally good ones the first in the alphabet, wherever it stands."""
    ranking = np.array(sorted(range(len(sentences)), key=lambda place: sentences[place]), np.intp)
    return np.asarray(ranking[np.round(telling[:, ranking], DECIMALS).argmax(axis=1)])


def _stands(wording: str, whole: str, denied: Sequence[bool]) -> bool:
    """Whether a wording's words follow each other in a text, and their first is not denied."""
    at = whole.find(wording) if wording.strip() else -1
    while at >= 0:
        if not denied[whole.count(" ", 0, at)]:
            return True
        at = whole.find(wording, at + 1)
    return False


def _compared(own: _Wordings, peer: Vocabulary) -> Numbers:
    """For every word of the summary, and then for none: s of each word of the wordings, then 1 for the same stem."""
    compared = np.zeros((len(peer.numbers) + 1, 2 * len(own.vocabulary.numbers)))
    similar, same = np.hsplit(compared, 2)
    np.clip(peer.directions @ own.vocabulary.directions.T, 0.0, 1.0, out=similar[:-1])
    pairs = [(word, mine) for form, word in peer.numbers.items() for mine in own.stems.get(_stem(form), ())]
    theirs, ours = np.array(pairs, np.intp).reshape(-1, 2).T
    same[theirs, ours] = 1.0
    similar[theirs, ours] = np.maximum(similar[theirs, ours], SAME_STEM)
    forms = list(peer.numbers.keys() & own.vocabulary.numbers.keys())
    similar[[peer.numbers[form] for form in forms], [own.vocabulary.numbers[form] for form in forms]] = 1.0
    return compared


def _weakest(own: _Wordings, best: Numbers) -> tuple[Numbers, Numbers]:
    """The least and the least but one of content words; of all words if none is one."""
    content = np.where(own.content.any(axis=1, keepdims=True), own.content, own.there)
    ranked = np.sort(np.where(content, best, 2.0), axis=1)
    second = ranked[:, 1] if ranked.shape[1] > 1 else ranked[:, 0]
    return np.minimum(ranked[:, 0], 1.0), np.where(second <= 1, second, np.minimum(ranked[:, 0], 1.0))


def _orders(
    own: _Wordings,
    sentences: Sequence[list[int]],
    active: Sequence[list[int]],
    runs: Places,
    at: Places,
    similar: Numbers,
) -> tuple[Numbers, Numbers, Numbers]:
    """Pairs, near, right way round, given the words of each sentence, as they stand and in active order.

    A maximum over one of two words is taken before they are multiplied, once for all pairs: no factor is below zero.
    """
    of_pair, i, next_i = own.neighbours.T
    of, one, other = own.followers.T
    passage, sentence = runs[of_pair].T, np.array([at, at + 1])[:, of]
    pairs, (near, forward, backward) = np.zeros(len(i)), np.zeros((3, len(one)))
    pause = [len(similar) - 1] * NEAR  # rows of zeros, so that no word is near one of another sentence
    step = BLOCK // (max(map(len, sentences)) + NEAR) + 1
    for first in range(0, len(sentences), step):
        part = slice(first, first + step)
        bounds = [0, *accumulate(len(words) + NEAR for words in sentences[part])]
        s, turned = (similar[[word for words in said[part] for word in words + pause]] for said in (sentences, active))
        cubes, turned = s * s * s, turned * turned * turned
        before = np.zeros(turned.shape)
        for start, end in pairwise(bounds):
            np.maximum.accumulate(turned[start : end - 1], axis=0, out=before[start + 1 : end])
        for found, left, right, a, b, where in (
            (pairs, s[:-1], s[1:], i, next_i, passage),
            (near, cubes, _around(cubes), one, other, sentence),
            (forward, before, turned, one, other, sentence),
            (backward, before, turned, other, one, sentence),
        ):
            np.maximum(found, _most(left, right, a, b, bounds[:-1], where - first), out=found)
    turned_round = np.maximum(0.0, backward - forward)
    return _means(of_pair, pairs, len(at)), _means(of, near, len(at)), _means(of, 1 - turned_round, len(at))


def _most(left: Numbers, right: Numbers, one: Places, other: Places, starts: Sequence[int], where: Places) -> Numbers:
    """For each pair of columns the largest product in a row of the sentences from where to where."""
    found = np.zeros(len(one))
    sentence = np.arange(len(starts))[:, None]
    here = np.flatnonzero((where[0] < len(starts)) & (where[1] > 0))
    step = CELLS // len(left) + 1
    for first in range(0, len(here), step):
        part = here[first : first + step]
        products = np.maximum.reduceat(left.take(one[part], axis=1) * right.take(other[part], axis=1), starts)
        low, high = where[:, part]
        found[part] = np.where((low <= sentence) & (sentence < high), products, 0.0).max(axis=0)
    return found


def _around(values: Numbers) -> Numbers:
    """In each column, the largest value at most :data:`NEAR` rows away, but not there."""
    found = np.zeros(values.shape)
    for step in range(1, NEAR + 1):
        np.maximum(found[:-step], values[step:], out=found[:-step])
        np.maximum(found[step:], values[:-step], out=found[step:])
    return found


def _conflicts(
    own: _Wordings, said: _Text, places: Sequence[list[int]], at: Places, there: Flags, denied: Numbers
) -> tuple[Flags, Flags, Flags]:
    """Same polarity, no opposite, no other number; ``denied`` is b of the words of each sentence that are denied."""
    here = (at[:, None], own.words)
    opposed = np.zeros(denied.shape, bool)
    for row, sentence in enumerate(places):
        for place in sentence:
            for word in own.opposed.get(_stem(said.forms[place]), ()):
                opposed[row, word] = True
    other = np.ones(len(at), bool)
    for row in np.flatnonzero((own.numbers & ~there).any(axis=1)).tolist():
        figures = {form for place in places[at[row]] if _is_number(form := said.forms[place])}
        other[row] = figures <= set(own.texts[row].split())
    return (
        (own.content & (denied >= FOUND)[here]).any(axis=1) == own.negated,
        np.logical_not((own.there & ~there & opposed[here]).any(axis=1)),
        other,
    )
