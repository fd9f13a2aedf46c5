"""One table of names for what we ship and what others add.

A registry maps a name to a place in code ("package.module" or "package.module:attribute") and imports it on first use,
so that a hundred names cost nothing at start-up. A name that ends in a colon is a family: ``nli:`` is a function that
makes the thing from what follows, so that ``nli:FOLDER`` is a name, too. Built-in rows and the entry points of
installed packages (``pyramidion.formats``, ``pyramidion.matchers``, ``pyramidion.builders``) are looked up the same
way.

A name has one meaning: what a package adds under a built-in name is refused with a warning, and what two packages add
under the same name is an error. Signatures name the package and its version (:meth:`Registry.signed`), and so do errors
(:meth:`Registry.errors_named`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from pyramidion.base.distributions import name_of, release
from pyramidion.errors import MissingPartError, ModelError, PyramidionError
from pyramidion.notes import note

T = TypeVar("T")
Result = TypeVar("Result")


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
        """The entry points that installed packages add under names of their own."""
        refused = self.refused()
        return {name: points[0] for name, points in self._points().items() if name not in refused}

    def _points(self) -> Mapping[str, tuple[EntryPoint, ...]]:
        return _entry_points(self.group, tuple(sys.path))

    def refused(self) -> dict[str, PyramidionError]:
        """Return the names that installed packages add and may not, each with what is wrong and what to do."""
        found = {name: self._conflict(name, points) for name, points in self._points().items()}
        return {name: error for name, error in found.items() if error}

    def _conflict(self, name: str, points: tuple[EntryPoint, ...]) -> PyramidionError | None:
        """Return what is wrong with a name that packages add: that it is built in, or that several have it."""
        owners = [_owner(point) for point in points]
        if self._is_ours(name):
            return PyramidionError(
                f"The {self.kind} {name!r} of {' and '.join(owners)} has a built-in name and is not used",
                do=f"rename it in {owners[0]}, or remove that: pip uninstall {owners[0]}",
            )
        if len(points) > 1:
            return PyramidionError(
                f"{len(points)} installed packages have a {self.kind} {name!r}: {', '.join(owners)}",
                do=f"rename it in all but one, or remove all but one: pip uninstall {owners[-1]}",
            )
        return None

    def _is_ours(self, name: str) -> bool:
        """Return whether a name is built in, of a built-in family, or stands for what the corpus brings (``given``)."""
        return name in self._builtin or _family(name) in self._builtin or name == self.also.partition(" ")[0] != ""

    def _check_unique(self, name: str) -> None:
        """Refuse a name of several packages; warn of a package that has taken a built-in one."""
        refused = self.refused()
        if error := refused.get(name) or refused.get(_family(name)):
            if not self._is_ours(name):
                raise error
            note(str(error))

    def __iter__(self) -> Iterator[str]:
        """Yield the built-in names in their order, then contributed ones by name; refused names are noted."""
        for error in self.refused().values():
            note(str(error))
        yield from self._builtin
        yield from sorted(self._contributed)

    def __contains__(self, name: str) -> bool:
        points = self._points()
        return any(key in self._builtin or key in points for key in (name, _family(name)))

    def origin(self, name: str) -> str:
        """Return the package that brings the name: ``pyramidion`` or the distribution that contributed it."""
        if name in self._builtin:
            return "pyramidion"
        point = self._contributed.get(name) or self._contributed.get(_family(name))
        return _owner(point) if point else "unknown"

    def release(self, name: str) -> str:
        """Return the distribution that contributed a name, with its version; nothing where the name is ours."""
        contributed = self._contributed
        entry = next((key for key in (name, _family(name)) if key in contributed), "")
        return _release(self.group, entry, tuple(sys.path)) if entry and not self._is_ours(name) else ""

    def signed(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the field of a signature that says who contributed a part, in which version; none where it is ours."""
        made_by = self.release(name)
        return ((f"{self.kind} {name.partition(':')[0]}", made_by),) if made_by else ()

    @contextmanager
    def errors_named(self, name: str, at: str = "") -> Iterator[None]:
        """Turn what a contributed part raises into an error that names it, its distribution and what it was ``at``.

        Our own errors already say what to do and stay as they are, except a :class:`~pyramidion.errors.ModelError`:
        values that contradict each other are the part's own fault. What a built-in part raises stays, too: that is a
        defect of ours.
        """
        try:
            yield
        except (Exception, SystemExit) as error:
            is_clear = isinstance(error, PyramidionError) and not isinstance(error, ModelError)
            if is_clear or not (made_by := self.release(name)):
                raise
            part = f"The {self.kind} {name!r} of {made_by}"
            if isinstance(error, ImportError):
                raise MissingPartError(f"{part} cannot be imported ({error})", do="install what it needs") from error
            raise PyramidionError(
                f"{part} failed{at and f' at {at}'}: {type(error).__name__}: {error} ({raised_at(error)})",
                do=f"report it to the authors of {self.origin(name)}, or choose another {self.kind}",
            ) from error

    def checked_result(self, name: str, result: object, type_: type[Result], at: str) -> Result:
        """Return what a part returned, if it has the right type."""
        if isinstance(result, type_):
            return result
        raise PyramidionError(
            f"The {self.kind} {name!r} of {self.release(name) or 'pyramidion'} returned {type(result).__name__} at "
            f"{at}, not {type_.__name__}",
            do=f"let it return a pyramidion.{type_.__name__} (CONTRIBUTING.md), or choose another {self.kind}",
        )

    def listed(self) -> str:
        """Return all names in a line, contributed ones with their package, families as ``NAME:MODEL``."""
        names = ((f"{name}MODEL" if name.endswith(":") else name, self.origin(name)) for name in self)
        return ", ".join(name if owner == "pyramidion" else f"{name} ({owner})" for name, owner in names)

    def __getitem__(self, name: str) -> T:
        self._check_unique(name)
        if name not in self._loaded:
            self._loaded[name] = self._import(name)
        return self._loaded[name]

    def _import(self, name: str) -> T:
        family = _family(name)
        if family and (family in self._builtin or family in self._contributed):
            with self.errors_named(name):
                return self._load(family)(name.removeprefix(family))  # type: ignore[no-any-return]
        return self._load(name)  # type: ignore[no-any-return]

    def _load(self, name: str) -> Any:
        """Import what a name stands for; an unknown or retired name is an error that says what to do."""
        place = self._builtin.get(name)
        point = EntryPoint(name, place, self.group) if place else self._contributed.get(name)
        # a package may contribute a name that we have retired
        if point is None and name in self._retired:
            raise PyramidionError(f"The {self.kind} {name!r} has been retired", do=self._retired[name])
        if point is None:
            known = ", ".join([*self, *([self.also] if self.also else [])])
            nothing_registered = "" if list(self) else "none is registered; "
            raise PyramidionError(
                f"There is no {self.kind} {name!r}",
                do=f"{nothing_registered}choose one of: {known}" if known else "none is registered",
            )
        try:
            with self.errors_named(name):
                return point.load()
        except ImportError as error:  # of a built-in part
            raise MissingPartError(
                f"The {self.kind} {name!r} of {self.origin(name)} cannot be imported ({error})",
                do="install what it needs",
            ) from error


@lru_cache(maxsize=32)
def _entry_points(group: str, _path: tuple[str, ...]) -> dict[str, tuple[EntryPoint, ...]]:
    """Return the entry points of a group by name, read from disk once for each search path."""
    named: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for point in entry_points(group=group):
        # a distribution that is found twice on the search path counts once
        named.setdefault(point.name, {})[_owner(point), point.value] = point
    return {name: tuple(points.values()) for name, points in named.items()}


@lru_cache(maxsize=256)
def _release(group: str, name: str, path: tuple[str, ...]) -> str:
    """Return the distribution that adds a name, with its version, read from disk once for each search path."""
    (point,) = _entry_points(group, path)[name]
    return release(point.dist, point.value.partition(":")[0].strip())


def _owner(point: EntryPoint) -> str:
    """Return the name of the distribution that has an entry point."""
    return name_of(point.dist) or "unknown"


def raised_at(error: BaseException) -> str:
    """Return the file and line where an exception was raised."""
    frame = extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


def _family(name: str) -> str:
    """Return the part of a name up to its first colon, or nothing."""
    family, colon, _ = name.partition(":")
    return family + colon if colon else ""
