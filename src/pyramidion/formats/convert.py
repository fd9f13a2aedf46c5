"""Files of any format turned into another, and checked.

A file holds topics (:mod:`pyramidion.formats`) or is a table of scores (:mod:`pyramidion.formats.score_tables`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pyramidion import formats
from pyramidion.base.tables import plural
from pyramidion.base.unused import collecting_asides
from pyramidion.errors import PyramidionError
from pyramidion.formats import score_tables
from pyramidion.formats.read import Reading, tell_unused
from pyramidion.model import Topic
from pyramidion.notes import collect_notes


@dataclass(frozen=True, slots=True)
class Conversion:
    """The numbers and the content of what was written."""

    unit: str
    """``topics``, or ``rows`` of a table of scores."""
    count: int
    """How many of them."""
    content: str
    """What they hold, in words."""
    lost: list[str]
    """What the new format could not hold."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file's format and content, and what is wrong with it."""

    file: str
    format: str = ""
    content: str = ""
    error: str = ""
    """Empty if the file can be read."""
    warnings: tuple[str, ...] = ()
    caret: str = ""
    """The error with the place in the text marked, for a terminal."""
    left_out: tuple[str, ...] = ()
    """What documents hold beside their texts: headers, page numbers, names and dates."""


def convert(
    input: Path,
    output: Path,
    source: str = "",
    target: str = "",
    *,
    options: formats.Options | None = None,
    write_options: formats.Options | None = None,
    strict: bool = False,
    force: bool = False,
) -> Conversion:
    """Turn a file or folder into another format; what that cannot hold is warned of, or refused if ``strict``.

    ``source`` and ``target`` name the formats, where content and ending do not say them, and ``options`` and
    ``write_options`` are theirs. Without ``force``, a file that is there is replaced only if nothing is lost.
    """
    options, write_options = options or {}, write_options or {}
    # what is converted keeps its markup: nothing is scored
    if not score_tables.is_table(input, source):
        topics = Reading(source, options, "keep", strict).topics(input)
        lost = formats.dump(topics, output, target, strict=strict, force=force, **write_options)
        return Conversion("topics", len(topics), contents(topics), lost)
    for name in (*options, *write_options):
        raise PyramidionError(f"Tables of scores have no option {name!r}", do="leave it out")
    kind = target or score_tables.kind_by_suffix(output)
    rows = score_tables.load_scores(input, source)
    lost = [f"the column {column}" for column in score_tables.lost_columns(rows, kind)]
    formats.check_losses(lost, output, kind, strict, force)
    score_tables.dump_scores(rows, output, cast("score_tables.WrittenKind", kind))  # which checks it
    return Conversion("rows", len(rows), f"{len(rows)} rows of scores", lost)


def check_file(file: Path, source: str = "", options: formats.Options | None = None) -> CheckedFile:
    """Read a file or folder of any format and say what is wrong with it."""
    format, content, error, caret = source, "", "", ""
    asides: list[str] = []
    with collect_notes() as notes:
        try:
            if score_tables.is_table(file, source):
                format, content = "score table", f"{len(score_tables.load_scores(file, source))} rows of scores"
            else:
                with tell_unused(file), collecting_asides() as asides:
                    format, topics = formats.recognised(file, source, **(options or {}))
                content = contents(topics)
        except PyramidionError as problem:
            error, caret = str(problem), problem.explain()
    warnings = dict.fromkeys(" ".join(note.text.split()) for note in notes)
    return CheckedFile(str(file), format, content, error, tuple(warnings), caret, tuple(asides))


def contents(topics: Sequence[Topic]) -> str:
    """Return in words how many topics there are, and what they hold."""
    counts = {
        "topic": len(topics),
        "reference": sum(len(topic.references) for topic in topics),
        "peer": sum(len(topic.peers) for topic in topics),
        "SCU": sum(len(topic.pyramid.scus) for topic in topics if topic.pyramid),
        "annotation": sum(len(topic.annotations) for topic in topics),
    }
    return ", ".join(plural(count, thing) for thing, count in counts.items() if count)
