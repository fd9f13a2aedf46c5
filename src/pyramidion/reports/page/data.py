"""The data of a report as JSON: the pyramid of every topic, and the scores, words and explanations of every summary.

Texts are cut into pieces here, at every border of a span, because offsets count characters as Python does and not as a
browser does. SCUs are numbered within their topic by falling weight, and everything else refers to them by that
number, so that their labels and contributors are stored once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

from pyramidion.corrections import digest, unit_of
from pyramidion.evaluation.evaluation import Evaluation, SystemMeans
from pyramidion.evaluation.scored import Scored
from pyramidion.explanation import explain
from pyramidion.language.text.identify import identify
from pyramidion.language.text.words import split_words
from pyramidion.model import SCU, Annotation, Contributor, Pyramid, Span, Summary
from pyramidion.scoring import QUANTITIES, Settings, weight_of

FORMAT = "pyramidion-report/1"

UNCLEAR = (0.3, 0.7)
"""A judge's verdict is unclear where the probability that an SCU is said is at least the first and below the second."""

_SCORES = (
    *QUANTITIES, "counted", "normalised", "scus", "repeated", "contradicted", "unmatched", "size", "max_for_size",
    "average_scus", "max_for_average", "pyramids",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """A pyramid and all that was scored against it."""

    pyramid: Pyramid
    results: list[Scored] = field(default_factory=list)


def sections(evaluation: Evaluation) -> list[Section]:
    """Return the results by topic and pyramid, both in the order of the results.

    A reference that was scored against the pyramid of the others stands with the pyramid it was taken from; where no
    peer was scored against that, it is put together again from what is left of it.
    """
    found: list[Section] = []
    for result in evaluation.results:
        if result.scores.role == "peer":
            _section_of(found, result.pyramid).results.append(result)
    alone: dict[str, list[Scored]] = {}
    for result in evaluation.results:
        if result.scores.role == "reference":
            whole = next((section for section in found if _is_taken_from(result, section.pyramid)), None)
            (whole.results if whole else alone.setdefault(result.scores.topic, [])).append(result)
    found += (Section(_merge_pyramids([result.pyramid for result in results]), results) for results in alone.values())
    return sorted(found, key=lambda section: section.pyramid.topic)


def _section_of(sections: list[Section], pyramid: Pyramid) -> Section:
    """Return the section of a pyramid; a new one is added if there is none."""
    # results come by topic, so that the last section is the likeliest
    for section in reversed(sections):
        if section.pyramid is pyramid or section.pyramid == pyramid:
            return section
    sections.append(Section(pyramid))
    return sections[-1]


def _is_taken_from(scored: Scored, pyramid: Pyramid) -> bool:
    """Return whether the reference was scored against this pyramid without its own part."""
    left = [reference for reference in pyramid.references if reference.id != scored.scores.summary]
    return (
        scored.scores.topic == pyramid.topic and len(left) < pyramid.size and tuple(left) == scored.pyramid.references
    )


def _merge_pyramids(pyramids: Sequence[Pyramid]) -> Pyramid:
    """Return the pyramid that these were made from, each by leaving one reference out."""
    references: dict[str, Summary] = {}
    labels: dict[str, SCU] = {}
    contributors: dict[str, dict[Contributor, None]] = {}
    for pyramid in pyramids:
        references |= {reference.id: reference for reference in pyramid.references}
        for scu in pyramid.scus:
            labels.setdefault(scu.id, scu)
            contributors.setdefault(scu.id, {}).update(dict.fromkeys(scu.contributors))
    scus = (replace(labels[id], contributors=tuple(found)) for id, found in contributors.items())
    return Pyramid(pyramids[0].topic, tuple(references.values()), tuple(scus), repeats_told=True)


def pieces(
    text: str,
    places: Iterable[tuple[int, Sequence[Span]]],
    unmatched: Iterable[Span],
    contradicted: Sequence[tuple[int, Sequence[Span]]] = (),
    copied: Iterable[Span] = (),
) -> list[dict[str, Any]]:
    """Return the text cut at every border of a span; joined, the pieces are the text.

    ``places`` are the SCUs' numbers with the spans of one expression each, ``contradicted`` those of a contradiction. A
    piece says which SCUs it expresses (``in``) and contradicts (``against``), whose words end with it (``ends``),
    whether it is of a unit that does neither (``d0``), and whether it is copied from another text (``copied``).

    >>> pieces("abcd", [(7, [Span(0, 2)]), (8, [Span(1, 3)])], [Span(3, 4)])
    [{'text': 'a', 'in': [7]}, {'text': 'b', 'in': [7, 8], 'ends': [7]},
     {'text': 'c', 'in': [8], 'ends': [8]}, {'text': 'd', 'd0': True}]
    >>> pieces("abc", [(7, [Span(0, 1)])], [Span(1, 3)], [(9, [Span(1, 2)])])
    [{'text': 'a', 'in': [7], 'ends': [7]}, {'text': 'b', 'against': [9], 'ends': [9]}, {'text': 'c', 'd0': True}]
    """
    denying = {number for number, _ in contradicted}  # which are no others' numbers: an SCU has one verdict
    opened: dict[int, list[int]] = {}
    closed: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    beside: Counter[int] = Counter()
    for number, spans in (*places, *contradicted):
        for span in spans:
            opened.setdefault(span.start, []).append(number)
            closed.setdefault(span.end, []).append(number)
        if spans:
            ends.setdefault(max(span.end for span in spans), []).append(number)
    for span in unmatched:
        beside[span.start] += 1
        beside[span.end] -= 1
    from_others = sorted({border for span in copied for border in (span.start, span.end)})  # no two runs touch
    cut: list[dict[str, Any]] = []
    now: Counter[int] = Counter()
    outside = 0
    borders = sorted({0, *opened, *closed, *beside, *from_others, len(text)})
    for start, end in pairwise(borders):
        now.update(opened.get(start, ()))
        now.subtract(closed.get(start, ()))
        # leaves out the SCUs whose count has come down to 0
        now = +now
        outside += beside[start]
        piece: dict[str, Any] = {"text": text[start:end]}
        if now.keys() - denying:
            piece["in"] = sorted(now.keys() - denying)
        if now.keys() & denying:
            piece["against"] = sorted(now.keys() & denying)
        if end in ends:
            piece["ends"] = sorted(set(ends[end]))
        if outside and not now:
            piece["d0"] = True
        if bisect_right(from_others, start) % 2:
            piece["copied"] = True
        cut.append(piece)
    return cut


def _worded(text: str, spans: Sequence[Span]) -> Sequence[Span]:
    """Return the spans that hold words: the full stop that a segment takes along is not worth a mark."""
    return [span for span in spans if re.search(r"\w", span.of(text))] or spans


def _summary(scored: Scored, numbers: dict[str, int]) -> dict[str, Any]:
    """Return the data of a summary: its scores, its text in pieces, and what was found and missed, by SCU numbers."""
    annotation: Annotation = scored.annotation
    told = explain(scored.pyramid, annotation, scored.scores.settings)
    text = annotation.summary.text
    places = [(numbers[scu.scu], _worded(text, spans)) for scu in told.expressed for spans in scu.spans]
    against = [(numbers[scu.scu], _worded(text, scu.spans)) for scu in told.contradicted]
    outside = [span for unit in annotation.unmatched for span in _worded(text, unit.spans)]
    believed = dict(annotation.probabilities)
    denials = {denial.scu: denial for denial in annotation.contradicted}
    times = Counter(match.scu for match in annotation.matches)
    return {
        "id": annotation.summary.id,
        "digest": digest(text),
        "role": scored.scores.role,
        "annotator": annotation.annotator,
        "length": sum(any(map(str.isalnum, text[start:end])) for start, end in split_words(text)),
        "language": identify(text),
        "copied": {"share": scored.copied.share, "told": str(scored.copied), "pasted": scored.copied.is_pasted},
        "percent": scored.percent,
        "margin": scored.margin,
        "scores": {name: getattr(scored.scores, name) for name in _SCORES},
        "probabilities": [believed.get(scu, 0.0) for scu in numbers] if believed else [],
        "text": pieces(text, places, outside, against, scored.copied.spans),
        "expressed": [
            {
                "scu": numbers[scu.scu],
                "weight": scu.weight,
                "score": scu.score,
                "times": times[scu.scu],
                "words": list(scu.words),
                "reasons": list(scu.reasons),
                "remarks": list(scu.remarks),
            }
            for scu in told.expressed
        ],
        "contradicted": [
            {
                "scu": numbers[scu.scu],
                "weight": scu.weight,
                "probability": scu.probability,
                "unit": unit_of(denials[scu.scu], annotation.unmatched),
                "words": [scu.words] if scu.words else [],
                "reasons": [scu.reason] if scu.reason else [],
                "remarks": [scu.remark] if scu.remark else [],
            }
            for scu in told.contradicted
        ],
        "missed": [{"scu": numbers[scu.scu], "weight": scu.weight, "unjudged": scu.unjudged} for scu in told.missed],
        "unmatched": list(told.unmatched),
        "sentences": [
            {
                "number": sentence.number,
                "segmentation": sentence.segmentation,
                "units": [
                    {
                        "id": unit.id,
                        "words": unit.words,
                        "scu": None if unit.scu is None else numbers[unit.scu],
                        "score": unit.score,
                        "contradicts": unit.contradicts,
                    }
                    for unit in sentence.units
                ],
            }
            for sentence in told.sentences
        ],
    }


def _topic(section: Section, settings: Settings) -> dict[str, Any]:
    """Return the data of a pyramid, its SCUs numbered by falling weight, and of the summaries scored against it."""
    pyramid = section.pyramid
    ordered = sorted(pyramid.scus, key=lambda scu: -weight_of(scu, settings))
    numbers = {scu.id: number for number, scu in enumerate(ordered, 1)}
    languages = Counter(identify(reference.text) for reference in pyramid.references)
    language, _ = max(languages.items(), key=lambda counted: (counted[1], counted[0]), default=("", 0))
    return {
        "id": pyramid.topic,
        "language": language,
        "references": [reference.id for reference in pyramid.references],
        "scus": [
            {
                "number": numbers[scu.id],
                "id": scu.id,
                "label": scu.label,
                "note": scu.comment if scu.comment != scu.label else "",
                "sentence": scu.sentence if scu.sentence != scu.label else "",
                "unclear": scu.unclear,
                "weight": weight_of(scu, settings),
                "contributors": [
                    {"reference": contributor.summary, "words": pyramid.words(contributor)}
                    for contributor in scu.contributors
                ],
            }
            for scu in ordered
        ],
        "summaries": [_summary(scored, numbers) for scored in section.results],
    }


def _system(system: SystemMeans) -> dict[str, Any]:
    names = ("role", "n", "means", "intervals")
    return {"id": system.system, **{name: getattr(system, name) for name in names}}


def report_data(evaluation: Evaluation) -> dict[str, Any]:
    """Return everything that a report shows; ``docs/report.md`` says what each field means."""
    settings = evaluation.results[0].scores.settings if evaluation.results else Settings()
    return {
        "format": FORMAT,
        "signature": str(evaluation.signature),
        "settings": asdict(settings),
        "unclear": UNCLEAR,
        "topics": [_topic(section, settings) for section in sections(evaluation)],
        "systems": [_system(system) for system in evaluation.systems],
    }
