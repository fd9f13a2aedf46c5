"""Tables of scores: for each column the score of every system on every topic, and how it was made.

A table comes from values (:func:`from_values`), from the rows of a file (:func:`from_rows`; people's scores of a
corpus's peers: :mod:`pyramidion.analyses.scores.human`), from an evaluation (:func:`from_evaluation`) or from metrics
(:func:`from_measured`); :func:`join` puts several side by side. A cell that a
column lacks is NaN. Several annotations of one summary count as their mean.

Rows of a file that speak of all topics or of all systems (LitePyramids stacks three tables) are passed over where the
file has cells; a file with one row per system and no topics is a table of a single topic without a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyramidion.analyses.measure import Measured
from pyramidion.analyses.scores.scus import ScuVectors, scu_vectors
from pyramidion.base.choices import check_choices
from pyramidion.errors import FormatError, ModelError, PyramidionError
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.evaluation.scored import Scored
from pyramidion.formats.score_tables import ScoreRow
from pyramidion.notes import note
from pyramidion.scoring import Quantity
from pyramidion.signature import Signature
from pyramidion.version import __version__

Array = NDArray[np.float64]
Key = tuple[str, str]
"""The ids of a topic and of a system."""
Keeping = Literal["drop", "keep"]
TABLE = Signature("table")
"""The signature of scores that were given as a table."""

LISTED = 10
"""The most names that an error lists."""
USUAL_COLUMNS = ("coverage", "score", "pyramid", "recall")
"""If no column is named, the first of these is read."""
_PLACEHOLDERS = (-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0)
_LARGEST = 1e100
"""The largest score that is accepted; squares of larger numbers overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Columns of scores, each a matrix of topics x systems with NaN where a score is missing."""

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    columns: Mapping[str, Array]
    signature: Signature = TABLE
    """The method and the settings that made the scores."""
    name: str = ""
    """The name of the file or corpus."""
    made: tuple[tuple[str, str], ...] = ()
    """The origin of the scores, as parameters of a signature that names several tables."""
    notes: tuple[str, ...] = ()
    """Notes on what was left out, and why."""
    scus: ScuVectors | None = None
    """The SCUs behind the scores, if there are any."""

    @property
    def score(self) -> str:
        """The name of the only column."""
        (name,) = self.columns
        return name

    @property
    def values(self) -> Array:
        """The matrix of the only column."""
        return self.columns[self.score]

    def column_name(self, name: str) -> str:
        """Return the name of a column, ignoring case; the beginning of a name is enough if it is unique."""
        folded = {column.casefold(): column for column in self.columns}
        if exact := folded.get(name.casefold()):
            return exact
        alike = [column for key, column in folded.items() if key.startswith(name.casefold())]
        if len(alike) == 1:
            return alike[0]
        what = f"{len(alike)} columns begin with {name!r}" if alike else f"There is no column {name!r}"
        raise PyramidionError(what, do=f"name one of: {first_ten(alike or self.columns)}")

    def select(self, names: Iterable[str]) -> ScoreTable:
        """Return these columns, in that order."""
        return replace(self, columns={column: self.columns[column] for column in map(self.column_name, names)})

    def column(self, name: str = "", usual: Sequence[str] = USUAL_COLUMNS) -> ScoreTable:
        """Return one column, with the systems and topics that have a score in it.

        The default is the only column, or else the first of the usual ones.
        """
        # a column without a score cannot be chosen
        known = {column.casefold(): column for column, scores in self.columns.items() if not np.isnan(scores).all()}
        wanted = (name,) if name else usual if len(known) > 1 else tuple(known)
        chosen = next((known[heading.casefold()] for heading in wanted if heading.casefold() in known), None)
        if chosen is None:
            raise PyramidionError(
                f"There is no column {name!r}" if name else "It is not clear which column to read",
                self.name,
                f"name one; the columns are: {', '.join(known.values())}" if known else "add scores",
            )
        left = [
            name
            for name, scores in zip(self.systems, self.columns[chosen].T, strict=True)
            if not np.isnan(scores).all()
        ]
        return replace(self, columns={chosen: self.columns[chosen]}).only(left)

    def only(self, systems: Sequence[str]) -> ScoreTable:
        """Return the scores of these systems, in this order, on the topics that at least one of them has."""
        unknown = [name for name in systems if name not in self.systems]
        if unknown:
            raise PyramidionError(
                f"There is no system {first_ten(map(repr, unknown))}",
                do=f"choose from the systems: {first_ten(self.systems)}",
            )
        if len(set(systems)) < len(systems):
            raise PyramidionError("A system is named twice", do="name different ones")
        places = [self.systems.index(name) for name in systems]
        columns = {name: scores[:, places] for name, scores in self.columns.items()}
        rows = np.flatnonzero(~np.isnan(np.hstack(list(columns.values()))).all(axis=1))
        return replace(
            self,
            topics=tuple(self.topics[row] for row in rows),
            systems=tuple(systems),
            columns={name: scores[rows] for name, scores in columns.items()},
            scus=self.scus and replace(self.scus, presence=self.scus.presence[:, places]),
        )

    def without(self, placeholder: float) -> ScoreTable:
        """Return the only column without the cells of this value; systems without other values are left out."""
        values = np.where(self.values == placeholder, np.nan, self.values)
        left = [name for name, column in zip(self.systems, values.T, strict=True) if not np.isnan(column).all()]
        if not left:
            raise PyramidionError(f"Every {self.score} is {placeholder:g}", do="name another score")
        made = Signature(self.signature.method, (*self.signature.parameters, ("missing", f"{placeholder:g}")))
        return replace(self, columns={self.score: values}, signature=made).only(left)

    def means(self) -> dict[str, float]:
        """Return each system's mean over the topics that have a score, in the only column."""
        return dict(zip(self.systems, np.nanmean(self.values, axis=0).tolist(), strict=True))

    def by_peer(self) -> dict[Key, float]:
        """Return the scores in the only column, by topic and system."""
        values = self.values
        return {
            (self.topics[row], self.systems[column]): float(values[row, column])
            for row, column in np.argwhere(~np.isnan(values))
        }

    def cells(self, where: NDArray[np.bool_]) -> list[str]:
        """Return the names of cells, as topic/system."""
        return [f"{self.topics[row]}/{self.systems[column]}" for row, column in np.argwhere(where)]


