r"""Java's regular expressions, in Python's words.

DUCView is a Java program, and the header expressions in its files are Java's. Most are the same in Python (from 3.11 on
also ``a++`` and ``(?>a)``); what differs is written anew: ``\p{Digit}`` and all other classes of characters,
``\Q..\E``, flags in the middle, named groups, ``\R``, ``\h``, ``\v``, ``\z``, ``\x{..}``, a class in a class.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import category

_Ranges = tuple[tuple[int, int], ...]

_SPACE, _DIGIT, _UPPER, _LOWER = ((9, 13), (32, 32)), ((48, 57),), ((65, 90),), ((97, 122),)
_PUNCTUATION = ((33, 47), (58, 64), (91, 96), (123, 126))
_CLASSES: dict[str, _Ranges] = {
    "Lower": _LOWER,
    "Upper": _UPPER,
    "ASCII": ((0, 127),),
    "Alpha": (*_UPPER, *_LOWER),
    "Digit": _DIGIT,
    "Alnum": (*_DIGIT, *_UPPER, *_LOWER),
    "Punct": _PUNCTUATION,
    "Graph": ((33, 126),),
    "Print": ((32, 126),),
    "Blank": ((9, 9), (32, 32)),
    "Cntrl": ((0, 31), (127, 127)),
    "XDigit": (*_DIGIT, (65, 70), (97, 102)),
    "Space": _SPACE,
    "h": ((9, 9), (32, 32), (160, 160), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200A), (0x202F, 0x202F),
          (0x205F, 0x205F), (0x3000, 0x3000)),
    "v": ((10, 13), (0x85, 0x85), (0x2028, 0x2029)),
}  # fmt: skip
"""The classes that need no table of Unicode, by Java's name or escape."""

_CATEGORIES = {
    "Alphabetic": "L", "Letter": "L", "Digit": "Nd", "Uppercase": "Lu", "Lowercase": "Ll", "Punctuation": "P",
    "WhiteSpace": "Z", "White_Space": "Z", "Control": "Cc", "Ideographic": "Lo",
}  # fmt: skip
"""Java's binary properties, as the nearest general category."""

_OTHERS = {"R": r"(?:\r\n|[\n-\r\x85\u2028\u2029])", "z": r"\Z", "Z": r"(?=\n?\Z)", "e": r"\x1b"}
_PROPERTY = re.compile(r"\\[pP](?:\{(?:Is|general_category=|gc=)?(\w+)\}|(\w))")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_NAMED = re.compile(r"\(\?<(?![=!])")
_CODE = re.compile(r"\\x\{([0-9a-fA-F]{1,6})\}")
_BACK = re.compile(r"\\k<(\w+)>")


def translate_java(expression: str) -> str:
    r"""Return the same for :mod:`re`, to be compiled with :data:`re.ASCII`; :class:`re.error` if it has no such syntax.

    >>> translate_java(r"## D\p{Upper}+\Q[1]\E (?i)a|b")
    '## D[\\U00000041-\\U0000005a]+\\[1\\] (?i:a)|(?i:b)'
    """
    written: list[str] = []
    flags: list[list[str]] = [[]]  # for each open group, the flags that were switched on inside it
    at = 0
    while at < len(expression):
        char = expression[at]
        if char == "\\":
            piece, at = _escape(expression, at)
        elif char == "[":
            piece, at = _class(expression, at)
        elif char == "(":
            piece, at = _group(expression, at, flags)
        elif char == ")":
            piece, at = ")" * (1 + len(flags[-1])), at + 1
            if len(flags) > 1:
                flags.pop()
        # flags that were switched on in a group hold for its other branches, too
        elif char == "|":
            piece, at = f"{')' * len(flags[-1])}|{''.join(flags[-1])}", at + 1
        else:
            piece, at = char, at + 1
        written.append(piece)
    return "".join(written) + ")" * len(flags[-1])


def _group(expression: str, at: int, flags: list[list[str]]) -> tuple[str, int]:
    """Return the opening of a group, or of flags for the rest of one, and the place where it ends."""
    match = _FLAGS.match(expression, at)
    if match:
        on, off = ("".join(flag for flag in given or "" if flag in "imsx") for given in match.group(1, 2))
        opening = f"(?{on}{'-' + off if off else ''}:"
        if match[3] == ")":
            flags[-1].append(opening)
        else:
            flags.append([])
        return opening, match.end()
    if expression.startswith("(?(", at):
        raise re.error("a condition is not known here")
    flags.append([])
    named = _NAMED.match(expression, at)
    return ("(?P<", named.end()) if named else ("(", at + 1)


