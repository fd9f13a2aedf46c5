"""A judge as a matcher: from how probable every SCU is, and where, to an annotation.

A *judge* says how probable it is that a summary expresses an SCU, and which words made it think so. Any judge serves as
a matcher: an SCU matches, once, where its probability reaches the threshold; its words are the judge's evidence. The
units of the summary that are no match's evidence are its D_0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pyramidion.errors import PyramidionError
from pyramidion.language.clauses import segment_id
from pyramidion.language.segmented import segmented
from pyramidion.model import Annotation, Contributor, Match, Pyramid, Span, Summary

__all__ = ["Unit", "Verdict", "judged", "units", "unmatched"]

Unit = Contributor
"""A segment of the summary, with its name."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How probable it is that a summary expresses an SCU, and the words that say so, as in a :class:`Match`."""

    probability: float
    spans: tuple[Span, ...] = ()
    segment: str = ""
    reason: str = ""
    supported: bool = True


@lru_cache(maxsize=4096)
def units(summary: Summary, analyser: str = "en-minilm") -> tuple[tuple[Unit, ...], ...]:
    """The summary's sentences that say something, each in its finest segmentation."""
    found = []
    for sentence, alternatives in enumerate(segmented(summary.text, analyser).sentences):
        finest = len(alternatives[:2]) - 1
        found.append(
            tuple(
                Contributor(summary.id, segment.spans, segment=segment_id(0, sentence, finest, number))
                for number, segment in enumerate(alternatives[finest])
            )
        )
    return tuple(found)


def _place(one: Match | Unit) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in one.spans]


def unmatched(summary: Summary, matches: Iterable[Match], analyser: str = "en-minilm") -> tuple[Unit, ...]:
    """The summary's D_0: the units of which no match has a word, in text order.

    Matchers that find words of their own, triples or sequences, count what is left in these units, too, so that
    quality's X means the same whoever matched.
    """
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
    return tuple(sorted(left, key=_place))


def judged(
    pyramid: Pyramid, summary: Summary, verdicts: Sequence[Verdict], threshold: float, analyser: str = "en-minilm"
) -> Annotation:
    """The annotation of a summary by a verdict for each SCU of the pyramid, in the pyramid's order."""
    if not 0 < threshold <= 1:
        raise PyramidionError(f"the threshold of a match is {threshold}", do="give a probability above 0, up to 1")
    matches = [
        Match(scu.id, one.spans, one.probability, segment=one.segment, reason=one.reason, supported=one.supported)
        for scu, one in zip(pyramid.scus, verdicts, strict=True)
        if one.probability >= threshold
    ]
    return Annotation(
        summary,
        tuple(sorted(matches, key=_place)),
        unmatched(summary, matches, analyser),
        probabilities=tuple((scu.id, one.probability) for scu, one in zip(pyramid.scus, verdicts, strict=True)),
    )
