r"""Calibrate the thresholds of ``matchers/thresholds.py`` on REALSumm: five minutes on one CPU thread.

::

    python train/thresholds.py ../shared/data/realsumm [--embedder NAME ...]

People said of each SCU of 100 documents whether each of 25 systems' summaries expresses it.

1. For each judgement, x = the highest cosine of the SCU's words with any segment of any segmentation of the summary: as
   good as a match of that SCU can get. Logistic regression, P(present) = 1 / (1 + exp(-(a + b x))), and the **even
   odds** -a/b: the cosine at which the SCU is as likely present as not. Beside it the cosine of best balanced accuracy.
2. The same on four fifths of the documents (the published folds), measured on the fifth that is left out.
3. An SCU of weight n has n contributors; its similarity is the mean of n cosines, which is at most the length of the
   mean m of their vectors. How do the even odds of the mean, and those of the cosine with m, change with n? Here an
   SCU's contributors are the best segments of other systems whose summaries express it in other words than the judged
   one. The rows for n = 1 to 5 are of the same judgements, and the odds are for equal shares of present and absent
   SCUs, because an SCU that five others have is present more often than not.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyramidion.base.tables import Table, render
from pyramidion.formats import lite3pyramid
from pyramidion.language.parse.segmented import remembering, segmented
from pyramidion.model import Summary, Topic

CONTRIBUTORS = 5
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Document:
    """A document's distinct segments, those that each summary has, and the cosines that matter."""

    id: str
    summaries: list[NDArray[np.intp]]
    present: NDArray[np.bool_]
    """Summaries x SCUs."""
    to_scus: Floats
    """Segments x SCUs."""
    to_segments: Floats

    @cached_property
    def best(self) -> list[NDArray[np.intp]]:
        """Each summary's segments that are most like the SCUs; nothing for a summary without any."""
        return [own[self.to_scus[own].argmax(axis=0)] if len(own) else own for own in self.summaries]


def document(topic: Topic, embedder: str) -> Document:
    """A topic's cosines."""
    assert topic.pyramid
    texts: dict[str, int] = {}
    numbers = [sorted({texts.setdefault(text, len(texts)) for text in _segments(peer)}) for peer in topic.peers]
    summaries = [np.array(own, np.intp) for own in numbers]
    rows = remembering(embedder)([*texts, *(scu.label for scu in topic.pyramid.scus)]).astype(np.float64)
    expressed = {one.summary.id: set(one.expressed) for one in topic.annotations}
    present = [[scu.id in expressed[peer.id] for scu in topic.pyramid.scus] for peer in topic.peers]
    cosines = rows[: len(texts)] @ rows.T
    return Document(topic.id, summaries, np.array(present), cosines[:, len(texts) :], cosines[:, : len(texts)])


def _segments(summary: Summary) -> Iterator[str]:
    found = segmented(summary.text)
    return (found.text(segment) for sentence in found.sentences for one in sentence for segment in one)


def judgements(one: Document) -> Iterator[tuple[float, bool]]:
    """For each summary and SCU the cosine of the best segment, and whether people found the SCU there."""
    for best, present in zip(one.best, one.present, strict=True):
        for scu, segment in enumerate(best):
            yield one.to_scus[segment, scu], bool(present[scu])


def shrinking(one: Document) -> Iterator[tuple[Floats, bool]]:
    """For the first 1, 2, ... contributors the best mean cosine and the best cosine with their mean; and the label."""
    for summary, scu in np.ndindex(*one.present.shape):
        own = one.summaries[summary]
        others = range(summary + 1 - len(one.summaries), summary)  # those after it, then those before it
        expressing = [one.best[other] for other in others if one.present[other, scu]]
        further = dict.fromkeys(best[scu] for best in expressing if len(best))
        said = [segment for segment in further if segment not in own][:CONTRIBUTORS]
        if len(own) and len(said) == CONTRIBUTORS:
            counts = np.arange(1, CONTRIBUTORS + 1)
            best = (one.to_segments[np.ix_(own, said)].cumsum(axis=1) / counts).max(axis=0)
            among = one.to_segments[np.ix_(said, said)]
            lengths = np.sqrt([among[:n, :n].mean() for n in counts])
            yield np.array([best, best / lengths]), bool(one.present[summary, scu])


