r"""Choose tau of APE for our own graphs on REALSumm, and measure what APE adds to ROUGE-SU4: four minutes.

::

    python train/ape.py ../shared/data/realsumm [--json]

1. For each tau in steps of .05, as the paper tried them (Steinberger et al. 2017 section 5): the share of 26,400
   judgements of an SCU in a summary that APE gets right, precision and recall; Pearson's r of its scores with people's,
   of all summaries and within documents.
2. The tau that is best on nine tenths of the documents, by r and by judgements, and what it is worth on the tenth that
   is left out, over the ten folds of ``pyramidion tune``.
3. Table 1 of the paper, at all three levels: APE with the paper's tau and with ours, Basic Elements, and ``soft``, each
   alone and combined with ROUGE-SU4. Every document has a part in the choice of our tau, so its row flatters by what
   (2) shows.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramidion.analyses.accuracy import realsumm
from pyramidion.analyses.combine import combine
from pyramidion.base.tables import Table, render
from pyramidion.language.graphs.sources import AMR_TAU, DEPGRAPH_TAU
from pyramidion.matchers.ape import coverages
from pyramidion.methods import Method
from pyramidion.model import Topic
from pyramidion.signature import Signature
from pyramidion.stats.correlation import pearson
from pyramidion.stats.cross_validation import folds_of
from pyramidion.stats.levels import Level, summary_level

TAUS = tuple(step / 20 for step in range(5, 18))
METRICS = (f"given+ape(tau={AMR_TAU})", f"given+ape(tau={DEPGRAPH_TAU})", "be-hm", "given+soft", "rouge-su4")
LEVELS: tuple[Level, ...] = ("global", "summary", "system")
Floats = NDArray[np.float64]
Rows = list[dict[str, Any]]


def shares(topic: Topic) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the greatest share of each SCU's triples in each summary, and whether people found the SCU there."""
    assert topic.pyramid
    ids = [scu.id for scu in topic.pyramid.scus]
    found = {one.summary.id: set(one.expressed) for one in topic.annotations}
    best = [{one.scu: one.fraction for one in coverages(topic.pyramid, peer, tau=0)} for peer in topic.peers]
    people = [[id in found[peer.id] for id in ids] for peer in topic.peers]
    return np.array([[of_peer.get(id, 0.0) for id in ids] for of_peer in best]), np.array(people)


def by_tau(documents: Sequence[tuple[Floats, NDArray[np.bool_]]], tau: float) -> dict[str, Any]:
    """Return the figures of one tau on some documents."""
    said = np.concatenate([share.ravel() > tau for share, _ in documents])
    people = np.concatenate([found.ravel() for _, found in documents])
    ours, theirs = ([scores.mean(axis=1) for scores in side] for side in zip(*_decided(documents, tau), strict=True))
    return {
        "tau": tau,
        "accuracy": round(float((said == people).mean()), 4),
        "precision": round(float(people[said].mean()), 4),
        "recall": round(float(said[people].mean()), 4),
        "r": pearson(np.concatenate(ours).tolist(), np.concatenate(theirs).tolist()),
        "r within documents": summary_level(np.array(theirs), np.array(ours)).value,
    }


def _decided(documents: Sequence[tuple[Floats, NDArray[np.bool_]]], tau: float) -> list[tuple[Floats, Floats]]:
    return [((share > tau).astype(np.float64), found.astype(np.float64)) for share, found in documents]


def held_out(documents: Sequence[tuple[Floats, NDArray[np.bool_]]], folds: Sequence[Sequence[int]]) -> Rows:
    """Return, by what tau is chosen, the choices of the folds and their worth on documents that had no part in them."""
    rows: Rows = []
    for figure in ("r", "accuracy"):
        chosen: Counter[float] = Counter()
        ours: list[Floats] = []
        theirs: list[Floats] = []
        for fold in folds:
            training = [document for place, document in enumerate(documents) if place not in set(fold)]
            tau = max(TAUS, key=lambda tau: by_tau(training, tau)[figure])
            chosen[tau] += 1
            for mine, people in _decided([documents[place] for place in fold], tau):
                ours.append(mine)
                theirs.append(people)
        right = np.concatenate([(a == b).ravel() for a, b in zip(ours, theirs, strict=True)])
        means = [np.concatenate([scores.mean(axis=1) for scores in side]).tolist() for side in (ours, theirs)]
        rows.append(
            {
                "chosen by": figure,
                "tau": ", ".join(f"{tau:g} in {times}" for tau, times in sorted(chosen.items())),
                "folds": len(folds),
                "accuracy held out": round(float(right.mean()), 4),
                "r held out": pearson(*means),
            }
        )
    return rows


def table_1(topics: Sequence[Topic]) -> Rows:
    """Return the rows of the paper's Table 1 and what combining adds, with intervals."""
    rows: Rows = []
    for level in LEVELS:
        tables = combine(topics, METRICS, level=level).tables()
        for table in (tables["worth"], tables["gains"]):
            rows += ({"level": level, **dict(zip(table.keys, row, strict=True))} for row in table.rows)
    return rows


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("realsumm", type=Path)
    parser.add_argument("--json", action="store_true", help="print the rows for a program")
    arguments = parser.parse_args()
    topics = realsumm.read(arguments.realsumm)
    documents = [shares(topic) for topic in topics]
    folds = folds_of([(topic.id, "") for topic in topics], [0.0] * len(topics))
    tables = {
        "tau": [by_tau(documents, tau) for tau in TAUS],
        "held out": held_out(documents, folds),
        "combined": table_1(topics),
    }
    if arguments.json:
        method = Method.parse("given+ape")
        print(json.dumps({"signature": str(Signature(str(method), method.versions)), **tables}, indent=1))
        return
    for title, rows in tables.items():
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        print(render(Table(columns, tuple(tuple(row.get(name) for name in columns) for row in rows), title)))


if __name__ == "__main__":
    main()
