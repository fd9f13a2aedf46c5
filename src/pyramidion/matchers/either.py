r"""Is this SCU in this summary? Either the network reads it there, or its words stand there.

The judge that reads (:mod:`pyramidion.matchers.entails`) asks whether *all* of an SCU is said. A unit that nobody made
may hold several facts, and a summary that has two of three is not found to say it, whatever it has learnt of shares.
The judge that counts words (:mod:`pyramidion.matchers.soft`) gives two thirds for them, and nothing for other words.
With p the one's probability and q the other's, as of two witnesses who err independently,

.. math:: P = 1 - (1 - p)(1 - q),

which has no number to choose. Words can only add: they never take back what is read. Where the network finds a
contradiction, words have no vote.

*For whom.* Systems' summaries of news beside one reference, whose statements are the units (``lite+either``): there it
is nearer to people than either judge alone (``docs/lite.md``). It pays for words whatever they say where no
contradiction is seen, and P is too large for a decision. So it is no judge for pyramids that people made or read, nor
for people's own texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyramidion.language.entailment.network import each
from pyramidion.language.models.distributions import READER, installed
from pyramidion.language.text.spelling import DICTIONARY
from pyramidion.matchers import entails as reading
from pyramidion.matchers import soft as words
from pyramidion.matchers.judged import Verdict, annotate_by_verdicts
from pyramidion.model import Annotation, Pyramid, Summary, Topic
from pyramidion.parts import declare

TRAINED_ON, STORED = reading.TRAINED_ON, reading.STORED
"""What is true of the network's figures is true of these."""
THRESHOLD = 0.5


def of_two(read: Verdict, counted: Verdict, threshold: float, contradiction: float) -> Verdict:
    """Return one verdict of two, with the words of the judge that found the SCU, preferably the network's.

    >>> of_two(Verdict(0.5), Verdict(0.5), 0.5, 0.7).probability
    0.75
    """
    if read.contradicts(contradiction):
        return read
    probability = round(1 - (1 - read.probability) * (1 - counted.probability), 6)
    found = read if read.probability >= threshold else counted
    return Verdict(probability, found.spans, found.segment, denial=read.denial)


@declare(
    models=("static", *installed(READER)),
    signature=(("spelling", DICTIONARY),),
    english=True,
    judge=True,
    threads=True,
    distributions=READER,
    otherwise="choose 'soft', which goes by words: lite+soft",
)
def either(
    pyramid: Pyramid,
    summary: Summary,
    *,
    threshold: float = THRESHOLD,
    contradiction: float = reading.DENIED,
    analyser: str = "en-minilm",
) -> Annotation:
    """Return the SCUs that the summary says, by reading or by words, and the probability that it says each."""
    return _annotate(pyramid, summary, each, threshold=threshold, contradiction=contradiction, analyser=analyser)


def _annotate(
    pyramid: Pyramid,
    summary: Summary,
    answers: reading.Answers,
    *,
    threshold: float = THRESHOLD,
    contradiction: float = reading.DENIED,
    analyser: str = "en-minilm",
) -> Annotation:
    """Return the annotation by the network's answers, or those of networks that saw less, and by words."""
    read = reading.verdicts(
        pyramid, summary, analyser, threshold=threshold, contradiction=contradiction, answers=answers
    )
    counted = words.verdicts(pyramid, summary, analyser)
    found = [
        of_two(by_network, by_words, threshold, contradiction)
        for by_network, by_words in zip(read, counted, strict=True)
    ]
    return annotate_by_verdicts(pyramid, summary, found, threshold, analyser, contradiction=contradiction)


def fit(topics: Sequence[Topic]) -> Callable[..., Annotation]:
    """Return the judge that uses networks which had not seen a document (:func:`pyramidion.matchers.entails.fit`)."""
    from pyramidion.language.entailment.held_out_answers import held_out_answers

    answers = held_out_answers()

    def match(pyramid: Pyramid, summary: Summary, **settings: Any) -> Annotation:
        return _annotate(pyramid, summary, answers.each, **settings)

    return match
