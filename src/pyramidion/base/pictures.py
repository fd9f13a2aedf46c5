"""A drawing by matplotlib as a file's content: the same bytes for the same drawing, of one matplotlib version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Literal

from pyramidion.errors import MissingPartError, PyramidionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PictureFormat = Literal["svg", "png", "pdf"]

# a date in the file would make two drawings of the same numbers differ
_METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
_LETTERS = 16
"""The number of the signature's letters per inch."""


def check_picture(path: Path) -> PictureFormat:
    """Return the format that a file's name asks for, if it can be drawn here."""
    formats: tuple[PictureFormat, ...] = ("svg", "png", "pdf")
    for format in formats:
        if path.suffix.lower() == f".{format}":
            if find_spec("matplotlib") is None:
                raise MissingPartError("Drawing needs matplotlib", do="run: pip install 'pyramidion[plot]'")
            return format
    raise PyramidionError("A picture of this kind cannot be drawn", str(path), "name it .svg, .png or .pdf")


@contextmanager
def picture(format: PictureFormat, size: tuple[float, float], signature: str) -> Iterator[tuple[Figure, BytesIO]]:
    """Open an empty figure of a size in inches, and a buffer that holds the drawing and its signature afterwards."""
    try:
        from matplotlib import rc_context, style
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPartError(
            f"Drawing needs matplotlib ({error})", do="run: pip install 'pyramidion[plot]'"
        ) from error
    out = BytesIO()
    with (
        style.context("default"),
        rc_context(
            # a column or a summary may have a name that looks like mathematics
            {"svg.hashsalt": "pyramidion", "svg.fonttype": "none", "text.parse_math": False}
        ),
    ):
        figure = Figure(figsize=size, layout="constrained")
        yield figure, out
        figure.supxlabel(fill(signature, round(size[0] * _LETTERS)), fontsize=6, color="0.4")
        figure.savefig(out, format=format, dpi=150, metadata=_METADATA[format])
