"""From what candidate and references share to recall, precision and F, over one reference or several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pyramidion.errors import ModelError

if TYPE_CHECKING:  # numpy takes longer to import than everything else that --help needs
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64] | NDArray[np.float64]

Combination = Literal["average", "best", "jackknife"]


class RougeScore(NamedTuple):
    """Recall, precision and their weighted harmonic mean."""

    recall: float
    precision: float
    f: float

    def printed(self, alpha: float = 0.5) -> tuple[str, str, str]:
        """Return the digits that ROUGE-1.5.5 prints: five decimals, F taken from the rounded recall and precision.

        >>> RougeScore(2 / 3, 1 / 7, 4 / 17).printed()
        ('0.66667', '0.14286', '0.23530')
        """
        recall, precision = f"{self.recall:.5f}", f"{self.precision:.5f}"
        r, p = float(recall), float(precision)
        return recall, precision, f"{_ratio(p * r, (1 - alpha) * p + alpha * r):.5f}"


def check_references(references: Iterable[str]) -> tuple[str, ...]:
    """Return the references of one candidate; raise an error if there are none."""
    if isinstance(references, str):
        raise ModelError(
            "The references are a single string", do="give a list of references, even if there is only one"
        )
    texts = tuple(references)
    if not texts:
        raise ModelError("There is no reference", do="give at least one reference")
    return texts


def combine(
    hits: Numbers,
    references: Numbers,
    candidates: Numbers,
    sizes: list[int],
    how: Combination,
    alpha: float,
    power: float = 1,
    weighted: float = 1,
) -> list[RougeScore]:
    """Return the scores of candidates that have so many references each (``sizes``).

    The three columns have an entry for each candidate and reference, side by side: what they share, and what that is
    divided by for recall and for precision. The quotients are raised to ``1 / power``. The best reference is the one
    with the most hits for its size, where sizes are raised to ``1 / weighted``.
    """
    import numpy as np

    columns = hits, references, candidates
    ends = np.cumsum(np.array(sizes, dtype=np.int64))
    if how == "average":
        return list(map(RougeScore, *_rates(alpha, power, *(_sums(column, ends) for column in columns))))
    # Equal recalls are settled by hits, so that the order of references does not matter; in ROUGE-1.5.5 it does.
    owners = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((candidates, hits, _ratio(hits, _root(references, weighted)), owners))
    firsts = order[ends - 1]
    best = _rates(alpha, power, *(column[firsts] for column in columns))
    if how == "best":
        return list(map(RougeScore, *best))
    # Of the n ways to leave one out, the best reference is missing from one, and the second best wins there.
    seconds = order[ends - np.minimum(sizes, 2)]
    second = _rates(alpha, power, *(column[seconds] for column in columns))
    return list(map(RougeScore, *(_means(sizes, *rates) for rates in zip(best, second, strict=True))))


def _means(sizes: list[int], best: list[float], second: list[float]) -> Iterator[float]:
    return (((n - 1) * top + next_best) / n for n, top, next_best in zip(sizes, best, second, strict=True))


def _rates(
    alpha: float, power: float, hits: Numbers, references: Numbers, candidates: Numbers
) -> tuple[list[float], list[float], list[float]]:
    """Return recall, precision and F."""
    recall, precision = (_root(_ratio(hits, sizes), power) for sizes in (references, candidates))
    f = _ratio(precision * recall, (1 - alpha) * precision + alpha * recall)
    return recall.tolist(), precision.tolist(), f.tolist()


def _root(column: Numbers, power: float) -> Numbers:
    """Return the numbers to ``1 / power``, by Python's power: its last digit does not depend on their count."""
    import numpy as np

    return column if power == 1 else np.array([x ** (1 / power) for x in column.tolist()])


def _sums(column: Numbers, ends: NDArray[np.int64]) -> Numbers:
    """Return the sums of the parts of a column that end at ``ends``; order within a part does not matter."""
    import numpy as np

    starts = np.concatenate([[0], ends[:-1]])
    if column.dtype.kind == "i":
        return np.asarray(np.add.reduceat(column, starts))
    return np.array([fsum(column[start:end].tolist()) for start, end in zip(starts, ends, strict=True)])


def _ratio(part: Any, whole: Any) -> Any:
    """Return the quotients, 0 where the divisor is 0; of numbers or of arrays."""
    if isinstance(whole, float):
        return part / whole if whole else 0.0
    import numpy as np

    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole != 0)
