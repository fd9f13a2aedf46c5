"""JSON with places: values of declared types, and errors that say which element, or which line and column."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from pyramidion.base.files import decode, place
from pyramidion.base.limits import check_count
from pyramidion.errors import FormatError, Where

T = TypeVar("T")

Id = Annotated[str, Meta(min_length=1)] | int
Offset = Annotated[int, Meta(ge=0, le=2**53)]


_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_preparing = threading.Lock()


def decoder(type: type[T]) -> msgspec.json.Decoder[T]:
    """Return the decoder of a type, which is made once.

    msgspec prepares a type when it is first read, and a second thread that reads it meanwhile ends the process (seen
    with msgspec 0.22). So types are prepared here, one at a time.
    """
    if type not in _decoders:
        with _preparing:
            _decoders[type] = msgspec.json.Decoder(type)
    return _decoders[type]


def decode_json(text: str, type: type[T], source: str, line: int | None = None) -> T:
    """Return the value of a document, or of one line of a file of lines."""
    try:
        return decoder(type).decode(text)
    except msgspec.ValidationError as error:
        what, _, element = str(error).partition(" - at ")
        where = Where(source, line, element=element.strip("`"))
        raise FormatError(what.replace("`", "'"), where, "see docs/formats.md for the fields") from None
    except msgspec.DecodeError as error:
        raise _malformed(str(error), text, source, line) from None
    except (RecursionError, UnicodeError) as error:
        what = f"Not readable as JSON ({error.__class__.__name__})"
        raise FormatError(what, Where(source, line), "write it again") from None


def check_json(text: str, where: Where) -> None:
    """Raise an error if the document would make too many values."""
    check_count(text.count("{") + text.count("["), "objects and lists", where)


def _malformed(message: str, text: str, source: str, line: int | None) -> FormatError:
    # msgspec counts bytes of UTF-8, a place counts characters
    byte = re.search(r"\s*\(byte (\d+)\)", message)
    data = text.encode("utf-8", "replace")
    where = place(source, text, len(data[: int(byte[1]) if byte else len(data)].decode("utf-8", "ignore")))
    if line is not None:
        where = Where(source, line, where.column, text=where.text)
    if "truncated" in message:
        return FormatError("The JSON ends too early", where, "write it again; it is incomplete")
    return FormatError(message.removesuffix(byte[0] if byte else ""), where, "correct the JSON there")


def json_lines(data: bytes | str, source: str, type: type[T]) -> Iterator[tuple[int, T]]:
    """Yield each line of JSON as a value of the type, with its number; empty lines are passed over."""
    text = decode(data, source)
    check_json(text, Where(source))
    for number, line in enumerate(text.split("\n"), start=1):
        if line and not line.isspace():
            yield number, decode_json(line, type, source, number)


def encode_json(value: Any) -> bytes:
    """Return a value as JSON on one line."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        raise FormatError(
            f"A text holds a lone surrogate ({error.object[error.start]!r})", do="repair the text it came from"
        ) from None


def encode_lines(records: Sequence[dict[str, Any]]) -> bytes:
    """Return JSON lines, one for each record."""
    return b"".join(encode_json(record) + b"\n" for record in records)
