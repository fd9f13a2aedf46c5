"""A run that is interrupted three times, against one that is not: every summary must have the same matches and scores.

    python bench/interrupted.py [CORPUS] [--topics N] [--method M] [--jobs N] [--engine local|ray] [--work FOLDER]

1. ``straight``: ``evaluate --out``, from beginning to end.
2. ``disturbed``: the same command on a folder of its own. It is interrupted (SIGINT) when a quarter of the topics is
   kept, resumed and killed (SIGKILL) at the half, resumed and interrupted at three quarters, and resumed to its end.
   An interrupt lets each worker finish its topic, so there should be at least six topics for each.
3. With ``--engine ray``: the same once more, straight, on a Ray cluster of this machine.

Each has an empty cache of its own, so that nothing of one run can come from another. Without CORPUS it is REALSumm;
``--topics`` takes so many topics, spread over the corpus. With ``--work``, the folder is kept, and what it has already
is not done again. The exit status is 1 if a summary differs.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from measuring import DATA, Row, command_line, show

import pyramidion as pm
from pyramidion.evaluation.store import FILE
from pyramidion.formats import native

MAIN = "from pyramidion.cli import main; main()"
HOW = ((1 / 4, signal.SIGINT), (1 / 2, signal.SIGKILL), (3 / 4, signal.SIGINT))
LOOK = 0.25
"""Seconds between looks at how far a run is."""


def rows(run: Path, query: str) -> list[tuple[object, ...]]:
    """What a run's store has; nothing, while it is being made."""
    if not (run / FILE).exists():
        return []
    with closing(sqlite3.connect(f"file:{run / FILE}?mode=ro", uri=True)) as data:
        try:
            return data.execute(query).fetchall()
        except sqlite3.OperationalError:
            return []


def topics_kept(run: Path) -> int:
    return len(rows(run, "select distinct topic from summaries"))


def summaries_kept(run: Path) -> int:
    return len(rows(run, "select rowid from summaries"))


def kept(run: Path) -> dict[tuple[object, ...], tuple[object, ...]]:
    """Of every summary, by topic, role, name and annotator: its scores, and its matches as bytes."""
    found = rows(run, "select topic, role, summary, annotator, * from summaries")
    return {row[:4]: row[4:] for row in found}


def pyramids(run: Path) -> dict[object, object]:
    return {row[0]: row[1] for row in rows(run, "select topic, pyramid from pyramids")}


class Runs:
    """Runs of one corpus, side by side in a folder."""

    def __init__(self, work: Path, corpus: Path, topics: int, options: list[str]) -> None:
        self.work, self.corpus, self.topics, self.options = work, corpus, topics, options

    def start(self, name: str, *more: str) -> subprocess.Popen[bytes]:
        """The command, in a process of its own."""
        command = [sys.executable, "-c", MAIN, "evaluate", self.corpus, "--out", self.work / name, "--resume"]
        with (self.work / f"{name}.txt").open("ab") as said:
            return subprocess.Popen(
                [*command, *self.options, *more, "--table", "systems"],
                env=os.environ | {"PYRAMIDION_CACHE": str(self.work / f"cache-{name}")},
                stdout=said,
                stderr=said,
            )

    def straight(self, name: str, *more: str) -> Iterator[Row]:
        """From where it is to its end."""
        yield self._row(name, self.start(name, *more), "to its end")

    def disturbed(self, name: str, *more: str) -> Iterator[Row]:
        """To its end, with what :data:`HOW` says on the way."""
        for share, number in HOW:
            before = topics_kept(self.work / name)
            if before == self.topics:
                break
            wanted = max(before + 1, round(share * self.topics))
            child = self.start(name, *more)
            while child.poll() is None and topics_kept(self.work / name) < wanted:
                time.sleep(LOOK)
            seen = summaries_kept(self.work / name)
            child.send_signal(number)
            yield self._row(name, child, f"{signal.Signals(number).name} at {seen} summaries")
        yield from self.straight(name, *more)

    def _row(self, name: str, child: subprocess.Popen[bytes], how: str) -> Row:
        begin = time.perf_counter()
        status = child.wait()
        folder = self.work / name
        return {
            "run": name,
            "what happened": how,
            "exit status": status,
            "summaries kept": summaries_kept(folder),
            "seconds until it ended": round(time.perf_counter() - begin, 1),
        }


def spread(corpus: Path, number: int, path: Path) -> int:
    """Write so many topics of a corpus, spread over it, to a file; how many there are."""
    every = pm.read(corpus)
    chosen = every if not number else [every[place * len(every) // number] for place in range(number)]
    path.write_bytes(b"".join(map(native.line, chosen)))
    return len(chosen)


def compared(first: Path, second: Path) -> Row:
    one, other = kept(first), kept(second)
    return {
        "first": first.name,
        "second": second.name,
        "summaries": len(one),
        "of the other": len(other),
        "that differ": sum(one.get(key) != other.get(key) for key in {*one, *other}),
        "pyramids are the same": pyramids(first) == pyramids(second),
    }


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, default=DATA / "realsumm")
    parser.add_argument("--topics", type=int, default=0, help="so many topics, spread over the corpus; 0 for all")
    parser.add_argument("--method", default="pyramidion")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--engine", choices=["local", "ray"], default="local")
    parser.add_argument("--work", type=Path, help="a folder to keep")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        work = given.work or Path(passing)
        work.mkdir(parents=True, exist_ok=True)
        corpus = work / "corpus.jsonl"
        number = spread(given.corpus, given.topics, corpus)
        runs = Runs(work, corpus, number, ["--method", given.method, "--jobs", str(given.jobs)])
        told = [*runs.straight("straight"), *runs.disturbed("disturbed")]
        if given.engine == "ray":
            told += runs.straight("ray", "--engine", "ray")
        others = sorted({row["run"] for row in told} - {"straight"})
        same = [compared(work / "straight", work / name) for name in others]
        show({f"{given.method} on {number} topics": told, "The same, summary by summary": same}, given.json)
    if any(row["that differ"] or not row["pyramids are the same"] for row in same):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
