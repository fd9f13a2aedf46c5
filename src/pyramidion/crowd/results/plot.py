"""A study of a crowd evaluation as a picture: Figures 1 and 2 of Shapira et al. 2019, and cost against correlation.

Three panels have the mean Pearson and Spearman correlation over resamples as workers, statements and topics are
reduced, with bands that hold 95 % of the resamples. The fourth has every design by its cost: a line joins those that no
cheaper one beats. The same study gives the same bytes (of one matplotlib version).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat, picture
from pyramidion.crowd.scores.cheapest import Measure, PricedDesign, frontier
from pyramidion.crowd.scores.curves import Curves, Point, Resource, Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LABELS = {"workers": "workers per item", "statements": "statements per topic", "topics": "topics"}
_MOST_TICKS = 7


@check_choices
def draw_curves(
    curves: Curves,
    priced: Sequence[PricedDesign] = (),
    format: PictureFormat = "svg",
    *,
    measure: Measure = "pearson",
    cheapest: PricedDesign | None = None,
) -> bytes:
    """Return the picture as a file's content; without prices it has three panels. The fourth marks ``cheapest``."""
    panels = 4 if priced else 3
    with picture(format, (3.6 * panels, 3.9), str(curves.signature)) as (figure, out):
        all_axes = figure.subplots(1, panels)
        for axes, (resource, points) in zip(all_axes, curves.curves.items(), strict=False):
            _curve(axes, resource, points)
            axes.set_ylabel("" if resource != "workers" else f"correlation with {curves.against}")
        # the three curves share a scale, so that their slopes can be compared
        bottom = min(axes.get_ylim()[0] for axes in all_axes[:3])
        for axes in all_axes[:3]:
            axes.set_ylim(bottom, 1.01)
        if priced:
            _prices(all_axes[3], priced, measure, cheapest)
    return out.getvalue()


def _curve(axes: Axes, resource: Resource, points: Sequence[Point]) -> None:
    """Draw both correlations as one resource is reduced, with the bands of the resamples."""
    for name, colour, marker in (("pearson", "C0", "o"), ("spearman", "C1", "s")):
        spreads: list[tuple[int, Spread]] = [
            (getattr(point, resource), spread) for point in points if (spread := getattr(point, name)) is not None
        ]
        amounts = [amount for amount, _ in spreads]
        axes.fill_between(
            amounts,
            [spread.low for _, spread in spreads],
            [spread.high for _, spread in spreads],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
        means = [spread.mean for _, spread in spreads]
        axes.plot(amounts, means, color=colour, marker=marker, markersize=4, label=name.capitalize())
    ticks = [getattr(point, resource) for point in points]
    axes.set_xticks(ticks[:: max(1, -(-len(ticks) // _MOST_TICKS))])
    axes.set_xlabel(_LABELS[resource])
    axes.set_title(f"fewer {_LABELS[resource]}", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="lower right")


def _prices(axes: Axes, priced: Sequence[PricedDesign], measure: Measure, cheapest: PricedDesign | None) -> None:
    """Draw every design by its cost and correlation, with a line through those that no cheaper one beats."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    workers = sorted({design.point.workers for design in priced})
    for number, amount in enumerate(workers):
        costs_and_values = [
            (design.cents / 100, value)
            for design in priced
            if design.point.workers == amount and (value := design.correlation(measure)) is not None
        ]
        axes.plot(
            [cost for cost, _ in costs_and_values],
            [value for _, value in costs_and_values],
            linestyle="",
            marker="o",
            markersize=3,
            alpha=0.5,
            color=f"C{number % 10}",
            label=f"{amount} worker{'' if amount == 1 else 's'}",
        )
    best = frontier(priced, measure)
    axes.plot(
        [design.cents / 100 for design in best],
        [design.correlation(measure) or 0.0 for design in best],
        color="0.3",
        linewidth=1,
        label="no cheaper one is better",
    )
    if cheapest and (value := cheapest.correlation(measure)) is not None:
        axes.plot(
            [cheapest.cents / 100], [value], marker="*", markersize=14, color="C3", linestyle="", label="cheapest"
        )
    if all(design.cents for design in priced):  # volunteers cost nothing, which has no logarithm
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(top=1.01)
    axes.set_xlabel("cost, dollars")
    axes.set_title(f"cost against {measure.capitalize()}'s correlation", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="lower right")
