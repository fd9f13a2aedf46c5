"""Bytes in from a path, bytes out to a path: with errors a person can act on, and never half a file.

What is written gets a temporary name, is brought to the disk (fsync), and only then the name it was meant for. A killed
process or a power cut leaves the old or the new, whole: a rename may reach the disk before the bytes it names.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.notes import note

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
MAX_BYTES = 64 * 2**20
"""The largest document; a larger one is a mistake, and parsing it would only use up memory."""

PART = ".part"
"""The ending of temporary names of files that are being written."""

HEAD = 2**16
"""The number of bytes by which a format is recognised."""


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what the operating system says of an unreadable path into one of our errors."""
    try:
        yield
    except FileNotFoundError:
        raise FormatError("There is no such file or folder", str(path), "check the path") from None
    except IsADirectoryError:
        raise FormatError("This is a folder, not a file", str(path), "name a file in it") from None
    except NotADirectoryError:
        raise FormatError("A part of this path is a file, not a folder", str(path), "check the path") from None
    except PermissionError:
        raise FormatError("This cannot be read: permission denied", str(path), "change its permissions") from None
    except OSError as error:
        raise FormatError(
            f"This cannot be read: {error.strerror or error}", str(path), "check the disk and the path"
        ) from None


def read_bytes(path: Path) -> bytes:
    """Return the whole content of a file that should be a document, which must not be huge."""
    with readable(path):
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
        size = status.st_size
        if size <= MAX_BYTES:
            with path.open("rb") as file:
                data = _read_all(file, size)
            size = len(data)
        if size > MAX_BYTES:
            has = "more" if size == MAX_BYTES + 1 else f"{size / 2**20:.0f} MiB, more"
            raise FormatError(
                f"The file has {has} than the {MAX_BYTES // 2**20} MiB that a document may have",
                str(path),
                "check that it is the file you meant, or split it",
            )
        return data


def _read_all(file: BinaryIO, size: int) -> bytes:
    """Return all of a file of about this size; of a huge one a byte more than is allowed, which is enough to see that.

    Room is made for as much as there is: a pipe or a device does not know its size, and a file may grow.
    """
    pieces, left = [], MAX_BYTES + 1
    while left > 0 and (piece := file.read(min(max(size, 2**16) + 1, left))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def is_stream(path: Path) -> bool:
    """Return whether this can be read only once: a pipe, a terminal, a device."""
    with readable(path):
        return path.exists() and not path.is_file() and not path.is_dir()


def head(path: Path) -> bytes:
    """Return the first bytes of a file, for sniffing; nothing for a folder."""
    with readable(path):
        if path.is_dir():
            return b""
        with path.open("rb") as file:
            return head_of(file.read(HEAD))


def head_of(data: bytes) -> bytes:
    """Return the first bytes of a document, for sniffing, with UTF-16 made UTF-8."""
    start = data[:HEAD]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return start[: len(start) // 2 * 2].decode("utf-16", "replace").encode()
    return start


def decode(data: bytes | str, source: str, *, may_be_empty: bool = False) -> str:
    """Return bytes as text: UTF-16 by its mark, else UTF-8, else Windows-1252 with a warning.

    DUCView 1.4 wrote the platform's charset and did not say which.
    """
    if isinstance(data, str):
        text = data
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"The file is not valid UTF-16 at byte {error.start}", source, "save the file as UTF-8"
            ) from None
    elif b"\0" in data:
        raise FormatError(
            f"This is a binary file (it has a zero byte at {data.index(0)})", source, "give a text file"
        ) from None
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            # five bytes stand for nothing in Windows-1252; in Latin-1 every byte is a character
            encoding = "cp1252" if not set(data) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} else "latin-1"
            text = data.decode(encoding)
            note(
                f"{source}: The file is not UTF-8 (byte {data[error.start]:#04x} at {error.start}); it was read as "
                f"{encoding}"
            )
    if not may_be_empty and not text.strip():
        raise FormatError("The file is empty", source, "write it again or leave it out")
    if REPLACEMENT in text:
        note(
            f"{source}: The text has {text.count(REPLACEMENT)} replacement character(s), the first at "
            f"{text.index(REPLACEMENT)}: an earlier conversion damaged it"
        )
    return text


