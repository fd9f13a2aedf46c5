"""The grid of a search: a method's parameters and the values to try, read and checked.

The default is the grid of Gao et al. 2019, appendix B, as far as the method has its parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from pyramidion.errors import PyramidionError
from pyramidion.methods import Method, Value

Parameters = tuple[tuple[str, Value], ...]
"""One combination of values: a *cell*."""

Grid = tuple[tuple[str, tuple[Value, ...]], ...]
"""Parameters and the values to try."""

GAO_2019: Grid = (
    ("alpha", (10, 20, 30, 40, 50)),
    ("beta", (1, 1.5, 2, 2.5, 3)),
    ("percentile", (60, 62, 65, 67, 70, 72, 75, 77, 80, 83, 85, 87)),
)
"""Appendix B: 5 x 5 x 12 cells. The paper prints ranges and degrees of freedom; the steps are ours, through its 83."""

MAX_CELLS = 10_000


def value_text(value: Value) -> str:
    """Write a value as the command line takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_grid(method: Method) -> Grid:
    """Return the paper's grid, without the parameters that the method lacks or that it fixes already."""
    there = free(method)
    grid = tuple((name, values) for name, values in GAO_2019 if name in there)
    if not grid:
        raise PyramidionError(
            f"The method '{method}' has none of {', '.join(name for name, _ in GAO_2019)} to try",
            do=f"name others in the grid; it has {', '.join(there)}" if there else "choose a method with parameters",
        )
    return check_grid(grid, method)


def read_grid(texts: Sequence[str], method: Method) -> Grid:
    """Return the grid of ``name=value,value,...`` texts; without any, :func:`default_grid`."""
    if not texts:
        return default_grid(method)
    grid = []
    for text in texts:
        name, equals, values = text.partition("=")
        name, items = name.strip(), [item.strip() for item in values.split(",")]
        if not equals or not name or not all(items):
            raise PyramidionError(f"{text!r} is not a parameter with values", do="write NAME=VALUE,VALUE,...")
        _check_name(name, method)
        grid.append((name, items))
    _check_size(len(items) for _, items in grid)
    return check_grid(
        tuple((name, tuple(_value(name, item, method) for item in items)) for name, items in grid), method
    )


def _value(name: str, text: str, method: Method) -> Value:
    return dict(Method.parse(f"{method.builder}+{method.matcher}({name}={text})").parameters)[name]


def free(method: Method) -> dict[str, Any]:
    """Return the parameters that the method has and does not fix, with their defaults."""
    fixed = dict(method.parameters)
    return {name: default for name, default in method.settings.items() if name not in fixed}


def _check_name(name: str, method: Method) -> None:
    there = free(method)
    if name in there:
        return
    if name in dict(method.parameters):
        raise PyramidionError(f"The method '{method}' fixes {name} already", do="leave it out there or in the grid")
    raise PyramidionError(
        f"The method {method.name!r} has no parameter {name!r}",
        do=f"it has {', '.join(there)}" if there else "it has none to try",
    )


def _check_size(counts: Iterable[int]) -> None:
    if (cells := prod(counts)) > MAX_CELLS:
        raise PyramidionError(f"The grid has {cells} cells, more than {MAX_CELLS}", do="give fewer values")


def check_grid(grid: Grid, method: Method) -> Grid:
    """Return the grid if every value suits its parameter and no cell occurs twice."""
    _check_size(len(values) for _, values in grid)
    names = [name for name, _ in grid]
    for name, values in grid:
        _check_name(name, method)
        if names.count(name) > 1:
            raise PyramidionError(f"{name} is in the grid twice", do="give all its values at once")
        if not values:
            raise PyramidionError(f"{name} has no values to try", do="give one or more")
        for value in values:
            # raises if the value does not suit its parameter
            Method(method.builder, method.matcher, ((name, value),))
            if values.count(value) > 1:
                raise PyramidionError(f"{name} has the value {value_text(value)} twice", do="give each value once")
    return grid


def cells_of(grid: Grid) -> Iterator[Parameters]:
    """Return every combination of values; the last parameter changes fastest."""
    names = [name for name, _ in grid]
    for values in product(*(values for _, values in grid)):
        yield tuple(zip(names, values, strict=True))
