"""Why a summary got its score: which SCUs it expresses, in which words, and which it missed, most important first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyramidion.language.clauses import parse_segment_id
from pyramidion.model import SCU, Annotation, Match, Pyramid, Span
from pyramidion.score import DEFAULT, Settings, weight_of

__all__ = ["NEGLIGIBLE", "Explanation", "Expressed", "Missed", "Said", "Sentence", "Unit", "explain"]

NEGLIGIBLE = 0.05
"""A probability below which nothing is said of it."""

UNSUPPORTED = "unsupported quote"
"""How the reason of a match begins whose quotation is not in the summary."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one reference contributes to an SCU."""

    reference: str
    words: str


@dataclass(frozen=True, slots=True)
class Expressed:
    """An SCU that the summary expresses: the words and places of each expression, and how sure that is.

    ``score`` is the judge's probability, or else the best match's similarity (1 for a person's annotation).
    """

    scu: str
    label: str
    weight: int
    words: tuple[str, ...]
    score: float
    spans: tuple[tuple[Span, ...], ...]
    contributors: tuple[Said, ...]
    comment: str = ""
    """What is noted of the SCU."""
    sentence: str = ""
    """Of a unit of the sources, its sentence there."""
    reasons: tuple[str, ...] = ()
    """Why it matches, where the matcher says so: triples in common, the wording that it is like."""
    remarks: tuple[str, ...] = ()
    """What is noted of the matches."""


@dataclass(frozen=True, slots=True)
class Missed:
    """An SCU that is not found in the summary, and how probable a judge held it nevertheless."""

    scu: str
    label: str
    weight: int
    score: float
    contributors: tuple[Said, ...]
    comment: str = ""
    sentence: str = ""
    unjudged: str = ""
    """Why nobody judged it, if so."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of the summary: a segment, with the SCU that it expresses or ``None`` (D_0 content)."""

    id: str
    words: str
    spans: tuple[Span, ...]
    scu: str | None
    score: float


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the summary in the segmentation that was chosen for it, both numbered as segment ids are."""

    number: int
    segmentation: int
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a summary says of the pyramid, what it misses, and what it says besides.

    ``sentences`` is empty where nothing is known of segmentations: where people annotated. ``judged`` says that the
    scores are a judge's probabilities; otherwise they are similarities.
    """

    expressed: tuple[Expressed, ...]
    missed: tuple[Missed, ...]
    unmatched: tuple[str, ...]
    sentences: tuple[Sentence, ...] = ()
    judged: bool = False

    @property
    def name_of_score(self) -> str:
        """What a score is."""
        return "probability" if self.judged else "similarity"


def explain(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> Explanation:
    """The explanation of one annotated summary; SCUs by falling weight, then in the pyramid's order."""
    summary = annotation.summary
    weights = {scu.id: weight_of(scu, settings) for scu in pyramid.scus}
    believed = dict(annotation.probabilities)
    unjudged: dict[str, str] = dict(annotation.unjudged)
    expressed, missed = [], []
    for scu in sorted(pyramid.scus, key=lambda scu: -weights[scu.id]):
        matches = [match for match in annotation.matches if match.scu == scu.id]
        said = _said(pyramid, scu)
        if not matches:
            doubt = believed.get(scu.id, 0.0)
            noted = (scu.comment, scu.sentence, unjudged.get(scu.id, ""))
            missed.append(Missed(scu.id, scu.label, weights[scu.id], doubt, said, *noted))
            continue
        places = tuple(match.spans for match in matches if match.spans)
        words = tuple(filter(None, (summary.quote(spans) for spans in places)))
        score = believed.get(scu.id, 0.0) if believed else max(match.score for match in matches)
        found = (scu.id, scu.label, weights[scu.id], words, score, places, said, scu.comment, scu.sentence)
        reasons, remarks = _distinct(map(_reason, matches)), _distinct(match.comment for match in matches)
        expressed.append(Expressed(*found, reasons, remarks))
    unmatched = tuple(filter(None, (summary.quote(unit.spans) or unit.label for unit in annotation.unmatched)))
    return Explanation(tuple(expressed), tuple(missed), unmatched, _sentences(annotation), bool(believed))


def _reason(match: Match) -> str:
    return match.reason if match.supported else f"{UNSUPPORTED}: {match.reason}".rstrip(": ")


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (text.strip() for text in texts))))


def _said(pyramid: Pyramid, scu: SCU) -> tuple[Said, ...]:
    return tuple(Said(one.summary, pyramid.words(one)) for one in scu.contributors)


def _units(annotation: Annotation) -> Iterator[Unit]:
    quote = annotation.summary.quote
    believed = dict(annotation.probabilities)
    for match in annotation.matches:
        score = believed.get(match.scu, match.score)
        yield Unit(match.segment, quote(match.spans), match.spans, match.scu, score)
    for unit in annotation.unmatched:
        yield Unit(unit.segment, quote(unit.spans), unit.spans, None, 0.0)


def _sentences(annotation: Annotation) -> tuple[Sentence, ...]:
    """The units by sentence, where matches and unmatched units name their segments."""
    sentences: dict[tuple[int, int], list[tuple[int, Unit]]] = {}
    for unit in _units(annotation):
        if (id := parse_segment_id(unit.id)) is not None:
            _, sentence, segmentation, segment = id
            sentences.setdefault((sentence + 1, segmentation), []).append((segment, unit))
    return tuple(
        Sentence(*place, tuple(unit for _, unit in sorted(units, key=lambda pair: pair[0])))
        for place, units in sorted(sentences.items())
    )
