"""Ray beside processes on one machine: the same items through both engines, in turn.

    python bench/engines.py [--topics N] [--peers N] [--jobs N] [--rounds N] [--json]

Topics are made here, of 20 sentences, and matched by ``given+soft``. The clock starts after some topics (``WARM``), so
that every worker has its models. It is the least of the rounds that counts, and a round is one engine after the other,
since other programs may use the machine, too. Processor time is that of this process and of all below it, Ray's own
among them. Ray's workers have the priority of processes here; Ray itself would lower it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from measuring import command_line, show

from pyramidion import SCU, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.evaluation.engines import Engine
from pyramidion.evaluation.engines.processes import Processes
from pyramidion.evaluation.engines.ray import Ray
from pyramidion.evaluation.work import Scoring
from pyramidion.evaluation.worklist import items
from pyramidion.methods import Method

WARM = 12
"""Topics that are done before the clock starts."""
SENTENCES = [
    f"The {who} of {where} {did} in {when}."
    for who, did in (("mayor", "resigned"), ("council", "met"), ("bridge", "fell"), ("school", "closed"))
    for where, when in (
        ("Marwick", "May"),
        ("Tarrow", "June"),
        ("Helm", "March"),
        ("Orrest", "April"),
        ("Leck", "July"),
    )
]


def topic(number: int, peers: int) -> Topic:
    text = f"Number {number}. " + " ".join(SENTENCES)
    reference = Summary("A", text)
    places = [(text.index(sentence), sentence) for sentence in SENTENCES]
    scus = [
        SCU(str(place), sentence, (Contributor("A", (Span(start, start + len(sentence)),)),))
        for place, (start, sentence) in enumerate(places)
    ]
    written = [
        Summary(f"s{peer}", f"{number} and {peer}. " + " ".join(SENTENCES[peer::3]), "peer") for peer in range(peers)
    ]
    return Topic(f"t{number}", (reference,), tuple(written), pyramid=Pyramid(f"t{number}", (reference,), tuple(scus)))


def processor() -> float:
    """The processor seconds of this process and of all that it started, directly or not."""
    parents, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        own = int(path.parent.name)
        parents[own], spent[own] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total, below = 0.0, [os.getpid()]
    while below:
        one = below.pop()
        total += spent.get(one, 0.0)
        below += [child for child, parent in parents.items() if parent == one]
    return total


def spent(engine: Engine, topics: list[Topic]) -> tuple[float, float]:
    """Seconds, and processor seconds."""
    outcomes = engine.run(Scoring(Method.parse("given+soft")), items(topics))
    for _ in range(WARM):
        next(outcomes)
    start, before = time.perf_counter(), processor()
    took = (0.0, 0.0)
    for place, _ in enumerate(outcomes, start=WARM + 1):
        if place == len(topics):  # before the workers end
            took = time.perf_counter() - start, processor() - before
    return took


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--peers", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    topics = [topic(number, arguments.peers) for number in range(arguments.topics)]
    engines = {"processes": Processes(arguments.jobs), "ray": Ray(jobs=arguments.jobs)}
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in engines}
    for _ in range(arguments.rounds):
        for name, engine in engines.items():
            took[name].append(spent(engine, topics))
    summaries = (arguments.topics - WARM) * arguments.peers
    least = {name: tuple(map(min, zip(*times, strict=True))) for name, times in took.items()}
    rows = [
        {
            "engine": name,
            "summaries": summaries,
            "seconds": round(seconds, 2),
            "ratio": round(seconds / least["processes"][0], 2),
            "processor ms a summary": round(1000 * computed / summaries, 2),
            "ratio of processor time": round(computed / least["processes"][1], 2),
        }
        for name, (seconds, computed) in least.items()
    ]
    show({f"{arguments.jobs} workers": rows}, arguments.json)


if __name__ == "__main__":
    main()
