"""Reliability diagrams: of judgements with about the same probability, how many do people confirm?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyramidion.analyses.accuracy.judgements import Bin
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat, picture
from pyramidion.errors import PyramidionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ACROSS = 4


@check_choices
def draw_reliability(judges: Mapping[str, Sequence[Bin]], format: PictureFormat, signature: str) -> bytes:
    """Draw a panel for each judge; on the diagonal, people confirm as many judgements as the probability says."""
    known = {name: bins for name, bins in judges.items() if bins}
    if not known:
        raise PyramidionError(
            "No judge gives probabilities, so there is nothing to draw", do="name a judge that gives probabilities"
        )
    across = min(_ACROSS, len(known))
    down = -(-len(known) // across)
    with picture(format, (3.2 * across, 3.3 * down + 0.3), signature) as (figure, out):
        panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flat
        for axes, (name, bins) in zip(panels, known.items(), strict=False):
            _panel(axes, name, bins)
        for axes in list(panels)[len(known) :]:
            axes.axis("off")
    return out.getvalue()


def _panel(axes: Axes, name: str, bins: Sequence[Bin]) -> None:
    """Draw the reliability diagram of one judge; a larger dot stands for more judgements."""
    most = max(point.count for point in bins)
    x, y = [point.probability for point in bins], [point.present for point in bins]
    axes.plot([0, 1], [0, 1], color="0.6", linestyle=":")
    axes.plot(x, y, color="0.1", linewidth=1)
    axes.scatter(x, y, s=[8 + 120 * point.count / most for point in bins], color="#0f655d", zorder=3)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.set_xlabel("probability, mean of the bin")
    axes.set_ylabel("share that people found")
    axes.set_title(name, fontsize=10)
    axes.grid(alpha=0.3)
    axes.label_outer()
