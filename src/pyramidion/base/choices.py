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
        """Raise an error if the value is not one of these.

        >>> Choices((True, False)).check("cap", "Settings", "no")
        Traceback (most recent call last):
        pyramidion.errors.ModelError: The setting cap of Settings cannot be 'no'; choose one of: True, False
        """
        if not self.several:
            wrong = [] if self._has(value) else [value]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            wrong = [element for element in value if not self._has(element)]
        else:
            wrong = [value]
        if wrong:
            # quotes show the difference where '1.5' is a choice and 1.5 is not
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
        return _with_checks(owner, owner)  # type: ignore[no-any-return]
    owner.__init__ = _with_checks(owner.__init__, owner)  # type: ignore[misc]
    return owner


def _with_checks(function: Any, owner: Any) -> Any:
    """Return the function, which checks its settings by the annotations of ``owner`` at each call."""
    parameters = inspect.signature(function).parameters.values()
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [parameter.name for parameter in parameters if parameter.kind in by_position]
    named = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    owner_name = owner.__qualname__.removesuffix(".__call__")

    @cache  # at the first call, since annotations may name what is defined further down
    def to_check() -> dict[str, Choices]:
        return {name: choices for name, choices in choices_of(owner).items() if name in (*positional, *named)}

    @wraps(function)
    def call_checked(*args: Any, **given: Any) -> Any:
        known = to_check()
        for name, value in (*zip(positional, args, strict=False), *given.items()):
            if name in known:
                known[name].check(name, owner_name, value)
        return function(*args, **given)

    return call_checked


@cache
def choices_of(owner: Any) -> Mapping[str, Choices]:
    """Return the parameters of a function, or the fields of a dataclass, that take a value of a list.

    >>> from pyramidion.scoring import Settings
    >>> choices_of(Settings)["mean"].values
    ('harmonic', 'arithmetic')
    """
    if isinstance(owner, type):
        classes = reversed(owner.__mro__)  # so that a subclass has the last word on a field
        hints = [(vars(class_).get("__annotations__", {}), vars(sys.modules[class_.__module__])) for class_ in classes]
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
    """Return the type that an annotation names; None where only type checkers know the name."""
    try:
        return get_type_hints(SimpleNamespace(__annotations__={"it": annotation}), names)["it"]
    except (NameError, TypeError):
        return None


def _choices(annotation: Any) -> Choices | None:
    """Return the values of a type that lists them; None for any other type."""
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
        element = _choices(parts[0])
        return Choices(element.values, several=True) if element else None
    if origin in (Union, UnionType):
        members = [_choices(part) for part in parts]
        known = [member for member in members if member and not member.several]
        # a member that takes any value, such as str, leaves nothing to check
        values = tuple(value for member in known for value in member.values)
        return Choices(values) if len(known) == len(parts) else None
    return None
