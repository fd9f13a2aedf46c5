"""Integer programs: solved, proved, and without a word on standard output."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from pyramidion.base.solver import Solution, solve

BROKEN_BY_ROUNDING = 140
"""With this seed HiGHS 1.12 repairs a solution, and prints that it does."""


def program(seed: int) -> Solution:
    """Twenty variables, of which six may be fractions, under rows of very different sizes."""
    random = np.random.default_rng(seed)
    worth = random.random(20)
    matrix = np.where(
        random.random((10, 20)) < 0.3, random.random((10, 20)) * 10.0 ** random.integers(-2, 4, (10, 1)), 0
    )
    return solve(worth, sparse.csr_array(matrix), matrix.sum(1) * 0.3, integral=np.arange(20) < 14, gap=5e-7)


numbers = st.integers(0, 6).map(float)


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=6), numbers, numbers)
def test_the_solution_is_the_best_of_all(items: list[tuple[float, float, float]], weight: float, size: float) -> None:
    worth, *rows = np.array(items).T
    best = max(
        float(worth @ x)
        for x in map(np.array, product((0, 1), repeat=len(items)))
        if rows[0] @ x <= weight and rows[1] @ x <= size
    )
    solution = solve(worth, sparse.csr_array(np.array(rows)), [weight, size])
    assert solution.optimal
    assert solution.x is not None
    assert worth @ solution.x == pytest.approx(best)
    assert solution.bound == pytest.approx(best)


def test_what_cannot_be_has_no_solution_and_nothing_is_below_its_bound() -> None:
    solution = solve(np.ones(2), sparse.csr_array([[-1.0, -1.0]]), -3)
    assert (solution.x, solution.bound, solution.optimal) == (None, -np.inf, False)


def test_without_time_nothing_is_proved() -> None:
    random = np.random.default_rng(3)
    matrix = sparse.csr_array(random.random((60, 200)))
    solution = solve(random.random(200), matrix, 20, seconds=1e-9)
    assert not solution.optimal
    assert solution.status == "Time limit reached"
    assert solution.bound >= (0 if solution.x is None else solution.x.sum())


def test_several_threads_solve_at_once() -> None:
    alone = [program(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(program, range(8)))
    for one, other in zip(alone, together, strict=True):
        assert one.x is not None
        assert other.x is not None
        assert one.x.tolist() == other.x.tolist()
        assert one.bound == other.bound


def test_nothing_reaches_standard_output() -> None:
    """A process of its own: what C's printf holds back comes when the process ends."""
    code = f"from tests.base.test_solver import program; assert program({BROKEN_BY_ROUNDING}).optimal"
    solved = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=120)
    assert (solved.stdout, solved.stderr) == (b"", b"")
