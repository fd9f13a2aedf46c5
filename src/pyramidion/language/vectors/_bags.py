"""The sum of a table's rows over each text's tokens: no Python loop over tokens, no dependence on the batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pyramidion.language.vectors._table import Matrix

_BLOCK = 20_000
"""The number of rows looked up at once: enough to be fast, few enough for the processor's cache."""


def sums(rows: NDArray[np.int8] | Matrix, weights: Matrix, bags: Sequence[Sequence[int]]) -> Matrix:
    """Return the weighted sum of the rows of each bag of row numbers.

    Bags of one size are added up together: numpy then adds whole rows in the bag's order, whatever the other bags are
    (and five times faster than ``np.add.reduceat``).

    >>> rows = np.array([[1, 0], [0, 2]], np.float32)
    >>> sums(rows, np.array([1, 3], np.float32), [[0, 1, 1], []]).tolist()
    [[1.0, 12.0], [0.0, 0.0]]
    """
    result = np.zeros((len(bags), rows.shape[1]), np.float32)
    sizes = np.fromiter(map(len, bags), np.intp, len(bags))
    for size in np.unique(sizes[sizes > 0]):
        members = np.flatnonzero(sizes == size)
        step = max(1, _BLOCK // int(size))
        for first in range(0, len(members), step):
            block = members[first : first + step]
            numbers = np.array([bags[index] for index in block], np.intp)
            result[block] = (rows[numbers] * weights[numbers, None]).sum(axis=1, dtype=np.float32)
    return result
