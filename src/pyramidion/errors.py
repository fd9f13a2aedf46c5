"""What can go wrong, said so that a person can act on it.

Every error says *what* is wrong, *where* (file, line and column, or the element and offset) and *what to do*.
``str(error)`` is one line, ready for standard error; :meth:`PyramidionError.explain` adds the offending line with a
caret under the fault. The command line ends with :attr:`PyramidionError.exit_status`.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "FormatError",
    "InputWarning",
    "LossError",
    "MissingPartError",
    "ModelError",
    "PyramidionError",
    "Where",
]


@dataclass(frozen=True, slots=True)
class Where:
    """A place in an input: as much of file, line, column, element and offset as is known.

    >>> print(Where("d01.pan", line=12, column=5))
    d01.pan:12:5
    >>> print(Where("d01.json", element="$.pyramid.scus[3]"))
    d01.json: $.pyramid.scus[3]
    """

    source: str = ""
    line: int | None = None
    column: int | None = None
    element: str = ""
    text: str = ""
    """The offending line, for the caret."""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part not in ("", None))
        return ": ".join(part for part in (place, self.element) if part)


class PyramidionError(Exception):
    """The base of every error that bad input can cause.

    >>> print(PyramidionError("the file is empty", Where("a.pyr"), "write the pyramid again"))
    a.pyr: the file is empty; write the pyramid again
    """

    exit_status = 1

    def __init__(self, what: str, where: Where | str = "", do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = Where(where) if isinstance(where, str) else where
        self.do = do

    def __str__(self) -> str:
        place = str(self.where)
        line = (f"{place}: " if place else "") + self.what + (f"; {self.do}" if self.do else "")
        return " ".join(line.split())

    def at(self, where: Where) -> PyramidionError:
        """The same error, placed: for checks that only the caller can put in a file."""
        self.where = where
        return self

    def explain(self) -> str:
        """The message and, where the offending line is known, that line with a caret under the fault.

        >>> print(FormatError("an unclosed tag", Where("a.pyr", 2, 3, text="<scu uid='1'"), "close it").explain())
        a.pyr:2:3: an unclosed tag; close it
            <scu uid='1'
              ^
        """
        if not self.where.text or self.where.column is None:
            return str(self)
        first = max(0, self.where.column - 60)
        shown = self.where.text[first : first + 100].replace("\t", " ")
        return f"{self}\n    {shown}\n    {' ' * (self.where.column - 1 - first)}^"


class FormatError(PyramidionError):
    """A file is not what it should be: malformed, truncated, unreadable, or of no known format."""


class ModelError(PyramidionError, ValueError):
    """Values that contradict each other: an offset outside its text, an id used twice, an SCU nobody contributed to."""


class LossError(PyramidionError):
    """A target format cannot hold everything, and the caller asked to lose nothing."""


class MissingPartError(PyramidionError):
    """An optional part is not installed; the message carries the pip line."""

    exit_status = 3


class InputWarning(UserWarning):
    """Input that could be read, with a guess or a repair that the user should know of."""
