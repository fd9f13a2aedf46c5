r"""Many tests at once: p-values adjusted so that they can still be held against alpha.

Of m tests at level alpha whose nulls are all true, alpha m find something. With p_(1) <= ... <= p_(m),

========  =============================================================================================================
holm      p'_(i) = max_{j <= i} min(1, (m - j + 1) p_(j)): the chance of even one false finding stays within alpha,
          however the tests depend on each other.
bh        Benjamini and Hochberg: p'_(i) = min_{j >= i} min(1, m p_(j) / j): of what is found, a share of alpha is
          false on average; for independent tests, and for those that depend positively. Finds more.
none      p' = p.
========  =============================================================================================================

Tests of all pairs of systems are not independent, because pairs share systems. Holm's promise holds all the same; that
of ``bh`` has held in simulations of all pairwise comparisons but is not proven.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError

Correction = Literal["holm", "bh", "none"]
CORRECTIONS: dict[str, str] = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}
"""The corrections as captions name them."""


@check_choices
def adjust(p: ArrayLike, correction: Correction = "holm") -> NDArray[np.float64]:
    """Return the p-values, adjusted, in their order.

    >>> adjust([.01, .04, .03], "holm").tolist()
    [0.03, 0.06, 0.06]
    >>> adjust([.01, .04, .03], "bh").round(12).tolist()
    [0.03, 0.04, 0.04]
    """
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ModelError("The values are not p-values", do="give numbers from 0 to 1")
    if correction == "none" or not len(values):
        return values.copy()
    m = len(values)
    order = values.argsort(kind="stable")
    if correction == "holm":
        # no adjusted value is below that of a smaller p-value
        ordered = np.maximum.accumulate(np.arange(m, 0, -1) * values[order])
    else:
        ordered = np.minimum.accumulate((m / np.arange(1, m + 1) * values[order])[::-1])[::-1]
    back = np.empty(m)
    back[order] = np.minimum(ordered, 1)
    return back
