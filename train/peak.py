r"""Calibrate the thresholds of ``builders/peak.py`` on REALSumm: some minutes on one CPU thread.

::

    python train/peak.py ../shared/data/realsumm
    python train/peak.py ../shared/data/realsumm --documents 25 --embedder static minilm

People said of each SCU of 100 documents whether each of 25 systems' summaries expresses it. For each judgement, x = the
highest similarity of a proposition of the SCU's words with one of the summary: as good as PEAK's match of that SCU can
get. Of the logistic regression P(present) = 1 / (1 + exp(-(a + b x))) the **even odds** -a/b are the threshold: where
the SCU is as likely present as not.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
from thresholds import auc, balanced, even_odds

from pyramidion.analyses.accuracy.realsumm import read
from pyramidion.base.tables import Table, render
from pyramidion.builders.peak import similarities
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.propositions import Proposition, statements
from pyramidion.model import Topic

Judgement = tuple[float, bool]


def judgements(topic: Topic, embedder: str) -> Iterator[Judgement]:
    """For each summary and SCU the best similarity of their propositions, and whether people found the SCU there."""
    assert topic.pyramid
    scus = [_said(scu.label) for scu in topic.pyramid.scus]
    firsts = [0, *accumulate(map(len, scus))]
    expressed = {one.summary.id: set(one.expressed) for one in topic.annotations}
    for peer in topic.peers:
        table = similarities(_said(peer.text), [one for scu in scus for one in scu], embedder)
        for scu, (first, last) in zip(topic.pyramid.scus, pairwise(firsts), strict=True):
            yield float(table[:, first:last].max(initial=0.0)), scu.id in expressed[peer.id]


def _said(text: str) -> tuple[Proposition, ...]:
    return statements(analysed(text, "en-minilm"))


def main() -> None:
    """Print the even odds of each embedder, and what a threshold there gets right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("realsumm", type=Path)
    parser.add_argument("--embedder", nargs="+", default=["static", "wtmf"])
    parser.add_argument("--documents", type=int, help="so many, from the first")
    arguments = parser.parse_args()
    topics = read(arguments.realsumm, arguments.documents)
    rows = []
    for embedder in arguments.embedder:
        pairs = [pair for topic in topics for pair in judgements(topic, embedder)]
        x, y = np.array([x for x, _ in pairs]), np.array([y for _, y in pairs])
        odds = even_odds(x, y)
        figures = (odds, ((x >= odds) == y).mean(), balanced(x, y, odds), auc(x, y))
        rows.append((embedder, len(pairs), *(f"{figure:.3f}" for figure in figures)))
    columns = ("embedder", "judgements", "even odds", "accuracy", "balanced", "AUC")
    print(render(Table(columns, tuple(rows))))


if __name__ == "__main__":
    main()
