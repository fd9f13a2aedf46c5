r"""Fit the judge ``match/learned.py`` to REALSumm, and measure it on documents that it has not seen.

::

    python train/learned.py ../shared/data/realsumm [--students ../shared/data/cc-students] [-o WEIGHTS.json]

Targets are the shares of crowd workers who found an SCU in a summary (``votes/``); what is measured are the published
labels. Printed are

1. accuracy at P = .5, AUC, Brier score, expected calibration error (20 bins), Pearson's r and Spearman's rho at summary
   and system level, of ``soft`` and of models fitted to four of the five published folds and measured on the fifth:
   with the floors under conflicts (``AT_LEAST``), without them, and fitted to labels instead of shares;
2. the reliability of the first;
3. the curves of the model fitted to all documents, which ``-o`` writes;
4. its accuracy on the minimal pairs of ``tests/match/minimal_pairs.txt``, by kind, beside that without floors;
5. pairs a second, one thread, parses excluded; with ``rouge-score`` installed, ROUGE-1/2/L on the same pairs;
6. with ``--students``, Pearson's r with people's raw scores, pyramid of EDUA-P (14 students: a check, not a choice).
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramidion.build import BUILDERS
from pyramidion.formats import folder
from pyramidion.io.tables import Table, render
from pyramidion.match import learned, soft
from pyramidion.match.expressions import expressions
from pyramidion.match.features import features
from pyramidion.match.learned import AT_LEAST, Key, Learned, maximum_likelihood
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic
from pyramidion.stats.correlation import pearson, summary_level, system_level
from pyramidion.studies.bench.realsumm import read

BINS = 20
PAIRS = Path(__file__).parents[1] / "tests" / "match" / "minimal_pairs.txt"
RULES = "unicode"
Floats = NDArray[np.float64]
Judgements = dict[Key, float]


def votes(path: Path, topics: Sequence[Topic]) -> Judgements:
    """The share of workers who found each SCU in each summary, where the files have it."""
    systems = {peer.id for topic in topics for peer in topic.peers}
    names = {name.partition("_")[2]: name for name in systems}
    found: dict[tuple[str, str, str], list[bool]] = {}
    for file in sorted(path.glob("*.csv")):
        stem = file.stem.removesuffix("_Batch_crowd_3")
        system = stem if stem in systems else names[stem.partition("_")[2]]  # two extractive systems are filed as abs_
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                for number in range(1, 17):
                    statement = row[f"Input.statement_{number}"]
                    if statement != "BLANK":
                        key = row["Input.eventId"], system, " ".join(statement.split())
                        found.setdefault(key, []).append(row[f"Answer.S{number}Answer"] == "p")
    shares = {}
    for topic in topics:
        assert topic.pyramid
        for scu in topic.pyramid.scus:
            (statement,) = expressions(topic.pyramid, scu)
            for peer in topic.peers:
                if said := found.get((topic.id, peer.id, statement)):
                    shares[topic.id, peer.id, scu.id] = sum(said) / len(said)
    return shares


class Data:
    """The judgements as columns."""

    def __init__(self, topics: Sequence[Topic], shares: Judgements) -> None:
        self.topics = topics
        rows, label, share, document, exact, empty, evidence = [], [], [], [], [], [], []
        for number, topic in enumerate(topics):
            assert topic.pyramid
            present = {one.summary.id: one.expressed for one in topic.annotations}
            for peer in topic.peers:
                found = features(topic.pyramid, peer.text, RULES)
                rows.append(found.values)
                exact.append(found.verbatim)
                empty.append(found.empty)
                evidence += [one.probability for one in soft.verdicts(topic.pyramid, peer, RULES)]
                for scu in topic.pyramid.scus:
                    label.append(float(scu.id in present[peer.id]))
                    share.append(shares.get((topic.id, peer.id, scu.id), label[-1]))
                    document.append(number)
        self.values, self.soft = np.concatenate(rows), np.array(evidence)
        self.label, self.share, self.document = np.array(label), np.array(share), np.array(document)
        self.exact, self.empty = np.concatenate(exact), np.concatenate(empty)

    def judged(self, model: Learned, use: NDArray[np.bool_]) -> Floats:
        """P of some judgements."""
        odds = model.bias + model.points(self.values[use]).sum(axis=1)
        return np.where(self.exact[use], 1.0, np.where(self.empty[use], 0.0, 1 / (1 + np.exp(-odds))))

    def held_out(self, folds: Sequence[set[str]], targets: Floats, floors: Mapping[str, float] = AT_LEAST) -> Floats:
        """P of every judgement by a model that has not seen its document."""
        p = np.zeros(len(self.label))
        for fold in folds:
            test = np.isin(self.document, [number for number, topic in enumerate(self.topics) if topic.id in fold])
            p[test] = self.judged(maximum_likelihood(self.values[~test], targets[~test], floors), test)
        return p

    def figures(self, p: Floats) -> list[str]:
        """Accuracy, AUC, Brier score, calibration error; correlations at summary and system level."""
        y = self.label
        order = np.unique(p, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(order[2]) - (order[2] - 1) / 2)[order[1]]
        there = y == 1
        auc = (ranks[there].mean() - (there.sum() + 1) / 2) / (~there).sum()
        error = sum(size * abs(mean - share) for _, size, mean, share in bins(p, y)) / len(y)
        human, judge = self.means(y), self.means(p)
        correlations = [
            summary_level(human, judge, "pearson", samples=100).value,
            summary_level(human, judge, "spearman", samples=100).value,
            system_level(human, judge, "pearson", samples=100).value,
            system_level(human, judge, "spearman", samples=100).value,
        ]
        numbers = [((p >= 0.5) == there).mean(), auc, ((p - y) ** 2).mean(), error, *correlations]
        return [f"{number:.4f}" for number in numbers]

    def means(self, p: Floats) -> Floats:
        """Documents x systems."""
        return np.array(
            [
                p[self.document == number].reshape(len(topic.peers), -1).mean(axis=1)
                for number, topic in enumerate(self.topics)
            ]
        )


def bins(p: Floats, y: Floats) -> list[tuple[float, int, float, float]]:
    """For each bin that is not empty where it begins, its judgements, mean P and the share present."""
    numbers = np.minimum((p * BINS).astype(int), BINS - 1)
    inside = ((number, numbers == number) for number in range(BINS))
    return [
        (number / BINS, int(own.sum()), float(p[own].mean()), float(y[own].mean()))
        for number, own in inside
        if own.any()
    ]


def minimal_pairs(judges: Sequence[Learned]) -> list[tuple[str | int, ...]]:
    """By kind: pairs; and for each judge how many fall by a tenth, and at all."""
    kinds: dict[str, list[list[float]]] = {}
    for line in PAIRS.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            kind, said, says, denies = (part.strip() for part in line.split("|"))
            pyramid = Pyramid("", (Summary("A", ""),), (SCU("1", said, (Contributor("A", label=said),)),))
            texts = [features(pyramid, text) for text in (says, denies)]
            falls = [float(np.subtract(*(judge.probabilities(text)[0] for text in texts))) for judge in judges]
            kinds.setdefault(kind, []).append(falls)
    kinds["all"] = [one for falls in kinds.values() for one in falls]
    return [
        (
            kind,
            len(falls),
            *(sum(fall[judge] >= least for fall in falls) for judge in range(len(judges)) for least in (0.1, 1e-6)),
        )
        for kind, falls in kinds.items()
    ]


def speed(topics: Iterable[Topic]) -> list[tuple[str, str]]:
    """Pairs a second of CPU time, the best of three; sentences and segments are there already."""
    work = [(topic.pyramid, peer) for topic in topics if topic.pyramid for peer in topic.peers]
    size = sum(len(pyramid.scus) for pyramid, _ in work)

    def timed(judge: Callable[[Pyramid, Summary], object]) -> str:
        times = []
        for _ in range(3):
            features.cache_clear()
            start = time.process_time()
            for pyramid, peer in work:
                judge(pyramid, peer)
            times.append(time.process_time() - start)
        return f"{size / min(times):,.0f}"

    for pyramid, peer in work:
        soft.verdicts(pyramid, peer)
    found = [("soft", timed(soft.verdicts)), ("learned", timed(learned.verdicts))]
    if find_spec("rouge_score"):
        scorer = import_module("rouge_score.rouge_scorer").RougeScorer
        for stems in (True, False):
            rouge = scorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stems)

            def score(pyramid: Pyramid, summary: Summary, rouge: Any = rouge) -> object:
                return [rouge.score(expressions(pyramid, scu)[0], summary.text) for scu in pyramid.scus]

            found.append((f"rouge-score 1/2/L{', stemmed' if stems else ''}", timed(score)))
    return found


def students(path: Path, judge: Learned) -> list[tuple[str, str]]:
    """Pearson's r of expected raw scores and manual ones."""
    (topic,) = folder.load(path)
    pyramid = BUILDERS["edua-p"](topic)
    with (path / "manual_scores.csv").open() as file:
        manual = {row["filename"].partition("_")[0]: float(row["totalWeight"]) for row in csv.DictReader(file)}
    peers = [peer for peer in topic.peers if peer.id.partition("_")[0] in manual]
    human = [manual[peer.id.partition("_")[0]] for peer in peers]
    weights = np.array([scu.weight for scu in pyramid.scus])
    found = []
    for name, judging in (("edua-p+soft", soft.verdicts), ("edua-p+learned", judge.verdicts)):
        raw = [weights @ [one.probability for one in judging(pyramid, peer)] for peer in peers]
        found.append((name, f"{pearson(human, raw):.3f}"))
    return found


