"""Figures in pages: marks that name a record of ``docs/figures``, and what they are filled with.

A mark in prose holds one figure, a mark before a table the whole table; ``make docs`` writes what they hold anew::

    r is <!-- figure: students correlations/pyramidion/raw/pearson -->.726<!-- end -->

    <!-- figures: students
    | | raw |
    |---|---|
    for pyramidion = the default; pyreval
    | {label} | {correlations/{row}/raw/pearson} ({correlations/{row}/raw/pearson_interval:2}) |
    -->

    (the table)

    <!-- end of figures -->

A line after *for* stands once for each name; its label is the name as code, or what stands after the ``=``. A path
leads into the record's result: a word is the name of a field, or, in a list of rows, a value that the rows to take
have; ``OTHER//path`` leads into another record. ``:2`` asks for two digits instead of three, ``:+`` for a sign; a list
of two numbers is a range, and counts by weight are *3 of 4, 13 of 1*. Several figures in one mark of prose stand in
braces, as in a table.
``<!-- figures: NAME text -->`` stands for what a command printed.

Any other figure in a page is an error, :func:`unmarked`: a fraction of three digits or more, and one of two digits that
begins a cell of a table and is not written with a 0 before the point. No figure is what has a unit (``.350 s``), is
code (a setting), or is quoted from a paper: ``<!-- quoted: Bhandari et al. 2020 -->.721<!-- end -->``, in a table
``{quoted Bhandari et al. 2020: .721}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent

TABLE = re.compile(r"(<!-- figures: (?P<name>\S+)\s(?P<lines>.*?)-->\n).*?(?=<!-- end of figures -->)", re.DOTALL)
FIGURE = re.compile(
    r"(<!--\s+figure:\s+(?P<name>\S+)\s+(?P<path>\S.*?)\s+-->)(?P<held>[^<]*)(?=<!--\s+end\s+-->)", re.DOTALL
)
QUOTED = re.compile(r"<!--\s+quoted:\s+[^<>]*\d{4}[^<>]*\s+-->[^<]*<!--\s+end\s+-->")
_QUOTED_CELL = re.compile(r"quoted [^:]*\d{4}[^:]*: (.*)")
_PLACE = re.compile(r"\{([^{}]+?)(?::(\+?)(\d?))?\}")


@cache
def result(name: str) -> Any:
    """Return what a record's command printed; ``leaderboard`` is the file of the leaderboard."""
    if name == "leaderboard":
        return json.loads((DOCS / "leaderboard.json").read_text(encoding="utf-8"))
    path = DOCS / "figures" / f"{name}.json"
    if not path.exists():
        raise LookupError(f"No record {name!r}: write a page's mark with one of docs/figures, or record it")
    return json.loads(path.read_text(encoding="utf-8"))["result"]


def value(found: Any, path: str) -> Any:
    """Return what a path leads to.

    >>> rows = {"fits": [{"who": "a", "score": "raw", "r": 0.5}, {"who": "a", "score": "f", "r": [0.25, 1.0]}]}
    >>> value(rows, "fits/a/raw/r"), value(rows, "fits/a/f/r")
    (0.5, [0.25, 1.0])
    """
    for word in path.split("/"):
        if isinstance(found, list):
            found = [row for row in found if word in map(str, row.values())]
            found = found[0] if len(found) == 1 else found
        elif isinstance(found, dict) and word in found:
            found = found[word]
        elif not (isinstance(found, dict) and word in map(str, found.values())):
            found = []
        if found == []:
            raise LookupError(f"{path}: nothing is called {word!r}")
    whole = not isinstance(found, dict) or _is_estimate(found) or _is_counts(found)
    if not whole or (isinstance(found, list) and not _is_range(found)):
        raise LookupError(f"{path}: several figures are there; go on to one")
    return found


def _is_range(found: list[Any]) -> bool:
    return len(found) == 2 and all(isinstance(end, int | float) for end in found)


def _is_estimate(found: dict[str, Any]) -> bool:
    return {"value", "interval"} <= found.keys()


def _is_counts(found: dict[str, Any]) -> bool:
    return all(name.isdigit() and isinstance(count, int) for name, count in found.items())


