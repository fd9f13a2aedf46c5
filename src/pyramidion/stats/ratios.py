"""Ratios of arrays where some denominators are 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def ratios(
    part: NDArray[np.generic],
    whole: NDArray[np.generic],
    undefined: float = np.nan,
    where: NDArray[np.bool_] | None = None,
) -> Array:
    """Divide ``part`` by ``whole`` where ``whole`` is above 0, or where ``where`` holds; elsewhere ``undefined``.

    >>> ratios(np.array([1, 2, 3]), np.array([2, 0, 4])).tolist()
    [0.5, nan, 0.75]
    """
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), undefined)
    divided: Array = np.divide(part, whole, out=out, where=whole > 0 if where is None else where)  # type: ignore[operator]
    return divided
