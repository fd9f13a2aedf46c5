r"""Measure the judge ``matchers/soft.py`` on REALSumm: one minute on one CPU thread.

::

    python train/soft.py ../shared/data/realsumm [--students ../shared/data/cc-students]

People said of each SCU of 100 documents whether each of 25 systems' summaries expresses it: y, 1 or 0. Printed are

1. AUC, accuracy at P = .5, Brier score (the mean of (P - y)^2) and expected calibration error (bin by bin, the distance
   of mean P and the share present); the Brier score of a logistic curve of P, fitted on four fifths of the documents
   (the published folds) and measured on the fifth left out; Pearson's r of mean P and mean y at summary level,
   and the root of their mean square distance, beside those of the share of matches;
2. the evidence of text off the topic: every summary against the SCUs of the next document;
3. the bins of the calibration;
4. AUC, r, Brier score and calibration error for other shares of the best sentence, the rest being the whole summary's:
   what ``SENTENCE`` was chosen from. An SCU has one wording here, so that the evidence is linear in the share. With
   ``--students`` also Pearson's r of raw scores and people's, over the students whom people scored, with the pyramid of
   EDUA-P.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyramidion.base.tables import Table, render
from pyramidion.builders import BUILDERS
from pyramidion.formats import folder, lite3pyramid
from pyramidion.language.parse.segmented import segmented
from pyramidion.matchers.soft import SENTENCE, evidence
from pyramidion.model import Pyramid, Summary, Topic
from pyramidion.stats.correlation import pearson
from pyramidion.stats.levels import summary_level

SHARES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
BINS = 20
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Document:
    """The judgements of a document, peers x SCUs."""

    id: str
    present: Floats
    believed: Floats
    off_topic: Floats
    in_sentence: Floats
    in_whole: Floats


def document(topic: Topic, other: Topic) -> Document:
    """What people and the judge say of a topic, and what the judge says of another topic's summaries."""
    assert topic.pyramid
    expressed = {one.summary.id: set(one.expressed) for one in topic.annotations}
    present = [[scu.id in expressed[peer.id] for scu in topic.pyramid.scus] for peer in topic.peers]
    return Document(
        topic.id,
        np.array(present, np.float64),
        strengths(topic.pyramid, topic.peers),
        strengths(topic.pyramid, other.peers),
        strengths(topic.pyramid, topic.peers, share=1.0),
        strengths(topic.pyramid, topic.peers, share=0.0),
    )


def strengths(pyramid: Pyramid, peers: Sequence[Summary], *, share: float = SENTENCE) -> Floats:
    """The evidence of each peer for each SCU."""
    found = []
    for peer in peers:
        finest = [sentence[:2][-1] for sentence in segmented(peer.text).sentences]
        found.append(evidence(pyramid, peer.text, finest, share=share).strengths)
    return np.array(found)


def flat(matrices: Sequence[Floats]) -> Floats:
    """All judgements in one row."""
    return np.concatenate([matrix.ravel() for matrix in matrices])


def auc(p: Floats, y: Floats) -> float:
    """The chance that a present SCU has the higher P than an absent one."""
    there = y == 1
    return float((rankdata(p)[there].mean() - (there.sum() + 1) / 2) / (~there).sum())


def brier(p: Floats, y: Floats) -> float:
    """The mean square of what P is off."""
    return float(((p - y) ** 2).mean())


def bins(p: Floats, y: Floats) -> list[tuple[float, int, float, float]]:
    """For each bin that is not empty where it begins, its judgements, mean P and the share present."""
    numbers = np.minimum((p * BINS).astype(int), BINS - 1)
    inside = ((number, numbers == number) for number in range(BINS))
    return [
        (number / BINS, int(own.sum()), float(p[own].mean()), float(y[own].mean()))
        for number, own in inside
        if own.any()
    ]


def calibration(p: Floats, y: Floats) -> float:
    """The expected calibration error: bin by bin, the distance of mean P and the share present."""
    return sum(n * abs(mean - share) for _, n, mean, share in bins(p, y)) / len(p)


def logistic(p: Floats, y: Floats) -> Floats:
    """Intercept and slope of the logistic regression of y on p, by Newton's method."""
    design = np.column_stack([np.ones(len(p)), p])
    weights = np.zeros(2)
    for _ in range(30):
        fitted = 1 / (1 + np.exp(-design @ weights))
        weights += np.linalg.solve((design * (fitted * (1 - fitted))[:, None]).T @ design, design.T @ (y - fitted))
    return weights


