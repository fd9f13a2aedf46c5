"""Pyramid construction on synthetic graphs, against the published code's times.

    python bench/edua.py [FOLDER] [--only NAME ...] [--students N ...] [--json]

The folder (default: ``../shared/data/edua`` beside the repository) holds inputs, ``*.json.gz``, and ``baseline.csv``:
what PyrEval v2's code took for its search alone and, proved by us, the optimum of AP over weights 2 and up. Our time is
the processor's, for cliques and search together, from the vectors on: the best of three. EDUA-C's and EDUA-G's
objective is AP over weights 2 and up; EDUA-P's is its own sum.

``--students`` packs so many texts of ``../shared/data/cc-students`` with EDUA-P instead, references first, then peers.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from measuring import DATA, Row, command_line, show, timed

from pyramidion.builders.assemble import assemble_pyramid
from pyramidion.builders.cliques import LIMIT, Candidates, quiet_candidates
from pyramidion.builders.edua import Solution
from pyramidion.builders.edua_c import solve_c
from pyramidion.builders.edua_g import solve_g
from pyramidion.builders.edua_p import solve_p
from pyramidion.builders.graph import PERCENTILE, SegmentGraph
from pyramidion.model import Summary, Topic

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.builders.graphs import violations

ALGORITHMS: dict[str, Callable[[SegmentGraph], Solution]] = {
    "EDUA-C": solve_c,
    "EDUA-G": solve_g,
    "EDUA-P": partial(solve_p, time_limit=10.0),
}
FOLDER = DATA / "edua"


def graph(path: Path) -> SegmentGraph:
    references = json.loads(gzip.decompress(path.read_bytes()))["references"]
    number = count()
    layout = [[[[next(number) for _ in s] for s in kinds] for kinds in sentences] for sentences in references]
    return SegmentGraph.of(
        layout, [one["vector"] for sentences in references for kinds in sentences for s in kinds for one in s]
    )


def published(folder: Path) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
    """Seconds by input and algorithm, and the optimum of AP by input."""
    seconds, optimum = {}, {}
    with (folder / "baseline.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            optimum[row["input"]] = float(row["optimum_AP_ge2"])
            if "v2" in row["implementation"] and row["search_seconds"]:
                seconds[row["input"], row["implementation"][:6]] = float(row["search_seconds"])
    return seconds, optimum


def measured(folder: Path, only: list[str]) -> Iterator[Row]:
    seconds, optimum = published(folder)
    names = only or sorted(optimum, key=lambda name: [int(part[1:]) for part in name.split("-")[1:]])
    for name in names:
        segments = graph(folder / f"{name}.json.gz")
        for algorithm, solve in ALGORITHMS.items():
            took, solution = timed(partial(solve, segments), 3)
            assert not violations(segments, solution)
            yield {
                "input": name,
                "algorithm": algorithm,
                "seconds": round(took, 4),
                "objective": round(solution.objective, 4),
                "proved": solution.proved,
                "gap": None if algorithm == "EDUA-G" else round(solution.gap, 6),
                "optimum": optimum.get(name) if algorithm == "EDUA-C" else None,
                "published_seconds": (theirs := seconds.get((name, algorithm))),
                "ratio": theirs and round(theirs / took),
                "scus": {str(weight): number for weight, number in solution.weights().items()},
            }


def students(numbers: list[int], folder: Path = DATA / "cc-students") -> Iterator[Row]:
    texts = [
        path.read_text(encoding="utf-8", errors="replace")
        for kind in ("references", "peers")
        for path in sorted((folder / kind).glob("*.txt"))
    ]
    for number in numbers:
        topic = Topic("students", tuple(Summary(str(one), text) for one, text in enumerate(texts[:number])))
        seen: list[tuple[SegmentGraph, Candidates, Solution]] = []

        def packed(graph: SegmentGraph, offered: Candidates, seen: list[Any] = seen) -> Solution:
            seen.append((graph, offered, (solution := solve_p(graph, offered, time_limit=600.0))))
            return solution

        assemble_pyramid(topic, packed, percentile=PERCENTILE, t_edge=-1.0, embedder="minilm", analyser="en-minilm",
                  limit=LIMIT, beyond=True)  # fmt: skip
        [(segments, offered, solution)] = seen
        listing, _ = timed(partial(quiet_candidates, segments))
        solving, _ = timed(partial(solve_p, segments, offered, time_limit=600.0))
        yield {
            "references": number,
            "segments": segments.size,
            "listed": len(offered),
            "all": offered.complete,
            "seconds": round(listing + solving, 2),
            "objective": round(solution.objective, 4),
            "gap": round(solution.gap, 6),
        }


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--students", nargs="+", type=int, default=[], metavar="N")
    arguments = parser.parse_args()
    if arguments.students:
        show({"EDUA-P on students' texts": list(students(arguments.students))}, arguments.json)
        return
    rows = list(measured(arguments.folder, arguments.only))
    show({"EDUA beside the published code": rows}, arguments.json)


if __name__ == "__main__":
    main()
