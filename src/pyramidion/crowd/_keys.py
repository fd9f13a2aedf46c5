"""Chance that depends on content: a seeded order that file order, names of files and earlier plans do not change."""

from __future__ import annotations

from hashlib import sha256


def key(*parts: str | int) -> str:
    """A number that looks random but depends on these parts alone, as 64 hexadecimal digits.

    >>> key(0, "a statement")[:12], key(1, "a statement")[:12]
    ('bf7a86c47464', 'a544aea86c9a')
    """
    told = "".join(f"{len(part)}:{part}" for part in map(str, parts))
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
