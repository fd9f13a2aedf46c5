"""What a run costs beside the work itself: engine, store, memory.

    python bench/runs.py [--method METHOD] [--topics N] [--peers N] [--many N] [--quick] [--json]

- **rates**: summaries a second of the bundled topics, told apart by number: a bare loop over the same calls, which
  keeps nothing; the engine of processes with 1 and 2 workers; and a whole run, with its store, with 1 and 2 workers.
  The overhead is the processor time of driver and workers together over that of the bare loop; the efficiency of 2
  workers is their rate over twice the rate of 1. Each is measured in a process of its own, after a round that is not
  counted, so that models are loaded and caches are warm for all.
- **memory**: the driver's highest resident memory for a small and a large number of summaries, by a cheap method. The
  corpus is made as it is read.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from measuring import Row, command_line, show

from pyramidion.evaluation.engines.processes import Processes
from pyramidion.evaluation.record import record_of
from pyramidion.evaluation.run import drive_run
from pyramidion.evaluation.work import Scoring
from pyramidion.evaluation.worklist import items
from pyramidion.examples import example
from pyramidion.methods import Method
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic

WAYS = ("loop", "engine 1", "engine 2", "run 1", "run 2")
CHEAP = "given+unigram"
"""The method that memory is measured with, on small topics."""
WARM = 2
"""Topics that are done before the clock starts."""


def corpus(number: int, peers: int, start: int = 0) -> Iterator[Topic]:
    """So many topics: the examples over and over, each text with its topic's number, so that no two are the same."""
    given = example()
    for place in range(start, start + number):
        topic = given[place % len(given)]
        assert topic.pyramid
        own = []
        for peer in range(peers):
            text = topic.peers[peer % len(topic.peers)].text
            own.append(Summary(f"s{peer}", f"{text} {place}.{peer}", "peer"))
        id = f"t{place:06}"
        yield Topic(id, topic.references, tuple(own), topic.sources, replace(topic.pyramid, topic=id))


def small(number: int, peers: int, start: int = 0) -> Iterator[Topic]:
    """So many topics of one short reference with two SCUs: what is measured is what a run keeps, not the matching."""
    text = "The mayor resigned in May. Taxes rose by a tenth."
    reference = Summary("A", text)
    scus = tuple(
        SCU(str(place), span.of(text), (Contributor("A", (span,)),))
        for place, span in enumerate((Span(0, 26), Span(27, 49)), start=1)
    )
    for place in range(start, start + number):
        id = f"t{place:06}"
        own = tuple(Summary(f"s{peer}", f"Taxes rose, says paper {place}.{peer}.", "peer") for peer in range(peers))
        yield Topic(id, (reference,), own, pyramid=Pyramid(id, (reference,), scus))


def workers_cpu() -> float:
    """The processor seconds of the workers that have ended, which the server that forks them collects."""
    total = 0.0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def measured(way: str, method: str, topics: int, peers: int) -> dict[str, float]:
    """Seconds and processor seconds of one way; what it takes to start is taken off."""
    work = Scoring(Method.parse(method))
    kind, _, jobs = way.partition(" ")

    def spent(number: int, start: int) -> tuple[float, float]:
        begin, before = time.perf_counter(), time.process_time() + workers_cpu()
        given = (small if method == CHEAP else corpus)(number, peers, start)
        if kind == "loop":
            list(map(id, work.each(items(given))))
        elif kind == "engine":
            list(map(id, Processes(int(jobs)).run(work, items(given))))
        else:
            record = record_of(work, {}, {})
            with tempfile.TemporaryDirectory() as folder, drive_run(Path(folder, "run"), record) as driver:
                driver.go(work, given, Processes(int(jobs)))
        return time.perf_counter() - begin, time.process_time() + workers_cpu() - before

    start = spent(WARM, 10**6)
    whole = spent(topics if kind == "loop" else WARM + topics, 0)
    wall, cpu = whole if kind == "loop" else (after - before for before, after in zip(start, whole, strict=True))
    return {"seconds": wall, "processor": cpu, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def apart(way: str, method: str, topics: int, peers: int) -> dict[str, float]:
    """The same in a process of its own."""
    arguments = [
        sys.executable,
        __file__,
        "--one",
        way,
        "--method",
        method,
        "--topics",
        str(topics),
        "--peers",
        str(peers),
    ]
    environment = os.environ | {"PYRAMIDION_CACHE": "off"}
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, env=environment)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def rates(method: str, topics: int, peers: int) -> list[Row]:
    rows: list[Row] = []
    for way in WAYS:
        found = apart(way, method, topics, peers)
        number = topics * peers
        rows.append(
            {
                "way": way,
                "summaries": number,
                "a second": round(number / found["seconds"], 1),
                "processor ms each": round(1000 * found["processor"] / number, 3),
                "overhead in %": round(
                    100 * (found["processor"] / (rows[0]["cpu"] if rows else found["processor"]) - 1), 1
                ),
                "cpu": found["processor"],
            }
        )
    for row in rows:
        if row["way"].endswith(" 2"):
            alone = next(other for other in rows if other["way"] == row["way"].replace("2", "1"))
            row["efficiency in %"] = round(100 * row["a second"] / (2 * alone["a second"]), 1)
    for row in rows:
        del row["cpu"]
    return rows


def memory(sizes: tuple[int, int], peers: int) -> list[Row]:
    return [
        {"summaries": size, "driver MB": round(apart("run 1", CHEAP, size // peers, peers)["memory"], 1)}
        for size in sizes
    ]


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--method", default="given+soft")
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--peers", type=int, default=10)
    parser.add_argument("--many", type=int, default=100_000, help="summaries of the large corpus; 0 for none")
    parser.add_argument("--quick", action="store_true", help="a few topics, to see that it works")
    parser.add_argument("--one", help="measure one way, in this process")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one, given.method, given.topics, given.peers)))
        return
    topics, many = (2, 200) if given.quick else (given.topics, given.many)
    tables = {f"Rates of {given.method}": rates(given.method, topics, given.peers)} if topics else {}
    if many:
        tables[f"Highest memory of the driver, {CHEAP}"] = memory((many // 100, many), given.peers)
    show(tables, given.json)


if __name__ == "__main__":
    main()