def first_ten(names: Iterable[str]) -> str:
    """Return the names in a row, ten of them at most.

    >>> first_ten("abcdefghijkl")
    'a, b, c, d, e, f, g, h, i, j and 2 more'
    """
    listed = list(names)
    more = f" and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
    return ", ".join(listed[:LISTED]) + more


def suspected_placeholders(values: Array) -> list[float]:
    """Return values that look like 'no score': -1 if all others are 0 or more, 99 if they are far smaller.

    DUC 2006 has such a -1 among its responsiveness scores.

    >>> import numpy as np
    >>> suspected_placeholders(np.array([[2, -1.0], [4, 5]]))
    [-1.0]
    """
    suspects = []
    for value in _PLACEHOLDERS:
        rest = values[(values != value) & ~np.isnan(values)]
        if not (values == value).any() or not len(rest) or rest.min() < 0:
            continue
        if value < 0 or value >= 10 * max(float(rest.max()), 1):
            suspects.append(value)
    return suspects


# Where scores come from


def from_values(values: Mapping[Key, float | None], score: str, signature: Signature) -> ScoreTable:
    """Make a table of one column from scores by topic and system, both sorted by their ids."""
    # NaN is the only value that does not equal itself
    kept = {key: value for key, value in values.items() if value is not None and value == value}
    if not kept:
        raise PyramidionError(f"No summary has a score {score!r}", do="name another score")
    for (topic, system), value in kept.items():
        if value in (float("inf"), -float("inf")):
            raise ModelError(f"The {score} of {system!r} on topic {topic!r} is infinite", do="leave it out")
    return from_columns({score: kept}, signature)


def from_columns(
    columns: Mapping[str, Mapping[Key, float | None]],
    signature: Signature,
    name: str = "",
    made: tuple[tuple[str, str], ...] = (),
) -> ScoreTable:
    """Make a table of several columns from their scores by topic and system."""
    keys = {key for column in columns.values() for key in column}
    matrices = {column: matrix(values, keys) for column, values in columns.items()}
    return ScoreTable(*_ids(keys), matrices, signature, name, made)


