"""What the cache is worth: a class evaluated without it, with an empty one, and again.

    python bench/cache.py [--method NAME ...] [--peers N] [--corpus FOLDER] [--json]

Each is ``pyramidion evaluate`` in a fresh interpreter; all three must print the same bytes. Processor time counts, for
machines that have other things to do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from measuring import DATA, Row, command_line, show

import pyramidion as pm
from pyramidion.base.shelf import NAME

CODE = "from pyramidion.cli import main; main()"


def run(corpus: Path, method: str, cache: str) -> tuple[float, bytes]:
    """Processor seconds, and what was printed."""
    command = [sys.executable, "-c", CODE, "evaluate", str(corpus), "--method", method, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYRAMIDION_CACHE": cache})
    assert process.stdout
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{method}: evaluate ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, printed


def measure(corpus: Path, method: str, folder: Path) -> Row:
    """The three runs of a method."""
    (off, expected), (cold, first), (warm, second) = (run(corpus, method, str(at)) for at in ("off", folder, folder))
    if not expected == first == second:
        sys.exit(f"{method}: the results differ")
    return {
        "method": method,
        "off_s": round(off, 2),
        "cold_s": round(cold, 2),
        "warm_s": round(warm, 2),
        "off/warm": round(off / warm, 1),
        "MB": round((folder / NAME).stat().st_size / 1e6, 2),
    }


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--method", action="append", help="pyramidion, pyreval and edua-p+soft, if none is named")
    parser.add_argument("--corpus", type=Path, default=DATA / "cc-students")
    parser.add_argument("--peers", type=int, default=4)
    arguments = parser.parse_args()
    topics = [replace(topic, peers=topic.peers[: arguments.peers]) for topic in pm.read(arguments.corpus)]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus.jsonl"
        pm.write(topics, corpus)
        for number, method in enumerate(arguments.method or ["pyramidion", "pyreval", "edua-p+soft"]):
            rows.append(measure(corpus, method, Path(name) / str(number)))
    show({f"{arguments.peers} peers a topic: processor seconds": rows}, arguments.json)


if __name__ == "__main__":
    main()
