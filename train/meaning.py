r"""Fit the grouping of ``build/meaning.py`` to hand-made pyramids: a minute where the network's answers are kept.

::

    python train/meaning.py

Of a statement j and another reference r, the statement of r that says what j says, or none, is chosen with the chances
p_ij of ``build/meaning.py``. Its four numbers have the highest likelihood of what the hand-made pyramids put together
(two statements belong together if contributors that they share half of the shorter's words with are in one SCU), with
.25 times the squares of all but the last taken off. Each of the bundled examples and the open topics is then measured
with the numbers that the others gave; the last row has those that all gave, which is what ships.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pyramidion.build.assemble import voices_of
from pyramidion.build.meaning import THRESHOLD, Compared, Said, compared, said_by_each
from pyramidion.build.partition import best_partition
from pyramidion.io.tables import Table, render
from pyramidion.model import SCU, Pyramid
from pyramidion.studies.bench.builders.grouping import Grouping, f1, grouping, share
from pyramidion.studies.bench.hand_made import hand_made

PENALTY = 0.5
Floats = NDArray[np.float64]


class Read(NamedTuple):
    """A topic's statements, compared by the network and by people."""

    people: Pyramid
    units: list[Said]
    compared: Compared
    together: NDArray[np.bool_]

    def choices(self) -> Iterator[tuple[Floats, NDArray[np.bool_]]]:
        """For each statement and each other reference: the evidence for its statements, and which are right."""
        evidence, voice = self.compared.evidence, self.compared.voice
        for other in range(len(voice)):
            for text in sorted(set(voice.tolist()) - {int(voice[other])}):
                rows = np.flatnonzero((voice == text) & ~np.isnan(evidence[0, :, other]))
                if len(rows):
                    yield evidence[:, rows, other].T, self.together[rows, other]

    def measured(self, choice: Sequence[float]) -> Grouping:
        """The groups beside people's."""
        return _beside(self.people, self.units, best_partition(self.compared.worth(THRESHOLD, choice)).groups)


def _beside(people: Pyramid, units: Sequence[Said], groups: Sequence[Sequence[int]]) -> Grouping:
    scus = (
        SCU(str(number), "group", tuple(one for unit in group for one in units[unit].contributors()))
        for number, group in enumerate(groups)
    )
    return grouping(people, Pyramid(people.topic, people.references, tuple(scus)))


def _read() -> Iterator[Read]:
    for topic in hand_made():
        assert topic.pyramid
        units = said_by_each(voices_of(topic, "en-minilm"), "en-minilm")
        beside = compared(units)
        pairs = np.argwhere(np.triu(~np.isnan(beside.evidence[0]), 1))
        together = np.zeros((len(units), len(units)), np.bool_)
        right = [bool(one.shared) for one in _beside(topic.pyramid, units, pairs.tolist()).built]
        together[pairs[:, 0], pairs[:, 1]] = together[pairs[:, 1], pairs[:, 0]] = right
        yield Read(topic.pyramid, units, beside, together)


def fitted(choices: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> list[float]:
    """The numbers of highest likelihood."""

    def cost(numbers: Floats) -> tuple[float, Floats]:
        loss = PENALTY / 2 * float(numbers[:-1] @ numbers[:-1])
        slope = PENALTY * np.append(numbers[:-1], 0.0)
        for evidence, right in choices:
            odds = np.append(np.exp(evidence @ numbers), 1.0)
            chance = odds / odds.sum()
            told = chance * np.append(right, not right.any())
            loss -= float(np.log(told.sum()))
            slope += evidence.T @ (chance - told / told.sum())[:-1]
        return loss, slope

    start = np.zeros(choices[0][0].shape[1])
    return [float(number) for number in minimize(cost, start, jac=True).x]


def main() -> None:
    """Print the table."""
    topics = list(_read())
    rows: list[tuple[str, ...]] = []
    measured = []
    for left_out in topics:
        numbers = fitted([choice for topic in topics if topic is not left_out for choice in topic.choices()])
        measured.append(left_out.measured(numbers))
        rows.append((left_out.people.topic, *_row(numbers, measured[-1:])))
    rows.append(("left out, together", *_row([], measured)))
    numbers = fitted([choice for topic in topics for choice in topic.choices()])
    rows.append(("all", *_row(numbers, [topic.measured(numbers) for topic in topics])))
    print(render(Table(("topic", "a, b, c, d", "purity", "completeness", "F1"), tuple(rows))))


def _row(numbers: Sequence[float], groupings: Sequence[Grouping]) -> tuple[str, ...]:
    purity = share(count for one in groupings for count in one.built)
    completeness = share(count for one in groupings for count in one.people)
    figures = (purity, completeness, f1(purity, completeness))
    return ", ".join(f"{number:.2f}" for number in numbers), *(f"{figure or 0:.3f}" for figure in figures)


if __name__ == "__main__":
    main()
