"""Regular expressions out of files: which of them can be run without fear.

A backtracking matcher takes exponential time where a repeated group can match one text in several ways, ``(-+)+`` or
``(-|-)*``, and a high power of the text's length where repeats that can match the same characters follow each other,
``-*-*-*``. What precedes a reference in a pyramid needs neither: between two open repeats stands a character that the
first cannot take.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

LONGEST = 20_000
MAX_CHOICES = 8
LONG_LINE = 1000
"""No header is longer; longer lines are not looked at, since even a quick expression is quadratic in their length."""

_parser: Any = import_module("re._parser")
_EVERYTHING = frozenset(range(129))
"""The characters of ASCII, and 128 for all others."""
_CATEGORIES = {
    "CATEGORY_DIGIT": frozenset(range(48, 58)) | {128},
    "CATEGORY_SPACE": frozenset(map(ord, " \t\n\r\f\v")) | {128},
    "CATEGORY_WORD": frozenset(code for code in range(128) if chr(code).isalnum() or code == 95) | {128},
}


@lru_cache(maxsize=256)
def is_quick(expression: str) -> bool:
    r"""Whether it has few choices, repeats no group, and never lets two open repeats match the same characters in turn.

    An expression that is none raises :class:`re.error`.

    >>> is_quick(r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n")
    True
    >>> is_quick("(-|-)*x"), is_quick("((-+))+x"), is_quick("-*-*x"), is_quick("(?:-?){60}x")
    (False, False, False, False)
    """
    if len(expression) > LONGEST:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = list(_flat(_parser.parse(expression)))
    waiting: frozenset[int] = frozenset()
    choices = 0
    for kind, characters in nodes:
        if kind == "refused":
            return False
        if kind == "open":
            if waiting & characters:
                return False
            waiting |= characters
        elif kind == "one" and not waiting & characters:
            waiting = frozenset()
        choices += kind == "choice"
    return choices <= MAX_CHOICES


def _flat(pattern: Any) -> Iterator[tuple[str, frozenset[int]]]:
    """An expression as a row of single characters, open repeats of characters, choices, and what is refused."""
    for node, value in pattern:
        kind = str(node)
        if kind.endswith("REPEAT"):
            least, most, item = value
            yield from _repeat(least, most, item)
        elif kind in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            yield "one", _characters(kind, value)
        elif kind == "SUBPATTERN":
            yield from _flat(value[-1])
        elif kind == "BRANCH":
            inner = [part for branch in value[1] for part in _flat(branch)]
            yield (
                ("refused" if any(part in ("open", "refused", "choice") for part, _ in inner) else "choice"),
                frozenset(),
            )
        elif kind != "AT":
            yield "refused", frozenset()


def _repeat(least: int, most: Any, item: Any) -> Iterator[tuple[str, frozenset[int]]]:
    inner = list(_flat(item))
    if len(inner) != 1 or inner[0][0] != "one":
        yield "refused", frozenset()
    elif int(most) - least > 1:
        yield "open", inner[0][1]
    else:
        yield ("one" if least else "choice"), inner[0][1]


def _characters(kind: str, value: Any) -> frozenset[int]:
    if kind == "ANY":
        return _EVERYTHING - {10}
    if kind == "LITERAL":
        return frozenset({min(value, 128)})
    if kind == "NOT_LITERAL":
        return _EVERYTHING - {value}
    found: frozenset[int] = frozenset()
    for name, part in value:
        match str(name):
            case "LITERAL":
                found |= {min(part, 128)}
            case "RANGE":
                found |= frozenset(range(min(part[0], 128), min(part[1], 128) + 1))
            case "CATEGORY":
                found |= _CATEGORIES.get(str(part), _EVERYTHING)
    negated = any(str(name) == "NEGATE" for name, _ in value)
    return (_EVERYTHING - found) | {128} if negated else found
