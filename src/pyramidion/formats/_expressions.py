r"""Regular expressions out of files, run within bounds.

A backtracking matcher takes exponential time where a repeated group can match one text in several ways, ``(-+)+`` or
``(-|-)*``, and a high power of the text's length where repeats that can match the same characters follow each other,
``-*-*-*``. Most of what precedes a reference in a pyramid needs neither: between two open repeats stands a character
that the first cannot take. Such expressions are *quick* and :mod:`re` runs them. All others, ``=+ .* =+`` among them,
are run step by step, by the same rules, until they have taken too many steps: 100,000 and 10 more for each character.
A count of steps, unlike a clock, gives the same answer on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from itertools import takewhile
from typing import Any

from pyramidion.formats._java import translate_java

LONGEST = 20_000
MAX_CHOICES = 8
LONG_LINE = 1000
"""No header has a longer line or gap; longer ones are not looked at: even a quick expression is quadratic in them."""
STEPS, STEPS_PER_CHARACTER = 100_000, 10

_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")
_EVERYTHING = frozenset(range(129))
"""The characters of ASCII, and 128 for all others."""
_CATEGORIES = {
    "CATEGORY_DIGIT": frozenset(range(48, 58)) | {128},
    "CATEGORY_SPACE": frozenset(map(ord, " \t\n\r\f\v")) | {128},
    "CATEGORY_WORD": frozenset(code for code in range(128) if chr(code).isalnum() or code == 95) | {128},
}


class ExpressionError(Exception):
    """An expression cannot be used; the message ends a sentence that begins with the expression."""


def find_all(expression: str, text: str, *, trusted: bool = False) -> list[tuple[int, int]]:
    r"""Return start and end of every match of a Java expression; :class:`ExpressionError` if it cannot be used.

    An expression of our own is ``trusted`` and run by :mod:`re`, quick or not.

    >>> find_all(r"\p{Digit}\n", "1\n22\n")
    [(0, 2), (3, 5)]
    >>> find_all("(-|-)*x", "-" * 100)
    Traceback (most recent call last):
        ...
    pyramidion.formats._expressions.ExpressionError: could take for ever and is not used: 101,000 steps did not end it
    """
    lines = ["\0" * len(line) if len(line) >= LONG_LINE else line for line in text.split("\n")]
    text = "\n".join(lines)
    half = LONG_LINE // 2
    if any(text[at : at + half].isspace() for at in range(0, len(text), half)):  # A long gap has one of these whole.
        text = re.sub(rf"\s{{{LONG_LINE},}}", lambda gap: "\0" * len(gap[0]), text)
    try:
        return _find_all(translate_java(expression), text, trusted)
    except RecursionError:
        raise ExpressionError("is too deep: it nests groups, or repeats a group too often") from None
    except (re.error, OverflowError) as error:
        raise ExpressionError(f"is not a regular expression that can be used ({error})") from None


def _find_all(expression: str, text: str, trusted: bool) -> list[tuple[int, int]]:
    if len(expression) > LONGEST:
        raise ExpressionError(f"is longer than {LONGEST:,} characters")
    if trusted or is_quick(expression):
        return [match.span() for match in re.compile(expression, re.ASCII).finditer(text)]
    return list(_Bounded(text).matches(_parsed(expression)))


@lru_cache(maxsize=256)
def _parsed(expression: str) -> Any:
    return _parser.parse(expression, re.ASCII)


@lru_cache(maxsize=256)
def is_quick(expression: str) -> bool:
    r"""Return whether few choices, no repeated group, and no two open repeats of the same characters can slow it down.

    A text that is no expression raises :class:`re.error`.

    >>> is_quick(r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n")
    True
    >>> is_quick("(-|-)*x"), is_quick("((-+))+x"), is_quick("-*-*x"), is_quick("(?:-?){60}x")
    (False, False, False, False)
    """
    nodes = list(_flat(_parsed(expression)))
    waiting: frozenset[int] = frozenset()
    choices = 0
    for kind, characters in nodes:
        if kind == "refused":
            return False
        if kind == "open":
            # a repeat that takes newlines (10) and more than white space is not held up by the end of a line
            if waiting & characters or (10 in characters and characters - _CATEGORIES["CATEGORY_SPACE"]):
                return False
            waiting |= characters
        elif kind == "one" and not waiting & characters:
            waiting = frozenset()
        choices += kind == "choice"
    return choices <= MAX_CHOICES


def _flat(pattern: Any) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield an expression as a row of single characters, open repeats of characters, choices, and refused parts."""
    for node, value in pattern:
        kind = str(node)
        if kind.endswith("REPEAT"):
            least, most, item = value
            yield from _repeat(least, most, item)
        elif kind in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            yield "one", _characters(kind, value)
        elif kind == "SUBPATTERN" and not any(value[1:3]):
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
    """Yield a repeat as one part of the row; only one of single characters is not refused."""
    inner = list(_flat(item))
    if len(inner) != 1 or inner[0][0] != "one":
        yield "refused", frozenset()
    elif int(most) - least > 1:
        yield "open", inner[0][1]
    else:
        yield ("one" if least else "choice"), inner[0][1]


def _characters(kind: str, value: Any) -> frozenset[int]:
    """Return the characters that a node of one character can match."""
    if kind == "ANY":
        return _EVERYTHING - {10}
    if kind == "LITERAL":
        return frozenset({min(value, 128)})
    if kind == "NOT_LITERAL":
        return _EVERYTHING - {value}
    characters: frozenset[int] = frozenset()
    for name, part in value:
        match str(name):
            case "LITERAL":
                characters |= {min(part, 128)}
            case "RANGE":
                characters |= frozenset(range(min(part[0], 128), min(part[1], 128) + 1))
            case "CATEGORY":
                characters |= _CATEGORIES.get(str(part), _EVERYTHING)
    negated = any(str(name) == "NEGATE" for name, _ in value)
    return (_EVERYTHING - characters) | {128} if negated else characters


class _Bounded:
    """A backtracking matcher like that of :mod:`re`, over its own syntax trees, that counts its steps."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.limit = self.left = STEPS + STEPS_PER_CHARACTER * len(text)
        self.single: dict[tuple[object, ...], re.Pattern[str]] = {}

    def matches(self, tree: Any) -> Iterator[tuple[int, int]]:
        """Yield start and end of each match, left to right; an empty match does not count."""
        at = 0
        while at < len(self.text):
            end = next(self.ends(tree, 0, at, re.ASCII), at)
            if end > at:
                yield at, end
            at = max(end, at + 1)

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise ExpressionError(f"could take for ever and is not used: {self.limit:,} steps did not end it")

    def ends(self, tree: Any, index: int, at: int, flags: int) -> Iterator[int]:
        """Yield where a match of the nodes from ``index`` on that begins here can end, the preferred end first."""
        self.spend()
        if index == len(tree):
            yield at
            return
        node, value = tree[index]
        kind = str(node)
        if kind.endswith("_REPEAT") and _is_single(value[2]):
            places = self.run(kind, value, at, flags, self.literal(tree, index + 1, flags))
        else:
            places = self.node(kind, node, value, at, flags)
        for place in places:
            yield from self.ends(tree, index + 1, place, flags)

    def node(self, kind: str, node: Any, value: Any, at: int, flags: int) -> Iterator[int]:
        """Yield where a match of one node that begins here can end, the preferred end first."""
        if kind == "SUBPATTERN":
            yield from self.ends(value[3], 0, at, (flags | value[1]) & ~value[2])
        elif kind == "BRANCH":
            for branch in value[1]:
                yield from self.ends(branch, 0, at, flags)
        elif kind == "ATOMIC_GROUP":
            yield from self.first(self.ends(value, 0, at, flags))
        elif kind == "POSSESSIVE_REPEAT":
            yield from self.first(self.repeated(value, at, flags, greedy=True))
        elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
            yield from self.repeated(value, at, flags, greedy=kind == "MAX_REPEAT")
        elif kind in ("ASSERT", "ASSERT_NOT") and value[0] > 0:
            if any(True for _ in self.ends(value[1], 0, at, flags)) == (kind == "ASSERT"):
                yield at
        elif kind == "AT" or kind in _SINGLE:
            match = self.compiled(node, value, flags).match(self.text, at)
            if match:
                yield match.end()
        else:
            raise re.error("looks behind itself or refers back to a group, which is not known here")

    def first(self, places: Iterator[int]) -> Iterator[int]:
        place = next(places, None)
        if place is not None:
            yield place

    def repeated(self, value: Any, at: int, flags: int, greedy: bool) -> Iterator[int]:
        """Yield the ends of a repeated group; after an empty repetition there is no other, or it would never end."""
        least, most, item = value
        self.spend()
        if not greedy and least <= 0:
            yield at
        if int(most) > 0:
            rest = (max(least - 1, 0), int(most) - 1, item)
            for place in self.ends(item, 0, at, flags):
                if place > at:
                    yield from self.repeated(rest, place, flags, greedy)
                elif least > 0:
                    yield from self.repeated((0, 0, item), place, flags, greedy)
        if greedy and least <= 0:
            yield at

    def run(self, kind: str, value: Any, at: int, flags: int, following: str) -> Iterator[int]:
        """Yield the ends of a repeated character, found in one step, but only those before the literal that follows."""
        least, most, item = value
        node, character = item[0]
        longest = self.compiled(node, character, flags, repeated=True).match(self.text, at)
        end = min(longest.end() if longest else at, at + int(most))
        self.spend((end - at) // 500)  # re runs over them at once: 500 count as a step
        first = at + least
        if kind == "POSSESSIVE_REPEAT":
            first = max(first, end)
        while first <= end:
            if kind == "MIN_REPEAT":
                place = self.text.find(following, first, end + len(following))
                first = place + 1
            else:
                place = self.text.rfind(following, first, end + len(following))
                end = place - 1
            if place < 0:
                return
            self.spend()
            yield place

    def literal(self, tree: Any, index: int, flags: int) -> str:
        """Return the characters that must stand where the nodes from ``index`` on begin."""
        if flags & re.IGNORECASE:
            return ""
        literals = takewhile(lambda node: str(node[0]) == "LITERAL", (tree[place] for place in range(index, len(tree))))
        return "".join(chr(code) for _, code in literals)

    def compiled(self, node: Any, value: Any, flags: int, repeated: bool = False) -> re.Pattern[str]:
        """Return one node as an expression, or as many repetitions of it as there are: alone, it never backtracks."""
        key = str(node), value if isinstance(value, int) else id(value), flags, repeated
        if key not in self.single:
            tree = _parser.SubPattern(_parser.State(), [(node, value)])
            tree.state.flags = flags
            if repeated:
                tree = _parser.SubPattern(tree.state, [(_parser.MAX_REPEAT, (0, _parser.MAXREPEAT, tree))])
            self.single[key] = _compiler.compile(tree, flags)
        return self.single[key]


_SINGLE = ("LITERAL", "NOT_LITERAL", "ANY", "IN")


def _is_single(tree: Any) -> bool:
    """Return whether a tree is one character of some kind."""
    return len(tree) == 1 and str(tree[0][0]) in _SINGLE
