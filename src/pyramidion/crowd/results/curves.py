"""How much of a crowd study is enough, and what does it cost (Shapira et al. 2019 §4)?

Correlations as workers, statements and topics are reduced (:mod:`~pyramidion.crowd.scores.curves`), how far scores move
when others judge, and the price of every design (:mod:`~pyramidion.crowd.scores.cheapest`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table, plural
from pyramidion.crowd.cost import TopicSize, dollars, topic_sizes
from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.filtering import screen
from pyramidion.crowd.judging.judgements import Judgements
from pyramidion.crowd.judging.screening import SCREENING, Screening
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.results.plot import draw_curves
from pyramidion.crowd.scores.cheapest import Measure, PricedDesign, cheapest, designs, frontier
from pyramidion.crowd.scores.curves import Curves, Point, Rerun, curves, judged_again, summary_scores
from pyramidion.crowd.scores.resampling import RESAMPLES
from pyramidion.crowd.study import Study
from pyramidion.result import Result
from pyramidion.signature import Signature

_REFERENCES = 4
"""The number of references of a topic in the paper, for results without a study."""


@check_choices
def crowd_curves(
    judgements: Judgements,
    *,
    aggregation: str = "majority",
    screening: Screening = SCREENING,
    against: Mapping[str, float] | None = None,
    name: str = "",
    workers: Sequence[int] = (),
    statements: Sequence[int] = (),
    topics: Sequence[int] = (),
    second: Judgements | None = None,
    want: float | None = None,
    half_width: float | None = None,
    measure: Measure = "pearson",
    references: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Callable[[int], None] = lambda number: None,
) -> CrowdCurves:
    """Compute the correlations that fewer workers, statements or topics would have given.

    ``against`` is another score of the systems, called ``name``; the whole study's own if there is none. ``second`` are
    later judgements of the same summaries. ``want`` (a correlation, by ``measure``) and ``half_width`` (of systems'
    intervals) ask for the cheapest design that reaches them. ``references`` of a topic are for the price of writing.
    """
    study = judgements.study
    screened = screen(judgements.votes, screening, simulated=judgements.simulated)
    measured = curves(
        screened.votes,
        aggregation,
        against=against,
        name=name,
        study=study,
        workers=workers,
        statements=statements,
        topics=topics,
        resamples=resamples,
        seed=seed,
        screening=screened.parameters,
        progress=progress,
    )
    moved = None
    if second is not None:
        later = screen(second.votes, screening).votes
        moved = judged_again(
            summary_scores(screened.votes, aggregation, study), summary_scores(later, aggregation, second.study)
        )
    sizes = _sizes(study, screened.votes, len(measured.systems), references)
    priced = designs(measured.points, study.design if study else Design(), sizes)
    wanted = (
        *([] if want is None else [f"a {measure} of {want:g} or more"]),
        *([] if half_width is None else [f"intervals of +- {half_width:g} or less"]),
    )
    return CrowdCurves(
        measured.signature,
        measured,
        priced,
        sizes,
        "the study" if study else "the paper",
        measure,
        " and ".join(wanted),
        cheapest(priced, want=want, measure=measure, half_width=half_width) if wanted else None,
        moved,
    )


def _sizes(study: Study | None, votes: Votes, systems: int, references: int | None) -> tuple[TopicSize, ...]:
    """Return the sizes of the topics that were judged: the study's; without one, all systems on every topic."""
    if study is None:
        return (TopicSize(_REFERENCES if references is None else references, systems),) * len(votes.topics)
    sizes = topic_sizes(study, votes.topics)
    return sizes if references is None else tuple(replace(size, references=references) for size in sizes)


