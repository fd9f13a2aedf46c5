"""Crowd answers by HTTP: how many arrive, and how fast, beside a bare handler that writes one row.

    python bench/serve.py [--answers 1000] [--idle 1000] [--files 1024] [--patience 60] [--rounds 3] [--quick]
                           [--json]

Starts ``pyramidion crowd serve`` and a bare ``http.server`` handler, each in a process of its own on the loopback
address, and sends both the same answers, each by another worker over a connection of its own:

- **one by one**: the next when the reply to the last has come.
- **at once**: all connections are opened and all answers sent without waiting.
- **at once, beside idle connections**: the same while as many others are open and say nothing, as browsers do.

The bare handler reads the body, puts it into a SQLite table in a transaction, and replies: no ticket, no check, no
progress. ``reset``: the connection ended without a reply; ``late``: no reply within ``--patience`` seconds. ``times
bare`` is our time for each answer that arrived by the bare handler's, which resets some when it runs out of open files.
``--files`` is that limit for both servers (``ulimit -n``). The best round counts, each with a new store.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from measuring import Row, command_line, show

from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.design import Design
from pyramidion.crowd.desk import Desk
from pyramidion.crowd.plan import plan
from pyramidion.crowd.study import dump
from pyramidion.examples import example
from pyramidion.model import Topic

HOST = "127.0.0.1"


class Bare(BaseHTTPRequestHandler):
    """Writes one row."""

    path_of_store = ""

    def do_POST(self) -> None:
        """Read, write, reply."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with closing(sqlite3.connect(self.path_of_store, timeout=60)) as connection, connection:
            connection.execute("insert into answers values (?)", (body,))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


class BareServer(ThreadingHTTPServer):
    """With a queue as long as ours, so that handling is compared."""

    request_queue_size = 4096


def serve_bare(folder: Path) -> None:
    Bare.path_of_store = str(folder / "bare.sqlite")
    with closing(sqlite3.connect(Bare.path_of_store)) as connection:
        connection.execute("create table answers (body blob)")
    server = BareServer((HOST, 0), Bare)
    print(f"http://{HOST}:{server.server_port}/", flush=True)
    server.serve_forever()


@contextmanager
def started(command: list[str], files: int) -> Iterator[int]:
    """The port of a server in a process of its own, which ends with the block."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    try:
        assert process.stdout
        address = next(filter(None, (re.search(r"http://[\d.]+:(\d+)/", line) for line in process.stdout)))
        yield int(address[1])
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def requests_of(folder: Path, answers: int) -> list[bytes]:
    """What the pages of so many workers send; the study is made in the folder."""
    study = plan([Topic(topic.id, topic.references, topic.peers[:1]) for topic in example()], Design(writers=answers))
    dump(study, folder)
    desk = Desk(study, Store(folder), "writing")
    task = next(iter(desk.tasks.values()))
    made = []
    for number in range(answers):
        worker = f"worker {number}"
        record = {
            "pyramidion": "submission-1",
            "study": study.name,
            "task": task.id,
            "phase": "writing",
            "worker": worker,
            "session": f"session {number}",
            "written": [f"Statement {place} of {worker}, of the length of a fact." for place in range(1, 9)],
            "ticket": desk.ticket(task, worker),
        }
        body = json.dumps(record).encode()
        header = (
            f"POST /answer HTTP/1.0\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        )
        made.append(f"{header}\r\n\r\n".encode() + body)
    return made


async def sent(port: int, request: bytes, patience: float) -> str:
    """What became of one request: ``ok``, ``refused``, ``reset`` or ``late``."""
    try:
        async with asyncio.timeout(patience):
            reader, writer = await asyncio.open_connection(HOST, port)
            writer.write(request)
            reply = await reader.read()
            writer.close()
    except TimeoutError:
        return "late"
    except OSError:
        return "reset"
    return "ok" if b" 200 " in reply[:20] else "refused" if reply else "reset"


@dataclass(frozen=True)
class Load:
    """What is sent, and to what kind of server."""

    what: str
    answers: int
    at_once: bool
    idle: int
    files: int
    patience: float


async def measured(port: int, requests: list[bytes], load: Load) -> tuple[float, Counter[str]]:
    held = [await asyncio.open_connection(HOST, port) for _ in range(load.idle)]
    start = time.perf_counter()
    if load.at_once:
        became = await asyncio.gather(*(sent(port, request, load.patience) for request in requests))
    else:
        became = [await sent(port, request, load.patience) for request in requests]
    took = time.perf_counter() - start
    for _, writer in held:
        writer.close()
    return took, Counter(became)


def round_of(name: str, load: Load) -> tuple[float, Counter[str]]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "study"
        made = requests_of(folder, load.answers)
        ours = ["-c", "from pyramidion.cli import main; main()", "crowd", "serve", str(folder), "--port", "0"]
        bare = [__file__, "--bare", temporary]
        with started([sys.executable, *(ours if name == "crowd serve" else bare)], load.files) as port:
            return asyncio.run(measured(port, made, load))


def rows_of(load: Load, rounds: int) -> list[Row]:
    names = ("bare", "crowd serve")
    kept: dict[str, list[tuple[float, Counter[str]]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            kept[name].append(round_of(name, load))
    best = {name: max(counts["ok"] / took for took, counts in results) for name, results in kept.items()}
    return [
        {
            "what": load.what,
            "server": name,
            "answers": load.answers,
            "ok": min(counts["ok"] for _, counts in kept[name]),
            "refused": max(counts["refused"] for _, counts in kept[name]),
            "reset": max(counts["reset"] for _, counts in kept[name]),
            "late": max(counts["late"] for _, counts in kept[name]),
            "seconds": round(min(took for took, _ in kept[name]), 2),
            "ok/s": round(best[name]),
            "times bare": round(best["bare"] / best[name], 2),
        }
        for name in names
    ]


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--answers", type=int, default=1000)
    parser.add_argument("--idle", type=int, default=1000)
    parser.add_argument("--files", type=int, default=1024)
    parser.add_argument("--patience", type=float, default=60.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a tenth of the answers, one round")
    parser.add_argument("--bare", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.bare:
        serve_bare(given.bare)
        return
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    answers, rounds = (given.answers // 10, 1) if given.quick else (given.answers, given.rounds)
    limits = (given.files, given.patience)
    loads = (
        Load("one by one", answers, False, 0, *limits),
        Load("at once", answers, True, 0, *limits),
        Load(f"at once, {given.idle} idle", answers, True, given.idle, *limits),
    )
    rows = [row for load in loads for row in rows_of(load, rounds)]
    show({"Crowd answers by HTTP": rows}, given.json)


if __name__ == "__main__":
    main()
