r"""PyrEval's pyramids in their readable form (``Scoring/scu/X_read.pyr``), read and written.

One line a contributor, four fields with a tab between them, the first always ``SCU``. Lines that begin with ``//`` are
comments::

    // SCU  uid  weight  contributor
    SCU     0    2       the lagoon was drained
    SCU     0    2       the lagoon fell dry

People correct such files and PyrEval turns them back into XML, so a stored weight may no longer be the number of lines:
the lines are trusted, with a warning. Fields are not quoted, spaces around them are dropped, and a line of the four
column names is a comment. As in PyrEval's XML, nothing says which reference a contributor comes from:
:mod:`~pyramidion.formats._bare` says what we make of that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyramidion.base.files import decode, read_bytes, write_bytes
from pyramidion.errors import FormatError, Where
from pyramidion.formats import _bare
from pyramidion.formats._differences import find_losses
from pyramidion.model import Topic
from pyramidion.notes import note

TITLE = "PyrEval: an automatic pyramid as a table, one line a contributor"
SUFFIXES: tuple[str, ...] = ()
COLUMNS = ("SCU", "uid", "weight", "contributor")

_SKIPPED = rb"(?:[^\S\n]*(?://[^\n]*)?\n)*"
_FIRST_ROW = re.compile(rb"(?:\xef\xbb\xbf)?" + _SKIPPED + rb" *SCU *\t *(?:\d+ *\t *\d+ *\t|uid *\t *weight *\t)")


def sniff(path: Path, head: bytes) -> bool:
    """Return whether the first line that is no comment is ``SCU``, a number, a number and words."""
    return bool(_FIRST_ROW.match(head.replace(b"\r\n", b"\n").replace(b"\r", b"\n")))


def load(path: Path) -> list[Topic]:
    """Return the topic of a file, named as the file is, without ``_read``."""
    return loads(read_bytes(path), str(path))


@dataclass(slots=True)
class _SCU:
    """The content of the lines of one SCU."""

    line: int
    weights: set[int] = field(default_factory=set)
    contributors: list[str] = field(default_factory=list)


def loads(data: bytes | str, source: str = "<string>") -> list[Topic]:
    """Return the topic of a document: a pyramid, and references reassembled from its contributors."""
    scus = _scus(decode(data, source).replace("\r\n", "\n").replace("\r", "\n"), source)
    for uid, scu in scus.items():
        if scu.weights != {len(scu.contributors)}:
            stored = " and ".join(map(str, sorted(scu.weights)))
            note(
                f"{source}:{scu.line}: SCU {uid} is said to weigh {stored}, but has {len(scu.contributors)} line(s); "
                "the lines were trusted"
            )
    bare = [(uid, scu.contributors) for uid, scu in scus.items()]
    return _bare.read_topics(bare, source, _bare.topic_id(source).removesuffix("_read"))


def _scus(text: str, source: str) -> dict[str, _SCU]:
    """Return the SCUs by uid, each with its first line, its stored weights and its contributors."""
    scus: dict[str, _SCU] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        fields = [cell.strip() for cell in line.split("\t", 3)]  # words may hold tabs: the rest is one field
        if tuple(fields) == COLUMNS:
            continue
        if len(fields) < len(COLUMNS) or fields[0] != COLUMNS[0]:
            raise FormatError(
                f"The line {line[:60]!r} is not 'SCU', a number, a weight and words, with tabs between them",
                Where(source, number, 1, text=line),
                "correct it, or begin it with // to leave it out",
            )
        uid, weight = _numbers(line, Where(source, number))
        scu = scus.setdefault(str(uid), _SCU(number))
        scu.weights.add(weight)
        scu.contributors.append(fields[3])
    return scus


def _numbers(line: str, where: Where) -> tuple[int, int]:
    """Return the uid and the weight of a line."""
    column = line.index("\t") + 1
    numbers = []
    for name, cell in zip(COLUMNS[1:3], line.split("\t")[1:3], strict=True):
        number = _bare.whole_number(cell)
        if number is None:
            raise FormatError(
                f"The {name} {cell.strip()[:60]!r} is not a whole number",
                Where(where.source, where.line, column + 1, text=line),
                "give a number, or begin the line with // to leave it out",
            )
        numbers.append(number)
        column += len(cell) + 1
    return numbers[0], numbers[1]


def losses(topics: Sequence[Topic], path: Path) -> list[str]:
    """List what is lost when the file of this name is read again."""
    return find_losses(topics, dumps, lambda data: loads(data, str(path)))


def dump(topics: Sequence[Topic], path: Path) -> None:
    """Write the pyramid of one topic."""
    write_bytes(path, dumps(topics))


def dumps(topics: Sequence[Topic]) -> bytes:
    """Return the pyramid of one topic, one line a contributor."""
    rows = [
        f"SCU\t{uid}\t{len(contributors)}\t{words}\n"
        for uid, contributors in _bare.numbered_scus(_bare.one_pyramid(topics))
        for words in contributors
    ]
    try:
        return "".join(rows).encode()
    except UnicodeEncodeError as error:
        raise FormatError(
            f"Topic {topics[0].id!r} holds a lone surrogate ({error.object[error.start]!r})",
            do="repair the text it came from",
        ) from None
