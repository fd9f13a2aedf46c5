"""What the measurements share: where the data are, a command line, the clock, and rows as tables or JSON."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pyramidion.base.tables import Cell, Table, render

T = TypeVar("T")
Row = dict[str, Any]

DATA = Path(os.environ.get("PYRAMIDION_DATA", Path(__file__).parents[2] / "shared" / "data"))


def command_line(about: str | None) -> argparse.ArgumentParser:
    """A command line whose help is the script's own description, with ``--json``."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the rows for a program")
    return parser


def timed(work: Callable[[], T], rounds: int = 1, clock: Callable[[], float] = time.process_time) -> tuple[float, T]:
    """The least seconds of several rounds, of the processor unless another clock is given, and what was made."""
    times = []
    for _ in range(max(1, rounds)):
        start = clock()
        made = work()
        times.append(clock() - start)
    return min(times), made


def show(tables: Mapping[str, Sequence[Row]], as_json: bool) -> None:
    """Print rows under their titles, a column for each of their names; as JSON, whatever is in them."""
    if as_json:
        print(json.dumps(tables, indent=2, ensure_ascii=False))
        return
    for title, rows in tables.items():
        columns = tuple(dict.fromkeys(name for row in rows for name, cell in row.items() if not _is_list(cell)))
        cells = tuple(tuple(_shown(name, row.get(name)) for name in columns) for row in rows)
        print(render(Table(columns, cells, title)))


def _is_list(cell: object) -> bool:
    return isinstance(cell, list | tuple | dict)


def _shown(name: str, cell: Any) -> Cell:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.1e}" if name.startswith("largest difference") else cell
