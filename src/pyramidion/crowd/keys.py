"""Chance that depends on content: a seeded order that file order, names of files and earlier plans do not change."""

from __future__ import annotations

from hashlib import sha256


def key(*parts: str | int) -> str:
    """Return 64 hexadecimal digits that look random but depend on these parts alone.

    >>> key(0, "a statement")[:12], key(1, "a statement")[:12]
    ('bf7a86c47464', 'a544aea86c9a')
    """
    # Each part is preceded by its length, so that ("ab", "c") and ("a", "bc") have different keys.
    counted = "".join(f"{len(part)}:{part}" for part in map(str, parts))
    return sha256(counted.encode("utf-8", "surrogatepass")).hexdigest()
