"""Measure, and keep what was measured: ``python docs/record.py NAME TITLE -- COMMAND ...``.

Runs a command that prints JSON (``pyramidion bench ... --json``, ``python bench/NAME.py --json``) and keeps its result
in ``docs/figures/NAME.json``, with the command and the date. ``make docs`` makes ``docs/figures.md`` of these files;
nobody types a figure there. Run from the root of the repository, so that the command can be typed again as it stands.
``--again NAME`` repeats one.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parent / "figures"
HEAD = """# All measured figures

<!-- Written by `make docs` from docs/figures/*.json. Do not edit. -->

Each table is what a command printed, with the day on which it did. To repeat one, type its command in a checkout (some
need public data in the folder `../shared/data`); `python docs/record.py --again NAME` keeps the new result, and
`make docs` writes this page. Times are those of a shared machine with two cores: read the ratios.
[The leaderboard](leaderboard.md), [matchers compared](matchers.md), [minimal sets](minimal.md) and [speed](speed.md)
have figures with more words about them.
"""


def record(name: str, title: str, command: list[str]) -> None:
    """Run the command and keep its result."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, env=os.environ | {"PATH": path}, stdout=subprocess.PIPE, text=True, check=True)
    kept = {
        "title": title,
        "command": shlex.join(command),
        "date": datetime.now(UTC).date().isoformat(),
        "result": json.loads(done.stdout),
    }
    FIGURES.mkdir(exist_ok=True)
    (FIGURES / f"{name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def page(folder: Path = FIGURES) -> str:
    """The page of all that was kept."""
    parts = [HEAD]
    for path in sorted(folder.glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        parts.append(f"## {kept['title']}\n\n```sh\n{kept['command']}\n```\n\n{kept['date']}, kept as `{path.stem}`.\n")
        parts += [table(title, rows) for title, rows in tables(kept["result"])]
    return "\n".join(parts)


def tables(result: Any) -> list[tuple[str, list[dict[str, str]]]]:
    """The lists of rows of a result, by their names.

    >>> tables({"signature": "x", "fits": [{"who": "a", "r": {"low": 0.123456, "runs": [1, 2, 3]}, "of": [0.1, 0.25]}]})
    [('fits', [{'who': 'a', 'low': '0.1235', 'of': '0.1 to 0.25'}])]
    """
    return [
        (name, [cells(row) for row in rows])
        for name, rows in result.items()
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
    ]


def cells(row: dict[str, Any]) -> dict[str, str]:
    """A row with what a cell can hold; what lies deeper comes up, and longer lists are left to the file.

    >>> cells({"who": "a", "system": {"r": 0.9}, "summary": {"r": 0.5, "n": 3}})
    {'who': 'a', 'system r': '0.9', 'summary r': '0.5', 'n': '3'}
    """
    found = [(path, text) for path, text in _leaves(row) if path[-1] != "signature"]
    names = Counter(path[-1] for path, _ in found)
    return {path[-1] if names[path[-1]] == 1 else " ".join(path): text for path, text in found}


def _leaves(row: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, name))
        elif not isinstance(value, list):
            yield (*above, name), cell(value)
        elif len(value) == 2 and all(isinstance(end, float | int) for end in value):
            yield (*above, name), " to ".join(map(cell, value))


def cell(value: Any) -> str:
    """One value, to four digits."""
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def table(title: str, rows: list[dict[str, str]]) -> str:
    """Rows as Markdown."""
    columns = list(dict.fromkeys(name for row in rows for name, text in row.items() if text))
    lines = [columns, ["---"] * len(columns), *([row.get(name, "") for name in columns] for row in rows)]
    return f"**{title}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main(arguments: list[str]) -> None:
    """Record anew, or again."""
    if arguments[:1] == ["--again"]:
        for name in arguments[1:]:
            kept = json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))
            record(name, kept["title"], shlex.split(kept["command"]))
    elif len(arguments) > 3 and arguments[2] == "--":
        record(arguments[0], arguments[1], arguments[3:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
