"""Why a summary got its score: which SCUs it expresses, which it contradicts, in which words, and which it missed.

The most important come first. An SCU is in one of the three lists: what is contradicted is not missed as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pyramidion.language.parse.clauses import parse_segment_id
from pyramidion.model import SCU, Annotation, Contradiction, Match, Pyramid, Span
from pyramidion.scoring import DEFAULT, Settings, weight_of

NEGLIGIBLE = 0.05
"""A probability below which nothing is said of it."""

UNSUPPORTED = "unsupported quote"
"""How the reason of a match begins whose quotation is not in the summary."""


@dataclass(frozen=True, slots=True)
class Said:
    """The words that one reference contributes to an SCU."""

    reference: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An SCU of the pyramid, about which a summary says something or nothing."""

    scu: str
    label: str
    weight: int
    score: float
    """The probability that the summary says it: a judge's, or else the best match's similarity.

    It is 1 for a person's annotation, and 0 for what nobody holds possible.
    """
    contributors: tuple[Said, ...]
    comment: str = ""
    """A note on the SCU."""
    sentence: str = ""
    """The source sentence around the unit, if it was taken from the source documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressed(Verdict):
    """An SCU that the summary expresses: the words and places of each expression."""

    words: tuple[str, ...]
    spans: tuple[tuple[Span, ...], ...]
    reasons: tuple[str, ...] = ()
    """Why it matches, where the matcher says so: triples in common, the wording that it is like."""
    remarks: tuple[str, ...] = ()
    """Notes on the matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradicted(Verdict):
    """An SCU that the summary contradicts: in which words, and how probable that is (1 for a person's annotation)."""

    words: str
    probability: float
    spans: tuple[Span, ...]
    reason: str = ""
    """Why, where the judge says so."""
    remark: str = ""
    """A note on the contradiction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed(Verdict):
    """An SCU that the summary neither expresses nor contradicts."""

    unjudged: str = ""
    """Why nobody judged it, if so."""
    unclear: str = ""
    """Why its label cannot be read by itself, if so."""


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
        """The name of a score: ``probability`` or ``similarity``."""
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
    believed, unjudged = dict(annotation.probabilities), dict[str, str](annotation.unjudged)
    denied = {contradiction.scu: contradiction for contradiction in annotation.contradicted}
    expressed, contradicted, missed = [], [], []
    for scu in sorted(pyramid.scus, key=lambda scu: -weight_of(scu, settings)):
        matches = [match for match in annotation.matches if match.scu == scu.id]
        verdict: dict[str, Any] = {
            "scu": scu.id,
            "label": scu.label,
            "weight": weight_of(scu, settings),
            "score": believed.get(scu.id, 0.0),
            "contributors": _contributions(pyramid, scu),
            "comment": scu.comment,
            "sentence": scu.sentence,
        }
        if denial := denied.get(scu.id):
            contradicted.append(
                Contradicted(
                    **verdict,
                    words=summary.quote(denial.spans),
                    probability=denial.probability,
                    spans=denial.spans,
                    reason=denial.reason.strip(),
                    remark=denial.comment.strip(),
                )
            )
        elif matches:
            places = tuple(match.spans for match in matches if match.spans)
            if not believed:
                verdict["score"] = max(match.score for match in matches)
            expressed.append(
                Expressed(
                    **verdict,
                    words=tuple(filter(None, map(summary.quote, places))),
                    spans=places,
                    reasons=_distinct(map(_reason, matches)),
                    remarks=_distinct(match.comment for match in matches),
                )
            )
        else:
            missed.append(Missed(**verdict, unjudged=unjudged.get(scu.id, ""), unclear=scu.unclear))
    besides = (unit for unit in annotation.unmatched if not _overlaps(unit.spans, annotation.contradicted))
    unmatched = tuple(filter(None, (summary.quote(unit.spans) or unit.label for unit in besides)))
    return Explanation(
        tuple(expressed), tuple(missed), unmatched, _sentences(annotation), bool(believed), tuple(contradicted)
    )


def _contributions(pyramid: Pyramid, scu: SCU) -> tuple[Said, ...]:
    return tuple(Said(contributor.summary, pyramid.words(contributor)) for contributor in scu.contributors)


def _overlaps(spans: Iterable[Span], contradictions: Iterable[Contradiction]) -> bool:
    """Return whether one of the contradictions has words of these."""
    against = [span for contradiction in contradictions for span in contradiction.spans]
    return any(span.start < denied.end and denied.start < span.end for span in spans for denied in against)


def _reason(match: Match) -> str:
    return match.reason if match.supported else f"{UNSUPPORTED}: {match.reason}".rstrip(": ")


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (text.strip() for text in texts))))


def _units(annotation: Annotation) -> Iterator[Unit]:
    """Yield the units of the summary: matches, contradictions and, unless they contradict an SCU, unmatched units."""
    quote = annotation.summary.quote
    believed = dict(annotation.probabilities)
    for match in annotation.matches:
        score = believed.get(match.scu, match.score)
        yield Unit(match.segment, quote(match.spans), match.spans, match.scu, score)
    for denied in annotation.contradicted:
        yield Unit(denied.segment, quote(denied.spans), denied.spans, denied.scu, denied.probability, True)
    # contradictions without a segment do not stand for a unit in the trace
    named = [denied for denied in annotation.contradicted if denied.segment]
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
