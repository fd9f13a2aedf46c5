"""Combinations of two scores along alpha as a picture: Figure 2 of Steinberger et al. 2017.

A colour is a pair of scores, a kind of line a statistic. A star marks the best alpha, chosen on these very summaries; a
ring shows the worth of alphas chosen on other topics, drawn at the median of the choices. Where a ring lies below its
line, the line flatters. The same combinations give the same bytes (of one matplotlib version).
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat, picture
from pyramidion.errors import PyramidionError
from pyramidion.stats.combination import STATISTICS
from pyramidion.stats.correlation import Statistic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pyramidion.analyses.combine.result import Combined

_LINES: dict[Statistic, str] = {"pearson": "-", "spearman": "--", "kendall": ":"}


@check_choices
def draw_curves(combinations: Sequence[Combined], format: PictureFormat = "svg") -> bytes:
    """Draw the curves, and return the picture as a file's content."""
    if not any(
        value is not None
        for combined in combinations
        for curve in combined.combination.curve.values()
        for value in curve
    ):
        raise PyramidionError(
            "No combination has a correlation, so there is nothing to draw", do="leave out the picture"
        )
    with picture(format, (8, 5), "\n".join(str(combined.signature) for combined in combinations)) as (figure, out):
        axes = figure.add_subplot()
        for number, combined in enumerate(combinations):
            for statistic in STATISTICS:
                _curve(axes, combined, statistic, f"C{number % 10}")
        marks = {"*": "best alpha (flattering)", "o": "alpha chosen on others"}
        for marker, label in marks.items():
            # without points: only for the legend
            axes.plot([], [], marker=marker, color="0.3", markerfacecolor="none", linestyle="", label=label)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xlabel("alpha")
        axes.set_ylabel("correlation with human scores")
        titles = (f"alpha * {combined.first} + (1 - alpha) * {combined.second}" for combined in combinations)
        axes.set_title("\n".join(fill(title, 90) for title in titles), fontsize=9)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return out.getvalue()


def _curve(axes: Axes, combined: Combined, statistic: Statistic, colour: str) -> None:
    """Draw one statistic along alpha, and mark the best alpha and the one chosen on others."""
    combination = combined.combination
    line = dict(zip(combination.alphas, combination.curve[statistic], strict=True))
    known = {alpha: value for alpha, value in line.items() if value is not None}
    axes.plot(
        list(known),
        list(known.values()),
        color=colour,
        linestyle=_LINES[statistic],
        label=f"{statistic.capitalize()}: {combined.name}",
    )
    if combination.best_alpha in known:
        axes.plot(
            combination.best_alpha, known[combination.best_alpha], marker="*", markersize=10, color=colour, linestyle=""
        )
    held_out, alpha = combination.worth["held out"][statistic].value, combination.chosen_alpha
    if held_out is not None and alpha is not None:
        axes.plot(alpha, held_out, marker="o", markersize=6, color=colour, markerfacecolor="none", linestyle="")
