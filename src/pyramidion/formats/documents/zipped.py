"""Members of a zip archive, within bounds: an office file is such an archive, and so is a platform's export."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from pyramidion.base.files import MAX_BYTES
from pyramidion.errors import FormatError

MOST_MEMBERS = 20_000
_ENCRYPTED = 0x1
"""The bit of a member's flags."""
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
"""What zipfile raises of archives that are damaged, or packed in a way that it does not know (a ``RuntimeError``)."""


def open_archive(data: bytes, source: str) -> zipfile.ZipFile:
    """Return the archive; a damaged one, or one of too many files, is an error."""
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except _UNREADABLE as error:
        raise FormatError(f"The file is damaged, or its ending is wrong ({error}).", source, "save it again") from None
    if len(archive.infolist()) > MOST_MEMBERS:
        raise FormatError(f"The archive holds more than {MOST_MEMBERS:,} files.", source, "split it")
    return archive


def member(archive: zipfile.ZipFile, name: str, source: str) -> bytes:
    """Return one file of an archive; one that is encrypted, damaged or larger than memory allows is an error."""
    try:
        if archive.getinfo(name).flag_bits & _ENCRYPTED:
            raise FormatError("The file is encrypted.", source, "save it without a password")
        with archive.open(name) as file:
            data = file.read(MAX_BYTES + 1)  # not all: the size that the archive states may be a lie
    except KeyError:
        raise FormatError(f"The archive has no {name!r}.", source, "check that its ending is right") from None
    except _UNREADABLE as error:
        raise FormatError(
            f"The file is damaged, or packed in an unknown way ({error}).", source, "save it again"
        ) from None
    if len(data) > MAX_BYTES:
        raise FormatError(
            f"The file unpacks to more than {MAX_BYTES // 2**20} MiB, which is too large for a text.",
            source,
            "check where it comes from",
        )
    return data
