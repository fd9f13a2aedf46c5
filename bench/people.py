"""Methods beside people: coverage of 24 peers whose content people marked by hand.

    python bench/people.py [--method NAME ...] [--json]

The peers of the bundled examples and of the open topics (``tests/data/topics/open``). A method sees references and
peers; people's coverage is that of their own pyramids and annotations. *r* is over all peers, *own words* the mean of
the peers that say things in their own words, *copies* that of copies, *off-topic* that of two texts about other things.
With `lite` each sentence of a reference is a unit, and recall stands for coverage.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from measuring import Row, command_line, show

import pyramidion as pm
from pyramidion.stats.correlation import pearson

OPEN = Path(__file__).parents[1] / "tests" / "data" / "topics" / "open"
METHODS = ("edua-p+soft", "lite+soft", "pyreval")
KINDS = {"own words": ("own-words", "paraphrase"), "copies": ("copy",), "off-topic": ("off-topic",)}


def coverage(topics: list[pm.Topic], method: str) -> dict[tuple[str, str], float]:
    """The coverage of every peer, or what stands for it where each sentence of a reference is a unit."""
    score = "recall" if method.startswith("lite") else "coverage"
    results = pm.evaluate(topics, method).results
    return {(result.scores.topic, result.scores.summary): float(getattr(result.scores, score)) for result in results}


def row(method: str, scores: dict[tuple[str, str], float], people: dict[tuple[str, str], float]) -> Row:
    r = round(pearson([scores[peer] for peer in people], list(people.values())), 3)
    means = {
        kind: round(fmean(score for (_, peer), score in scores.items() if peer.startswith(names)), 3)
        for kind, names in KINDS.items()
    }
    return {"method": method, "r": r, **means}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--method", action="append", help="a method to measure; repeatable")
    arguments = parser.parse_args()
    topics = [*pm.example(), *pm.read(OPEN)]
    people = coverage(topics, "manual")
    methods = arguments.method or METHODS
    rows = [row("people", people, people), *(row(method, coverage(topics, method), people) for method in methods)]
    show({f"{len(people)} peers of {len(topics)} topics": rows}, arguments.json)


if __name__ == "__main__":
    main()
