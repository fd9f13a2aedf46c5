"""Files of word vectors, read: GloVe's text, word2vec's text and word2vec's binary, plain or gzip.

GloVe's text is a word and its numbers on each line. word2vec puts a line with the number of words and of dimensions
before; its binary then has, for each word, the word, a space, the numbers as little-endian float32 and sometimes a
line end. Which it is shows in the bytes, not in the file's name. A few words of GloVe's largest release contain
spaces, so that numbers are counted from the end of the line.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from pyramidion.errors import FormatError, Where
from pyramidion.language.vectors._table import Matrix

MAX_WORDS = 400_000
"""The most frequent ones; at 300 dimensions they take half a gigabyte."""
_MAX_DIMENSION = 4096
_MAX_LINE = 2**20
_MAX_WORD = 2000
_HEADER = re.compile(rb"\s*(\d{1,12})[ \t]+(\d{1,6})\s*")
Buffered: TypeAlias = "io.BufferedReader[gzip.GzipFile | io.FileIO]"

_FORMATS = "give a GloVe text file, or a word2vec text or binary file"


def read(path: Path, limit: int = MAX_WORDS) -> tuple[list[str], Matrix]:
    """Return the words in the order of the file, and their vectors; at most ``limit`` of them."""
    source = str(path)
    try:
        with path.open("rb", buffering=0) as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with io.BufferedReader(gzip.GzipFile(fileobj=raw) if zipped else raw, 2**20) as file:
                words, vectors = _parse(file, source, limit)
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise FormatError(f"This cannot be read: {error.strerror}", source, "check the path") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"The gzip file is damaged or cut short ({error})", source, "download it again") from None
    except (OSError, ValueError) as error:
        raise FormatError(f"This cannot be read: {error}", source, "check the path") from None
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise FormatError(
            f"The vector of {words[row]!r} (word {row + 1}) is not finite", source, "download the file again"
        )
    return words, vectors


def _parse(file: Buffered, source: str, limit: int) -> tuple[list[str], Matrix]:
    """Read vectors in the format that the first bytes show: GloVe's text, or word2vec's text or binary."""
    first = _line(file, source, 1)
    header = _HEADER.fullmatch(first)
    if header is None:
        return _text(first, file, 1, None, len(first.split()) - 1, source, limit)
    count, dimension = int(header[1]), int(header[2])
    if not 1 <= dimension <= _MAX_DIMENSION or not count:
        raise FormatError(f"The header promises {count} words of {dimension} dimensions", Where(source, 1), _FORMATS)
    # A text record is D numbers after the word, on one line; the bytes of float32 numbers are practically never that.
    ahead = file.peek(_MAX_LINE).split(b"\n", 1)[0][:_MAX_LINE]
    if _numbers(ahead.rstrip().split()[-dimension:], dimension) is not None:
        return _text(_line(file, source, 2), file, 2, count, dimension, source, limit)
    return _binary(file, count, dimension, source, limit)


def _line(file: Buffered, source: str, number: int) -> bytes:
    line = file.readline(_MAX_LINE)
    if len(line) == _MAX_LINE:
        raise FormatError("The line is longer than any vector", Where(source, number), _FORMATS)
    return line


def _numbers(fields: list[bytes], dimension: int) -> Matrix | None:
    """Return the fields as numbers, if there are as many as dimensions and all are numbers."""
    if len(fields) != dimension:
        return None
    try:
        # A number beyond a float's range becomes infinite, and :func:`read` says of which word.
        with np.errstate(over="ignore"):
            return np.array(fields, dtype="S").astype(np.float64).astype(np.float32)
    except ValueError:
        return None


def _text(
    line: bytes, file: Buffered, number: int, count: int | None, dimension: int, source: str, limit: int
) -> tuple[list[str], Matrix]:
    """Read words and numbers line by line, from the line that was read already."""
    if not 1 <= dimension <= _MAX_DIMENSION:
        raise FormatError("The first line is not a word and its numbers", Where(source, 1), _FORMATS)
    words: list[str] = []
    rows: list[Matrix] = []
    while line and len(words) < limit:
        if line.strip():
            fields = line.rstrip().rsplit(None, dimension)
            row = _numbers(fields[1:], dimension)
            if row is None:
                raise FormatError(
                    f"This line is not a word and {dimension} numbers", Where(source, number), "download the file again"
                )
            words.append(fields[0].decode("utf-8", "replace").strip())
            rows.append(row)
        line = _line(file, source, number := number + 1)
    if count is not None and len(words) < min(count, limit):
        raise FormatError(f"The header promises {count} words, but there are {len(words)}", source, "download it again")
    return words, np.stack(rows) if rows else _nothing(source)


def _binary(file: Buffered, count: int, dimension: int, source: str, limit: int) -> tuple[list[str], Matrix]:
    """Read words and float32 rows as word2vec writes them."""
    words: list[str] = []
    chunks: list[bytes] = []
    for number in range(1, min(count, limit) + 1):
        word = _word(file.read, source, number)
        row = file.read(4 * dimension)
        if len(row) < 4 * dimension:
            raise FormatError(
                f"The file ends in word {number} of the {count} that its header promises", source, "download it again"
            )
        words.append(word.decode("utf-8", "replace").strip())
        chunks.append(row)
    return words, np.frombuffer(b"".join(chunks), "<f4").reshape(-1, dimension).astype(np.float32)


def _word(read: Callable[[int], bytes], source: str, number: int) -> bytes:
    """Return the bytes up to the next space."""
    word = bytearray()
    while (byte := read(1)) != b" ":
        if not byte or len(word) > _MAX_WORD:
            raise FormatError(f"There is no word {number} where one should start", source, _FORMATS)
        word += byte
    return bytes(word)


def _nothing(source: str) -> Matrix:
    raise FormatError("The file is empty", source, _FORMATS)
