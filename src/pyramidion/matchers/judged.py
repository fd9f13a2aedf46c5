r"""A judge as a matcher: from how probable every SCU is, and where, to an annotation.

A *judge* gives three probabilities for an SCU and a summary: that the summary says it, contradicts it, or does not say
it; and the words that made it think so. The third is the rest, so a :class:`Verdict` holds two, and a judge that knows
nothing of contradictions leaves the second at 0. Any judge serves as a matcher. With the thresholds t of a match and c
of a contradiction, an SCU is

* *contradicted* where P(contradicted) >= c and P(contradicted) > P(said);
* else *matched*, once, where P(said) >= t.

So what is contradicted is never a match, even where t is low enough for both. Expected scores take P(said), of a
contradicted SCU, too. The units of the summary that are no match's evidence are its D_0: words that contradict are
among them, for they take room and say nothing of the pyramid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import lru_cache

from pyramidion.errors import PyramidionError
from pyramidion.language.parse.clauses import segment_id
from pyramidion.language.parse.segmented import segmented
from pyramidion.model import Annotation, Contradiction, Contributor, Match, Pyramid, Span, Summary

CONTRADICTION = 0.5
"""c, the threshold of a contradiction, for judges without their own default: as probable as not."""

Unit = Contributor
"""A segment of the summary, with its name."""


@dataclass(frozen=True, slots=True)
class Denial:
    """How probable it is that a summary contradicts an SCU, and the words that do, as in a :class:`Contradiction`."""

    probability: float = 0.0
    spans: tuple[Span, ...] = ()
    segment: str = ""
    reason: str = ""


NONE = Denial()
"""The denial of a judge that knows nothing of contradictions."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How probable it is that a summary expresses an SCU, and the words that say so, as in a :class:`Match`.

    >>> verdict = Verdict(0.125, denial=Denial(0.75))
    >>> verdict.probability, verdict.denial.probability, verdict.unsaid
    (0.125, 0.75, 0.125)
    """

    probability: float
    spans: tuple[Span, ...] = ()
    segment: str = ""
    reason: str = ""
    supported: bool = True
    _: KW_ONLY
    denial: Denial = NONE
    """How probable it is that the summary contradicts the SCU instead."""

    @property
    def unsaid(self) -> float:
        """The third probability, that the summary does neither.

        A judge that reads a text in windows may be sure of both, in two of them: then nothing is left.
        """
        return max(0.0, 1 - self.probability - self.denial.probability)

    def contradicts(self, at_least: float = CONTRADICTION) -> bool:
        """Return whether a contradiction is at least so probable, and more probable than that the SCU is said."""
        return self.denial.probability >= at_least and self.denial.probability > self.probability


@lru_cache(maxsize=4096)
def units(summary: Summary, analyser: str = "en-minilm") -> tuple[tuple[Unit, ...], ...]:
    """Return the summary's sentences that say something, each in its finest segmentation."""
    sentences = []
    for sentence, alternatives in enumerate(segmented(summary.text, analyser).sentences):
        finest = len(alternatives[:2]) - 1
        sentences.append(
            tuple(
                Contributor(summary.id, segment.spans, segment=segment_id(0, sentence, finest, number))
                for number, segment in enumerate(alternatives[finest])
            )
        )
    return tuple(sentences)


def _text_order(part: Match | Contradiction | Unit) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in part.spans]


def unmatched(summary: Summary, matches: Iterable[Match], analyser: str = "en-minilm") -> tuple[Unit, ...]:
    """Return the summary's D_0: the units that share no word with a match, in text order.

    Matchers that find words of their own, triples or sequences, count what is left in these units, too, so that
    quality's X means the same whoever matched.
    """
    # A byte for each character: to find one in a span is a single fast call.
    used = bytearray(len(summary.text))
    for match in matches:
        for span in match.spans:
            used[span.start : span.end] = b"x" * (span.end - span.start)
    left = [
        unit
        for sentence in units(summary, analyser)
        for unit in sentence
        if max([used.find(b"x", span.start, span.end) for span in unit.spans], default=-1) < 0
    ]
    return tuple(sorted(left, key=_text_order))


def annotate_by_verdicts(
    pyramid: Pyramid,
    summary: Summary,
    verdicts: Sequence[Verdict],
    threshold: float,
    analyser: str = "en-minilm",
    *,
    contradiction: float = CONTRADICTION,
) -> Annotation:
    """Return the annotation of a summary by a verdict for each SCU of the pyramid, in the pyramid's order."""
    for what, value in (("a match", threshold), ("a contradiction", contradiction)):
        if not 0 < value <= 1:
            raise PyramidionError(f"The threshold of {what} is {value}", do="give a probability above 0, up to 1")
    asked = list(zip((scu.id for scu in pyramid.scus), verdicts, strict=True))
    # First: what is contradicted is never a match, even if the threshold of a match is low enough for both.
    denied = {scu: verdict.denial for scu, verdict in asked if verdict.contradicts(contradiction)}
    matches = [
        Match(
            scu,
            verdict.spans,
            verdict.probability,
            segment=verdict.segment,
            reason=verdict.reason,
            supported=verdict.supported,
        )
        for scu, verdict in asked
        if verdict.probability >= threshold and scu not in denied
    ]
    contradicted = [
        Contradiction(scu, denial.spans, denial.probability, segment=denial.segment, reason=denial.reason)
        for scu, denial in denied.items()
    ]
    return Annotation(
        summary,
        tuple(sorted(matches, key=_text_order)),
        unmatched(summary, matches, analyser),
        probabilities=tuple((scu, verdict.probability) for scu, verdict in asked),
        contradicted=tuple(sorted(contradicted, key=_text_order)),
    )


def with_decisions(annotation: Annotation) -> Annotation:
    """Return the annotation with decisions for probabilities: 1 for an SCU that matches, 0 for the others.

    For judges whose degrees are no probabilities: scores then count matches, and do not sum uncalibrated numbers.
    """
    expressed = set(annotation.expressed)
    return replace(
        annotation, probabilities=tuple((scu, float(scu in expressed)) for scu, _ in annotation.probabilities)
    )
