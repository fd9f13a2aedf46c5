"""Scores of systems on topics, and the SCUs behind them, from an evaluation, a metric or a table.

A cell is a system's score on a topic; several annotations of one summary count as their mean, and an SCU as present
if more than half of them have it. What is missing is NaN and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import FormatError, ModelError, PyramidionError
from pyramidion.model import Annotation
from pyramidion.score import DEFAULT, QUANTITIES, Settings, weight_of
from pyramidion.signature import Signature
from pyramidion.studies.evaluate import Evaluation, Scored
from pyramidion.studies.measure.study import Measured
from pyramidion.studies.scores.columns import Key, ScoreSource, first_ten, placeholders
from pyramidion.version import __version__

__all__ = ["Scu", "ScuVectors", "SystemScores", "from_evaluation", "from_measured", "from_table", "from_values"]

Array = NDArray[np.float64]

_COLUMNS = ("coverage", "score", "pyramid", "recall")
"""The column of a table that is read where none is named: the first of these, else the only one."""


@dataclass(frozen=True, slots=True)
class Scu:
    """One SCU of one topic."""

    topic: str
    id: str
    weight: int
    label: str


@dataclass(frozen=True, slots=True)
class ScuVectors:
    """The SCUs of all topics, and which system expresses them (Nenkova et al. 2007 §2.3)."""

    scus: tuple[Scu, ...]
    presence: Array
    """SCUs x systems: 1, 0, or NaN where nobody judged it."""
    values: Array
    """What each adds to a summary's coverage."""


@dataclass(frozen=True, slots=True)
class SystemScores:
    """Topics x systems."""

    score: str
    signature: Signature
    """How the scores were made."""
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    values: Array
    """NaN where a system has no score on a topic."""
    scus: ScuVectors | None = None

    def only(self, systems: Sequence[str]) -> SystemScores:
        """The scores of these systems, in that order, on the topics that one of them has."""
        unknown = [name for name in systems if name not in self.systems]
        if unknown:
            raise PyramidionError(
                f"there is no system {first_ten(map(repr, unknown))}", do=f"the systems are {first_ten(self.systems)}"
            )
        if len(set(systems)) < len(systems):
            raise PyramidionError("a system is named twice", do="name different ones")
        columns = [self.systems.index(name) for name in systems]
        values = self.values[:, columns]
        rows = np.flatnonzero(~np.isnan(values).all(axis=1))
        scus = self.scus and replace(self.scus, presence=self.scus.presence[:, columns])
        topics = tuple(self.topics[row] for row in rows)
        return replace(self, topics=topics, systems=tuple(systems), values=values[rows], scus=scus)

    def without(self, placeholder: float) -> SystemScores:
        """The scores with every cell of that value missing; systems that have no other are left out."""
        values = np.where(self.values == placeholder, np.nan, self.values)
        left = [name for name, column in zip(self.systems, values.T, strict=True) if not np.isnan(column).all()]
        if not left:
            raise PyramidionError(f"every {self.score} is {placeholder:g}", do="name another score with --score")
        made = Signature(self.signature.method, (*self.signature.parameters, ("missing", f"{placeholder:g}")))
        return replace(self, values=values, signature=made).only(left)

    def cells(self, where: NDArray[np.bool_]) -> list[str]:
        """The names of cells, as topic/system."""
        return [f"{self.topics[row]}/{self.systems[column]}" for row, column in np.argwhere(where)]

    def placeholders(self) -> list[tuple[float, list[str]]]:
        """Values that look like 'no score', and where."""
        return [(value, self.cells(self.values == value)) for value in placeholders(self.values)]


def from_values(
    values: Mapping[Key, float | None], score: str, signature: Signature, scus: ScuVectors | None = None
) -> SystemScores:
    """The scores by topic and system; topics and systems in the order of their ids."""
    kept = {key: value for key, value in values.items() if value is not None and value == value}
    if not kept:
        raise PyramidionError(f"nothing has a score {score!r}", do="name another with --score")
    for (topic, system), value in kept.items():
        if value in (float("inf"), -float("inf")):
            raise ModelError(f"the {score} of {system!r} on topic {topic!r} is infinite", do="leave it out")
    topics, systems = (tuple(sorted({key[part] for key in kept})) for part in (0, 1))
    matrix = np.array([[kept.get((topic, system), np.nan) for system in systems] for topic in topics])
    return SystemScores(score, signature, topics, systems, matrix, scus)


