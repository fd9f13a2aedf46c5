"""Judges beside rouge-score: pairs of SCU and summary a second, on one core.

    pip install rouge-score
    python bench/judges.py [FOLDER] [--judge NAME ...] [--documents N] [--rounds N] [--json]

The pairs are REALSumm's (default: ``../shared/data/realsumm`` beside the repository): every SCU of the first N
documents with every system's summary. rouge-score is asked for ROUGE-1, 2 and L of each pair, with and without its
stemmer. A judge judges all SCUs of a summary at once. *from text* is for summaries seen for the first time, parsed if
the judge wants a parse; *judging* has them analysed before, as where one run asks several judges. Processor time of all
threads together, the best of several rounds that take turns; models are loaded before.

``--network`` measures reading alone, on the first N summaries: the three ways in which the network of ``entails`` can
be asked for all labels of a summary. *bare* runs its graph on pieces that are ready; *together* is what ``entails``
does first, from texts to probabilities; *pair by pair* is a cross-encoder's way, which reads the summary anew for every
label.

``--class`` measures a class: the peers of the open marked topics, judged by ``entails`` with all that it asks.
``--references`` measures building: the pyramids by ``meaning`` of these topics, of invented classes with five
references of 150 words (``train/topics``, those that the network has not seen), and of twenty texts of 500 words, each
joined from texts about four classes. Both give seconds of the clock and of processors, and what the network read:
passes and word pieces, those of texts and of units, of each text or topic; a division that is not proved to be the best
is warned of. Networks are loaded before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from measuring import DATA, Row, command_line, show, timed

sys.path.append(str(Path(__file__).parents[1]))
from train.topics import written

from pyramidion.analyses.accuracy.marked_topics import marked_topics
from pyramidion.analyses.accuracy.realsumm import read
from pyramidion.builders.meaning import meaning
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.language.entailment import network as entailment_network
from pyramidion.language.parse import analysers, segmented
from pyramidion.language.statements.writing_network import writing_network
from pyramidion.matchers import judged
from pyramidion.methods import Method
from pyramidion.model import Summary, Topic

FOLDER = DATA / "realsumm"
JUDGES = ("unigram", "soft", "soft(analyser=unicode)", "entails")
ROUGE = ("rouge1", "rouge2", "rougeL")
Work = Callable[[Sequence[Topic]], None]


def judge(method: Method, topics: Sequence[Topic]) -> None:
    for topic in topics:
        assert topic.pyramid
        for peer in topic.peers:
            method.match(topic.pyramid, peer)


def rouge_score(scorer: Any, topics: Sequence[Topic]) -> None:
    for topic in topics:
        assert topic.pyramid
        for peer in topic.peers:
            for scu in topic.pyramid.scus:
                scorer.score(scu.label, peer.text)


def forget() -> None:
    """Every analysis of a text."""
    judged.units.cache_clear()
    analysers.analysed.cache_clear()
    segmented._segmented.cache_clear()


def seconds(work: Work, topics: Sequence[Topic]) -> float:
    """Of processor time; answers of earlier rounds are forgotten."""
    entailment_network._answers(entailment_network._folder())._memory.clear()
    return timed(partial(work, topics))[0]


def measure(topics: Sequence[Topic], judges: Sequence[str], rounds: int) -> list[Row]:
    """A row for each judge and each way of rouge-score."""
    try:
        scorer = import_module("rouge_score.rouge_scorer").RougeScorer
    except ImportError:
        sys.exit("rouge-score, which this compares with, is not installed: pip install rouge-score")
    theirs: dict[str, Work] = {
        f"rouge-score {', '.join(ROUGE)}{', stemmed' if stem else ''}": partial(
            rouge_score, scorer(ROUGE, use_stemmer=stem)
        )
        for stem in (False, True)
    }
    ours: dict[str, Work] = {}
    for name in judges:
        try:
            ours[name] = partial(judge, Method.parse(f"given+{name}"))
            ours[name](topics[:1])
        except PyramidionError as error:
            ours.pop(name, None)
            print(f"{name} is left out: {error}", file=sys.stderr)
    pairs = sum(len(topic.peers) * len(topic.pyramid.scus) for topic in topics if topic.pyramid)
    from_text = dict.fromkeys([*theirs, *ours], float("inf"))
    judging = dict(from_text)
    for _ in range(rounds):
        for name, work in theirs.items():
            from_text[name] = judging[name] = min(from_text[name], seconds(work, topics))
        for name, work in ours.items():
            forget()
            from_text[name] = min(from_text[name], seconds(work, topics))
            judging[name] = min(judging[name], seconds(work, topics))
    plain, stemmed = theirs
    return [
        {
            "judge": name,
            "pairs": pairs,
            "from text": round(pairs / from_text[name]),
            "judging": round(pairs / judging[name]),
            "x rouge-score": round(judging[plain] / judging[name], 2),
            "x stemmed": round(judging[stemmed] / judging[name], 2),
        }
        for name in from_text
    ]


def reading(topics: Sequence[Topic], rounds: int) -> list[Row]:
    """A row for each way of asking the network for all labels of each summary."""
    network = entailment_network.entailment_network()
    texts = [
        (peer.text, [scu.label for scu in topic.pyramid.scus])
        for topic in topics
        if topic.pyramid
        for peer in topic.peers
    ]
    pieces = [network.pieces([text, *labels]) for text, labels in texts]
    pairs = sum(len(labels) for _, labels in texts)
    ways: dict[str, Callable[[], object]] = {
        "bare": lambda: [network._logits(said, asked) for said, *asked in pieces],
        "together": lambda: [network.probabilities(text, labels) for text, labels in texts],
        "pair by pair": lambda: [network.probabilities(text, [label]) for text, labels in texts for label in labels],
    }
    took = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, work in ways.items():
            took[name] = min(took[name], timed(work)[0])
    return [
        {
            "way": name,
            "pairs": pairs,
            "pairs a second": round(pairs / took[name], 1),
            "x bare": round(took["bare"] / took[name], 2),
            "x pair by pair": round(took["pair by pair"] / took[name], 2),
        }
        for name in ways
    ]


SHORT = 50
"""Words; texts of a class have more."""


class Passes:
    """What the network reads while this counts."""

    def __enter__(self) -> Passes:
        self._read = read = entailment_network.EntailmentNetwork._logits
        self.of_texts: list[int] = []
        self.of_units: list[int] = []

        def counted(network: Any, text: Sequence[int], units: Sequence[Sequence[int]]) -> Any:
            self.of_texts.append(len(text) + 2)
            self.of_units.append(sum(len(unit) + 2 for unit in units))
            return read(network, text, units)

        entailment_network.EntailmentNetwork._logits = counted  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        entailment_network.EntailmentNetwork._logits = self._read  # type: ignore[method-assign]

    def row(self, things: int, processors: float) -> Row:
        """What was read for each of so many things."""
        pieces = sum(self.of_texts) + sum(self.of_units)
        return {
            "passes": round(len(self.of_texts) / things, 1),
            "pieces of texts": round(sum(self.of_texts) / things),
            "of units": round(sum(self.of_units) / things),
            "ms a piece": round(1000 * processors / pieces, 2),
        }


def joined(classes: Sequence[Sequence[Summary]], texts: int = 20) -> Topic:
    """A topic of so many long references: texts on several classes, no two of them the same."""
    made = (
        " ".join(own[(number * (place + 1) + number // len(own)) % len(own)].text for place, own in enumerate(classes))
        for number in range(texts)
    )
    return Topic("four-classes", tuple(Summary(str(number), text) for number, text in enumerate(made)))


def references() -> list[Row]:
    """Pyramids, built by ``meaning``."""
    classes = [own for own in written(kept=True) if own.topic.id.startswith("class-")]
    texts = [[*own.topic.references, *(Summary(peer.name, peer.text) for peer in own.peers)] for own in classes]
    topics = [replace(topic, pyramid=None, peers=(), annotations=()) for topic in marked_topics()]
    topics += [replace(own.topic, pyramid=None) for own in classes]
    topics.append(joined(texts[:4]))
    entailment_network.probabilities("It rained.", ["It rained."])
    writing_network()
    rows: list[Row] = []
    for topic in topics:
        began = time.perf_counter()
        with Passes() as passes:
            processors, _ = timed(partial(meaning, topic))
        rows.append(
            {
                "topic": topic.id,
                "references": len(topic.references),
                "words": sum(len(one.text.split()) for one in topic.references),
                "seconds": round(time.perf_counter() - began, 1),
                "processor seconds": round(processors, 1),
            }
            | passes.row(1, processors)
        )
    return rows


def classroom() -> list[Row]:
    """A class of texts, judged by ``entails``, and how long one of forty would take."""
    topics = [
        replace(topic, peers=tuple(peer for peer in topic.peers if len(peer.text.split()) > SHORT), annotations=())
        for topic in marked_topics()
    ]
    method = Method.parse("given+entails")
    evaluate([replace(topics[0], peers=topics[0].peers[:1])], method)
    texts = [peer.text for topic in topics for peer in topic.peers]
    began = time.perf_counter()
    with Passes() as passes:
        processors, _ = timed(partial(evaluate, topics, method))
    took = time.perf_counter() - began
    scus = sum(len(topic.pyramid.scus) for topic in topics if topic.pyramid) / len(topics)
    return [
        {
            "texts": len(texts),
            "words": round(sum(len(text.split()) for text in texts) / len(texts)),
            "SCUs": round(scus),
            "seconds": round(took, 1),
            "processor seconds": round(processors, 1),
            "seconds for 40": round(took / len(texts) * 40),
        }
        | passes.row(len(texts), processors)
    ]


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--judge", action="append", metavar="NAME", help="only this one; repeatable")
    parser.add_argument("--documents", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--network", type=int, metavar="N", help="measure reading alone, on N summaries of a document")
    parser.add_argument("--class", action="store_true", dest="classroom", help="measure a class")
    parser.add_argument("--references", action="store_true", help="measure building")
    given = parser.parse_args()
    if given.references:
        show({"Pyramids, built by meaning": references()}, given.json)
        return
    if given.classroom:
        show({"A class, judged by entails": classroom()}, given.json)
        return
    topics = read(given.folder, given.documents)
    if given.network:
        rows = reading(
            [replace(topic, peers=topic.peers[: given.network], annotations=()) for topic in topics], given.rounds
        )
    else:
        rows = measure(topics, given.judge or JUDGES, given.rounds)
    show({"Pairs a second of one core": rows}, given.json)


if __name__ == "__main__":
    main()
