"""The studio under load: 50 annotators who edit at once, beside a bare route that commits one row.

    python bench/studio.py [--annotators 50] [--seconds 10] [--database URL]

A server in one process, the annotators in another (asyncio), on loopback. The pyramid has 200 SCUs and 10 references.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx

from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.studio.database import is_url
from pyramidion.studio.workspace import Workspace

WORDS = 250
BARE = """
import sqlite3, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
database = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False)
for line in ("journal_mode = wal", "synchronous = full"): database.execute("pragma " + line)
database.execute("create table rows (value text)")
async def add(request):
    database.execute("insert into rows values (?)", ((await request.body()).decode(),))
    return JSONResponse({"ok": True})
print("ready", flush=True)
application = Starlette(routes=[Route("/", add, methods=["POST"])])
uvicorn.run(application, port=int(sys.argv[2]), log_level="error", access_log=False)
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
        self.client = httpx.AsyncClient(base_url=start.partition("enter")[0], timeout=120)
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

    async def edit(self, until: float, times: list[float]) -> None:
        """Edit until the time is over."""
        while time.perf_counter() < until:
            label = f"The idea of annotator {self.number}, edit {len(times)}"
            body = {"kind": "SetLabel", "operation": {"scu": str(self.number + 1), "label": label}, "base": self.base}
            begin = time.perf_counter()
            answer = await self.client.post(
                f"/topics/{self.path}/operations", json=body, headers={"X-Token": self.token}
            )
            times.append(time.perf_counter() - begin)
            answer.raise_for_status()
            self.base = answer.json()["version"]
        await self.client.aclose()


async def commit_rows(url: str, until: float, times: list[float]) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        while time.perf_counter() < until:
            begin = time.perf_counter()
            (await client.post("/", content=b"a row")).raise_for_status()
            times.append(time.perf_counter() - begin)


def line(name: str, times: list[float], seconds: float = 0.0) -> str:
    ordered = sorted(times)
    p50, p95 = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    rate = f"{len(times) / seconds:8.1f} a second" if seconds else f"{len(times):8} at once "
    return f"{name:28} {rate}   p50 {1000 * p50:7.1f} ms   p95 {1000 * p95:7.1f} ms"


def started(command: list[str]) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout
    said = ""
    while True:
        said += child.stdout.readline()
        try:
            return child, json.loads(said)
        except json.JSONDecodeError:
            if said == "ready\n":
                return child, {}


async def measure(start: str, path: str, annotators: int, seconds: float) -> tuple[list[float], list[float]]:
    edits: list[float] = []
    opened: list[float] = []
    people = [Annotator(start, path, number) for number in range(annotators)]
    await asyncio.gather(*(one.open(opened) for one in people))
    until = time.perf_counter() + seconds
    await asyncio.gather(*(one.edit(until, edits) for one in people))
    return edits, opened


async def measure_bare(url: str, annotators: int, seconds: float) -> list[float]:
    times: list[float] = []
    until = time.perf_counter() + seconds
    await asyncio.gather(*(commit_rows(url, until, times) for _ in range(annotators)))
    return times


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--database", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder), given.database)
        path = workspace.store.add(workspace.add_project("Load"), topic())
        workspace.close()
        where = given.database if is_url(given.database) else folder
        code = "from pyramidion.cli import main; main()"
        child, about = started([sys.executable, "-c", code, "studio", where, "--port", "0", "--json"])
        try:
            edits, opened = asyncio.run(measure(about["start"], path, given.annotators, given.seconds))
            status = Path(f"/proc/{child.pid}/status").read_text()
            memory = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024  # type: ignore[index]
        finally:
            child.terminate()
            child.wait()
        port = 8765
        bare, _ = started([sys.executable, "-c", BARE, f"{folder}/bare.sqlite", str(port)])
        try:
            time.sleep(1)
            rows = asyncio.run(measure_bare(f"http://127.0.0.1:{port}", given.annotators, given.seconds))
        finally:
            bare.kill()
            bare.wait()
    print(f"{given.annotators} annotators, a pyramid of 200 SCUs and 10 references, {given.seconds:g} s each")
    print(line("an edit", edits, given.seconds))
    print(line("opening the pyramid", opened))
    print(line("a bare route that commits", rows, given.seconds))
    print(f"edits as fast as bare commits: {len(edits) / len(rows):.2f}; memory after {len(edits)} edits: {memory} MB")
    print(f"(the load itself took {resource.getrusage(resource.RUSAGE_SELF).ru_utime:.1f} s of processor time)")


if __name__ == "__main__":
    main()
