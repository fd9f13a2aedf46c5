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
comma or another stop between them. *Opposites* are those of :data:`OPPOSITES`, and words that differ in *un-*, *in-*,
*dis-* or *non-*.

Nothing but where sentences end depends on a parser.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from pyramidion.language.clauses import Segmentation
from pyramidion.language.number_words import number
from pyramidion.language.porter import stem
from pyramidion.language.segmented import segmented
from pyramidion.match.expressions import expressions
from pyramidion.match.soft import CELLS, DECIMALS, PASSAGE
from pyramidion.match.vocabulary import Vocabulary, passages
from pyramidion.match.vocabulary import inside as standing_in
from pyramidion.match.vocabulary import words as words_of
from pyramidion.model import Pyramid

__all__ = ["FEATURES", "FUNCTION", "NEGATIONS", "OPPOSITES", "Features", "features"]

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

    starts: Places
    forms: list[str]
    denied: Flags

    @classmethod
    def of(cls, text: str) -> _Text:
        starts, raw = words_of(text)
        denied = np.zeros(len(raw), bool)
        for place, (start, form) in enumerate(zip(starts.tolist(), raw, strict=True)):
            if form in NEGATIONS or (form == "t" and text[start - 1 : start] in ("'", "\u2019")):
                reach = starts[place + 1 : place + 1 + REACH]
                stop = _PAUSE.search(text, start)
                denied[place + 1 : place + 1 + len(reach)] |= reach < (stop.start() if stop else len(text))
        return cls(starts, [_canonical(form) for form in raw], denied)


@dataclass(frozen=True, slots=True, eq=False)
class _Wordings:
    """The wordings of a pyramid's SCUs, one row each, as long as the longest (what is beyond weighs nothing)."""

    bounds: list[int]
    """Where the rows of each SCU begin."""
    texts: list[str]
    """The forms of each, with spaces around them."""
    vocabulary: Vocabulary
    stems: list[str]
    opposites: list[frozenset[str]]
    words: Places
    """Rows x length: numbers of the vocabulary."""
    there: Flags
    telling: Numbers
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
    vocabulary = Vocabulary.of(form for text in texts for form in text.forms)
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
    figures = np.array([_is_number(form) for form in vocabulary.numbers], bool)
    return _Wordings(
        [0, *accumulate(map(len, said))],
        [f" {' '.join(text.forms)} " for text in texts],
        vocabulary,
        stems,
        [_opposites(one) for one in stems],
        words,
        there,
        _normal(np.where(there, telling[words], 0.0) if length else np.zeros(words.shape)),
        content,
        names,
        there & figures[words] if length else there,
        np.array(
            [bool((text.denied & own[: len(text.forms)]).any()) for text, own in zip(texts, content, strict=True)], bool
        ),
        np.array(neighbours, np.intp).reshape(-1, 3),
        np.array(followers, np.intp).reshape(-1, 3),
    )


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
    said = _Text.of(text)
    if not sentences or not said.forms or not own.words.size:
        none, nowhere = np.zeros(size, bool), np.zeros(size, np.intp)
        return Features(own.bounds, np.zeros((size, len(FEATURES))), nowhere, nowhere, none, ~none)
    peer = Vocabulary.of(said.forms)
    numbers = np.array([peer.numbers[form] for form in said.forms], np.intp)
    segments = [standing_in(said.starts, sentence) for sentence in sentences]
    places = [np.unique(np.concatenate(one)) for one in segments]
    similar, same_stem = _similar(own, peer)
    best = np.array([similar[:, numbers[one]].max(axis=1, initial=0.0) for one in places]).T
    stems = np.array([same_stem[:, numbers[one]].any(axis=1) for one in places]).T
    telling = _weighted(own, best**3)
    at = _first_best(telling, [[said.forms[place] for place in one] for one in places])
    runs = list(passages([len(one) for one in places], PASSAGE))
    in_runs = np.array([best[:, first:last].max(axis=1) for first, last in runs]).T
    stems_in_runs = np.array([stems[:, first:last].any(axis=1) for first, last in runs]).T
    by_run = _weighted(own, in_runs**3)
    run = np.round(by_run, DECIMALS).argmax(axis=1)
    everyone = np.arange(size)
    there, in_passage = stems[own.words, at[:, None]], stems_in_runs[own.words, run[:, None]]
    values = [
        telling[everyone, at],
        by_run[everyone, run],
        *_weakest(own, best[own.words, at[:, None]]),
        *_weakest(own, in_runs[own.words, run[:, None]]),
        _pairs(own, places, [runs[one] for one in run], similar[:, numbers]),
        *_orders(own, said, places, at, similar[:, numbers]),
        _shares(own.names, in_passage),
        _shares(own.numbers, there),
        _shares(own.numbers, in_passage),
        *_conflicts(own, said, places, at, similar[:, numbers], there),
    ]
    inside = [
        [
            own.telling[row] @ similar[own.words[row]][:, numbers[one]].max(axis=1, initial=0.0) ** 3
            for one in segments[at_]
        ]
        for row, at_ in enumerate(at)
    ]
    return Features(
        own.bounds,
        np.round(np.column_stack(values), DECIMALS),
        at,
        np.array([np.round(recalls, DECIMALS).argmax() for recalls in inside], np.intp),
        np.array([_stands(wording, said) for wording in own.texts], bool),
        best.max(axis=1)[own.words].max(axis=1, where=own.there, initial=0.0) == 0,
    )


def _first_best(telling: Numbers, sentences: Sequence[list[str]]) -> Places:
    """Each wording's sentence; of equally good ones the first in the alphabet, wherever it stands."""
    ranking = np.array(sorted(range(len(sentences)), key=lambda place: sentences[place]), np.intp)
    return np.asarray(ranking[np.round(telling[:, ranking], DECIMALS).argmax(axis=1)])