def shown(found: Any, sign: str = "", digits: int = 3) -> str:
    """Return a value as pages write it.

    >>> shown(0.5), shown(-0.0961, "+"), shown(0.0961, "+", 2), shown([0.25, 1.0], digits=2), shown(26400), shown(None)
    ('.500', '-.096', '+.10', '.25 to 1.00', '26,400', '-')
    >>> shown({"4": 3, "1": 13}), shown({"value": 0.5, "interval": [0.25, 1.0]})
    ('3 of 4, 13 of 1', '.500 (.250 to 1.000)')
    """
    if found is None:
        return "-"
    if isinstance(found, dict) and _is_counts(found):
        return ", ".join(f"{count} of {name}" for name, count in found.items())
    if isinstance(found, dict):
        around = f" ({shown(found['interval'], sign, digits)})" if found["interval"] else ""
        return shown(found["value"], sign, digits) + around
    if isinstance(found, list):
        return " to ".join(shown(end, sign, digits) for end in found)
    if isinstance(found, int | str):
        return f"{found:,}" if isinstance(found, int) else found
    text = f"{found:{sign}.{digits}f}"
    return re.sub(r"^([+-]?)0\.", r"\1.", text)


def filled(text: str) -> str:
    """Return a page with all its marks filled."""
    text = TABLE.sub(lambda mark: f"{mark[1]}\n{_table(mark['name'], mark['lines'])}\n", text)
    return FIGURE.sub(_in_prose, text)


def _in_prose(mark: re.Match[str]) -> str:
    path = " ".join(mark["path"].split())
    now = _at(mark["name"], path if "{" in path else f"{{{path}}}")
    return mark[1] + (mark["held"] if mark["held"].split() == now.split() else now)  # line ends stay


def _at(name: str, template: str) -> str:
    def figure(place: re.Match[str]) -> str:
        if quoted := _QUOTED_CELL.fullmatch(place[1]):
            return quoted[1]
        other, slashes, path = place[1].rpartition("//")
        record = other if slashes else name
        try:
            return shown(value(result(record), path), place[2] or "", int(place[3] or 3))
        except LookupError as error:
            raise LookupError(f"Record {record!r}: {error}") from None

    return _PLACE.sub(figure, template)


def printed(text: dict[str, str]) -> str:
    """Return what a command printed, without blanks at line ends."""
    return re.sub(r"[ \t]+$", "", text["text"].strip(), flags=re.MULTILINE)


def _table(name: str, template: str) -> str:
    if template.strip() == "text":
        return f"```text\n{printed(result(name))}\n```\n"
    rows: list[str] = []
    names: list[str] | None = None
    for line in template.strip().splitlines():
        if not line.startswith("|"):  # names, on one line or more
            names = [*(names or []), *(own.strip() for own in line.removeprefix("for ").split(";") if own.strip())]
            continue
        for own in [""] if names is None else names:
            row, _, label = own.partition(" = ")
            rows.append(_at(name, line.replace("{row}", row).replace("{label}", label or f"`{row}`")))
        names = None
    return "\n".join(rows) + "\n"


UNIT = r"(?![\d.]*(?: to \.?[\d.]+)? ?(?:s|ms|ns|h|MB|GB|kB|µs|seconds|times)\b)(?!\d* ?%)"
_LONG = re.compile(rf"(?<![\w.,§])[01]?\.\d{{3,}}{UNIT}(?![\w]|\.\d)")
_IN_CELL = re.compile(rf"(?:(?<=\|)\s*\**[+-]?)(\.\d\d){UNIT}(?![\w]|\.\d)")
_CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`\n]*`|`[^`]*`|\]\([^)]*\)", re.DOTALL | re.MULTILINE)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _template(mark: re.Match[str]) -> str:
    """What somebody typed of a table, on its lines: what stands in braces comes from a record or a paper."""
    typed = _PLACE.sub(_blank, mark["lines"])
    start, end = (place - mark.start() for place in mark.span("lines"))
    return re.sub(r"[^\n]", " ", mark[0][:start]) + typed + re.sub(r"[^\n]", " ", mark[0][end:])


def unmarked(text: str) -> Iterator[tuple[int, str]]:
    r"""Return the line and the text of every figure that no mark holds.

    >>> list(unmarked("r = .123, p < .05, alpha = .5, 0.2.0, .250 s\n\n| r |\n|---|\n| .12 | `.13` | .14 s | 0.9 |\n"))
    [(1, '.123'), (5, '.12')]
    """
    text = TABLE.sub(_template, text)
    for pattern in (FIGURE, QUOTED, _CODE):
        text = pattern.sub(_blank, text)
    for number, line in enumerate(text.splitlines(), 1):
        yield from ((number, found[0]) for found in _LONG.finditer(line))
        if line.startswith("|"):
            yield from ((number, found[1]) for found in _IN_CELL.finditer(line))
