r"""Is this SCU in this summary? By the words that tell it from other SCUs, each with its best counterpart.

*Why not a cosine of sentences.* Against 26,400 human judgements (REALSumm) the cosine of an SCU and a summary's best
segment has an AUC of .72, the words alone .84: a vector of a sentence is mostly its topic, which all summaries share.

*Telling words.* Word i of a contributor weighs

.. math:: k_i = |v_i| / n_i,

v_i its static vector, whose length the regression behind the table made small for words that say little (*of* .13,
*suggests* .63, *bitcoin* .97; 1 for a word that the table does not know), and n_i the number of the pyramid's
contributors that have a word of the same stem: what the whole pyramid talks about tells no SCU from another.

*Soft recall.* In a text with the words t_j the contributor's recall is

.. math:: r = \sum_i k_i \max_j s(i, j)^3 \Big/ \sum_i k_i,

s = 1 for the same word, the cosine of their static vectors (at least 0) for two words of the letters a to z, and 0 for
figures and for other scripts, where only the same will do.

*Evidence.* Words scattered over a long text say little together, but an idea may run over a full stop:
e = .8 r(best sentence) + .2 r(whole summary). Both are maxima over sentences or words: the order of sentences does
not matter, and text added anywhere lowers no evidence. On REALSumm the AUC is .839 and r at summary level .562; the
best run of sentences of at most 80 words in place of the whole gave .840 and .565, and depended on the order.

*Probability.* P = max e over the SCU's contributors: one wording suffices, and evidence needs no curve to be a
probability. Of REALSumm's judgements (Bhandari et al. 2020) with e from .5 to .55, people found 47 % present, from 0 to
.05 6 %, above .95 90 %; a fitted logistic curve is hardly better (Brier score .1619 against .1609), and would give an
empty summary 7 %. ``train/soft.py`` prints these figures.

The annotation has every SCU's probability, and a match, in the words of the best segment, where it is at least the
threshold: .4, not .5, because the wordings of a built pyramid are whole clauses, and a peer need not contain all their
words, while P is right for the short statements of REALSumm. With .4 a student of the 14 has 7.2 SCUs, with .5 5.1;
people found 7.7.

Nothing here but the sentences depends on a parser; a text in another language gets an answer by equal words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
from scipy.sparse import csr_array

from pyramidion.errors import PyramidionError
from pyramidion.language.parse.clauses import Segmentation
from pyramidion.language.parse.segmented import segmented
from pyramidion.language.text.porter import stem
from pyramidion.matchers.expressions import expressions
from pyramidion.matchers.judged import Verdict, annotate_by_verdicts, units
from pyramidion.matchers.vocabulary import CELLS, Numbers, Places, Vocabulary, highest, inside, largest, words
from pyramidion.model import Annotation, Pyramid, Summary
from pyramidion.parts import declare

SENTENCE = 0.8
"""The share of the best sentence in the evidence; the rest is the whole summary's."""
DECIMALS = 6
"""The decimals to which evidence is rounded, so that results do not depend on the machine's last bits."""


@lru_cache(maxsize=16)
def _telling_words(pyramid: Pyramid) -> tuple[Vocabulary, Numbers | csr_array, list[int]]:
    """Return the words of all contributors, a row of their weights for each contributor, and where SCUs' rows begin.

    A row sums to one, or to nothing if the contributor has no word. An SCU's contributors are in alphabetical order, so
    that their order in the pyramid does not decide which of two equally good ones is taken.
    """
    wordings = [sorted(expressions(pyramid, scu)) for scu in pyramid.scus]
    texts = [Counter(words(text)[1]) for of_scu in wordings for text in of_scu]
    vocabulary = Vocabulary.of(form for forms in texts for form in forms).by_columns()
    lengths = dict(zip(vocabulary.numbers, vocabulary.lengths.tolist(), strict=True))
    stems = {form: stem(form) if form.isascii() else form for form in vocabulary.numbers}
    spread = Counter(root for forms in texts for root in {stems[form] for form in forms})
    columns: list[int] = []
    weights: list[float] = []
    rows = [0]
    for forms in texts:
        telling = {form: times * lengths[form] / spread[stems[form]] for form, times in sorted(forms.items())}
        total = sum(telling.values())
        columns += (vocabulary.numbers[form] for form in telling)
        weights += (weight / total for weight in telling.values())
        rows.append(len(columns))
    table = csr_array((weights, np.array(columns, np.intp), rows), (len(texts), len(vocabulary.numbers)))
    return vocabulary, compact(table), [0, *accumulate(map(len, wordings))]


