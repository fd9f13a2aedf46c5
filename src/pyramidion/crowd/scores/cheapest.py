"""The cheapest design that would have been enough: cost against correlation (Shapira et al. 2019 §4, *Cost analysis*).

Every combination of workers, statements and topics that :mod:`~pyramidion.crowd.scores.curves` resampled has a mean
correlation and a mean half-width of systems' intervals, and :func:`~pyramidion.crowd.cost.cost_of_topics` gives its
price, as it gives that of a plan. The cheapest one that is precise enough is the design to repeat; nothing beyond what
was collected is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any, Literal

from pyramidion.base.choices import check_choices
from pyramidion.crowd.cost import TopicSize, cost_of_topics
from pyramidion.crowd.design import Design
from pyramidion.crowd.scores.curves import Point
from pyramidion.errors import ModelError

Measure = Literal["pearson", "spearman"]


@dataclass(frozen=True, slots=True)
class PricedDesign:
    """A design, and what it costs."""

    point: Point
    cents: int
    """The price of both phases and all systems."""

    def correlation(self, measure: Measure) -> float | None:
        """Return the mean correlation over resamples."""
        spread = self.point.pearson if measure == "pearson" else self.point.spearman
        return spread.mean if spread else None

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {"cents": self.cents, **asdict(self.point)}


def designs(points: Iterable[Point], design: Design, topics: Sequence[TopicSize]) -> tuple[PricedDesign, ...]:
    """Return the price of each point, by the design's rewards, task sizes and fees; the cheapest first.

    ``topics`` are all that were judged. They may differ in size, so fewer topics cost their share of the whole price,
    in whole cents.
    """
    priced = [PricedDesign(point, _price(point, design, topics)) for point in points]
    return tuple(
        sorted(
            priced,
            key=lambda option: (option.cents, -option.point.topics, -option.point.statements, option.point.workers),
        )
    )


def _price(point: Point, design: Design, topics: Sequence[TopicSize]) -> int:
    design = replace(design, workers=point.workers, sample=point.statements)
    whole = cost_of_topics(design, topics, systems=max((topic.summaries for topic in topics), default=0)).total
    # rounded up, as in every price, so that no design looks too cheap
    return -(-whole * point.topics // len(topics))


@check_choices
def frontier(among: Sequence[PricedDesign], measure: Measure = "pearson") -> tuple[PricedDesign, ...]:
    """Return the designs that no other beats: every design that costs as much or less correlates less."""
    kept: list[PricedDesign] = []
    best = -inf
    # from the cheapest on, a design is beaten if one before it correlates as much
    for design in _by_price(among, measure):
        value = design.correlation(measure)
        if value is not None and value > best + 1e-9:  # a difference in the last digits is no gain
            kept.append(design)
            best = value
    return tuple(kept)


def _by_price(among: Sequence[PricedDesign], measure: Measure) -> list[PricedDesign]:
    """Sort the cheapest first; at the same price, the higher correlation comes first."""

    def key(design: PricedDesign) -> tuple[int, float]:
        value = design.correlation(measure)
        return design.cents, inf if value is None else -value

    return sorted(among, key=key)


@check_choices
def cheapest(
    among: Sequence[PricedDesign],
    *,
    want: float | None = None,
    measure: Measure = "pearson",
    half_width: float | None = None,
) -> PricedDesign | None:
    """Return the cheapest design with at least that mean correlation and at most that half-width, if there is one."""
    if want is not None and not -1 <= want <= 1:
        raise ModelError(f"The wanted correlation is {want:g}", do="give a number up to 1, such as .95")
    if half_width is not None and not half_width > 0:
        raise ModelError(f"The wanted half-width is {half_width:g}", do="give a positive number, such as .03")
    for design in _by_price(among, measure):
        correlated, width = design.correlation(measure), design.point.half_width
        if want is not None and (correlated is None or correlated < want):
            continue
        if half_width is not None and (width is None or width > half_width):
            continue
        return design
    return None
