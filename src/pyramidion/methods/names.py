"""A method's name and its parameters, as people write them: ``NAME(parameter=value,...)``.

>>> parse_name("given+overlap(threshold=0.6, strict=true)")
('given+overlap', (('threshold', 0.6), ('strict', True)))
>>> print_name(*parse_name("given+overlap(threshold=0.6, strict=true)"))
'given+overlap(threshold=0.6,strict=true)'
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyramidion.errors import PyramidionError

Value = str | int | float | bool
Parameters = tuple[tuple[str, Value], ...]

_SPEC = re.compile(r"\s*([\w.:+/\\~@-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse_name(text: str) -> tuple[str, Parameters]:
    """Return the name before the brackets, and the parameters in them."""
    spec = _SPEC.fullmatch(text)
    if not spec:
        raise PyramidionError(f"{text!r} is not a method", do="write NAME or NAME(parameter=value,...)")
    name, inside = spec[1], spec[2] or ""
    parameters = []
    for item in filter(None, (item.strip() for item in inside.split(","))):
        key, equals, value = item.partition("=")
        if not equals:
            raise PyramidionError(f"{item!r} in {text!r} is not a parameter", do="write parameter=value")
        parameters.append((key.strip(), parse_value(value.strip())))
    return name, tuple(parameters)


def parse_value(text: str) -> Value:
    """Return a parameter's value as its type would be written: true, 3, 0.5, or text."""
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):  # int first: 3 is a float, too
        try:
            return number(text)
        except ValueError:
            continue
    return text


def print_name(name: str, parameters: Iterable[tuple[str, Value]]) -> str:
    """Return a name with its parameters in brackets, if there are any."""
    shown = ",".join(f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in parameters)
    return f"{name}({shown})" if shown else name
