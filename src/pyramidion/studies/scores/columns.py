"""Tables of scores of the same summaries: each read by topic and system, several joined, each column a matrix.

A cell is a system's score on a topic. Topics and systems that not all sources have are left out, the first ten named; a
cell that a column lacks is NaN. Rows that speak of all topics or all systems (LitePyramids stacks three tables) are
passed over where a table has cells; a table of one row a system, without topics, is a single topic without a name.

Three things are done that people must know of, and each is said in ``notes``. A value that looks like "no score", -1
where all others are 0 or more, is taken for missing (``missing="keep"`` takes it for a number). Where systems have
numbers and some single letters, as NIST names people, people are left out (``people="keep"`` keeps them), as Nenkova et
al. 2007 §4.2 do, because their scores lie far from the systems' and raise any correlation. And what is not in all
sources is left out. Rows on one summary by several annotators count as their mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.formats.score_tables import load_scores
from pyramidion.io.files import decode, read_bytes

__all__ = [
    "Keeping",
    "Key",
    "ScoreColumns",
    "ScoreSource",
    "first_ten",
    "join_columns",
    "placeholders",
    "read_score_table",
    "read_topic_ids",
]

Array = NDArray[np.float64]
Key = tuple[str, str]
"""A topic's id and a system's."""
Keeping = Literal["drop", "keep"]

LISTED = 10
"""How many names an error lists."""
_PLACEHOLDERS = (-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0)
_LARGEST = 1e100
"""No score is larger; squares of larger ones overflow."""


def first_ten(names: Iterable[str]) -> str:
    """The names in a row, ten of them at most.

    >>> first_ten("abcdefghijkl")
    'a, b, c, d, e, f, g, h, i, j and 2 more'
    """
    every = list(names)
    more = f" and {len(every) - LISTED} more" if len(every) > LISTED else ""
    return ", ".join(every[:LISTED]) + more


def placeholders(values: Array) -> list[float]:
    """Values that look like 'no score': -1 where all others are 0 or more, 99 where they are far below.

    DUC 2006 has such a -1 among its responsiveness scores.

    >>> import numpy as np
    >>> placeholders(np.array([[2, -1.0], [4, 5]]))
    [-1.0]
    """
    found = []
    for value in _PLACEHOLDERS:
        others = values[(values != value) & ~np.isnan(values)]
        if not (values == value).any() or not len(others) or others.min() < 0:
            continue
        if value < 0 or value >= 10 * max(float(others.max()), 1):
            found.append(value)
    return found


@dataclass(frozen=True, slots=True)
class ScoreSource:
    """What one file or corpus says: for each column the scores of its cells, None where there is none."""

    name: str
    columns: Mapping[str, Mapping[Key, float | None]]
    made: tuple[tuple[str, str], ...] = ()
    """How the numbers were made, as far as it is known: parameters for a signature."""
    signatures: tuple[str, ...] = ()
    """Of a table: the signatures that its rows carry."""

    def ids(self, part: int) -> set[str]:
        """The topics (0) or systems (1) that it has a cell of."""
        return {key[part] for column in self.columns.values() for key in column}


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """Columns of scores, each topics x systems with NaN where one is missing, in the order of the ids."""

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    values: dict[str, Array]
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
    made: tuple[tuple[str, str], ...] = ()
    """How the numbers were made, as far as the sources say so: parameters for a signature."""

    def named(self, name: str) -> str:
        """The column of a name in any case, or of the only name that begins so."""
        folded = {column.casefold(): column for column in self.values}
        if found := folded.get(name.casefold()):
            return found
        alike = [column for key, column in folded.items() if key.startswith(name.casefold())]
        if len(alike) == 1:
            return alike[0]
        what = f"{len(alike)} columns begin with {name!r}" if alike else f"there is no column {name!r}"
        raise PyramidionError(what, do=f"name one of: {first_ten(alike or self.values)}")

    def only(self, names: Iterable[str]) -> ScoreColumns:
        """These columns, in that order."""
        chosen = {column: self.values[column] for column in map(self.named, names)}
        return replace(self, values=chosen)


def read_score_table(path: Path, kind: str = "", *, placeholders: bool = True) -> ScoreSource:
    """The columns of a table (:mod:`pyramidion.formats.score_tables`); placeholders as they stand, or as missing."""
    rows = load_scores(path, kind, placeholders=placeholders)
    cells = [row for row in rows if row.topic and row.summary] or [row for row in rows if row.summary]
    if not cells:
        raise PyramidionError("no row is about a system", str(path), "name systems in a column 'system' or 'summary'")
    columns: dict[str, dict[Key, list[float | None]]] = {}
    seen: set[tuple[str, str, str]] = set()
    for row in cells:
        if (row.topic, row.summary, row.annotator) in seen:
            on = f" on topic {row.topic!r}" if row.topic else ""
            raise PyramidionError(f"two rows are about {row.summary!r}{on}", str(path), "keep one of them")
        seen.add((row.topic, row.summary, row.annotator))
        for name, value in row.values:
            if value is not None and abs(value) > _LARGEST:
                raise PyramidionError(
                    f"{name!r} of {row.summary!r} is {value:g}, too large for a score", str(path), "correct it"
                )
            columns.setdefault(name, {}).setdefault((row.topic, row.summary), []).append(value)
    signatures = tuple(dict.fromkeys(row.signature or "unknown" for row in cells))
    if signatures == ("unknown",):
        signatures = ()
    elif len(signatures) > 1:
        warnings.warn(
            f"{path}: the scores were made in {len(signatures)} ways, which may not be comparable: "
            + "; ".join(signatures),
            InputWarning,
            stacklevel=2,
        )
    return ScoreSource(
        path.stem,
        {name: {key: _mean(values) for key, values in column.items()} for name, column in columns.items()},
        tuple((f"table {path.name}", signature) for signature in signatures),
        signatures,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def read_topic_ids(path: Path) -> tuple[str, ...]:
    """The ids in a text file, separated by spaces, commas or lines; lines that end in a colon or begin with # are not.

    A list of several years' topics (LitePyramids' ``relevant_topics.txt``) does for each of them.
    """
    lines = (line.strip() for line in decode(read_bytes(path), str(path)).splitlines())
    found = [
        id
        for line in lines
        if not line.startswith("#") and not line.endswith(":")
        for id in line.replace(",", " ").split()
    ]
    if not found:
        raise PyramidionError("there is no topic id in the file", str(path), "write one a line")
    return tuple(dict.fromkeys(found))


def join_columns(
    sources: Sequence[ScoreSource],
    *,
    topics: Sequence[str] = (),
    missing: Keeping = "drop",
    people: Keeping = "drop",
) -> ScoreColumns:
    """All columns of all sources on the topics (only those named, if any are) and systems that all sources have."""
    notes: list[str] = []
    known = _common(sources, 0, "topic", _wanted(sources, topics, notes), notes)
    systems = _common(sources, 1, "system", lambda every: every, notes)
    persons = _persons(systems)
    if persons and people == "drop":
        systems = tuple(name for name in systems if name not in persons)
        notes.append(f"{len(persons)} people ({first_ten(persons)}) are left out; --people keep takes them in.")
    values: dict[str, Array] = {}
    for source in sources:
        for name, column in source.columns.items():
            shared = sum(name in other.columns for other in sources) > 1
            own = f"{source.name}: {name}" if shared else name
            cells = [[column.get((topic, system)) for system in systems] for topic in known]
            matrix = np.array([[np.nan if cell is None else cell for cell in row] for row in cells], dtype=np.float64)
            if np.isnan(matrix).all():
                notes.append(f"{own} has no score here and is left out.")
                continue
            if own in values:
                raise PyramidionError(f"two files have a column {own!r}", do="rename one of the files")
            values[own] = _without_placeholders(own, matrix, known, systems, missing, notes)
    if not values:
        raise PyramidionError("no column has a score", do="give tables with a number for each topic and system")
    made = tuple(dict.fromkeys(pair for source in sources for pair in source.made))
    return ScoreColumns(known, systems, values, (*notes, *_gaps(values)), made)


def _wanted(sources: Sequence[ScoreSource], topics: Sequence[str], notes: list[str]) -> Callable[[set[str]], set[str]]:
    if not topics:
        return lambda every: every
    there = set.union(*(source.ids(0) for source in sources)) & set(topics)
    if not there:
        known = first_ten(sorted(set.union(*(source.ids(0) for source in sources))))
        raise PyramidionError(
            f"none of the {len(topics)} topics asked for is in the scores: {first_ten(topics)}",
            do=f"the scores have {known}",
        )
    absent = [id for id in topics if id not in there]
    if absent:
        notes.append(f"{len(there)} of {len(topics)} topics asked for are there; not {first_ten(absent)}.")
    return lambda every: every & there


def _common(
    sources: Sequence[ScoreSource],
    part: Literal[0, 1],
    noun: str,
    wanted: Callable[[set[str]], set[str]],
    notes: list[str],
) -> tuple[str, ...]:
    """The ids that all sources have, in their order; those that some have are named in a note."""
    ids = [wanted(source.ids(part)) for source in sources]
    common, every = set.intersection(*ids), set.union(*ids)
    if not common:
        shown = "; ".join(
            f"{source.name}: {first_ten(sorted(own)) or 'none'}" for source, own in zip(sources, ids, strict=True)
        )
        raise PyramidionError(f"no {noun} is in all files ({shown})", do=f"check that {noun}s have the same ids")
    rest = sorted(every - common, key=_numbered)
    if rest:
        notes.append(f"{len(rest)} {noun}(s) that not all files have are left out: {first_ten(rest)}.")
    return tuple(sorted(common, key=_numbered))


def _numbered(id: str) -> tuple[int, int, str]:
    """Numbers in their order, before all else."""
    return (0, int(id), id) if id.isascii() and id.isdigit() else (1, 0, id)


def _persons(systems: Sequence[str]) -> tuple[str, ...]:
    """The single letters among numbers: NIST's people among its systems."""
    letters = tuple(name for name in systems if len(name) == 1 and "A" <= name <= "Z")
    numbers = [name for name in systems if name.isascii() and name.isdigit()]
    return letters if numbers and len(letters) + len(numbers) == len(systems) else ()


def _without_placeholders(
    name: str, matrix: Array, topics: Sequence[str], systems: Sequence[str], missing: Keeping, notes: list[str]
) -> Array:
    for value in placeholders(matrix):
        cells = [f"{topics[row]}/{systems[column]}" for row, column in np.argwhere(matrix == value)]
        what = f"{name}: {len(cells)} cell(s) of {value:g} look like 'no score' ({first_ten(cells)}) and are "
        if missing == "drop":
            matrix = np.where(matrix == value, np.nan, matrix)
            notes.append(f"{what}taken for missing; --missing keep takes them for numbers.")
        else:
            notes.append(f"{what}taken for numbers; --missing drop leaves them out.")
    return matrix


def _gaps(values: Mapping[str, Array]) -> list[str]:
    gaps = [(name, int(np.isnan(matrix).sum()), matrix.size) for name, matrix in values.items()]
    lacking = [f"{name} {count}" for name, count, _ in gaps if count]
    return [f"Of {gaps[0][2]} cells are missing: {first_ten(lacking)}."] if lacking else []