def compact(table: csr_array) -> Numbers | csr_array:
    """Return the table as a dense one, which is faster, if its zeros need little memory."""
    return table.toarray() if table.shape[0] * table.shape[1] <= CELLS else table


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence in a summary for each SCU of a pyramid."""

    strengths: Numbers
    """e of each SCU's best contributor."""
    sentences: Places
    """The best sentence for that contributor."""
    segments: Places
    """The best segment in that sentence."""


def evidence(pyramid: Pyramid, text: str, sentences: Sequence[Segmentation], *, share: float = SENTENCE) -> Evidence:
    """Return a text's evidence for every SCU of a pyramid; each sentence is given in one segmentation.

    ``share`` is the best sentence's share of the sum.
    """
    size = len(pyramid.scus)
    if not size or not sentences:
        return Evidence(np.zeros(size), np.zeros(size, np.intp), np.zeros(size, np.intp))
    vocabulary, weights, ends = _telling_words(pyramid)
    starts, forms = words(text)
    standing = inside(starts, [segment for segments in sentences for segment in segments])
    firsts = [0, *accumulate(map(len, sentences))]
    by_segment = _best(vocabulary, forms, standing)
    by_sentence = np.maximum.reduceat(by_segment, firsts[:-1])
    whole = by_sentence.max(axis=0, keepdims=True)
    recalls = weights @ np.concatenate([by_sentence, by_segment, whole]).T  # one product is faster than three
    rounded = recalls.round(DECIMALS)
    alone = rounded[:, : len(sentences)]
    strengths = (share * alone.max(axis=1) + (1 - share) * recalls[:, -1]).round(DECIMALS)
    by_contributor = strengths.tolist()
    rows = [highest(by_contributor, *bounds) for bounds in pairwise(ends)]
    places = alone[rows].argmax(axis=1)
    within = rounded[rows, len(sentences) :].tolist()
    segments = [
        highest(recall, firsts[at], firsts[at + 1]) - firsts[at]
        for recall, at in zip(within, places.tolist(), strict=True)
    ]
    return Evidence(strengths[rows], places, np.array(segments, np.intp))


def _best(vocabulary: Vocabulary, forms: Sequence[str], segments: Sequence[Sequence[int]]) -> Numbers:
    """Return max s(i, j)^3 for each segment of a text whose words are ``forms``, and each word i of a vocabulary."""
    peer = Vocabulary.of(forms)
    theirs, ours = peer.numbers, vocabulary.numbers
    standing = [[theirs[forms[place]] for place in segment] for segment in segments]
    result = np.zeros((len(segments), len(ours)))
    # Some columns at a time, so that memory is bounded.
    step = CELLS // (len(forms) + 1) + 1
    for first in range(0, len(ours), step):
        cosines = (peer.directions @ vocabulary.directions[first : first + step].T).clip(0.0, 1.0)
        strengths = cosines * cosines * cosines
        common = [form for form in theirs.keys() & ours.keys() if first <= ours[form] < first + step]
        strengths[[theirs[form] for form in common], [ours[form] - first for form in common]] = 1.0
        result[:, first : first + step] = largest(strengths, standing)
    return result


