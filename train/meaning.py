r"""Fit the grouping of ``builders/meaning.py`` to given pyramids: three minutes.

::

    python -m train.meaning

Of a statement j and another reference r, the statement of r that says what j says, or none, is chosen with the chances
p_ij of ``builders/meaning.py``. Its numbers have the highest likelihood of what given pyramids put together (two
statements belong together if contributors that they share half of the shorter's words with are in one SCU), with
.25 times the squares of all but the last taken off. They are fitted to the invented topics that were kept aside when
the network was trained (``train/topics``), each fifth of which is measured with what the other four gave. The bundled
examples and the open topics are measured with what all gave, which is what ships.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from train.topics import written

from pyramidion.analyses.accuracy.builders.grouping import Grouping, f1, grouping, share
from pyramidion.analyses.accuracy.marked_topics import marked_topics
from pyramidion.base.tables import Table, render
from pyramidion.builders.assemble import voices_of
from pyramidion.builders.meaning import SECOND, THRESHOLD, Compared, compared, seconds
from pyramidion.builders.partition import best_partition
from pyramidion.builders.stated import Said, stated_units
from pyramidion.model import SCU, Pyramid, Topic

PENALTY = 0.5
THRESHOLDS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
Floats = NDArray[np.float64]


class Read(NamedTuple):
    """A topic's statements, compared by the network, and the given pyramid."""

    given: Pyramid
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

    def measured(self, choice: Sequence[float], threshold: float = THRESHOLD, second: float = SECOND) -> Grouping:
        """The groups beside the given ones."""
        worth = self.compared.worth(threshold, choice)
        own = best_partition(worth).groups
        joining = seconds(own, worth + threshold, self.compared.voice, second)
        return _beside(self.given, self.units, [[*first, *more] for first, more in zip(own, joining, strict=True)])


def _beside(given: Pyramid, units: Sequence[Said], groups: Sequence[Sequence[int]]) -> Grouping:
    scus = (
        SCU(str(number), "group", tuple(one for unit in group for one in units[unit].contributors()))
        for number, group in enumerate(groups)
    )
    return grouping(given, Pyramid(given.topic, given.references, tuple(scus)))


def _read(topics: Iterable[Topic]) -> list[Read]:
    read = []
    for topic in topics:
        assert topic.pyramid
        voices = voices_of(topic, "en-minilm")
        units = stated_units(voices)
        beside = compared(units)
        pairs = np.argwhere(np.triu(~np.isnan(beside.evidence[0]), 1))
        together = np.zeros((len(units), len(units)), np.bool_)
        right = [bool(one.shared) for one in _beside(topic.pyramid, units, pairs.tolist()).built]
        together[pairs[:, 0], pairs[:, 1]] = together[pairs[:, 1], pairs[:, 0]] = right
        read.append(Read(topic.pyramid, units, beside, together))
    return read


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
    """Print the tables."""
    kept = _read(own.topic for own in written(kept=True) if len(own.topic.references) > 1)
    opened = _read(marked_topics())
    fifths = [[topic for place, topic in enumerate(kept) if place % 5 == fifth] for fifth in range(5)]
    choices = [[choice for topic in fifth for choice in topic.choices()] for fifth in fifths]
    numbers = [fitted([one for own in choices if own is not aside for one in own]) for aside in choices]
    chosen = fitted([one for own in choices for one in own])
    print("a to f:", ", ".join(f"{number:.2f}" for number in chosen), "\n")
    rows = []
    for threshold in THRESHOLDS:
        for second in (1.0, SECOND):
            at = threshold, max(second, threshold)
            found = [topic.measured(own, *at) for fifth, own in zip(fifths, numbers, strict=True) for topic in fifth]
            rows.append((*map(str, at), *_row(found), *_row([topic.measured(chosen, *at) for topic in opened])))
    names = ("purity", "completeness", "F1")
    print(render(Table(("threshold", "second", *names, *(f"{name}, open" for name in names)), tuple(rows))), "\n")
    each = tuple((topic.given.topic, *_row([topic.measured(chosen)])) for topic in opened)
    print(render(Table(("open topic", *names), each)))


def _row(groupings: Sequence[Grouping]) -> tuple[str, ...]:
    purity = share(count for one in groupings for count in one.built)
    completeness = share(count for one in groupings for count in one.given)
    return tuple(f"{figure or 0:.3f}" for figure in (purity, completeness, f1(purity, completeness)))


if __name__ == "__main__":
    main()
