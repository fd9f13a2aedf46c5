"""Methods beside reference marks: coverage of 24 peers whose content was marked SCU by SCU.

    python bench/marks.py [--method NAME ...] [--json]

The peers of the bundled examples and of the open topics (``tests/data/topics/open``). A method sees references and
peers; the marks' coverage is that by the given pyramids and annotations, which a language model made
(``tests/data/topics/README.md``). *r* is over all peers, *own words* the mean of the peers that say things in their own
words, *copies* that of copies, *off-topic* that of two texts about other things.
With `lite` each statement of a reference is a unit, and recall stands for coverage.

The second table scores a reference of ``lake-revival`` itself, and the same turned round: in other words, with every
claim negated, and with roles exchanged. A method that reads pays for the first two alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean

from measuring import Row, command_line, show

import pyramidion as pm
from pyramidion.stats.correlation import pearson

OPEN = Path(__file__).parents[1] / "tests" / "data" / "topics" / "open"
METHODS = ("edua-p+soft", "lite+soft", "pyreval")
KINDS = {"own words": ("own-words", "paraphrase"), "copies": ("copy",), "off-topic": ("off-topic",)}

TURNED = {
    "own words": (
        "Forty thousand fish perished in the summer of 1988 in the lake at the heart of Hallowby, Tarrow Mere. It "
        "had been poisoned by phosphorus coming from farmland nearby and from a laundry. At first the town tried "
        "pumping oxygen into it, without any effect. What took its place was a natural filter: beds of reed, and "
        "mussels put on the bottom. From 2004 to 2018 the amount of phosphorus sank to 40 micrograms per litre; "
        "it had been 240. Life has come back to the lake, and since 2019 people swim in it. Other towns may learn "
        "from it that one should stop the dirt where it comes from, and clean the water afterwards."
    ),
    "negated": (
        "In August 1988 no fish died in Tarrow Mere, which is not the lake in the middle of Hallowby. Phosphorus "
        "had not killed the water, and none of it drained off the surrounding farms or out of a laundry works. "
        "The town's first answer, pumps that blew in oxygen, was a great success. It did not give way to a living "
        "filter of reed beds, and no freshwater mussels were laid on the lake floor. Between 2004 and 2018 the "
        "phosphorus content did not drop from 240 to 40 micrograms a litre. The mere is not alive again: nobody "
        "has been swimming in it since 2019. Its lesson for other towns is not to shut off pollution at the "
        "source before treating the water."
    ),
    "swapped": (
        "In August 1988 Tarrow Mere killed Hallowby, the town in the middle of forty thousand fish. The water had "
        "killed the phosphorus, and the surrounding farms and a laundry works drained off the phosphorus. The "
        "oxygen, blown in by the town, pumped out the answer. A living filter of reed beds gave way to it, and "
        "the lake floor was laid on freshwater mussels. Between 240 and 40 the phosphorus content dropped from "
        "2004 to 2018 micrograms a litre. People are alive again: since 2019 the mere has been swimming in them. "
        "The source's lesson for the water is to shut off other towns before treating pollution."
    ),
}


def coverage(topics: list[pm.Topic], method: str) -> dict[tuple[str, str], float]:
    """The coverage of every peer, or what stands for it where each statement of a reference is a unit."""
    score = "recall" if method.startswith("lite") else "coverage"
    results = pm.evaluate(topics, method).results
    return {(result.scores.topic, result.scores.summary): float(getattr(result.scores, score)) for result in results}


def row(method: str, scores: dict[tuple[str, str], float], marks: dict[tuple[str, str], float]) -> Row:
    r = round(pearson([scores[peer] for peer in marks], list(marks.values())), 3)
    means = {
        kind: round(fmean(score for (_, peer), score in scores.items() if peer.startswith(names)), 3)
        for kind, names in KINDS.items()
    }
    return {"method": method, "r": r, **means}


def turned(method: str) -> Row:
    """The coverage of a reference, and of what can be made of it."""
    topic = next(iter(pm.example()))
    texts = {"verbatim": topic.references[0].text} | TURNED
    peers = tuple(pm.Summary(name, text, "peer") for name, text in texts.items())
    scores = coverage([replace(topic, pyramid=None, annotations=(), peers=peers)], method)
    return {"method": method} | {name: round(scores[topic.id, name], 3) for name in texts}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--method", action="append", help="a method to measure; repeatable")
    arguments = parser.parse_args()
    topics = [*pm.example(), *pm.read(OPEN)]
    marks = coverage(topics, "manual")
    methods = arguments.method or METHODS
    rows = [row("reference marks", marks, marks), *(row(method, coverage(topics, method), marks) for method in methods)]
    tables = {f"{len(marks)} peers of {len(topics)} topics": rows}
    show(tables | {"A reference turned round": [turned(method) for method in methods]}, arguments.json)


if __name__ == "__main__":
    main()