@dataclass(frozen=True)
class CrowdCurves(Result):
    """Curves, every design with its price, and the cheapest that gives what was wanted."""

    signature: Signature
    curves: Curves
    designs: tuple[PricedDesign, ...]
    """The cheapest first."""
    sizes: tuple[TopicSize, ...]
    """The sizes of the topics that were judged, which are priced."""
    prices: str
    """The source of the rewards and fees."""
    measure: Measure
    """The correlation that designs are ranked by."""
    wanted: str
    """The condition for the cheapest design, in words; empty if none was given."""
    cheapest: PricedDesign | None
    """The cheapest design that meets the condition; None if no design does."""
    second: Rerun | None
    """The change of scores from the first to the second judgements."""

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the three curves, and the designs that no cheaper one beats or, with ``whole``, all designs."""
        designs = self.designs if whole else frontier(self.designs, self.measure)
        return {"curves": self._curves(), "designs": self._designs(designs)}

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw Figures 1 and 2 of the paper, and cost against correlation."""
        return draw_curves(self.curves, self.designs, format, measure=self.measure, cheapest=self.cheapest)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        curves = self.curves
        return {
            "signature": str(self.signature),
            "against": curves.against,
            "systems": list(curves.systems),
            "resamples": curves.resamples,
            "most": asdict(curves.most),
            "curves": {resource: [asdict(point) for point in points] for resource, points in curves.curves.items()},
            "rerun": asdict(curves.rerun) if curves.rerun else None,
            "designs": [design.to_json() for design in self.designs],
            "cheapest": self.cheapest.to_json() if self.cheapest else None,
            "sentence": self.cheapest_sentence,
            "notes": list(curves.notes),
            "second": asdict(self.second) if self.second else None,
        }

    @property
    def cheapest_sentence(self) -> str:
        """The cheapest design that meets the condition, in a sentence; empty if no condition was given."""
        if not self.wanted:
            return ""
        # the design with everything that was collected, for comparison
        most = next(design for design in self.designs if design.point == self.curves.most)
        if self.cheapest is None:
            value, width = most.correlation(self.measure), most.point.half_width
            reached = [
                *([] if value is None else [f"a {self.measure} of {value:.3f}"]),
                *([] if width is None else [f"a half-width of {width:.3f}"]),
            ]
            return (
                f"No design within what was collected has {self.wanted}; all of it has "
                f"{' and '.join(reached) or 'neither'}."
            )
        point = self.cheapest.point
        return (
            f"The cheapest design with {self.wanted}: {plural(point.workers, 'worker')} a statement, "
            f"{plural(point.statements, 'statement')} a topic, {plural(point.topics, 'topic')}, for "
            f"{dollars(self.cheapest.cents)} ({dollars(most.cents)} for {most.point.workers}, {most.point.statements} "
            f"and {most.point.topics}, the most that was collected of each)."
        )

    def _curves(self) -> Table:
        """Make the table of the three curves."""
        curves, most = self.curves, self.curves.most
        lines = (
            f"Whole: up to {plural(most.workers, 'vote')} an item, {plural(most.statements, 'statement')} a topic, "
            f"{plural(most.topics, 'topic')}. Means over {plural(curves.resamples, 'resample')}; low and high hold "
            "95 % of them. +-: half of a system's 95 % interval.",
            *([rerun_sentence(curves.rerun)] if curves.rerun else []),
            *curves.notes,
        )
        keys = "reduced to pearson pearson_low pearson_high spearman spearman_low spearman_high half"
        return Table(
            ("reduced", "to", "pearson", "low", "high", "spearman", "low", "high", "+-"),
            tuple(
                (resource, getattr(point, resource), *_figures(point))
                for resource, points in curves.curves.items()
                for point in points
            ),
            f"Correlation of {plural(len(curves.systems), 'system')} with {curves.against}, as resources are reduced",
            "\n".join(lines),
            tuple(keys.split()),
            str(self.signature),
        )

    @property
    def _priced(self) -> str:
        """The references and summaries that are priced: by topic if all topics are alike, otherwise the sums."""
        systems = len(self.curves.systems)
        by_topic = {(size.references, size.summaries) for size in self.sizes}
        if by_topic == {(self.sizes[0].references, systems)}:
            written, judged = f"{plural(self.sizes[0].references, 'reference')} a topic", plural(systems, "system")
        else:
            written = plural(sum(size.references for size in self.sizes), "reference")
            judged = f"{sum(size.summaries for size in self.sizes)} summaries with a text"
        is_written = any(size.references for size in self.sizes)
        return f"{written} and {judged}" if is_written else f"judging alone, of {judged}"

    def _designs(self, designs: Sequence[PricedDesign]) -> Table:
        """Make the table of these designs and their prices."""
        lines = (
            rerun_sentence(self.second) if self.second else "",
            self.cheapest_sentence,
            f"Price of {self._priced}, by the rewards and fees of {self.prices}. Nothing beyond what was collected is "
            "guessed.",
        )
        columns = ("workers", "statements", "topics", "cost", "pearson", "spearman", "+-")
        return Table(
            columns,
            tuple(
                # every third figure: the two means and the half-width, without low and high
                (point.workers, point.statements, point.topics, dollars(design.cents), *_figures(point)[::3])
                for design in designs
                for point in [design.point]
            ),
            "Designs that no cheaper one beats",
            "\n".join(filter(None, lines)),
            (*columns[:-1], "half_width"),
            str(self.signature),
        )


def _figures(point: Point) -> tuple[Cell, ...]:
    spreads = (
        (None, None, None) if spread is None else (spread.mean, spread.low, spread.high)
        for spread in (point.pearson, point.spearman)
    )
    return (*(cell for spread in spreads for cell in spread), point.half_width)


def rerun_sentence(rerun: Rerun) -> str:
    """Say how much scores change if other workers judge."""
    change = rerun.change
    compared = (
        f"between two halves of {plural(rerun.workers, 'worker')} an item ({change.low:.1%} to {change.high:.1%})"
        if rerun.workers
        else "to the second votes"
    )
    zero = f"; {plural(rerun.left_out, 'system')} of score 0 left out" if rerun.left_out else ""
    alike = f" The two correlate by {rerun.pearson.mean:.3f} (Pearson)." if rerun.pearson else ""
    note = f" {rerun.note}" if rerun.note else ""
    systems = plural(rerun.systems, "system")
    return f"Scores change by {change.mean:.1%} on average {compared}, over {systems}{zero}.{alike}{note}"
