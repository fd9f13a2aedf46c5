"""The SCUs that each system expresses: the vectors that two systems are compared by (Nenkova et al. 2007 §2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyramidion.evaluation.scored import Scored
from pyramidion.model import Annotation
from pyramidion.scoring import weight_of

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scu:
    """One SCU of one topic."""

    topic: str
    id: str
    weight: int
    label: str


@dataclass(frozen=True, slots=True)
class ScuVectors:
    """The SCUs of all topics, and which system expresses them."""

    scus: tuple[Scu, ...]
    presence: Array
    """SCUs x systems: 1, 0, or NaN where nobody judged it."""
    values: Array
    """The value that each SCU adds to a summary's coverage."""


def scu_vectors(
    cells: Mapping[tuple[str, str], Sequence[Scored]],
    topics: Sequence[str],
    systems: Sequence[str],
) -> ScuVectors:
    """Return the SCUs of these topics in these systems' summaries, from what was scored by topic and system."""
    scus: list[Scu] = []
    blocks, values = [], []
    for topic in topics:
        here = {system: cells[topic, system] for system in systems if (topic, system) in cells}
        first = next(iter(here.values()))[0]
        ids = [scu.id for scu in first.pyramid.scus]
        weights = [weight_of(scu, first.scores.settings) for scu in first.pyramid.scus]
        scus += (Scu(topic, scu.id, weight, scu.label) for scu, weight in zip(first.pyramid.scus, weights, strict=True))
        values += [weight / (first.scores.max_for_average or 1) for weight in weights]
        blocks.append(
            np.array(
                [
                    _presence([scored.annotation for scored in here[system]], ids)
                    if system in here
                    else [np.nan] * len(ids)
                    for system in systems
                ]
            ).T.reshape(len(ids), len(systems))
        )
    return ScuVectors(tuple(scus), np.vstack(blocks), np.array(values))


def _presence(annotations: Sequence[Annotation], ids: Sequence[str]) -> list[float]:
    """Return whether more than half of those who judged an SCU found it; NaN if nobody judged it.

    Calling it contradicted counts as judging it and not finding it.
    """
    votes: dict[str, list[bool]] = {scu: [] for scu in ids}
    for annotation in annotations:
        expressed = set(annotation.expressed)
        skipped = dict(annotation.unjudged)
        for scu in ids:
            if scu not in skipped:
                votes[scu].append(scu in expressed)
    return [float(2 * sum(given) > len(given)) if given else float("nan") for given in votes.values()]