def _ids(keys: Iterable[Key]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    known = set(keys)
    return tuple(sorted({topic for topic, _ in known})), tuple(sorted({system for _, system in known}))


def matrix(values: Mapping[Key, float | None], peers: Iterable[Key]) -> Array:
    """Return topics x systems of these peers, both sorted, NaN where there is no value.

    >>> matrix({("t", "a"): 0.5}, [("t", "a"), ("u", "a")]).tolist()
    [[0.5], [nan]]
    """
    topics, systems = _ids(peers)
    return np.array([[values.get((topic, system)) for system in systems] for topic in topics], dtype=np.float64)


def from_rows(rows: Sequence[ScoreRow], source: str = "") -> ScoreTable:
    """Make a table from the rows of a file (:func:`~pyramidion.formats.score_tables.load_scores`)."""
    # rows of all topics or of all systems are passed over where the file has cells
    cells = [row for row in rows if row.topic and row.summary] or [row for row in rows if row.summary]
    if not cells:
        raise PyramidionError("No row names a system", source, "name systems in a column 'system' or 'summary'")
    columns: dict[str, dict[Key, list[float | None]]] = {}
    seen: set[tuple[str, str, str]] = set()
    for row in cells:
        if (row.topic, row.summary, row.annotator) in seen:
            on = f" on topic {row.topic!r}" if row.topic else ""
            raise PyramidionError(f"Two rows name {row.summary!r}{on}", source, "keep one of them")
        seen.add((row.topic, row.summary, row.annotator))
        for name, value in row.values:
            if value is not None and abs(value) > _LARGEST:
                raise PyramidionError(
                    f"{name!r} of {row.summary!r} is {value:g}, too large for a score", source, "correct it"
                )
            columns.setdefault(name, {}).setdefault((row.topic, row.summary), []).append(value)
    # each signature once, in the order of the file
    signatures = tuple(dict.fromkeys(row.signature or "unknown" for row in cells))
    if signatures == ("unknown",):
        signatures = ()
    elif len(signatures) > 1:
        note(
            f"{source}: The scores were computed in {len(signatures)} ways, which may not be comparable: "
            + "; ".join(signatures)
        )
    file = Path(source)
    made = tuple((f"table {file.name}", signature) for signature in signatures)
    means = {name: {key: _mean(values) for key, values in column.items()} for name, column in columns.items()}
    return from_columns(means, _signature(signatures, file.name, made), file.stem, made)


def _signature(signatures: Sequence[str], file: str, made: tuple[tuple[str, str], ...]) -> Signature:
    """Return the signature of a file's scores: its own, or its name if it has none or several."""
    try:
        (signature,) = map(Signature.parse, signatures)
    except (ValueError, FormatError):  # none, several, or one that cannot be read
        return Signature("table", (("table", file), *made))
    # the version that computed the scores, if it is another one
    older = (("table-version", signature.version),) if signature.version != __version__ else ()
    return Signature(signature.method, (*signature.parameters, ("table", file), *older))


def from_measured(measured: Measured, metric: str, score: str = "") -> ScoreTable:
    """Make a table of one score of one metric; the default is the first score (recall)."""
    known = measured.values[metric]
    if score and score not in known:
        raise PyramidionError(f"{metric} has no score {score!r}", do=f"choose from: {', '.join(known)}")
    score = score or next(iter(known))
    return from_values(measured.by_peer(metric, score), score, measured.signatures[metric])


@check_choices
def from_evaluation(evaluation: Evaluation, score: Quantity = "coverage") -> ScoreTable:
    """Make a table of one score of every peer, with the vectors of SCUs."""
    cells: dict[Key, list[Scored]] = {}
    for scored in evaluation.results:
        if scored.scores.role == "peer":
            cells.setdefault((scored.scores.topic, scored.scores.summary), []).append(scored)
    if not cells:
        raise PyramidionError(
            "There is no peer with a score", do="add annotated peers, or choose a method that matches"
        )
    table = from_values(evaluation.values(score), score, evaluation.signature)
    return replace(table, scus=scu_vectors(cells, table.topics, table.systems))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return fmean(known) if known else None


# Several tables side by side


@check_choices
def join(
    tables: Sequence[ScoreTable],
    *,
    topics: Sequence[str] = (),
    placeholders: Keeping = "drop",
    people: Keeping = "drop",
) -> ScoreTable:
    """Join all columns of all tables on the systems and topics that all have, or only on the topics that are named.

    Three steps are recorded in ``notes``. What is not in all tables is left out. A value that looks like "no score", -1
    where all others are 0 or more, is taken for missing (``placeholders="keep"`` takes it for a number). Where systems
    have numbers and some single letters, as NIST names people, people are left out (``people="keep"`` keeps them), as
    Nenkova et al. 2007 §4.2 do, because their scores lie far from the systems' and raise any correlation. Ids that are
    numbers come in the order of the numbers.
    """
    notes: list[str] = []
    chosen = _chosen_topics(tables, topics, notes)
    shared_topics = _common([table.topics for table in tables], tables, "topic", chosen, notes)
    systems = _common([table.systems for table in tables], tables, "system", None, notes)
    persons = _persons(systems)
    if persons and people == "drop":
        systems = tuple(name for name in systems if name not in persons)
        notes.append(f"{len(persons)} people ({first_ten(persons)}) are left out; people=keep takes them in.")
    columns: dict[str, Array] = {}
    for table in tables:
        rows = [table.topics.index(topic) for topic in shared_topics]
        places = [table.systems.index(system) for system in systems]
        for name, scores in table.columns.items():
            shared = sum(name in candidate.columns for candidate in tables) > 1
            column = f"{table.name}: {name}" if shared else name
            matrix = scores[np.ix_(rows, places)]
            if np.isnan(matrix).all():
                notes.append(f"{column} has no score here and is left out.")
                continue
            if column in columns:
                raise PyramidionError(f"Two files have a column {column!r}", do="rename one of the files")
            columns[column] = _without_placeholders(column, matrix, shared_topics, systems, placeholders, notes)
    if not columns:
        raise PyramidionError("No column has a score", do="give tables with a number for each topic and system")
    made = (
        ("missing", placeholders),
        ("people", people),
        *((("chosen-topics", str(len(shared_topics))),) if topics else ()),
        *dict.fromkeys(pair for table in tables for pair in table.made),
    )
    return ScoreTable(
        shared_topics, systems, columns, Signature("scores", made), made=made, notes=(*notes, *_gaps(columns))
    )


def _chosen_topics(tables: Sequence[ScoreTable], topics: Sequence[str], notes: list[str]) -> set[str] | None:
    """Return the topics that were asked for and that some table has; None if all are wanted."""
    if not topics:
        return None
    known = {topic for table in tables for topic in table.topics}
    there = known & set(topics)
    if not there:
        raise PyramidionError(
            f"None of the {len(topics)} topics asked for is in the scores: {first_ten(topics)}",
            do=f"choose from the topics of the scores: {first_ten(sorted(known))}",
        )
    absent = [id for id in topics if id not in there]
    if absent:
        notes.append(f"{len(there)} of {len(topics)} topics asked for are there; not {first_ten(absent)}.")
    return there


def _common(
    ids: Sequence[Sequence[str]], tables: Sequence[ScoreTable], noun: str, wanted: set[str] | None, notes: list[str]
) -> tuple[str, ...]:
    """Return the ids that all tables have, in order; a note names those that only some tables have."""
    known = [set(table_ids) if wanted is None else set(table_ids) & wanted for table_ids in ids]
    common, union = set.intersection(*known), set.union(*known)
    if not common:
        shown = "; ".join(
            f"{table.name}: {first_ten(sorted(table_ids)) or 'none'}"
            for table, table_ids in zip(tables, known, strict=True)
        )
        raise PyramidionError(f"No {noun} is in all files ({shown})", do=f"check that {noun}s have the same ids")
    rest = sorted(union - common, key=_id_order)
    if rest:
        notes.append(f"{len(rest)} {noun}(s) that not all files have are left out: {first_ten(rest)}.")
    return tuple(sorted(common, key=_id_order))


def _id_order(id: str) -> tuple[int, int, str]:
    """Sort numbers by size, before all other names."""
    return (0, int(id), id) if id.isascii() and id.isdigit() else (1, 0, id)


def _persons(systems: Sequence[str]) -> tuple[str, ...]:
    """Return the single letters among numbers: NIST's people among its systems."""
    letters = tuple(name for name in systems if len(name) == 1 and "A" <= name <= "Z")
    numbers = [name for name in systems if name.isascii() and name.isdigit()]
    return letters if numbers and len(letters) + len(numbers) == len(systems) else ()


def _without_placeholders(
    name: str, matrix: Array, topics: Sequence[str], systems: Sequence[str], keeping: Keeping, notes: list[str]
) -> Array:
    for value in suspected_placeholders(matrix):
        cells = [f"{topics[row]}/{systems[column]}" for row, column in np.argwhere(matrix == value)]
        what = f"{name}: {len(cells)} cell(s) of {value:g} look like 'no score' ({first_ten(cells)}) and are "
        if keeping == "drop":
            matrix = np.where(matrix == value, np.nan, matrix)
            notes.append(f"{what}taken for missing; placeholders=keep takes them for numbers.")
        else:
            notes.append(f"{what}taken for numbers; placeholders=drop leaves them out.")
    return matrix


def _gaps(columns: Mapping[str, Array]) -> list[str]:
    gaps = {name: int(np.isnan(matrix).sum()) for name, matrix in columns.items()}
    lacking = [f"{name} {count}" for name, count in gaps.items() if count]
    cells = next(iter(columns.values())).size
    return [f"Of {cells} cells are missing: {first_ten(lacking)}."] if lacking else []
