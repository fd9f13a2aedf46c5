r"""Units without people: every statement, sentence or clause of the references is an SCU.

S. Zhang and M. Bansal, 2021, Finding a balanced degree of automation for summary evaluation, *EMNLP*: Lite3Pyramid
takes semantic-role triples of the references for units; statements do as well (``docs/lite.md``). One reference
suffices, and nobody needs to make a pyramid.

*Units.* ``statements``, one fact each, which can be read by themselves (:mod:`pyramidion.language.statements.rules`;
the default); ``sentences`` that say something; or ``clauses``, the segments of each sentence's finest segmentation
(:mod:`pyramidion.language.parse.clauses`); of a text that cannot be parsed, all are sentences.

*Weights.* Each unit weighs 1, whoever says the same: nothing is compared or merged. With several references X_a, the
units of a mean reference, is smaller than the pyramid, so that ``coverage``, D / Max(X_a), exceeds 1 where they agree;
the score of this method is ``recall``,

.. math:: \frac{1}{|U|} \sum_{u \in U} P(u),

the mean probability of all units (eq. 1 of Nenkova et al. 2007 §2.3, in expectation), which is coverage where there is
one reference. References of the same text are one voice with a contributor each, so that a copy changes no score.
"""

from __future__ import annotations

from math import fsum
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.builders._labels import label
from pyramidion.builders.assemble import Voice, voices_of
from pyramidion.language.parse.clauses import segment_id
from pyramidion.language.statements.rules import statements_of
from pyramidion.model import SCU, Annotation, Contributor, Pyramid, Topic
from pyramidion.scoring import beliefs

Units = Literal["statements", "sentences", "clauses"]


@check_choices
def lite(topic: Topic, *, units: Units = "statements", analyser: str = "en-minilm") -> Pyramid:
    """Return the pyramid of the references' units, in the order of the texts.

    >>> from pyramidion.model import Summary
    >>> reference = Summary("r", "The dam broke because it had rained. Nobody was hurt.")
    >>> [scu.label for scu in lite(Topic("flood", (reference,))).scus]
    ['The dam broke because it had rained.', 'Nobody was hurt.']
    >>> [scu.label for scu in lite(Topic("flood", (reference,)), units="sentences").scus]
    ['The dam broke because it had rained', 'Nobody was hurt']
    >>> [scu.label for scu in lite(Topic("flood", (reference,)), units="clauses").scus]
    ['The dam broke', 'It had rained', 'Nobody was hurt']
    """
    voices = voices_of(topic, analyser)
    scus: list[SCU] = []
    for voice in voices:
        if units == "statements" and voice.segmented.analysis.parsed:
            scus += _statement_scus(voice, len(scus))
            continue
        for sentence, alternatives in enumerate(voice.segmented.sentences):
            way = len(alternatives[:2]) - 1 if units == "clauses" else 0  # after the whole, the finest
            for place, segment in enumerate(alternatives[way]):
                contributors = (
                    Contributor(reference.id, segment.spans, segment=segment_id(number, sentence, way, place))
                    for number, reference in voice.copies
                )
                scus.append(SCU(str(len(scus) + 1), label(voice.segmented.analysis, segment), tuple(contributors)))
    return Pyramid(topic.id, tuple(reference for voice in voices for _, reference in voice.copies), tuple(scus))


def normalised(pyramid: Pyramid, annotation: Annotation) -> float:
    """Return the share of the units' words in units that the summary says, or its expectation; 0 without units.

    >>> from pyramidion.model import Match, Summary
    >>> units = lite(Topic("flood", (Summary("r", "The dam broke because it had rained. Nobody was hurt."),)))
    >>> normalised(units, Annotation(Summary("p", "No one was hurt.", "peer"), (Match("2"),)))
    0.3
    """
    annotation.check(pyramid)
    chances = beliefs(annotation)
    words = {scu.id: len(scu.label.split()) for scu in pyramid.scus}
    whole = sum(words.values())
    return fsum(words[id] * chances.get(id, 0) for id in words) / whole if whole else 0.0


def _statement_scus(voice: Voice, before: int) -> list[SCU]:
    """Return an SCU for each statement of a text; their numbers go on from ``before``."""
    return [
        SCU(
            str(number),
            statement.text,
            tuple(Contributor(reference.id, statement.spans, reason=statement.text) for _, reference in voice.copies),
            unclear=statement.open,
        )
        for number, statement in enumerate(statements_of(voice.segmented.analysis), before + 1)
    ]
