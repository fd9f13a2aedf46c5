"""Errors and warnings that tell people what to do.

Every error says *what* is wrong, *where* (file, line and column, or the element and offset) and *what to do*.
``str(error)`` is one line, ready for standard error; :meth:`PyramidionError.explain` adds the offending line with a
caret under the fault. The command line ends with :attr:`PyramidionError.exit_status`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A place in an input: its file, line, column and element, as far as they are known.

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
    """The base class of all errors that bad input causes.

    ``what`` is a sentence, which begins with a capital; ``do`` is its second half, which says what to do about it. The
    full stop is added when the error is printed, unless the advice ends in something to copy.

    >>> import pyramidion as pm
    >>> print(pm.PyramidionError("The file is empty.", "a.pyr", "write the pyramid again"))
    a.pyr: The file is empty; write the pyramid again.
    """

    exit_status = 1

    def __init__(self, what: str, where: Where | str = "", do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = Where(where) if isinstance(where, str) else where
        self.do = do

    def __str__(self) -> str:
        place = str(self.where)
        sentence = f"{self.what.removesuffix('.')}; {self.do}" if self.do else self.what
        if sentence[-1:].isalnum() and ": " not in self.do:  # what follows a colon is there to be copied
            sentence += "."
        return " ".join(f"{place}: {sentence}".split()) if place else " ".join(sentence.split())

    def at(self, where: Where) -> PyramidionError:
        """Set the place of this error and return it, for checks whose caller alone knows the file."""
        self.where = where
        return self

    def explain(self) -> str:
        """Return the message and, if the offending line is known, that line with a caret under the fault.

        >>> print(FormatError("A tag is not closed.", Where("a.pyr", 2, 3, text="<scu uid='1'"), "close it").explain())
        a.pyr:2:3: A tag is not closed; close it.
            <scu uid='1'
              ^
        """
        if not self.where.text or self.where.column is None:
            return str(self)
        # a file may be one line of megabytes: only the part around the fault is shown
        first = max(0, self.where.column - 60)
        shown = self.where.text[first : first + 100].replace("\t", " ")
        return f"{self}\n    {shown}\n    {' ' * (self.where.column - 1 - first)}^"


class FormatError(PyramidionError):
    """A file is malformed, truncated, unreadable, or in an unknown format."""


class ModelError(PyramidionError, ValueError):
    """Values contradict each other, or a setting cannot have its value.

    An offset is outside its text, an id occurs twice, an SCU has no contributor, or a word is none of a setting's.
    """


class LossError(PyramidionError):
    """A target format cannot hold everything, and the caller asked to lose nothing."""


class MissingPartError(PyramidionError):
    """An optional part is not installed; the message carries the pip line."""

    exit_status = 3


class InputWarning(UserWarning):
    """The input could be read, but only with a guess or a repair that the user should know about."""