def verdicts(
    pyramid: Pyramid, summary: Summary, analyser: str = "en-minilm", sentence: float = SENTENCE
) -> list[Verdict]:
    """Return the evidence for every SCU, with the best segment of its best sentence."""
    offered = units(summary, analyser)
    sentences = [segmentations[:2][-1] for segmentations in segmented(summary.text, analyser).sentences]
    support = evidence(pyramid, summary.text, sentences, share=sentence)
    if not offered:
        return [Verdict(0.0) for _ in pyramid.scus]
    places = zip(support.strengths.tolist(), support.sentences.tolist(), support.segments.tolist(), strict=True)
    return [
        Verdict(strength, offered[sentence][segment].spans, offered[sentence][segment].segment)
        for strength, sentence, segment in places
    ]


@dataclass(frozen=True, slots=True)
class Carried:
    """A word of a wording, and what the summary's word most like it adds to the evidence: ``points``, of ``most``."""

    word: str
    counterpart: str
    """In the best sentence or, if nothing there is like it, in the whole summary; empty if nothing there is, either."""
    similarity: float
    points: float
    most: float

    def __str__(self) -> str:
        return f"{self.word} ~ {self.counterpart or '-'} {self.similarity:.2f}: {self.points:.2f} of {self.most:.2f}"


def explanation(pyramid: Pyramid, summary: Summary, scu: str, analyser: str = "en-minilm") -> tuple[Carried, ...]:
    """Return the words that carry an SCU: those of its best wording, the most telling first. Their points sum to P.

    A word adds k (.8 s^3 in the best sentence + .2 s^3 in the whole summary), k its share of the wording's weight.
    """
    names = [scu.id for scu in pyramid.scus]
    if scu not in names:
        raise PyramidionError(f"The pyramid has no SCU {scu!r}", do=f"choose one of: {', '.join(names)}")
    vocabulary, weights, ends = _telling_words(pyramid)
    starts, forms = words(summary.text)
    finest = [sentence[:2][-1] for sentence in segmented(summary.text, analyser).sentences]
    places = [sorted(set().union(*inside(starts, segments))) for segments in finest] or [[]]
    # The empty word at the end is the counterpart of words that are like none in the summary.
    by_word = _best(vocabulary, [*forms, ""], [[place] for place in range(len(forms) + 1)])
    by_sentence = largest(by_word, places)
    whole = by_sentence.max(axis=0)
    of_scu = weights[slice(*ends[names.index(scu) :][:2])]
    rows = of_scu if isinstance(of_scu, np.ndarray) else of_scu.toarray()
    alone = (rows @ by_sentence.T).round(DECIMALS)
    row = int((SENTENCE * alone.max(axis=1) + (1 - SENTENCE) * (rows @ whole)).round(DECIMALS).argmax())
    at = int(alone[row].argmax())
    near = places[at], [place for sentence in places for place in sentence]
    carried = []
    for form, word in vocabulary.numbers.items():
        if share := float(rows[row, word]):
            points = share * (SENTENCE * by_sentence[at, word] + (1 - SENTENCE) * whole[word])
            candidates = [*near[not by_sentence[at, word]], len(forms)]  # the last is no word
            best = candidates[int(by_word[candidates, word].argmax())]
            like = round(float(np.cbrt(by_word[best, word])), DECIMALS)
            carried.append(Carried(form, forms[best] if like else "", like, float(points), share))
    return tuple(sorted(carried, key=lambda carried_word: (-carried_word.most, carried_word.word)))


@declare(models=("static",), judge=True)
def soft(
    pyramid: Pyramid,
    summary: Summary,
    *,
    threshold: float = 0.4,
    sentence: float = SENTENCE,
    analyser: str = "en-minilm",
) -> Annotation:
    """Return the SCUs that the summary expresses with at least that probability, and the probability of each.

    ``sentence`` is the best sentence's share of the evidence; the rest is the whole summary's.
    """
    if not 0 <= sentence <= 1:
        raise PyramidionError(f"The share of the sentence is {sentence}", do="give a number from 0 to 1")
    return annotate_by_verdicts(pyramid, summary, verdicts(pyramid, summary, analyser, sentence), threshold, analyser)
