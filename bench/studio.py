"""The studio under load: 50 annotators who edit at once, beside a bare route that commits one row.

    python bench/studio.py [--annotators 50] [--seconds 10] [--database sqlite|postgresql] [--hour]

On SQLite and on a PostgreSQL of its own, where it is installed. A server in one process, the annotators in another
(asyncio), on loopback. The pyramid has 200 SCUs and 10 references. The bare route is Starlette's, served as the studio
is, with one row inserted and committed by each request into a database of the same kind. With ``--hour``, the server's
memory is told after an hour's worth of edits: those of the annotators if each makes one every five seconds, 36,000 of
fifty, made as fast as it takes them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.postgres import UnavailableError, new_database, served_postgres

from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.studio.workspace import Workspace

WORDS = 250
EVERY = 5
"""Seconds from one edit of an annotator to the next."""
STUDIO = "from pyramidion.cli import main; main()"
BARE = """
import json, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
where, handle = sys.argv[1:]
if "://" in where:
    import psycopg
    database, mark = psycopg.connect(where.replace("+psycopg", ""), autocommit=True), "%s"
else:
    import sqlite3
    database, mark = sqlite3.connect(where, isolation_level=None, check_same_thread=False), "?"
    for line in ("journal_mode = wal", "synchronous = full"): database.execute("pragma " + line)
database.execute("create table rows (value text)")
async def add(request):
    database.execute(f"insert into rows values ({mark})", ((await request.body()).decode(),))
    return JSONResponse({"ok": True})
print(json.dumps({"ready": True}), flush=True)
application = Starlette(routes=[Route("/", add, methods=["POST"])])
uvicorn.run(application, fd=int(handle), log_level="error", access_log=False)
"""


def topic() -> Topic:
    text = " ".join(f"word{number:03}" for number in range(WORDS))
    references = tuple(Summary(str(number), text) for number in range(10))
    scus = []
    for number in range(200):
        span = Span(8 * number, 8 * number + 7)
        contributors = tuple(Contributor(str(reference), (span,)) for reference in range(number % 10 + 1))
        scus.append(SCU(str(number + 1), f"The idea number {number + 1}", contributors))
    return Topic("load", references, (Summary("peer", text, "peer"),), pyramid=Pyramid("load", references, tuple(scus)))


class Annotator:
    """Somebody who opens the pyramid and then relabels an SCU of their own, again and again."""

    def __init__(self, start: str, path: str, number: int) -> None:
        self.start = start
        self.client = httpx.AsyncClient(base_url=start.partition("enter")[0], timeout=120, verify=False)
        self.path, self.number = path, number
        self.token, self.base = "", 0

    async def open(self, times: list[float]) -> None:
        """Open the pyramid's page."""
        await self.client.get(self.start)
        begin = time.perf_counter()
        page = (await self.client.get(f"/topics/{self.path}", headers={"Accept": "text/html"})).text
        times.append(time.perf_counter() - begin)
        token, version = re.search(r'"token":"([\w-]+)"', page), re.search(r'"version":(\d+)', page)
        assert token
        assert version
        self.token, self.base = token[1], int(version[1])

    async def edit(self, until: float, times: list[float], most: int) -> None:
        """Edit until the time is over, or all annotators have made so many edits."""
        while time.perf_counter() < until and len(times) < most:
            label = f"The idea of annotator {self.number}, edit {len(times)}"
            body = {"kind": "SetLabel", "operation": {"scu": str(self.number + 1), "label": label}, "base": self.base}
            begin = time.perf_counter()
            answer = await self.client.post(
                f"/topics/{self.path}/operations", json=body, headers={"X-Token": self.token}
            )
            times.append(time.perf_counter() - begin)
            answer.raise_for_status()
            self.base = answer.json()["version"]


async def commit_rows(client: httpx.AsyncClient, until: float, times: list[float]) -> None:
    while time.perf_counter() < until:
        begin = time.perf_counter()
        (await client.post("/", content=b"a row")).raise_for_status()
        times.append(time.perf_counter() - begin)


def line(name: str, times: list[float], seconds: float = 0.0) -> str:
    ordered = sorted(times)
    p50, p95 = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    rate = f"{len(times) / seconds:8.1f} a second" if seconds else f"{len(times):8} at once "
    return f"{name:28} {rate}   p50 {1000 * p50:7.1f} ms   p95 {1000 * p95:7.1f} ms"


