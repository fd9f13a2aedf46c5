"""How long it takes to start: ``import pyramidion`` and ``pyramidion --help``, against ``import numpy`` alone.

    python bench/startup.py [--rounds N] [--json]

Each is a fresh interpreter; the median of its processor time over the rounds counts, less the median of an interpreter
that imports nothing.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from functools import partial

from measuring import command_line, show, timed

SIDES = {
    "nothing": "pass",
    "import numpy": "import numpy",
    "import pyramidion": "import pyramidion",
    "pyramidion --help": "from pyramidion.cli import app; app(['--help'], standalone_mode=False)",
}


def seconds(code: str) -> float:
    run = partial(subprocess.run, [sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    return timed(run, clock=spent_by_children)[0]


def spent_by_children() -> float:
    """Processor seconds of all the children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    took: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(arguments.rounds):
        for side, code in SIDES.items():
            took[side].append(seconds(code))
    median = {side: statistics.median(times) for side, times in took.items()}
    net = {side: median[side] - median["nothing"] for side in SIDES if side != "nothing"}
    rows = [
        {"what": side, "milliseconds": round(1000 * time, 1), "ratio": round(time / net["import numpy"], 2)}
        for side, time in net.items()
    ]
    show({"Start-up, beside importing numpy": rows}, arguments.json)


if __name__ == "__main__":
    main()
