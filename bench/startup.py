"""How long it takes to start: ``import pyramidion`` and ``pyramidion --help``, against ``import numpy`` alone.

    python bench/startup.py [--rounds N] [--json]

Each is a fresh interpreter; the median over the rounds counts, less the median of an interpreter that imports nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

SIDES = {
    "nothing": "pass",
    "import numpy": "import numpy",
    "import pyramidion": "import pyramidion",
    "pyramidion --help": "from pyramidion.cli import app; app(['--help'], standalone_mode=False)",
}


def seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
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
    if arguments.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(f"{row['what']:>18}  {row['milliseconds']:6.1f} ms  {row['ratio']:5.2f} x")


if __name__ == "__main__":
    main()
