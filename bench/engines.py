"""Ray beside processes on one machine: the same items through both engines, in turn.

    python bench/engines.py [--topics N] [--peers N] [--jobs N] [--rounds N] [--json]

Topics are made here, of 20 sentences, and matched by ``given+soft``. Workers are started before the clock: seconds are
those from the first outcome to the last, the best of the rounds, and a round is one engine after the other, since other
programs may use the machine, too.
"""

from __future__ import annotations

import time

from measuring import command_line, show

from pyramidion import SCU, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.methods import Method
from pyramidion.runs.engines import Engine
from pyramidion.runs.engines.processes import Processes
from pyramidion.runs.engines.ray import Ray
from pyramidion.runs.work import Scoring
from pyramidion.runs.worklist import items

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


def seconds(engine: Engine, topics: list[Topic]) -> float:
    outcomes = engine.run(Scoring(Method.parse("given+soft")), items(topics))
    next(outcomes)
    start = time.perf_counter()
    for _ in outcomes:
        pass
    return time.perf_counter() - start


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--peers", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    topics = [topic(number, arguments.peers) for number in range(arguments.topics)]
    engines = {"processes": Processes(arguments.jobs), "ray": Ray(jobs=arguments.jobs)}
    took: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(arguments.rounds):
        for name, engine in engines.items():
            took[name].append(seconds(engine, topics))
    least = min(took["processes"])
    rows = [
        {
            "engine": name,
            "summaries": arguments.topics * arguments.peers,
            "seconds": round(min(times), 2),
            "ms a summary": round(1000 * min(times) / (arguments.topics * arguments.peers), 2),
            "ratio": round(min(times) / least, 2),
        }
        for name, times in took.items()
    ]
    show({f"{arguments.jobs} workers": rows}, arguments.json)


if __name__ == "__main__":
    main()
