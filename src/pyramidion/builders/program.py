r"""Integer programs that choose EDUs, solved with HiGHS: what the alignment and the oracle have in common.

.. math:: \max c^\top v : \quad A v \le b, \qquad 0 \le v \le u, \qquad v \in \mathbb{Z}^n.

Both programs are feasible (choose nothing) and bounded (every variable is). So a solver that ends without a solution
ran out of time or failed: then the choice that the caller knows stands, with the bound that was proved, if any. Nothing
depends on the clock until the time is up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pyramidion.base import solver as highs
from pyramidion.errors import PyramidionError

TIME_LIMIT = 60.0
"""The seconds for each reference; a reference of a hundred words needs less than one."""

TOLERANCE = 1e-6
"""A choice this near its bound, relatively, is optimal."""

SLACK = 1e-3
"""The distance below the known solution at which the search begins, because of the solver's tolerance."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Some EDUs of the sources, by number and in order; what they are worth; and what no choice exceeds.

    ``aligned`` has, where a program aligns, the EDU of the reference that each of them stands for.
    """

    edus: tuple[int, ...] = ()
    value: float = 0.0
    bound: float = 0.0
    aligned: tuple[int, ...] = ()

    @property
    def gap(self) -> float:
        """Return the largest distance from the optimum, as a share of the bound."""
        return max(0.0, self.bound - self.value) / self.bound if self.bound > 0 else 0.0

    @property
    def proved(self) -> bool:
        """The choice is an optimum, to within :data:`TOLERANCE`."""
        return self.bound - self.value <= TOLERANCE * max(1.0, self.bound)


class Program:
    """A program under construction: variables and rows are added, then it is solved once."""

    def __init__(self) -> None:
        self.worth: list[float] = []
        self.most: list[float] = []
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._values: list[float] = []
        self._limits: list[float] = []

    def variable(self, worth: float = 0.0, most: float = 1.0) -> int:
        """A variable from 0 to ``most``, and what each of it adds to the objective."""
        self.worth.append(worth)
        self.most.append(most)
        return len(self.worth) - 1

    def at_most(self, limit: float, columns: Sequence[int], values: Sequence[float]) -> None:
        """A row: the sum of values times variables is at most the limit."""
        self._rows += [len(self._limits)] * len(columns)
        self._columns += columns
        self._values += values
        self._limits.append(limit)

    def solve(self, seconds: float = TIME_LIMIT, known: float = 0.0) -> tuple[NDArray[np.bool_] | None, float]:
        """Return which variables are 1 in the best solution found (None if none was), and a bound for all solutions.

        ``known`` is the value of a solution that the caller has: nothing below it is searched, which halves the time of
        hard programs.
        """
        if not seconds > 0:
            raise PyramidionError(f"The time limit is {seconds:g} s", do="give a number of seconds above 0")
        worth, most = np.array(self.worth), np.array(self.most)
        everything = float((np.maximum(worth, 0) * most).sum())
        if not len(worth):
            return np.zeros(0, np.bool_), 0.0
        if known > SLACK:
            # A row that the objective must be at least known - SLACK.
            counts = np.flatnonzero(worth).tolist()
            self.at_most(SLACK - known, counts, (-worth[counts]).tolist())
        shape = (len(self._limits), len(worth))
        matrix = sparse.csr_array((self._values, (self._rows, self._columns)), shape=shape)
        solution = highs.solve(worth, matrix, self._limits, most=most, gap=TOLERANCE / 2, seconds=seconds)
        return None if solution.x is None else solution.x > 0.5, min(solution.bound, everything)
