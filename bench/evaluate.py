"""How long a class takes: the student summaries, from texts to scores, in one process.

    python bench/evaluate.py [--method NAME ...] [--corpus FOLDER] [--json]

Each method runs as ``pyramidion evaluate`` does, in a fresh interpreter: start-up, models, 5 references to a pyramid,
37 peers to scores, JSON out. Wall time of the whole process counts, the best of three; processor time stands beside it,
for machines that have other things to do. The ratio is to the published PyrEval's time for scoring alone, 2 s a peer,
without its preprocessing and pyramid construction.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from measuring import DATA, Row, command_line, show

from pyramidion.analyses.accuracy.candidates import automatic_methods

PUBLISHED = 2.0
"""Seconds that the published code takes to score one peer."""

CODE = "from pyramidion.cli import main; main()"


def measure(corpus: Path, method: str, rounds: int) -> Row:
    """Peers per second of one method, and the ratio to the published code."""
    command = [sys.executable, "-c", CODE, "evaluate", str(corpus), "--method", method, "--json"]
    best, processor, peers, memory = float("inf"), float("inf"), 0, 0
    for _ in range(rounds):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{method}: evaluate ended with status {process.returncode}")
        best = min(best, time.perf_counter() - start)
        processor = min(processor, usage.ru_utime + usage.ru_stime)
        peers = sum(one["role"] == "peer" for one in json.loads(printed)["scores"])
        memory = max(memory, usage.ru_maxrss)
    return {
        "method": method,
        "peers": peers,
        "seconds": round(best, 2),
        "processor_seconds": round(processor, 2),
        "peers_per_second": round(peers / best, 1),
        "published_seconds_per_peer": PUBLISHED,
        "ratio": round(PUBLISHED * peers / best, 1),
        "MB": round(memory / 1024),
    }


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--method", action="append", help="all that build pyramids and match peers, if none is named")
    parser.add_argument("--corpus", type=Path, default=DATA / "cc-students")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    methods = arguments.method or [str(method) for method in automatic_methods()]
    rows = [measure(arguments.corpus, method, max(1, arguments.rounds)) for method in methods]
    show({"A class, from texts to scores; the published code scores a peer in 2 s": rows}, arguments.json)


if __name__ == "__main__":
    main()
