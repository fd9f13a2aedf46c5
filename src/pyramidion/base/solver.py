r"""Integer and linear programs of one form, solved with HiGHS (Huangfu and Hall 2018).

.. math:: \max c^\top x : \quad A x \le b, \qquad 0 \le x \le u, \qquad x_j \in \mathbb{Z} \text{ where asked for.}

This calls ``highspy``, HiGHS's own interface, and not :func:`scipy.optimize.milp`: the HiGHS 1.12 in scipy 1.17 prints
to standard output, whatever its options are, when it repairs a solution that rounding broke. HiGHS 1.13 does not. Every
call has a solver of its own, so several threads may solve at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import highspy
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Floats = NDArray[np.float64]

_STATUS = highspy.HighsModelStatus


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The best x that was found, if any; a bound that no x exceeds; and how the search ended."""

    x: Floats | None
    bound: float
    """Of the objective: infinity where nothing was proved, minus infinity where no x is feasible."""
    optimal: bool
    status: str
    """In HiGHS's words."""


def solve(
    worth: Floats,
    matrix: sparse.csr_array,
    limits: ArrayLike,
    *,
    most: ArrayLike = 1.0,
    integral: ArrayLike = True,
    gap: float = 0.0,
    seconds: float = float("inf"),
    nodes: int | None = None,
) -> Solution:
    """Maximise ``worth @ x`` where ``matrix @ x <= limits`` and ``0 <= x <= most``.

    ``integral`` says which variables are whole numbers. The search ends when the solution is within ``gap`` of the
    bound, relatively, or after so many seconds or nodes of the tree.

    >>> knapsack = solve(np.array([6.0, 5.0, 4.0]), sparse.csr_array([[3.0, 2.0, 2.0]]), 4)
    >>> knapsack.x.tolist(), knapsack.bound, knapsack.optimal
    ([0.0, 1.0, 1.0], 9.0, True)
    """
    program = _program(worth, matrix, limits, most)
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    whole = np.broadcast_to(np.asarray(integral, np.int64), len(worth)).tolist()
    program.integrality_ = [kinds[is_whole] for is_whole in whole]
    options: dict[str, Any] = {"mip_rel_gap": gap, "time_limit": seconds}
    if nodes is not None:
        options["mip_max_nodes"] = nodes
    return _solution(_solver(program, options))


def _program(worth: Floats, matrix: sparse.csr_array, limits: ArrayLike, most: ArrayLike) -> highspy.HighsLp:
    """Return the linear program that minimises ``-worth @ x``, as HiGHS does, under these constraints."""
    program = highspy.HighsLp()
    rows, columns = matrix.shape
    program.num_row_, program.num_col_ = rows, columns
    program.col_cost_ = -worth
    program.col_lower_ = np.zeros(columns)
    program.col_upper_ = np.broadcast_to(np.asarray(most, np.float64), columns)
    program.row_lower_ = np.full(rows, -np.inf)
    program.row_upper_ = np.broadcast_to(np.asarray(limits, np.float64), rows)
    by_column = matrix.tocsc()
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = by_column.indptr, by_column.indices
    program.a_matrix_.value_ = by_column.data
    return program


def _solver(program: highspy.HighsLp, options: dict[str, Any]) -> highspy.Highs:
    """Return a solver that has run on the program."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in {"output_flag": False, **options}.items():
        solver.setOptionValue(name, value)
    solver.passModel(program)
    solver.run()
    return solver


class Relaxed(NamedTuple):
    """A solution of a linear program, the price of each row's limit, and the objective."""

    x: Floats
    prices: Floats
    value: float


def relaxed(
    worth: Floats, matrix: sparse.csr_array, limits: Floats, *, corner: bool, seconds: float = float("inf")
) -> Relaxed | None:
    """Maximise ``worth @ x`` where ``matrix @ x <= limits`` and ``0 <= x``; nothing if time runs out.

    The interior-point method's solution and prices are from the middle of what is optimal, or, more slowly, a corner.

    >>> found = relaxed(np.array([2.0, 3.0]), sparse.csr_array([[1.0, 1.0]]), np.array([4.0]), corner=True)
    >>> found.x.round(6).tolist(), found.prices.round(6).tolist(), round(found.value, 6)
    ([0.0, 4.0], [3.0], 12.0)
    """
    options = {"solver": "ipm", "run_crossover": "on" if corner else "off", "time_limit": seconds}
    solver = _solver(_program(worth, matrix, limits, np.inf), options)
    if solver.getModelStatus() != _STATUS.kOptimal:
        return None
    found = solver.getSolution()
    prices: Floats = np.maximum(0.0, -np.array(found.row_dual))
    return Relaxed(np.array(found.col_value), prices, -solver.getInfo().objective_function_value)


def _solution(solver: highspy.Highs) -> Solution:
    status, info = solver.getModelStatus(), solver.getInfo()
    x, bound = None, float("inf")
    if status in (_STATUS.kInfeasible, _STATUS.kUnboundedOrInfeasible):  # every variable is bounded
        bound = -float("inf")
    elif status in (_STATUS.kOptimal, _STATUS.kTimeLimit, _STATUS.kIterationLimit, _STATUS.kSolutionLimit):
        bound = -info.mip_dual_bound
        if np.isfinite(info.objective_function_value):
            x = np.array(solver.getSolution().col_value)
    return Solution(x, bound, status == _STATUS.kOptimal, solver.modelStatusToString(status))
