"""The matrix of a study of correlations as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat, picture
from pyramidion.stats.correlation import SIGNS

if TYPE_CHECKING:
    from pyramidion.analyses.correlate.result import CorrelationStudy


@check_choices
def draw_matrix(study: CorrelationStudy, format: PictureFormat = "svg") -> bytes:
    """Draw the matrix of correlations: a square for every two columns, blue for agreement, red for disagreement."""
    names = study.matrix.names
    size = max(4.0, 1.2 + 0.55 * len(names))
    with picture(format, (size + 1, size), str(study.signature)) as (figure, out):
        axes = figure.subplots()
        values = [[float("nan") if value is None else value for value in row] for row in study.matrix.values]
        image = axes.imshow(values, cmap="RdBu", vmin=-1, vmax=1)
        for i, row in enumerate(study.matrix.values):
            for j, value in enumerate(row):
                text = "-" if value is None else f"{value:.2f}".replace("0.", ".")
                colour = "white" if value is not None and abs(value) > 0.6 else "black"
                axes.text(j, i, text, ha="center", va="center", fontsize=7, color=colour)
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.set_title(f"{SIGNS[study.statistic]}, {study.level} level", fontsize=10)
        figure.colorbar(image, ax=axes, shrink=0.8)
    return out.getvalue()
