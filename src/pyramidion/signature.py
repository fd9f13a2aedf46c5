"""How a number was made, in one line that parses back.

A score without its settings cannot be compared with another. A :class:`Signature` names the method, every parameter
and the version, and ``Signature.parse(str(signature)) == signature``, so that it can travel in a table's caption or a
file name and come back.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from pyramidion.errors import FormatError
from pyramidion.version import __version__

_PLAIN = " !#$&'()*+,-./;<=>?@[]^_`{}~"


def _escape(text: str) -> str:
    return quote(text, safe=_PLAIN)


@dataclass(frozen=True, slots=True)
class Signature:
    """Method, parameters and version.

    >>> import pyramidion as pm
    >>> print(pm.Signature("manual", (("average", "floor"), ("cap", "yes")), "0.1.0"))
    method:manual|average:floor|cap:yes|version:0.1.0
    >>> pm.Signature.parse("method:manual|average:floor|cap:yes|version:0.1.0").parameters
    (('average', 'floor'), ('cap', 'yes'))
    """

    method: str
    parameters: tuple[tuple[str, str], ...] = ()
    version: str = __version__

    def __post_init__(self) -> None:
        for name, _ in self.parameters:
            if name in ("method", "version"):
                raise FormatError(f"A signature's parameter cannot be called {name!r}", do="rename the parameter")

    def __str__(self) -> str:
        fields = (("method", self.method), *self.parameters, ("version", self.version))
        return "|".join(f"{_escape(name)}:{_escape(value)}" for name, value in fields)

    @classmethod
    def parse(cls, text: str) -> Signature:
        """The signature that prints as ``text``."""
        fields = []
        for field in text.split("|"):
            name, colon, value = field.partition(":")
            if not colon:
                raise FormatError(
                    f"The signature field {field!r} has no colon",
                    do="write method:NAME|PARAMETER:VALUE|...|version:V",
                )
            fields.append((unquote(name), unquote(value)))
        if len(fields) < 2 or fields[0][0] != "method" or fields[-1][0] != "version":
            raise FormatError(f"{text!r} is not a signature", do="write method:NAME|PARAMETER:VALUE|...|version:V")
        return cls(fields[0][1], tuple(fields[1:-1]), fields[-1][1])
