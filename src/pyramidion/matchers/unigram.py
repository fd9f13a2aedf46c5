r"""Is this SCU in this summary? By its words alone: the floor that every judge must beat.

With c_w(t) how often a text t has the word w, an SCU's wording u has in a summary s the unigram recall

.. math:: r = \sum_w \min(c_w(u), c_w(s)) \Big/ \sum_w c_w(u),

ROUGE-1 recall of the SCU (Lin 2004) over the whole summary; the SCU has that of its best wording. Words are compared by
their stems. A wording without a word is in no summary.

The recall serves as the probability, so that a summary's coverage is the mean recall of its SCUs, but it is too high
for one: unrelated summaries have a third of an SCU's words. Against REALSumm's judgements (Bhandari et al. 2020) its
calibration error is .16, and accuracy is highest, .75, where two words of three are asked for: the threshold.

The words behind a match may lie anywhere; it is shown in the sentence that has most of them.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from pyramidion.language.text.word_forms import split_words
from pyramidion.matchers.expressions import expressions
from pyramidion.matchers.judged import Verdict, annotate_by_verdicts, units
from pyramidion.model import Annotation, Pyramid, Summary
from pyramidion.parts import declare

THRESHOLD = 0.67
Bag = Counter[str]


def recall(wording: Bag, text: Bag) -> float:
    """Return the share of a wording's words that a text has; a repeated word counts as often as the text has it.

    >>> recall(Counter("the cat saw the dog".split()), Counter("the dog saw a bird".split()))
    0.6
    """
    total = wording.total()
    return (wording & text).total() / total if total else 0.0


def _bag(text: str, stem: bool) -> Bag:
    return Counter(split_words(text, "unicode", stem))


@lru_cache(maxsize=256)
def _wordings(pyramid: Pyramid, stem: bool) -> tuple[tuple[Bag, ...], ...]:
    return tuple(tuple(_bag(wording, stem) for wording in sorted(expressions(pyramid, scu))) for scu in pyramid.scus)


def verdicts(pyramid: Pyramid, summary: Summary, analyser: str = "unicode", *, stem: bool = True) -> list[Verdict]:
    """Return the recall of every SCU's best wording, and the sentence with most of its words."""
    whole = _bag(summary.text, stem)
    sentences = [
        (_bag(summary.quote(unit.spans), stem), unit) for sentence in units(summary, analyser) for unit in sentence
    ]
    rulings = []
    for wordings in _wordings(pyramid, stem):
        best = max(wordings, key=lambda wording: recall(wording, whole))
        strength = recall(best, whole)
        if strength and sentences:
            _, unit = max(sentences, key=lambda sentence: recall(best, sentence[0]))
            rulings.append(Verdict(strength, unit.spans, unit.segment))
        else:
            rulings.append(Verdict(0.0))
    return rulings


@declare(judge=True)
def unigram(
    pyramid: Pyramid,
    summary: Summary,
    *,
    threshold: float = THRESHOLD,
    stem: bool = True,
    analyser: str = "unicode",
) -> Annotation:
    """Return the SCUs with at least this share of their words in the summary; ``stem=False`` compares words as is."""
    return annotate_by_verdicts(pyramid, summary, verdicts(pyramid, summary, analyser, stem=stem), threshold, analyser)
