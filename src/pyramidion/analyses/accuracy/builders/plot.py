"""Builders beside the given pyramids as a picture: purity, completeness and F1 of each, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat, picture

if TYPE_CHECKING:
    from pyramidion.analyses.accuracy.builders.result import BuildersStudy

_PANELS = {"purity": "purity", "completeness": "completeness", "f1": "F1", "word_f1": "F1 of words"}


@check_choices
def draw_builders(study: BuildersStudy, format: PictureFormat = "svg") -> bytes:
    """Draw a panel for each figure, with a line for each method; return the picture as a file's content."""
    methods = study.of()
    with picture(format, (11, 1.4 + 0.35 * len(methods)), str(study.signature)) as (figure, out):
        panels = figure.subplots(1, len(_PANELS), sharey=True)
        for axes, (name, title) in zip(panels, _PANELS.items(), strict=True):
            for line, method in enumerate(methods):
                shown = getattr(method, name)
                if shown.value is None:
                    continue
                if shown.interval:
                    axes.plot(shown.interval, (line, line), color="C0", linewidth=2, alpha=0.5)
                axes.plot(shown.value, line, "o", color="C0")
            axes.set_xlim(0, 1)
            axes.set_title(title, fontsize=10)
            axes.grid(axis="x", alpha=0.3)
        panels[0].set_yticks(range(len(methods)), [method.method for method in methods])
        panels[0].set_ylim(len(methods) - 0.5, -0.5)
    return out.getvalue()
