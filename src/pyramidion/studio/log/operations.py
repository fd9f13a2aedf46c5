"""Every edit by its name, as the log keeps it and the browser sends it; and what takes edits back.

A history is the fold of its operations over the document at its start (:func:`apply`), and undoing is folding without
one (:mod:`~pyramidion.studio.log.history`).
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pyramidion.base.json import decoder
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.studio.log import annotation_edits, pyramid_edits
from pyramidion.studio.log.correction_edits import ApplyCorrections
from pyramidion.studio.log.documents import Document
from pyramidion.studio.log.edits import Operation, OperationError


@dataclass(frozen=True, slots=True)
class _OfEntry(Operation):
    """An operation that decides whether another entry of the log stands."""

    entry: int

    def apply(self, document: Document) -> Document:
        """Return the same document: the history leaves out the entries that are gone."""
        return document


@dataclass(frozen=True, slots=True)
class Undo(_OfEntry):
    """Take back the entry of this number."""


@dataclass(frozen=True, slots=True)
class Redo(_OfEntry):
    """Take back that the entry of this number was undone."""


KINDS: dict[str, type[Operation]] = {
    kind.__name__: kind
    for kind in (
        pyramid_edits.AddSCU,
        pyramid_edits.AddContributor,
        pyramid_edits.SetContributorWords,
        pyramid_edits.RemoveContributor,
        pyramid_edits.MoveContributor,
        pyramid_edits.SetLabel,
        pyramid_edits.SetComment,
        pyramid_edits.MergeSCUs,
        pyramid_edits.SplitSCU,
        pyramid_edits.DeleteSCU,
        pyramid_edits.ReplacePyramid,
        pyramid_edits.AddTexts,
        annotation_edits.AddMatch,
        annotation_edits.RemoveMatch,
        annotation_edits.SetContradiction,
        annotation_edits.SetUnmatched,
        annotation_edits.SetRemark,
        annotation_edits.RefuseSuggestion,
        annotation_edits.SetDone,
        annotation_edits.TakeAnnotation,
        ApplyCorrections,
        Undo,
        Redo,
    )
}
"""The operations by name."""

FROM_PAGES = frozenset(KINDS) - {"Undo", "Redo", "ReplacePyramid", "AddTexts", "ApplyCorrections"}
"""The operations that a page may send; the others are made by the server."""

LONGEST = 20_000
"""Characters of a label or comment."""


def apply(document: Document, operation: Operation) -> Document:
    """Return the document after an edit; an edit that it does not allow is an error."""
    try:
        return operation.apply(document)
    except OperationError:
        raise
    except PyramidionError as error:
        raise OperationError(str(error)) from None


def encode(operation: Operation) -> tuple[str, str]:
    """Return the operation's name, and its values as JSON."""
    return type(operation).__name__, msgspec.json.encode(operation).decode()


def decode(kind: str, values: str | bytes) -> Operation:
    """Return the operation that :func:`encode` wrote; anything else is an error."""
    try:
        operation = decoder(KINDS[kind]).decode(values)
    except KeyError:
        raise OperationError(f"There is no operation {kind[:40]!r}.") from None
    except (msgspec.MsgspecError, ModelError, UnicodeDecodeError, RecursionError) as error:
        raise OperationError(f"The operation {kind} cannot be read: {error}") from None
    for name in ("label", "comment"):
        if len(getattr(operation, name, "")) > LONGEST:
            raise OperationError(f"The {name} is longer than {LONGEST:,} characters.", do="write less")
    return operation
