r"""Word sequences by strings or by meaning (Passonneau et al. 2013, 2018).

Passonneau, Chen, Guo and Perin, "Automated Pyramid Scoring of Summaries using Distributional Semantics" (ACL 2013),
put three similarities into the matcher of Harnly et al. (:mod:`~pyramidion.matchers.harnly`):

- ``unigram``: unigram overlap, for comparison;
- ``ratcliff``: Ratcliff/Obershelp, as Python's difflib has it: twice the characters in matching blocks by all
  characters, where the first block is the longest common substring and the others are found left and right of it;
- ``cosine``: of latent vectors (Guo and Diab 2012, the embedder ``wtmf``), which did much better (Gao et al. 2019 §2).

Each is linked over the contributors by maximum, minimum or mean (here ``single``, ``complete``, ``average``). Their
published script (``dynamic_programming.py`` of ``automate-pyramid-method`` on GitHub) chooses the sequences of a
sentence for a great sum of the SCUs' weights, each SCU once. By default the sum is the greatest here, proved;
``allocation="dp"`` is the script's recursion (:mod:`~pyramidion.matchers.sequences`). Passonneau et al., "Wise Crowd
Content Assessment and Educational Rubrics" (IJAIED 2018), choose by a weighted set cover instead (as Gao et al. 2019 §2
tell it): ``allocation="wmin"`` is the greedy independent set (:func:`~pyramidion.matchers.independent_set.greedy`) of
Gao et al. 2019 §4.6 over word sequences. Over clauses it is the matcher ``wmin``.

*Ours.* Of sets of one weight the one of greatest similarity is chosen. WMIN is given, for each sentence and SCU, the
most similar sequence that stands for it: with all of them it would choose the shortest, which have the fewest
neighbours. Strings are lower-case words with one space between. Their thresholds were the 5 to 25 % quantiles of the
similarities of what people had matched. Ours are even odds on REALSumm's 26,400 judgements, of presence on the
similarity of an SCU's best sequence, with the range of five folds and what the similarity alone is worth
(``python train/sequences.py``):

==================  =========  =========  ========  ====
similarity          even odds  folds      accuracy  AUC
==================  =========  =========  ========  ====
``unigram``         .557       .552-.561  .713      .780
``ratcliff``        .644       .642-.647  .699      .771
``cosine:wtmf``     .713       .705-.722  .690      .746
``cosine:static``   .726       .722-.731  .682      .751
==================  =========  =========  ========  ====

They were found for SCUs of one wording, that is, for single linkage; means and minima are lower.

*Speed.* Ratcliff/Obershelp is dear. Its blocks are a common subsequence, so that the longest one bounds it:

.. math:: ratio(a, b) \le 2\, LCS(a, b) / (|a| + |b|),

and the LCS of all sequences that start with one word, and all wordings, comes from one pass over the characters, 64 at
a time in the bits of a word (Hyyrö 2004). The ratio itself is computed where the bound leaves a chance to pass the
threshold and to be the sequence's best.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.language.parse.segmented import remembering
from pyramidion.matchers.independent_set import greedy
from pyramidion.matchers.sequences import (
    CHOICES,
    LONGEST,
    SCALE,
    Candidate,
    Linkage,
    Numbers,
    Places,
    Tables,
    Targets,
    Words,
    annotation,
    candidates,
    check,
    link_similarities,
    targets_of,
    unigram_overlaps,
    words_of,
)
from pyramidion.model import Annotation, Pyramid, Summary

Bits = NDArray[np.uint64]

Similarity = Literal["cosine", "ratcliff", "unigram"]
Allocation = Literal["exact", "dp", "wmin"]

THRESHOLDS = {"unigram": 0.56, "ratcliff": 0.64, "cosine:wtmf": 0.71, "cosine:static": 0.73}
"""The even odds, to two decimals."""


@check_choices
def passonneau(
    pyramid: Pyramid,
    summary: Summary,
    *,
    similarity: Similarity = "cosine",
    allocation: Allocation = "exact",
    linkage: Linkage = "single",
    threshold: float = 0.0,
    longest: int = LONGEST,
    embedder: str = "wtmf",
    analyser: str = "en-minilm",
) -> Annotation:
    """Match the summary, each SCU once; a match's score is its similarity, its reason the most similar wording.

    ``similarity`` is ``cosine``, ``ratcliff`` or ``unigram``, ``allocation`` ``exact``, ``dp`` or ``wmin``, ``linkage``
    ``single``, ``complete`` or ``average``. ``threshold`` 0 stands for the calibrated one; ``longest`` bounds the words
    of a sequence; ``analyser`` cuts what is left into clauses.
    """
    threshold = threshold_of(similarity, embedder, threshold)
    check(threshold, longest)
    words, targets = words_of(summary.text), targets_of(pyramid)
    if not words.forms or not targets.scus:
        offered = []
    elif similarity == "ratcliff":
        offered = list(_by_strings(words, targets, linkage, threshold, longest))
    else:
        by_words = similarity == "unigram"
        tables = unigram_overlaps(words, targets, longest) if by_words else cosines(words, targets, longest, embedder)
        offered = candidates(tables, targets, linkage, threshold)
    if allocation == "wmin":
        chosen = _by_wmin(words, targets, offered)
    else:
        weights = [targets.scus[candidate.scu].weight for candidate in offered]
        chosen = CHOICES[allocation](len(words.forms), offered, weights)
    return annotation(summary, words, targets, chosen, analyser)


def threshold_of(similarity: Similarity, embedder: str, threshold: float = 0.0) -> float:
    """Return the threshold that was given, or the calibrated one if that is 0.

    >>> threshold_of("ratcliff", "", 0.7)
    0.7
    """
    name = f"{similarity}:{embedder}" if similarity == "cosine" else similarity
    if threshold:
        return threshold
    if name not in THRESHOLDS:
        raise PyramidionError(
            f"No threshold has been calibrated for cosines of the embedder {embedder!r}",
            do=f"give a threshold: threshold=0.6, or the value that train/sequences.py finds for the similarity {name}",
        )
    return THRESHOLDS[name]


def _by_wmin(words: Words, targets: Targets, offered: list[Candidate]) -> list[Candidate]:
    """Choose by WMIN among the most similar sequences of each sentence and SCU."""
    best: dict[tuple[int, int], Candidate] = {}
    for candidate in sorted(offered, key=lambda candidate: (-candidate.similarity, candidate)):
        best.setdefault((int(words.ends[candidate.first]), candidate.scu), candidate)
    nodes = list(best.values())
    covering: dict[int, list[int]] = {}
    standing: dict[int, list[int]] = {}
    for number, candidate in enumerate(nodes):
        standing.setdefault(candidate.scu, []).append(number)
        for place in range(candidate.first, candidate.last):
            covering.setdefault(place, []).append(number)
    chosen = greedy(
        [targets.scus[candidate.scu].weight for candidate in nodes], [*covering.values(), *standing.values()]
    )
    return sorted(nodes[number] for number in chosen)


def cosines(words: Words, targets: Targets, longest: int, embedder: str) -> Tables:
    """Yield the cosine of every sequence and every wording; vectors are not cached, since nothing else needs them."""
    model = remembering(embedder)
    wordings = model(targets.wordings).astype(np.float64).T
    reach = words.reach(longest)
    for length in range(1, int(reach.max(initial=0)) + 1):
        firsts = np.flatnonzero(reach >= length)
        spans = (words.span(first, first + length) for first in firsts.tolist())
        texts = [" ".join(span.of(words.text).split()) for span in spans]
        yield firsts, firsts + length, model.embedder(texts).astype(np.float64) @ wordings


def ratio(a: str, b: str) -> float:
    """Return Ratcliff/Obershelp: ``difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()``, three times as fast.

    A longer common substring than the one known so far is looked for by the interpreter's own search for strings.

    >>> ratio("the cat sat", "the cat sits")
    0.8695652173913043
    """
    matched, todo = 0, [(a, b)]
    while todo:
        left, right = todo.pop()
        length, first, size = 0, 0, len(left)
        for start in range(size):
            if start + length >= size:
                break
            while start + length < size and left[start : start + length + 1] in right:
                length, first = length + 1, start
        if length:
            second = right.index(left[first : first + length])
            matched += length
            if first and second:
                todo.append((left[:first], right[:second]))
            if first + length < size and second + length < len(right):
                todo.append((left[first + length :], right[second + length :]))
    return 2 * matched / (len(a) + len(b)) if a or b else 1.0


def ratcliff_bounds(words: Words, targets: Targets, longest: int, threshold: float = 0.0) -> Tables:
    """Yield an upper bound of the ratio of every sequence and every wording, a table for each sentence.

    Sequences so long that none can reach the threshold are left out.
    """
    wordings = tuple(" ".join(forms) for forms in targets.forms)
    sizes = np.array([len(wording) for wording in wordings], np.float64)
    masks, characters = _masks(wordings)
    # A ratio is at most 2 |b| / (|a| + |b|), so that beyond this many characters no sequence reaches the threshold.
    most = int(sizes.max() * (2 - threshold) / threshold) if threshold else 2 * len(words.text)
    reach = words.reach(longest)
    for first, last in words.sentences():
        forms = words.forms[first:last]
        starts = np.cumsum([0, *(len(form) + 1 for form in forms)])
        numbers = np.array([characters.get(letter, len(characters)) for letter in " ".join(forms)], np.intp)
        closed = np.full(len(numbers), -1)
        closed[starts[1:] - 2] = np.arange(len(forms)) + 1
        ends = np.minimum(starts[np.arange(len(forms)) + reach[first:last]] - 1, starts[:-1] + most)
        bounds = [(np.empty(0, np.intp), np.empty(0, np.intp), np.empty((0, len(sizes))))]
        state = np.full((len(forms), *masks.shape[1:]), np.iinfo(np.uint64).max, np.uint64)
        for step in range(int((ends - starts[:-1]).max())):  # all starts of the sentence grow by one character
            rows = np.flatnonzero(starts[:-1] + step < ends)
            places = starts[rows] + step
            _grow(state, rows, masks[numbers[places]])
            whole = closed[places] > 0
            if whole.any():
                table = 2 * _zeros(state[rows[whole]]) / (step + 1 + sizes)
                bounds.append((first + rows[whole], first + closed[places[whole]], table))
        firsts, lasts, tables = zip(*bounds, strict=True)
        yield np.concatenate(firsts), np.concatenate(lasts), np.concatenate(tables)


@lru_cache(maxsize=64)
def _masks(wordings: tuple[str, ...]) -> tuple[Bits, dict[str, int]]:
    """Return for each character, and in a last row for all others, the places that have it in each wording, as bits."""
    characters = {
        letter: number for number, letter in enumerate(sorted({letter for text in wordings for letter in text}))
    }
    blocks = max((len(text) + 63) // 64 for text in wordings) or 1
    masks = np.zeros((len(characters) + 1, blocks, len(wordings)), np.uint64)
    for column, text in enumerate(wordings):
        for place, letter in enumerate(text):
            masks[characters[letter], place // 64, column] |= np.uint64(1 << place % 64)
    return masks, characters


def _grow(state: Bits, rows: Places, masks: Bits) -> None:
    """Take Hyyrö's step V = (V + (V & M)) | (V & ~M) for one more character of each row; sums carry between blocks."""
    carry = np.zeros((len(rows), state.shape[2]), np.bool_)
    for block in range(state.shape[1]):
        old = state[rows, block]
        met = old & masks[:, block]
        total = old + met
        over = total < old  # an unsigned sum that wrapped around: carry a bit to the next block
        total += carry
        carry = over | (carry & (total == 0))
        state[rows, block] = total | (old ^ met)