def held_out(documents: Sequence[Document], folds: Sequence[set[str]]) -> tuple[float, float]:
    """The Brier score of logistic curves on documents that they were not fitted on, and what they make of P = 0."""
    p_all, y_all, at_zero = [], [], []
    for fold in folds:
        p, y = (
            flat([getattr(one, name) for one in documents if one.id not in fold]) for name in ("believed", "present")
        )
        intercept, slope = logistic(p, y)
        p, y = (flat([getattr(one, name) for one in documents if one.id in fold]) for name in ("believed", "present"))
        p_all.append(1 / (1 + np.exp(-intercept - slope * p)))
        y_all.append(y)
        at_zero.append(1 / (1 + np.exp(-intercept)))
    return brier(flat(p_all), flat(y_all)), float(np.mean(at_zero))


def agreement(documents: Sequence[Document], believed: Sequence[Floats]) -> float:
    """Pearson's r over systems of mean P and the share of SCUs present, averaged over documents."""
    human = np.array([one.present.mean(axis=1) for one in documents])
    found = summary_level(human, np.array([matrix.mean(axis=1) for matrix in believed]), samples=100).value
    assert found is not None
    return found


def error_of_means(documents: Sequence[Document], believed: Sequence[Floats]) -> float:
    """How far a summary's mean is from the share of SCUs that people found in it: the root of the mean square."""
    pairs = zip(documents, believed, strict=True)
    errors = np.concatenate([matrix.mean(axis=1) - one.present.mean(axis=1) for one, matrix in pairs])
    return float(np.sqrt((errors**2).mean()))


def students(folder_of_topic: Path) -> list[tuple[float, str]]:
    """For each share, Pearson's r of expected and manual raw scores."""
    (topic,) = folder.load(folder_of_topic)
    pyramid = BUILDERS["edua-p"](topic)
    with (folder_of_topic / "manual_scores.csv").open() as file:
        manual = {row["filename"].partition("_")[0]: float(row["totalWeight"]) for row in csv.DictReader(file)}
    peers = [peer for peer in topic.peers if peer.id.partition("_")[0] in manual]
    human = [manual[peer.id.partition("_")[0]] for peer in peers]
    weights = np.array([scu.weight for scu in pyramid.scus])
    return [(share, f"{pearson(human, strengths(pyramid, peers, share=share) @ weights):.3f}") for share in SHARES]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("realsumm", type=Path)
    parser.add_argument("--students", type=Path)
    arguments = parser.parse_args()
    topics = lite3pyramid.load(arguments.realsumm)
    folds = [set(path.read_text().split()) for path in sorted((arguments.realsumm / "folds").glob("*.id"))]
    documents = [document(topic, other) for topic, other in zip(topics, [*topics[1:], topics[0]], strict=True)]
    believed = [one.believed for one in documents]
    counted = [(one >= 0.5).astype(np.float64) for one in believed]
    p, y = flat(believed), flat([one.present for one in documents])
    curve, at_zero = held_out(documents, folds)
    off_topic = flat([one.off_topic for one in documents])
    overall = {
        "judgements": str(len(p)),
        "present": f"{y.mean():.3f}",
        "AUC": f"{auc(p, y):.3f}",
        "accuracy at .5": f"{((p >= 0.5) == y).mean():.3f}",
        "Brier score": f"{brier(p, y):.4f}",
        "Brier score of a logistic curve, held out": f"{curve:.4f}",
        "P of that curve for an empty summary": f"{at_zero:.3f}",
        "expected calibration error": f"{calibration(p, y):.3f}",
        "summary-level r": f"{agreement(documents, believed):.3f}",
        "summary-level r of the matches at .5": f"{agreement(documents, counted):.3f}",
        "error of a summary's mean P": f"{error_of_means(documents, believed):.3f}",
        "error of a summary's share of matches": f"{error_of_means(documents, counted):.3f}",
        "off topic: 5, 50, 95 %": ", ".join(f"{one:.3f}" for one in np.quantile(off_topic, (0.05, 0.5, 0.95))),
        "off topic: P >= .5": f"{(off_topic >= 0.5).mean():.4f}",
    }
    print(render(Table(("figure", "value"), tuple(overall.items()))))
    rows = tuple((f"{low:.2f}", n, f"{mean:.3f}", f"{share:.3f}") for low, n, mean, share in bins(p, y))
    print(render(Table(("P from", "judgements", "mean P", "present"), rows)))
    grid: list[tuple[float | str, ...]] = []
    for share in SHARES:
        mixed = [share * one.in_sentence + (1 - share) * one.in_whole for one in documents]
        p = flat(mixed)
        figures = auc(p, y), agreement(documents, mixed), brier(p, y), calibration(p, y)
        grid.append((share, *(f"{one:.4f}" for one in figures)))
    print(render(Table(("sentence's share", "AUC", "summary-level r", "Brier score", "ECE"), tuple(grid))))
    if arguments.students:
        print(render(Table(("sentence's share", "students' r"), tuple(students(arguments.students)))))


if __name__ == "__main__":
    main()
