r"""Calibrate the thresholds of ``matchers/harnly.py`` and ``matchers/passonneau.py`` on REALSumm, and measure both.

::

    python train/sequences.py ../shared/data/realsumm [--similarity NAME ...] [--matchers N]

People said of each SCU of 100 documents whether each of 25 systems' summaries expresses it.

1. For each judgement, x = the highest similarity of the SCU's words with any word sequence of the summary: as good as a
   match of that SCU can get. As in ``train/thresholds.py``: logistic regression of presence on x, and its **even
   odds**, the similarity at which the SCU is as likely present as not; beside it the similarity of best balanced
   accuracy. The same on four fifths of the documents (the published folds), measured on the fifth that is left out.
2. The matchers themselves, in which sequences compete for words and stand for one SCU each: at the threshold that
   ships, the share of judgements that they get right, precision and recall of what they match; AUC of the scores of
   their matches, 0 for an SCU without one, when the threshold is low (``LOW``), so that nearly all SCUs are ranked;
   Pearson's r with people's share of SCUs at summary level. ``--matchers N`` measures them on the first N documents
   alone: all candidates at a low threshold are what makes Ratcliff/Obershelp slow.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from thresholds import auc, balanced, best_balanced, even_odds

from pyramidion.analyses.accuracy import realsumm
from pyramidion.base.tables import Cell, Table, render
from pyramidion.matchers.harnly import harnly
from pyramidion.matchers.passonneau import cosines, passonneau, ratcliff_bounds, ratio
from pyramidion.matchers.sequences import LONGEST, Targets, Words, targets_of, unigram_overlaps, words_of
from pyramidion.model import Annotation, Topic
from pyramidion.stats.levels import summary_level

SIMILARITIES = ("unigram", "ratcliff", "cosine:wtmf", "cosine:static")
LOW = 0.05
Floats = NDArray[np.float64]
Judgements = tuple[Floats, NDArray[np.bool_]]


def highest(words: Words, targets: Targets, similarity: str) -> Floats:
    """The similarity of each wording and its best sequence."""
    found = np.zeros(len(targets.wordings))
    kind, _, embedder = similarity.partition(":")
    if kind == "ratcliff":
        return highest_ratio(words, targets)
    for _, _, table in (
        unigram_overlaps(words, targets, LONGEST) if kind == "unigram" else cosines(words, targets, LONGEST, embedder)
    ):
        np.maximum(found, table.max(axis=0), out=found)
    return found


def highest_ratio(words: Words, targets: Targets) -> Floats:
    """The same for Ratcliff/Obershelp: from the highest bound downwards, until no bound is above what was found."""
    found = np.zeros(len(targets.wordings))
    tables = list(ratcliff_bounds(words, targets, LONGEST))
    if not tables:
        return found
    firsts, lasts, bounds = (np.concatenate(part) for part in zip(*tables, strict=True))
    for wording, forms in enumerate(targets.forms):
        for row in np.argsort(-bounds[:, wording], kind="stable"):
            if bounds[row, wording] <= found[wording]:
                break
            text = " ".join(words.forms[firsts[row] : lasts[row]])
            found[wording] = max(found[wording], ratio(text, " ".join(forms)))
    return found


def judgements(topic: Topic, similarity: str) -> Judgements:
    """For each summary and SCU the highest similarity, and whether people found the SCU there."""
    assert topic.pyramid
    targets = targets_of(topic.pyramid)  # every SCU has one wording here
    expressed = {one.summary.id: set(one.expressed) for one in topic.annotations}
    x = [highest(words_of(peer.text), targets, similarity) for peer in topic.peers]
    y = [[scu.id in expressed[peer.id] for scu in targets.scus] for peer in topic.peers]
    return np.concatenate(x), np.concatenate(y)


def together(some: Sequence[Judgements]) -> Judgements:
    """The judgements of several documents."""
    return np.concatenate([x for x, _ in some]), np.concatenate([y for _, y in some])


def calibrated(topics: Sequence[Topic], folds: Sequence[set[str]], similarity: str) -> tuple[Cell, ...]:
    """A row of the first table."""
    found = {topic.id: judgements(topic, similarity) for topic in topics}
    x, y = together(list(found.values()))
    odds, best = even_odds(x, y), best_balanced(x, y)
    thresholds, held_out = [], []
    for fold in folds:
        thresholds.append(even_odds(*together([own for id, own in found.items() if id not in fold])))
        held_out += [(own - thresholds[-1], said) for id, (own, said) in found.items() if id in fold]
    margin, said = together(held_out)
    figures = (odds, ((x >= odds) == y).mean(), balanced(x, y, odds), best, balanced(x, y, best), auc(x, y))
    return (
        similarity,
        len(y),
        *(f"{figure:.3f}" for figure in figures),
        f"{min(thresholds):.3f}-{max(thresholds):.3f}",
        f"{((margin >= 0) == said).mean():.3f}",
        f"{balanced(margin, said, 0.0):.3f}",
    )


Matcher = Callable[..., Annotation]


def matchers() -> Iterator[tuple[str, Matcher, dict[str, str]]]:
    """What is measured: names, functions and settings."""
    yield "harnly", harnly, {}
    yield "passonneau, unigram", passonneau, {"similarity": "unigram"}
    yield "passonneau, ratcliff", passonneau, {"similarity": "ratcliff"}
    yield "passonneau, cosine of wtmf", passonneau, {}
    yield "passonneau, cosine of static", passonneau, {"embedder": "static"}
    yield "passonneau, cosine of wtmf, wmin", passonneau, {"allocation": "wmin"}


def measured(topics: Sequence[Topic], name: str, match: Matcher, chosen: dict[str, str]) -> tuple[Cell, ...]:
    """A row of the second table."""
    scores, decisions, said = [], [], []
    shares: list[list[tuple[float, float]]] = []
    for topic in topics:
        assert topic.pyramid
        ids = [scu.id for scu in topic.pyramid.scus]
        expressed = {one.summary.id: set(one.expressed) for one in topic.annotations}
        shares.append([])
        for peer in topic.peers:
            found = set(match(topic.pyramid, peer, **chosen).expressed)
            ranked = {one.scu: one.score for one in match(topic.pyramid, peer, threshold=LOW, **chosen).matches}
            decisions += [id in found for id in ids]
            scores += [ranked.get(id, 0.0) for id in ids]
            said += [id in expressed[peer.id] for id in ids]
            shares[-1].append((len(expressed[peer.id]) / len(ids), len(found) / len(ids)))
    x, d, y = np.array(scores), np.array(decisions), np.array(said)
    by_document = np.array(shares)
    r = summary_level(by_document[..., 0], by_document[..., 1]).value
    figures = ((d == y).mean(), y[d].mean(), d[y].mean(), d.mean(), auc(x, y), r)
    return (name, len(y), *(f"{figure:.3f}" for figure in figures))


def main() -> None:
    """Print a table of thresholds and a table of matchers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("realsumm", type=Path)
    parser.add_argument("--similarity", nargs="+", default=list(SIMILARITIES))
    parser.add_argument("--matchers", type=int, help="measure the matchers on the first so many alone; 0: not at all")
    arguments = parser.parse_args()
    topics = realsumm.read(arguments.realsumm)
    folds = [set(path.read_text().split()) for path in sorted((arguments.realsumm / "folds").glob("*.id"))]
    fitted = ("similarity", "judgements", "even odds", "accuracy", "balanced", "best", "balanced at best", "AUC")
    held_out = ("even odds of folds", "accuracy held out", "balanced held out")
    rows = [calibrated(topics, folds, one) for one in arguments.similarity]
    print(render(Table((*fitted, *held_out), tuple(rows))), flush=True)
    some = topics[: arguments.matchers]
    if some:
        columns = ("matcher", "judgements", "accuracy", "precision", "recall", "share matched", "AUC", "r of summaries")
        print(render(Table(columns, tuple(measured(some, *one) for one in matchers()))))


if __name__ == "__main__":
    main()
