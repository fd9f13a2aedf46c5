"""PENMAN notation: graphs read with the words that they stand for, found by their sentences, and written."""

from pyramidion.errors import MissingPartError

try:
    import penman as _penman  # noqa: F401
except ImportError as error:
    raise MissingPartError(
        "Graphs in PENMAN notation need the package penman.", do="run: pip install 'pyramidion[graphs]'"
    ) from error
