"""Whatever happens to a run, its end is that of an undisturbed one, summary by summary."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import pyramidion as pm
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.engines.processes import Processes
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.evaluate import evaluate, stream
from pyramidion.evaluation.from_run import evaluation_of
from pyramidion.evaluation.record import record_of
from pyramidion.evaluation.run import drive_run, open_run
from pyramidion.evaluation.store import FILE, Store
from pyramidion.evaluation.work import Scoring
from pyramidion.formats import native
from pyramidion.methods import Method
from pyramidion.model import Topic
from tests.evaluation.poison import DIE, GATE, install, topics
from tests.processes import ROOT, running

MAIN = "from pyramidion.cli import main; main()"
PAGE = 4096
PATIENCE = 150.0
"""Seconds after which something that should happen is taken not to."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds workers in /proc")


@contextmanager
def driver(corpus: Path, out: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """The command, in a process of its own."""
    packages = out.parent / "packages"
    if not packages.exists():
        install(packages)
    path = os.pathsep.join(map(str, (packages, ROOT)))
    arguments = ["-c", MAIN, "evaluate", corpus, "--method", "given+poisoned", "--out", out, *more]
    with running(arguments, env=os.environ | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}) as (child,):
        yield child


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited too long: {what}"
        time.sleep(0.02)


def scored(out: Path) -> int:
    if not (out / FILE).exists():
        return 0
    try:
        with Store(out) as store:
            return store.counts().summaries
    except PyramidionError:  # while it is being made
        return 0


