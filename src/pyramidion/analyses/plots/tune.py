"""A tuning as a picture: correlation over two parameters (Gao et al. 2019, Figure 8), or along one.

Colour is the mean correlation over all other parameters; dots are the cells' values, a star the recommended cell. The
figure's axes are the paper's where both are tried: beta across, the percentile of t_edge up; else the first two
parameters with several values. Values that are not numbers stand at equal distances. The same tuning gives the same
bytes (of one matplotlib version).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat, picture
from pyramidion.errors import PyramidionError
from pyramidion.methods import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pyramidion.analyses.tune.result import Tuning

_FIGURE_8 = ("beta", "percentile")


@dataclass(frozen=True, slots=True)
class Surface:
    """Mean correlations over one parameter (``y`` is empty) or two."""

    x: str
    x_values: tuple[Value, ...]
    y: str
    y_values: tuple[Value, ...]
    means: tuple[tuple[float | None, ...], ...]
    """A row for each value of y, a column for each of x."""


def surface(tuning: Tuning) -> Surface:
    """Return the mean correlations to draw."""
    several = [name for name, values in tuning.grid if len(values) > 1]
    if not several:
        raise PyramidionError(
            "There is only one cell, so there is nothing to draw", do="try several values of a parameter"
        )
    names = list(_FIGURE_8) if set(_FIGURE_8) <= set(several) else several[:2]
    values = dict(tuning.grid)
    x = _in_order(values[names[0]])
    if len(names) == 1:
        means = tuning.means(names[0])
        made = Surface(names[0], x, "", (), (tuple(means[value,] for value in x),))
    else:
        y = _in_order(values[names[1]])
        means = tuning.means(*names)
        made = Surface(names[0], x, names[1], y, tuple(tuple(means[across, up] for across in x) for up in y))
    if all(mean is None for row in made.means for mean in row):
        raise PyramidionError("No cell has a correlation, so there is nothing to draw", do="try other values")
    return made


def _in_order(values: Sequence[Value]) -> tuple[Value, ...]:
    """Sort numbers by size; words stay as they were given."""
    return tuple(sorted(values)) if _are_numbers(values) else tuple(values)


def _are_numbers(values: Sequence[Value]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


@check_choices
def draw_tuning(tuning: Tuning, format: PictureFormat = "svg") -> bytes:
    """Draw the surface or the line, and return the picture as a file's content."""
    shown = surface(tuning)
    with picture(format, (7, 5), str(tuning.signature)) as (figure, out):
        axes = figure.add_subplot()
        if shown.y:
            _contour(figure, axes, shown, tuning)
        else:
            _line(axes, shown, tuning)
        averaged = [name for name, values in tuning.grid if len(values) > 1 and name not in (shown.x, shown.y)]
        over = f", mean over {' and '.join(averaged)}" if averaged else ""
        axes.set_title(fill(f"{tuning.method}: r of {tuning.quantity} with {tuning.column}{over}", 70))
    return out.getvalue()


def _places(values: Sequence[Value]) -> list[float]:
    """Return the positions of values on an axis; words stand at equal distances."""
    return [float(value) for value in values] if _are_numbers(values) else [float(i) for i in range(len(values))]


def _axis(values: Sequence[Value]) -> dict[str, Any]:
    """Return an axis's ticks: the values themselves."""
    return {"ticks": _places(values), "labels": [str(value) for value in values]}


def _recommended(tuning: Tuning) -> dict[str, Value]:
    return dict(tuning.recommended.parameters) if tuning.recommended else {}


def _contour(figure: Figure, axes: Axes, shown: Surface, tuning: Tuning) -> None:
    """Draw the means over two parameters as colours, the cells as dots and the recommended cell as a star."""
    import numpy as np

    x, y = _places(shown.x_values), _places(shown.y_values)
    z = np.ma.masked_invalid([[np.nan if mean is None else mean for mean in row] for row in shown.means])
    low, high = float(z.min()), float(z.max())
    if high - low < 1e-6:  # a plane has no contours of its own
        low, high = low - 0.01, high + 0.01
    levels = np.linspace(low, high, 13)
    filled = axes.contourf(x, y, z, levels=levels, cmap="viridis", extend="neither")
    across, up = np.meshgrid(x, y)
    there = ~np.ma.getmaskarray(z)
    axes.scatter(
        across[there], up[there], c=z.compressed(), cmap="viridis", vmin=low, vmax=high, s=18, edgecolors="white",
        linewidths=0.5, zorder=3, clip_on=False,
    )  # fmt: skip
    if best := _recommended(tuning):
        star = (x[shown.x_values.index(best[shown.x])], y[shown.y_values.index(best[shown.y])])
        axes.plot(
            *star,
            marker="*",
            markersize=16,
            color="#d62728",
            markeredgecolor="white",
            zorder=4,
            linestyle="",
            clip_on=False,
        )
    bar = figure.colorbar(filled, ax=axes, ticks=levels[::3], format="%.3f")
    bar.set_label("Pearson's r")
    axes.set_xticks(**_axis(shown.x_values))
    axes.set_yticks(**_axis(shown.y_values))
    axes.set_xlabel(shown.x)
    axes.set_ylabel(shown.y)


def _line(axes: Axes, shown: Surface, tuning: Tuning) -> None:
    """Draw the means along one parameter, and the recommended cell as a star."""
    known = [
        (place, mean) for place, mean in zip(_places(shown.x_values), shown.means[0], strict=True) if mean is not None
    ]
    axes.plot([place for place, _ in known], [mean for _, mean in known], marker="o")
    best = _recommended(tuning)
    if best:
        index = shown.x_values.index(best[shown.x])
        mean = shown.means[0][index]
        if mean is not None:
            axes.plot(_places(shown.x_values)[index], mean, marker="*", markersize=16, color="#d62728", linestyle="")
    axes.set_xticks(**_axis(shown.x_values))
    axes.set_xlabel(shown.x)
    axes.set_ylabel("Pearson's r")
    axes.grid(alpha=0.3)
