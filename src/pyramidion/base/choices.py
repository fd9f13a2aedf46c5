"""Settings that take one of a list of words: declared by their annotation, checked where they are given.

A ``Literal`` says which values a setting can have, and ``bool`` says that it is yes or no. :func:`check_choices` checks
all such parameters of a function or fields of a dataclass before anything is done with them, so that Python users get
the error that the command line gives:

>>> from typing import Literal
>>> @check_choices
... def mean(numbers: list[float], *, kind: Literal["harmonic", "arithmetic"] = "harmonic") -> float: ...
>>> mean([1, 2], kind="geometric")
Traceback (most recent call last):
pyramidion.errors.ModelError: The setting kind of mean cannot be 'geometric'; choose one of: harmonic, arithmetic
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from pyramidion.errors import ModelError

Owner = TypeVar("Owner", bound=Callable[..., Any])
_NO_CHOICE = (None, "")
"""Values that stand for a setting that is left out."""


class Choices(NamedTuple):
    """The values that a setting can have; ``several`` of them at once if it takes a list."""

    values: tuple[object, ...]
    several: bool = False

    def check(self, setting: str, owner: str, value: object) -> None:
        """Raise an error if the value is none of these.

        >>> Choices((True, False)).check("cap", "Settings", "no")
        Traceback (most recent call last):
        pyramidion.errors.ModelError: The setting cap of Settings cannot be 'no'; choose one of: True, False
        """
        if not self.several:
            wrong = [] if self._has(value) else [value]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            wrong = [each for each in value if not self._has(each)]
        else:
            wrong = [value]
        if wrong:
            # where '1.5' is a choice and 1.5 is none, quotes show the difference
            shown = str if isinstance(wrong[0], str) else repr
            words = ", ".join(shown(choice) for choice in self.values if choice not in _NO_CHOICE)
            how = "give a list of some of these" if self.several else "choose one of"
            how = f"leave it out, or {how}" if any(choice in _NO_CHOICE for choice in self.values) else how
            raise ModelError(f"The setting {setting} of {owner} cannot be {wrong[0]!r}", do=f"{how}: {words}")

    def _has(self, value: object) -> bool:
        # 1 == True, but a signature prints cap=1 otherwise than cap=True
        return any(isinstance(value, type(choice)) and value == choice for choice in self.values)


def check_choices(owner: Owner) -> Owner:
    """Make a function, or the constructor of a dataclass, refuse values that its annotations do not list."""
    if not isinstance(owner, type):
        return _checking(owner, owner)  # type: ignore[no-any-return]
    owner.__init__ = _checking(owner.__init__, owner)  # type: ignore[misc]
    return owner


def _checking(function: Any, owner: Any) -> Any:
    parameters = inspect.signature(function).parameters.values()
    positional = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    named = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    owner_name = owner.__qualname__.removesuffix(".__call__")

    @cache  # at the first call, since annotations may name what is defined further down
    def to_check() -> dict[str, Choices]:
        return {name: choices for name, choices in choices_of(owner).items() if name in (*positional, *named)}

    @wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        known = to_check()
        for name, value in (*zip(positional, args, strict=False), *given.items()):
            if name in known:
                known[name].check(name, owner_name, value)
        return function(*args, **given)

    return checked


@cache
def choices_of(owner: Any) -> Mapping[str, Choices]:
    """The parameters of a function, or the fields of a dataclass, that take a value of a list.

    >>> from pyramidion.scoring import Settings
    >>> choices_of(Settings)["mean"].values
    ('harmonic', 'arithmetic')
    """
    if isinstance(owner, type):
        classes = reversed(owner.__mro__)
        hints = [(vars(each).get("__annotations__", {}), vars(sys.modules[each.__module__])) for each in classes]
    else:
        function = inspect.unwrap(owner if inspect.isroutine(owner) else type(owner).__call__)
        hints = [(getattr(function, "__annotations__", {}), getattr(function, "__globals__", {}))]
    found = {}
    for types, names in hints:
        for name, annotation in types.items():
            if name != "return" and (choices := _choices(_type(annotation, names))):
                found[name] = choices
    return found


def _type(annotation: Any, names: dict[str, Any]) -> Any:
    """The type that an annotation names; None where only type checkers know the name."""
    try:
        return get_type_hints(SimpleNamespace(__annotations__={"it": annotation}), names)["it"]
    except (NameError, TypeError):
        return None


def _choices(annotation: Any) -> Choices | None:
    """The values of a type that has a list of them."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation is bool:
        return Choices((True, False))
    if annotation is NoneType:
        return Choices((None,))
    if origin is Literal:
        return Choices(parts)
    if origin is Annotated:
        return _choices(parts[0])
    if origin is Sequence or (origin is tuple and parts[1:] == (...,)):
        each = _choices(parts[0])
        return Choices(each.values, several=True) if each else None
    if origin in (Union, UnionType):
        members = [_choices(part) for part in parts]
        known = [member for member in members if member and not member.several]
        return Choices(tuple(value for each in known for value in each.values)) if len(known) == len(parts) else None
    return None