def parents() -> dict[int, int]:
    """The parent of every process."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(path.parent.name)] = int(after_name[1])
    return found


def workers(pid: int) -> list[int]:
    """The grandchildren of a driver: its children are the servers that fork them."""
    above = parents()
    return sorted(one for one, parent in above.items() if above.get(parent) == pid)


def corpus_of(given: list[Topic], folder: Path) -> Path:
    path = folder / "corpus.jsonl"
    path.write_bytes(b"".join(map(native.line, given)))
    return path


def test_killed_interrupted_and_resumed_it_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """Gates hold the workers up, so that each thing happens in the midst of the run, however fast the machine is."""
    gates = [tmp_path / "first", tmp_path / "second"]
    given = topics(40, 4, {(place, 0): f"{GATE}{gates[place >= 30]})" for place in range(20, 40)})
    corpus, out = corpus_of(given, tmp_path), tmp_path / "run"

    with driver(corpus, out, "--jobs", "2") as child:
        until(lambda: scored(out) >= 40, "the first results")
        own = workers(child.pid)
        assert len(own) == 2
        child.kill()
        child.wait(PATIENCE)
        until(lambda: not set(own) & parents().keys(), "the workers of a driver that was killed end, too")
    kept = scored(out)
    assert 40 <= kept <= 80

    gates[0].touch()
    with driver(corpus, out, "--jobs", "2", "--resume") as child:
        until(lambda: scored(out) >= 100, "more results")
        os.kill(workers(child.pid)[0], signal.SIGKILL)
        until(lambda: len(workers(child.pid)) == 2, "another worker")
        with driver(corpus, out, "--resume") as second:
            _, said = second.communicate(timeout=PATIENCE)
            assert second.returncode == 1
            assert f"Another process ({child.pid}) works on this run" in said
        child.send_signal(signal.SIGINT)
        gates[1].touch()
        _, said = child.communicate(timeout=PATIENCE)
        assert child.returncode == 130, said
        assert f"of 160 summaries are scored and kept in {out}. To go on, give the same command with --resume." in said
    assert 100 <= scored(out) < 160

    with driver(corpus, out, "--resume", "--json") as child:
        printed, said = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0, said
        assert '"status": "finished"' in printed
    with open_run(out) as run:
        assert run.store.failures() == ()
        found = evaluation_of(run)
    straight = evaluate(given, "given+unigram")
    assert [one.scores for one in found.results] == [one.scores for one in straight.results]
    assert found.systems == straight.systems


def test_a_journal_whose_last_page_is_torn_is_read_up_to_it(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from pyramidion.evaluation.store import Store; "
        "from pyramidion.evaluation.work import Scoring; from pyramidion.methods import Method; "
        "from pyramidion.evaluation.worklist import items; from tests.evaluation.poison import topics\n"
        "store = Store(Path(sys.argv[1]), writing=True)\n"
        "for outcome in Scoring(Method.parse('given+unigram')).each(items(topics(5, 2))):\n"
        "    store.add(outcome)\n"
        "os._exit(0)"
    )
    with running(["-c", code, tmp_path], env=os.environ | {"PYTHONPATH": str(ROOT)}) as (child,):
        _, said = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0, said
    journal = tmp_path / f"{FILE}-wal"
    data = bytearray(journal.read_bytes())
    data[-PAGE:] = b"\xff" * PAGE
    journal.write_bytes(data)
    with Store(tmp_path, writing=True) as store:
        store.check()
        counts = store.counts()
        assert counts.summaries == 8
        assert [len(store.scored_summaries(f"t{place:05}")) for place in range(5)] == [2, 2, 2, 2, 0]


def test_a_run_with_a_torn_journal_goes_on_to_the_end_of_an_undisturbed_one(tmp_path: Path) -> None:
    code = (
        "import os, sys; import pyramidion as pm; from pyramidion.evaluation.engines.serial import Serial; "
        "from tests.evaluation.poison import topics\n"
        "def stop(done, of):\n"
        "    if done == 41: os._exit(0)\n"
        "pm.run(topics(30, 2), sys.argv[1], 'given+unigram', engine=Serial(), progress=stop)"
    )
    out = tmp_path / "run"
    with running(["-c", code, out], env=os.environ | {"PYTHONPATH": str(ROOT)}) as (child,):
        _, said = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0, said
    journal = out / f"{FILE}-wal"
    data = bytearray(journal.read_bytes())
    data[-PAGE:] = b"\xff" * PAGE  # the last page, and one in its midst
    data[len(data) // 2 : len(data) // 2 + PAGE] = b"\xff" * PAGE
    journal.write_bytes(data)
    assert 0 < scored(out) < 40
    given = topics(30, 2)
    assert pm.run(given, out, "given+unigram", engine=Serial(), resume=True).evaluation() == evaluate(
        given, "given+unigram"
    )


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Callable[[str], None]]:
    """A file system of that size in memory, and a way to make it larger."""
    folder.mkdir()

    def mount(size: str, *how: str) -> None:
        options = ",".join((*how, f"size={size}"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True, capture_output=True)

    try:
        mount(size)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this user may not mount a small disk: {error}")
    try:
        yield lambda larger: mount(larger, "remount")
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True, capture_output=True)


def test_a_run_survives_a_full_disk(tmp_path: Path) -> None:
    given = topics(400, 4)
    corpus = corpus_of(given, tmp_path)
    with small_disk(tmp_path / "disk", "400k") as enlarge:
        out = tmp_path / "disk" / "run"
        install(tmp_path / "disk" / "packages")
        with driver(corpus, out) as child:
            _, said = child.communicate(timeout=PATIENCE)
            assert child.returncode == 1
            assert said.startswith("error: ")
            assert "resume the run" in said
        assert 0 < scored(out) < 1600
        enlarge("64m")
        with driver(corpus, out, "--resume") as child:
            _, said = child.communicate(timeout=PATIENCE)
            assert child.returncode == 0, said
        with open_run(out) as run:
            found = evaluation_of(run)
    assert [one.scores for one in found.results] == [one.scores for one in evaluate(given, "given+unigram").results]


def test_ten_thousand_summaries_one_in_a_hundred_poisoned(tmp_path: Path, poison: str) -> None:
    bad = {(place, place % 10): DIE for place in range(0, 1000, 10)}
    given = topics(1000, 10, bad)
    work = Scoring(Method.parse(poison))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with drive_run(tmp_path / "run", record_of(work, {}, {})) as driver:
        assert driver.go(work, given, Processes(2))
        store = driver.run.store
        assert (store.counts().summaries, store.counts().failed) == (9900, 100)
        assert {(one.topic, one.summary) for one in store.failures()} == {
            (given[place].id, f"s{peer}") for place, peer in bad
        }
        found = {(topic, summary): value for topic, summary, value in store.scores(("topic", "summary", "coverage"))}
    straight = {(one.scores.topic, one.scores.summary): one.scores.coverage for one in stream(given, "given+unigram")}
    assert found == {key: value for key, value in straight.items() if key in found}
    assert sys.platform != "linux" or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000
