"""Why a summary got its score: which SCUs it expresses, which it contradicts, in which words, and which it missed.

The most important come first. An SCU is in one of the three lists: what is contradicted is not missed as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyramidion.language.parse.clauses import parse_segment_id
from pyramidion.model import SCU, Annotation, Contradiction, Match, Pyramid, Span
from pyramidion.score import DEFAULT, Settings, weight_of

__all__ = ["NEGLIGIBLE", "Contradicted", "Explanation", "Expressed", "Missed", "Said", "Sentence", "Unit", "explain"]

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
class Contradicted:
    """An SCU that the summary contradicts: in which words, and how probable that is (1 for a person's annotation).

    ``score`` is the probability that the summary says it nevertheless, as in :class:`Missed`.
    """

    scu: str
    label: str
    weight: int
    words: str
    probability: float
    score: float
    spans: tuple[Span, ...]
    contributors: tuple[Said, ...]
    comment: str = ""
    """What is noted of the SCU."""
    sentence: str = ""
    reason: str = ""
    """Why, where the judge says so."""
    remark: str = ""
    """What is noted of the contradiction."""


@dataclass(frozen=True, slots=True)
class Missed:
    """An SCU that the summary neither expresses nor contradicts, and how probable a judge held it nevertheless."""

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
    """A unit of the summary: a segment, with the SCU that it expresses or contradicts, or ``None`` (D_0 content).

    ``score`` is how sure that is.
    """

    id: str
    words: str
    spans: tuple[Span, ...]
    scu: str | None
    score: float
    contradicts: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the summary in the segmentation that was chosen for it, both numbered as segment ids are."""

    number: int
    segmentation: int
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a summary says of the pyramid, what it contradicts, what it misses, and what it says besides.

    ``sentences`` is empty where nothing is known of segmentations: where people annotated. ``judged`` says that the
    scores are a judge's probabilities; otherwise they are similarities. ``unmatched`` are the units in no SCU but those
    whose words contradict one, which stand with it.
    """

    expressed: tuple[Expressed, ...]
    missed: tuple[Missed, ...]
    unmatched: tuple[str, ...]
    sentences: tuple[Sentence, ...] = ()
    judged: bool = False
    contradicted: tuple[Contradicted, ...] = ()

    @property
    def name_of_score(self) -> str:
        """What a score is."""
        return "probability" if self.judged else "similarity"


def explain(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> Explanation:
    """The explanation of one annotated summary; SCUs by falling weight, then in the pyramid's order.

    * ``pyramid`` is what the summary was compared with.
    * ``annotation`` says what the summary expresses of it.
    * ``settings`` say how an SCU is weighed.

    >>> import pyramidion as pm
    >>> topic = pm.example()[0]
    >>> explanation = pm.explain(topic.pyramid, topic.annotations[0])
    >>> explanation.missed[0].label
    'The lake came back to life'
    """
    summary = annotation.summary
    weights = {scu.id: weight_of(scu, settings) for scu in pyramid.scus}
    believed = dict(annotation.probabilities)
    unjudged: dict[str, str] = dict(annotation.unjudged)
    denied = {contradiction.scu: contradiction for contradiction in annotation.contradicted}
    expressed, contradicted, missed = [], [], []
    for scu in sorted(pyramid.scus, key=lambda scu: -weights[scu.id]):
        matches = [match for match in annotation.matches if match.scu == scu.id]
        said = _said(pyramid, scu)
        if scu.id in denied:
            doubt = believed.get(scu.id, 0.0)
            contradicted.append(_contradicted(denied[scu.id], annotation, scu, weights[scu.id], doubt, said))
            continue
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
    besides = (unit for unit in annotation.unmatched if not _overlaps(unit.spans, annotation.contradicted))
    unmatched = tuple(filter(None, (summary.quote(unit.spans) or unit.label for unit in besides)))
    rest = (unmatched, _sentences(annotation), bool(believed), tuple(contradicted))
    return Explanation(tuple(expressed), tuple(missed), *rest)


def _contradicted(
    one: Contradiction, annotation: Annotation, scu: SCU, weight: int, doubt: float, said: tuple[Said, ...]
) -> Contradicted:
    words = annotation.summary.quote(one.spans)
    noted = (scu.comment, scu.sentence, one.reason.strip(), one.comment.strip())
    return Contradicted(scu.id, scu.label, weight, words, one.probability, doubt, one.spans, said, *noted)


def _overlaps(spans: Iterable[Span], contradictions: Iterable[Contradiction]) -> bool:
    """Whether one of the contradictions has words of these."""
    against = [span for contradiction in contradictions for span in contradiction.spans]
    return any(one.start < other.end and other.start < one.end for one in spans for other in against)


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
    for one in annotation.contradicted:
        yield Unit(one.segment, quote(one.spans), one.spans, one.scu, one.probability, True)
    named = [one for one in annotation.contradicted if one.segment]  # others do not stand for the unit in the trace
    for unit in annotation.unmatched:
        if not _overlaps(unit.spans, named):
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