def _escape(expression: str, at: int, in_class: bool = False) -> tuple[str, int]:
    """Return the meaning of an escape, and the place where it ends."""
    kind = expression[at + 1 : at + 2]
    if kind == "Q":
        end = expression.find(r"\E", at)
        return re.escape(expression[at + 2 : end if end >= 0 else None]), end + 2 if end >= 0 else len(expression)
    if kind in "pPhHvV" and kind:
        match = _PROPERTY.match(expression, at) if kind in "pP" else None
        if kind in "pP" and not match:
            raise re.error(f"\\{kind} without the name of a class")
        name = (match[1] or match[2]) if match else kind.lower()
        ranges = _class_ranges(name, in_unicode=bool(match and "{Is" in match[0]))
        ranges = _complement(ranges) if kind.isupper() else ranges
        body = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
        return body if in_class else f"[{body}]", match.end() if match else at + 2
    for pattern, write in ((_CODE, _char), (_BACK, "(?P={})".format)):
        match = pattern.match(expression, at)
        if match:
            return write(match[1]), match.end()
    return (not in_class and _OTHERS.get(kind)) or expression[at : at + 2], at + 2


def _char(digits: str) -> str:
    code = int(digits, 16)
    if code > sys.maxunicode:
        raise re.error(f"there is no character {digits}")
    return f"\\U{code:08x}"


def _class(expression: str, at: int) -> tuple[str, int]:
    """Return a class in brackets, and the place where it ends; a class inside it is united with it.

    Where :mod:`re` warns that ``--``, ``&&``, ``~~`` or ``||`` may get a meaning, their characters are escaped.
    """
    at += 1
    written = ["["]
    may_begin = is_begun = False  # whether the latest character may begin a range, and whether it is a range's hyphen
    if expression[at : at + 1] == "^":
        written.append("^")
        at += 1
    first = at
    while at < len(expression):
        char = expression[at]
        if char == "]" and at > first:
            return "".join(written) + "]", at + 1
        if expression.startswith("&&", at):
            raise re.error("an intersection of classes (&&) is not known here")
        if char == "[":
            inner, at = _class(expression, at)
            if inner.startswith("[^"):
                raise re.error("a negated class in a class is not known here")
            written.append(inner[1:-1])
            may_begin = is_begun = False
        elif char == "\\":
            is_property = expression[at + 1 : at + 2] in "pPhHvV"
            piece, at = _escape(expression, at, in_class=True)
            written.append(piece)
            if piece:
                may_begin, is_begun = not (is_begun or is_property), False
        elif char == "-" and may_begin and expression[at + 1 : at + 2] != "]":
            written.append(char)
            may_begin, is_begun = False, True
            at += 1
        else:
            written.append(f"\\{char}" if char in "-&~|" else char)
            may_begin, is_begun = not is_begun, False
            at += 1
    raise re.error("a class has no end")


def _class_ranges(name: str, in_unicode: bool) -> _Ranges:
    """Return the characters of a class by its name in Java; ``in_unicode`` means a class that is not only ASCII."""
    if name in _CLASSES and not in_unicode:
        return _CLASSES[name]
    name = _CATEGORIES.get(name, name)
    if not re.fullmatch("[CLMNPSZ][a-z]?", name):
        raise re.error(f"the class {name!r} is not known here")
    return _in_category(name)


@lru_cache(maxsize=8)
def _in_category(name: str) -> _Ranges:
    """Return the characters whose general category has that name, or begins so."""
    return _ranges_of(code for code in range(sys.maxunicode + 1) if category(chr(code)).startswith(name))


def _ranges_of(codes: Iterable[int]) -> _Ranges:
    """Return rising codes as ranges."""
    ranges: list[tuple[int, int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = ranges[-1][0], code
        else:
            ranges.append((code, code))
    return tuple(ranges)


def _complement(ranges: _Ranges) -> _Ranges:
    edges = [-1, *(edge for pair in ranges for edge in pair), sys.maxunicode + 1]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return tuple((low + 1, high - 1) for low, high in pairs if low + 1 < high)
