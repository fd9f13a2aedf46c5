"""One table of names for what we ship and what others add.

A registry maps a name to a place in code ("package.module" or "package.module:attribute") and imports it on first use,
so that a hundred names cost nothing at start-up. A name that ends in a colon is a family: ``nli:`` is a function that
makes the thing from what follows, so that ``nli:FOLDER`` is a name, too. Built-in rows and the entry points of
installed packages (``pyramidion.formats``, ``pyramidion.matchers``, ``pyramidion.builders``) are looked up the same
way; a third party cannot replace a built-in name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from pyramidion.errors import MissingPartError, PyramidionError

T = TypeVar("T")


class Registry(Generic[T]):
    """Names of one kind of thing, built in or contributed through an entry-point group."""

    def __init__(
        self,
        kind: str,
        group: str,
        builtin: Mapping[str, str],
        also: str = "",
        *,
        retired: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """``also`` is what may be named in place of these, for the message that a name is unknown.

        ``retired`` are names that there were once, and what to do instead.
        """
        self.kind = kind
        self.also = also
        self.group = group
        self._builtin = dict(builtin)
        self._retired = dict(retired)
        self._loaded: dict[str, T] = {}

    @property
    def _contributed(self) -> dict[str, EntryPoint]:
        """What installed packages add."""
        found = _points(self.group, tuple(sys.path))
        return {name: point for name, point in found.items() if name not in self._builtin}

    def __iter__(self) -> Iterator[str]:
        """The names: built-in ones in their order, then contributed ones by name."""
        yield from self._builtin
        yield from sorted(self._contributed)

    def __contains__(self, name: str) -> bool:
        return any(one in self._builtin or one in self._contributed for one in (name, _family(name)))

    def origin(self, name: str) -> str:
        """Which package brings the name: ``pyramidion`` or the distribution that contributed it."""
        if name in self._builtin:
            return "pyramidion"
        point = self._contributed.get(name)
        return point.dist.name if point and point.dist else "unknown"

    def listed(self) -> str:
        """All names in a line, with whoever contributed one; a family's as ``NAME:MODEL``."""
        names = ((f"{name}MODEL" if name.endswith(":") else name, self.origin(name)) for name in self)
        return ", ".join(name if owner == "pyramidion" else f"{name} ({owner})" for name, owner in names)

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            self._loaded[name] = self._import(name)
        return self._loaded[name]

    def _import(self, name: str) -> T:
        family = _family(name)
        if family and (family in self._builtin or family in self._contributed):
            return self._load(family)(name.removeprefix(family))  # type: ignore[no-any-return]
        return self._load(name)  # type: ignore[no-any-return]

    def _load(self, name: str) -> Any:
        place = self._builtin.get(name)
        point = EntryPoint(name, place, self.group) if place else self._contributed.get(name)
        if point is None and name in self._retired:
            raise PyramidionError(f"The {self.kind} {name!r} has been retired", do=self._retired[name])
        if point is None:
            known = ", ".join([*self, *([self.also] if self.also else [])])
            none = "" if list(self) else "none is registered; "
            raise PyramidionError(
                f"There is no {self.kind} {name!r}",
                do=f"{none}choose one of: {known}" if known else "none is registered",
            )
        try:
            return point.load()
        except ImportError as error:
            raise MissingPartError(
                f"The {self.kind} {name!r} of {self.origin(name)} cannot be imported ({error})",
                do="install what it needs",
            ) from error


@lru_cache(maxsize=32)
def _points(group: str, _path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points of a group by name, read from disk once for each search path."""
    return {point.name: point for point in entry_points(group=group)}


def _family(name: str) -> str:
    """The part of a name up to its first colon, or nothing."""
    family, colon, _ = name.partition(":")
    return family + colon if colon else ""