@contextmanager
def running(code: str, *arguments: str, **options: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """A server in a process of its own: its number, and the JSON that it says at the beginning."""
    child = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True, **options)
    try:
        assert child.stdout
        said = ""
        for line in child.stdout:
            said += line
            try:
                about = json.loads(said)
            except json.JSONDecodeError:
                continue
            yield child.pid, about
            break
    finally:
        ended = child.poll()
        child.kill()
        child.wait()
        if ended is not None:
            print(f"the server had ended by itself with status {ended}")


def memory(process: int) -> int:
    status = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    assert status
    return int(status[1]) // 1024


def processor(process: int) -> float:
    """Seconds of processor time that a process has taken."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / 100


Measured = tuple[list[float], list[float], float]


async def measure(
    start: str, path: str, annotators: int, process: int, seconds: float = 1e9, most: int = 10**9
) -> Measured:
    """Seconds that opening and editing took, and seconds of processor time that the server took for the edits."""
    edits: list[float] = []
    opened: list[float] = []
    people = [Annotator(start, path, number) for number in range(annotators)]
    await asyncio.gather(*(one.open(opened) for one in people))
    before, until = processor(process), time.perf_counter() + seconds
    await asyncio.gather(*(one.edit(until, edits, most) for one in people))
    took = processor(process) - before
    await asyncio.gather(*(one.client.aclose() for one in people))
    return opened, edits, took


async def measure_bare(url: str, annotators: int, seconds: float) -> list[float]:
    times: list[float] = []
    clients = [httpx.AsyncClient(base_url=url, timeout=60, verify=False) for _ in range(annotators)]
    await asyncio.gather(*(client.post("/", content=b"a row") for client in clients))  # connections are there then
    until = time.perf_counter() + seconds
    await asyncio.gather(*(commit_rows(client, until, times) for client in clients))
    await asyncio.gather(*(client.aclose() for client in clients))
    return times


def studio(name: str, folder: str, database: str, bare_database: str, given: argparse.Namespace) -> None:
    """Measure the studio on a database, and the bare route on another of its kind."""
    workspace = Workspace(Path(folder) / "pyramidion-studio", database)
    path = workspace.store.add(workspace.add_project("Load"), topic())
    workspace.close()
    people = given.annotators
    command = ("studio", database or "pyramidion-studio", "--port", "0", "--json")
    with running(STUDIO, *command, cwd=folder) as (process, about):
        opened, edits, took = asyncio.run(measure(about["start"], path, people, process, given.seconds))
        held = memory(process)
        if given.hour:
            most = people * 3600 // EVERY - len(edits)
            began = time.perf_counter()
            asyncio.run(measure(about["start"], path, people, process, most=most))
            rate = most / (time.perf_counter() - began)
            later = f"; after {most + len(edits)} edits, at {rate:.0f} a second, {memory(process)} MB"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        handle, port = str(listening.fileno()), listening.getsockname()[1]
        with running(BARE, bare_database, handle, pass_fds=[listening.fileno()]) as (process, _):
            before = processor(process)
            rows = asyncio.run(measure_bare(f"http://127.0.0.1:{port}", people, given.seconds))
            bare_took = processor(process) - before
    print(f"{name}: {people} annotators, a pyramid of 200 SCUs and 10 references, {given.seconds:g} s each")
    print(line("  an edit", edits, given.seconds))
    print(line("  opening the pyramid", opened))
    print(line("  a bare route that commits", rows, given.seconds))
    each, bare_each = 1000 * took / len(edits), 1000 * bare_took / len(rows)
    print(f"  edits as fast as bare commits: {len(edits) / len(rows):.2f}")
    print(f"  processor time of the server: {each:.1f} ms an edit; {bare_each:.1f} ms a bare commit")
    print(f"  memory after {len(edits)} edits: {held} MB{later if given.hour else ''}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--database", choices=["sqlite", "postgresql"])
    parser.add_argument("--hour", action="store_true")
    given = parser.parse_args()
    with ExitStack() as ending:
        folder = ending.enter_context(tempfile.TemporaryDirectory())
        if given.database != "postgresql":
            studio("SQLite", folder, "", f"{folder}/bare.sqlite", given)
        if given.database != "sqlite":
            try:
                server = ending.enter_context(served_postgres())
            except UnavailableError as why:
                print(f"PostgreSQL is not measured: {why}")
            else:
                studio("PostgreSQL", folder, new_database(server), new_database(server), given)


if __name__ == "__main__":
    main()
