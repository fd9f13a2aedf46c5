r"""Is this SCU in this summary? By a small network that has read both, and by their words.

:mod:`~pyramidion.match.soft` counts telling words, and so misses whoever says the same in other words. The reader
(:mod:`pyramidion.language.judges.reader`) was trained on entailment and on the votes of people who looked for SCUs in
summaries (REALSumm, Bhandari et al. 2020). Each sees what the other misses, and the probability is that of both,

.. math:: P = \sigma(.385\,z + 2.39\,e - 1.24),

z the largest logit of the reader over the SCU's wordings and the summary's windows (runs of sentences of at most 200
words), e the evidence of ``soft``. The three numbers are a logistic regression on held-out logits of all 26,400
judgements. An SCU of which a wording stands in the summary word for word is there: P = 1. A summary without words
expresses nothing: P = 0.

On REALSumm's published folds, each judged by a network that has not seen its documents, this has a summary-level r of
.585 (``soft`` .562, ROUGE-1 .529), an AUC of .859 (.839) and a Brier score of .150 (.162); ``MODEL.md`` has the table
and the commands. On the 14 students of the development set, whose pyramid is built from clauses, ``soft`` is better
(raw .821 against .758): the default stays with ``soft``, and ``reader`` is for pyramids whose units are statements,
such as those made by people. It goes by English.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pyramidion.language.judges.reader import reader as network
from pyramidion.language.parse.segmented import segmented
from pyramidion.match.expressions import expressions
from pyramidion.match.judged import Verdict, judged
from pyramidion.match.soft import verdicts as by_words
from pyramidion.model import Annotation, Pyramid, Summary
from pyramidion.parts import declare

__all__ = ["TRAINED_ON", "reader", "verdicts"]

TRAINED_ON = ("realsumm",)
"""Data whose figures flatter this judge."""
WINDOW = 200
"""Words of a window, at most; a longer sentence is one by itself."""
LOGIT, EVIDENCE, CONSTANT = 0.385, 2.39, -1.24
DECIMALS = 4
"""To which probabilities are rounded: the last bits of a product depend on the machine."""


def windows(text: str, analyser: str = "en-minilm") -> list[str]:
    """Runs of sentences of at most so many words; each begins with the last sentence of the one before."""
    sentences = segmented(text, analyser).sentences
    spans = [(one[0][0].spans[0].start, one[0][-1].spans[-1].end) for one in sentences]
    sizes = [sum(len(segment.words) for segment in one[0]) for one in sentences]
    found, first, last = [], 0, 0
    while last < len(spans):
        last = max(last, first) + 1
        while last < len(spans) and sum(sizes[first : last + 1]) <= WINDOW:
            last += 1
        found.append(text[spans[first][0] : spans[last - 1][1]])
        first = last - 1 if last - first > 1 else last
    return found


@lru_cache(maxsize=16)
def _wordings(pyramid: Pyramid) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The wordings of all SCUs, each SCU's in alphabetical order, and where those of each begin."""
    said = [sorted(set(expressions(pyramid, scu))) for scu in pyramid.scus]
    return tuple(one for some in said for one in some), tuple(np.cumsum([0, *map(len, said)]).tolist())


def _logits(pyramid: Pyramid, text: str, analyser: str) -> NDArray[np.float64]:
    """The z of every SCU."""
    said, ends = _wordings(pyramid)
    read = np.max([network().logits(window, said) for window in windows(text, analyser)], axis=0)
    return np.array([read[first:last].max() for first, last in pairwise(ends)])


def verdicts(pyramid: Pyramid, summary: Summary, analyser: str = "en-minilm") -> list[Verdict]:
    """The probability of every SCU, with the words that ``soft`` would show."""
    evidence = by_words(pyramid, summary, analyser)
    if not pyramid.scus or not windows(summary.text, analyser):
        return evidence
    logits = _logits(pyramid, summary.text, analyser)
    strengths = np.array([one.probability for one in evidence])
    chances = 1 / (1 + np.exp(-(LOGIT * logits + EVIDENCE * strengths + CONSTANT)))
    chances[_verbatim(pyramid, summary.text)] = 1.0
    return [
        Verdict(chance, one.spans, one.segment)
        for chance, one in zip(np.round(chances, DECIMALS).tolist(), evidence, strict=True)
    ]


def _verbatim(pyramid: Pyramid, text: str) -> Sequence[int]:
    """The SCUs of which a wording stands in the text, but for case, spaces and the signs around it."""
    whole = f" {_bare(text)} "
    return [
        number
        for number, scu in enumerate(pyramid.scus)
        if any(bare and f" {bare} " in whole for bare in map(_bare, expressions(pyramid, scu)))
    ]


def _bare(text: str) -> str:
    """The words of a text, in small letters, with one space between them."""
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


@declare(models=("reader", "static"), english=True)
def reader(pyramid: Pyramid, summary: Summary, *, threshold: float = 0.5, analyser: str = "en-minilm") -> Annotation:
    """The SCUs that the summary expresses with at least that probability, and the probability of each."""
    return judged(pyramid, summary, verdicts(pyramid, summary, analyser), threshold, analyser)