def encode(text: str) -> bytes:
    """Return the text as UTF-8; a lone surrogate, which no text file can hold, is an error."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise FormatError(
            f"A text holds a lone surrogate ({error.object[error.start]!r})", do="repair the text it came from"
        ) from None


def squash(text: str) -> str:
    """Return the text without white space, for comparisons that white space must not decide."""
    return "".join(text.split())


def read_text(path: Path) -> str:
    """Return a plain text's content, which may be empty, with the platform's line ends made newlines."""
    return decode(read_bytes(path), str(path), may_be_empty=True).replace("\r\n", "\n").replace("\r", "\n")


def place(source: str, text: str, offset: int, element: str = "") -> Where:
    """Return the line and column of a character offset."""
    offset = max(0, min(offset, len(text)))
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)]
    return Where(source, text.count("\n", 0, start) + 1, offset - start + 1, element, line)


def write_bytes(path: Path, data: bytes) -> None:
    """Write under a temporary name and rename: a killed run leaves the old file or the new one, never half.

    A link stays, and what it points to is replaced. A pipe or a device has nothing to replace: it is written to.
    """
    with writable(path):
        if path.is_dir():
            raise IsADirectoryError(None, "this is a folder")
        if is_open_already(path):
            with path.open("wb") as file:
                file.write(data)
        else:
            _replace(Path(os.path.realpath(path)), data)


def is_open_already(path: Path) -> bool:
    """Return whether somebody is at the other end: of a pipe, a device, one of this process's own streams."""
    is_own_stream = path.absolute().as_posix().startswith(("/dev/std", "/dev/fd/", "/proc/"))
    return is_own_stream or (path.exists() and not path.is_file())


def _replace(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a new file, which takes a path's place when the block ends and is deleted if it fails."""
    temporary = None
    with writable(path):
        try:
            descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=PART)
            temporary = Path(name)
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            # mkstemp lets only the owner read; the file gets the mode that it had, or that any new file has
            temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
            temporary.replace(path)
            _to_disk(path.parent)
        except BaseException:  # an interruption, too, leaves nothing behind
            if temporary:
                temporary.unlink(missing_ok=True)
            raise


def is_part(path: Path, name: str) -> bool:
    """Return whether this is a temporary file that a killed process left while it wrote a file of that name."""
    return path.name.startswith(f".{name[:40]}.") and path.suffix == PART


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder of files, all or nothing; the keys are paths inside it."""
    with writable(path):
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise FileExistsError(None, "it already exists and is not an empty folder")
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=PART))
        try:
            fill_folder(temporary, files)
            temporary.chmod(0o777 & ~_umask())
            # All are written by now, so that the first fsync brings most of them to the disk at once.
            for folder, _, names in os.walk(temporary, topdown=False):
                for name in names:
                    with Path(folder, name).open("rb+") as file:
                        os.fsync(file.fileno())
                _to_disk(Path(folder))
            temporary.replace(path)
            _to_disk(path.parent)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def fill_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder; the keys are paths inside it."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _to_disk(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can do that and lets us."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        # a file system that cannot do it, or a folder that we may write to but not read
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES):
            raise


@contextmanager
def writable(path: Path) -> Iterator[None]:
    """Turn what the operating system says of an unwritable path into one of our errors."""
    try:
        yield
    except OSError as error:
        what = "no such folder" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise PyramidionError(
            f"The file cannot be written: {what}", str(path), "choose another path or change its permissions"
        ) from None


def check_not_among(output: Path, inputs: Sequence[Path]) -> None:
    """Refuse an output that is one of the inputs or lies inside one, so that no result overwrites a text."""
    place = Path(os.path.realpath(output))
    for source in inputs:
        read = Path(os.path.realpath(source))
        if place == read or (output.exists() and source.exists() and output.samefile(source)):
            raise PyramidionError("This file is an input, so it cannot be written", str(output), "name another file")
        if read.is_dir() and place.is_relative_to(read):
            raise PyramidionError(
                f"This path is inside the input {str(source)!r}, so it cannot be written",
                str(output),
                "name a place outside that folder",
            )


def _umask() -> int:
    """Return the mask of this process, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