def main() -> None:
    """Print the tables and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("realsumm", type=Path)
    parser.add_argument("--students", type=Path)
    parser.add_argument("-o", "--out", type=Path)
    arguments = parser.parse_args()
    topics = read(arguments.realsumm)
    data = Data(topics, votes(arguments.realsumm / "votes", topics))
    folds = [set((arguments.realsumm / f"folds/fold{number}.id").read_text().split()) for number in range(1, 6)]
    p = data.held_out(folds, data.share)
    rows = [
        ("soft", data.soft),
        ("learned", p),
        ("no floors", data.held_out(folds, data.share, {})),
        ("labels", data.held_out(folds, data.label)),
    ]
    headings = ("judge", "accuracy", "AUC", "Brier", "ECE", "summary r", "rho", "system r", "rho")
    print(render(Table(headings, tuple((name, *data.figures(one)) for name, one in rows)), "text"))
    print(
        render(
            Table(
                ("P from", "judgements", "mean P", "present"),
                tuple((f"{a:.2f}", n, f"{m:.3f}", f"{s:.3f}") for a, n, m, s in bins(p, data.label)),
            ),
            "text",
        )
    )
    model = maximum_likelihood(data.values, data.share)
    free = maximum_likelihood(data.values, data.share, {})
    curves = tuple(
        (curve.feature, f"{curve.most:.2f}", f"{other.most:.2f}")
        for curve, other in zip(model.curves, free.curves, strict=True)
    )
    print(
        render(
            Table(
                ("feature", "points", "without floors"), (*curves, ("bias", f"{model.bias:.2f}", f"{free.bias:.2f}"))
            ),
            "text",
        )
    )
    if arguments.out:
        arguments.out.write_text(json.dumps(model.to_json(), indent=1) + "\n")
    print(
        render(
            Table(
                ("kind", "pairs", "falls .1", "falls", "no floors: .1", "falls"), tuple(minimal_pairs([model, free]))
            ),
            "text",
        )
    )
    if arguments.students:
        print(render(Table(("method", "r"), tuple(students(arguments.students, model))), "text"))
    if arguments.out:
        print(render(Table(("judge", "pairs/s"), tuple(speed(topics[:8]))), "text"))


if __name__ == "__main__":
    main()
