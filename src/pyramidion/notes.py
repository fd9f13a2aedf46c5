"""Notes: what whoever asked should know of an answer, such as a guess, a repair, or a pyramid not proved the best.

>>> with collect_notes() as notes:
...     note("a.txt: The file is not UTF-8; it was read as cp1252")
>>> print(*notes)
a.txt: The file is not UTF-8; it was read as cp1252

A note goes to who listens in the current context (:mod:`contextvars`): the command line prints it, a result or a cache
keeps it, and the studio shows it to the visitor whose request it is. Where nobody listens, as in a user's own program,
it is a warning at the line that called the package. Warnings alone would not do: their filters and their list of caught
warnings belong to the whole process, so that a thread reads those of another, loses its own, and leaves filters
changed. A new thread begins with an empty context; :mod:`pyramidion.base.threads` gives its threads that of whoever
asks.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType

from pyramidion.errors import InputWarning

_PACKAGE = __name__.partition(".")[0]
_BETWEEN = ("contextlib", "functools", "threading")
"""Modules of Python whose frames may stand between two of ours."""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the user, and the class of the warning that it is where nobody collects it."""

    text: str
    category: type[Warning] = InputWarning

    def __str__(self) -> str:
        return self.text


Listener = Callable[[Note], object]


def note(text: str, category: type[Warning] = InputWarning) -> None:
    """Tell whoever asked a sentence; it begins with a capital or a file's name and has no full stop at its end."""
    _listener.get()(Note(text, category))


def repeat_notes(notes: Iterable[Note]) -> None:
    """Tell whoever asked what was noted elsewhere: by a worker, or when a cached value was made."""
    for repeated in notes:
        _listener.get()(repeated)


@contextmanager
def send_notes(listener: Listener) -> Iterator[None]:
    """Call the listener with each note of the block, which must not yield: a generator shares its caller's context."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def collect_notes() -> Iterator[list[Note]]:
    """Yield a list that fills with the notes of the block, each once; nobody else is told."""
    notes = _Notes()
    with send_notes(notes.add):
        yield notes.all


@contextmanager
def copy_notes() -> Iterator[list[Note]]:
    """Yield a list that fills with the notes of the block, each once; who listens outside is told as well, at once."""
    notes, outside = _Notes(), _listener.get()

    def add(new_note: Note) -> None:
        if notes.add(new_note):
            outside(new_note)

    with send_notes(add):
        yield notes.all


def note_warnings() -> None:
    """Make notes of what plug-ins warn of, for good: in a worker process, where nobody else would hear it."""
    warnings.simplefilter("always", InputWarning)
    warnings.showwarning = _note_warning


def _note_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    listener = _listener.get()
    if issubclass(category, InputWarning) and listener is not _warn:  # which would call this function again
        listener(Note(str(message)))


class _Notes:
    """Notes in the order in which they came first."""

    def __init__(self) -> None:
        self.all: list[Note] = []
        self._known: set[Note] = set()

    def add(self, new_note: Note) -> bool:
        """Keep a note; return whether it is new."""
        is_new = new_note not in self._known
        if is_new:
            self._known.add(new_note)
            self.all.append(new_note)
        return is_new


def _warn(unheard: Note) -> None:
    """Warn at the line that called the package, so that Python's filters go by the user's own modules."""
    frame = sys._getframe(1)
    while frame.f_back and _is_inside(frame):
        frame = frame.f_back
    where, names = frame.f_code.co_filename, frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    warnings.warn_explicit(unheard.text, unheard.category, where, frame.f_lineno, names.get("__name__"), registry)


def _is_inside(frame: FrameType) -> bool:
    """Return whether a frame is of the package, or of Python between two of the package."""
    module = str(frame.f_globals.get("__name__"))
    return module.partition(".")[0] == _PACKAGE or module in _BETWEEN


# at the end, because its default is a function of this module
_listener: ContextVar[Listener] = ContextVar("notes", default=_warn)
