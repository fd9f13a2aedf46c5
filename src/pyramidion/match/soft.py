r"""Is this SCU in this summary? By the words that tell it from other SCUs, each with its best counterpart.

*Why not a cosine of sentences.* Against 26,400 human judgements (REALSumm) the cosine of an SCU and a summary's best
segment has an AUC of .72, the words alone .84: a vector of a sentence is mostly its topic, which all summaries share.

*Telling words.* Word i of a contributor weighs

.. math:: k_i = |v_i| / n_i,

v_i its static vector, whose length the regression behind the table made small for words that say little (*of* .13,
*suggests* .63, *bitcoin* .97; 1 for a word that the table does not know), and n_i the number of the pyramid's
contributors that have a word of the same stem: what the whole pyramid talks about tells no SCU from another.

*Soft recall.* In a passage with the words t_j the contributor's recall is

.. math:: r = \sum_i k_i \max_j s(i, j)^3 \Big/ \sum_i k_i,

s = 1 for the same word, the cosine of their static vectors (at least 0) for two words of the letters a to z, and 0 for
figures and for other scripts, where only the same will do.

*Passage.* Words scattered over a long text express nothing together, but an idea may run over a full stop:
e = .7 r(best sentence) + .3 r(best run of sentences of at most 80 words). Text added at either end of a summary lowers
no evidence; a sentence in its middle may drive a passage apart.

*Probability.* P = max e over the SCU's contributors: one wording suffices, and evidence needs no curve to be a
probability. Of REALSumm's judgements (Bhandari et al. 2020) with e from .5 to .55, people found 51 % present, from 0 to
.05 6 %, above .95 90 %; a fitted logistic curve is hardly better (Brier score .1617 against .1605), and would give an
empty summary 7 %. ``train/soft.py`` prints these figures.

The annotation has every SCU's probability, and a match, in the words of the best segment, where it is at least the
threshold: .4, not .5, because the wordings of a built pyramid are whole clauses, of which a peer needs not say every
word, while P is right for the short statements of REALSumm. With .4 a student of the 14 has 7.0 SCUs, with .5 5.1;
people found 7.7.

Nothing here but the sentences depends on a parser; a text in another language gets an answer by equal words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pyramidion.errors import PyramidionError
from pyramidion.language.clauses import Segment, Segmentation, segment_id
from pyramidion.language.porter import stem
from pyramidion.language.segmented import segmented
from pyramidion.language.vectors.static import load
from pyramidion.match.expressions import expressions
from pyramidion.model import Annotation, Contributor, Match, Pyramid, Span, Summary

__all__ = ["PASSAGE", "SENTENCE", "Evidence", "evidence", "soft"]

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

SENTENCE = 0.7
"""The share of the best sentence in the evidence; the rest is the best passage's."""
PASSAGE = 80
"""Words that a passage of several sentences has at most."""
DECIMALS = 6
"""To which evidence is rounded, so that the last bits of a sum, which depend on the machine, decide nothing."""
CELLS = 1 << 20
"""Pairs of words that are compared at once."""


def _words(text: str) -> tuple[Places, list[str]]:
    """Where the words of a text start, and their forms."""
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
class _Vocabulary:
    """Distinct words in alphabetical order."""

    numbers: dict[str, int]
    directions: Numbers
    """Of length one; zero for words that have no meaning but themselves: figures, other scripts."""
    lengths: Numbers
    """Of their vectors; one for a word that the table does not know, since it is rare."""

    @classmethod
    def of(cls, forms: Iterable[str]) -> _Vocabulary:
        distinct = sorted(set(forms))
        spans, rows = load().words(" ".join(distinct))
        ends = np.cumsum([len(form) + 1 for form in distinct])
        owners = np.searchsorted(ends, [span.start for span in spans], "right")  # a form may be several words there
        whose = csr_array((np.ones(len(spans)), (owners, np.arange(len(spans)))), (len(distinct), len(spans)))
        vectors = whose @ rows.astype(np.float64)
        lengths = np.sqrt((vectors * vectors).sum(axis=1))
        known = lengths > 0
        vectors[known] /= lengths[known, None]
        vectors[[not (form.isascii() and form.isalpha()) for form in distinct]] = 0
        return cls({form: number for number, form in enumerate(distinct)}, vectors, np.where(known, lengths, 1.0))


@lru_cache(maxsize=16)
def _telling(pyramid: Pyramid) -> tuple[_Vocabulary, csr_array, list[int]]:
    """The words of all contributors; for each contributor a row of their weights; where the rows of each SCU begin.

    A row sums to one, or to nothing if the contributor has no word. An SCU's contributors stand in alphabetical order,
    so that theirs in the pyramid does not decide which of two equally good ones is taken.
    """
    said = [sorted(expressions(pyramid, scu)) for scu in pyramid.scus]
    texts = [Counter(_words(text)[1]) for scu in said for text in scu]
    vocabulary = _Vocabulary.of(form for forms in texts for form in forms)
    lengths = dict(zip(vocabulary.numbers, vocabulary.lengths.tolist(), strict=True))
    stems = {form: stem(form) if form.isascii() else form for form in vocabulary.numbers}
    spread = Counter(one for forms in texts for one in {stems[form] for form in forms})
    columns: list[int] = []
    weights: list[float] = []
    rows = [0]
    for forms in texts:
        own = {form: times * lengths[form] / spread[stems[form]] for form, times in sorted(forms.items())}
        total = sum(own.values())
        columns += (vocabulary.numbers[form] for form in own)
        weights += (weight / total for weight in own.values())
        rows.append(len(columns))
    table = csr_array((weights, np.array(columns, np.intp), rows), (len(texts), len(vocabulary.numbers)))
    return vocabulary, table, [0, *accumulate(map(len, said))]


