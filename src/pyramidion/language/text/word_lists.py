"""Lists of English words by name, from ``data/english-words.txt``: sections in brackets, words between spaces."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def words(name: str) -> frozenset[str]:
    """Return the words of a section.

    >>> "mayor" in words("people"), "however" in words("connectives")
    (True, True)
    """
    return _sections()[name]


@cache
def _sections() -> dict[str, frozenset[str]]:
    text = files("pyramidion.language.text").joinpath("data/english-words.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    sections = "\n".join(lines).split("[")[1:]
    return {name: frozenset(found.split()) for name, _, found in (section.partition("]") for section in sections)}