def _zeros(state: Bits) -> Numbers:
    """Return how many bits are 0, over all blocks: the length of the longest common subsequence."""
    # The bits of a 64-bit word are added in parallel: in pairs, fours and bytes, then the bytes by one product.
    left = ~state
    left = left - ((left >> np.uint64(1)) & np.uint64(0x5555555555555555))
    left = (left & np.uint64(0x3333333333333333)) + ((left >> np.uint64(2)) & np.uint64(0x3333333333333333))
    left = (left + (left >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    ones: Numbers = ((left * np.uint64(0x0101010101010101)) >> np.uint64(56)).sum(axis=1).astype(np.float64)
    return ones


def _linked_candidate(first: int, last: int, scu: int, start: int, ratios: list[float], linkage: Linkage) -> Candidate:
    """Return the candidate of a sequence and an SCU whose wordings, from number ``start`` on, have these ratios."""
    decides = (min if linkage == "complete" else max)(ratios)
    value = sum(ratios) / len(ratios) if linkage == "average" else decides
    return Candidate(first, last, scu, round(value * SCALE), start + ratios.index(decides))


def _order(candidate: Candidate) -> tuple[int, int]:
    """Return a sort key: the most similar candidate comes first, of equals the SCU of the lower number."""
    return -candidate.similarity, candidate.scu


def _by_strings(
    words: Words, targets: Targets, linkage: Linkage, threshold: float, longest: int
) -> Iterator[Candidate]:
    """Yield the sequences that are similar enough to an SCU by Ratcliff/Obershelp, each with its most similar SCU."""
    wordings = [" ".join(forms) for forms in targets.forms]
    ends = [*targets.starts[1:].tolist(), len(wordings)]
    least = round(threshold * SCALE)
    for firsts, lasts, table in ratcliff_bounds(words, targets, longest, threshold):
        bounds = link_similarities(table, targets.starts, linkage)
        for row in np.flatnonzero((bounds >= least).any(axis=1)).tolist():
            first, last = int(firsts[row]), int(lasts[row])
            text = " ".join(words.forms[first:last])
            best: Candidate | None = None
            # By falling bounds, so that the dear ratio is computed only until no SCU can be better than the best.
            for scu in np.argsort(-bounds[row], kind="stable").tolist():
                if bounds[row, scu] < (best.similarity if best else least):
                    break
                start = int(targets.starts[scu])
                candidate = _linked_candidate(
                    first, last, scu, start, [ratio(text, to) for to in wordings[start : ends[scu]]], linkage
                )
                if candidate.similarity >= least and (best is None or _order(candidate) < _order(best)):
                    best = candidate
            if best:
                yield best
