r"""Decisions laid out for arithmetic: a matrix of statements x systems, the statements of a topic next to each other.

With :math:`v_{tsk}` the decision on statement s of topic t in the summary of system k, and over the statements that
were decided at all (Shapira et al. 2019 §3, *Scoring*),

.. math:: \text{score}(t, k) = \text{mean}_s\, v_{tsk}, \qquad \text{score}(k) = \text{mean}_t\, \text{score}(t, k).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.study import Study
from pyramidion.errors import PyramidionError
from pyramidion.stats.ratios import ratios

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Layout:
    """The place of each item of the votes."""

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    statements: tuple[tuple[str, str], ...]
    """The topic and the id of each row."""
    topic: Codes
    """The topic of each row."""
    first: Codes
    """The first row of each topic."""
    row: Codes
    """The row of each item of the votes."""
    column: Codes
    """The column of each item of the votes."""
    blank: NDArray[np.bool_]
    """Topics x systems: summaries without text, which contain nothing, whatever workers answered."""

    @classmethod
    def of(cls, votes: Votes, study: Study | None = None) -> Layout:
        """Lay out the items of the votes; the study tells which summaries have no text."""
        if not votes.items:
            raise PyramidionError("No submission asks for a statement", do="collect results of the judging task")
        names, summaries, ids = zip(*votes.items, strict=True)
        statements = sorted(set(zip(names, ids, strict=True)))
        empty = _without_text(study, set(votes.topics)) if study else set()
        systems = tuple(sorted({*votes.systems, *(system for _, system in empty)}))
        row_of = {statement: number for number, statement in enumerate(statements)}
        column_of = {name: number for number, name in enumerate(systems)}
        place = {name: number for number, name in enumerate(votes.topics)}
        topic = np.array([place[name] for name, _ in statements], dtype=np.intp)
        blank = np.zeros((len(place), len(systems)), dtype=bool)
        for name, system in empty:
            blank[place[name], column_of[system]] = True
        return cls(
            votes.topics,
            systems,
            tuple(statements),
            topic,
            np.searchsorted(topic, np.arange(len(place))),
            np.array(list(map(row_of.__getitem__, zip(names, ids, strict=True))), dtype=np.intp),
            np.array(list(map(column_of.__getitem__, summaries)), dtype=np.intp),
            blank,
        )

    @property
    def sizes(self) -> Codes:
        """The number of statements of each topic."""
        return np.diff(np.append(self.first, len(self.statements)))

    def matrix(self, values: Array) -> Array:
        """Return, statements x systems, the decision on each item; NaN without a decision, 0 without a text."""
        matrix = np.full((len(self.statements), len(self.systems)), np.nan)
        matrix[self.row, self.column] = values
        if self.blank.any():
            matrix[self.blank[self.topic]] = 0.0
        return matrix

    def by_topic(self, matrix: Array, rows: NDArray[np.bool_] | None = None) -> Array:
        """Return, topics x systems, the mean over the decided statements, all or of these rows; NaN without any."""
        counted = ~np.isnan(matrix) if rows is None else ~np.isnan(matrix) & rows[:, None]
        # the rows are sorted by topic, so a topic's rows run from its first to the next topic's
        sums = np.add.reduceat(np.where(counted, matrix, 0.0), self.first)
        counts = np.add.reduceat(counted.astype(float), self.first)
        return ratios(sums, counts)


def mean_over_topics(scores: Array) -> Array:
    """Return the mean of each column over the topics (rows) that have a score; NaN if none has."""
    scored = ~np.isnan(scores)
    counts = scored.sum(axis=0)
    sums = np.where(scored, scores, 0.0).sum(axis=0)
    return ratios(sums, counts)


def _without_text(study: Study, topics: set[str]) -> set[tuple[str, str]]:
    return {
        (topic.id, peer.id)
        for topic in study.topics
        if topic.id in topics
        for peer in topic.peers
        if not peer.text.strip()
    }