def _stands(wording: str, said: _Text) -> bool:
    """Whether a wording's words follow each other in a text, and their first is not denied."""
    whole = f" {' '.join(said.forms)} "
    at = whole.find(wording) if wording.strip() else -1
    while at >= 0:
        if not said.denied[whole.count(" ", 0, at)]:
            return True
        at = whole.find(wording, at + 1)
    return False


def _similar(own: _Wordings, peer: Vocabulary) -> tuple[Numbers, Flags]:
    """Of every word of the wordings and of the summary: s, and whether they have the same stem."""
    stems: dict[str, list[int]] = {}
    for place, form in enumerate(peer.numbers):
        stems.setdefault(_stem(form), []).append(place)
    similar = np.clip(own.vocabulary.directions @ peer.directions.T, 0.0, 1.0)
    same = np.zeros(similar.shape, bool)
    for word, one in enumerate(own.stems):
        if one in stems:
            same[word, stems[one]] = True
    similar = np.where(same, np.maximum(similar, SAME_STEM), similar)
    for form, word in own.vocabulary.numbers.items():
        if form in peer.numbers:
            similar[word, peer.numbers[form]] = 1.0
    return similar, same


def _weighted(own: _Wordings, best: Numbers) -> Numbers:
    """Rows x places: the weighted means of words."""
    return np.asarray(np.einsum("rl,rlp->rp", own.telling, best[own.words]))


def _weakest(own: _Wordings, best: Numbers) -> tuple[Numbers, Numbers]:
    """The least and the least but one of content words; of all words if none is one."""
    content = np.where(own.content.any(axis=1, keepdims=True), own.content, own.there)
    ranked = np.sort(np.where(content, best, 2.0), axis=1)
    second = ranked[:, 1] if ranked.shape[1] > 1 else ranked[:, 0]
    return np.minimum(ranked[:, 0], 1.0), np.where(second <= 1, second, np.minimum(ranked[:, 0], 1.0))


def _pairs(own: _Wordings, places: Sequence[Places], runs: Sequence[tuple[int, int]], similar: Numbers) -> Numbers:
    """Pairs; ``runs`` are the passages of the wordings, ``similar`` has a column for each word of the summary."""
    owners, one, other = own.neighbours.T
    found = np.zeros(len(owners))
    first, last = np.array(runs, np.intp)[owners].T
    for sentence, within in enumerate(places):
        here = np.flatnonzero((first <= sentence) & (sentence < last))
        found[here] = np.maximum(found[here], _in_steps(_beside, similar[:, within], one[here], other[here]))
    return _means(owners, found, len(runs))


def _orders(
    own: _Wordings, said: _Text, places: Sequence[Places], at: Places, similar: Numbers
) -> tuple[Numbers, Numbers]:
    """Near, right way round."""
    of, one, other = own.followers.T
    near, turned = np.zeros((2, len(of)))
    for sentence, within in enumerate(places):
        here = np.flatnonzero(at[of] == sentence)
        cubes = similar[:, within] ** 3
        active = cubes[:, _active([said.forms[place] for place in within])]
        near[here] = _in_steps(_close, cubes, one[here], other[here])
        forward = _in_steps(_before, active, one[here], other[here])
        turned[here] = np.maximum(0.0, _in_steps(_before, active, other[here], one[here]) - forward)
    return _means(of, near, len(at)), _means(of, 1 - turned, len(at))


def _in_steps(of: Callable[[Numbers, Numbers], Numbers], similar: Numbers, one: Places, other: Places) -> Numbers:
    """Something of pairs of words in a sentence, a bounded number of them at once."""
    step = CELLS // (similar.shape[1] + 1) + 1
    parts = [slice(first, first + step) for first in range(0, len(one), step)]
    return np.concatenate([np.zeros(0), *(of(similar[one[part]], similar[other[part]]) for part in parts)])


def _beside(one: Numbers, other: Numbers) -> Numbers:
    return np.asarray((one[:, :-1] * other[:, 1:]).max(axis=1, initial=0.0))


def _before(one: Numbers, other: Numbers) -> Numbers:
    return np.asarray((np.maximum.accumulate(one, axis=1)[:, :-1] * other[:, 1:]).max(axis=1, initial=0.0))


def _close(one: Numbers, other: Numbers) -> Numbers:
    best = np.zeros(len(one))
    for step in range(1, min(NEAR, one.shape[1] - 1) + 1):
        for first, second in ((one, other), (other, one)):
            best = np.maximum(best, (first[:, :-step] * second[:, step:]).max(axis=1, initial=0.0))
    return best


def _conflicts(
    own: _Wordings, said: _Text, places: Sequence[Places], at: Places, similar: Numbers, there: Flags
) -> tuple[Numbers, Numbers, Numbers]:
    """Same polarity, no opposite, no other number."""
    polarity, opposite, other = np.ones((3, len(at)))
    sentence_stems = [{_stem(said.forms[place]) for place in one} for one in places]
    figures = [{said.forms[place] for place in one if _is_number(said.forms[place])} for one in places]
    for row, place in enumerate(at):
        content = own.words[row][own.content[row]]
        within = places[place]
        spoken = similar[np.ix_(content, within)] >= FOUND
        denied = bool((spoken & said.denied[within]).any())
        polarity[row] = denied == own.negated[row]
        missing = own.words[row][own.there[row] & ~there[row]]
        opposite[row] = all(own.opposites[word].isdisjoint(sentence_stems[place]) for word in missing)
        if (own.numbers[row] & ~there[row]).any():
            mine = {one for one in own.texts[row].split() if _is_number(one)}
            other[row] = not figures[place] - mine
    return polarity, opposite, other