def _passages(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
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


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a summary has for each SCU of a pyramid."""

    strengths: Numbers
    """e of each SCU's best contributor."""
    sentences: Places
    """Where that contributor's best sentence is."""
    segments: Places
    """And in it, the best segment."""


def evidence(
    pyramid: Pyramid,
    text: str,
    sentences: Sequence[Segmentation],
    *,
    share: float = SENTENCE,
    most: int = PASSAGE,
) -> Evidence:
    """The evidence of a text, whose sentences are given in one segmentation each, for every SCU of a pyramid.

    ``share`` is the sentence's in the sum, ``most`` the words of a passage.
    """
    size = len(pyramid.scus)
    if not size or not sentences:
        return Evidence(np.zeros(size), np.zeros(size, np.intp), np.zeros(size, np.intp))
    vocabulary, weights, ends = _telling(pyramid)
    starts, forms = _words(text)
    inside = [_inside(starts, segment) for segments in sentences for segment in segments]
    firsts = [0, *accumulate(map(len, sentences))]
    sizes = [len(np.unique(np.concatenate(inside[first:last]))) for first, last in pairwise(firsts)]
    by_segment = _best(vocabulary, forms, inside)
    by_sentence = np.maximum.reduceat(by_segment, firsts[:-1])
    by_passage = np.array([by_sentence[first:last].max(axis=0) for first, last in _passages(sizes, most)])
    alone = np.round(weights @ by_sentence.T, DECIMALS)
    together = (weights @ by_passage.T).max(axis=1)
    strengths = np.round(share * alone.max(axis=1) + (1 - share) * together, DECIMALS)
    rows = np.array([first + strengths[first:last].argmax() for first, last in pairwise(ends)], np.intp)
    places = alone[rows].argmax(axis=1)
    recalls = np.round(weights[rows] @ by_segment.T, DECIMALS)
    segments = [own[firsts[at] : firsts[at + 1]].argmax() for own, at in zip(recalls, places, strict=True)]
    return Evidence(strengths[rows], places, np.array(segments, np.intp))


def _inside(starts: Places, segment: Segment) -> Places:
    """Which words begin in a segment."""
    bounds = np.searchsorted(starts, [(span.start, span.end) for span in segment.spans])
    return np.unique(np.concatenate([np.arange(first, last) for first, last in bounds]))


def _best(vocabulary: _Vocabulary, forms: Sequence[str], segments: Sequence[Places]) -> Numbers:
    """For each segment of a text, given the text's words, and each word i of a vocabulary: max s(i, j)^3."""
    peer = _Vocabulary.of(forms)
    numbers = np.array([peer.numbers[form] for form in forms], np.intp)
    same = np.array([vocabulary.numbers.get(form, -1) for form in peer.numbers], np.intp)
    result = np.zeros((len(segments), len(vocabulary.numbers)))
    step = CELLS // (len(peer.numbers) + 1) + 1
    for first in range(0, len(vocabulary.numbers), step):
        cosines = np.clip(peer.directions @ vocabulary.directions[first : first + step].T, 0.0, 1.0)
        found = cosines * cosines * cosines
        theirs = np.flatnonzero((first <= same) & (same < first + step))
        found[theirs, same[theirs] - first] = 1.0
        for row, words in zip(result, segments, strict=True):
            row[first : first + step] = found[numbers[words]].max(axis=0, initial=0.0)
    return result


def soft(pyramid: Pyramid, summary: Summary, *, threshold: float = 0.4, analyser: str = "en-minilm") -> Annotation:
    """The SCUs that the summary expresses with at least that probability, and the probability of each."""
    if not 0 < threshold <= 1:
        raise PyramidionError(f"the threshold of a match is {threshold}", do="give a probability above 0, up to 1")
    alternatives = segmented(summary.text, analyser).sentences
    sentences = [segmentations[:2][-1] for segmentations in alternatives]
    units = {
        (sentence, segment): Contributor(
            summary.id, one.spans, comment=segment_id(0, sentence, len(alternatives[sentence][:2]) - 1, segment)
        )
        for sentence, segments in enumerate(sentences)
        for segment, one in enumerate(segments)
    }
    found = evidence(pyramid, summary.text, sentences)
    strengths = found.strengths.tolist()
    places = zip(found.sentences.tolist(), found.segments.tolist(), strict=True)
    matches = [
        Match(scu.id, units[place].spans, strength, units[place].comment)
        for scu, strength, place in zip(pyramid.scus, strengths, places, strict=True)
        if strength >= threshold
    ]
    used = {match.comment for match in matches}
    return Annotation(
        summary,
        tuple(sorted(matches, key=lambda match: match.spans)),
        tuple(sorted((unit for unit in units.values() if unit.comment not in used), key=lambda unit: unit.spans)),
        probabilities=tuple(zip((scu.id for scu in pyramid.scus), strengths, strict=True)),
    )