def even_odds(x: Floats, y: NDArray[np.bool_], share: float | None = None) -> float:
    """-a / b of the logistic regression of y on x, by Newton's method; if need be, for another share of present."""
    design = np.column_stack([np.ones(len(x)), x])
    weights = np.zeros(2)
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ weights))
        weights += np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design, design.T @ (y - p))
    shift = 0.0 if share is None else np.log(share / (1 - share)) - np.log(y.mean() / (1 - y.mean()))
    return float(-(weights[0] + shift) / weights[1])


def balanced(x: Floats, y: NDArray[np.bool_], threshold: float) -> float:
    """The mean of the shares of present and of absent SCUs that the threshold gets right."""
    return float(((x[y] >= threshold).mean() + (x[~y] < threshold).mean()) / 2)


def best_balanced(x: Floats, y: NDArray[np.bool_]) -> float:
    """The threshold of the best balanced accuracy, to two decimals."""
    return max((float(t) for t in np.arange(0, 1, 0.01).round(2)), key=lambda t: balanced(x, y, t))


def auc(x: Floats, y: NDArray[np.bool_]) -> float:
    """The chance that a present SCU has the higher cosine than an absent one."""
    ranks = rankdata(x)
    return float((ranks[y].mean() - (y.sum() + 1) / 2) / (~y).sum())


def _arrays(pairs: Iterator[tuple[float, bool]] | Iterator[tuple[Floats, bool]]) -> tuple[Floats, NDArray[np.bool_]]:
    x, y = zip(*pairs, strict=True)
    return np.array(x), np.array(y)


def cross_validated(documents: Sequence[Document], folds: Sequence[set[str]]) -> tuple[str, float, float]:
    """The even odds of each fold's training documents; accuracy and balanced accuracy on all documents left out."""
    thresholds, right, x_all, y_all = [], [], [], []
    for fold in folds:
        x, y = _arrays(pair for one in documents if one.id not in fold for pair in judgements(one))
        thresholds.append(even_odds(x, y))
        x, y = _arrays(pair for one in documents if one.id in fold for pair in judgements(one))
        right.append((x >= thresholds[-1]) == y)
        x_all.append(x - thresholds[-1])
        y_all.append(y)
    spread = f"{min(thresholds):.3f}-{max(thresholds):.3f}"
    return spread, float(np.concatenate(right).mean()), balanced(np.concatenate(x_all), np.concatenate(y_all), 0.0)


def main() -> None:
    """Print a table of thresholds and a table of their fall with the number of contributors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("realsumm", type=Path)
    parser.add_argument("--embedder", nargs="+", default=["minilm", "static", "wtmf"])
    arguments = parser.parse_args()
    topics = lite3pyramid.load(arguments.realsumm)
    folds = [set(path.read_text().split()) for path in sorted((arguments.realsumm / "folds").glob("*.id"))]
    rows, falls = [], []
    for embedder in arguments.embedder:
        documents = [document(topic, embedder) for topic in topics]
        x, y = _arrays(pair for one in documents for pair in judgements(one))
        odds, best = even_odds(x, y), best_balanced(x, y)
        figures = (odds, ((x >= odds) == y).mean(), balanced(x, y, odds), best, balanced(x, y, best), auc(x, y))
        spread, accuracy, held_out = cross_validated(documents, folds)
        rows.append((embedder, *(f"{figure:.3f}" for figure in figures), spread, f"{accuracy:.3f}", f"{held_out:.3f}"))
        both, y = _arrays(pair for one in documents for pair in shrinking(one))
        for n in range(CONTRIBUTORS):
            mean, centroid = both[:, 0, n], both[:, 1, n]
            odds_of_both = (even_odds(mean, y, 0.5), even_odds(centroid, y, 0.5))
            figures = (*odds_of_both, auc(mean, y), auc(centroid, y))
            falls.append((embedder, n + 1, len(y), *(f"{figure:.3f}" for figure in figures)))
    fitted = ("embedder", "even odds", "accuracy", "balanced", "best", "balanced at best", "AUC")
    held_out_columns = ("even odds of folds", "accuracy held out", "balanced held out")
    print(render(Table((*fitted, *held_out_columns), tuple(rows))))
    by_number = ("embedder", "contributors", "judgements", "even odds: mean", "centroid", "AUC: mean", "centroid")
    print(render(Table(by_number, tuple(falls))))


if __name__ == "__main__":
    main()
