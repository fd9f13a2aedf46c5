"""Regular expressions out of files: which of them can be run without fear.

A backtracking matcher takes exponential time where a repeated group can match one text in several ways, ``(-+)+`` or
``(-|-)*``, and where many choices follow each other. What precedes a reference in a pyramid needs neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

LONGEST = 20_000
MAX_REPEATS = 4
"""The expressions seen in the wild have at most four repeats of open length."""
MAX_CHOICES = 8

_parser: Any = import_module("re._parser")


@lru_cache(maxsize=256)
def is_quick(expression: str) -> bool:
    r"""Whether no repeated group of it has a repeat, an alternative or a group inside, and it has few choices.

    An expression that is none raises :class:`re.error`.

    >>> is_quick(r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n")
    True
    >>> is_quick("(-|-)*x"), is_quick("((-+))+x"), is_quick("-*" * 9)
    (False, False, False)
    """
    if len(expression) > LONGEST:
        return False
    found = list(_nodes(_parser.parse(expression)))
    repeats = [value for kind, value in found if kind.endswith("REPEAT")]
    if any(not _is_plain(item) for _, _, item in repeats):
        return False
    lengths = [most - least for least, most, _ in repeats]
    choices = sum(kind in ("BRANCH", "GROUPREF_EXISTS") for kind, _ in found) + lengths.count(1)
    return sum(length > 1 for length in lengths) <= MAX_REPEATS and choices <= MAX_CHOICES


def _is_plain(item: Any) -> bool:
    """Whether what is repeated can match a text in one way only: characters, or one group of characters."""
    nodes = list(_nodes(item))
    groups = [kind for kind, _ in nodes if kind in ("SUBPATTERN", "ATOMIC_GROUP")]
    return len(groups) <= 1 and all(
        kind in ("LITERAL", "NOT_LITERAL", "ANY", "IN", "AT", "SUBPATTERN", "ATOMIC_GROUP") for kind, _ in nodes
    )


def _nodes(pattern: Any) -> Iterator[tuple[str, Any]]:
    """Every node of a parsed expression, by the name of its kind, with its value."""
    for kind, value in pattern:
        yield str(kind), value
        if str(kind) == "IN":
            continue
        for part in value if isinstance(value, (tuple, list)) else (value,):
            for inner in part if isinstance(part, list) else (part,):
                if isinstance(inner, _parser.SubPattern):
                    yield from _nodes(inner)
