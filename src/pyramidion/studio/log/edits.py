"""What an edit is: a value that makes a document another, and says which parts of it it changes.

An operation names what it works on by ids and words, never by places in a list, so that it means the same when others
have edited meanwhile. Applying it is pure.

``PARTS`` are the parts of a document that an operation changes, as paths: ``scu/3/label`` is a part of ``scu/3``. An
operation that was made for an older version is merged if no part of it, and nothing that it is a part of, was changed
since, and refused otherwise (:func:`conflict`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from pyramidion.errors import PyramidionError
from pyramidion.model import Contributor, Span
from pyramidion.studio.log.documents import Document, Reader

Spans = tuple[Span, ...]
Part = tuple[str, ...]


class OperationError(PyramidionError):
    """An edit that the document does not allow, for instance of an SCU that is gone."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a reference, as a contributor has them; ``label`` tells contributors without spans apart."""

    summary: str
    spans: Spans = ()
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", tuple(sorted(self.spans)))

    def match(self, contributor: Contributor) -> bool:
        """Return whether the contributor has these words."""
        if (contributor.summary, contributor.spans) != (self.summary, self.spans):
            return False
        return bool(self.spans) or contributor.label == self.label


@dataclass(frozen=True, slots=True)
class Operation(ABC):
    """An edit of a document."""

    PARTS: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        spans: Any = getattr(self, "spans", ())
        if len(spans) > 1:
            object.__setattr__(self, "spans", tuple(sorted(spans)))

    @abstractmethod
    def apply(self, document: Document) -> Document:
        """Return the document after the edit; an edit that it does not allow is an error."""

    @property
    def touches(self) -> frozenset[Part]:
        """The parts of the document that the operation changes."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        # split before names are filled in: a slash in somebody's id is no border between parts
        return frozenset(tuple(name.format(**values) for name in part.split("/")) for part in self.PARTS)

    @property
    def new_scus(self) -> tuple[str, ...]:
        """The ids of the SCUs that the operation makes."""
        return ()

    def with_ids_after(self, last: int) -> Operation:
        """Return the operation with ids above ``last`` for the SCUs that it makes.

        A mark names its SCU by id. If an id came back for another idea, old marks would hang on that idea.
        """
        return self

    @property
    def public(self) -> Operation | None:
        """The part of the edit that is shown to those who see no annotations of others."""
        return self


@dataclass(frozen=True, slots=True)
class AnnotationOperation(Operation):
    """An edit of what one reader found in one peer."""

    reader: Reader

    @property
    def public(self) -> None:
        """Nothing: those who see no annotations of others see no edits of them."""


def conflict(first: Operation, second: Operation) -> bool:
    """Return whether two operations change the same part of a document, or one a part of what the other changes."""
    return any(a[: len(b)] == b or b[: len(a)] == a for a in first.touches for b in second.touches)


def check_words(spans: Spans) -> None:
    """Raise where nothing is selected."""
    if not spans:
        raise OperationError("No words are selected.", do="select some first")
