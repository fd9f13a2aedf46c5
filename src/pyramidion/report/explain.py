"""Why a summary got its score: which SCUs it expresses, in which words, and which it missed, most important first."""

from __future__ import annotations

from dataclasses import dataclass

from pyramidion.model import Annotation, Pyramid
from pyramidion.score import DEFAULT, Settings, weight_of

__all__ = ["Explanation", "Expressed", "Missed", "explain"]


@dataclass(frozen=True, slots=True)
class Expressed:
    """An SCU that the summary expresses: the words of each expression, and how sure the surest is."""

    scu: str
    label: str
    weight: int
    words: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Missed:
    """An SCU that the summary does not express."""

    scu: str
    label: str
    weight: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a summary says of the pyramid, what it misses, and what it says besides."""

    expressed: tuple[Expressed, ...]
    missed: tuple[Missed, ...]
    unmatched: tuple[str, ...]


def explain(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> Explanation:
    """The explanation of one annotated summary; SCUs by falling weight, then in the pyramid's order."""
    matches: dict[str, list[tuple[str, float]]] = {}
    for match in annotation.matches:
        matches.setdefault(match.scu, []).append((annotation.summary.quote(match.spans), match.score))
    weights = {scu.id: weight_of(scu, settings) for scu in pyramid.scus}
    ranked = sorted(pyramid.scus, key=lambda scu: -weights[scu.id])
    expressed = tuple(
        Expressed(
            scu.id,
            scu.label,
            weights[scu.id],
            tuple(words for words, _ in matches[scu.id] if words),
            max(score for _, score in matches[scu.id]),
        )
        for scu in ranked
        if scu.id in matches
    )
    return Explanation(
        expressed,
        tuple(Missed(scu.id, scu.label, weights[scu.id]) for scu in ranked if scu.id not in matches),
        tuple(filter(None, (annotation.summary.quote(unit.spans) or unit.label for unit in annotation.unmatched))),
    )
