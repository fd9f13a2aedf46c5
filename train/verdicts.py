r"""Fit what ``matchers/entails.py`` makes of the network's answers: three minutes.

::

    python -m train.verdicts

The peers of the invented topics that were kept aside when the network was trained (``train/topics``), and which SCUs a
careful reader found in them. The curve's a and b have the highest likelihood, with what is partly said counting as
half. The table shows what decisions at .5 are worth with them, and on the bundled examples and the open marked
topics; the second one which contradictions would be named from which probability on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from train.topics import written

from pyramidion.analyses.accuracy.marked_topics import marked_topics
from pyramidion.base.tables import Table, render
from pyramidion.matchers.calibration import Calibration
from pyramidion.matchers.entails import CURVE, verdicts
from pyramidion.model import Summary

THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Read(NamedTuple):
    """An SCU in a peer: how much of it is marked, whether it is marked as denied, and the judge's two answers."""

    share: float
    denied: bool
    said: float
    contradicted: float


def kept() -> Iterator[Read]:
    """The peers of the topics that were kept aside."""
    for own in written(kept=True):
        for peer in own.peers:
            found = verdicts(own.pyramid, Summary(peer.name, peer.text))
            for scu, one in zip(own.pyramid.scus, found, strict=True):
                share = 1.0 if scu.id in peer.said else 0.5 if scu.id in peer.partly else 0.0
                yield Read(share, scu.id in peer.denied, one.probability, one.denial.probability)


def opened() -> Iterator[Read]:
    """The peers of the bundled examples and the open topics."""
    for topic in marked_topics():
        assert topic.pyramid
        for own in topic.annotations:
            denied = {one.scu for one in own.contradicted or ()}
            for scu, one in zip(topic.pyramid.scus, verdicts(topic.pyramid, own.summary), strict=True):
                yield Read(float(scu.id in own.expressed), scu.id in denied, one.probability, one.denial.probability)


def fitted(rows: list[Read]) -> Calibration:
    """The curve of highest likelihood, from what the judge's own curve was given."""
    given = np.array([CURVE.inverse(row.said) for row in rows]).clip(1e-3, 1 - 1e-3)
    share = np.array([row.share for row in rows])
    logit = np.log(given / (1 - given))

    def cost(numbers: np.ndarray) -> float:
        z = numbers[0] * logit + numbers[1]
        return float((share * np.logaddexp(0, -z) + (1 - share) * np.logaddexp(0, z)).mean())

    slope, shift = minimize(cost, (1.0, 0.0)).x
    return Calibration(round(float(slope), 2), round(float(shift), 2))


def decided(name: str, rows: list[Read], curve: Calibration) -> tuple[str, ...]:
    """Precision, recall and F1 of decisions at .5; what is partly said is neither."""
    said = [curve(CURVE.inverse(row.said)) >= 0.5 for row in rows]
    both = sum(one and row.share == 1 for one, row in zip(said, rows, strict=True))
    ours = sum(one and row.share != 0.5 for one, row in zip(said, rows, strict=True))
    marked = sum(row.share == 1 for row in rows)
    return name, *(f"{value:.3f}" for value in (both / ours, both / marked, 2 * both / (ours + marked)))


def main() -> None:
    """Print the curve and the tables."""
    sets = {"kept aside": list(kept()), "open": list(opened())}
    curve = fitted(sets["kept aside"])
    print(f"P = sigma({curve.slope} logit P' + {curve.shift})\n")
    shown = tuple(decided(name, rows, curve) for name, rows in sets.items())
    print(render(Table(("peers", "precision", "recall", "F1"), shown)), "\n")
    counted = []
    for least in THRESHOLDS:
        row = [f"{least:.1f}"]
        for rows in sets.values():
            named = [one for one in rows if one.contradicted >= least and one.contradicted > one.said]
            right = sum(one.denied for one in named)
            row += [str(len(named)), str(right), str(sum(one.denied for one in rows))]
        counted.append(tuple(row))
    columns = ("contradicted from", "named", "right", "of", "named, open", "right, open", "of, open")
    print(render(Table(columns, tuple(counted))))


if __name__ == "__main__":
    main()
