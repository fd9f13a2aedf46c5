"""Word sequences by unigram overlap (Harnly, Nenkova, Passonneau and Rambow 2005).

"Automation of Summary Evaluation by the Pyramid Method" (RANLP 2005): every contiguous word sequence of a peer sentence
is compared with the SCUs of a pyramid by unigram overlap, linked over their contributors; single linkage was the best
of three. Dynamic programming is to find the sequences without overlaps of the greatest sum of similarities (as Hirao et
al. 2018 §2 tell it); where an SCU counts once, it does not always. Here the sum is the greatest, proved;
``allocation="dp"`` is the dynamic programming. Both are in :mod:`~pyramidion.matchers.sequences`.

*Ours.* We could read the paper's abstract and what others tell of it, not its text: how it normalises the overlap,
whether it stems, and its threshold are not known to us. Here overlap is Dice's coefficient of bags of stems, which is 1
for the same words and falls with every word too many or too few. The threshold is calibrated on REALSumm's 26,400
judgements (``python train/sequences.py``): at an overlap of .557 with its best sequence an SCU is as likely present as
not (.552 to .561 in five folds; accuracy .713, AUC .780). It holds for single linkage; means and minima are lower.
"""

from __future__ import annotations

from pyramidion.base.choices import check_choices
from pyramidion.matchers.sequences import (
    CHOICES,
    LONGEST,
    Choice,
    Linkage,
    annotation,
    candidates,
    check,
    targets_of,
    unigram_overlaps,
    words_of,
)
from pyramidion.model import Annotation, Pyramid, Summary

THRESHOLD = 0.56
"""The overlap of even odds, to two decimals."""


@check_choices
def harnly(
    pyramid: Pyramid,
    summary: Summary,
    *,
    linkage: Linkage = "single",
    threshold: float = THRESHOLD,
    allocation: Choice = "exact",
    longest: int = LONGEST,
    analyser: str = "en-minilm",
) -> Annotation:
    """Match the summary, each SCU once; a match's score is its overlap, its reason the wording it is like.

    ``linkage`` is ``single``, ``complete`` or ``average``, ``allocation`` ``exact`` or ``dp``; ``longest`` bounds the
    words of a sequence; ``analyser`` cuts what is left into clauses.
    """
    check(threshold, longest)
    words, targets = words_of(summary.text), targets_of(pyramid)
    offered = candidates(unigram_overlaps(words, targets, longest), targets, linkage, threshold)
    chosen = CHOICES[allocation](len(words.forms), offered)
    return annotation(summary, words, targets, chosen, analyser)