def from_table(table: ScoreSource, score: str, source: str = "") -> SystemScores:
    """One column of a table of scores, with the signature that the table carries, if it carries one."""
    name = _column([name for name, column in table.columns.items() if any(map(_known, column.values()))], score, source)
    if table.ids(0) == {""}:
        raise PyramidionError(
            "the table has one score a system, not one a topic",
            source,
            "add a column 'topic': systems are compared on the same topics",
        )
    return from_values(table.columns[name], name, _signature(table, Path(source).name))


def _signature(table: ScoreSource, file: str) -> Signature:
    """How a table's scores were made: by its own signature, or, where it has none or several, by its name."""
    try:
        (made,) = map(Signature.parse, table.signatures)
    except (ValueError, FormatError):
        return Signature("table", (("table", file), *table.made))
    older = (("table-version", made.version),) if made.version != __version__ else ()
    return Signature(made.method, (*made.parameters, ("table", file), *older))


def _known(value: float | None) -> bool:
    return value is not None


def _column(columns: Sequence[str], score: str, source: str) -> str:
    folded = {column.casefold(): column for column in columns}
    for wanted in (score,) if score else _COLUMNS:
        if wanted.casefold() in folded:
            return folded[wanted.casefold()]
    if not score and len(columns) == 1:
        return columns[0]
    what = f"there is no column {score!r}" if score else "it is not clear which column to compare"
    raise PyramidionError(
        what, source, f"name one with --score; the columns are: {', '.join(columns)}" if columns else "add scores"
    )


def from_measured(measured: Measured, metric: str, score: str = "") -> SystemScores:
    """One score of one metric; the first if none is named (recall)."""
    known = measured.values[metric]
    if score and score not in known:
        raise PyramidionError(f"{metric} has no score {score!r}", do=f"choose from: {', '.join(known)}")
    score = score or next(iter(known))
    return from_values(dict(zip(measured.peers, known[score], strict=True)), score, measured.signatures[metric])


def from_evaluation(evaluation: Evaluation, score: str = "coverage", settings: Settings = DEFAULT) -> SystemScores:
    """One score of every peer, and the vectors of SCUs."""
    if score not in QUANTITIES:
        raise PyramidionError(f"there is no score {score!r}", do=f"choose from: {', '.join(QUANTITIES)}")
    cells: dict[Key, list[Scored]] = {}
    for one in evaluation.results:
        if one.scores.role == "peer":
            cells.setdefault((one.scores.topic, one.scores.summary), []).append(one)
    if not cells:
        raise PyramidionError(
            "there is no peer with a score", do="add annotated peers, or choose a --method that matches"
        )
    values = {key: _mean([getattr(one.scores, score) for one in same]) for key, same in cells.items()}
    found = from_values(values, score, evaluation.signature)
    return replace(found, scus=_vectors(cells, found.topics, found.systems, settings))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _vectors(
    cells: Mapping[Key, Sequence[Scored]], topics: Sequence[str], systems: Sequence[str], settings: Settings
) -> ScuVectors:
    scus: list[Scu] = []
    blocks, values = [], []
    for topic in topics:
        here = {system: cells[topic, system] for system in systems if (topic, system) in cells}
        first = next(iter(here.values()))[0]
        ids = [scu.id for scu in first.pyramid.scus]
        weights = [weight_of(scu, settings) for scu in first.pyramid.scus]
        scus += (Scu(topic, scu.id, weight, scu.label) for scu, weight in zip(first.pyramid.scus, weights, strict=True))
        values += [weight / (first.scores.max_for_average or 1) for weight in weights]
        blocks.append(
            np.array(
                [
                    _presence([one.annotation for one in here[system]], ids) if system in here else [np.nan] * len(ids)
                    for system in systems
                ]
            ).T.reshape(len(ids), len(systems))
        )
    return ScuVectors(tuple(scus), np.vstack(blocks), np.array(values))


def _presence(annotations: Sequence[Annotation], ids: Sequence[str]) -> list[float]:
    """Whether more than half of those who judged an SCU found it; NaN where nobody did.

    Whoever calls it contradicted has judged it, and not found it.
    """
    votes: dict[str, list[bool]] = {scu: [] for scu in ids}
    for one in annotations:
        expressed = set(one.expressed)
        skipped = dict(one.unjudged)
        for scu in ids:
            if scu not in skipped:
                votes[scu].append(scu in expressed)
    return [float(2 * sum(given) > len(given)) if given else float("nan") for given in votes.values()]
