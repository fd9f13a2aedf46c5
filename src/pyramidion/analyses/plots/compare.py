"""A comparison of systems as a picture: means with their intervals, best on top, and the letters of their groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat, picture

if TYPE_CHECKING:
    from pyramidion.analyses.compare.result import Comparison


@check_choices
def draw_comparison(comparison: Comparison, format: PictureFormat = "svg") -> bytes:
    """Draw the means and letters, and return the picture as a file's content."""
    systems = comparison.systems
    height = min(40.0, max(2.5, 1.5 + 0.25 * len(systems)))
    with picture(format, (8, height), str(comparison.signature)) as (figure, out):
        axes = figure.subplots()
        places = range(len(systems))
        means = [system.mean for system in systems]
        below = [system.mean - system.interval.low if system.interval else 0 for system in systems]
        above = [system.interval.high - system.mean if system.interval else 0 for system in systems]
        axes.errorbar(means, places, xerr=[below, above], fmt="o", color="0.1", ecolor="C0", capsize=2, markersize=4)
        axes.set_yticks(list(places), [system.system for system in systems], fontsize=8)
        axes.invert_yaxis()
        right = axes.secondary_yaxis("right")
        right.set_yticks(list(places), [system.letters for system in systems], fontsize=8)
        right.tick_params(length=0)
        axes.set_xlabel(f"mean {comparison.score}, 95 % interval")
        axes.set_title(
            f"systems that share a letter are not told apart at {comparison.alpha:g} ({comparison.test})", fontsize=10
        )
        axes.grid(axis="x", alpha=0.3)
    return out.getvalue()
